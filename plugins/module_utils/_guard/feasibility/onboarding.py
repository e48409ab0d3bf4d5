# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which new protected prefixes Cloudflare refuses: a part is delegated to another account, or not
approved yet (Cloudflare docs: Advanced TCP Protection, Setup)."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..._concurrency import concurrently
from ..._errors import ServiceError
from ..._plan.plan import Operation, Plan
from ..._schema.account import PREFIXES
from ..._schema.neighbours import ONBOARDED, delegations_of, is_approved
from ..._schema.resource import Object, ReadCollection
from ..._text import Message
from ..._values.address_set import overlaps, range_of
from ..._values.kinds import FLAG
from ..checked import Feasibility

NOT_KNOWN = (
    "Whether the new prefixes are approved, and not delegated to other accounts, is not known"
)

TO_DO = "Cloudflare protects only what is approved, and not delegated to another account."


def check_onboarding(plan: Plan, read: ReadCollection) -> Feasibility:
    """Whether Cloudflare takes the new prefixes of a plan; `read` is called only if there are
    some."""
    new = [str((item.planned or {}).get("prefix")) for item in plan.operations if _protects(item)]
    if not new:
        return Feasibility()
    try:
        reasons = list(_reasons(new, read))
    except ServiceError as exc:
        return Feasibility(unknown=Message(f"{NOT_KNOWN}: ", exc.message))
    return Feasibility(" ".join([*reasons, TO_DO]) if reasons else "")


def _protects(item: Operation) -> bool:
    """Whether an operation begins to protect a prefix."""
    if item.resource is not PREFIXES or item.planned is None or _is_excluded(item.planned):
        return False
    return item.existing is None or _is_excluded(item.existing)


def _is_excluded(prefix: Object) -> bool:
    return FLAG.normalise(prefix.get("excluded")) == "true"


def _reasons(new: Sequence[str], read: ReadCollection) -> Iterator[str]:
    """A sentence for each new prefix with a part that cannot be protected."""
    concerned = [prefix for prefix in read(ONBOARDED) if _meets(prefix, new)]
    delegations = concurrently(read, [delegations_of(str(item.get("id"))) for item in concerned])
    for prefix, delegated in zip(concerned, delegations):
        if not is_approved(prefix):
            yield from _refused(prefix, new, "is not approved yet")
        for part in delegated:
            yield from _refused(part, new, "is delegated to another account")


def _meets(prefix: Object, new: Sequence[str]) -> bool:
    network = range_of(prefix.get("cidr"))
    return network is not None and any(overlaps(text, [network]) for text in new)


def _refused(part: Object, new: Sequence[str], why: str) -> Iterator[str]:
    network = range_of(part.get("cidr"))
    for text in new:
        if network is not None and overlaps(text, [network]):
            yield f"The prefix {text} cannot be protected: {part.get('cidr')} {why}."
