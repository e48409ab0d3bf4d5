# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which rules and filters a plan enables, and what speaks against it: that they have not monitored
long enough, or the traffic."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Mapping, NamedTuple, Sequence, Tuple

from .._plan.plan import Operation, Plan
from .._schema.account import ENABLED, MONITORING
from .._schema.resource import Key, Object, Resource
from .._timestamps import started_before
from .._values.address_set import Range, Ranges

VerdictKey = Tuple[str, Key]  # the plural of the resource, and the key of the object


def key_of(item: Operation) -> VerdictKey:
    """What tells an object from all others of an account."""
    return item.resource.plural, item.key


def enabling(plan: Plan) -> list[Operation]:
    """The operations of a plan after which an object mitigates that did not before."""
    return [
        item
        for item in plan.operations
        if item.resource.mode_field
        and item.resource.component
        and str(item.fields.get(item.resource.mode_field)).casefold() == ENABLED
    ]


def enabled_too_soon(
    resource: Resource, existing: Object | None, now: datetime | None, monitoring: timedelta
) -> str:
    """Why an object must not be enabled yet; an empty text where it may be."""
    mode = str((existing or {}).get(resource.mode_field or "")).casefold()
    if existing is None:
        return "would be new and enabled at once"
    if mode == ENABLED:
        return ""
    if mode != MONITORING:
        return f"would go from {mode} straight to enabled"
    if not monitoring:
        return ""
    since = started_before(now, existing.get("modified_on"))
    if since is None or now is None:
        return "has monitored for an unknown time"
    return f"has monitored since {since.isoformat()} only" if now - since < monitoring else ""


class Verdict(NamedTuple):
    """What the traffic says of enabling one rule or filter.

    `reason` is empty where it may be enabled, `evidence` where too much would have been dropped,
    and `unknown` where that is not known. `restarts` says that the change itself makes it unknown,
    so that it monitors from now on. `percent` is of the worst network; `ranges` are the networks
    concerned.
    """

    reason: str = ""
    message: str = ""
    percent: float | None = None
    packets: int | None = None
    ranges: Sequence[Range] = ()
    advice: Sequence[str] = ()
    restarts: bool = False


Verdicts = Mapping[VerdictKey, Verdict]


def not_known(why: str, ranges: Ranges, restarts: bool = False) -> Verdict:
    """The verdict where nobody can tell; `why` is one or more sentences."""
    message = f"It is not known what it would drop. {why}"
    return Verdict("unknown", message, ranges=ranges, restarts=restarts)
