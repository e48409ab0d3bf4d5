# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way back from a change: all of the change goes, and nothing that others did, by a table and by random writers."""

from __future__ import annotations

import random
from typing import Any, Dict, List

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.objects import (
    may_stop,
    replaced_objects,
    watched_objects,
    why_not_watched,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.set_back import PlannedChange, way_back
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.verdict import WatchedObject

Rule = Dict[str, Any]
Rules = List[Rule]
FIELDS = ("action", "expression", "description")
STAYS = "custom rule a was changed by others since, and stays."


def rule(ref: str, **fields: Any) -> Rule:
    default = {"action": "block", "expression": "true", "description": "", "enabled": True}
    return {"id": f"id of {ref}", "version": "1", "ref": ref, **default, **fields}


def operation(verb: str, key: str, **fields: Any) -> dict[str, Any]:
    return {"action": verb, "resource": "custom_rule", "key": key, "fields": fields}


A, B, C = rule("a"), rule("b"), rule("c")
NEW_A = rule("a", action="log")
CREATED, DELETED = operation("create", "a"), operation("delete", "a")
UPDATED = operation("update", "a", action="log")


@pytest.mark.parametrize(
    ("operations", "before", "after", "current", "restored", "staying"),
    [
        ([CREATED], [B], [B, A], [B, A], [B], []),
        ([CREATED], [B], [B, A], [B, {**A, "version": "7"}, C], [B, C], []),
        ([CREATED], [B], [B, A], [B, {**A, "description": "by hand"}], [B], []),
        ([CREATED], [B], [B, A], [B, NEW_A], [B, NEW_A], [STAYS]),
        ([CREATED], [B], [B, A], [B, {**A, "id": "other"}], [B, {**A, "id": "other"}], [STAYS]),
        ([CREATED], [B], [B, A], [B], [B], []),
        ([DELETED], [B, A, C], [B, C], [B, C], [B, A, C], []),
        ([DELETED], [A, C], [C], [B, C], [A, B, C], []),
        ([DELETED], [A], [], [NEW_A], [NEW_A], ["custom rule a was created by others since, and stays."]),
        ([UPDATED], [A, B], [NEW_A, B], [NEW_A, B], [A, B], []),
        ([UPDATED], [A], [NEW_A], [{**NEW_A, "description": "x"}], [{**A, "description": "x"}], []),
        (
            [UPDATED],
            [A],
            [NEW_A],
            [{**A, "action": "js_challenge"}],
            [{**A, "action": "js_challenge"}],
            ["custom rule a: others have changed action since, which stays."],
        ),
        ([UPDATED], [A], [NEW_A], [], [], ["custom rule a was deleted by others since, and stays away."]),
        ([operation("update", "a", position=2)], [A, B], [B, A], [B, A, C], [A, B, C], []),
    ],
)
def test_a_way_back_undoes_the_change_and_nothing_else(
    operations: Any, before: Rules, after: Rules, current: Rules, restored: Rules, staying: list[str]
) -> None:
    change = PlannedChange(operations, {"custom_rules": before}, {"custom_rules": after})
    way = way_back(change, {"custom_rules": current})
    assert way.objects["custom_rules"] == restored
    assert list(way.staying) == staying
    assert way.is_needed == (restored != current)


@pytest.mark.parametrize(
    ("created", "before", "after", "current", "undone", "in_force"),
    [
        (CREATED, [], [A], [A], ["a"], []),
        (CREATED, [], [A], [{**A, "description": "by hand"}], ["a"], []),
        (CREATED, [], [A], [{**A, "expression": "false"}], [], ["a"]),
        (CREATED, [], [A], [{**A, "id": "other"}], [], ["a"]),
        (CREATED, [], [A], [{**A, "enabled": False}], [], []),
        (CREATED, [], [A], [], [], []),
        (DELETED, [A], [], [NEW_A], [], []),
        (UPDATED, [A], [NEW_A], [{**NEW_A, "action": "js_challenge"}], [], ["a"]),
        (UPDATED, [A], [NEW_A], [NEW_A], ["a"], []),
    ],
)
def test_a_change_that_others_keep_in_force_is_not_called_undone(
    created: Any, before: Rules, after: Rules, current: Rules, undone: list[str], in_force: list[str]
) -> None:
    change = PlannedChange([created], {"custom_rules": before}, {"custom_rules": after})
    way = way_back(change, {"custom_rules": current})
    assert [item["key"] for item in way.undone] == undone
    assert [item["key"] for item in way.in_force] == in_force


@pytest.mark.parametrize(
    ("current", "is_replaced"),
    [([B, A], False), ([B, {**A, "action": "log"}], False), ([B, {**A, "id": "other"}], True), ([B], True)],
)
def test_a_rule_that_events_no_longer_name_is_replaced(current: Rules, is_replaced: bool) -> None:
    change = PlannedChange([CREATED], {"custom_rules": [B]}, {"custom_rules": current})
    watched = [WatchedObject("custom_rule", "a", "id of a"), WatchedObject("custom_rule", "gone")]
    assert replaced_objects(change, watched) == watched[: int(is_replaced)]


@pytest.mark.parametrize(
    "operations", [[operation("create", "a", **A)], [operation("create", "a", ref="a", action="block")]]
)
def test_a_killed_run_has_the_way_back_of_its_operations(operations: Any) -> None:
    change = PlannedChange(operations, {"custom_rules": [B]})
    assert way_back(change, {"custom_rules": [B, A]}).objects["custom_rules"] == [B]
    assert not way_back(change, {"custom_rules": [B]}).is_needed
    update = PlannedChange([UPDATED], {"custom_rules": [A]})
    assert way_back(update, {"custom_rules": [NEW_A]}).objects["custom_rules"] == [A]
    assert not way_back(update, {"custom_rules": [A]}).is_needed


def written(rng: random.Random, rules: Rules, number: int, created: str) -> Rules:
    """The rules after a writer who creates, changes and deletes some of them."""
    rules = [dict(one) for one in rules]
    for dummy in range(number):
        act = rng.choice(("create", "update", "delete"))
        if act == "create":
            new = rule(f"{created}{rng.randrange(100)}", expression=str(rng.randrange(3)))
            if new["ref"] not in [one["ref"] for one in rules]:
                rules.insert(rng.randrange(len(rules) + 1), new)
        elif rules and act == "update":
            rules[rng.randrange(len(rules))][rng.choice(FIELDS)] = str(rng.randrange(3))
        elif rules:
            del rules[rng.randrange(len(rules))]
    return rules


def by_ref(rules: Rules) -> dict[str, Rule]:
    return {one["ref"]: one for one in rules}


def without_words(written_rule: Rule) -> Rule:
    """A rule without its description, which stops nothing."""
    return {name: written_rule[name] for name in written_rule if name != "description"}


def expected(was: Any, became: Any, now: Any) -> Any:
    """The rule after the way back, None for none, by the rules of three-way merges."""
    if was == became:
        return now
    if was is None:
        return None if now is None or without_words(now) == without_words(became) else now
    if became is None:
        return was if now is None else now
    if now is None:
        return None
    return {name: was[name] if now[name] == became[name] else now[name] for name in now}


@pytest.mark.parametrize("part", range(5))
def test_no_random_writers_lose_anything(part: int) -> None:
    for seed in range(part * 100, part * 100 + 100):
        rng = random.Random(seed)
        before = written(rng, [], 8, "kept")
        after = written(rng, before, rng.randrange(1, 5), "ours")
        current = written(rng, after, rng.randrange(4), "theirs")
        old, new, now = by_ref(before), by_ref(after), by_ref(current)
        touched = [ref for ref in {**old, **new} if old.get(ref) != new.get(ref)]
        operations = [operation("update", ref) for ref in touched]
        change = PlannedChange(operations, {"custom_rules": before}, {"custom_rules": after})
        way = way_back(change, {"custom_rules": current})
        restored = by_ref(way.objects["custom_rules"])  # type: ignore[arg-type]
        for ref in {**old, **new, **now}:
            assert restored.get(ref) == expected(old.get(ref), new.get(ref), now.get(ref)), (seed, ref)
        untouched = [ref for ref in now if ref not in touched]
        assert [ref for ref in restored if ref in untouched] == untouched, seed
        assert {one["ref"] for one in way.named["custom_rules"]} <= {*touched}, seed


@pytest.mark.parametrize(
    ("before", "after", "fields", "is_named"),
    [
        (None, A, {}, True),
        (NEW_A, A, {"action": "block"}, True),
        (rule("a", enabled=False, action="skip"), A, {"enabled": True, "action": "block"}, True),
        (rule("a", action="skip"), A, {"action": "block"}, False),  # rules behind it see more than before
        (A, None, {}, False),
        (A, rule("a", action="skip"), {"action": "skip"}, False),
    ],
)
def test_events_name_a_rule_that_alone_stops_more(before: Any, after: Any, fields: Any, is_named: bool) -> None:
    action = "create" if before is None else "delete" if after is None else "update"
    states = [{"custom_rules": [one] if one else []} for one in (before, after)]
    (watched,) = watched_objects(PlannedChange([operation(action, "a", **fields)], *states))
    assert watched.rule == ("id of a" if is_named else None)


@pytest.mark.parametrize(
    ("resource", "plural", "before", "after"),
    [
        ("managed_rule", "managed_rules", None, rule("a", action="execute")),
        ("managed_rule", "managed_rules", rule("a", action="execute", enabled=False), rule("a", action="execute")),
        ("ddos_l7_override", "ddos_l7_overrides", None, A),
        ("ddos_l7_override", "ddos_l7_overrides", rule("a", action="log"), A),
    ],
)
def test_events_of_a_deployment_have_the_ids_of_managed_rules(
    resource: str, plural: str, before: Any, after: Any
) -> None:
    written = {"action": "update", "resource": resource, "key": "a", "fields": {"enabled": True}}
    states = [{plural: [one] if one else []} for one in (before, after)]
    (watched,) = watched_objects(PlannedChange([written], *states))
    assert watched.rule is None


@pytest.mark.parametrize(
    ("name", "verb", "fields", "is_watched"),
    [
        ("syn_flood_rule", "create", {"mode": "monitoring"}, False),
        ("syn_flood_rule", "update", {"mode": "enabled"}, True),
        ("syn_flood_rule", "update", {"rate_sensitivity": "high"}, True),
        ("custom_rule", "create", {"action": "log"}, False),
        ("custom_rule", "create", {"action": "block", "enabled": False}, False),
        ("custom_rule", "update", {"action": "log"}, True),
        ("custom_rule", "update", {"description": "by hand"}, False),
        ("custom_rule", "delete", {}, True),
    ],
)
def test_what_stops_nothing_is_not_watched(name: str, verb: str, fields: dict[str, Any], is_watched: bool) -> None:
    change = {"action": verb, "resource": name, "key": "a", "fields": fields}
    assert may_stop(change) is is_watched


def test_a_change_that_no_analytics_show_cannot_be_watched_and_a_comment_need_not() -> None:
    partners = {"action": "create", "resource": "ip_list", "key": "partners", "fields": {}}
    assert "list partners of the account stops" in why_not_watched([CREATED, partners])
    prefix = {"action": "create", "resource": "prefix", "key": "192.0.2.0/24", "fields": {}}
    assert why_not_watched([CREATED, prefix]) == ""
    assert [one.source for one in watched_objects(PlannedChange([CREATED, prefix], {}, {}))] == ["zone", "tcp"]
    comment = {**prefix, "action": "update", "fields": {"comment": "x"}}
    assert why_not_watched([CREATED, comment]) == ""
    assert [one.key for one in watched_objects(PlannedChange([CREATED, comment], {}, {}))] == ["a"]
