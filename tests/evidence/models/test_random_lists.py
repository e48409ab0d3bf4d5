# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random plans for lists of every kind against a model of the docs: predicted, applied, and applied again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from datetime import datetime
from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import booleans, integers

from tests.evidence.models.plan_model import Item, Items, Refused, comparable, expired
from tests.evidence.models.plan_run import CONSENTS, Run, applied
from tests.evidence.models.random_plans import (
    ENDS,
    FLAGS,
    NOW,
    ONE_IN_MANY,
    PERCENTAGES,
    TEXTS,
    limited,
    named_once,
    plans,
    some,
)
from tests.evidence.models.risk_model import risks_in
from tests.evidence.models.zone_model import ignored
from tests.support.module_run import ACCOUNT

DESCRIBING = ("present", "purge")
NEW: Item = {"description": "", "num_referencing_filters": 0, "items": []}
Risks = dict[str, set[str]]  # the entries of the risks, by code


def address(text: str) -> str:
    """An item as lists show it: without host bits, and a single address without a length."""
    network = ip_network(text, strict=False)
    return str(network.network_address) if network.num_addresses == 1 else str(network)


def value_of(item: Mapping[str, Any]) -> str | int:
    """What an item of any kind is, as lists show it: a number of an autonomous system, a hostname in lower case."""
    if "asn" in item:
        return int(str(item["asn"]).upper().removeprefix("AS"))
    return address(item["ip"]) if "ip" in item else str(item["hostname"]).lower()


def flattened(lists: Sequence[Item]) -> Items:
    """The lists of the service as they are now, whose hostnames are texts, as in results; one that stands for its apex as
    well says so."""
    return [{**deepcopy(each), "items": [flat_item(deepcopy(item)) for item in each["items"]]} for each in lists]


def flat_item(item: Item) -> Item:
    inner = item.get("hostname")
    if not isinstance(inner, dict):
        return item
    apex = {} if inner.get("exclude_exact_hostname", True) else {"exclude_exact_hostname": False}
    return {**item, "hostname": inner["url_hostname"], **apex}


def lists_after(module: str, options: Item, before: Sequence[Item], now: datetime) -> Items:
    """The lists of the account after a task."""
    if module == "ip_list":
        check_one(options)
        entries, state = (
            [options],
            "items" if options.get("items") and options["state"] == "absent" else options["state"],
        )
    else:
        entries, state = options["lists"], "purge" if options["purge"] else "present"
    names = [entry["name"].removeprefix("$") for entry in entries]
    kinds = {each["name"]: each["kind"] for each in before}
    if state in DESCRIBING and any(entry.get("purge") and entry.get("items") is None for entry in entries):
        raise Refused("a purge without items")
    if any(ignored(name, options) for name in names):
        raise Refused("a pattern that matches a list of the task")
    for name, entry in zip(names, entries, strict=True):
        if kinds.get(name, entry.get("kind", "ip")) != entry.get("kind", "ip"):
            raise Refused("a list of another kind")
        if APEX & {value_of(item) for item in entry.get("items") or ()} and any(
            each["name"] == name and holds_apex(each) for each in before
        ):
            raise Refused("an item that stands for more than the task can say")
    left = [each for each in before if stays(each, names, state, options)]
    after = {each["name"]: each for each in left}
    for name, entry in zip(names, entries, strict=True) if state in DESCRIBING else ():
        existing = after.get(name, {**NEW, "name": name, "kind": entry.get("kind", "ip")})
        described = {} if entry.get("description") is None else {"description": entry["description"]}
        whole = bool(entry.get("purge"))
        after[name] = {**existing, **described, "items": items_after(existing["items"], entry.get("items"), whole, now)}
    for name in names if state == "items" and names[0] in kinds else ():
        gone = {value_of(item) for item in options["items"]}
        after[name] = {**after[name], "items": [item for item in after[name]["items"] if value_of(item) not in gone]}
    return list(after.values())


def check_one(options: Item) -> None:
    """Raises Refused where the options of the module for one list contradict each other."""
    if options["state"] != "absent":
        return
    if options.get("purge"):
        raise Refused("a purge with state absent")
    if options.get("items") == []:
        raise Refused("no item that would be absent")


def stays(each: Item, names: Sequence[str], state: str, options: Item) -> bool:
    """Whether a list is left; lists of redirects are left alone."""
    if each["kind"] == "redirect" or state in ("present", "items"):
        return True
    if state == "absent":
        return each["name"] not in names
    return each["name"] in names or ignored(each["name"], options)


def items_after(existing: Items, entries: Items | None, whole: bool, now: datetime) -> Items:
    """The items of a list; without entries they stay."""
    if entries is None:
        return existing
    after = {value_of(item): item for item in existing}
    named = {value_of(entry): entry for entry in entries}
    for value, entry in named.items():
        comment = {} if entry.get("comment") is None else {"comment": entry["comment"]}
        (kind,) = KINDS & entry.keys()
        after[value] = {**after.get(value, {kind: value, "comment": ""}), **comment}
    gone = {value for value, entry in named.items() if expired(entry, now)}
    kept = {value for value, item in after.items() if value in named or not whole or "exclude_exact_hostname" in item}
    return [item for value, item in after.items() if value in kept - gone]


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
    percent, by_name = options.get("limits", {}).get("max_deletions_percent", 30), options.get("state") == "absent"
    risks: Risks = {
        "mass_deletion": of_lists(before, after, lambda gone, count, left: gone >= 5 and gone * 100 > percent * count),
        "empties_list": of_lists(before, after, lambda gone, count, left: bool(gone) and not left and not by_name),
        "removes_referenced_list": lost_references(before, after)[1],
    }
    return {code: entries for code, entries in risks.items() if entries}


def of_lists(before: Sequence[Item], after: Sequence[Item], concerns: Callable[[int, int, int], bool]) -> set[str]:
    """What is deleted from the lists that `concerns` names: how many objects go, are there, and are left. The lists of the
    account are a list too, whose kinds are one."""
    return {key for gone, count, left in deletions(before, after) if concerns(len(gone), count, left) for key in gone}


def holds_apex(each: Item) -> bool:
    return any("exclude_exact_hostname" in item for item in each["items"])


def deletions(before: Sequence[Item], after: Sequence[Item]) -> Iterator[tuple[set[str], int, int]]:
    names = {each["name"] for each in after}
    yield {each["name"] for each in before} - names, len(before), len(after)
    was = {each["name"]: each["items"] for each in before}
    for each in after:
        items, left = was.get(each["name"], []), {value_of(item) for item in each["items"]}
        yield (
            {f"{each['name']} {value_of(item)}" for item in items if value_of(item) not in left},
            len(items),
            len(left),
        )


NAMES = ("offices", "scrapers", "shops", "shop_2", "a_1")
PATTERNS = st.sampled_from(["shop*", "?_1", "SHOPS", "z*", "scrapers"])
ADDRESSES = st.sampled_from(
    ["192.0.2.0/24", "192.0.2.9/24", "192.0.2.1", "192.0.2.1/32", "2001:db8::/32", "2001:DB8::/32", "2001:DB8:0::1/128",
     "10.0.0.0/8", "198.51.100.7", "198.51.100.8", "198.51.100.9"]
)  # fmt: skip
WIDE = "*.example.net"
KINDS = {"ip", "asn", "hostname"}
APEX = {WIDE}  # what may stand for its apex as well
VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "ip": ADDRESSES,
    "asn": st.sampled_from([64500, "64500", "AS64501", "as64502", 0, 4294967295, *range(64503, 64509)]),
    "hostname": st.sampled_from(
        [
            "shop.example",
            "Shop.Example",
            "xn--bcher-kva.example",
            WIDE,
            WIDE.upper(),
            *(f"{one}.example" for one in "abcdef"),
        ]
    ),
}
KIND = st.sampled_from(["ip", "ip", "asn", "hostname"])
OTHERS = {"comment": TEXTS, "expires": ENDS, "id": st.just("0" * 32), "modified_on": st.just("2026-01-01T00:00:00Z")}


def existing_item(kind: str) -> st.SearchStrategy[Item]:
    """An item as a list may have it."""
    values = VALUES[kind].map(lambda value: value_of({kind: value}))
    apex = st.just({"url_hostname": WIDE, "exclude_exact_hostname": False})
    return some({kind: st.one_of(values, values, values, apex) if kind == "hostname" else values}, {"comment": TEXTS})


REFERENCES = st.sampled_from([0, 0, 2])
MOSTLY = st.sampled_from([True] * 5 + [False])


def items(kind: str, least: int, most: int) -> st.SearchStrategy[Items]:
    return st.lists(some({kind: VALUES[kind]}, OTHERS), min_size=least, max_size=most, unique_by=value_of)


@st.composite
def existing_lists(draw: st.DrawFn) -> Items:
    """Lists as they may exist, of every kind."""
    lists: Items = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True)):
        each = {"name": name, "description": draw(TEXTS), "num_referencing_filters": draw(REFERENCES)}
        if draw(ONE_IN_MANY):
            lists.append({**each, "kind": "redirect"})
            continue
        most = draw(st.sampled_from([0, 3, 8]))
        kind = draw(KIND)
        entries = st.lists(
            existing_item(kind), min_size=min(most, 1), max_size=most, unique_by=lambda item: value_of(flat_item(item))
        )
        lists.append({**each, "kind": kind, "items": draw(entries)})
    return lists


@st.composite
def described(draw: st.DrawFn, existing: Items) -> Item:
    """What a task says of a list; with some of the items that the list has, so that not all of them change."""
    name = draw(st.sampled_from(NAMES))
    there: Item = next((each for each in existing if each["name"] == name), {"kind": draw(KIND)})
    kind = there["kind"] if there.get("kind") in KINDS and not draw(ONE_IN_MANY) else draw(KIND)
    known = [value_of(flat_item(item)) for item in there.get("items", ()) if kind == there["kind"]]
    entry: Item = {
        "name": name if draw(FLAGS) else f"${name}",
        **({"kind": kind} if kind != "ip" or draw(FLAGS) else {}),
    }
    if draw(FLAGS):
        entry["description"] = draw(TEXTS)
    if draw(st.sampled_from([True, True, True, False])):
        named = draw(st.lists(st.sampled_from(known), unique=True)) if draw(FLAGS) and known else []
        more = [item for item in draw(items(kind, 0, 3)) if value_of(item) not in named]
        entry["items"] = [{kind: value} for value in named] + more if draw(MOSTLY) else []
    if ("items" in entry or draw(ONE_IN_MANY)) and draw(FLAGS):
        entry["purge"] = True
    return entry


@st.composite
def list_plans(draw: st.DrawFn) -> tuple[Items, str, Item]:
    """The lists of an account, and a module with a task for them."""
    existing = draw(existing_lists())
    limits = draw(limited({"max_deletions_percent": PERCENTAGES}))
    if draw(FLAGS):
        state = draw(st.sampled_from(["present", "present", "absent"]))
        task = {**draw(described(existing)), "state": state, **limits}
        if state == "absent" and not draw(ONE_IN_MANY):
            task.pop("purge", None)
            if not task.get("items"):
                task.pop("items", None)
        return existing, "ip_list", task
    purge = draw(FLAGS)
    ignore = draw(st.just([]) | st.lists(PATTERNS, max_size=2))
    lists = draw(named_once(described(existing), lambda entry: entry["name"].removeprefix("$"), 3))
    lists = lists if not purge or not draw(ONE_IN_MANY) else []
    return existing, "ip_lists", {"lists": lists, "purge": purge, "ignore": ignore, **limits}


@given(plan=list_plans(), consent=CONSENTS)
@plans(1)
@pytest.mark.fewest(empties_list=0.01, mass_deletion=0.001, removes_referenced_list=0.003, unmet=0.004)
@pytest.mark.fewest(referenced=0.02, expired=0.02, purged=0.02, refused=0.02)
@pytest.mark.fewest(asn=0.03, hostname=0.03, apex=0.001)
def test_a_random_plan_for_lists(plan: tuple[list[Item], str, Item], consent: str, run: Run) -> None:
    existing, module, options = plan
    lists = run.begin().account(ACCOUNT).seed(lists=existing).ip_lists.lists
    before = flattened(lists)
    expected: list[Item] | None = None
    with suppress(Refused):
        expected = lists_after(module, options, before, NOW)
    if expected is not None and lost_references(before, expected)[0]:
        run.outcomes["referenced"] += check_refused(run, module, options)
        assert flattened(lists) == before
        return
    result = applied(run, module, options, expected is None, consent)
    if expected is None or result is None:
        assert flattened(lists) == before
        return
    assert compared(flattened(lists), before) == compared(expected, before)
    assert risks_in(result) == list_risks(before, expected, options)
    run.outcomes["expired"] += bool(result.get("expired"))
    run.outcomes["purged"] += result["changed"] and module == "ip_lists" and options["purge"]
    changed = {each["name"]: each for each in flattened(lists) if each not in before}.values()
    run.outcomes.update({each["kind"] for each in changed})
    run.outcomes["apex"] += any(holds_apex(each) for each in changed)
    shown = result["lists"] if module == "ip_lists" else [result["list"]] if result["list"] else []
    stored = {each["name"]: each for each in flattened(lists)}
    for each in shown:
        items = each["items"] if module == "ip_lists" else result["items"]
        assert each["num_items"] == len(items) == len(stored[each["name"]]["items"])
        assert comparable(items, items) == comparable(stored[each["name"]]["items"], items)


@given(plan=list_plans(), skip=integers(0, 2), is_lasting=booleans())
@plans(0.5)
@pytest.mark.fewest(failed=0.003, recovered=0.02)
def test_a_random_plan_whose_operation_fails(
    plan: tuple[list[Item], str, Item], skip: int, is_lasting: bool, run: Run
) -> None:
    """An operation that fails once is made up for; one that fails again is told, and the next run does what is left."""
    existing, module, options = plan
    lists = run.begin().account(ACCOUNT).seed(lists=existing).ip_lists.lists
    before = flattened(lists)
    options, predicted = accepted(run, module, options)
    expected = [] if predicted.get("failed") else lists_after(module, options, before, NOW)
    run.service.misbehave("failed_operation", times=None if is_lasting else 1, skip=skip)
    result = run.modules.run(module, **options)
    failures = sum(operation.status == "failed" for operation in run.service.account(ACCOUNT).ip_lists.operations)
    run.service.faults.clear()
    if predicted.get("failed"):
        assert (result["failed"], result["msg"], flattened(lists)) == (True, predicted["msg"], before)
        run.outcomes["refused"] += 1
        return
    assert bool(result.get("failed")) is (failures > 1), result
    if failures > 1:
        assert "could not be completed" in result["msg"]
        parts = [item for part in ("done", "unknown", "left") for item in result[part]]
        assert sorted(map(str, parts)) == sorted(map(str, result["operations"]))
        run.modules.done(module, **options)
    assert compared(flattened(lists), before) == compared(expected, before)
    assert run.modules.done(module, **options)["operations"] == []
    run.outcomes["applied" if predicted["changed"] else "unchanged"] += 1
    run.outcomes.update({"failed": failures > 1, "recovered": failures == 1})


def accepted(run: Run, module: str, options: Item) -> tuple[Item, Item]:
    """The options with all risks accepted that can be, and what check mode then says."""
    predicted = run.modules.run(module, check=True, **options)
    codes = [risk["code"] for risk in predicted.get("risks", ()) if predicted.get("failed")]
    options = {**options, "accept_risks": codes} if codes else options
    return options, run.modules.run(module, check=True, **options)


def check_refused(run: Run, module: str, options: Item) -> bool:
    """A list goes only if no rule refers to it; the plan is refused before anything is written, in check mode too."""
    for check in (True, False):
        failed = run.modules.failed(module, check=check, **options)
        assert "Cloudflare deletes no list that rules refer to: " in failed["msg"]
        assert run.service.writes == []
    return True
