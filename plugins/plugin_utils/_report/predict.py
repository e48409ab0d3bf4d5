# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Predicts what the role would do to a host, for the record of the host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

from ...module_utils._protection.all_unmanaged import lists_not_read
from ...module_utils._schema.account import TCP_KINDS
from ...module_utils._specs.registry import MODULE_SPECS, TRAFFIC
from ...module_utils._timestamps import write_timestamp
from .._baseline.host_task import HostTask
from .._baseline.variables import Part, connection_options, described_by, misspelt_names
from .._variables import misspelt_errors, option_at, place_of, require_none
from .arguments import (
    ANNOUNCED,
    LOG_HOURS,
    OF_REPORTED_HOST,
    REPORT_VARIABLES,
    REPORTED_HITS,
    accepted_risks,
    check_report,
    expiring,
)
from .beside import Beside, RunPart
from .document import AcceptedNow, host_record
from .record import HostRecord
from .results import host_results, reported_unmanaged


def place_in_files(variables: Mapping[str, Any], option: str | None) -> str | None:
    """The file and the line of an option of this name, or else its name."""
    return place_of(variables, option_at(option or "")).strip(" ()") or option


TRAFFIC_HOURS = "report_traffic_hours"  # the variable


def traffic_task(part: Part, hours: Any) -> Part | None:
    """The module that asks for so many hours of a host's traffic; None for no hours, and for a host
    without an account. DNS protection counts if the baseline describes it."""
    number = float(hours or 0)
    if not part.options.get("account_id") or not number:
        return None
    components = [*TCP_KINDS, *(["dns"] if part.options.get("dns_rules") else [])]
    options = {
        **connection_options(part, MODULE_SPECS[TRAFFIC].owner),
        "hours": number,
        "components": components,
    }
    names = {**part.names, "hours": TRAFFIC_HOURS}
    return Part(TRAFFIC, options, part.context._replace(names=names))


def reads_beside(run_module: RunPart, part: Part, values: Mapping[str, Any]) -> Beside:
    """The reads beside the protection of a host for which the variables of the report ask."""
    hours = (float(values.get(name) or 0) for name in (REPORTED_HITS, LOG_HOURS))
    return Beside(run_module, part, boolean(values.get(ANNOUNCED) or False), *hours)


def predict_host(task: HostTask, now: datetime) -> HostRecord:
    """The record of the host, with the changes that a run would make; raises AnsibleError,
    OptionError, ValueError.

    It plans in check mode even if the play does not, so that it writes nothing to Cloudflare.
    """
    task.require_control_node()
    names = misspelt_errors(task.variables, REPORT_VARIABLES)
    names += misspelt_names(frozenset(task.variables))
    require_none(names, {}, {}, task.variables)
    values = task.checked(OF_REPORTED_HOST, check_report)
    accepted = task.accepted()
    current = task.merged(values)
    part = current.part()
    if not described_by(part):
        raise ValueError(f"No rules of the zone {task.host} are described, so that it is not read.")
    runner = task.runner()
    result = runner.run_module(replace(part, context=part.context._replace(reports=True)), True)
    results = {part.module: result}
    traffic = traffic_task(part, values.get(TRAFFIC_HOURS))
    if traffic and "coverage" in result:
        results[traffic.module] = runner.run_module(traffic, True)
    place = partial(place_in_files, task.variables)
    predicted = host_results(task.host, part.options, results, place=place)
    if "account_id" not in part.options:
        others = reported_unmanaged(lists_not_read(predicted.planned))
        predicted = predicted.having(unmanaged=[*predicted.record["unmanaged"], *others])
    beside = reads_beside(lambda other: runner.run_module(other, True), part, values)
    read = beside.read(predicted).having(
        accepted_risks=accepted_risks(part, now),
        expiring=expiring(part, accepted, now, current.postures),
        postures=[one.record for one in current.postures],
        overdue=[*current.still_in_force(predicted.record["operations"])],
    )
    return host_record(read, write_timestamp(now), AcceptedNow(accepted, now))
