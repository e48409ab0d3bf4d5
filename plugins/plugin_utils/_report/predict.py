# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Predicts what the role would do to a host, and reads what stands beside its protection, if
variables of the report ask for it; what cannot be read makes the host unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

from ...module_utils._context import CHANGES_HOURS
from ...module_utils._schema.account import NETWORK_FIREWALL_RULES, TCP_KINDS
from ...module_utils._schema.resource import ACCOUNT_OWNER, ZONE_OWNER, Owner
from ...module_utils._specs.host import CUSTOM
from ...module_utils._specs.registry import HOST_MODULE, MODULE_SPECS, TRAFFIC
from ...module_utils._timestamps import write_timestamp
from .._baseline.host_task import HostTask
from .._baseline.variables import Part, connection_options, described_by
from .._variables import misspelt_errors, require_none
from .arguments import (
    LOG_HOURS,
    OF_REPORTED_HOST,
    REPORT_VARIABLES,
    REPORTED_HITS,
    accepted_risks,
    check_report,
    expiring,
)
from .document import AcceptedNow, host_record
from .neighbours import (
    InfoResult,
    Log,
    announced_record,
    lists_not_read,
    objects_by_resource,
    place_in_files,
    unused_rules,
)
from .record import HostRecord
from .results import HostResults, host_results, reported_unmanaged

ANNOUNCED_SUBSETS = ["prefixes", "announced"]  # of protection_info
PACKET_PHASES = "packet_phases"  # another one
NETWORK_FIREWALL = NETWORK_FIREWALL_RULES.plural


ANNOUNCED = "report_announced"  # a variable
INFO, ZONE_INFO = "protection_info", "custom_rules_info"

RunPart = Callable[[Part], InfoResult]  # the result of a part in check mode


@dataclass(frozen=True)
class Beside:
    """Reads with modules of their own, so that what one may not read hides nothing else."""

    run_module: RunPart
    part: Part
    values: Mapping[str, Any]

    def read(self, host: HostResults) -> HostResults:
        """The results of a host with what stands beside its protection."""
        if boolean(self.values.get(ANNOUNCED) or False):
            host = self._announced(host)
        if self.part.options.get(NETWORK_FIREWALL) is not None:
            host = self._packet_phases(host)
        for variable, read_hours in ((REPORTED_HITS, self._hits), (LOG_HOURS, self._changes)):
            hours = float(self.values.get(variable) or 0)
            host = read_hours(host, hours) if hours else host
        return host

    def _announced(self, host: HostResults) -> HostResults:
        if not self._has(ACCOUNT_OWNER):
            return host
        result = self._run(INFO, gather_subset=ANNOUNCED_SUBSETS)
        if result.get("failed"):
            reason = f"The announced networks are not known: {result.get('msg')}"
            return host.having(unread=[reason])
        announced = announced_record(result)
        names = announced["not_known"]
        unclear = [f"Whether {network} is announced is not known." for network in names]
        return host.having(unread=unclear, announced=announced)

    def _packet_phases(self, host: HostResults) -> HostResults:
        """The phases beside the Network Firewall that have rules, which nothing evaluates."""
        result = self._run(INFO, gather_subset=[PACKET_PHASES])
        if result.get("failed"):
            what = "Rules beside those of the Network Firewall are not known"
            return host.having(not_evaluated=[f"{what}: {result.get('msg')}"])
        phases = [one for one in result[PACKET_PHASES] if one["rules"]]
        texts = [f"{one['title']} ({one['rules']}, phase {one['phase']})" for one in phases]
        return host.having(not_evaluated=[f"Not evaluated: {text}." for text in texts])

    def _hits(self, host: HostResults, hours: float) -> HostResults:
        """The rules of the baseline that nothing has matched, which is no reason for a status."""
        named = {rule.get("ref") for rule in self.part.options.get(CUSTOM) or ()}
        if not named:
            return host
        result = self._run(ZONE_INFO, hits_hours=hours)
        if result.get("failed"):
            return host.having(unknown_hits=[f"Hits are not known: {result.get('msg')}"])
        every = (rule for rule in result["rules"] if rule.get("enabled") is not False)
        return host.having(**unused_rules([rule for rule in every if rule.get("ref") in named]))

    def _changes(self, host: HostResults, hours: float) -> HostResults:
        """The last changes by the audit log, and by the objects whose ids and timestamps tell which
        writes are theirs."""
        reads = {CUSTOM: None} if self._has(ZONE_OWNER) else {}
        reads.update((item.resource.plural, None) for item in described_by(self.part))
        options = {**connection_options(self.part), CHANGES_HOURS: hours}
        context = self.part.context._replace(reads=[*reads])
        result = self.run_module(Part(HOST_MODULE, options, context))
        if result.get("failed"):
            log = Log(hours, unread=f"who changed it is not known: {result.get('msg')}")
        else:
            log = Log(hours, result["changes"], objects_by_resource(result))
        return host.having(changes=log.last_changes(host.record))

    def _has(self, owner: Owner) -> bool:
        return any(map(self.part.options.get, owner.options))

    def _run(self, module: str, **options: Any) -> Mapping[str, Any]:
        """The result of another module, with the owners and the connection of the host."""
        own = {**connection_options(self.part, MODULE_SPECS[module].owner), **options}
        return self.run_module(Part(module, own, self.part.context))


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


def predict_host(task: HostTask, now: datetime) -> HostRecord:
    """The record of the host, with the changes that a run would make; raises AnsibleError,
    OptionError, ValueError.

    It plans in check mode even if the play does not, so that it writes nothing to Cloudflare.
    """
    task.require_control_node()
    require_none(misspelt_errors(task.variables, REPORT_VARIABLES), {}, {}, task.variables)
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
    beside = Beside(lambda other: runner.run_module(other, True), part, values)
    read = beside.read(predicted).having(
        accepted_risks=accepted_risks(part, now),
        expiring=expiring(part, accepted, now, current.postures),
        postures=[one.record for one in current.postures],
        overdue=[*current.still_in_force(predicted.record["operations"])],
    )
    return host_record(read, write_timestamp(now), AcceptedNow(accepted, now))
