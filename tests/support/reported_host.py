# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The prediction of a host for the report, over the local service, without Ansible around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._context import FleetTurn
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import END_OF_TIME
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_task import HeldTexts
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.merged_host import MergedHost
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.order import Prediction, predictions_in_turns
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.unmanaged import parse_accepted
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import report_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.moved import FormerReport
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.predict import predict_host
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import HostRecord

from tests.fake_service import LocalService
from tests.support.host_parts import host, run_module
from tests.support.report_schema import validate_report

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)


def predicted(service: LocalService, **variables: Any) -> HostRecord:
    """The record of a host that has these variables."""
    return compared(service, None, **variables)


def compared(service: LocalService, former: FormerReport | None, **variables: Any) -> HostRecord:
    """The record of a host that has these variables, compared with the former report."""
    return predict_host(
        _task("lima", {**host(service), "baseline_prefixes": [], **variables}, FleetTurn()), NOW, former
    )


def _task(name: str, values: Mapping[str, Any], turn: FleetTurn) -> Any:
    """The task of a host with these variables, without Ansible around it."""

    def run_in_turn(part: Part, check_mode: bool) -> dict[str, Any]:
        return run_module(replace(part, context=part.context._replace(fleet=turn)), check_mode)

    runner: Callable[..., Any] = lambda **_options: SimpleNamespace(run_module=run_in_turn)  # noqa: E731
    checked: Callable[..., Any] = lambda *_arguments: values  # noqa: E731
    nothing: Callable[..., Any] = lambda *_arguments: None  # noqa: E731
    stubs: dict[str, Any] = {
        "checked": checked,
        "runner": runner,
        "merged": partial(MergedHost, name, entries=(), now=END_OF_TIME),
        "accepted": partial(parse_accepted, values.get("report_accepted") or [], name),
        "base_url": lambda: values["edge_base_url"],
        "account_of_zone": lambda: "",
        "names_zone": lambda: bool(values.get("edge_zone_id")),
        "variables": {},
    }
    return SimpleNamespace(host=name, require_control_node=nothing, value=nothing, **stubs)


def reported_together(variables: Mapping[str, Mapping[str, Any]]) -> dict[str, HostRecord]:
    """The records of hosts by their variables, as one report has them: accounts first, and zones with what these will have made."""
    records: dict[str, HostRecord] = {}

    def predictions(turns: Mapping[str, FleetTurn]) -> Iterator[Prediction]:
        for name, turn in turns.items():
            task = _task(name, {key: value for key, value in variables[name].items() if value is not None}, turn)
            records[name] = predict_host(task, NOW)
            yield Prediction.of_report(HeldTexts(), task)

    predictions_in_turns([*variables], predictions)
    return records


def assessed(record: HostRecord) -> tuple[str, list[str]]:
    """The status of the host in the report, and the reasons."""
    validate_report(report_of([record], NOW.isoformat()))
    return record["status"], record["reasons"]
