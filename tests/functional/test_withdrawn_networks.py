# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A protected network that is not announced gets no packets by way of Cloudflare: the report says it beside the mitigated addresses."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.arguments import announced
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import report_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.overview import lead
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import mitigation

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT
from tests.support.reported_host import NOW, assessed, predicted

SHOP, LAB = "192.0.2.0/24", "198.51.100.0/24"
RULES = {"rules": [{"scope": "global", "name": "global", "mode": "enabled"}]}
SINCE = "2026-02-20T08:15:00Z"
WORDS = f"256 addresses are not announced ({SHOP}, since 2026-02-20)"
ALONE: dict[str, Any] = {"edge_zone_id": None, "baseline_prefixes": [{"prefix": SHOP}, {"prefix": LAB}]}


def part(cidr: str, is_announced: bool | None, since: str | None = SINCE) -> dict[str, Any]:
    on_demand = {"advertised": is_announced, "advertised_modified_at": since, "on_demand_enabled": True}
    return {"cidr": cidr, "on_demand": on_demand}


def account(service: LocalService, *parts: dict[str, Any], **others: Any) -> None:
    prefixes = others.pop("prefixes", [{"prefix": SHOP}, {"prefix": LAB}])
    onboarded = [
        {"cidr": SHOP, "bgp_prefixes": list(parts)},
        {"cidr": LAB, "bgp_prefixes": [part(LAB, is_announced=True)]},
    ]
    seeds = {"enabled": True, "prefixes": prefixes, "syn_flood": RULES, "out_of_state_tcp": RULES, **others}
    service.account(ACCOUNT).seed(onboarded=onboarded, **seeds)


def first_sentence(record: Any) -> str:
    return lead(report_of([record], NOW.isoformat())["totals"])


@pytest.mark.parametrize(("asked", "status", "reasons"), [
    (True, "in_order", []),
    ("required", "weakened", [f"{WORDS}: their packets pass Cloudflare by."]),
])  # fmt: skip
def test_a_withdrawn_network_is_said_beside_the_mitigated_addresses(
    asked: Any, status: str, reasons: list[str], service: LocalService
) -> None:
    account(service, part(SHOP, is_announced=False))
    record = predicted(service, **ALONE, report_announced=asked)
    assert assessed(record) == (status, reasons)
    assert first_sentence(record).startswith(
        f"Attacks are mitigated for 512 of 512 protected IPv4 addresses; of these, {WORDS}."
    )
    assert mitigation(record) == f"attacks on all protected addresses, {WORDS}"


@pytest.mark.parametrize(
    ("parts", "others", "withdrawn"),
    [
        ([part(SHOP, is_announced=True)], {}, []),
        ([part(SHOP, is_announced=False, since=None)], {}, [{"network": SHOP, "since": None}]),
        (
            [part("192.0.2.0/25", is_announced=False), part("192.0.2.128/25", is_announced=True)],
            {},
            [{"network": "192.0.2.0/25", "since": SINCE}],
        ),
        (
            [part(SHOP, is_announced=False), part("192.0.2.0/25", is_announced=True)],
            {},
            [{"network": "192.0.2.128/25", "since": SINCE}],
        ),
        ([part(SHOP, is_announced=False)], {"enabled": False}, []),
        ([part(SHOP, is_announced=False)], {"prefixes": [{"prefix": LAB}]}, []),
        (
            [part(SHOP, is_announced=False)],
            {"prefixes": [{"prefix": SHOP}, {"prefix": LAB}, {"prefix": "192.0.2.0/25", "excluded": True}]},
            [{"network": "192.0.2.128/25", "since": SINCE}],
        ),
    ],
)
def test_what_is_withdrawn_is_mitigated_and_not_announced(
    parts: list[Any], others: dict[str, Any], withdrawn: list[Any], service: LocalService
) -> None:
    account(service, *parts, **others)
    record = predicted(service, **ALONE, report_announced=True)
    assert record["announced"] is not None and record["announced"]["withdrawn"] == withdrawn
    assert ("not announced" in first_sentence(record)) is bool(withdrawn)


@pytest.mark.parametrize(
    ("value", "read"),
    [("required", "required"), ("Required", "required"), ("yes", True), (None, False), (False, False)],
)
def test_the_ways_to_ask(value: Any, read: Any) -> None:
    assert announced(value) == read


def test_a_wrong_way_to_ask_is_an_error() -> None:
    with pytest.raises(ValueError, match="report_announced: maybe is none of true, false, required"):
        announced("maybe")
