# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/ip_lists.md says that a task for lists of addresses leaves behind; see plan_model.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from ipaddress import ip_network

from ansible_collections.edgeops.protection.plugins.module_utils._context import CREATION, TASK

from tests.evidence.models.plan_model import Item, Items, Refused, comparable, expired
from tests.evidence.models.zone_model import ignored

DESCRIBING = ("present", "exact", CREATION)
NEW: Item = {"kind": "ip", "description": "", "num_referencing_filters": 0, "items": []}
Risks = dict[str, set[str]]  # the entries of the risks, by code


def address(text: str) -> str:
    """An item as lists show it: without host bits, and a single address without a length."""
    network = ip_network(text, strict=False)
    return str(network.network_address) if network.num_addresses == 1 else str(network)


def lists_after(module: str, options: Item, before: Sequence[Item], now: datetime) -> Items:
    """The lists of the account after a task."""
    if module == "ip_list":
        check_one(options)
        entries, state = (
            [options],
            "items" if options.get("items") and options["state"] == "absent" else options["state"],
        )
    else:
        entries, state = options["lists"], half_of(options)
    names = [entry["name"].removeprefix("$") for entry in entries]
    of_kind = {each["name"]: each["kind"] == "ip" for each in before}
    if state in DESCRIBING and any(entry.get("purge") and entry.get("items") is None for entry in entries):
        raise Refused("a purge without items")
    if state != CREATION and any(ignored(name, options) for name in names):
        raise Refused("a pattern that matches a list of the task")
    if state != "items" and not all(of_kind.get(name, True) for name in names):
        raise Refused("a list of another kind")
    left = [each for each in before if stays(each, names, state, options)]
    after = {each["name"]: each for each in left}
    for name, entry in zip(names, entries, strict=True) if state in DESCRIBING else ():
        existing = after.get(name, {**NEW, "name": name})
        described = {} if entry.get("description") is None else {"description": entry["description"]}
        whole = bool(entry.get("purge")) or state in ("exact", CREATION)
        after[name] = {**existing, **described, "items": items_after(existing["items"], entry.get("items"), whole, now)}
    for name in names if state == "items" and of_kind.get(names[0]) else ():
        gone = {address(item["ip"]) for item in options["items"]}
        after[name] = {**after[name], "items": [item for item in after[name]["items"] if item["ip"] not in gone]}
    return list(after.values())


def half_of(options: Item) -> str:
    """The state of a task, or the half of an exclusive plan that a role makes."""
    step = options.get("context", TASK).step
    return step if step and options["state"] == "exact" else str(options["state"])


def check_one(options: Item) -> None:
    """Raises Refused where the options of the module for one list contradict each other."""
    if options["state"] != "absent":
        return
    if options.get("purge"):
        raise Refused("a purge with state absent")
    if options.get("items") == []:
        raise Refused("no item that would be absent")


def stays(each: Item, names: Sequence[str], state: str, options: Item) -> bool:
    """Whether a list is left; lists of other kinds are left alone."""
    if each["kind"] != "ip" or state in ("present", "items", CREATION):
        return True
    if state == "absent":
        return each["name"] not in names
    return each["name"] in names or ignored(each["name"], options)


def items_after(existing: Items, entries: Items | None, whole: bool, now: datetime) -> Items:
    """The items of a list; without entries they stay."""
    if entries is None:
        return existing
    after = {item["ip"]: item for item in existing}
    named = {address(entry["ip"]): entry for entry in entries}
    for ip, entry in named.items():
        comment = {} if entry.get("comment") is None else {"comment": entry["comment"]}
        after[ip] = {**after.get(ip, {"ip": ip, "comment": ""}), **comment}
    gone = {ip for ip, entry in named.items() if expired(entry, now)}
    return [item for ip, item in after.items() if ip not in gone and (ip in named or not whole)]


def compared(lists: Sequence[Item], before: Sequence[Item]) -> dict[str, object]:
    """Lists in any order, with their items in any order, as the models compare objects; by name."""
    known = {each["name"]: each for each in before}
    return {
        each["name"]: (
            comparable([{name: value for name, value in each.items() if name != "items"}], before),
            comparable(each["items"], known.get(each["name"], {"items": []})["items"]),
        )
        for each in lists
    }


def lost_references(before: Sequence[Item], after: Sequence[Item]) -> tuple[set[str], set[str]]:
    """The lists that rules refer to and that are deleted, or emptied."""
    left = {each["name"]: each["items"] for each in after}
    referenced = [each for each in before if each["num_referencing_filters"]]
    deleted = {each["name"] for each in referenced if each["name"] not in left}
    return deleted, {each["name"] for each in referenced if each["items"] and left.get(each["name"]) == []}


def list_risks(before: Sequence[Item], after: Sequence[Item], options: Item) -> Risks:
    """docs/risks.md: mass_deletion, empties_list, removes_referenced_list."""
    percent, by_name = options.get("max_deletions_percent", 30), options.get("state") == "absent"
    risks: Risks = {
        "mass_deletion": of_lists(before, after, lambda gone, count, left: gone >= 5 and gone * 100 > percent * count),
        "empties_list": of_lists(before, after, lambda gone, count, left: bool(gone) and not left and not by_name),
        "removes_referenced_list": set.union(*lost_references(before, after)),
    }
    return {code: entries for code, entries in risks.items() if entries}


def of_lists(before: Sequence[Item], after: Sequence[Item], concerns: Callable[[int, int, int], bool]) -> set[str]:
    """What is deleted from the lists that `concerns` names: how many objects go, are there, and are left. The lists of the
    account are a list too, whose kinds are one."""
    return {key for gone, count, left in deletions(before, after) if concerns(len(gone), count, left) for key in gone}


def deletions(before: Sequence[Item], after: Sequence[Item]) -> Iterator[tuple[set[str], int, int]]:
    names = {each["name"] for each in after}
    yield {each["name"] for each in before} - names, len(before), len(after)
    was = {each["name"]: each["items"] for each in before}
    for each in after:
        items, left = was.get(each["name"], []), {item["ip"] for item in each["items"]}
        yield {f"{each['name']} {item['ip']}" for item in items if item["ip"] not in left}, len(items), len(left)
