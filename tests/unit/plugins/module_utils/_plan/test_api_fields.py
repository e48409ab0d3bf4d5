# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._arguments import read_options
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.api_fields import undeclared_changes
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._result import make_diff
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES, PARAMETERS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.ddos_overrides import L4_OVERRIDES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Field
from ansible_collections.edgeops.protection.plugins.module_utils._schema.rulesets import accept_all, response
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import list_option
from ansible_collections.edgeops.protection.plugins.module_utils._specs.whole_state import options_for
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import TEXT, mapping
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.rules import ANSWER_OF_CUSTOM_RULE

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


STATUS_OF_RULE = {**KNOWN, "action_parameters": {"response": {**RESPONSE, "content": None}}}


@pytest.mark.parametrize(
    ("fields", "values", "words"),
    [
        (
            {"description": "office"},
            {"description": "office"},
            "there is the option rules[0].description, which it fills",
        ),
        (
            {"action_parameters": {"response": {"content": "bye"}}},
            {"action_parameters": {"response": {**RESPONSE, "content": "bye"}}},
            "there is the option rules[0].action_parameters.response.content, which it fills",
        ),
        ({"version": "1"}, {}, "only Cloudflare sets version; it has no effect"),
        ({"enabled": None}, {}, "there is the option rules[0].enabled; null has no effect"),
    ],
)
def test_a_field_that_has_an_option_fills_it_with_a_warning(
    fields: dict[str, Any], values: dict[str, Any], words: str
) -> None:
    entry = {**STATUS_OF_RULE, "api_fields": {**fields, "future": 1}}
    desired = parse_desired(CUSTOM_RULES, numbered("rules", [entry]))
    (rule,) = desired.objects.values()
    (remark,) = desired.remarks
    assert remark.startswith("rules[0].api_fields: ")
    assert words in remark
    assert rule == {**rule, **values, "future": 1}
    assert "version" not in rule


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"expression": "false"},
            "rules[0].expression: it has another value than in rules[0].api_fields; keep one of them",
        ),
        ({"enabled": "perhaps"}, "rules[0].enabled: "),
        ({"position": {"index": 1}}, "rules[0].api_fields: there is the option rules[0].position, which is no field"),
        (
            {"action_parameters": {"response": {"status_code": 404}}},
            "rules[0].action_parameters.response.status_code: it has another value than in rules[0].api_fields",
        ),
    ],
)
def test_a_value_that_differs_from_the_option_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError) as caught:
        plan([], **KNOWN, api_fields=fields)
    assert words in caught.value.message


NEXT_RESPONSE = {**response(ANSWER_OF_CUSTOM_RULE)["options"], "retry_after": {"type": "int"}}
NEXT_PARAMETERS = mapping({**PARAMETERS, "response": {"type": "dict", "options": NEXT_RESPONSE}}, accept_all)
NEXT_CUSTOM_RULES = replace(
    CUSTOM_RULES,
    fields=tuple(
        field._replace(value=NEXT_PARAMETERS) if field.name == "action_parameters" else field
        for field in (*CUSTOM_RULES.fields, Field("shade", TEXT))
    ),
)
OF_NEXT = {**RULE, "action_parameters": {"response": {**RESPONSE, "retry_after": 120}}, "shade": "red"}
del OF_NEXT["exposed_credential_check"]


def test_the_export_of_a_version_says_the_same_to_the_next_one() -> None:
    """A version that declares two more fields: one of a rule, and one inside of its parameters."""
    entry = options_for(CUSTOM_RULES, OF_NEXT)
    assert entry["api_fields"] == {"shade": "red", "action_parameters": {"response": {"retry_after": 120}}}
    desired = parse_desired(NEXT_CUSTOM_RULES, numbered("rules", [entry]))
    made = make_plan({"custom_rules": [OF_NEXT]}, [desired])
    entry_of_next = options_for(NEXT_CUSTOM_RULES, OF_NEXT)
    assert desired.objects == parse_desired(NEXT_CUSTOM_RULES, numbered("rules", [entry_of_next])).objects
    assert not made.operations
    assert sorted(remark.partition(", which")[0] for remark in desired.remarks) == [
        "rules[0].api_fields: there is the option rules[0].action_parameters.response.retry_after",
        "rules[0].api_fields: there is the option rules[0].shade",
    ]


def test_the_export_of_the_next_version_names_the_field_that_this_one_lacks() -> None:
    entry = options_for(NEXT_CUSTOM_RULES, OF_NEXT)
    assert "api_fields" not in entry
    errors = read_options({"rules": list_option(CUSTOM_RULES)}, {"rules": [entry]}).errors
    assert {str(error.option.name({})) for error in errors} == {
        "rules[0].shade",
        "rules[0].action_parameters.response.retry_after",
    }


LEVELS = {"action": "log", "sensitivity_level": "low", "categories": [{"category": "syn", "sensitivity_level": "eoff"}]}


def test_overrides_that_an_older_version_did_not_declare_are_their_options() -> None:
    """The API has them inside of the parameters, and the collection beside them."""
    entry = {
        "ref": "syn",
        "expression": "true",
        "api_fields": {"action_parameters": {"overrides": {**LEVELS, "future": 1}, "version": "latest"}},
    }
    desired = parse_desired(L4_OVERRIDES, numbered("overrides", [entry]))
    (override,) = desired.objects.values()
    assert (override["action"], override["sensitivity"]) == ("log", "low")
    assert override["categories"] == [{"category": "syn", "sensitivity": "eoff"}]
    assert override["action_parameters"] == {"overrides": {"future": 1}, "version": "latest"}
    assert [remark.partition(", which")[0] for remark in desired.remarks] == [
        f"overrides[0].api_fields: there is the option overrides[0].{name}"
        for name in ("action", "sensitivity", "categories")
    ]


def test_an_override_in_api_fields_that_differs_from_its_option_is_refused() -> None:
    entry = {
        "ref": "syn",
        "expression": "true",
        "sensitivity": "medium",
        "api_fields": {"action_parameters": {"overrides": {"sensitivity_level": "low"}}},
    }
    with pytest.raises(OptionError, match=r"overrides\[0\].sensitivity: it has another value than in"):
        parse_desired(L4_OVERRIDES, numbered("overrides", [entry]))
