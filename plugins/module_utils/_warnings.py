# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Warnings about a plan: entries that expired, accepted risks, what is probably a mistake, and
what of the protection is not understood."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

from ._guard.checked import Checked
from ._plan.desired import Desired
from ._plan.plan import Plan
from ._schema.resource import Object, Resource
from ._text import Message, Option, capitalised, first_few, first_sentences, left_out
from ._timestamps import write_timestamp

MOST_WARNED = 3
STANDING = (
    "and would let any such risk through later; remove it, or accept the risk with a dictionary"
    " that has networks, entries or expires.",
)
WAITING = (
    "since the staged rollout waits until it is no risk. To mitigate now, set ",
    Option("staged_rollout"),
    " to false for this run, and accept skips_monitoring, and drops_traffic if there is evidence"
    " to wait for.",
)


def expiry_warnings(task_desired: Iterable[Desired], plan: Plan) -> list[str]:
    """Warnings for expired entries that do not exist, and for entries whose expiry is not known."""
    warnings: list[str] = []
    for desired in task_desired:
        resource = desired.resource
        existing = plan.before.get(resource.plural, ()) if desired.expired else ()
        existing_keys = {*map(resource.key_of, existing)}
        for key, expires in desired.expires.items():
            option = desired.paths[key].at("expires")
            name = resource.title_of(desired.objects[key])
            if key in desired.undecided:
                problem = (
                    f": whether {name} expired ({write_timestamp(expires)}) is not known, since"
                    " Cloudflare does not tell its time. An existing one stays, and a new one is"
                    " not created."
                )
                warnings.append(Message(option, problem))
            elif key in desired.expired and key not in existing_keys:
                problem = (
                    f": {name} expired at {write_timestamp(expires)} and does not exist. Remove"
                    " the entry, or give it a later expires."
                )
                warnings.append(Message(option, problem))
    return warnings


def plan_warnings(checked: Checked) -> list[str]:
    """Warnings of the accepted risks, of acceptances that expired, of probable mistakes, and of
    what is not understood of the protection."""
    warnings: list[str] = []
    for risk in checked.risks:
        reason = f" Reason: {risk.reason}" if risk.reason else ""
        warnings.append(Message(f"Accepted {risk.code}: ", risk.message) + reason)
    warnings += checked.expired_acceptances
    warnings += _unusual_objects(checked.plan)
    if checked.knows_account and checked.after.undecided:
        warnings.append(first_sentences(checked.after.undecided))
    return [*warnings, *checked.unknown]


def _unusual_objects(plan: Plan) -> list[str]:
    """A question about objects that the plan creates or changes, and that are probably mistakes;
    empty if there are none."""
    oddities: list[str] = []
    for operation in plan.operations:
        reason = _oddity(operation.resource, operation.planned)
        if reason:
            oddities.append(f"{operation.resource.title} {operation.label} {reason}")
    if not oddities:
        return []
    return [f"Is this meant? {capitalised(first_few(oddities))}."]


def _oddity(resource: Resource, planned: Object | None) -> str:
    return resource.semantics.unusual(planned) if planned else ""


def ineffective_warnings(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence on each of the first objects that cannot work, and one on the number of the
    others."""
    if not records:
        return []
    from ._schema.registry import title_of_resource  # loaded for objects that cannot work

    warnings: list[str] = []
    for record in records[:MOST_WARNED]:
        title = title_of_resource(record["resource"])
        warnings.append(f"The {title} {record['key']} cannot work: {record['reason']}.")
    uncounted = left_out(len(records), MOST_WARNED)
    if uncounted:
        warnings.append(f"{capitalised(uncounted)} cannot work; ineffective has all.")
    return warnings


def standing_warnings(
    checked: Checked, codes: Sequence[str], waiting: Sequence[str] = ()
) -> list[str]:
    """Warnings of acceptances that stay, such as in an inventory: they accept what nobody has seen
    yet.

    `codes` are the risks that such a plan can have, and no other plan of the host; a list of a role
    also accepts risks of other plans. `waiting` are the risks that a staged rollout avoids by
    waiting.
    """
    warnings: list[str] = []
    for acceptance in checked.unmet:
        if acceptance.code in codes:
            advice = WAITING if acceptance.code in waiting else STANDING
            problem = f": {acceptance.code} meets nothing in this plan, "
            warnings.append(Message(acceptance.option, problem, *advice))
    return warnings
