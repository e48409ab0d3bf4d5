# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The results of a dry run of the baseline on one host, read once into typed predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

from ansible_collections.edgeops.protection.plugins.module_utils._schema.evaluation import ZoneRule
from ansible_collections.edgeops.protection.plugins.module_utils._text import sentence

from .._baseline.unmanaged import Accepted, accepted_reason, title_of
from .._baseline.variables import CUSTOM, FIREWALL
from .._plain import plain
from .acknowledged import Acknowledgement, Acknowledging
from .coverage import AccountCoverage, read_coverage
from .expected import expected_records, is_unmet
from .operations import differences
from .record import (
    AcceptedRisk,
    Announced,
    Deadline,
    Difference,
    Expected,
    HostTraffic,
    LastChange,
    Risk,
    Step,
    Unmanaged,
)
from .traffic import MODULE as TRAFFIC
from .traffic import read_traffic
from .zone_rules import ChangedRule, changed_rules, planned_rules

Result = Mapping[str, Any]  # of a module, as Ansible passes it on


@dataclass(frozen=True)
class Prediction:
    """The plan of one module; `before` and `after` are the coverage of an account, None if it is
    not known."""

    module: str
    is_refused: bool
    plan_id: str
    operations: Sequence[Difference]
    risks: Sequence[Risk]
    pending: Sequence[Step]
    unmanaged: Sequence[Unmanaged]
    rules: Sequence[ChangedRule]
    expectations: Sequence[Expected] = ()
    planned: Sequence[ZoneRule] = ()  # the rules of a zone after the plan
    is_of_zone: bool = False
    weaker: Sequence[str] = ()  # sentences on rules that exist, and enforce less than described
    before: AccountCoverage | None = None
    after: AccountCoverage | None = None


@dataclass(frozen=True)
class HostResults:
    """The predictions for a host, and why it, or a part of it, could not be read."""

    host: str
    account_id: str | None = None
    zone_id: str | None = None
    predictions: Sequence[Prediction] = ()
    errors: Sequence[str] = field(default_factory=list)
    groups: Sequence[str] = ()
    accepted_risks: Sequence[AcceptedRisk] = ()
    expiring: Sequence[Deadline] = ()
    announced: Announced | None = None
    changes: Sequence[LastChange] | None = None
    unread: Sequence[str] = ()  # what else could not be read, a sentence each
    acknowledging: Acknowledging = field(default_factory=Acknowledging)
    traffic: HostTraffic | None = None

    @property
    def plans(self) -> dict[str, str]:
        """The plan_id of each module that has something to do."""
        return {item.module: item.plan_id for item in self.predictions if item.plan_id}

    def coverage(self) -> tuple[AccountCoverage | None, AccountCoverage | None]:
        """The coverage of the account before and after its plan."""
        for item in self.predictions:
            if item.before or item.after:
                return item.before, item.after
        return None, None


def host_results(
    host: str,
    owners: Mapping[str, Any],
    results: Mapping[str, Result],
    failures: Sequence[Result] = (),
) -> HostResults:
    """The results of a host by module, and the failures that ended its run; a module that did not
    run is absent.

    A failure that is a refusal names its `module`. Raises ValueError if it does not, and for
    traffic of another shape.
    """
    failed = [*failures, *(result for result in results.values() if result.get("failed"))]
    traffic = _traffic(host, results.get(TRAFFIC))
    results = {module: result for module, result in results.items() if module != TRAFFIC}
    refusals = {module: result for module, result in results.items() if is_refusal(result)}
    for failure in filter(is_refusal, failures):
        refusals.setdefault(_module_of(host, failure), failure)
    succeeded = {
        module: result
        for module, result in results.items()
        if not result.get("failed") and not result.get("skipped")
    }
    predictions = [
        _prediction(module, succeeded.get(module) or refusals[module], refusals.get(module))
        for module in {**refusals, **succeeded}
    ]
    errors = [_message(result) for result in failed if not is_refusal(result)]
    if not errors and not predictions:
        errors = [
            "There is no result: the run did not get to this host, or it has neither account nor"
            " zone."
        ]
    return HostResults(
        host,
        _identifier(owners.get("account_id")),
        _identifier(owners.get("zone_id")),
        predictions,
        list(dict.fromkeys(errors)),
        traffic=traffic,
    )


def _traffic(host: str, result: Result | None) -> HostTraffic | None:
    try:
        return read_traffic(result)
    except ValueError as exc:
        raise ValueError(f"the traffic of {host} is not a result of {TRAFFIC}: {exc}") from exc


def accepting(
    host: HostResults,
    accepted: Sequence[Accepted],
    now: datetime,
    acknowledged: Sequence[Acknowledgement] = (),
) -> HostResults:
    """The results of a host where what no baseline names is accepted so at this moment, and states
    are acknowledged."""
    predictions = [
        replace(item, unmanaged=[_accepting(obj, accepted, now) for obj in item.unmanaged])
        for item in host.predictions
    ]
    return replace(host, predictions=predictions, acknowledging=Acknowledging(acknowledged, now))


def _accepting(item: Unmanaged, accepted: Sequence[Accepted], now: datetime) -> Unmanaged:
    return {**item, "accepted": accepted_reason(item, accepted, now)}


def read_results(record: Mapping[str, Any]) -> HostResults:
    """A host of the filter's input; raises ValueError for another shape."""
    host = record.get("host")
    results, failures = record.get("results") or {}, record.get("failures") or []
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
    return host_results(plain(host), record, plain(results), plain(list(failures)))


def is_refusal(result: Result) -> bool:
    """Whether a result is the failure of a plan with risks that are not accepted: Cloudflare was
    read. The same of a plan that leaves an expectation unmet."""
    has_risks = result.get("failed") and result.get("risks") and "operations" in result
    return bool(has_risks or is_unmet(result))


def _prediction(module: str, result: Result, refusal: Result | None) -> Prediction:
    """The plan of a module; of a refused plan the failure, unless it was predicted all the same."""
    coverage = result.get("coverage") or {}
    before, after = coverage.get("before"), coverage.get("after")
    risks = (result if refusal is None else refusal).get("risks") or ()
    pending = result.get("pending") or ()
    steps = [pending] if isinstance(pending, Mapping) else pending
    return Prediction(
        module=module,
        is_refused=refusal is not None,
        plan_id=str(result.get("plan_id") or ""),
        operations=differences({module: result}),
        risks=[_risk(module, risk, refusal is None) for risk in risks],
        pending=[cast(Step, {"module": module, **step}) for step in steps],
        unmanaged=[_unmanaged(module, item) for item in result.get("unmanaged") or ()],
        rules=changed_rules(result.get("diff") or {}),
        planned=planned_rules(module, result),
        is_of_zone=module in (CUSTOM, FIREWALL),
        expectations=expected_records(module, result),
        weaker=[_weaker(item) for item in result.get("weaker") or ()],
        before=read_coverage(before) if before else None,
        after=read_coverage(after, coverage.get("newly_mitigated") or ()) if after else None,
    )


def _risk(module: str, risk: Mapping[str, Any], accepted: bool) -> Risk:
    return cast(Risk, {"module": module, "accepted": accepted, **risk})


def _unmanaged(module: str, item: Mapping[str, Any]) -> Unmanaged:
    others = {"module": module, "title": title_of(item), "accepted": None}
    return cast(Unmanaged, {**item, **others})


def _weaker(item: Mapping[str, Any]) -> str:
    """A rule that enforces less than the baseline, in a sentence."""
    return sentence(f"The {title_of(item)} {item['key']} {item['reason']}")


def _module_of(host: str, failure: Result) -> str:
    module = failure.get("module")
    if not module:
        raise ValueError(f"a failure of {host} has risks, and does not name its module")
    return str(module)


def _identifier(value: object) -> str | None:
    return plain(value) if isinstance(value, str) and value else None


def _message(result: Result) -> str:
    return str(result.get("msg") or result.get("reason") or "The task failed without a message.")
