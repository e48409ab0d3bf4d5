# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The findings on the plans of a branch, each at the line of its files: what a run refuses, traffic
that passes then, and rules that cannot work then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._protection.traffic_changes import unknown_in_words
from .plan_document import Base, PlanOfHosts, host_plan, opens
from .plan_words import change_sentence, expectation_words
from .record import ChangedPlace, HostRecord, was_read
from .sarif import Located, Occurrence, ineffective_finding, sarif_log, unread_findings

CATEGORY = "edgeops.protection-plan"  # beside the findings of the report
PlacesByObject = Mapping["tuple[str, str]", "str | None"]  # of objects, by resource and key


def sarif_of_plans(records: Sequence[HostRecord], base: Base) -> dict[str, Any]:
    """The SARIF document on the plans of hosts, compared with the report of the base branch.

    Hosts with equal plans have files of their own, so that it is made of the hosts, and not of
    the parts of plan.json that they share.
    """
    occurrences: list[Occurrence] = []
    for record in records:
        found = _findings(record, base) if was_read(record) else unread_findings(record)
        occurrences += found
    return sarif_log(occurrences, CATEGORY)


def _findings(record: HostRecord, base: Base) -> Iterator[Occurrence]:
    """The findings on the plan of a host that was read."""
    host, planned = record["host"], record["planned"]
    plan = host_plan(record, base).plan
    for finding in _refused(plan):
        yield Occurrence(finding, host)
    for finding in _passing(plan, _places(planned["changed"] if planned else ())):
        yield Occurrence(finding, host)
    for ineffective in plan["ineffective"]:
        yield ineffective_finding(host, ineffective)


def _refused(plan: PlanOfHosts) -> Iterator[Located]:
    """The risks and expectations because of which a run refuses the plan."""
    for risk in plan["risks"]:
        if not risk["accepted"]:
            yield Located(f"risk/{risk['code']}", risk["message"], risk["place"])
    for expectation in plan["expectations"]:
        yield Located("expectation", expectation_words(expectation), expectation["place"])


def _passing(plan: PlanOfHosts, places: PlacesByObject) -> Iterator[Located]:
    """The traffic that is stopped today and passes then, at the first of its reasons that has a
    place, and why it is not known whether more passes."""
    changes = plan["traffic_changes"]
    for change in filter(opens, changes["passes"] if changes else ()):
        reasons = [places.get((key["resource"], key["key"])) for key in change["keys"]]
        place = next(filter(None, reasons), None)
        yield Located("traffic/passes", change_sentence(change), place, level="warning")
    for reason in changes["unknown"] if changes else ():
        text = unknown_in_words(reason)
        yield Located("traffic/unknown", text, level="warning")


def _places(objects: Sequence[ChangedPlace]) -> PlacesByObject:
    return {(obj["resource"], obj["key"]): obj["place"] for obj in objects}
