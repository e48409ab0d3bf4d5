# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Predicts a run of the role baseline for a host."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from ...module_utils._specs.info import check_changes
from ...module_utils._specs.registry import HOST_MODULE
from ...module_utils._text import Option
from .._baseline.host_task import HostTask
from .._baseline.variables import described_by
from .._variables import place_of
from .accepted import AcceptedNow
from .arguments import OF_REPORTED_HOST, REPORT_OPTIONS, accepted_risks, expiring, file_mode
from .neighbours import (
    LOG_HOURS,
    REPORTED_HITS,
    TRAFFIC_HOURS,
    Beside,
    lists_not_read,
    traffic_task,
)
from .record import PostureRecord
from .results import HostResults, differences_of, host_results


def predict_host(task: HostTask, now: datetime) -> HostResults:
    """The changes that a run would make on the host; raises AnsibleError, OptionError, ValueError.

    It plans in check mode even if the play does not, so that it writes nothing to Cloudflare.
    """
    task.require_control_node()
    values = task.checked(OF_REPORTED_HOST)
    _check_report(values)  # before a host is read
    accepted = task.accepted()
    current = task.merged(values)
    part = current.part(task.host)
    if not described_by(part):
        raise ValueError(f"No rules of the zone {task.host} are described, so that it is not read.")
    runner = task.runner()
    result = runner.run_module(replace(part, context=part.context._replace(reports=True)), True)
    for one in (*(result.get("ineffective") or ()), *(result.get("risks") or ())):
        one["place"] = _place(one.pop("option", None), task.variables)
    results = {HOST_MODULE: result}
    if "account_id" not in part.options:
        unread = lists_not_read(result)
        results[HOST_MODULE] = {**result, "unmanaged": [*result.get("unmanaged", ()), *unread]}
    traffic = traffic_task(part, values.get(TRAFFIC_HOURS))
    if traffic and "coverage" in result:
        results[traffic.module] = runner.run_module(traffic, True)
    predicted = host_results(task.host, {**part.options, **owners_of(result)}, results)
    beside = Beside(lambda other: runner.run_module(other, True), part, values)
    return replace(
        beside.read(predicted),
        accepted_risks=accepted_risks(part, now),
        expiring=expiring(part, accepted, now, current.postures),
        postures=cast(Sequence[PostureRecord], current.records()),
        overdue=current.still_in_force(predicted.of_each(differences_of)),
        accepted=AcceptedNow(accepted, now),
    )


def _place(option: str | None, variables: Mapping[str, Any]) -> str | None:
    """The file and the line of an option of this name, or else its name."""
    steps = re.findall(r"[^.\[\]]+", option or "")
    path = Option(*(int(step) if step.isdigit() else step for step in steps))
    return place_of(variables, path).strip(" ()") or option


def owners_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """The ids in a result, which knows that of a zone even if the host names it by its domain."""
    return {name: result[name] for name in ("account_id", "zone_id") if result.get(name)}


def _check_report(values: Mapping[str, Any]) -> None:
    """Raises ValueError or OptionError for a variable of the report whose type alone is right."""
    file_mode(values.get("report_mode", REPORT_OPTIONS["report_mode"]["default"]))
    for name in (LOG_HOURS, REPORTED_HITS):
        check_changes(float(values.get(name) or 0), name)
