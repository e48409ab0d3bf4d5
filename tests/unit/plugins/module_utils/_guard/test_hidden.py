# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The first override of a zone hides those of its account: they are read, and the result is a warning or a risk."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ErrorDetails, ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import Change, Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.rulesets import weakens_ddos_rules
from ansible_collections.edgeops.protection.plugins.module_utils._guard.surroundings import (
    hidden_overrides,
    with_overrides_of_account,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._schema.overrides import L4_OVERRIDES, L7_OVERRIDES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

FIRST = {"ref": "upload", "expression": "true", "action": "block"}
STRICT = {"ref": "strict", "expression": "true", "action": "block"}
CALM = {"ref": "calm", "expression": "true", "sensitivity": "low"}
OTHER = {"ref": "other", "expression": "true", "other_rule": {"action": "log"}}
REFUSAL = ServiceError("No permission.", ErrorDetails(method="GET", path="", status=403, errors=[], ray=None), False)


class Reading:
    """A client of a zone, whose account has these overrides, or may not be read."""

    def __init__(self, overrides: list[dict[str, Any]], refusal: ServiceError | None, account: Any) -> None:
        self.owner = {"zone_id": "b" * 32}
        self.paths: list[str] = []
        self._overrides, self._refusal, self._account = overrides, refusal, account

    def within(self, owner: dict[str, str]) -> Reading:
        assert owner == {"account_id": "a" * 32}
        return self

    def read(self, resource: Resource) -> list[dict[str, Any]]:
        self.paths.append(resource.path)
        if resource.name == "zone":
            return [{"account": self._account}]
        if self._refusal:
            raise self._refusal
        return self._overrides


def planned(resource: Resource, existing: list[dict[str, Any]], **values: Any) -> Plan:
    desired = parse_desired(resource, [(Option(), {**FIRST, **values})])
    return make_plan({resource.plural: existing}, [desired])


def reading(*overrides: dict[str, Any], refusal: ServiceError | None = None, account: Any = None) -> Any:
    return Reading([*overrides], refusal, account or {"id": "a" * 32})


def read(client: Any) -> Plan:
    plan = planned(L7_OVERRIDES, [])
    return with_overrides_of_account(plan, client)


def risk_of(plan: Plan) -> Any:
    found = weakens_ddos_rules.in_change(Change(plan, Coverage(plan.before), Coverage(plan.after())), Limits())
    return found.record() if found else None


@pytest.mark.parametrize("hidden", [STRICT, OTHER, {**CALM, "categories": [{"category": "cache", "action": "block"}]}])
def test_the_first_override_of_a_zone_hides_what_its_account_strengthens(hidden: dict[str, Any]) -> None:
    plan = read(reading(CALM, hidden))
    risk = risk_of(plan)
    hides = f"The first HTTP DDoS override of the zone hides those of its account, {hidden['ref']}: an attack may pass"
    assert hides in risk["message"]
    assert risk["entries"] == ["upload"]
    assert hidden_overrides(plan) == ""  # the risk says it


def without_the_last(client: Any) -> Plan:
    absent = parse_desired(L7_OVERRIDES, [(Option(), {"ref": "upload"})], absent=True)
    plan = make_plan({L7_OVERRIDES.plural: [{"id": "1", **FIRST}]}, [absent])
    return with_overrides_of_account(plan, client)


def test_the_last_override_of_a_zone_gives_way_to_weaker_ones_of_its_account() -> None:
    plan = without_the_last(reading(CALM, STRICT))
    risk = risk_of(plan)
    applied = (
        "Without its last HTTP DDoS override, the zone has those of its account, of which calm sets the sensitivity low"
    )
    assert applied in risk["message"]
    assert risk["entries"] == ["upload"]
    assert hidden_overrides(plan) == ""  # the risk says it


def test_overrides_of_the_account_that_are_no_weaker_are_a_warning() -> None:
    plan = without_the_last(reading(STRICT))
    assert risk_of(plan) is None
    assert hidden_overrides(plan).endswith("for these rules are applied in the zone: strict.")
    assert hidden_overrides(without_the_last(reading())) == ""
    assert "Whether there are any is not known: No permission." in hidden_overrides(
        without_the_last(reading(refusal=REFUSAL))
    )


@pytest.mark.parametrize("hidden", [CALM, {**STRICT, "enabled": False}])
def test_hidden_overrides_that_stop_nothing_more_are_a_warning(hidden: dict[str, Any]) -> None:
    plan = read(reading(hidden))
    assert risk_of(plan) is None
    assert hidden_overrides(plan).endswith(f"for these rules are not applied in the zone: {hidden['ref']}.")


def test_an_account_without_overrides_needs_no_warning() -> None:
    plan = read(reading())
    assert (risk_of(plan), hidden_overrides(plan)) == (None, "")


@pytest.mark.parametrize(
    ("client", "reason"),
    [
        (reading(refusal=REFUSAL), "No permission."),
        (reading(account={"id": "x"}), "The zone does not say its account: 'x' is not"),
    ],
)
def test_overrides_of_the_account_that_cannot_be_read_are_not_known(client: Any, reason: str) -> None:
    plan = read(client)
    assert risk_of(plan) is None
    assert f"Whether there are any is not known: {reason}" in hidden_overrides(plan)


@pytest.mark.parametrize(
    "plan",
    [
        planned(L7_OVERRIDES, [{"id": "1", **FIRST}], action="challenge"),
        planned(L7_OVERRIDES, [{"id": "1", **FIRST}], ref="second"),
        planned(L7_OVERRIDES, [{"id": "1", **FIRST}]),
        planned(L4_OVERRIDES, []),
    ],
)
def test_no_other_override_hides_any(plan: Plan) -> None:
    client = reading(STRICT)
    assert with_overrides_of_account(plan, client) is plan
    assert client.paths == []
    assert hidden_overrides(plan) == ""
