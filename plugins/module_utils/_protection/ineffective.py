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
from typing import (
    Any,
    Callable,
    Container,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
    TypedDict,
)

from .._errors import ProtectionError
from .._plan.desired import Desired
from .._schema.account import ALLOWLIST, FILTERS, PREFIXES
from .._schema.custom_rulesets import CUSTOM_RULESETS
from .._schema.lists import APEX, HOSTNAME, LISTS
from .._schema.neighbours import ONBOARDED
from .._schema.registry import DDOS_OVERRIDES, EVALUATION, evaluated_as
from .._schema.resource import NO_ITEMS, Key, Object, ReadCollection, Resource, State
from .._text import Option
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
from .arriving import OUTSIDE
from .claims import claims_of_list
from .coverage import Coverage, outermost
from .covering import UNKNOWN_END, Claim, lasts_as_long
from .empty_lists import Ends, EndsByCollection

COVERED = "covered"
CHECKED = (PREFIXES, ALLOWLIST, *FILTERS, *DDOS_OVERRIDES, *EVALUATION)
NO_NETWORK = "it lies outside of every network that the account protects or announces"
CHECKED_NAMES = frozenset(resource.plural for resource in CHECKED)
KeysOfTask = Mapping[str, Container[Key]]  # by collection
Brings = Callable[[Option], bool]  # whether a posture brings the entry of an option


class IneffectiveRecord(TypedDict):
    """An object that cannot work, as results show it."""

    resource: str
    key: str
    kind: str
    by: list[str]
    reason: str


def is_checked(resource: Resource) -> bool:
    """Return whether objects of a collection are checked for being ineffective."""
    return evaluated_as(resource).plural in CHECKED_NAMES or resource.parent is LISTS


def ineffective_in(
    state: State,
    desired: Sequence[Desired],
    is_report: bool,
    read: ReadCollection,
    brings: Brings | None = None,
) -> list[IneffectiveRecord] | None:
    """Records of the task's objects that cannot work in a state; for a report, of all such objects.
    None if nothing in the task is checked. If an object lies outside the protected networks, `read`
    reads the networks that the account may announce."""
    checked = [wanted for wanted in desired if is_checked(wanted.resource)]
    if not checked and not is_report:
        return None
    ends = {wanted.resource.plural: _ends_of(wanted, brings) for wanted in checked}
    keys: KeysOfTask | None = None
    if not is_report:
        keys = {wanted.resource.plural: wanted.entries.keys() for wanted in checked}
    records = ineffective_records(state, keys, ends)
    if any(record["kind"] == OUTSIDE for record in records):
        records = ineffective_records(state, keys, ends, _may_announce(read))
    return records


def _ends_of(desired: Desired, brings: Brings | None) -> Ends:
    """The end of each object that expires. The end of an object from a posture is not known
    here."""
    if brings is None:
        return desired.expires
    ends = dict(desired.expires)
    for key, path in desired.paths.items():
        if brings(path):
            ends[key] = UNKNOWN_END
    return ends


def _may_announce(read: ReadCollection) -> Ranges:
    """The networks that the account brought to Cloudflare and may announce; every address if they
    are not known."""
    announced = []
    try:
        brought = read(ONBOARDED)
    except ProtectionError:
        return EVERYTHING
    for obj in brought:
        network = range_of(obj.get("cidr"))
        if network is None:
            return EVERYTHING
        announced.append(network)
    return union(announced)


def ineffective_records(
    state: State,
    keys_of_task: KeysOfTask | None = None,
    ends: EndsByCollection = NO_ITEMS,
    announced: Sequence[Range] = (),
) -> list[IneffectiveRecord]:
    """A record of each object of a state that cannot work; with `keys_of_task`, only of objects
    with these keys. `announced` are networks that the account may announce."""
    records: list[IneffectiveRecord] = []
    for resource in _resources_of(state):
        keys: Container[Key] | None = None
        if keys_of_task is not None:
            keys = keys_of_task.get(resource.plural)
            if not keys:
                continue
        for claim in _claims(resource, state, ends, announced):
            if keys is None or claim.key in keys:
                records.append(_record(resource, claim))
    return records


def _record(resource: Resource, claim: Claim) -> IneffectiveRecord:
    return IneffectiveRecord(
        resource=resource.name,
        key=claim.label,
        kind=claim.kind,
        by=[*claim.by],
        reason=claim.reason,
    )


def _resources_of(state: State) -> Iterator[Resource]:
    """The collections in a state whose objects are checked for being ineffective."""
    resources = [*CHECKED]
    for parent in (LISTS, *CUSTOM_RULESETS.values()):
        resources += parent.contents_in(state)
    return (resource for resource in resources if state.get(resource.plural))


def _claims(
    resource: Resource, state: State, ends: EndsByCollection, announced: Sequence[Range]
) -> Iterable[Claim]:
    objects = state[resource.plural]
    if resource is ALLOWLIST or resource.parent is LISTS:
        active = [obj for obj in objects if FLAG.normalise(obj.get("enabled", True)) != "false"]
        return _covered(resource, active, ends.get(resource.plural, {}))
    networks = _networks_of_account(state, announced)
    if resource is PREFIXES:
        return _carving_nothing(objects, networks)
    return claims_of_list(resource, state, networks, ends)


class Span(NamedTuple):
    """The first and last address of a network, or the first and last name that a hostname or
    wildcard covers, as labels in reverse order (`com`, `example`)."""

    start: Any
    end: Any


class SpannedObject(NamedTuple):
    """An object of a list, with the span of its network or hostname."""

    span: Span
    obj: Object


def _covered(resource: Resource, objects: Sequence[Object], ends: Ends) -> Iterator[Claim]:
    """Claims on networks and hostnames that lie within another one which lasts as long; each claim
    names the widest of these."""
    covering: list[SpannedObject] = []
    for inner in _within_wide(resource, objects):
        covering = [outer for outer in covering if outer.span.end >= inner.span.end]
        for outer in covering:
            if outer.span != inner.span and _lasts_as_long(resource, outer.obj, inner.obj, ends):
                yield _covered_claim(resource, inner.obj, outer.obj, ends)
                break
        covering.append(inner)


def _within_wide(resource: Resource, objects: Sequence[Object]) -> list[SpannedObject]:
    """The objects that lie within a network or below a wildcard of the list, ordered by their
    start, the widest first."""
    (name,) = resource.key
    wide: list[Any] = []
    for obj in objects:
        text = str(obj.get(name))
        if text.startswith(ANY_LABEL) or "/" in text:
            span = _span(resource, obj)
            if span and span.start < span.end:
                wide.append((span.start, span.end))
    outermost_spans = outermost(wide)
    if not outermost_spans:  # of a long list, few lie within others
        return []
    starts = [start for start, _end in outermost_spans]
    inner: list[SpannedObject] = []
    for obj in objects:
        span = _span(resource, obj)
        if span is None:
            continue
        place = bisect_right(starts, span.start) - 1
        if place >= 0 and span.end <= outermost_spans[place][1]:
            inner.append(SpannedObject(span, obj))
    inner.sort(key=lambda spanned: spanned.span.end, reverse=True)
    inner.sort(key=lambda spanned: spanned.span.start)
    return inner


def _lasts_as_long(resource: Resource, outer: Object, inner: Object, ends: Ends) -> bool:
    """Return whether the object `outer` ends no earlier than the object `inner`."""
    end_of_outer = ends.get(resource.key_of(outer))
    end_of_inner = ends.get(resource.key_of(inner))
    return lasts_as_long(end_of_outer, end_of_inner)


def _covered_claim(resource: Resource, inner: Object, outer: Object, ends: Ends) -> Claim:
    outer_label = resource.label_of(outer)
    reason = f"{outer_label} covers it"
    if resource.key_of(outer) in ends:
        reason += ", and lasts as long"
    key, label = resource.key_of(inner), resource.label_of(inner)
    return Claim(key, label, COVERED, [outer_label], reason)


LAST_LABEL = "~"  # behind every label


def _span(resource: Resource, obj: Object) -> Span | None:
    """The span of the network or hostname of an object; None if it is malformed."""
    (field,) = resource.key
    if field != HOSTNAME:
        network = range_of(obj.get(field))
        return Span(*network) if network else None
    name = str(obj.get(field))
    is_wide = name.startswith(ANY_LABEL)
    if is_wide:
        name = name[len(ANY_LABEL) :]
    labels = tuple(reversed(name.split(".")))
    if not is_wide:
        return Span(labels, labels)
    start = labels if APEX in obj else (*labels, "")
    return Span(start, (*labels, LAST_LABEL))


def _carving_nothing(prefixes: Sequence[Object], networks: Ranges) -> Iterator[Claim]:
    """Claims on the excluded prefixes that do not overlap any network of the account."""
    for prefix in prefixes:
        excluded = range_of(prefix.get("prefix"))
        is_excluded = FLAG.normalise(prefix.get("excluded")) == "true"
        if not is_excluded or not excluded or not networks:
            continue
        if not intersection([excluded], networks):
            key, label = PREFIXES.key_of(prefix), PREFIXES.label_of(prefix)
            yield Claim(key, label, OUTSIDE, [], NO_NETWORK)


def _networks_of_account(state: State, announced: Sequence[Range]) -> Ranges:
    """The networks that the account protects (also if excluded) or announces; empty if they are not
    known."""
    prefixes = state.get(PREFIXES.plural)
    if prefixes is None or None in [range_of(obj.get("prefix")) for obj in prefixes]:
        return []
    return union([*Coverage(state).inside, *announced])
