# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What docs/custom_rules.md says that a task leaves behind; see plan_model.py. Network Firewall
rules and overrides of managed DDoS rules have the order, the positions and the states of custom rules, and fields of
their own: docs/network_firewall.md and docs/ddos_overrides.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

from tests.evidence.models.plan_model import Item, Items, Refused, comparable, named, same_text

SKIPPED = {"ruleset", "phase", "phases", "products"}
OVERRIDING = ("action", "sensitivity", "categories", "rules")
API_NAMES = {"sensitivity": "sensitivity_level"}
KEYS = {"categories": "category", "rules": "id"}


class Managed(NamedTuple):
    """A managed ruleset: its id, the actions that an override of it may set, its rules with their categories, and what
    each of them does by itself."""

    id: str
    actions: tuple[str, ...]
    rules: dict[str, tuple[str, ...]]
    own: tuple[str, ...]

    @property
    def existing(self) -> dict[str, list[str]]:
        """What an override may name."""
        categories = dict.fromkeys(category for categories in self.rules.values() for category in categories)
        return {"categories": [*categories], "rules": [*self.rules]}


L4 = Managed(
    "3b64149bfa6e4220bbbc2bd6db589552",
    ("block", "log"),
    {
        "599dab0942ff4898ac1b7797e954e98b": ("udp", "generic"),
        "8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10": ("tcp", "syn"),
        "a3f1c2d4e5b6478899aabbccddeeff00": ("udp", "dns", "amplification"),
        "d60346e3a8c1450f97eb1d2b8e0d1a77": ("icmp", "generic"),
    },
    ("ddos_dynamic", "block", "block", "ddos_dynamic"),
)
L7 = Managed(
    "4d21379b4f9f4bb088e0729962c8b3cf",
    ("block", "managed_challenge", "challenge", "log"),
    {
        "fdfdac75430c4c47a959592f0aa5e68a": ("botnets",),
        "65d13d1d0ee2429e8c6e8d1b5c5a9b3e": ("generic",),
        "0c7e8a35b1de4d3bb1a0c6d9c1d2f3e4": ("cache", "generic"),
    },
    ("block", "managed_challenge", "ddos_dynamic"),
)
LEVELS = ("default", "medium", "low", "eoff")


def firewall_after(existing: Sequence[Item], rules: Sequence[Item]) -> Items:
    """docs/custom_rules.md: every rule exists; a filter that several rules share changes for all of them."""
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


def ordered_after(kind: Ordered, existing: Sequence[Item], task: Item) -> Items:
    """docs/custom_rules.md, apart from the order; see `check_order`."""
    after = {rule["ref"]: rule for rule in existing}
    refs = [entry["ref"] for entry in task["rules"]]
    check_positions(existing, task)
    anchors = named_of_others(task)
    if any(ignored(ref, task) for ref in refs if ref not in anchors):
        raise Refused("a pattern that matches a rule of the task")
    standing = [ref for ref in after if ref in anchors]
    if standing != [ref for ref in anchors if ref in after]:
        raise Refused("rules of others in another order than theirs")
    if task["state"] == "absent":
        return [rule for ref, rule in after.items() if ref not in refs]
    for entry in [entry for entry in task["rules"] if entry["ref"] not in anchors]:
        after[entry["ref"]] = kind.rule_after(after.get(entry["ref"]), named(entry))
    return [rule for ref, rule in after.items() if not task["purge"] or ref in refs or ignored(ref, task)]


def named_of_others(task: Item) -> list[str]:
    """The rules of somebody else of which an exclusive list says where they stand."""
    alone = [entry["ref"] for entry in task["rules"] if named(entry).keys() == {"ref"}]
    return [ref for ref in alone if task["purge"] and ignored(ref, task)]


def ignored(ref: str, task: Item) -> bool:
    """`*` stands for any characters, `?` for one, and `[ab]` for one of some; case matters."""
    patterns = (pattern.replace("*", ".*").replace("?", ".") for pattern in task.get("ignore", ()))
    return any(re.fullmatch(pattern, ref) for pattern in patterns)


def with_action(existing: Item | None, values: Item) -> Item:
    rule = {"description": "", "enabled": True, **(existing or {}), **values}
    if "action" not in rule or "expression" not in rule:
        raise Refused("a new rule needs an action and an expression")
    if existing and rule["action"] != existing["action"]:
        for name in {"action_parameters", "logging"} - values.keys():
            rule.pop(name, None)
    return rule


def custom_rule_after(existing: Item | None, values: Item) -> Item:
    rule = with_action(existing, values)
    parameters = set(rule.get("action_parameters") or {})
    fitting = {"skip": SKIPPED, "block": {"response"}}.get(rule["action"], set())
    if parameters - fitting or (rule["action"] == "skip" and not parameters):
        raise Refused("the parameters do not fit the action")
    return rule


def packet_rule_after(existing: Item | None, values: Item) -> Item:
    """docs/network_firewall.md: a skip skips the remaining rules, and cannot be told to skip nothing."""
    rule = with_action(existing, values)
    if rule["action"] == "skip":
        if values.get("action_parameters") == {}:
            raise Refused("a skip of nothing")
        return {**rule, "action_parameters": {"ruleset": "current"}}
    if rule.get("action_parameters"):
        raise Refused("parameters without skip")
    return rule


def override_after(managed: Managed, existing: Item | None, values: Item) -> Item:
    """docs/ddos_overrides.md: what overrides nothing is no override, and one that is left with nothing has the default
    sensitivity; what has another name in the API is written there. A rule of another kind takes nothing that an override
    sets."""
    said = {API_NAMES.get(name, name): value for name, value in values.items() if name in OVERRIDING}
    rest = {name: value for name, value in values.items() if name not in OVERRIDING}
    if existing and existing["action"] != "execute":
        if said.get("sensitivity_level") or any(value not in ("default", [], None) for value in said.values()):
            raise Refused("a rule of another kind")
        return {**existing, **rest}
    overrides: Item = {**(existing or {}).get("action_parameters", {}).get("overrides", {}), **said}
    overrides = {name: renamed(value) for name, value in overrides.items() if value != []}
    if overrides.get("action") == "default":
        del overrides["action"]
    if existing and not overrides:
        overrides = {"sensitivity_level": "default"}
    rule = {"description": "", "enabled": True, **(existing or {}), **rest}
    if "expression" not in rule or not overrides:
        raise Refused("an override needs an expression, and something that it overrides")
    if any(names_unknown(managed, overrides, name, key) for name, key in KEYS.items()):
        raise Refused("a category or a managed rule that does not exist")
    return {**rule, "action": "execute", "action_parameters": {"id": managed.id, "overrides": overrides}}


def renamed(entries: Any) -> Any:
    if not isinstance(entries, list):
        return entries
    return [{API_NAMES.get(name, name): value for name, value in entry.items()} for entry in entries]


def names_unknown(managed: Managed, overrides: Item, name: str, key: str) -> bool:
    return any(entry[key] not in managed.existing[name] for entry in overrides.get(name, ()))


def as_compared(rule: Item) -> Item:
    """An override with its categories and managed rules in one order."""
    if rule["action"] != "execute":
        return rule
    overrides = dict(rule["action_parameters"]["overrides"])
    for name, key in KEYS.items():
        entries = [{field: entry[field] for field in sorted(entry)} for entry in overrides.get(name, ())]
        overrides[name] = sorted(entries, key=lambda entry: str(entry[key]))
    return {**rule, "action_parameters": {**rule["action_parameters"], "overrides": dict(sorted(overrides.items()))}}


class Ordered(NamedTuple):
    """What tells a module for an ordered list from the others; tasks of the models say `rules` for its option."""

    module: str
    option: str
    rule_after: Callable[[Item | None, Item], Item]

    def options(self, task: Item) -> Item:
        """A task as the module takes it."""
        return {self.option if name == "rules" else name: value for name, value in task.items()}

    def comparable(self, rules: Items, before: Items) -> list[str]:
        """The rules in any order; overrides with what they override in any order."""
        return comparable([as_compared(rule) for rule in rules] if self.option == "overrides" else rules, before)


CUSTOM_RULES = Ordered("custom_rules", "rules", custom_rule_after)
NETWORK_FIREWALL = Ordered("network_firewall_rules", "rules", packet_rule_after)
L4_OVERRIDES = Ordered("ddos_l4_overrides", "overrides", partial(override_after, L4))
L7_OVERRIDES = Ordered("ddos_l7_overrides", "overrides", partial(override_after, L7))


def check_positions(existing: Sequence[Item], task: Item) -> None:
    """Raises Refused: the rule REF exists already, or stands further up in the task; never with a purge."""
    known = {rule["ref"] for rule in existing}
    for entry in task["rules"]:
        position = entry.get("position") or ""
        if position and task["purge"]:
            raise Refused("a position in an exclusive list")
        is_new = entry["ref"] not in known and task["state"] == "present"
        if is_new and position.partition(" ")[2] not in known | {""}:
            raise Refused("a position beside nothing")
        known.add(entry["ref"])


def check_order(existing: Sequence[str], task: Item, order: Sequence[str]) -> None:
    """docs/custom_rules.md, "Where a new rule goes" and "The whole list, in this order"."""
    rules = task["rules"]
    if task["purge"]:
        refs = [entry["ref"] for entry in rules if entry["ref"] in order]
        anchors = {ref for ref in named_of_others(task) if ref in existing}
        check_whole_order(existing, refs, order, anchors)
        return
    assert [ref for ref in order if ref in existing] == [ref for ref in existing if ref in order]
    positions = {entry["ref"]: entry.get("position") or "last" for entry in rules if entry["ref"] not in existing}
    for ref, position in positions.items() if task["state"] == "present" else ():
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


def check_whole_order(
    existing: Sequence[str], refs: Sequence[str], order: Sequence[str], anchors: Collection[str]
) -> None:
    """The rules of the task come in its order, and those of others in theirs: directly behind the last of those in front
    of them, unless the task names a rule of others that comes earlier."""
    others = [ref for ref in existing if ref in order and (ref not in refs or ref in anchors)]
    assert [ref for ref in order if ref in refs] == list(refs)
    assert [ref for ref in order if ref in others] == others
    for ref in (one for one in others if one not in anchors):
        place, at = order.index(ref), existing.index(ref)
        front = [one for one in existing[:at] if one in order]
        end = min((order.index(one) for one in existing[at:] if one in anchors), default=len(order))
        assert all(order.index(one) < place or order.index(one) > end for one in front)
        assert place in (0, end - 1) or order[place - 1] in front
