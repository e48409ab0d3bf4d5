# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk of overrides: its sentence, its networks and its entries."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import Change, Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.rulesets import weakens_ddos_rules
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.worse import worse
from ansible_collections.edgeops.protection.plugins.module_utils._schema.overrides import L4_OVERRIDES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option


def record_of(**values: Any) -> Any:
    desired = parse_desired(L4_OVERRIDES, [(Option(), {"ref": "calm", **values})])
    plan = make_plan({"ddos_l4_overrides": []}, [desired])
    found = weakens_ddos_rules.in_change(Change(plan, Coverage(plan.before), Coverage(plan.after()), worse), Limits())
    return found.record() if found else None


def test_the_networks_are_those_of_the_expression() -> None:
    record = record_of(expression="ip.dst in {192.0.2.0/24}", sensitivity="eoff")
    assert (record["networks"], record["entries"]) == (["192.0.2.0/24"], ["calm"])
    assert "and 192.0.2.0/24: an attack may pass" in record["message"]
    assert "and all destinations" in record_of(expression="true", action="log")["message"]


def test_an_override_that_stops_more_is_no_risk() -> None:
    assert record_of(expression="true", action="block") is None
