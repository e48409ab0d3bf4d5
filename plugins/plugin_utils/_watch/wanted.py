# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects of a watched change as the variables of a host want them: as long as they want the
same, a change that was set back is the same change, whatever others have done to the host since."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._arguments import read_options
from ...module_utils._plan.desired import DesiredObject
from ...module_utils._plan.plan import POSITION
from ...module_utils._schema.resource import without
from ...module_utils._specs.registry import host_spec
from .._baseline.variables import OPTIONS, Part
from .objects import may_stop

Operations = Sequence[Mapping[str, Any]]  # as results list them
Target = tuple[str, str]  # the name of a resource, and the key of an object as results have it


class WantedObject(NamedTuple):
    """An object that a change writes, and all that the variables wanted of it, as a text."""

    resource: str
    key: str
    values: str

    @property
    def target(self) -> Target:
        """The names of the object and its resource."""
        return self.resource, self.key


def wanted_objects(part: Part, operations: Operations) -> list[WantedObject]:
    """The objects that may stop traffic after these operations, as the variables want them."""
    stopping = [*filter(may_stop, operations)]
    wanted = _wanted(part, [*map(target_of, stopping)], stopping)
    return [WantedObject(*target, values) for target, values in wanted.items()]


def writes_again(wanted: Sequence[WantedObject], part: Part, operations: Operations) -> bool:
    """Return whether these operations write one of the wanted objects again, while the variables
    want of all of them what they wanted before."""
    stopping = [*filter(may_stop, operations)]
    targets = [item.target for item in wanted]
    if not {*targets} & {*map(target_of, stopping)}:
        return False
    now = _wanted(part, targets, stopping)
    return all(now[item.target] == item.values for item in wanted)


def additions_to(
    change: Operations, guilty: Sequence[WantedObject], operations: Operations
) -> list[Mapping[str, Any]]:
    """The operations that may stop traffic, and are neither about a `guilty` object of a change nor
    write what the change wrote."""
    targets = [item.target for item in guilty]
    written = [(target_of(operation), _fields(operation)) for operation in change]
    return [
        operation
        for operation in filter(may_stop, operations)
        if target_of(operation) not in targets
        and (target_of(operation), _fields(operation)) not in written
    ]


def _wanted(part: Part, targets: Iterable[Target], operations: Operations) -> dict[Target, str]:
    """The values that the variables want of the objects with these names, by the names; of an
    object that they do not name, those that an operation writes, but for its place among the rules
    of others."""
    wanted = dict.fromkeys(targets, "")
    for operation in operations:
        if target_of(operation) in wanted:
            fields = _fields(operation)
            wanted[target_of(operation)] = _text(fields) if fields else ""
    options = read_options(OPTIONS, part.options)
    for collection in host_spec(options).desired(options):
        resource = collection.resource
        for _key, desired in collection.in_order():
            target = (resource.name, resource.label_of(desired.values))
            if target in wanted:
                wanted[target] = _text(_decisive(desired))
    return wanted


def _decisive(desired: DesiredObject) -> Sequence[Any]:
    """All that decides what is made of an object, and when."""
    return desired.values, desired.position, desired.presence.value, desired.stage


def _text(values: Any) -> str:
    return json.dumps(values, sort_keys=True, default=str)


def _fields(operation: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields that an operation writes, but for the place of a rule among others."""
    return without(operation["fields"], POSITION)


def target_of(operation: Mapping[str, Any]) -> Target:
    """The names of the object that an operation or a step is about, and of its resource."""
    return str(operation["resource"]), str(operation["key"])
