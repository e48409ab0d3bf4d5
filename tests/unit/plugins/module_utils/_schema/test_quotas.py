# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a zone may hold, by its plan."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import (
    LOG_FEATURE,
    REGEX_FEATURE,
    features,
    quota_of,
)


@pytest.mark.parametrize(
    ("plan", "title"), [("free", "Free"), ("enterprise", "Enterprise"), ("partners", None), (None, None)]
)
def test_the_quota_goes_by_the_plan(plan: Any, title: str | None) -> None:
    quota = quota_of({"plan": {"legacy_id": plan}})
    assert (quota and quota.title) == title


@pytest.mark.parametrize(
    ("rule", "needed"),
    [
        ({"action": "log", "expression": "true"}, {LOG_FEATURE}),
        ({"action": "log", "expression": 'http.host matches "a"'}, {LOG_FEATURE, REGEX_FEATURE}),
        ({"action": "block", "expression": 'not (http.host ~ r#"a"#)'}, {REGEX_FEATURE}),
        ({"action": "block", "expression": 'http.host eq "matches"'}, set()),
        ({"action": "block", "expression": 'http.host matches "'}, set()),
        ({}, set()),
    ],
)
def test_a_rule_needs_features_of_its_plan(rule: dict[str, Any], needed: set[str]) -> None:
    assert features(rule) == needed
