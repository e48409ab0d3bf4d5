# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What exists beside the objects that a task names, and whether it takes protection away.

Each object is checked as if it were the only one beside the named ones.
"""

from __future__ import annotations

from typing import Sequence, TypedDict

from .._plan.desired import Desired
from .._schema.resource import Object, Resource, State
from .account import DescribedAccount
from .overrides import judge_overrides
from .verdict import Verdict
from .zone import judge_rules

STAMPS = ("modified_on", "last_updated", "created_on")


class UnmanagedRecord(TypedDict):
    """An object that exists and that the task does not name.

    `weakens` says whether it takes protection away from what the task describes: None if it may.
    `reason` is a sentence without its subject. `since` is when the object last changed, None if
    Cloudflare does not say.
    """

    resource: str
    key: str
    weakens: bool | None
    reason: str
    since: str | None


def unmanaged_records(desired: Sequence[Desired], state: State) -> list[UnmanagedRecord]:
    """The objects of a state that the desired state does not name, in the order of the state."""
    named = {item.resource.plural: frozenset(item.objects) for item in desired}
    rules = {**judge_rules(state, named), **judge_overrides(state, named)}
    account = DescribedAccount(state, named)
    records = []
    for resource in (item.resource for item in desired if item.resource.key):
        for obj in state[resource.plural]:
            key = resource.key_of(obj)
            if key not in named[resource.plural]:
                verdict = rules.get((resource.plural, key)) or account.judge(resource, obj)
                records.append(record_of(resource, obj, verdict))
    return records


def record_of(resource: Resource, obj: Object, verdict: Verdict) -> UnmanagedRecord:
    """An object that a task does not name, as results list it."""
    since = next((str(obj[name]) for name in STAMPS if obj.get(name)), None)
    return UnmanagedRecord(
        resource=resource.name,
        key=resource.label_of(obj),
        weakens=verdict.weakens,
        reason=verdict.reason,
        since=since,
    )
