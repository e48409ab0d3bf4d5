# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later


"""All that keeps an account or zone from taking a plan, and what of it is not known."""

from __future__ import annotations

from typing import Any, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ErrorDetails, ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.feasibility import (
    CHECKS,
    check_feasibility,
    check_onboarding,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.list_quota import check_list_quota
from ansible_collections.edgeops.protection.plugins.module_utils._guard.rule_plans import (
    checks_of,
    refusal_of_unlisted_names,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.zone_quota import check_quota
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.ddos_overrides import L4_OVERRIDES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import LISTS, items_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ONBOARDED
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Object, Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option, Unread

REFUSAL = ServiceError("Not allowed.", ErrorDetails(method="GET", path="", status=403, errors=[], ray=None), False)


def refusing(resource: Resource) -> Sequence[Object]:
    raise REFUSAL


def never(resource: Resource) -> Sequence[Object]:
    raise AssertionError(f"{resource.title} is read")


def unchecked(check: Any, plan: Plan, read: Any) -> str:
    """The sentence on what is not known."""
    with pytest.raises(Unread) as caught:
        check(plan, read)
    return caught.value.reason


def test_a_plan_without_operations_is_feasible_and_asks_nobody() -> None:
    plan = Plan({"custom_rules": []}, ())
    refusals, unknown = check_feasibility(plan, never, [*CHECKS, *checks_of(plan)])
    assert (set(refusals), unknown) == ({""}, [])


BLOCK = {"action": "block", "expression": "ip.src eq 192.0.2.1"}
LOG = {"action": "log", "expression": 'http.host eq "a ~ b matches c"'}
REGEX = {"action": "block", "expression": 'http.host matches "a"'}
FEWER = ". Leave out what the plan does not have, or choose another plan for the zone."


def zone(plan: Any) -> dict[str, Any]:
    return {"id": "5" * 32, "plan": {"legacy_id": plan}}


def growing(before: int, more: Sequence[dict[str, Any]], existing: dict[str, Any] | None = None) -> Plan:
    """A plan that adds rules to a zone that has so many equal ones."""
    rules = [{"ref": f"r{number}", **(existing or BLOCK)} for number in range(before)]
    added = [Operation("create", CUSTOM_RULES, {"ref": f"n{number}", **rule}) for number, rule in enumerate(more)]
    order = [CUSTOM_RULES.key_of(rule) for rule in [*rules, *(item.fields for item in added)]]
    return Plan({"custom_rules": rules}, tuple(added), {"custom_rules": order})


@pytest.mark.parametrize(("plan", "most"), [("free", 5), ("pro", 20), ("business", 100), ("enterprise", 1000)])
def test_a_zone_takes_as_many_rules_as_its_plan_says(plan: str, most: int) -> None:
    fits, exceeds = growing(most - 1, [BLOCK]), growing(most - 1, [BLOCK, BLOCK])
    assert check_quota(fits, never) == ""
    reason = f"it takes {most} custom rules, and {most + 1} would be there"
    refusal = check_quota(exceeds, lambda resource: [zone(plan)])
    assert refusal == f"The zone has the plan {plan.capitalize()}: {reason}{FEWER}"


@pytest.mark.parametrize(
    ("rule", "plan", "reason"),
    [
        (LOG, "free", "it does not have the action log, which is in n0"),
        (LOG, "business", "it does not have the action log, which is in n0"),
        (LOG, "enterprise", ""),
        (REGEX, "pro", "it does not have the operator matches, which is in n0"),
        ({**BLOCK, "expression": 'http.host ~ "a"'}, "free", "it does not have the operator matches, which is in n0"),
        (REGEX, "business", ""),
        ({**LOG, "action": "block"}, "free", ""),
        ({**BLOCK, "expression": 'http.host matches "'}, "free", ""),
    ],
)
def test_features_of_some_plans_are_refused_on_others(rule: dict[str, Any], plan: str, reason: str) -> None:
    expected = f"The zone has the plan {plan.capitalize()}: {reason}{FEWER}" if reason else ""
    assert check_quota(growing(1, [rule]), lambda resource: [zone(plan)]) == expected


@pytest.mark.parametrize(
    "plan",
    [
        growing(3, [BLOCK, BLOCK]),
        growing(6, []),
        growing(6, [BLOCK]),
        growing(1, [LOG], existing=LOG),
        growing(1, [REGEX], existing=REGEX),
        Plan({"custom_rules": [{"ref": "a", **LOG}]}, (Operation("delete", CUSTOM_RULES, {}, {"ref": "a", **LOG}, 0),)),
        Plan({"prefixes": []}, (Operation("create", PREFIXES, {"prefix": "192.0.2.0/24"}),)),
    ],
)
def test_a_plan_that_any_zone_takes_beside_what_it_has_needs_no_quota(plan: Plan) -> None:
    assert check_quota(plan, never) == ""


@pytest.mark.parametrize("shown", [{}, {"plan": None}, {"plan": "free"}, zone("partners"), zone(None)])
def test_the_quota_of_an_unknown_plan_is_unknown(shown: dict[str, Any]) -> None:
    assert (
        unchecked(check_quota, growing(5, [BLOCK]), lambda resource: [shown])
        == "The quota of the zone's plan is not known."
    )


APPROVED = {"id": "a", "cidr": "203.0.113.0/24", "approved": "V"}
WAITING = {"id": "b", "cidr": "198.51.100.0/24", "approved": "P"}
MALFORMED = {"id": "c", "cidr": "no network", "approved": "P"}
DELEGATED = {"id": "d", "cidr": "203.0.113.128/25"}
TO_DO = "Cloudflare protects only what is approved, and not delegated to another account."


class Reading:
    """The prefixes of an account, one of which is delegated in part."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def __call__(self, resource: Resource) -> Sequence[Object]:
        self.paths.append(resource.path.split("prefixes", 1)[1].replace("{parent_id}", resource.parent_name))
        if resource is ONBOARDED:
            return [APPROVED, WAITING, MALFORMED]
        return [DELEGATED] if resource.parent_name == "a" else []


def protecting(prefix: str, existing: Any = None, **fields: Any) -> Plan:
    action = "update" if existing else "create"
    state = {"prefixes": [existing] if existing else []}
    return Plan(state, (Operation(action, PREFIXES, {"prefix": prefix, **fields}, existing),))


@pytest.mark.parametrize(
    ("prefix", "reason"),
    [
        ("203.0.113.0/25", ""),
        ("203.0.113.0/24", "The prefix 203.0.113.0/24 cannot be protected: 203.0.113.128/25 is delegated to another account."),
        ("203.0.113.200", "The prefix 203.0.113.200 cannot be protected: 203.0.113.128/25 is delegated to another account."),
        ("198.51.100.0/25", "The prefix 198.51.100.0/25 cannot be protected: 198.51.100.0/24 is not approved yet."),
        ("192.0.2.0/24", ""),
    ],
)  # fmt: skip
def test_a_prefix_is_refused_if_a_part_is_delegated_or_not_approved(prefix: str, reason: str) -> None:
    assert check_onboarding(protecting(prefix), Reading()) == (f"{reason} {TO_DO}" if reason else "")


def test_only_what_the_new_prefixes_concern_is_read() -> None:
    reading = Reading()
    check_onboarding(protecting("203.0.113.0/25"), reading)
    assert reading.paths == ["", "/a/delegations"]


@pytest.mark.parametrize(
    "unconcerned",
    [
        protecting("203.0.113.128/25", excluded=True),
        protecting("203.0.113.128/25", {"id": "x", "prefix": "203.0.113.128/25", "excluded": False}, comment="new"),
        Plan({}, (Operation("create", ALLOWLIST, {"prefix": "203.0.113.200"}),)),
        Plan({}, (Operation("delete", PREFIXES, {}, {"id": "x", "prefix": "203.0.113.128/25"}),)),
    ],
)
def test_nothing_is_read_for_other_changes(unconcerned: Plan) -> None:
    reading = Reading()
    assert check_onboarding(unconcerned, reading) == ""
    assert reading.paths == []


def test_a_prefix_that_is_no_longer_excluded_is_new() -> None:
    existing = {"id": "x", "prefix": "203.0.113.128/25", "excluded": True}
    assert "is delegated" in check_onboarding(protecting("203.0.113.128/25", existing, excluded=False), Reading())


EXISTING = {"id": "1", "ref": "calm", "expression": "true", "categories": [{"category": "gone", "action": "block"}]}
DNS = [{"category": "dns", "action": "block"}]


def overriding(**values: Any) -> Plan:
    desired = parse_desired(L4_OVERRIDES, [(Option(), {"ref": "calm", **values})])
    return make_plan({"ddos_l4_overrides": [EXISTING]}, [desired])


def managed(resource: Resource) -> Sequence[Object]:
    assert resource.path.endswith("/rulesets/3b64149bfa6e4220bbbc2bd6db589552")
    return [{"rules": [{"id": "1", "categories": ["dns"]}]}]


def test_nothing_is_read_for_a_plan_that_names_nothing_anew() -> None:
    assert refusal_of_unlisted_names(overriding(description="mine"), never) == ""
    assert refusal_of_unlisted_names(overriding(categories=[], action="block"), never) == ""


def test_a_name_that_does_not_exist_is_refused() -> None:
    assert refusal_of_unlisted_names(overriding(categories=DNS), managed) == ""
    check = refusal_of_unlisted_names(overriding(categories=[{"category": "dsn", "action": "block"}]), managed)
    assert check.startswith("The DDoS L3/4 override calm names the category dsn, which does not exist")


def test_a_catalogue_that_cannot_be_read_is_said() -> None:
    assert unchecked(refusal_of_unlisted_names, overriding(categories=DNS), refusing).endswith(
        "is not known: Not allowed."
    )
    plan = overriding(categories=DNS)
    unread = {L4_OVERRIDES.catalogue_object().plural: {"": "No permission."}}
    assert unchecked(refusal_of_unlisted_names, plan._replace(unread=unread), never).endswith(
        "is not known: No permission."
    )
    odd = unchecked(refusal_of_unlisted_names, overriding(categories=DNS), lambda resource: [{}])
    assert odd.endswith("is not known: the managed ruleset lists no rules.")


ITEMS = items_of("offices")


def list_quota(account: Any, before: dict[str, tuple[int, int]], **new: tuple[int, int]) -> str:
    """The refusal or the warning of so many new lists and items in each, by kind, in an account with others."""

    def listed(kind: str, number: int, items: int) -> dict[str, Any]:
        return {"id": f"{kind}{number}", "name": f"{kind}{number}", "kind": kind, "num_items": items}

    state: dict[str, Any] = {
        LISTS.plural: [listed(kind, one, size) for kind, (number, size) in before.items() for one in range(number)]
    }
    desired = []
    for kind, (number, size) in new.items():
        names = [f"{kind}_{one}" for one in range(number)]
        desired.append(parse_desired(LISTS, [(Option(), {"name": name, "kind": kind}) for name in names]))
        for items in (items_of(name, kind) for name in names):
            values = [f"10.0.{one >> 8}.{one & 255}" if kind == "ip" else one for one in range(size)]
            values = [f"h{one}.example" for one in range(size)] if kind == "hostname" else values
            state[items.plural] = []
            desired.append(parse_desired(items, [(Option("items", one), {kind: values[one]}) for one in range(size)]))

    def read(resource: Resource) -> Sequence[Object]:
        assert resource.path == "accounts/{account_id}"
        return refusing(resource) if account is None else [{"type": account}]

    refusals, unknown = check_feasibility(
        make_plan(state, desired), read if account != "" else never, [check_list_quota]
    )
    return " ".join([*refusals, *unknown])


@pytest.mark.parametrize(
    ("account", "before", "new", "text"),
    [
        ("", {"ip": (9, 1)}, {"ip": (1, 9991)}, ""),
        ("standard", {"ip": (1, 9999)}, {"ip": (1, 2)}, "The account would have 10001 items, where at most 10000 may be,"
         " since it is of the type standard. Remove the surplus."),
        ("standard", {"ip": (10, 1)}, {"ip": (1, 1)}, "11 lists, where at most 10 may be"),
        ("standard", {"ip": (11, 1), "redirect": (9, 1)}, {"ip": (1, 1)}, ""),
        ("standard", {}, {"asn": (1, 0)}, "1 list of autonomous systems, where at most 0 may be"),
        ("enterprise", {"ip": (1, 9999)}, {"ip": (1, 2)}, ""),
        ("enterprise", {"ip": (1, 499999)}, {"ip": (1, 2)}, "500001 items, where at most 500000 may be"),
        ("enterprise", {"asn": (40, 1)}, {"asn": (1, 1)}, "41 lists of autonomous systems, where at most 40 may be"),
        ("enterprise", {"asn": (1, 29999)}, {"asn": (1, 2)}, "30001 items of autonomous systems"),
        ("enterprise", {"hostname": (1, 9999)}, {"hostname": (1, 2)}, "10001 items of hostnames, where at most 10000"),
        (None, {"ip": (1, 9999)}, {"ip": (1, 2)}, "The account would have 10001 items, where at most 10000 may be, unless it"
         " is an Enterprise account, which is not known: Not allowed."),
        ("odd", {"ip": (10, 1)}, {"ip": (1, 1)}, "which is not known: it is of the type odd."),
    ],
)  # fmt: skip
def test_the_quota_of_lists_is_that_of_the_type_of_the_account(
    account: Any, before: dict[str, tuple[int, int]], new: dict[str, tuple[int, int]], text: str
) -> None:
    answer = list_quota(account, before, **new)
    assert text in answer
    assert bool(answer) is bool(text)
