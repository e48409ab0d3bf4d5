# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what stands beside the protection of a host, if variables of the report ask for it; what
cannot be read makes the host unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.edgeops.protection.plugins.module_utils._specs.account import (
    DEFAULT_SUBSETS,
)

from .._baseline.variables import ACCOUNT, CUSTOM, FIREWALL, Part, connection_options
from .access_rules import OF_ACCOUNT, OF_ZONE, access_rules
from .announced import SUBSETS, announced_record
from .changes import Log, merged_objects
from .results import HostResults

ANNOUNCED, ACCESS_RULES = "report_announced", "report_access_rules"  # variables
CHANGES_HOURS = "report_changes_hours"  # another one
INFO, ZONE_INFO = "protection_info", "custom_rules_info"

RunModule = Callable[[Part], Mapping[str, Any]]  # the result of a part in check mode


@dataclass(frozen=True)
class Beside:
    """Reads with modules of their own, so that what one may not read hides nothing else."""

    run_module: RunModule
    parts: Sequence[Part]
    values: Mapping[str, Any]

    def read(self, host: HostResults) -> HostResults:
        """The results of a host with what stands beside its protection; raises ValueError."""
        host = self._announced(host) if self._is_asked(ANNOUNCED) else host
        host = self._access_rules(host) if self._is_asked(ACCESS_RULES) else host
        hours = float(self.values.get(CHANGES_HOURS) or 0)
        return replace(host, changes=self._log(hours).last_changes(host)) if hours else host

    def _is_asked(self, variable: str) -> bool:
        try:
            return bool(boolean(self.values.get(variable) or False))
        except TypeError as exc:
            raise ValueError(f"{variable} is neither true nor false.") from exc

    def _announced(self, host: HostResults) -> HostResults:
        part = self._part(ACCOUNT)
        if part is None:
            return host
        result = self._run(part, INFO, gather_subset=SUBSETS)
        if result.get("failed"):
            return _without(host, "The announced networks", result)
        announced = announced_record(result)
        unclear = [
            f"Whether {network} is announced is not known." for network in announced["not_known"]
        ]
        return replace(host, announced=announced, unread=[*host.unread, *unclear])

    def _access_rules(self, host: HostResults) -> HostResults:
        account, zone = self._part(ACCOUNT), self._part(CUSTOM, FIREWALL)
        if account is not None:
            result = self._run(account, INFO, gather_subset=["access_rules"])
            host = _with_access_rules(host, INFO, result, OF_ACCOUNT)
        if zone is not None:
            result = self._run(zone, ZONE_INFO, access_rules=True)
            host = _with_access_rules(host, ZONE_INFO, result, OF_ZONE)
        return host

    def _log(self, hours: float) -> Log:
        """The audit log, and the objects whose ids and timestamps tell which writes are theirs."""
        account, zone = self._part(ACCOUNT), self._part(CUSTOM, FIREWALL)
        results = []
        if account is not None:
            with_dns = ["dns_rules"] if account.options.get("dns_rules") is not None else []
            subsets = [*DEFAULT_SUBSETS, *with_dns]
            results.append(self._run(account, INFO, gather_subset=subsets, changes_hours=hours))
        if zone is not None:  # the log of an account has the changes of its zones
            of_zone = hours if account is None else 0
            results.append(self._run(zone, ZONE_INFO, changes_hours=of_zone))
        failed = next((result for result in results if result.get("failed")), None)
        if failed:
            return Log(hours, unread=f"who changed it is not known: {failed.get('msg')}")
        changes = [item for result in results for item in result.get("changes") or ()]
        return Log(hours, changes, merged_objects(results))

    def _part(self, *modules: str) -> Part | None:
        """The first part that runs one of some modules."""
        return next((part for part in self.parts if part.module in modules), None)

    def _run(self, part: Part, module: str, **options: Any) -> Mapping[str, Any]:
        """The result of another module, with the owner and the connection of a part."""
        return self.run_module(Part(module, {**connection_options(part), **options}, part.names))


def _with_access_rules(
    host: HostResults, module: str, result: Mapping[str, Any], passed: str
) -> HostResults:
    if result.get("failed"):
        return _without(host, f"The IP Access rules that pass by {passed}", result)
    prediction = access_rules(module, result, passed)
    return replace(host, predictions=[*host.predictions, prediction]) if host.predictions else host


def _without(host: HostResults, what: str, result: Mapping[str, Any]) -> HostResults:
    """A host of which something could not be read."""
    return replace(host, unread=[*host.unread, f"{what} are not known: {result.get('msg')}"])
