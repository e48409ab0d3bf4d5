# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A risk that was found in a plan: code and message, with the networks and objects concerned."""

from __future__ import annotations

from typing import Iterable, NamedTuple, Sequence, Tuple, TypedDict, Union

from .._plan.plan import Operation
from .._schema.resource import Key, Object, Resource
from .._values.address_set import Range, Ranges, counted, networks


class Entry(NamedTuple):
    """An object whose change is a risk: its resource, its key, and the key as text for people."""

    resource: Resource
    key: Key
    text: str


def entry_of(resource: Resource, obj: Object) -> Entry:
    """The entry by which risks name an object."""
    return Entry(resource, resource.key_of(obj), resource.entry_of(obj))


def entries_of(operations: Iterable[Operation]) -> list[Entry]:
    """The entries of the objects that operations change."""
    entries = []
    for operation in operations:
        obj = operation.existing or operation.fields
        entries.append(entry_of(operation.resource, obj))
    return entries


# The message of a risk, the networks and the objects concerned; None if a plan does not have it.
FinderAnswer = Union[Tuple[str, Ranges, Sequence[Entry]], None]


class RiskObject(TypedDict):
    """An object whose change is a risk."""

    resource: str
    key: str


class RiskRecord(TypedDict):
    """A finding in the form in which results show it; `objects` are the objects whose change is the
    risk, and `entries` their keys.

    `reason` is why the task accepts the risk, None if the task does not say.
    """

    code: str
    message: str
    networks: list[str]
    addresses: str
    entries: list[str]
    objects: list[RiskObject]
    reason: str | None


class Finding(NamedTuple):
    """A risk that a plan has: its code, and the networks and objects that it concerns; `reason` is
    why the task accepts the risk.
    """

    code: str
    message: str
    ranges: Sequence[Range] = ()
    entries: Sequence[Entry] = ()
    reason: str | None = None

    def record(self) -> RiskRecord:
        """The finding in the form in which results show it."""
        return RiskRecord(
            code=self.code,
            message=self.message,
            networks=networks(list(self.ranges)),
            addresses=counted(list(self.ranges)),
            entries=list(dict.fromkeys(entry.text for entry in self.entries)),
            objects=_risk_objects(self.entries),
            reason=self.reason,
        )


def _risk_objects(entries: Iterable[Entry]) -> list[RiskObject]:
    """The objects of these entries, without repetition."""
    names = dict.fromkeys((entry.resource.name, entry.text) for entry in entries)
    return [RiskObject(resource=resource, key=key) for resource, key in names]
