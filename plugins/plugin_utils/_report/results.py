# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a dry run of the baseline returned for one host, as the report reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import plain

Result = Mapping[str, Any]


@dataclass(frozen=True)
class HostResults:
    """The results of a host by module, and the failures that ended its run; a module that did not
    run is absent."""

    host: str
    account_id: str | None = None
    zone_id: str | None = None
    results: Mapping[str, Result] = field(default_factory=dict)
    failures: Sequence[Result] = ()

    @cached_property
    def succeeded(self) -> Mapping[str, Result]:
        """The results that predict something, by module."""
        return {
            name: result
            for name, result in self.results.items()
            if not result.get("failed") and not result.get("skipped")
        }

    @cached_property
    def refused(self) -> Mapping[str, Result]:
        """By module, the failures of plans that the guard refuses: the service was read, and the
        plan has risks."""
        failed = {name: result for name, result in self.results.items() if is_refusal(result)}
        for failure in self.failures:
            if is_refusal(failure):
                failed.setdefault(module_of(failure), failure)
        return failed

    @cached_property
    def errors(self) -> list[str]:
        """Why the host, or a part of it, could not be read; empty where it was."""
        every = [
            *self.failures,
            *(result for result in self.results.values() if result.get("failed")),
        ]
        messages = [_message(result) for result in every if not is_refusal(result)]
        if not messages and not self.succeeded and not self.refused:
            messages = [
                "There is no result: the run did not get to this host, or it has neither account"
                " nor zone."
            ]
        return list(dict.fromkeys(messages))

    @cached_property
    def plans(self) -> Mapping[str, Result]:
        """The results with a plan, by module; of a refused plan the failure, unless it was
        predicted all the same."""
        return {**self.refused, **self.succeeded}


def read_results(record: Mapping[str, Any]) -> HostResults:
    """A host of the filter's input; raises ValueError for another shape."""
    host, results, failures = (
        record.get("host"),
        record.get("results") or {},
        record.get("failures") or [],
    )
    if not isinstance(host, str) or not host:
        raise ValueError("each element needs the name of its host")
    if not isinstance(results, Mapping) or not all(
        isinstance(result, Mapping) for result in results.values()
    ):
        raise ValueError(f"the results of {host} are not a dictionary of results by module")
    if isinstance(failures, (str, Mapping)) or not all(
        isinstance(failure, Mapping) for failure in failures
    ):
        raise ValueError(f"the failures of {host} are not a list of results")
    return HostResults(
        str.__str__(host),
        _identifier(record.get("account_id")),
        _identifier(record.get("zone_id")),
        {str(name): plain(result) for name, result in results.items()},
        [plain(failure) for failure in failures],
    )


def is_refusal(result: Result) -> bool:
    """Whether a result is the failure of a plan with risks that are not accepted."""
    return bool(result.get("failed") and result.get("risks") and "operations" in result)


def module_of(result: Result) -> str:
    """The module that a failure is of: the one that it names, or what its operations are about."""
    if result.get("module"):
        return str(result["module"])
    for operation in result.get("operations") or ():
        if operation.get("resource") in ("firewall_rule", "custom_rule"):
            return f"{operation['resource']}s"
    return "account_protection"


def _identifier(value: object) -> str | None:
    return str.__str__(value) if isinstance(value, str) and value else None


def _message(result: Result) -> str:
    return str(result.get("msg") or result.get("reason") or "The task failed without a message.")
