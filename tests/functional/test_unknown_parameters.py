# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Action parameters that nobody knows: what a rule that a baseline names does by them is not known, and the role removes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.module_run import ROLE, ZONE, Modules

Rule = dict[str, Any]
HOT = {"products": ["hot"]}


def skip(**parameters: Any) -> Rule:
    shown = {"action_parameters": parameters} if parameters else {}
    return {"ref": "office", "action": "skip", "expression": "ip.src in {192.0.2.0/24}", **shown}


def block(**parameters: Any) -> Rule:
    shown = {"action_parameters": parameters} if parameters else {}
    return {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"', **shown}


RESPONSE = {"response": {"status_code": 403, "content": "no", "content_type": "text/plain"}}
MORE, FEWER = "may skip more than described", "may match fewer requests than described, since it has the field"
# The rule of the baseline, the existing rule, the reason for which that is weaker, and its parameters afterwards.
RULES: Sequence[tuple[Rule, Rule, str, Any]] = [
    (skip(**HOT), skip(**HOT, newskip="all"), f"{MORE} (the action parameter newskip)", HOT),
    (skip(), skip(**HOT, newskip="all"), f"{MORE} (the action parameter newskip)", HOT),
    (skip(), skip(**HOT, ruleset="other"), f"{MORE} (the action parameter ruleset)", HOT),
    (block(), block(newthing=1), f"{FEWER} action_parameters.newthing", {}),
    (block(), block(**RESPONSE, newthing=1), f"{FEWER} action_parameters.newthing", RESPONSE),
    (block(**RESPONSE), block(**RESPONSE, newthing=1), f"{FEWER} action_parameters.newthing", RESPONSE),
]


@pytest.mark.parametrize(("named", "existing", "reason", "parameters"), RULES)
def test_an_unknown_parameter_is_not_known_to_protect_and_is_removed(
    named: Rule, existing: Rule, reason: str, parameters: Any, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(custom_rules=[existing])
    task: dict[str, Any] = {"zone_id": ZONE, "custom_rules": [named], "context": ROLE}
    result = modules.lawful("host", **task)
    assert [(item["certain"], item["reason"]) for item in result["weaker"]] == [(False, reason)]
    (rule,) = service.zone(ZONE).custom_rules
    assert rule.get("action_parameters") == parameters


@pytest.mark.parametrize(("named", "existing", "reason", "parameters"), [*RULES[:2], *RULES[3:]])
def test_a_parameter_that_api_fields_names_stays(
    named: Rule, existing: Rule, reason: str, parameters: Any, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(custom_rules=[existing])
    entry = {**named, "api_fields": {"action_parameters": existing["action_parameters"]}}
    entry.pop("action_parameters", None)
    result = modules.done("host", context=ROLE, zone_id=ZONE, custom_rules=[entry])
    assert (result["changed"], result.get("weaker")) == (False, None)


def test_where_nothing_may_be_opened_a_skip_of_the_unknown_is_refused(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(custom_rules=[skip(**HOT)])
    unknown = {"ref": "office", "api_fields": {"action_parameters": {**HOT, "newskip": "all"}}}
    task: dict[str, Any] = {"rules": [unknown], "limits": {"passes_traffic": False}}
    result = modules.failed("custom_rules", check=True, **task)
    assert [risk["code"] for risk in result["risks"]] == ["passes_traffic"]
    assert "may skip all that the action parameter newskip means" in result["msg"]
    modules.lawful("custom_rules", **task, accept_risks=["passes_traffic"])
