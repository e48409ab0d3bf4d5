# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Predicts a run of the role baseline for a host, part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from ...module_utils._expressions.grammar import lists_in
from ...module_utils._protection.expectation import NAME as EXPECTATIONS
from ...module_utils._specs.base import ModuleResult
from ...module_utils._specs.info import check_changes
from .._baseline.approval import Results
from .._baseline.host_task import HostTask
from .._baseline.lists import informed
from .._baseline.variables import ACCOUNT, CUSTOM, IP_LISTS, PREFIX, Part, parts_of
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
from .results import HostResults, differences_of, host_results, is_refusal, is_unmet, planned_rules

ACCEPTED = "the report predicts only"
READ = (f"{PREFIX}{CUSTOM}", f"{PREFIX}{IP_LISTS}")  # of a host, whatever its baseline has


def predict_host(task: HostTask, now: datetime) -> HostResults:
    """The changes that a run would make on the host; raises AnsibleError, OptionError, ValueError.

    It runs modules in check mode even if the play does not, so that it writes nothing to
    Cloudflare. A part that fails stops no other one.
    """
    task.require_control_node()
    values = task.checked(OF_REPORTED_HOST)
    _check_report(values)  # before a host is read
    accepted = task.accepted()
    current = task.merged(values)
    parts = current.parts(task.host)
    if not parts:
        raise ValueError(f"No rules of the zone {task.host} are described, so that it is not read.")
    traffic = traffic_task(parts, values.get(TRAFFIC_HOURS))
    runner = task.runner()
    results, refusals = _predicted(task, parts)
    if traffic and not results[ACCOUNT].get("failed"):
        results[traffic.module] = runner.run_module(traffic, True)
    owners = known_owners(parts, results)
    readable = parts_of(task.host, {**values, **{name: values.get(name) or [] for name in READ}})
    if lists := unnamed_lists(readable, results, owners.get("zone_id")):
        results[lists.name] = runner.run_module(lists, True)
    elif all(part.module != IP_LISTS for part in readable) and (unread := lists_not_read(results)):
        results[IP_LISTS] = {"unmanaged": unread}
    predicted = host_results(task.host, owners, results, refusals)
    beside = Beside(lambda part: runner.run_module(part, True), readable, values)
    return replace(
        beside.read(predicted),
        accepted_risks=accepted_risks(parts, now),
        expiring=expiring(parts, accepted, now, current.posture),
        posture=cast(PostureRecord | None, current.posture and current.posture.record()),
        overdue=current.still_in_force(predicted.of_each(differences_of)),
        accepted=AcceptedNow(accepted, now),
    )


def _check_report(values: Mapping[str, Any]) -> None:
    """Raises ValueError or OptionError for a variable of the report whose type alone is right."""
    file_mode(values.get("report_mode", REPORT_OPTIONS["report_mode"]["default"]))
    for name in (LOG_HOURS, REPORTED_HITS):
        check_changes(float(values.get(name) or 0), name)


def _predicted(
    task: HostTask, parts: Sequence[Part]
) -> tuple[dict[str, ModuleResult], list[Mapping[str, Any]]]:
    """The results of all parts, also of those whose plan is refused, and these refusals."""
    runner = task.runner()
    results: dict[str, ModuleResult] = {}
    refusals: list[Mapping[str, Any]] = []
    for part in parts:
        part = informed(part, results, True)
        result = runner.run_module(part, True)
        expected = result.get(EXPECTATIONS)
        if is_unmet(result):
            part, result = _again(task, part, **{EXPECTATIONS: []})
        if is_refusal(result):
            refusals.append({**result, "module": part.name})
            meant = [{"code": risk["code"], "reason": ACCEPTED} for risk in result["risks"]]
            risks = [*part.options.get("accept_risks", ()), *meant]
            part, result = _again(task, part, accept_risks=risks)
        results[part.name] = {**result, EXPECTATIONS: expected} if expected else result
    return results, refusals


def known_owners(parts: Sequence[Part], results: Results) -> dict[str, Any]:
    """The options of a host, with the id of its zone, which the modules know even if the host
    names it by its domain."""
    options = {name: value for part in parts for name, value in part.options.items()}
    ids = [item["zone_id"] for item in results.values() if item.get("zone_id")]
    return {**options, **({"zone_id": ids[0]} if ids else {})}


def unnamed_lists(readable: Sequence[Part], results: Results, zone_id: str | None) -> Part | None:
    """The module that reads the lists to which rules refer, if the baseline describes none."""
    part = next((part for part in readable if part.module == IP_LISTS), None)
    if not part or part.name in results:
        return None
    rules = [rule for name, result in results.items() for rule in planned_rules(name, result)]
    if not any(lists_in(rule.expression) for rule in rules):
        return None
    return replace(part, context=part.context._replace(zone_id=zone_id or ""))


def _again(task: HostTask, part: Part, **options: Any) -> tuple[Part, dict[str, Any]]:
    """The prediction of a refused plan, since its refusal does not tell how the account is
    protected now. Nobody accepts its risks, so nobody is told that they are accepted."""
    part = replace(part, options={**part.options, **options})
    return part, task.runner(warn=lambda _text: None).run_module(part, True)
