# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the pages of docs/ say that a task leaves behind: a model of the modules that shares no code with them.

Each function takes the existing objects as the service shows them and the options of a task, and returns the objects
afterwards without what the service assigns. It raises Refused where the docs say that the task fails.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from typing import Any

Item = dict[str, Any]
Items = list[Item]
Key = Callable[[Mapping[str, Any]], Hashable]

ASSIGNED = ("id", "created_on", "modified_on", "version", "last_updated")
DEFAULTS: Mapping[str, Item] = {
    "prefixes": {"comment": "", "excluded": False},
    "allowlist": {"comment": "", "enabled": True},
    "rules": {"mode": "monitoring", "rate_sensitivity": "medium", "burst_sensitivity": "medium"},
    "filters": {"mode": "monitoring"},
    "dns_rules": {
        "mode": "monitoring",
        "rate_sensitivity": "medium",
        "burst_sensitivity": "medium",
        "profile_sensitivity": "low",
    },
}


class Refused(Exception):
    """The docs say that this task fails before anything is written."""


def network(item: Mapping[str, Any]) -> Hashable:
    try:
        return ip_network(item["prefix"], strict=False)
    except ValueError:
        return str(item["prefix"])


def position_of(item: Mapping[str, Any]) -> Hashable:
    return (item["scope"], (item.get("name") or "global").casefold())


def expression(item: Mapping[str, Any]) -> Hashable:
    return same_text(item["expression"])


def same_text(text: str) -> str:
    """An expression without its white space; the plans have none inside of texts."""
    return "".join(text.split())


KEYS: Mapping[str, Key] = {
    "prefixes": network,
    "allowlist": network,
    "rules": position_of,
    "filters": expression,
    "dns_rules": position_of,
}


def named(entry: Mapping[str, Any]) -> Item:
    """What the task says of an object: an option that is left out says nothing."""
    unsent = ("kind", "position", "expires")
    return {name: value for name, value in entry.items() if value is not None and name not in unsent}


def expired(entry: Mapping[str, Any], now: datetime) -> bool:
    """docs/expires.md, "The rules": a date means its end in UTC."""
    text = entry.get("expires")
    if text is None:
        return False
    if "T" not in text:
        return now >= datetime.fromisoformat(text).replace(tzinfo=UTC) + timedelta(days=1)
    return now >= datetime.fromisoformat(text)


def list_after(
    collection: str,
    existing: Sequence[Item],
    entries: Sequence[Item],
    now: datetime,
    absent: bool = False,
    purge: bool = False,
    rollout: bool = False,
) -> Items:
    """A list of an account after `entries`: "Adding, changing, removing" of docs/whole_lists.md.

    `now` is the service's time, and `rollout` says that modes are raised in stages.
    """
    key, after = KEYS[collection], list(existing)
    desired = {key(entry): named(entry) for entry in entries}
    gone = {key(entry) for entry in entries if absent or expired(entry, now)}
    for identity, values in desired.items():
        matches = [item for item in after if key(item) == identity]
        if identity in gone:
            after = [item for item in after if item not in matches]
        elif len(matches) > 1 and not purge:
            raise Refused("duplicates")
        elif matches:
            kept = min(matches, key=lambda item: (changes(item, values), datetime.fromisoformat(item["created_on"])))
            changed = updates(kept, staged(kept, values, now) if rollout else values)
            after = [{**item, **changed} if item is kept else item for item in after]
            after = [item for item in after if key(item) != identity or item["id"] == kept["id"]]
        else:
            after.append(created(collection, staged({}, values, now) if rollout else values))
    return [item for item in after if key(item) in desired] if purge else after


def staged(item: Mapping[str, Any], values: Item, now: datetime) -> Item:
    """The values of this run: the table of docs/rollout.md."""
    mode = item.get("mode")
    if values.get("mode") != "enabled" or mode == "enabled":
        return values
    if mode == "monitoring" and now - datetime.fromisoformat(item["modified_on"]) >= timedelta(hours=4):
        return values
    return {**values, "mode": "monitoring"}


def pending(collection: str, entries: Iterable[Item], after: Sequence[Item]) -> int:
    """How many rules or filters a staged rollout leaves to be enabled: those of the task that are not enabled yet."""
    modes = {KEYS[collection](item): item.get("mode") for item in after}
    return sum(entry.get("mode") == "enabled" != modes[KEYS[collection](entry)] for entry in entries)


def updates(item: Mapping[str, Any], values: Item) -> Item:
    """The fields that change; those of the key stay as they are written."""
    return {name: value for name, value in values.items() if name not in ("prefix", "scope", "name", "expression")}


def changes(item: Mapping[str, Any], values: Item) -> int:
    return sum(item.get(name) != value for name, value in updates(item, values).items())


def created(collection: str, values: Item) -> Item:
    item = {**DEFAULTS[collection], **values}
    if "prefix" in item:
        item["prefix"] = str(ip_network(item["prefix"], strict=False))
    if item.get("scope") == "global":
        item["name"] = item.get("name") or "global"
    return {name: value.strip() if name in ("name", "expression") else value for name, value in item.items()}


def firewall_after(existing: Sequence[Item], rules: Sequence[Item]) -> Items:
    """docs/firewall_rules.md: every rule exists; a filter that several rules share changes for all of them."""
    after = {rule["id"]: dict(rule) for rule in existing}
    filters = {rule["filter"]["id"]: dict(rule["filter"]) for rule in existing}
    changed: dict[str, Item] = {}
    for entry in rules:
        if entry["id"] not in after:
            raise Refused("no such rule")
        rule, values = after[entry["id"]], named(entry)
        its_filter = values.pop("filter", {})
        if its_filter.get("id"):
            rule["filter"] = {"id": its_filter["id"]}
        known = changed.setdefault(rule["filter"]["id"], {})
        for name, value in named(its_filter).items():
            if differs(name, known.setdefault(name, value), value):
                raise Refused("two values for one filter")
        rule.update({name: None if value == "" else value for name, value in values.items()})
        rule["priority"] = None if rule["priority"] is None else int(rule["priority"])
        if rule["action"] != "bypass":
            if values.get("products"):
                raise Refused("products without bypass")
            rule["products"] = []
    for identity, values in changed.items():
        filters[identity].update(values)
    return [{**rule, "filter": filters[rule["filter"]["id"]]} for rule in after.values()]


def differs(name: str, one: Any, other: Any) -> bool:
    return bool(same_text(one) != same_text(other) if name == "expression" else one != other)


def custom_after(existing: Sequence[Item], rules: Sequence[Item], state: str) -> Items:
    """docs/custom_rules.md, apart from the order; see `check_order`."""
    after = {rule["ref"]: rule for rule in existing}
    if state == "absent":
        return [rule for ref, rule in after.items() if ref not in {entry["ref"] for entry in rules}]
    for entry in rules:
        after[entry["ref"]] = custom_rule_after(after.get(entry["ref"]), named(entry))
    return [rule for ref, rule in after.items() if state != "exact" or ref in {entry["ref"] for entry in rules}]


def custom_rule_after(existing: Item | None, values: Item) -> Item:
    rule = {"description": "", "enabled": True, **(existing or {}), **values}
    if "action" not in rule or "expression" not in rule:
        raise Refused("a new rule needs an action and an expression")
    if existing and rule["action"] != existing["action"]:
        for name in {"action_parameters", "logging"} - values.keys():
            rule.pop(name, None)
    parameters = set(rule.get("action_parameters") or {})
    fitting = {"skip": {"ruleset", "products"}, "block": {"response"}}.get(rule["action"], set())
    if parameters - fitting or (rule["action"] == "skip" and not parameters):
        raise Refused("the parameters do not fit the action")
    return rule


def weakens_zone(before: Sequence[Item], after: Sequence[Item]) -> bool:
    """docs/zone_risks.md, "weakens_zone", by the usual limit."""
    enforcing, left = ([rule for rule in rules if enforces(rule)] for rules in (before, after))
    kept = {rule["ref"] for rule in left} | {
        rule["ref"]
        for rule in enforcing
        if same_text(rule["expression"]) in {same_text(one["expression"]) for one in left}
    }
    weakened = [rule for rule in enforcing if rule["ref"] not in kept]
    is_mass = len(weakened) >= 3 or len(weakened) == len(enforcing) > 0
    return is_mass and len(weakened) > 0.3 * len(enforcing)


def enforces(rule: Item) -> bool:
    return rule["enabled"] and rule["action"] in ("block", "challenge", "js_challenge", "managed_challenge")


def check_positions(existing: Sequence[Item], rules: Sequence[Item], state: str) -> None:
    """Raises Refused: the rule REF exists already, or stands further up in the task; never with state exact."""
    known = {rule["ref"] for rule in existing}
    for entry in rules:
        position = entry.get("position")
        if position and state == "exact":
            raise Refused("a position in an exact list")
        if position and entry["ref"] not in known and position.partition(" ")[2] not in known | {""}:
            raise Refused("a position beside nothing")
        known.add(entry["ref"])


def check_order(existing: Sequence[str], rules: Sequence[Item], state: str, order: Sequence[str]) -> None:
    """docs/custom_rules.md, "Where a new rule goes" and "Exactly these, in this order"."""
    if state == "exact":
        assert list(order) == [entry["ref"] for entry in rules]
        return
    assert [ref for ref in order if ref in existing] == [ref for ref in existing if ref in order]
    positions = {entry["ref"]: entry.get("position") or "last" for entry in rules if entry["ref"] not in existing}
    for ref, position in positions.items() if state == "present" else ():
        where, dummy, other = position.partition(" ")
        index = order.index(ref)
        between = {
            "first": order[:index],
            "last": order[index + 1 :],
            "before": order[index + 1 : order.index(other)] if other else (),
            "after": order[order.index(other) + 1 : index] if other else (),
        }[where]
        assert set(between) <= positions.keys()
        assert not other or (index < order.index(other)) == (where == "before")
        alike = [ref for ref in order if positions.get(ref) == position]
        assert alike == [ref for ref in positions if positions[ref] == position]


def shown(item: Any) -> Any:
    """An object as the model compares it: without what the service assigns; empty, and logging as usual, as left out."""
    if isinstance(item, Mapping):
        values = {name: shown(value) for name, value in item.items() if name not in ASSIGNED[1:]}
        values = {**values, **({"expression": same_text(item["expression"])} if "expression" in item else {})}
        return {name: value for name, value in values.items() if value not in (None, "", [], {}, {"enabled": True})}
    return [shown(value) for value in item] if isinstance(item, list) else item
