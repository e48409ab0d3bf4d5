# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What there is to say of a resource: its fields, its key, and the calls that list, create, update and delete it.

Options, comparison, request bodies, results and diffs all read the declaration; none of them knows a resource by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable, Hashable, List, Mapping, Tuple

from .values import Value

Key = Tuple[Hashable, ...]
Object = Mapping[str, Any]
State = Mapping[str, List[Object]]  # by Resource.plural: the objects as the service shows them, or is foreseen to


@dataclass(frozen=True)
class Field:
    """A managed field.

    `default` is what a creation sends where the wish leaves the field out (None: it is left to the service), `unsaid`
    what it means when the service's object lacks the field, `fields` the fields of a nested object.
    """

    name: str
    value: Value
    default: Any = None
    unsaid: Any = None
    required: bool = False
    fields: tuple[Field, ...] = ()

    def meaning(self, holder: Object | None) -> Hashable:
        """What this field of `holder` means, comparable and sortable."""
        said = (holder or {}).get(self.name)
        return self.value.meaning(self.unsaid if said is None else said)


@dataclass(frozen=True)
class Write:
    """How one kind of change is sent.

    `suffix` goes behind the collection's path; `by_id` appends the object's own id instead when one object is sent.
    `batch` is the largest number of objects in one call; `whole` sends the whole object instead of the changed fields.
    """

    method: str
    suffix: str = ""
    by_id: bool = False
    batch: int = 1
    whole: bool = False


@dataclass(frozen=True)
class Nested:
    """A nested object that the service may leave as it was, and that is then brought into line at its own path."""

    field: str
    path: str
    write: Write


def _flawless(foreseen: Mapping[str, Any]) -> str:
    return ""


def _as_it_is(foreseen: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    return dict(foreseen)


@dataclass(frozen=True)
class Resource:
    """A collection of objects of one shape, or (with an empty key) a single object.

    `volatile` names what the service sets by itself and does not take back. `inside` names the field of one object that
    holds the whole collection as an ordered list, which one `update` replaces; `beside` names the fields of that object
    which go along. `complete` takes the fields that a user
    gave and returns those that are wished for, or raises OptionError. `settle` takes an object with changed fields
    laid over it, and these fields, and returns the object as it can be. `flaw` takes such an object, and says what it
    lacks, or an empty text.
    """

    name: str
    plural: str
    path: str
    fields: tuple[Field, ...]
    key: tuple[str, ...]
    update: Write
    create: Write | None = None
    delete: Write | None = None
    page_size: int = 1000
    kind: str | None = None
    volatile: tuple[str, ...] = ()
    inside: str | None = None
    beside: tuple[str, ...] = ()
    nested: Nested | None = None
    complete: Callable[[Mapping[str, Any]], dict[str, Any]] = dict
    settle: Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]] = _as_it_is
    flaw: Callable[[Mapping[str, Any]], str] = _flawless

    @property
    def title(self) -> str:
        """The name in messages."""
        return self.name.replace("_", " ")

    @property
    def writes(self) -> Mapping[str, Write | None]:
        """By the action of an operation."""
        return {"create": self.create, "update": self.update, "delete": self.delete}

    @cached_property
    def _by_name(self) -> Mapping[str, Field]:
        return {item.name: item for item in self.fields}

    @cached_property
    def _identifying(self) -> tuple[Field, ...]:
        return tuple(self.field(name) for name in self.key)

    @cached_property
    def others(self) -> tuple[Field, ...]:
        """The fields that do not identify an object."""
        return tuple(item for item in self.fields if item.name not in self.key)

    def field(self, name: str) -> Field:
        """The field of that name."""
        return self._by_name[name]

    def key_of(self, holder: Object) -> Key:
        """What identifies an object, by meaning: twins have the same."""
        return tuple([item.meaning(holder) for item in self._identifying])

    def label_of(self, holder: Object) -> str:
        """The key as people read it; a rule that is global by scope and by name is called so once."""
        return " ".join(dict.fromkeys(str(holder.get(name)) for name in self.key)) or self.name

    def defaults(self) -> dict[str, Any]:
        """What a creation sends beside what is wished for."""
        return {item.name: item.default for item in self.fields if item.default is not None}

    def managed(self, holder: Object) -> dict[str, Any]:
        """The declared fields of an object, in the order of the declaration."""
        return _managed(self.fields, holder)


def _managed(fields: tuple[Field, ...], holder: Object) -> dict[str, Any]:
    picked: dict[str, Any] = {}
    for item in fields:
        if item.name in holder:
            said = holder[item.name]
            picked[item.name] = _managed(item.fields, said) if item.fields and isinstance(said, Mapping) else said
    return picked


def options_of(fields: tuple[Field, ...], required: tuple[str, ...] = ()) -> dict[str, dict[str, Any]]:
    """The argument spec of some fields; `required` names those that a user cannot leave out."""
    spec: dict[str, dict[str, Any]] = {}
    for item in fields:
        spec[item.name] = dict(item.value.option)
        if item.fields:
            spec[item.name]["options"] = options_of(item.fields)
        if item.required or item.name in required:
            spec[item.name]["required"] = True
    return spec
