# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All that decides about a plan beside its objects is in its state, and told if it is not known."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import TASK
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ErrorDetails, ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.ddos_rules import weakens_ddos_rules
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.rule_plans import warnings_of_rules
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._planning.needs import completed
from ansible_collections.edgeops.protection.plugins.module_utils._protection.rules_in_force import contents_in
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.ddos_overrides import (
    L4_OVERRIDES,
    L7_OVERRIDES,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import items_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import Contents

from tests.support.changes import change_from

ACCOUNT, ZONE = "a" * 32, "b" * 32
OF_ACCOUNT, OF_ZONE = {"account_id": ACCOUNT}, {"zone_id": ZONE}
CATALOGUE = L7_OVERRIDES.catalogue_object().plural
REFUSAL = ServiceError("No permission.", ErrorDetails(method="GET", path="", status=403, errors=[], ray=None), False)


class Reading:
    """A client of a zone, unless it has other owners, whose account has these overrides or rules, and the list office;
    or may not be read."""

    def __init__(
        self, *objects: dict[str, Any], refused: bool = False, account: Any = ACCOUNT, owners: Any = None
    ) -> None:
        self.owner = owners or OF_ZONE
        self.zones: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self._objects, self._refused, self._account = list(objects), refused, account

    def within(self, owner: dict[str, str]) -> Reading:
        assert owner in (OF_ACCOUNT, OF_ZONE)
        return self

    def read(self, resource: Resource) -> list[dict[str, Any]]:
        self.asked.append(resource.plural)
        if resource.name == "zone":
            return [{"account": {"id": self._account}}]
        if self._refused:
            raise REFUSAL
        if resource.plural == CATALOGUE and not any("expression" not in obj for obj in self._objects):
            return [{"rules": []}]
        if resource.parent_name:
            return [{"ip": "192.0.2.0/25"}, {"ip": "192.0.2.128/25"}]
        return [{"id": "c", "name": "office", "kind": "ip"}] if resource.plural == "ip_lists" else self._objects


def complete(plan: Plan, client: Any, judged: str = "") -> Plan:
    return completed(plan, client, TASK, frozenset(filter(None, [judged])))


FIRST = {"ref": "upload", "expression": "true", "action": "block"}
STRICT = {"ref": "strict", "expression": "true", "action": "block"}
CALM = {"ref": "calm", "expression": "true", "sensitivity": "low"}
CACHE = {**CALM, "ref": "cache", "categories": [{"category": "cache", "action": "block"}]}
OTHER = {"ref": "other", "expression": "true", "other_rule": {"action": "log"}}


def override_of(resource: Resource, existing: list[dict[str, Any]], absent: bool = False, **values: Any) -> Plan:
    entry = {"ref": "upload"} if absent else {**FIRST, **values}
    return make_plan({resource.plural: existing}, [parse_desired(resource, [(Option(), entry)], absent=absent)])


def first(*overrides: dict[str, Any], refused: bool = False, account: Any = ACCOUNT, **values: Any) -> Plan:
    return complete(override_of(L7_OVERRIDES, [], **values), Reading(*overrides, refused=refused, account=account))


def last_log(**reading: Any) -> Plan:
    log = {"id": "1", **FIRST, "action": "log"}
    return complete(override_of(L7_OVERRIDES, [log], absent=True), Reading(**reading))


def last(*overrides: dict[str, Any], **reading: Any) -> Plan:
    return complete(override_of(L7_OVERRIDES, [{"id": "1", **FIRST}], absent=True), Reading(*overrides, **reading))


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (
            first(STRICT, expression="ssl"),
            "HTTP DDoS override of the account strict no longer decides on all managed rules, whose own action may stop"
            " less, hidden by one of the zone: an",
        ),
        (
            first(CACHE, action="default", sensitivity="low"),
            "HTTP DDoS override upload sets no action for category cache, whose own action may stop less: an",
        ),
        (first(CALM, action="log"), "HTTP DDoS override upload sets the action log for all managed rules: an"),
        (
            last(CALM, STRICT),
            "HTTP DDoS override of the account calm sets the sensitivity low for all managed rules, in force without one"
            " of the zone: an",
        ),
    ],
)
def test_overrides_of_the_account_that_protect_more_are_a_risk_and_no_warning(plan: Plan, message: str) -> None:
    change = change_from(plan)
    risk = weakens_ddos_rules.in_change(change, Limits())
    assert risk is not None
    assert f"{message} attack may pass" in risk.message
    assert risk.record()["entries"] == ["upload"]
    assert warnings_of_rules(plan) == []


@pytest.mark.parametrize(
    ("plan", "warning"),
    [
        (first(CALM), "those of its account are hidden in the zone: calm."),
        (first(STRICT), "those of its account are hidden in the zone: strict."),
        (first(OTHER), "those of its account are hidden in the zone: other."),
        (first(CALM, action="default", sensitivity="low"), "those of its account are hidden in the zone: calm."),
        (first({**STRICT, "enabled": False}), "those of its account are hidden in the zone: strict."),
        (first(), ""),
        (first(refused=True), "Whether there are any is not known: No permission."),
        (first(account="x"), "Whether there are any is not known: The zone does not say its account: 'x' is not"),
        (last(STRICT), "those of its account are in force in the zone: strict."),
        (last_log(), ""),
        (last_log(refused=True), "Whether there are any is not known: No permission."),
    ],
)
def test_other_overrides_of_the_account_are_a_warning_and_no_risk(plan: Plan, warning: str) -> None:
    assert weakens_ddos_rules.in_change(change_from(plan), Limits()) is None
    assert warning in str(warnings_of_rules(plan))
    assert bool(warning) is bool(warnings_of_rules(plan))


@pytest.mark.parametrize(
    "plan",
    [
        override_of(L7_OVERRIDES, [{"id": "1", **FIRST}], action="challenge"),
        override_of(L7_OVERRIDES, [{"id": "1", **FIRST}], ref="second"),
        override_of(L7_OVERRIDES, [{"id": "1", **FIRST}]),
        override_of(L4_OVERRIDES, []),
    ],
)
def test_no_other_override_hides_any(plan: Plan) -> None:
    client = Reading(STRICT)
    assert complete(plan, client) == plan
    assert (client.asked, warnings_of_rules(plan)) == ([], [])


def rule_of(expression: str, was: str = "", **read: Any) -> Plan:
    rule = {"ref": "a", "action": "block", "expression": expression}
    existing = [{"id": ZONE, **rule, "expression": was}] if was else []
    return make_plan({"custom_rules": existing, **read}, [parse_desired(CUSTOM_RULES, [(Option(), rule)])])


OFFICE = {"office": Contents([(3221225984, 3221226239)])}
GATE = {"office": Contents([(3221225985, 3221225985)])}
LISTS = [{"id": "c", "name": "office", "kind": "ip"}]
ITEMS = items_of("office")


@pytest.mark.parametrize(
    ("read", "asked", "contents"),
    [
        ({}, ["zone", "ip_lists", ITEMS.plural], OFFICE),
        ({"ip_lists": LISTS}, ["zone", ITEMS.plural], OFFICE),
        ({"ip_lists": LISTS, ITEMS.plural: [{"ip": "192.0.2.1"}]}, [], GATE),
    ],
)
def test_lists_are_read_unless_the_host_has_them(read: Any, asked: list[str], contents: Any) -> None:
    client = Reading()
    plan = complete(rule_of("ip.src in $office", "ssl and ip.src in $office", **read), client)
    assert contents_in(plan.before) == contents_in(plan.after()) == contents
    assert (client.asked, warnings_of_rules(plan)) == (asked, [])


def test_nothing_is_read_if_rules_refer_to_no_list() -> None:
    client, plan = Reading(refused=True), rule_of("ip.src in {192.0.2.1}")
    complete(plan, client)
    assert client.asked == []


@pytest.mark.parametrize(
    ("reading", "reason"), [({"refused": True}, "No permission."), ({"account": None}, "None is not a text")]
)
def test_a_list_that_cannot_be_read_is_told_of_rules_that_change(reading: dict[str, Any], reason: str) -> None:
    plan = complete(rule_of("ip.src in $office"), Reading(**reading))
    assert contents_in(plan.after()) == {}
    (warning,) = warnings_of_rules(plan)
    assert warning.startswith("The items of the lists office are not known: ")
    assert reason in warning
    unchanged = complete(rule_of("ip.src in $office", "ip.src in $office"), Reading(**reading))
    assert warnings_of_rules(unchanged) == [warning]  # of a plan that is judged, though it changes nothing


SKIP = {"ref": "pass", "action": "skip", "expression": "ip.src in $office"}


def item_of(action: str = "create", **fields: Any) -> Plan:
    office = {"id": "c", "name": "office", "kind": "ip", **fields}
    existing = None if action == "create" else {"id": "d", "ip": "192.0.2.1"}
    operations = (Operation(action, ITEMS, {"ip": "192.0.2.1", "comment": "gate"}, existing, 0 if existing else None),)
    return Plan({"ip_lists": [office], ITEMS.plural: [existing] if existing else []}, operations)


@pytest.mark.parametrize(
    ("plan", "asked"),
    [
        (item_of(num_referencing_filters=1), ["network_firewall_rules"]),
        (item_of("delete", num_referencing_filters=1), ["network_firewall_rules"]),
        (item_of(num_referencing_filters=2), ["network_firewall_rules", "ddos_l4_overrides"]),
        (item_of(), ["network_firewall_rules", "ddos_l4_overrides"]),
        (item_of(num_referencing_filters=0), []),
        (item_of("update", num_referencing_filters=1), []),
    ],
)
def test_rules_are_read_if_items_change_that_they_may_refer_to(plan: Plan, asked: list[str]) -> None:
    client = Reading(SKIP, owners=OF_ACCOUNT)
    assert complete(plan, client).before.get("network_firewall_rules") == ([SKIP] if asked else None)
    assert client.asked == asked


@pytest.mark.parametrize("owners", [OF_ZONE, {**OF_ACCOUNT, **OF_ZONE}])
def test_rules_are_read_of_lists_that_are_judged_and_of_a_zone(owners: dict[str, str]) -> None:
    client = Reading(SKIP, owners=owners)
    assert complete(item_of("update"), client, "office").before["custom_rules"] == [SKIP]
    further = ["rate_limit_rules", "managed_rules", "ddos_l7_overrides"]
    if owners == OF_ZONE:
        assert client.asked == ["custom_rules", *further]
    else:
        assert sorted(client.asked) == sorted(["network_firewall_rules", "custom_rules", "ddos_l4_overrides", *further])


def test_rules_that_cannot_be_read_are_told_of_a_change() -> None:
    client = Reading(refused=True, owners=OF_ACCOUNT)
    told, _of_overrides = warnings_of_rules(complete(item_of(), client))
    what = "Whether Network Firewall rules would let more pass, or stop more, with the new items of office is not known"
    assert told == f"{what}: No permission."
    assert warnings_of_rules(complete(item_of("update"), client, "office")) == []


def test_what_two_needs_lack_is_told_of_both() -> None:
    """The custom rules decide whether the rate limits are met, and what the items of the list do."""
    plan = item_of()
    limits = [{"id": "1", "ref": "limit", "action": "block", "expression": "true"}]
    plan = plan._replace(before={**plan.before, "rate_limit_rules": limits})
    skips, items = warnings_of_rules(complete(plan, Reading(refused=True)))[:2]
    assert "skip other rules" in skips and "new items of office" in items
    assert skips.endswith(": No permission.") and items.endswith(": No permission.")


SYN = {"id": "1", "ref": "syn", "expression": "true", "categories": [{"category": "syn", "action": "block"}]}
BEHIND = {"ref": "one", "expression": "true", "rules": [{"id": "a" * 32, "action": "log"}]}
WITHOUT_SYN = make_plan(
    {L4_OVERRIDES.plural: [SYN, BEHIND]}, [parse_desired(L4_OVERRIDES, [(Option(), {"ref": "syn"})], absent=True)]
)


@pytest.mark.parametrize(
    ("categories", "reason", "is_risk"),
    [
        (["syn"], "", True),
        (["udp"], "", False),
        ("syn", "the managed ruleset lists no rules.", True),
        (None, "No permission.", True),
    ],
)
def test_the_categories_of_managed_rules_are_read_and_may_be_any_otherwise(
    categories: Any, reason: str, is_risk: bool
) -> None:
    client = Reading({"rules": [{"id": "a" * 32, "categories": categories}]}, refused=categories is None)
    plan = complete(WITHOUT_SYN, client)
    assert client.asked == [L4_OVERRIDES.catalogue_object().plural]
    risk = weakens_ddos_rules.in_change(change_from(plan), Limits())
    assert bool(risk) is is_risk
    what = "The categories of the managed DDoS rules are not known, so that any may be in any: "
    assert warnings_of_rules(plan) == ([what + reason] if reason else [])
