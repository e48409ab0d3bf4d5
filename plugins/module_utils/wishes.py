# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From a module's options to wishes: what one collection is wanted to hold, strictly read, before any request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence, Tuple

from .declaration import Field, Key, Resource
from .errors import OptionError

Values = Mapping[str, Any]
Position = Tuple[str, str]  # first, last, before or after; and the ref of the other
Entries = Sequence[Tuple[str, Mapping[str, Any]]]  # options, each behind the words that lead to it: `prefixes[2].`


@dataclass(frozen=True)
class Wishes:
    """Wanted values by key, each with the fields that the user gave and no others.

    `absent` wants the keys gone, `exact` wants everything else gone. `positions` says of some keys where a new object
    goes in a list whose order matters.
    """

    resource: Resource
    wanted: Mapping[Key, Values]
    absent: bool = False
    exact: bool = False
    positions: Mapping[Key, Position] = field(default_factory=dict)


def read_position(text: str) -> Position:
    """A place in an ordered list: `first`, `last`, `before REF` or `after REF`; raises ValueError."""
    place, dummy, ref = text.strip().partition(" ")
    if (place in ("first", "last") and not ref) or (place in ("before", "after") and ref.strip()):
        return place, ref.strip()
    raise ValueError(f"'{text}' is not first, last, before REF or after REF")


def read_wishes(resource: Resource, entries: Entries, absent: bool = False, exact: bool = False) -> Wishes:
    """Read the options of some objects; raises OptionError for a value that is malformed and a key named twice."""
    wanted: dict[Key, Values] = {}
    places: dict[Key, str] = {}
    for place, options in entries:
        values = read_values(resource, place, options)
        key = resource.key_of(values)
        if key in wanted:
            raise OptionError(
                place.rstrip("."),
                "{} is named here and in {}; keep one of them".format(
                    resource.label_of(values), places[key].rstrip(".")
                ),
            )
        wanted[key] = values
        places[key] = place
    return Wishes(resource, wanted, absent=absent, exact=exact)


def read_values(resource: Resource, place: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the user gave, as they are sent; raises OptionError."""
    values = _read(resource.fields, place, options, resource.title)
    try:
        return resource.complete(values)
    except OptionError as exc:
        raise OptionError(place + exc.option, exc.problem) from exc


def _read(fields: tuple[Field, ...], place: str, options: Mapping[str, Any], holder: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    unread = {name: given for name, given in options.items() if given is not None}
    for item in fields:
        name = item.name
        if name not in unread:
            continue
        given = unread.pop(name)
        if item.fields:
            values[name] = _read(item.fields, f"{place}{name}.", given, item.name)
            continue
        try:
            values[name] = item.value.parse(given)
        except ValueError as exc:
            raise OptionError(place + name, str(exc)) from exc
    for name in unread:
        raise OptionError(place + name, f"{holder} has no such field; leave it out")
    return values


def numbered(option: str, entries: Sequence[Mapping[str, Any]]) -> Entries:
    """The entries of a list option, each with its place in it."""
    return [(f"{option}[{position}].", entry) for position, entry in enumerate(entries)]


def check_purge(option: str, listed: Sequence[Any] | None, empty: bool = False, absent: bool = False) -> None:
    """A purge takes a list that says what stays, and an empty one only where that is accepted; raises OptionError."""
    if absent:
        raise OptionError("purge", "it goes with state present only; absent removes just what it names")
    if listed is None:
        raise OptionError("purge", f"it takes {option}, the list of what stays")
    if not listed and not empty:
        raise OptionError(
            option,
            "purge with an empty list would remove everything; if this is meant, add accept_risks: [empties_list]",
        )
