# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each kind of list in all that knows lists: postures, snapshots, restores, exports, backtests, expectations, the report and
`covered`. Lists of redirects are left alone there, and named."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import BY_PLURAL
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.merged_host import MergedHost
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import Export, export_state
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_host

from tests.fake_service import LocalService
from tests.support.baseline_runs import restored, snapshot
from tests.support.host_parts import host, lawful_part, run_module
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.reported_host import assessed, predicted


class Kind(NamedTuple):
    """Items of a kind of list; `other` may lie within `wide`. A request is of the first item, as an expectation and as the
    analytics have it."""

    field: str
    items: list[dict[str, Any]]
    other: dict[str, Any]
    wide: dict[str, Any]
    request: dict[str, Any]
    past: dict[str, Any]
    covered: list[str]


KINDS: Mapping[str, Kind] = {
    "ip": Kind(
        "ip.src",
        [{"ip": "192.0.2.1"}, {"ip": "2001:db8::/48"}],
        {"ip": "198.51.100.7"},
        {"ip": "198.51.100.0/24"},
        {"source": "192.0.2.1"},
        {"clientIP": "192.0.2.1"},
        ["named 198.51.100.7"],
    ),
    "asn": Kind(
        "ip.src.asnum",
        [{"asn": 64500}, {"asn": 64501}],
        {"asn": 64502},
        {"asn": 64503},
        {"asn": 64500},
        {"clientAsn": "64500"},
        [],
    ),
    "hostname": Kind(
        "http.host",
        [{"hostname": "shop.example.com"}, {"hostname": "*.example.org"}],
        {"hostname": "www.example.net"},
        {"hostname": "*.example.net"},
        {"host": "shop.example.com"},
        {"clientRequestHTTPHost": "shop.example.com"},
        ["named www.example.net"],
    ),
}
OTHER_REQUEST = {"source": "203.0.113.9", "host": "other.example", "method": "GET", "path": "/"}
LEFT_ALONE = (
    "The list moved is of the kind redirect, which redirects requests, and protects nothing; the role leaves it alone."
)
MOVED = {"name": "moved", "kind": "redirect"}
BEFORE, DURING, AFTER = (datetime(2027, 1, 29, hour, tzinfo=UTC) for hour in (3, 7, 11))
EVERY = pytest.mark.parametrize("kind", KINDS)


def listed(kind: str, *more: dict[str, Any]) -> dict[str, Any]:
    """The list of a kind, with its items and some more."""
    return {"name": "named", "kind": kind, "items": [*KINDS[kind].items, *more]}


def rule_of(kind: str, action: str = "block") -> dict[str, Any]:
    parameters = {"action_parameters": {"ruleset": "current"}} if action == "skip" else {}
    return {"ref": "own", "action": action, "expression": f"{KINDS[kind].field} in $named", **parameters}


def seed(service: LocalService, *lists: dict[str, Any], **zone: Any) -> None:
    service.account(ACCOUNT).seed(lists=[*lists, MOVED])
    service.zone(ZONE).seed(account_id=ACCOUNT, **zone)


def exported(service: LocalService) -> Export:
    """What the role writes of the lists."""
    connection = {"account_id": ACCOUNT, "api_token": service.token, "base_url": service.base_url, "call_budget": 0}
    return export_state(read_host([BY_PLURAL["ip_lists"]], connection, run_module).objects)


def items_in(service: LocalService) -> list[str]:
    """The items of the list, without what the service sets."""
    items = service.account(ACCOUNT).ip_lists.list_named("named")["items"]
    return sorted(str({name: one[name] for name in KINDS if one.get(name)}) for one in items)


@EVERY
def test_an_item_of_a_posture_comes_and_goes(kind: str, service: LocalService) -> None:
    seed(service, listed(kind))
    before, end = items_in(service), "2027-01-29T10:00:00Z"
    posture: dict[str, Any] = {"until": end, "ip_lists": [listed(kind, KINDS[kind].other)]}
    values = {**host(service), "baseline_prefixes": [], "baseline_ip_lists": [{**listed(kind), "purge": True}]}
    for now, change in ((BEFORE, 0), (DURING, 1), (AFTER, -1)):
        part = MergedHost(
            "lima", values, [(Option("baseline_posture"), posture)] if now is not BEFORE else [], now
        ).part()
        had = len(items_in(service))
        lawful_part(part)
        assert len(items_in(service)) == had + change
    assert items_in(service) == before


@EVERY
def test_a_snapshot_is_restored(kind: str, service: LocalService) -> None:
    seed(service, listed(kind))
    before = items_in(service)
    text = snapshot(service, baseline_ip_lists=[{**listed(kind), "purge": True}])
    lists = service.account(ACCOUNT).ip_lists
    target = lists.list_named("named")
    target["items"] = [*target["items"][1:], lists.item(_of_the_service(KINDS[kind].other))]
    assert restored(service, text) == ("", [])
    assert items_in(service) == before


def _of_the_service(item: dict[str, Any]) -> dict[str, Any]:
    return {name: {"url_hostname": value} if name == "hostname" else value for name, value in item.items()}


@EVERY
def test_an_export_changes_nothing(kind: str, service: LocalService, modules: Modules) -> None:
    seed(service, listed(kind))
    export = exported(service)
    (one,) = export.variables["baseline_ip_lists"]
    assert (one["kind"], len(one["items"])) == (kind, 2)
    assert modules.done("host", ip_lists=[{**one, "purge": True}])["changed"] is False
    assert export.notes == [LEFT_ALONE]


@EVERY
def test_a_backtest_knows_the_items(kind: str, service: LocalService, modules: Modules) -> None:
    past = {"clientIP": "203.0.113.9", "clientAsn": "64999", "clientRequestHTTPHost": "other.example"}
    requests = [{**past, "count": 90}, {**past, **KINDS[kind].past, "count": 10}]
    seed(service, listed(kind), requests=requests)
    tried = modules.done("custom_rules", check=True, rules=[rule_of(kind)], backtest={"max_blocked_percent": 100})
    assert tried["backtest"]["newly_blocked"] == {"requests": 10, "percent": 10.0}


@EVERY
def test_expectations_know_the_items(kind: str, service: LocalService, modules: Modules) -> None:
    seed(service, listed(kind))
    expected = [
        {"description": "listed", "request": {**OTHER_REQUEST, **KINDS[kind].request}, "expect": "blocked"},
        {"description": "other", "request": {**OTHER_REQUEST, "asn": 64999}, "expect": "allowed"},
    ]
    done = modules.done("custom_rules", check=True, rules=[rule_of(kind)], expectations=expected)
    assert [one["met"] for one in done["expectations"]] == [True, True]


@EVERY
def test_the_report_names_an_item_that_somebody_adds(kind: str, service: LocalService) -> None:
    wall = {"ref": "wall", "action": "block", "expression": 'http.request.method eq "POST"'}
    seed(service, listed(kind, KINDS[kind].other), custom_rules=[rule_of(kind, "skip"), wall])
    found = predicted(service, baseline_ip_lists=[listed(kind)])
    text = str(*KINDS[kind].other.values())
    reasons = [one for one in assessed(found)[1] if "named" in one]
    assert [text in one and "no baseline names it" in one for one in reasons] == [True], reasons


@EVERY
def test_an_item_within_another_one_is_covered(kind: str, service: LocalService, modules: Modules) -> None:
    seed(service)
    both = [KINDS[kind].wide, KINDS[kind].other]
    done = modules.done("ip_list", check=True, name="named", kind=kind, items=both)
    assert [one["key"] for one in done["ineffective"]] == KINDS[kind].covered


def test_lists_of_redirects_are_left_alone_and_named(service: LocalService, modules: Modules) -> None:
    seed(service)
    why = "redirects requests, and protects nothing"
    for check in (True, False):
        assert why in modules.failed("ip_list", check=check, name="moved", kind="ip")["msg"]
        assert why in modules.failed("host", check=check, ip_lists=[{"name": "moved"}])["msg"]
        everything = {"ip_lists": [{"name": "new"}], "purge": ["ip_lists"]}
        done = modules.done("host", check=check, **everything)
        assert [one["key"] for one in done["operations"]] == ["new"]
    assert exported(service).notes == [LEFT_ALONE]
    found = predicted(service, baseline_ip_lists=[{"name": "moved"}])
    assert why in str(assessed(found))
    assert "moved" in {one["name"] for one in service.account(ACCOUNT).ip_lists.lists}
