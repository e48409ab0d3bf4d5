# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The second plan follows from the versions of a list, and from the objects that appeared, alone."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._apply.second_plan import (
    Version,
    as_others_left,
    overwritten,
    putting_back,
    without_own_duplicates,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES

KEY = CUSTOM_RULES.key_of({"ref": "own"})


def rules(text: str) -> list[dict[str, Any]]:
    """Rules by their refs, each with its description behind a colon: `a b:changed`."""
    return [
        {"id": f"id of {word}", "ref": word.partition(":")[0], "action": "log", "expression": "ssl", "description": word.partition(":")[2]}
        for word in text.split()
    ]  # fmt: skip


def shown(objects: Any) -> str:
    return " ".join(":".join(filter(None, (one["ref"], one["description"]))) for one in objects)


@pytest.mark.parametrize(
    ("versions", "end"),
    [
        (["a b", "a b c", "+a b own"], "a b c own"),  # added
        (["a b", "a b:new", "+a b own"], "a b:new own"),  # changed
        (["a b", "b", "+a b own"], "b own"),  # deleted
        (["a b", "b a", "+a b own"], "b a own"),  # moved
        (["a b", "c a b", "+own a b"], "own c a b"),
        (["a", "", "+a own"], "own"),
        (["a", "a own:theirs", "+a own:ours"], "a own:theirs"),  # over which the task lays its values
        (["a own", "a own b", "+a own:ours"], "a own:ours b"),  # which this run alone has changed
        (["", "a:y", "+a", "", "a"], "a:y"),  # the last one brings back what this run wrote
        (["a", "a b", "a", "+a own"], "a own"),  # the third is from the first, and its writer puts b back
        (["a", "a b", "a c", "+a c own", "a c d", "+a b c own"], "a b c d own"),
        (["a", "a b", "+a own", "a", "a own"], "a own b"),  # the second plan of this run was refused
    ],
)
def test_all_is_kept_that_others_changed(versions: list[str], end: str) -> None:
    history = [Version(rules(text.lstrip("+")), text.startswith("+")) for text in versions]
    assert shown(as_others_left(CUSTOM_RULES, history, {KEY})) == end


@pytest.mark.parametrize(
    ("now", "target", "operations"),
    [
        ("a b", "a b", []),
        ("a own", "a c own", ["create c at 2"]),
        ("a b own", "a b:new own", ["update b"]),
        ("a b own", "b own", ["delete a"]),
        ("a b c", "c a b", ["update c at 1"]),
    ],
)
def test_a_list_becomes_what_it_was(now: str, target: str, operations: list[str]) -> None:
    existing, wanted = rules(now), rules(target)
    second = putting_back(CUSTOM_RULES, existing, wanted)
    places = [item.fields.get("position") for item in second.operations]
    assert [
        f"{item.action} {item.label}" + (f" at {place}" if place else "")
        for item, place in zip(second.operations, places)
    ] == operations
    plan = Plan({CUSTOM_RULES.plural: existing}, tuple(second.operations), {CUSTOM_RULES.plural: second.order})
    assert shown(plan.after()[CUSTOM_RULES.plural]) == target


def test_only_what_others_changed_and_does_not_stay_is_said() -> None:
    texts = ("a own b", "a:x own:x b c", "a own:y b")
    history = [Version(rules(text), number == 2) for number, text in enumerate(texts)]
    (sentence,) = overwritten(CUSTOM_RULES, history, rules("a:x own:y b c"), {KEY})
    assert sentence == (
        "Another writer changed the custom rule own as well: it made it {'description': 'x'}; "
        "this run's value stays: {'description': 'y'}."
    )
    (sentence, _of_own) = overwritten(CUSTOM_RULES, history, rules("a:z own:y b c"), {KEY})
    assert sentence == (
        "Another writer changed the custom rule a: it made it {'description': 'x'}; the task's value stays:"
        " {'description': 'z'}."
    )
    sentences = overwritten(CUSTOM_RULES, history, rules("a:x own:x b"), {KEY})
    assert sentences == ["The custom rule c, which another writer added, is deleted by the purge."]


def entry(identity: str, created: int, **values: Any) -> dict[str, Any]:
    return {"id": identity, "prefix": "192.0.2.1/32", "comment": "", "enabled": True, "created_on": f"2026-01-0{created}T00:00:00Z", **values}  # fmt: skip


@pytest.mark.parametrize(
    ("listing", "operations"),
    [
        ([entry("own", 1)], []),
        ([entry("own", 1), entry("theirs", 2)], []),  # they delete theirs
        ([entry("theirs", 1, comment="x"), entry("own", 2)], ["delete own"]),
        ([entry("theirs", 1), entry("own", 2)], ["update theirs", "delete own"]),
        ([entry("own", 2, comment="x"), entry("before", 1)], []),  # which is left alone
        ([entry("third", 3), entry("own", 2), entry("theirs", 1, comment="x")], ["delete own"]),
        ([entry("theirs", 2, comment="x"), entry("own", 2)], []),  # of one age, by the id
        ([entry("own2", 2), entry("own", 1)], ["update own", "delete own2"]),
        ([], ["create None"]),
    ],
)
def test_the_older_one_stays_and_only_own_ones_go(listing: list[dict[str, Any]], operations: list[str]) -> None:
    wanted = {ALLOWLIST.key_of(entry("own", 1)): entry("own", 1, comment="x")}
    second = without_own_duplicates(ALLOWLIST, wanted, {"own", "own2"}, listing, {"before"})
    assert [f"{item.action} {(item.existing or {}).get('id')}" for item in second.operations] == operations
    assert len(second.remarks) == (len([one for one in listing if one["id"] != "before"]) > 1)
