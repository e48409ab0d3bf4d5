# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends a plan's calls to the service, and reads from each answer what became of its operations."""

from __future__ import annotations

import re
from typing import Any, Callable, Mapping, Sequence

from ..api.client import Client
from ..concurrency import attempt_each
from ..errors import ServiceError
from ..plan.diff import differences, overlay
from ..plan.plan import Operation, Plan
from ..plan.sharing import spread_nested
from ..schema.resource import Nested, Object
from .calls import Call, body_of, concurrent_groups, match_results, plan_calls, replacement

Warn = Callable[[str], None]


class Interrupted(Exception):
    """A call failed: which operations are done, which are left, and of which it is not known whether they are done."""

    def __init__(
        self,
        cause: ServiceError,
        done: tuple[Operation, ...],
        left: tuple[Operation, ...],
        unknown: tuple[Operation, ...],
    ) -> None:
        super().__init__(cause.message)
        self.cause = cause
        self.done = done
        self.left = left
        self.unknown = unknown


def apply_plan(plan: Plan, client: Client, warn: Warn) -> dict[Operation, Object]:
    """Apply the plan; returns what the service returned for each created or updated object.

    Raises Interrupted when a call fails, after the calls that were under way have ended.
    """
    returned: dict[Operation, Object] = {}
    done: list[Operation] = []
    unknown: list[Operation] = []
    for group in concurrent_groups(plan):
        cause: ServiceError | None = None
        for call, attempt in zip(group, attempt_each(lambda call: _send(call, client), group)):
            if attempt.error is None:
                returned.update(attempt.result)  # type: ignore[call-overload]
                done.extend(call.operations)
                _warn_of_differences(call, returned, warn)
                continue
            if not isinstance(attempt.error, ServiceError):
                raise attempt.error
            unknown.extend(call.operations if attempt.error.maybe_applied else ())
            cause = cause or attempt.error
        if cause is not None:
            settled = {*done, *unknown}
            left = tuple(item for item in plan.operations if item not in settled)
            raise Interrupted(cause, tuple(done), left, tuple(unknown)) from cause
    return spread_nested(returned)


def dry_run(plan: Plan, client: Client) -> None:
    """Let the service validate what would be written, where it can; raises ServiceError."""
    for call in plan_calls(plan):
        if call.whole is not None:
            _replace_list(call, call.whole, client, {"dry_run": "true"})


def _send(call: Call, client: Client) -> dict[Operation, Object]:
    if call.whole is not None:
        return match_results(call, _replace_list(call, call.whole, client))
    bodies = [body_of(call, operation) for operation in call.operations]
    ids = [str((operation.existing or {}).get("id")) for operation in call.operations]
    returned = match_results(call, client.write(call.resource, call.resource.path, call.write, bodies, ids))
    if call.resource.nested:
        _update_nested(call, call.resource.nested, client, returned)
    return returned


def _replace_list(call: Call, whole: Sequence[Object], client: Client, query: Mapping[str, Any] | None = None) -> Any:
    """One call for a whole ordered list; an error that points to one of its objects names it."""
    resource = call.resource
    try:
        return client.replace(resource, [replacement(item, resource.read_only) for item in whole], query)
    except ServiceError as exc:
        pointers = (re.match(rf"/{resource.list_field}/(\d+)", item["pointer"] or "") for item in exc.error["errors"])
        places = {int(pointer.group(1)) for pointer in pointers if pointer}
        labels = ", ".join(resource.label_of(item) for place, item in enumerate(whole) if place in places)
        if not labels:
            raise
        raise exc.extended(f"This is about the {resource.title} {labels}.") from exc


def _update_nested(call: Call, nested: Nested, client: Client, returned: dict[Operation, Object]) -> None:
    """Update nested objects at their own path, where the service left them as they were; each of them once."""
    field = call.resource.field(nested.field)
    current: dict[Operation, Object] = {}
    bodies: dict[str, dict[str, Any]] = {}
    for operation in call.operations:
        existing = returned.get(operation, operation.existing or {}).get(nested.field)
        if not isinstance(existing, Mapping):
            continue
        current[operation] = existing
        identity = str(existing.get("id"))
        merged = bodies.get(identity, existing)
        changes = differences(field.fields, merged, operation.fields.get(nested.field, {}))
        if changes:
            bodies[identity] = replacement(overlay(field.fields, merged, changes), call.resource.read_only)
    if not bodies:
        return
    result = client.write(call.resource, nested.path, nested.write, list(bodies.values()), list(bodies))
    by_id = {str(item.get("id")): item for item in (result if isinstance(result, list) else [result]) if item}
    for operation, existing in current.items():
        identity = str(existing.get("id"))
        if identity in bodies:
            parent = returned.get(operation, operation.planned or {})
            returned[operation] = dict(parent, **{nested.field: by_id.get(identity, bodies[identity])})


def _warn_of_differences(call: Call, returned: Mapping[Operation, Object], warn: Warn) -> None:
    """Warn where the service stored something else than was sent."""
    for operation in call.operations:
        if operation in returned:
            unmet = differences(call.resource.fields, returned[operation], operation.fields)
            for name in unmet:
                stored = returned[operation].get(name)
                what = f"{name} of {call.resource.title} {operation.label}"
                warn(f"The service stored {stored!r} as {what} where {unmet[name]!r} was sent.")
