# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from itertools import permutations
from typing import Any, Mapping, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import PlanError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import Desired, numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._result import make_diff, operation_records
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
    PREFIXES,
    RULES,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rulesets import CUSTOM_RULESETS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

PARENT = {"id": "p1", "prefix": "192.0.2.0/24", "comment": "", "excluded": False, "created_on": "2026-01-01"}
CHILD = {"id": "p2", "prefix": "192.0.2.64/28", "comment": "", "excluded": True, "created_on": "2026-01-02"}


def desire(resource: Resource, *entries: dict[str, Any], **how: Any) -> Desired:
    return parse_desired(resource, numbered("entries", entries), **how)


def plan(before: Mapping[str, Sequence[dict[str, Any]]], *desired: Desired) -> Plan:
    return make_plan({item.resource.plural: before.get(item.resource.plural, []) for item in desired}, desired)


def summary(made: Plan) -> list[str]:
    return [f"{item['action']} {item['resource']} {item['key']}" for item in operation_records(made.operations)]


def test_additions_come_first_then_changes_then_removals_across_all_collections() -> None:
    made = plan(
        {
            "prefixes": [PARENT],
            "allowlist": [{"id": "a1", "prefix": "198.51.100.7", "enabled": True}],
            "status": [{"enabled": False}],
        },
        desire(PREFIXES, {"prefix": "203.0.113.0/24"}, exclusive=True),
        desire(ALLOWLIST, {"prefix": "198.51.100.7", "enabled": False}, {"prefix": "198.51.100.8"}),
        desire(STATUS, {"enabled": True}),
    )
    assert summary(made) == [
        "create prefix 203.0.113.0/24",
        "create allowlist_entry 198.51.100.8/32",
        "update allowlist_entry 198.51.100.7",
        "update tcp_protection_status tcp_protection_status",
        "delete prefix 192.0.2.0/24",
    ]


def test_parents_come_before_their_subsets_and_go_after_them() -> None:
    entries = [{"prefix": item["prefix"]} for item in (CHILD, PARENT)]
    assert summary(plan({}, desire(PREFIXES, *entries))) == [
        "create prefix 192.0.2.0/24",
        "create prefix 192.0.2.64/28",
    ]
    gone = plan({"prefixes": [PARENT, CHILD]}, desire(PREFIXES, *entries, absent=True))
    assert summary(gone) == ["delete prefix 192.0.2.64/28", "delete prefix 192.0.2.0/24"]


def test_the_order_of_desired_and_of_existing_objects_has_no_meaning() -> None:
    entries = [{"prefix": "192.0.2.0/24", "comment": "a"}, {"prefix": "10.0.0.0/8"}, {"prefix": "2001:db8::/32"}]
    existing: list[dict[str, Any]] = [PARENT, CHILD, {"id": "p3", "prefix": "odd"}]
    plans = {
        str((operation_records(made.operations), make_diff(made.operations)))
        for shuffled in permutations(entries)
        for objects in permutations(existing)
        for made in [plan({"prefixes": list(objects)}, desire(PREFIXES, *shuffled, exclusive=True))]
    }
    assert len(plans) == 1


def test_changes_come_in_the_order_of_the_keys() -> None:
    existing = [{"id": f"p{number}", "prefix": f"10.0.{number}.0/24", "comment": ""} for number in (10, 2, 9)]
    made = plan(
        {"prefixes": existing}, desire(PREFIXES, *({"prefix": item["prefix"], "comment": "new"} for item in existing))
    )
    assert summary(made) == [f"update prefix 10.0.{number}.0/24" for number in (2, 9, 10)]
    rulesets = CUSTOM_RULESETS["zone_id"]
    named = summary(plan({}, desire(rulesets, {"name": "b"}, {"name": "a"})))
    assert named == ["create custom_ruleset a", "create custom_ruleset b"]


@pytest.mark.parametrize("field", ["comment", "enabled"])
def test_fields_that_a_task_leaves_out_keep_their_values(field: str) -> None:
    existing = {"id": "a1", "prefix": "198.51.100.7", "comment": "kept", "enabled": False}
    options = {"prefix": "198.51.100.7", "comment": "new", "enabled": True}
    del options[field]
    made = plan({"allowlist": [existing]}, desire(ALLOWLIST, options))
    assert made.after()["allowlist"][0][field] == existing[field]
    assert field not in made.operations[0].fields


def test_the_duplicate_that_stays_is_as_desired_or_else_the_oldest() -> None:
    older, newer = ({**PARENT, "id": identity, "created_on": identity} for identity in ("t1", "t2"))
    entry = {"prefix": "192.0.2.0/24", "comment": "x"}
    for existing, gone in (([newer, older], "t2"), ([{**newer, "comment": "x"}, older], "t1")):
        made = plan({"prefixes": existing}, desire(PREFIXES, entry, exclusive=True))
        assert [(item.existing or {})["id"] for item in made.operations if item.action == "delete"] == [gone]


@pytest.mark.parametrize(
    ("values", "stays"),
    [
        ({"comment": "wanted"}, "t2"),  # the other one is excluded
        ({"comment": "wanted", "excluded": True}, "t1"),
        ({"comment": "wanted", "excluded": False}, "t2"),
        ({}, "t2"),
    ],
)
def test_of_duplicates_the_one_that_protects_stays_unless_the_task_says_otherwise(
    values: dict[str, Any], stays: str
) -> None:
    excluded = {**PARENT, "id": "t1", "created_on": "t1", "comment": "wanted", "excluded": True}
    protected = {**PARENT, "id": "t2", "created_on": "t2", "comment": "old", "excluded": False}
    entry = {"prefix": "192.0.2.0/24", **values}
    after = plan({"prefixes": [excluded, protected]}, desire(PREFIXES, entry, exclusive=True)).after()["prefixes"]
    assert [(item["id"], item["comment"], item["excluded"]) for item in after] == [
        (stays, values.get("comment", "old"), values.get("excluded", False))
    ]


@pytest.mark.parametrize(("values", "stays"), [({}, "t2"), ({"enabled": True}, "t2"), ({"enabled": False}, "t1")])
def test_of_duplicates_in_the_allowlist_the_one_that_is_on_stays_unless_the_task_says_otherwise(
    values: dict[str, Any], stays: str
) -> None:
    off, on = ({"id": f"t{age}", "created_on": f"t{age}", "prefix": "192.0.2.1", "enabled": age == 2} for age in (1, 2))
    entry = {"prefix": "192.0.2.1", **values}
    for listed in ([off, on], [on, off]):
        after = plan({"allowlist": listed}, desire(ALLOWLIST, entry)).after()["allowlist"]
        assert [(item["id"], item["enabled"]) for item in after] == [(stays, values.get("enabled", True))]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("2026-03-01T10:30:00+02:00", "2026-03-01T10:00:00+01:00"),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00.500000Z"),
        ("2026-03-01T10:00:00Z", None),
        ("2026-03-01T10:00:00Z", "long ago"),
    ],
)
def test_which_duplicate_is_the_oldest_is_a_question_of_time_and_not_of_text(
    older: str | None, newer: str | None
) -> None:
    existing = [{**PARENT, "id": "t1", "created_on": newer}, {**PARENT, "id": "t2", "created_on": older}]
    made = plan({"prefixes": existing}, desire(PREFIXES, {"prefix": "192.0.2.0/24"}, exclusive=True))
    assert [(item.existing or {})["id"] for item in made.operations] == ["t1"]


def test_only_duplicates_of_what_the_task_names_go() -> None:
    others = [CHILD, {**CHILD, "id": "p8"}]
    duplicates = [PARENT, {**PARENT, "id": "p7", "comment": "other"}, *others]
    for comment, kept, operations in (
        ("other", "p7", ["delete prefix 192.0.2.0/24"]),
        ("neither", "p1", ["update prefix 192.0.2.0/24", "delete prefix 192.0.2.0/24"]),
    ):
        made = plan({"prefixes": duplicates}, desire(PREFIXES, {"prefix": "192.0.2.0/24", "comment": comment}))
        assert summary(made) == operations
        assert [obj["id"] for obj in made.after()["prefixes"]] == [kept, *(obj["id"] for obj in others)]


def test_of_rulesets_of_one_name_the_oldest_stays_whatever_the_task_says_of_it() -> None:
    resource = CUSTOM_RULESETS["zone_id"]
    common: dict[str, Any] = {
        "name": "Bots",
        "kind": "custom",
        "phase": resource.phase,
        "created_on": "2026-03-01T10:00:00Z",
    }
    oldest: dict[str, Any] = {**common, "id": "b", "description": "other"}
    younger = {**common, "id": "a", "description": "", "created_on": "2026-03-01T10:00:00.000001Z", "rules": []}
    last = {**common, "id": "c", "description": "", "rules": []}  # as old as the oldest, with a greater id
    rulesets = {resource.plural: [oldest, younger, last]}
    made = plan(rulesets, desire(resource, {"name": "Bots", "description": ""}))
    ids = [(item.action, (item.existing or {})["id"]) for item in made.operations]
    assert sorted(ids) == [("delete", "a"), ("delete", "c"), ("update", "b")]
    del younger["created_on"]
    with pytest.raises(PlanError, match=r"ruleset Bots more than once \(ids a, b, c\), and does not tell which is the"):
        plan(rulesets, desire(resource, {"name": "Bots"}))


@pytest.mark.parametrize("exclusive", [True, False])
def test_ignored_objects_are_neither_changed_nor_deleted(exclusive: bool) -> None:
    existing: list[dict[str, Any]] = [
        PARENT,
        {**PARENT, "id": "p7", "excluded": True},
        {"id": "p8", "prefix": "203.0.113.x/24"},
    ]
    desired = desire(PREFIXES, {"prefix": "192.0.2.0/24", "comment": "new"}, exclusive=exclusive)
    made = plan({"prefixes": existing}, replace(desired, ignore_ids=frozenset(["p7", "p8", "gone"])))
    assert [(item.action, (item.existing or {})["id"]) for item in made.operations] == [("update", "p1")]
    assert [item["id"] for item in made.after()["prefixes"]] == ["p1", "p7", "p8"]


@pytest.mark.parametrize("odd", ["", "..", "../prefixes", "a/b", "a?b", "a#b", "a b", "a\n", None, 7.5])
@pytest.mark.parametrize("absent", [False, True])
def test_an_id_that_would_change_the_path_is_refused(odd: Any, absent: bool) -> None:
    with pytest.raises(PlanError, match="cannot be part of a path"):
        plan(
            {"prefixes": [{**PARENT, "id": odd}]},
            desire(PREFIXES, {"prefix": "192.0.2.0/24", "comment": "new"}, absent=absent),
        )


def test_a_missing_field_counts_as_its_documented_default() -> None:
    existing = {"id": "r1", "scope": "global", "name": "global", "mode": "monitoring"}
    same = plan({"syn_flood_rules": [existing]}, desire(RULES[0], {"scope": "global", "mitigation_type": "challenge"}))
    other = plan(
        {"syn_flood_rules": [existing]}, desire(RULES[0], {"scope": "global", "mitigation_type": "retransmit"})
    )
    assert (summary(same), summary(other)) == ([], ["update syn_flood_rule global"])


SKIP = {"id": "1", "ref": "s", "expression": "true", "action": "skip", "action_parameters": {"ruleset": "current"}}


@pytest.mark.parametrize(
    ("existing", "entry", "reason"),
    [
        ([], {"ref": "s"}, "The custom rule s is new and needs action and expression."),
        ([SKIP], {"ref": "s", "action_parameters": {"response": {}}}, "The custom rule s has "),
    ],
)
def test_an_object_that_the_service_would_refuse_is_refused(
    existing: list[dict[str, Any]], entry: dict[str, Any], reason: str
) -> None:
    with pytest.raises(PlanError, match=rf"^\w+\[0\]: {reason}"):
        plan({"custom_rules": existing}, desire(CUSTOM_RULES, entry))
    gone = plan({"custom_rules": [{"id": "1", "ref": "s"}]}, desire(CUSTOM_RULES, {"ref": "s"}, absent=True))
    assert summary(gone) == ["delete custom_rule s"]


def test_all_objects_that_the_service_would_refuse_are_told_at_once() -> None:
    with pytest.raises(
        PlanError, match=r"custom rule s is new and needs .* \w+\[1\]: The custom rule t is new and needs expression"
    ):
        plan({"custom_rules": []}, desire(CUSTOM_RULES, {"ref": "s"}, {"ref": "t", "action": "log"}))


def test_an_adjustment_sees_the_existing_object() -> None:
    seen: list[Any] = []

    def adjust(resource: Resource, existing: Any, values: Mapping[str, Any]) -> Mapping[str, Any]:
        seen.append((resource.name, existing))
        return {**values, "comment": "adjusted"}

    desired = desire(PREFIXES, {"prefix": PARENT["prefix"]}, {"prefix": CHILD["prefix"]})
    made = make_plan({"prefixes": [CHILD]}, [desired], adjust)
    assert sorted(seen, key=str) == [("prefix", None), ("prefix", CHILD)]
    assert [item.fields["comment"] for item in made.operations] == ["adjusted", "adjusted"]


def expiring(existing: Sequence[Mapping[str, Any]], now: datetime | None, exclusive: bool = False) -> Plan:
    entry = {"prefix": "192.0.2.0/24", "comment": "new", "expires": "2027-01-29"}
    desired = parse_desired(PREFIXES, [(Option(), entry)], exclusive=exclusive).at(now)
    return make_plan({"prefixes": existing}, [desired])


BEFORE, AFTER = (datetime(2027, month, 1, tzinfo=timezone.utc) for month in (1, 2))
THERE = [{"id": "1", "prefix": "192.0.2.0/24", "comment": "old"}]


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize(
    ("existing", "now", "actions"),
    [
        (THERE, BEFORE, ["update"]),
        ([], BEFORE, ["create"]),
        (THERE, AFTER, ["delete"]),
        ([], AFTER, []),
        (THERE, None, ["update"]),
        ([], None, []),
    ],
)
def test_expired_objects_are_deleted_and_doubtful_ones_not_created(
    existing: list[dict[str, Any]], now: datetime | None, actions: list[str], exclusive: bool
) -> None:
    plan = expiring(existing, now, exclusive)
    assert [item.action for item in plan.operations] == actions
    assert all(not item.named for item in plan.operations if item.action == "delete")  # nobody asked for it by name


def test_doubtful_entries_keep_no_other_from_being_created() -> None:
    entries = [{"prefix": "192.0.2.0/24", "expires": "2027-01-29"}, {"prefix": "198.51.100.0/24"}]
    plan = make_plan({"prefixes": []}, [parse_desired(PREFIXES, numbered("prefixes", entries)).at(None)])
    assert [item.label for item in plan.operations] == ["198.51.100.0/24"]
