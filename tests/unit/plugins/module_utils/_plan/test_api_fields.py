# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.api_fields import undeclared_changes
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._result import make_diff
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES

CHECK = {"username_expression": "u", "password_expression": "p"}
RESPONSE = {"status_code": 403, "content": "no", "content_type": "text/plain"}
RULE: dict[str, Any] = {
    "id": "1",
    "ref": "leaked",
    "version": "3",
    "action": "block",
    "expression": "true",
    "enabled": True,
    "action_parameters": {"response": {**RESPONSE, "shade": "red"}, "future": {"a": 1}},
    "exposed_credential_check": CHECK,
}
KNOWN = {"ref": "leaked", "action": "block", "expression": "true", "action_parameters": {"response": RESPONSE}}
UNKNOWN = {"action_parameters": {"response": {"shade": "red"}, "future": {"a": 1}}, "exposed_credential_check": CHECK}


def plan(existing: list[dict[str, Any]], **entry: Any) -> Plan:
    return make_plan({"custom_rules": existing}, [parse_desired(CUSTOM_RULES, numbered("rules", [entry]))])


def test_an_existing_rule_gets_them_and_the_diff_shows_it() -> None:
    bare = {name: value for name, value in RULE.items() if name != "exposed_credential_check"}
    made = plan([bare], **KNOWN, api_fields=UNKNOWN)
    (operation,) = made.operations
    assert operation.fields == {"exposed_credential_check": CHECK}
    assert make_diff(made.operations)["after"]["custom_rules"]["leaked"]["exposed_credential_check"] == CHECK
    assert made.after()["custom_rules"] == [{**bare, "exposed_credential_check": CHECK}]


def test_fields_that_nobody_names_stay_and_null_removes_one() -> None:
    (operation,) = plan([RULE], ref="leaked", enabled=False).operations
    assert (operation.planned or {})["exposed_credential_check"] == CHECK
    (operation,) = plan([RULE], ref="leaked", api_fields={"exposed_credential_check": None}).operations
    assert "exposed_credential_check" not in (operation.planned or {})
    assert undeclared_changes(CUSTOM_RULES.fields_by_name, {}, {"exposed_credential_check": None}) == {}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"expression": "false"}, "there is an option rules[0].expression; give it there"),
        (
            {"action_parameters": {"response": {"content": ""}}},
            "there is an option rules[0].action_parameters.response.content",
        ),
        ({"version": "1"}, "only Cloudflare sets version; leave it out"),
    ],
)
def test_fields_with_an_option_of_their_own_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match="api_fields: ") as caught:
        plan([], **KNOWN, api_fields=given)
    assert words in caught.value.message
