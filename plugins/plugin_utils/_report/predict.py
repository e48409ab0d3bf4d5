# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Predicts what the role would do to a host, for the record of the host."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from ...module_utils._context import OF_FLEET
from ...module_utils._schema.account import TCP_KINDS
from ...module_utils._specs.registry import MODULE_SPECS, TRAFFIC
from ...module_utils._timestamps import write_timestamp
from .._baseline.host_task import HostTask
from .._baseline.in_force import sentences_on_prepared
from .._baseline.service_time import read_service
from .._baseline.variables import Part, connection_options, described_by, misspelt_names
from .._variables import misspelt_errors, option_at, origin_of_value, require_none
from . import arguments
from .beside import Beside, RunPart
from .document import AcceptedNow, host_record
from .moved import FormerReport
from .record import HostRecord
from .results import HostResults, host_results


def place_in_files(variables: Mapping[str, Any], option: str | None) -> str | None:
    """The file and the line where the option with this name is set; the name itself if the place is
    not known.
    """
    return origin_of_value(variables, option_at(option or "")) or option


TRAFFIC_HOURS = "report_traffic_hours"  # the variable


def traffic_task(part: Part, hours: Any) -> Part | None:
    """The module call that reads the traffic of a host in the last `hours`; None if `hours` is not
    set, or the host has no account. DNS protection is included if the baseline describes it.
    """
    number = float(hours or 0)
    if not part.options.get("account_id") or not number:
        return None
    components = list(TCP_KINDS)
    if part.options.get("dns_rules"):
        components.append("dns")
    options = {
        **connection_options(part, MODULE_SPECS[TRAFFIC].owner),
        "hours": number,
        "components": components,
    }
    names = {**part.names, "hours": TRAFFIC_HOURS}
    return Part(TRAFFIC, options, part.context._replace(names=names))


def reads_beside(
    run_module: RunPart, part: Part, values: Mapping[str, Any], former: FormerReport | None = None
) -> Beside:
    """The additional reads for a host that the variables of the report ask for; `former` is the
    report to compare with, if they ask for that."""
    return Beside(
        run_module,
        part,
        announced=arguments.announced(values.get(arguments.ANNOUNCED)),
        hits_hours=float(values.get(arguments.REPORTED_HITS) or 0),
        log_hours=float(values.get(arguments.LOG_HOURS) or 0),
        former=former,
    )


# The fields of a record on watched changes, by the differences from the baseline of the host and
# the steps that wait, and by Cloudflare's clock.
Clock = Callable[[], datetime]
Watched = Callable[[Sequence[Mapping[str, Any]], Clock], Mapping[str, Sequence[str]]]


def _nothing_watched(_planned: Sequence[Mapping[str, Any]], _clock: Clock) -> dict[str, Any]:
    return {}


def predict_host(
    task: HostTask,
    now: datetime,
    former: FormerReport | None = None,
    watched: Watched = _nothing_watched,
) -> HostRecord:
    """The record of the host, with the changes that a run would make, and those that Cloudflare has
    made since the `former` report, if it is given. The plan is always made in
    check mode, so that nothing is written to Cloudflare. Raises AnsibleError, OptionError,
    ValueError."""
    task.require_control_node()
    errors = misspelt_errors(task.variables, arguments.REPORT_VARIABLES)
    errors += misspelt_names(frozenset(task.variables))
    require_none(errors, {}, {}, task.variables)
    values = task.checked(arguments.OF_REPORTED_HOST, arguments.check_report)
    accepted = task.accepted()
    merged = task.merged(values)
    part = merged.part()
    if not described_by(part):
        raise ValueError(f"No rules of the zone {task.host} are described, so that it is not read.")
    runner = task.runner()

    def read(asked: Part) -> dict[str, Any]:
        return runner.run_module(asked, True)

    def clock() -> datetime:
        try:
            return read_service(part, runner.run_module)[0]
        except ValueError:  # the host says elsewhere that it cannot be read
            return now

    predicted = _prediction(task, part, values, read)
    host = reads_beside(read, part, values, former).read(predicted)
    unmanaged = predicted.record["unmanaged"]
    overdue = [
        *merged.still_in_force(predicted.record["operations"]),
        *sentences_on_prepared(merged, part, runner.run_module, unmanaged),
    ]
    planned = [*predicted.record["operations"], *predicted.record["pending"]]
    described_host = host.having(
        accepted_risks=arguments.accepted_risks(part, now),
        expiring=arguments.expiring(part, accepted, now, merged.postures),
        postures=[posture.record for posture in merged.postures],
        overdue=overdue,
        **watched(planned, clock),
    )
    return host_record(described_host, write_timestamp(now), AcceptedNow(accepted, now))


def _prediction(
    task: HostTask, part: Part, values: Mapping[str, Any], read: Callable[[Part], dict[str, Any]]
) -> HostResults:
    """The results of a host: its plan, and its traffic if the variables ask for it."""
    context = part.context._replace(reports=True)
    result = read(replace(part, context=context))
    task.of_fleet = result.pop(OF_FLEET, {})
    results = {part.module: result}
    traffic = traffic_task(part, values.get(TRAFFIC_HOURS))
    if traffic and "coverage" in result:
        results[traffic.module] = read(traffic)
    place = partial(place_in_files, task.variables)
    host = host_results(task.host, part.options, results, place=place)
    if host.record["planned"]:
        described = arguments.described_keys(part)
        host = host.having(planned={**host.record["planned"], "described": described})
    return host
