# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expressions in tasks and in the existing state: which are the same, which are refused, and which are warned of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules

GLOBAL = [{"scope": "global", "name": "global", "mode": "monitoring"}]


def filters(service: LocalService, *expressions: str) -> None:
    existing = [{"expression": expression, "mode": "enabled"} for expression in expressions]
    service.account(ACCOUNT).seed(
        enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}], syn_flood={"rules": GLOBAL, "filters": existing}
    )


def test_white_space_beside_braces_makes_no_other_filter(service: LocalService, modules: Modules) -> None:
    filters(service, "tcp.dstport in {80 443}")
    same: dict[str, Any] = {"kind": "syn_flood", "expression": "tcp.dstport in { 80  443 }"}
    assert modules.done("account_protection", filters=[same], purge=["filters"])["changed"] is False
    assert modules.done("protection_filter", **same, mode="enabled")["changed"] is False
    assert service.writes == []


@pytest.mark.parametrize(
    ("existing", "task"),
    [
        ('http.user_agent eq r#"a "  b"#', 'http.user_agent eq r#"a " b"#'),
        ('http.user_agent matches "["]  x"', 'http.user_agent matches "["] x"'),
        ('http.host eq r"\\" and http.host eq "a  b"', 'http.host eq r"\\" and http.host eq "a b"'),
    ],
)
def test_white_space_in_texts_that_are_hard_to_end_makes_another_rule(
    existing: str, task: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(custom_rules=[{"ref": "a", "action": "log", "expression": existing}])
    assert modules.done("custom_rules", rules=[{"ref": "a", "expression": task}])["changed"] is True
    assert service.zone(ZONE).custom_rules[0]["expression"] == task


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    ("expression", "warning"),
    [
        ("udp.dstport eq 53", "expression: column 1, at 'udp.dstport eq 53': filters know no field 'udp.dstport', only ip.src"),
        ("len(ip.dst) gt 5", "expression: column 1, at 'len(ip.dst) gt 5': 'len' is a function, and filters know none"),
        ("ip.dst in $office", "expression: column 11, at '$office': '$office' is a list, and filters are documented with"),
    ],
)  # fmt: skip
def test_a_possible_refusal_is_warned_of(
    expression: str, warning: str, check: bool, service: LocalService, modules: Modules
) -> None:
    filters(service)
    result = modules.done("protection_filter", check, kind="syn_flood", expression=expression)
    assert result["changed"] is True
    assert warning in str(result["warnings"])


OCTAL = "tcp.dstport in {0..065535}"


def test_undocumented_expressions_of_the_service_are_undecided(service: LocalService, modules: Modules) -> None:
    filters(service, OCTAL)
    coverage: dict[str, Any] = modules.done("protection_info")["coverage"]
    assert any(OCTAL in text and "is not a port" in text for text in coverage["undecided"])


def test_it_can_be_removed(service: LocalService, modules: Modules) -> None:
    filters(service, OCTAL)
    options: dict[str, Any] = {
        "kind": "syn_flood",
        "expression": OCTAL,
        "state": "absent",
        "accept_risks": ["stops_mitigation"],
    }
    assert modules.done("protection_filter", **options)["changed"] is True
    assert modules.done("protection_filter", **options)["changed"] is False
