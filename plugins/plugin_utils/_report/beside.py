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

from .._baseline.variables import ACCOUNT, Part, connection_options
from .announced import SUBSETS, announced_record
from .results import HostResults

ANNOUNCED = "report_announced"  # a variable
INFO = "protection_info"

RunModule = Callable[[Part], Mapping[str, Any]]  # the result of a part in check mode


@dataclass(frozen=True)
class Beside:
    """Reads with modules of their own, so that what one may not read hides nothing else."""

    run_module: RunModule
    parts: Sequence[Part]
    values: Mapping[str, Any]

    def read(self, host: HostResults) -> HostResults:
        """The results of a host with what stands beside its protection; raises ValueError."""
        return self._announced(host) if self._is_asked(ANNOUNCED) else host

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

    def _part(self, module: str) -> Part | None:
        return next((part for part in self.parts if part.module == module), None)

    def _run(self, part: Part, module: str, **options: Any) -> Mapping[str, Any]:
        """The result of another module, with the owner and the connection of a part."""
        return self.run_module(Part(module, {**connection_options(part), **options}, part.names))


def _without(host: HostResults, what: str, result: Mapping[str, Any]) -> HostResults:
    """A host of which something could not be read."""
    return replace(host, unread=[*host.unread, f"{what} are not known: {result.get('msg')}"])
