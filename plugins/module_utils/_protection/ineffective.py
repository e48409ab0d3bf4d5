# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules, and other objects, that cannot work, each with what it is ineffective by.

A claim is proven: by the solver, with the addresses of the lists that are known. A rule that is off
is not looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime
from typing import Any, Container, Iterable, Iterator, Mapping, Sequence, TypedDict

from .._errors import ProtectionError
from .._expressions.covering import Claim
from .._plan.desired import Desired
from .._schema.account import ALLOWLIST, FILTERS, PREFIXES
from .._schema.custom_rulesets import CUSTOM_RULESETS
from .._schema.lists import APEX, HOSTNAME, LISTS
from .._schema.neighbours import ONBOARDED
from .._schema.registry import DDOS_OVERRIDES, EVALUATION, evaluated_as
from .._schema.resource import NO_ITEMS, Key, Object, ReadCollection, Resource, State
from .._values.address_set import (
    ANY_LABEL,
    EVERYTHING,
    Range,
    Ranges,
    intersection,
    range_of,
    union,
)
from .._values.kinds import FLAG
from .coverage import Coverage, outermost
from .ineffective_rules import OUTSIDE, claims_of_list

COVERED = "covered"
CHECKED = (PREFIXES, ALLOWLIST, *FILTERS, *DDOS_OVERRIDES, *EVALUATION)
NO_NETWORK = "it lies outside of every network that the account protects or announces"
CHECKED_NAMES = frozenset(one.plural for one in CHECKED)
Named = Mapping[str, Container[Key]]  # keys by collection
Ends = Mapping[Key, datetime]  # of objects that end


class IneffectiveRecord(TypedDict):
    """An object that cannot work, as results show it."""

    resource: str
    key: str
    kind: str
    by: list[str]
    reason: str


def is_checked(resource: Resource) -> bool:
    """Return whether objects of a collection can be ineffective."""
    return evaluated_as(resource).plural in CHECKED_NAMES or resource.parent is LISTS


def ineffective_in(
    state: State, desired: Sequence[Desired], is_report: bool, read: ReadCollection
) -> list[IneffectiveRecord] | None:
    """The objects of a task that cannot work in a state, or for a report all that exist in it and
    cannot; None for a task that has no such objects. If some lie outside of what the account
    protects, the networks that it may announce are read."""
    checked = [item for item in desired if is_checked(item.resource)]
    if not checked and not is_report:
        return None
    named = {item.resource.plural: item.entries.keys() for item in checked}
    ends = {item.resource.plural: item.expires for item in checked}
    asked = None if is_report else named
    records = ineffective_records(state, asked, ends)
    if any(one["kind"] == OUTSIDE for one in records):
        records = ineffective_records(state, asked, ends, _may_announce(read))
    return records


def _may_announce(read: ReadCollection) -> Ranges:
    """The networks that an account has brought, and may announce; any, if they are not known."""
    try:
        brought = [range_of(one.get("cidr")) for one in read(ONBOARDED)]
    except ProtectionError:
        return EVERYTHING
    known = [one for one in brought if one]
    return union(known) if len(known) == len(brought) else EVERYTHING


def ineffective_records(
    state: State,
    named: Named | None = None,
    ends: Mapping[str, Ends] = NO_ITEMS,
    announced: Sequence[Range] = (),
) -> list[IneffectiveRecord]:
    """The objects of a state that cannot work; if some are `named`, of these alone."""
    records: list[IneffectiveRecord] = []
    for resource in _resources_of(state):
        keys = None if named is None else named.get(resource.plural)
        if named is None or keys:
            records += [
                IneffectiveRecord(
                    resource=resource.name,
                    key=claim.label,
                    kind=claim.kind,
                    by=[*claim.by],
                    reason=claim.reason,
                )
                for claim in _claims(resource, state, ends.get(resource.plural, {}), announced)
                if keys is None or claim.key in keys
            ]
    return records


def _resources_of(state: State) -> Iterator[Resource]:
    """The collections of a state, of which objects can be ineffective."""
    holders = (LISTS, *CUSTOM_RULESETS.values())
    every = [*CHECKED, *(inner for one in holders for inner in one.contents_in(state))]
    return (one for one in every if state.get(one.plural))


def _claims(
    resource: Resource, state: State, ends: Ends, announced: Sequence[Range]
) -> Iterable[Claim]:
    objects = state[resource.plural]
    if resource is ALLOWLIST or resource.parent is LISTS:
        active = [one for one in objects if FLAG.normalise(one.get("enabled", True)) != "false"]
        return _covered(resource, active, ends)
    own = _own_networks(state, announced)
    if resource is PREFIXES:
        return _carving_nothing(objects, own)
    return claims_of_list(resource, state, own)


def _covered(resource: Resource, objects: Sequence[Object], ends: Ends) -> Iterator[Claim]:
    """The networks and hostnames within another one that lasts as long; each by the widest one."""
    (name,) = resource.key
    wide = [
        obj
        for obj in objects
        if str(obj.get(name)).startswith(ANY_LABEL) or "/" in str(obj.get(name))
    ]
    spans = [span for span in (_span(resource, obj) for obj in wide) if span and span[0] < span[1]]
    outer = outermost(spans)
    starts = [first for first, _last in outer]
    known = []
    for obj in objects if outer else ():  # of a long list, few lie within others
        span = _span(resource, obj)
        place = bisect_right(starts, span[0]) - 1 if span else -1
        if place >= 0 and span[1] <= outer[place][1]:
            known.append((span, obj))
    known.sort(key=lambda item: item[0][1], reverse=True)
    around: list[tuple[Any, Object]] = []
    for span, obj in sorted(known, key=lambda item: item[0][0]):
        around = [item for item in around if item[0][1] >= span[1]]
        key = resource.key_of(obj)
        for other, wider in around:
            end = ends.get(resource.key_of(wider))
            if other != span and (end is None or (key in ends and ends[key] <= end)):
                by = resource.label_of(wider)
                reason = f"{by} covers it{'' if end is None else ', and lasts as long'}"
                yield Claim(key, resource.label_of(obj), COVERED, [by], reason)
                break
        around.append((span, obj))


LAST_LABEL = "~"  # behind every label


def _span(resource: Resource, obj: Object) -> Any:
    """The first and the last address of a network, or of a hostname its labels from behind: all
    names below `*.` lie between two; None of anything else."""
    (field,) = resource.key
    if field != HOSTNAME:
        return range_of(obj.get(field))
    name = str(obj.get(field))
    is_wide = name.startswith(ANY_LABEL)
    labels = tuple(reversed(name[len(ANY_LABEL) if is_wide else 0 :].split(".")))
    if not is_wide:
        return labels, labels
    return labels if APEX in obj else (*labels, ""), (*labels, LAST_LABEL)


def _carving_nothing(prefixes: Sequence[Object], own: Ranges) -> Iterator[Claim]:
    """The excluded prefixes that exclude nothing."""
    for obj in prefixes:
        network = range_of(obj.get("prefix"))
        is_excluded = FLAG.normalise(obj.get("excluded")) == "true"
        if is_excluded and network and own and not intersection([network], own):
            yield Claim(PREFIXES.key_of(obj), PREFIXES.label_of(obj), OUTSIDE, [], NO_NETWORK)


def _own_networks(state: State, announced: Sequence[Range]) -> Ranges:
    """The networks that an account protects or announces, exclusions not taken off; none if they
    are not known."""
    prefixes = state.get(PREFIXES.plural)
    if prefixes is None or None in [range_of(obj.get("prefix")) for obj in prefixes]:
        return []
    return union([*Coverage(state).inside, *announced])
