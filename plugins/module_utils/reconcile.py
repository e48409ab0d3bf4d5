# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What must change so that the live state meets the wishes: pure functions, from data to data."""

from __future__ import annotations

import re
from typing import Callable, Optional, Sequence

from .arrangement import arranged
from .declaration import Key, Object, Resource, State
from .errors import PlanError
from .plan import Operation, Plan, differences
from .wishes import Values, Wishes

PHASES = ("create", "update", "delete")  # nothing is removed before what replaces it is there
SAFE_ID = re.compile(r"[0-9A-Za-z_-]+")

Step = Callable[[Resource, Optional[Object], Values], Values]


def as_wished(resource: Resource, live: Object | None, values: Values) -> Values:
    """The step that takes a wish as it is."""
    return values


def make_plan(before: State, wishes: Sequence[Wishes], step: Step = as_wished) -> Plan:
    """Reconcile several collections at once; where phases allow, in the order of the wishes.

    `step` takes the resource, the live object or None, and the wanted values, and returns those wanted for now.
    Raises PlanError where a wish cannot be met without guessing: a rule that must exist and does not, twins.
    """
    operations: list[Operation] = []
    order: dict[str, Sequence[Key]] = {}
    for wish in wishes:
        if wish.resource.inside:
            changes, order[wish.resource.plural] = arranged(
                wish, before[wish.resource.plural], _reconcile(wish, before[wish.resource.plural], step)
            )
            operations += changes
            continue
        # Networks sort before their subsets: an exclusion comes after what it is excluded from, and goes before it.
        changes = sorted(_reconcile(wish, before[wish.resource.plural], step), key=lambda item: item.order)
        operations += [item for item in changes if item.action != "delete"]
        operations += [item for item in reversed(changes) if item.action == "delete"]
    return Plan(before, tuple(sorted(operations, key=lambda item: PHASES.index(item.action))), order)


def _reconcile(wishes: Wishes, live: Sequence[Object], step: Step) -> list[Operation]:
    resource = wishes.resource
    found: dict[Key, list[Object]] = {}
    for item in live:
        found.setdefault(resource.key_of(item), []).append(item)
    operations: list[Operation] = []
    surplus: list[Object] = []
    missing: list[str] = []
    for key, values in wishes.wanted.items():
        matches = found.get(key, [])
        if wishes.absent:
            surplus.extend(matches)
        elif matches:
            kept, twins = _kept(wishes, values, matches)
            surplus.extend(twins)
            fields = differences(resource.others, kept, step(resource, kept, values))
            operations.extend([_on_live("update", resource, kept, fields)] if fields else [])
        elif resource.create:
            first = {**resource.defaults(), **step(resource, None, values)}
            operations.append(Operation("create", resource, resource.managed(first)))
        else:
            missing.append(resource.label_of(values))
    if missing:
        raise PlanError(
            "There is no {} with the id {}. Correct the id, or remove the entry.".format(
                resource.title, ", ".join(missing)
            )
        )
    if wishes.exact:
        surplus.extend(item for key, items in found.items() if key not in wishes.wanted for item in items)
    return operations + [_on_live("delete", resource, item, {}) for item in surplus]


def _kept(wishes: Wishes, values: Values, matches: Sequence[Object]) -> tuple[Object, Sequence[Object]]:
    """Which of several twins stays: the one that needs the fewest changes, the oldest of them."""
    if len(matches) == 1:
        return matches[0], ()
    resource = wishes.resource
    if not wishes.exact:
        raise PlanError(
            "The service holds {} {} more than once (ids {}). Remove all but one of them, as purge does, or all of "
            "them with state absent.".format(
                resource.title,
                resource.label_of(values),
                ", ".join(sorted(str(item.get("id")) for item in matches)),
            )
        )

    def preference(item: Object) -> tuple[int, str, str]:
        changes = differences(resource.others, item, values)
        return (len(changes), str(item.get("created_on")), str(item.get("id")))

    kept, *twins = sorted(matches, key=preference)
    return kept, twins


def _on_live(action: str, resource: Resource, live: Object, fields: Values) -> Operation:
    """A change at an object's own path, which must not turn into the path of the whole collection."""
    if resource.key and not SAFE_ID.fullmatch(str(live.get("id") or "")):
        raise PlanError(
            "The service lists {} {} with the id {!r}, which cannot be part of a path. "
            "Report this to the service's support.".format(resource.title, resource.label_of(live), live.get("id"))
        )
    return Operation(action, resource, fields, live)
