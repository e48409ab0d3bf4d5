# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which new protected prefixes Cloudflare refuses, and when that is not known."""

from __future__ import annotations

from typing import Any, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ErrorDetails, ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.feasibility import Feasibility, check_onboarding
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Operation, Plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ONBOARDED
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Object, Resource

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
        self.paths.append(resource.path.split("prefixes", 1)[1])
        if resource is ONBOARDED:
            return [APPROVED, WAITING, MALFORMED]
        return [DELEGATED] if "/a/" in resource.path else []


def plan(prefix: str, existing: Any = None, **fields: Any) -> Plan:
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
    assert check_onboarding(plan(prefix), Reading()) == Feasibility(f"{reason} {TO_DO}" if reason else "")


def test_only_what_the_new_prefixes_concern_is_read() -> None:
    reading = Reading()
    check_onboarding(plan("203.0.113.0/25"), reading)
    assert reading.paths == ["", "/a/delegations"]


@pytest.mark.parametrize(
    "unconcerned",
    [
        plan("203.0.113.128/25", excluded=True),
        plan("203.0.113.128/25", {"id": "x", "prefix": "203.0.113.128/25", "excluded": False}, comment="new"),
        Plan({}, (Operation("create", ALLOWLIST, {"prefix": "203.0.113.200"}),)),
        Plan({}, (Operation("delete", PREFIXES, {}, {"id": "x", "prefix": "203.0.113.128/25"}),)),
    ],
)
def test_nothing_is_read_for_other_changes(unconcerned: Plan) -> None:
    reading = Reading()
    assert check_onboarding(unconcerned, reading) == Feasibility()
    assert reading.paths == []


def test_a_prefix_that_is_no_longer_excluded_is_new() -> None:
    existing = {"id": "x", "prefix": "203.0.113.128/25", "excluded": True}
    assert "is delegated" in check_onboarding(plan("203.0.113.128/25", existing, excluded=False), Reading()).refused


def test_unreadable_prefixes_are_not_known() -> None:
    def read(resource: Resource) -> Sequence[Object]:
        details = ErrorDetails(method="GET", path=resource.path, status=403, errors=[], ray=None)
        raise ServiceError("The credentials may lack the permission IP Prefixes Read (account).", details, False)

    checked = check_onboarding(plan("203.0.113.0/24"), read)
    assert checked.refused == ""
    assert checked.unknown == (
        "Whether the new prefixes are approved, and not delegated to other accounts, is not known:"
        " The credentials may lack the permission IP Prefixes Read (account)."
    )
