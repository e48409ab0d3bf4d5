# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._specs.whole_state import (
    options_for,
    why_not_described,
)

OFFICE: dict[str, Any] = {"id": "1", "prefix": "192.0.2.0/24", "comment": "office", "excluded": False}
LOGIN: dict[str, Any] = {"id": "1", "ref": "login", "action": "log", "expression": "true", "enabled": True}
CHECK = {"exposed_credential_check": {"username_expression": "http.request.body.raw"}}


def test_the_options_are_what_a_person_would_write() -> None:
    options = {"prefix": "192.0.2.0/24", "comment": "office", "excluded": False}
    assert options_for(PREFIXES, {**OFFICE, "tags": ["a"], "modified_on": "now"}) == options
    assert options_for(PREFIXES, {**OFFICE, "excluded": None}) == {"prefix": "192.0.2.0/24", "comment": "office"}


def test_only_ordered_lists_describe_unknown_fields() -> None:
    assert options_for(CUSTOM_RULES, {**LOGIN, **CHECK})["api_fields"] == CHECK
    assert "api_fields" not in options_for(PREFIXES, {**OFFICE, "tags": ["a"]})


@pytest.mark.parametrize(
    ("resource", "obj"),
    [(PREFIXES, OFFICE), (PREFIXES, {**OFFICE, "excluded": None}), (CUSTOM_RULES, {**LOGIN, **CHECK})],
)
def test_an_object_is_described(resource: Resource, obj: dict[str, Any]) -> None:
    assert why_not_described(resource, obj, options_for(resource, obj)) == ""


@pytest.mark.parametrize(
    ("resource", "obj", "reason"),
    [
        (PREFIXES, {**OFFICE, "prefix": "203.0.113.x/24"}, "203.0.113.x/24"),
        (PREFIXES, {**OFFICE, "excluded": "maybe"}, "maybe"),
        (ALLOWLIST, {"id": "1", "prefix": "192.0.2.0/24", "enabled": None}, "no option stands for enabled: None"),
        (STATUS, {"enabled": "false"}, "enabled is 'false'"),
        (STATUS, {"enabled": None}, "no option stands for enabled: None"),
    ],
)
def test_an_object_that_a_module_would_change_is_not_described(
    resource: Resource, obj: dict[str, Any], reason: str
) -> None:
    assert reason in why_not_described(resource, obj, options_for(resource, obj))
