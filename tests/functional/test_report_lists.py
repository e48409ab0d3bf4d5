# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists of addresses that differ from their baseline are in the report, whether the role makes them in one step or in two."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.action.host_report_info import predict_host
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_runner import HostRunner
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import parts_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import HostResults

from tests.fake_service import LocalService
from tests.support.host_parts import host, run_module
from tests.support.module_run import ACCOUNT, ZONE

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
BLOCK = {"ref": "scrapers", "action": "block", "expression": "ip.src in $scrapers"}


def predicted(service: LocalService, **variables: Any) -> HostResults:
    values = {**host(service), "baseline_prefixes": [], **variables}
    runner: Callable[..., Any] = lambda **_options: SimpleNamespace(run_module=run_module)  # noqa: E731
    checked: Callable[[Any], Any] = lambda _arguments: values  # noqa: E731
    nothing: Callable[..., Any] = lambda *_arguments: None  # noqa: E731
    task: Any = SimpleNamespace(
        host="lima", checked=checked, runner=runner, require_control_node=nothing, value=nothing, accepted=list
    )
    return predict_host(task, NOW)


@pytest.mark.parametrize("state", ["present", "exact"])
def test_a_list_that_lacks_an_item_differs(state: str, service: LocalService) -> None:
    service.account(ACCOUNT).seed(lists=[{"name": "scrapers", "items": [{"ip": "192.0.2.0/25"}]}])
    wanted = [{"name": "scrapers", "items": [{"ip": "192.0.2.0/24"}]}]
    host_of_lists = predicted(service, baseline_ip_lists=wanted, baseline_ip_lists_state=state)
    keys = [operation["key"] for item in host_of_lists.predictions for operation in item.operations]
    assert "scrapers 192.0.2.0/24" in keys
    assert list(host_of_lists.plans) == ["ip_lists"]


def test_a_list_may_go_with_the_rules_that_refer_to_it(service: LocalService) -> None:
    service.account(ACCOUNT).seed(lists=[{"name": "scrapers", "items": [{"ip": "192.0.2.0/24"}]}])
    service.zone(ZONE).seed(custom_rules=[BLOCK])
    other = {**BLOCK, "expression": "ip.src in {192.0.2.0/24}"}
    gone = predicted(
        service,
        baseline_ip_lists=[{"name": "scrapers"}],
        baseline_ip_lists_state="absent",
        baseline_custom_rules=[other],
    )
    assert sorted(gone.plans) == ["custom_rules", "ip_lists_deletion"]
    assert [risk["code"] for item in gone.predictions if item.is_refused for risk in item.risks] == []


OFFICE = {"name": "office", "items": [{"ip": "192.0.2.1"}]}
GROWN = {"name": "office", "items": [{"ip": "192.0.2.1"}, {"ip": "192.0.2.2"}]}


def test_a_list_of_the_same_run_is_no_excuse_for_what_it_changes(service: LocalService) -> None:
    service.account(ACCOUNT).seed(lists=[OFFICE])
    rule = {**BLOCK, "expression": "ip.src in $office"}
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[rule])
    request = {"source": "192.0.2.2", "method": "GET", "host": "shop.example", "path": "/"}
    expected = {"description": "a guest", "request": request, "expect": "allowed"}
    variables = {"baseline_ip_lists": [GROWN], "baseline_custom_rules": [rule], "baseline_expectations": [expected]}
    runner = HostRunner(run_module)
    for check_mode in (True, False):
        failed = runner.run(parts_of("lima", {**host(service), **variables}), check_mode)["custom_rules"]
        assert "expected allowed, but blocked" in failed["msg"]
        assert "as it is already" not in failed["msg"]
