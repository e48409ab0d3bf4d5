# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Versions of ordered lists, as Cloudflare numbers them; and by the first versions, which is the
oldest of several objects that hold a list and have one name."""

from __future__ import annotations

from functools import partial
from typing import Callable, Sequence

from .._concurrency import concurrently
from .._errors import ServiceError
from .._schema.resource import CONTENTS, NO_ITEMS, Key, Object, Resource, without
from .._timestamps import age_of
from .._values.kinds import SAFE_ID

MAX_DIGITS = 19  # a longer text is no version
ReadBelow = Callable[[str], Object]  # by the end of a path; raises ServiceError


def version_of(document: Object) -> int | None:
    """The version of the object around a list, 0 where there is none yet; None where Cloudflare
    does not number it."""
    if not document:
        return 0
    version = str(document.get("version"))
    if not version.isascii() or not version.isdigit():
        return None
    return int(version) if len(version) < MAX_DIGITS else None


class Versions:
    """The versions of one list that are known: the one that was read before this run wrote, those
    of its answers, and those that were read later."""

    def __init__(self) -> None:
        self.known: dict[int, Sequence[Object]] = {}
        self.own: set[int] = set()
        self.is_written = False

    def keep(
        self, number: int | None, objects: Sequence[Object], of_this_run: bool = False
    ) -> None:
        """Keep a version; what was read before it does not matter as long as nothing is written."""
        if not self.is_written:
            self.known.clear()
        if number is None:
            return
        self.known[number] = objects
        if of_this_run:
            self.own.add(number)

    @property
    def unknown(self) -> list[int]:
        """The numbers in between, of versions that others wrote, or earlier attempts."""
        if not self.is_written or not self.known:
            return []
        between = range(min(self.known), max(self.known))
        return [number for number in between if number not in self.known]


def oldest_first(resource: Resource, objects: Sequence[Object], read: ReadBelow) -> list[Object]:
    """The objects of a listing; of those with one key, each has its time of creation if that is
    known, and all but the oldest have what they hold. Raises ServiceError."""
    by_key: dict[Key, list[Object]] = {}
    for obj in resource.our_objects(objects):
        by_key.setdefault(resource.key_of(obj), []).append(obj)
    listing = list(objects)
    for duplicates in by_key.values():
        if len(duplicates) < 2:
            continue
        ids = [obj.get("id") for obj in duplicates]
        listing = [obj for obj in listing if obj.get("id") not in ids]
        dated = [obj for obj in concurrently(partial(_dated, read), duplicates) if obj]
        dated.sort(key=age_of)
        listing += [without(obj, CONTENTS) for obj in dated[:1]]
        listing += dated[1:]
    return listing


def _dated(read: ReadBelow, obj: Object) -> Object | None:
    """An object with its list and its time of creation, which is that of its first version; None
    if it is gone."""
    identity = str(obj.get("id") or "")
    if not SAFE_ID.fullmatch(identity):
        return {**obj, CONTENTS: []}
    try:
        document = read(f"/{identity}")
    except ServiceError as exc:
        if exc.status != 404:
            raise
        return None
    original = document
    if version_of(document) != 1:
        try:
            original = read(f"/{identity}/versions/1")
        except ServiceError:
            original = NO_ITEMS
    return {CONTENTS: [], **obj, **document, "created_on": original.get("last_updated")}
