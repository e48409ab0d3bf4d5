# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The existing objects that a desired state names or manages, and which of them stay."""

from __future__ import annotations

from typing import Iterator, NamedTuple, Sequence

from .._errors import PlanError
from .._schema.resource import NO_ITEMS, Key, Object, Resource, Values
from .._text import Message, joined
from .._timestamps import Age, age_of
from .._values.kinds import SAFE_ID
from .desired import IGNORED_IDS, Desired, DesiredObject, Presence
from .plan import Operation, differences


class Match(NamedTuple):
    """An existing object that the task names or manages, its place in the listing, and whether the
    object stays.
    """

    place: int
    obj: Object
    stays: bool = True

    def change(
        self, action: str, resource: Resource, fields: Values, task_values: Values
    ) -> Operation:
        """The update or the deletion of the object. Raises PlanError if its id is missing or not
        well-formed, since the path would then be another one, such as that of the whole collection.
        """
        identity = self.obj.get("id")
        if resource.key and not SAFE_ID.fullmatch(str(identity or "")):
            raise PlanError(
                f"Cloudflare lists {resource.title_of(self.obj)} with the id"
                f" {identity!r}, which cannot be part of a path. Report this to Cloudflare's"
                " support."
            )
        return Operation(action, resource, fields, self.obj, self.place, named=task_values)


class ByKey:
    """The places of existing objects by their keys; for a long list, only the places are kept."""

    def __init__(self, existing: Sequence[Object]) -> None:
        self._existing = existing
        self._places: dict[Key, int] = {}
        self._places_of_duplicates: dict[Key, list[int]] = {}

    def add(self, key: Key, place: int) -> None:
        """Add the object at a place in the listing, by its key."""
        if self._places.setdefault(key, place) != place:
            self._places_of_duplicates.setdefault(key, []).append(place)

    def matches(self, key: Key) -> list[Match]:
        """The objects with a key."""
        earliest = self._places.get(key)
        if earliest is None:
            return []
        places = (earliest, *self._places_of_duplicates.get(key, ()))
        return [Match(place, self._existing[place]) for place in places]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._places)

    def __contains__(self, key: Key) -> bool:
        return key in self._places


def matches_and_values(
    desired: Desired, existing: Sequence[Object]
) -> Iterator[tuple[Match | None, Values]]:
    """Pairs of an existing object and the values that the task names for it, for objects that stay
    and those that go; a new object has None in place of the existing one. Raises PlanError for an
    entry that must exist and does not, for duplicates, and for an ignored object.
    """
    resource, by_key = desired.resource, _existing_by_key(desired, existing)
    missing: list[str] = []
    for key, desired_object in desired.in_order():
        presence, values = desired_object.presence, desired_object.values
        matches = by_key.matches(key)
        if presence in (Presence.EXPIRED, Presence.ABSENT):
            yield from _leaving(resource, desired_object, matches)
        elif matches:
            for match in _chosen(desired, values, matches):
                yield match, values
        elif presence is Presence.OPEN or desired.only_deletes:
            continue  # what may have expired is not created
        elif resource.create:
            yield None, values
        else:
            missing.append(resource.label_of(values))
    if missing:
        key_names = " ".join(resource.key)
        raise PlanError(
            f"There is no {resource.title} with the {key_names} {', '.join(missing)}."
            f" Correct the {key_names}, or remove the entry."
        )
    for key in filter(desired.drops, by_key):
        for match in by_key.matches(key):
            yield match._replace(stays=False), NO_ITEMS


def _leaving(
    resource: Resource, desired_object: DesiredObject, matches: Sequence[Match]
) -> Iterator[tuple[Match, Values]]:
    """The existing objects that an entry removes because it is absent or expired. An absent entry
    comes with the values that the task names, an expired one without values.
    """
    is_expired = desired_object.presence is Presence.EXPIRED
    task_values = NO_ITEMS if is_expired else desired_object.values
    for match in matches:
        check_fixed(resource, match.obj, desired_object.values)
        yield match._replace(stays=False), task_values


def _existing_by_key(desired: Desired, existing: Sequence[Object]) -> ByKey:
    """The existing objects that the desired state manages, by key. Raises PlanError if the task
    names an object that it also ignores.
    """
    resource = desired.resource
    by_key = ByKey(existing)
    ignored: dict[Key, str] = {}
    reasons: dict[Key, str] = {}  # for which the collection leaves an object alone
    for index, obj in enumerate(existing):
        key, reason = resource.key_of(obj), resource.semantics.not_ours(obj)
        if reason:
            reasons[key] = f"{resource.title_of(obj)} exists and {reason}"
        elif desired.ignore_ids and str(obj.get("id")) in desired.ignore_ids:
            ignored[key] = str(obj.get("id"))
        else:
            by_key.add(key, index)
    for key in (*reasons, *ignored):
        if key not in desired.entries or key in by_key:
            continue
        if key in reasons:
            raise PlanError(f"The {reasons[key]}. Choose another {resource.key[0]}.")
        if not desired.absent:
            raise _ignored_only(desired, key, ignored[key])
    return by_key


def _ignored_only(desired: Desired, key: Key, identity: str) -> PlanError:
    """The error for an entry of which the only existing object has an id that the task ignores."""
    resource = desired.resource
    title = resource.title_of(desired.entries[key].values)
    reason = Message(
        f"Cloudflare holds {title} with the id {identity} only, and ", IGNORED_IDS, " names it."
    )
    end = f", or the {resource.title} from the task."
    advice = Message("Remove this id from ", IGNORED_IDS, end)
    return PlanError(joined(" ", (reason, advice)))


def _chosen(desired: Desired, values: Values, matches: Sequence[Match]) -> Sequence[Match]:
    """The objects that stay: of duplicates the one that protects (if the desired values leave that
    open), else the one that is as desired, else the oldest. Of duplicates that contain lists, the
    oldest stays. Raises PlanError if their age is not known.
    """
    resource = desired.resource
    if len(matches) == 1:
        return matches
    have_ages = all(match.obj.get("created_on") for match in matches)
    if resource.holds_rules and not have_ages:
        ids = sorted(str(match.obj.get("id")) for match in matches)
        title = resource.title_of(values)
        raise PlanError(
            f"Cloudflare holds {title} more than once (ids {', '.join(ids)}), and does not"
            " tell which is the oldest. Delete all but one of them, or give them other names."
        )

    protects_nobody = resource.semantics.protects_nobody

    def preference(match: Match) -> tuple[bool, bool, Age]:
        obj = match.obj
        is_other = protects_nobody(obj) is not protects_nobody(values)
        differing: Sequence[str] = ()
        if not resource.holds_rules:
            differing = list(differences(resource.mutable, obj, values))
        return is_other, bool(differing), age_of(obj)

    preferred, *duplicates = sorted(matches, key=preference)
    return preferred, *(match._replace(stays=False) for match in duplicates)


def check_fixed(resource: Resource, existing: Object, values: Values) -> None:
    """Raises PlanError if values would change a field that cannot change."""
    for name, value in differences(resource.fixed, existing, values).items():
        raise PlanError(
            f"The {resource.title_of(existing)} exists with the {name} {existing.get(name)}, and"
            f" not {value}, which cannot change. Correct the {name}, or choose another"
            f" {resource.key[0]}."
        )
