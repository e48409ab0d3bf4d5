# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The calls of a plan: which operations go to Cloudflare together, in which order, and with which
bodies."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

from .._plan.plan import Operation, Plan
from .._schema.resource import Object, Resource, Write
from .._values.networks import networks_overlap


class Call(NamedTuple):
    """Operations that are sent in one call; `whole` is the list afterwards where the call replaces
    an ordered list."""

    resource: Resource
    write: Write
    operations: tuple[Operation, ...]
    whole: Sequence[Object] | None = None


def plan_calls(plan: Plan) -> Iterator[Call]:
    """The calls for the plan's operations in their order, with as many in one call as Cloudflare
    takes."""
    lists = {
        item.resource.plural: item.resource for item in plan.operations if item.resource.list_field
    }
    for resource in lists.values():
        operations = tuple(item for item in plan.operations if item.resource is resource)
        yield Call(
            resource, resource.write_for("update"), operations, plan.after()[resource.plural]
        )
    others = (item for item in plan.operations if not item.resource.list_field)
    for (resource, action), group in groupby(others, key=lambda item: (item.resource, item.action)):
        write, operations = resource.write_for(action), tuple(group)
        for start in range(0, len(operations), write.batch):
            yield Call(resource, write, operations[start : start + write.batch])


def concurrent_groups(plan: Plan) -> Iterator[list[Call]]:
    """The calls in their order, those in one group that may be under way at the same time: changes
    of single objects.

    Bulk calls stay one after the other, and so do networks that overlap.
    """
    group: list[Call] = []
    for call in plan_calls(plan):
        if group and not _may_run_concurrently(group[-1], call):
            yield group
            group = []
        group.append(call)
    if group:
        yield group


def _may_run_concurrently(before: Call, call: Call) -> bool:
    same_kind = (
        before.resource is call.resource
        and before.operations[0].action == call.operations[0].action
    )
    if not same_kind or call.write.batch > 1 or call.whole is not None:
        return False
    return not networks_overlap(before.operations[0].address, call.operations[0].address)


def body_of(call: Call, operation: Operation) -> Any:
    """The body for one operation: nothing for a deletion at an object's own path, or its id; the
    whole object, its declared fields, or the changed ones."""
    if operation.action == "delete":
        return None if call.write.by_id else {"id": (operation.existing or {}).get("id")}
    if call.write.declared:
        return call.resource.managed(operation.planned or {})
    if call.write.whole:
        return replacement(operation.planned or {}, call.resource)
    return dict(operation.fields)


def replacement(planned: Object, resource: Resource) -> dict[str, Any]:
    """The body of a call that replaces an object: all of it but what Cloudflare sets by itself."""
    body = {name: value for name, value in planned.items() if name not in resource.read_only}
    nested = body.get(resource.nested.field) if resource.nested else None
    if resource.nested and isinstance(nested, Mapping):
        body[resource.nested.field] = {
            name: value for name, value in nested.items() if name not in resource.nested.read_only
        }
    return body


def match_results(call: Call, result: Any) -> dict[Operation, Object]:
    """What Cloudflare returned, by operation; matched by key, since the order of a list is not
    promised."""
    items = result if isinstance(result, list) else [result]
    by_key = {call.resource.key_of(item): item for item in items if isinstance(item, Mapping)}
    return {
        operation: by_key[operation.key]
        for operation in call.operations
        if operation.action != "delete" and operation.key in by_key
    }
