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
Lists = dict[tuple[str, str], Items]  # by collection and kind

ASSIGNED = ("id", "created_on", "modified_on", "version", "last_updated")
DEFAULTS: Mapping[str, Item] = {
    "prefixes": {"comment": "", "excluded": False},
    "allowlist": {"comment": "", "enabled": True},
    "rules": {"mode": "monitoring", "rate_sensitivity": "medium", "burst_sensitivity": "medium"},
    "filters": {"mode": "monitoring"},
    "dns_rules": {"mode": "monitoring", "rate_sensitivity": "medium", "burst_sensitivity": "medium", "profile_sensitivity": "low"},
}  # fmt: skip

DESCRIBING = {  # the options of a module for one object that describe it
    *("prefix", "expires", "scope", "name", "kind", "expression", "mitigation_type"),
    *(name for defaults in DEFAULTS.values() for name in defaults),
}

LISTED = {"protected_prefixes": "prefixes", "allowlist": "allowlist", "account_protection": ""}
SINGLE = {  # the list of a module for one object
    "allowlist_entry": "allowlist",
    "protection_rule": "rules",
    "protection_filter": "filters",
    "dns_protection_rule": "dns_rules",
}


class Refused(Exception):
    """The docs say that this task fails before anything is written."""


def network(item: Mapping[str, Any]) -> Hashable:
    try:
        return ip_network(item["prefix"], strict=False)
    except ValueError:
        return str(item["prefix"])


def position_of(item: Mapping[str, Any]) -> tuple[str, str]:
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
    """What the task says of an object: an option that is left out says nothing, nor does what a result gave it."""
    unsent = ("kind", "position", "expires", *ASSIGNED)
    return {name: value for name, value in entry.items() if value is not None and name not in unsent}


def expired(entry: Mapping[str, Any], now: datetime) -> bool:
    """docs/whole_lists.md, "Temporary entries": a date means its end in UTC."""
    text = entry.get("expires")
    if text is None:
        return False
    if "T" not in text:
        return now >= datetime.fromisoformat(text).replace(tzinfo=UTC) + timedelta(days=1)
    return now >= datetime.fromisoformat(text)


def entries_of(module: str, options: Item, collection: str, kind: str) -> Items | None:
    """The entries of the task for a list; None where it says nothing of the list."""
    if module in SINGLE:
        entry = {name: value for name, value in options.items() if name in DESCRIBING}
        return [entry] if SINGLE[module] == collection and options.get("kind", "") == kind else None
    listed = options.get("entries") if module == "allowlist" else options.get(collection)
    if listed is None or collection not in (LISTED.get(module) or collection):
        return None
    return [entry for entry in listed if entry.get("kind", "") == kind]


def lists_after(module: str, options: Item, before: Lists, now: datetime) -> Lists:
    """What the model says of each list."""
    after, purge = dict(before), options.get("purge")
    for (collection, kind), existing in before.items():
        entries = entries_of(module, options, collection, kind)
        if entries is not None:
            after[collection, kind] = list_after(
                collection,
                existing,
                entries,
                now,
                absent=options.get("state") == "absent",
                purge=purge if isinstance(purge, bool) else collection in (purge or ()),
                rollout=options.get("limits", {}).get("min_monitoring_hours", 4)
                if options.get("staged_rollout")
                else None,
            )
    return after


def pending_in(module: str, options: Item, lists: Lists) -> int:
    """How many rules and filters the model leaves to be enabled by another run."""
    if not options.get("staged_rollout") or options.get("state") == "absent":
        return 0
    return sum(
        pending(collection, entries_of(module, options, collection, kind) or (), items)
        for (collection, kind), items in lists.items()
    )


def list_after(
    collection: str,
    existing: Sequence[Item],
    entries: Sequence[Item],
    now: datetime,
    absent: bool = False,
    purge: bool = False,
    rollout: float | None = None,
) -> Items:
    """A list of an account after `entries`: "Adding, changing, removing" of docs/whole_lists.md.

    `now` is the service's time, and `rollout` how many hours a mode monitors where modes are raised in stages.
    """
    if any(entry.get("mitigation_type") and entry["kind"] != "syn_flood" for entry in entries):
        raise Refused("a type of mitigation that the kind does not have")
    key, after = KEYS[collection], list(existing)
    desired = {key(entry): named(entry) for entry in entries}
    gone = {key(entry) for entry in entries if absent or expired(entry, now)}
    for identity, values in desired.items():
        matches = [item for item in after if key(item) == identity]
        if identity in gone:
            after = [item for item in after if item not in matches]
        elif matches:
            kept = chosen(matches, values)
            changed = updates(kept, staged(kept, values, now, rollout))
            after = [{**item, **changed} if item is kept else item for item in after]
            after = [item for item in after if key(item) != identity or item["id"] == kept["id"]]
        else:
            after.append(created(collection, staged({}, values, now, rollout)))
    return [item for item in after if key(item) in desired] if purge else after


def chosen(duplicates: Sequence[Item], values: Item) -> Item:
    """docs/whole_lists.md, "Duplicates": the object that stays."""

    def preference(item: Item) -> tuple[bool, bool, datetime]:
        differs = changes(item, values) > 0
        return is_off(item) != is_off(values), differs, datetime.fromisoformat(item["created_on"])

    return min(duplicates, key=preference)


def is_off(values: Mapping[str, Any]) -> bool:
    """Whether an object is excluded or off; what is not said is neither."""
    return values.get("excluded") is True or values.get("enabled") is False or values.get("mode") == "disabled"


def staged(item: Mapping[str, Any], values: Item, now: datetime, hours: float | None) -> Item:
    """The values of this run: the table of docs/rollout.md. Without hours, nothing is raised in stages."""
    mode = item.get("mode")
    if hours is None or values.get("mode") != "enabled" or mode == "enabled":
        return values
    if mode == "monitoring" and now - datetime.fromisoformat(item["modified_on"]) >= timedelta(hours=hours):
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


def shown(item: Any) -> Any:
    """An object as the model compares it: without what the service assigns; empty, and logging as usual, as left out;
    names such as those of products in any order."""
    if isinstance(item, Mapping):
        values = {name: shown(value) for name, value in item.items() if name not in ASSIGNED[1:]}
        values = {**values, **({"expression": same_text(item["expression"])} if "expression" in item else {})}
        return {name: value for name, value in values.items() if value not in (None, "", [], {}, {"enabled": True})}
    if isinstance(item, list):
        return sorted(item) if all(isinstance(value, str) for value in item) else [shown(value) for value in item]
    return item


def without(item: Item, names: Iterable[str]) -> Item:
    return {name: value for name, value in item.items() if name not in names}


def comparable(items: Sequence[Item], before: Sequence[Item]) -> list[str]:
    """Objects in any order; those that are new without their ids, and without what the service chooses for them."""
    ids = {item["id"] for item in before}
    chosen = ("id", "mitigation_type")
    return sorted(repr(sorted(shown(without(item, () if item.get("id") in ids else chosen)).items())) for item in items)
