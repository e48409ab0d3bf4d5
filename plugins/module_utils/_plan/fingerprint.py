# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fingerprint of a plan: equal for two plans exactly if they do the same to equal objects."""

from __future__ import annotations

import hashlib
import json
from itertools import chain, islice
from typing import Any, Hashable, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .._schema.lists import contents_of, items_of
from .._schema.resource import Field, Key, Object, Resource, Values, without
from .plan import Operation, Plan, with_along


def plan_id(owner: Mapping[str, str], plan: Plan) -> str:
    """SHA-256, in 64 hexadecimal digits, over the account or zone and the ordered operations; empty
    for an empty plan.

    Each object that changes counts as a whole, before and after, with the fields that the
    collection does not know; so does the order of a list in which order matters. Normalised values
    count, so that spelling makes no difference. Neither do credentials, the base URL, the order of
    a dictionary, the times and versions that Cloudflare sets, and objects that do not change; but
    the contents of lists count that a rule which changes names, as they will be.
    """
    if not plan.operations:
        return ""
    digest, changes = hashlib.sha256(), _object_changes(plan)
    parts = iter(lambda: list(islice(changes, MOST_AT_ONCE)), [])
    for part in chain([dict(owner)], parts, [_orders(plan), _lists_in(plan)]):
        digest.update(CANONICAL.encode(part).encode("utf-8", "backslashreplace") + b"\n")
    return digest.hexdigest()


MOST_AT_ONCE = 100  # changes of objects
CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)


def _lists_in(plan: Plan) -> dict[str, list[Any] | None]:
    """By name, the contents of the lists that the changed rules name; None if they are not
    known."""
    every = with_along(plan.operations)
    changes = [item for item in every if item.resource.is_ordered or item.resource.nested]
    if not changes:
        return {}
    from .._schema.registry import evaluated_as, lists_named_in  # loads all kinds of rules

    rules: dict[str, list[Object]] = {}
    for item in changes:
        changed = rules.setdefault(evaluated_as(item.resource).plural, [])
        changed += [obj for obj in (item.existing, item.planned) if obj is not None]
    after = plan.after()
    items = {name: after.get(items_of(name).plural) for name in lists_named_in(rules)}
    return {
        name: None if known is None else contents_of(known).written()
        for name, known in items.items()
    }


def is_rest_of(rest: Plan, plan: Plan) -> bool:
    """Return whether `rest` finishes what `plan` began: each of its objects is what `plan` makes of
    it, from values that it had before or has got meanwhile."""
    whole = {change.target: change for change in _object_changes(plan)}
    after = {name: order["after"] for name, order in _orders(plan).items()}
    return all(
        change.target in whole and change.finishes(whole[change.target])
        for change in _object_changes(rest)
    ) and all(after.get(name) == order["after"] for name, order in _orders(rest).items())


class ObjectChange(NamedTuple):
    """Change of one object: its normalised values before and after, None where there is no object.

    `target` tells the object and the action.
    """

    target: tuple[Hashable, ...]
    before: Values | None
    after: Values | None

    def finishes(self, whole: ObjectChange) -> bool:
        """Return whether it ends as `whole` does, and starts from values on the way there."""
        return self.after == whole.after and _is_between(self.before, whole.before, whole.after)


def _is_between(value: Any, before: Any, after: Any) -> bool:
    """Return whether a value is one of two others, or has parts that are each one of theirs."""
    if value in (before, after):
        return True
    if not all(isinstance(item, Mapping) for item in (value, before, after)):
        return False
    return value.keys() <= before.keys() | after.keys() and all(
        _is_between(value.get(name), before.get(name), after.get(name))
        for name in before.keys() | after.keys()
    )


def _object_changes(plan: Plan) -> Iterator[ObjectChange]:
    return map(_object_change, with_along(plan.operations))


def _object_change(operation: Operation) -> ObjectChange:
    resource, existing, planned = operation.resource, operation.existing, operation.planned
    identity = None if existing is None else str(existing.get("id"))
    within = [resource.within] if resource.within else []  # the key of the object around it
    return ObjectChange(
        (operation.action, resource.name, *within, operation.key, identity),
        None if existing is None else every_value(resource, existing),
        # Cloudflare decides on what a new object leaves out.
        None if planned is None else every_value(resource, planned, is_new=existing is None),
    )


def every_value(resource: Resource, obj: Object, is_new: bool = False) -> Values:
    """The normalised values of an object, and the values of fields that are not declared; without
    those that only Cloudflare sets."""
    fields = [item for item in resource.fields if not is_new or item.name in obj]
    return _normal(fields, obj, resource.read_only)


def _normal(fields: Iterable[Field], obj: Object, read_only: Sequence[str]) -> dict[str, Any]:
    values = without(obj, *read_only)
    for item in fields:
        nested = obj.get(item.name) if item.fields else None
        if isinstance(nested, Mapping):
            values[item.name] = _normal(item.fields, nested, read_only)
        else:
            values[item.name] = item.normalised(obj)
    return values


def _orders(plan: Plan) -> dict[str, dict[str, Sequence[Key]]]:
    """The keys before and after, by collection, of each list that changes and in which order
    matters."""
    resources = {operation.resource.plural: operation.resource for operation in plan.operations}
    orders: dict[str, dict[str, Sequence[Key]]] = {}
    for name, resource in resources.items():
        before = resource.keys_in_order(plan.before[name])
        if before is not None:
            after = resource.keys_in_order(plan.after()[name])
            orders[name] = {"before": before, "after": after or []}
    return orders
