# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan page as data: the changes of a branch, what becomes of traffic, and what a run refuses,
equal plans of many hosts once.

With the report of the base branch, changes by hand are told from those of the branch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple, TypedDict

from ...module_utils._guard.acceptance import acceptances_to_copy
from ...module_utils._guard.risks import account as account_risks
from ...module_utils._protection.traffic_changes import TrafficChangeRecord, TrafficChangesRecord
from ...module_utils._protection.walk import STOPPED
from ...module_utils._schema.registry import title_of_resource
from ...module_utils._schema.resource import without
from .overview import signature
from .record import Difference, Expected, HostRecord, HostRisk, Ineffective, LastChange, was_read

PLAN_VERSION: Final = 1
Label = Literal[
    "needs approval: passes traffic",
    "needs approval: refused",
    "needs approval: skip, exception or override changed",
    "needs approval: none",
]
# Risks by which less of an attack is stopped, as no comparison of rules tells.
LESS_PROTECTION: Final = frozenset(
    risk.code
    for risk in (
        account_risks.UNPROTECTS_ADDRESSES,
        account_risks.STOPS_MITIGATION,
        account_risks.DISABLES_PROTECTION,
        account_risks.LOWERS_SENSITIVITY,
        account_risks.BROAD_ALLOWLIST,
        account_risks.ALLOWLISTS_OWN_PREFIX,
    )
)
NO_BASE: Final = (
    "No report of the base branch was given (report_plan_base), so that changes by hand cannot be"
    " told from those of this branch."
)


class PlannedRisk(TypedDict):
    """A risk of a plan."""

    code: str
    message: str
    accepted: bool
    accept: Annotated[list[str], "acceptances to copy, in YAML, which accept nothing else"]
    reason: Annotated[str | None, "why it is accepted"]
    expires: Annotated[str | None, "until when it is accepted, null for ever"]
    place: Annotated[str | None, "the file and the line of the object; null if none is known"]


class PlanOfHosts(TypedDict):
    """The plan of a host, or of several hosts that have equal ones."""

    hosts: list[str]
    operations: Annotated[list[Difference], "without those that the base branch has as well"]
    risks: list[PlannedRisk]
    expectations: Annotated[list[Expected], "those that do not hold after a run"]
    traffic_changes: Annotated[
        TrafficChangesRecord | None, "by changes by hand as well; null without rules"
    ]
    ineffective: Annotated[
        list[Ineffective], "objects that cannot work after a run, and are changed, or worked before"
    ]
    exempts: Annotated[bool, "whether a skip, an exception or an override changes"]


class Unplanned(TypedDict):
    """Hosts of which no plan can be made."""

    hosts: list[str]
    reasons: list[str]


class ByHand(TypedDict):
    """A change by hand, which a run would undo."""

    hosts: list[str]
    operation: Difference
    changed: Annotated[list[LastChange], "who changed it, where the audit log was read"]


class NoLongerDescribed(TypedDict):
    """An object that the base branch names and this branch does not; a host has no resource."""

    hosts: list[str]
    resource: str | None
    title: Annotated[str, "the resource in words"]
    key: str


class PlanDocument(TypedDict):
    """The content of plan.json: what a branch changes, and what comes of it."""

    version: Literal[1]
    generated: Annotated[str, "when the hosts were read, a timestamp with an offset"]
    base: Annotated[str | None, "when the report of the base branch was made, null without one"]
    unknown_base: Annotated[list[str], "why some changes by hand are not told from the branch's"]
    label: Annotated[Label, "the first that holds"]
    hosts_changed: Annotated[int, "hosts on which a run does what the branch changes"]
    hosts: Annotated[int, "hosts that were looked at"]
    passes: Annotated[int, "hosts on which traffic passes, or may, that is stopped today"]
    refused: Annotated[int, "hosts whose plan a run refuses, or of which none can be made"]
    changes: list[PlanOfHosts]
    unplanned: list[Unplanned]
    by_hand: list[ByHand]
    no_longer_described: list[NoLongerDescribed]


class Base(NamedTuple):
    """The report of the base branch: its moment, and the records of its hosts; or `unread`, why
    there is none."""

    generated: str | None = None
    hosts: Mapping[str, HostRecord] = {}
    unread: str = NO_BASE


class HostPlan(NamedTuple):
    """The plan of a host: its part of plan.json, and the operations that the base has as well."""

    plan: PlanOfHosts
    by_hand: Sequence[Difference]


def opens(change: TrafficChangeRecord) -> bool:
    """Return whether traffic that is blocked or challenged today would be neither blocked nor
    challenged.
    """
    return change["mark"] == STOPPED and not change["softer"]


def protects_less(plan: PlanOfHosts) -> bool:
    """Return whether less of an attack would be stopped than today, accepted or not."""
    return any(risk["code"] in LESS_PROTECTION for risk in plan["risks"])


def lets_pass(plan: PlanOfHosts) -> bool:
    """Return whether traffic that is stopped today, or an attack, would pass, or whether that is
    not known."""
    if protects_less(plan):
        return True
    changes = plan["traffic_changes"]
    if changes is None:
        return False
    return not changes["known"] or any(map(opens, changes["passes"]))


def is_refused(plan: PlanOfHosts) -> bool:
    """Return whether a run refuses the plan of these hosts."""
    has_refused = any(not risk["accepted"] for risk in plan["risks"])
    return has_refused or bool(plan["expectations"])


def plan_document(
    generated: str, records: Sequence[HostRecord], base: Base, inventory: Container[str]
) -> PlanDocument:
    """The content of plan.json for some hosts; `inventory` has the names of all hosts in the
    inventory.
    """
    plans = {record["host"]: host_plan(record, base) for record in records if was_read(record)}
    changes = _alike_plans(plan.plan for plan in plans.values())
    unplanned = _unplanned(record for record in records if not was_read(record))
    return PlanDocument(
        version=PLAN_VERSION,
        generated=generated,
        base=base.generated,
        unknown_base=[*_unknown_base(base, plans)],
        label=_label(changes, unplanned),
        hosts_changed=number_of_hosts(plan for plan in changes if plan["operations"]),
        hosts=len(records),
        passes=number_of_hosts(plan for plan in changes if lets_pass(plan)),
        refused=number_of_hosts([*(plan for plan in changes if is_refused(plan)), *unplanned]),
        changes=changes,
        unplanned=unplanned,
        by_hand=_by_hand(records, plans),
        no_longer_described=_no_longer_described(records, base, inventory),
    )


def number_of_hosts(parts: Iterable[Mapping[str, Any]]) -> int:
    """The number of hosts that these parts of plan.json concern; a host in several parts counts
    once.
    """
    hosts: set[str] = set()
    for part in parts:
        hosts.update(part["hosts"])
    return len(hosts)


def _label(changes: Sequence[PlanOfHosts], unplanned: Sequence[Unplanned]) -> Label:
    if any(map(lets_pass, changes)):
        return "needs approval: passes traffic"
    if unplanned or any(map(is_refused, changes)):
        return "needs approval: refused"
    if any(plan["exempts"] or _is_weaker(plan) for plan in changes):
        return "needs approval: skip, exception or override changed"
    return "needs approval: none"


def _is_weaker(plan: PlanOfHosts) -> bool:
    """Return whether a plan treats some traffic less strictly than today, or has a risk."""
    changes = plan["traffic_changes"]
    return bool(plan["risks"] or (changes and changes["passes"]))


def host_plan(record: HostRecord, base: Base) -> HostPlan:
    """The plan of a host that was read, without the operations that the base has as well."""
    former = base.hosts.get(record["host"])
    operations, by_hand = _told_apart(record["operations"], former["operations"] if former else ())
    planned = record["planned"]
    changed = {(operation["resource"], operation["key"]) for operation in operations}
    exempting = planned["exempting"] if planned else []
    plan = PlanOfHosts(
        hosts=[record["host"]],
        operations=operations,
        risks=[_planned_risk(risk, record) for risk in record["risks"]],
        expectations=[item for item in record["expectations"] if item["planned"] is not True],
        traffic_changes=planned["traffic_changes"] if planned else None,
        ineffective=[*_newly_ineffective(record, changed)],
        exempts=any((obj["resource"], obj["key"]) in changed for obj in exempting),
    )
    return HostPlan(plan, by_hand)


class ToldApart(NamedTuple):
    """The operations of a branch, and those that the base branch has as well."""

    of_branch: list[Difference]
    of_base: list[Difference]


def _told_apart(operations: Iterable[Difference], of_base: Iterable[Difference]) -> ToldApart:
    """Tell the operations that the base branch has as well from those of the branch alone. Of an
    object that both create or update, the branch only has the values that the base branch sets
    otherwise, or not at all.
    """
    in_base = {(other["resource"], other["key"]): other for other in of_base}
    told = ToldApart([], [])
    for operation in operations:
        former = in_base.get((operation["resource"], operation["key"]))
        if former is None or former["action"] != operation["action"]:
            told.of_branch.append(operation)
            continue
        own = _beyond(operation, former)
        told.of_branch.extend([own] if own["fields"] else [])
        shared = [path for path in former["fields"] if path in operation["fields"]]
        if shared or not own["fields"]:
            told.of_base.append(_with_fields_alone(former, shared))
    return told


def _beyond(operation: Difference, former: Difference) -> Difference:
    """The values of an operation that an operation of the base branch on the same object does not
    set, as an update from the values that it sets."""
    values, base_values = operation["fields"], former["fields"]
    paths = [
        path for path in values if path not in base_values or values[path] != base_values[path]
    ]
    before = {**operation["before"], **base_values}
    return _with_fields_alone({**operation, "action": "update", "before": before}, paths)


def _with_fields_alone(operation: Difference, paths: Collection[str]) -> Difference:
    fields = {path: operation["fields"][path] for path in paths}
    before = {path: operation["before"][path] for path in paths if path in operation["before"]}
    return {**operation, "fields": fields, "before": before}


def _planned_risk(risk: HostRisk, record: HostRecord) -> PlannedRisk:
    ends = [
        accepted["expires"]
        for accepted in record["accepted_risks"]
        if accepted["code"] == risk["code"] and accepted["reason"] == risk["reason"]
    ]
    return PlannedRisk(
        code=risk["code"],
        message=risk["message"],
        accepted=risk["accepted"],
        accept=[] if risk["accepted"] else acceptances_to_copy(risk),
        reason=risk["reason"],
        expires=min(filter(None, ends), default=None),
        place=risk["place"],
    )


def _newly_ineffective(
    record: HostRecord, changed: Container[tuple[str, str]]
) -> Iterator[Ineffective]:
    """The objects that will not work after a run, and that either work now or are among the
    `changed`.
    """
    planned = record["planned"]
    before = {_name_of_finding(finding) for finding in record["ineffective"]}
    for finding in planned["ineffective"] if planned else ():
        is_changed = (finding["resource"], finding["key"]) in changed
        if is_changed or _name_of_finding(finding) not in before:
            yield finding


def _name_of_finding(finding: Ineffective) -> tuple[str, str, str]:
    return finding["resource"], finding["key"], finding["kind"]


def _alike_plans(plans: Iterable[PlanOfHosts]) -> list[PlanOfHosts]:
    """The plans that are not empty, worst first; equal plans of several hosts are joined into
    one.
    """
    told = filter(_says_something, plans)
    return sorted(_joined_by_text(told, _without_examples), key=_rank_of_plan)


def _says_something(plan: PlanOfHosts) -> bool:
    traffic = plan["traffic_changes"]
    has_traffic = traffic and (traffic["passes"] or traffic["stopped"] or not traffic["known"])
    return bool(plan["operations"] or plan["risks"] or plan["expectations"] or has_traffic)


def _without_examples(plan: PlanOfHosts) -> str:
    """A text that is equal for plans that do the same; it leaves out examples, since they contain
    the name of the zone, and places, since hosts have files of their own.
    """
    traffic = plan["traffic_changes"]
    sides = (traffic["passes"], traffic["stopped"]) if traffic else ()
    texts = [[alike_change(change) for change in changes] for changes in sides]
    unknown = traffic["unknown"] if traffic else []
    risks = [(risk["code"], risk["accepted"], risk["accept"]) for risk in plan["risks"]]
    operations = [signature(operation) for operation in plan["operations"]]
    placed = [*plan["expectations"], *plan["ineffective"]]
    others = [unknown, [without(item, "place") for item in placed], plan["exempts"]]
    return json.dumps([operations, risks, texts, others], sort_keys=True)


def alike_change(change: TrafficChangeRecord) -> str:
    """A text that is equal for traffic changes of several hosts that are the same."""
    parts = (change["kind"], change["mark"], change["what"], change["now"], change["traffic"])
    return json.dumps([*parts, change["keys"], change["certain"]])


def _joined_by_text(parts: Iterable[Any], text_of: Callable[[Any], str]) -> list[Any]:
    """The parts of plan.json; those for which `text_of` returns the same text are joined into one,
    with the hosts of all.
    """
    joined: dict[str, Any] = {}
    for part in parts:
        text = text_of(part)
        if text in joined:
            hosts = dict.fromkeys([*joined[text]["hosts"], *part["hosts"]])
            joined[text] = {**joined[text], "hosts": [*hosts]}
        else:
            joined[text] = part
    return [*joined.values()]


def _rank_of_plan(plan: PlanOfHosts) -> tuple[bool, bool, int]:
    return not lets_pass(plan), not is_refused(plan), -len(plan["hosts"])


def _unplanned(records: Iterable[HostRecord]) -> list[Unplanned]:
    """The hosts that could not be read."""
    parts = [Unplanned(hosts=[item["host"]], reasons=item["reasons"]) for item in records]
    return _joined_by_text(parts, lambda part: json.dumps(part["reasons"]))


def _unknown_base(base: Base, plans: Mapping[str, HostPlan]) -> Iterator[str]:
    """The reasons why, on some hosts, changes by hand cannot be told from changes of the branch."""
    if base.generated is None:
        yield base.unread
        return
    for host in plans:
        former = base.hosts.get(host)
        if former and not was_read(former):
            yield f"{host} was not read with the base branch; its changes by hand are not known."


def _by_hand(records: Iterable[HostRecord], plans: Mapping[str, HostPlan]) -> list[ByHand]:
    parts = []
    for record in records:
        plan = plans.get(record["host"])
        for operation in plan.by_hand if plan else ():
            name = (operation["resource"], operation["key"])
            changes = record["changes"] or []
            changed = [change for change in changes if (change["resource"], change["key"]) == name]
            parts.append(ByHand(hosts=[record["host"]], operation=operation, changed=changed))
    return _joined_by_text(
        parts, lambda part: signature(part["operation"]) + json.dumps(part["changed"])
    )


def _no_longer_described(
    records: Iterable[HostRecord], base: Base, inventory: Container[str]
) -> list[NoLongerDescribed]:
    """The hosts and objects that the base branch names, and this branch does not."""
    gone = [host for host, former in base.hosts.items() if host not in inventory]
    parts = [
        NoLongerDescribed(hosts=[host], resource=None, title="host", key=host) for host in gone
    ]
    for record in records:
        former = base.hosts.get(record["host"])
        if former:
            parts += _no_longer_in(record, former)
    return _joined_by_text(parts, lambda part: json.dumps([part["resource"], part["key"]]))


def _no_longer_in(record: HostRecord, former: HostRecord) -> Iterator[NoLongerDescribed]:
    """The objects that the base branch names for a host, and this branch does not; without those
    that the plan deletes, of which its operations tell."""
    planned, planned_before = record["planned"], former.get("planned")
    if not planned or not planned_before:
        return
    deletions = [item for item in record["operations"] if item["action"] == "delete"]
    deleted = {(deletion["resource"], deletion["key"]) for deletion in deletions}
    for resource, keys in planned_before["described"].items():
        remaining = planned["described"].get(resource, ())
        for key in keys:
            if key not in remaining and (resource, key) not in deleted:
                title = title_of_resource(resource)
                yield NoLongerDescribed(
                    hosts=[record["host"]], resource=resource, title=title, key=key
                )
