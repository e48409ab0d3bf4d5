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
    """The version of the object around a list, 0 if there is none yet; None if Cloudflare does not
    number it."""
    if not document:
        return 0
    version = str(document.get("version"))
    if not version.isascii() or not version.isdigit():
        return None
    return int(version) if len(version) < MAX_DIGITS else None


class Versions:
    """The known versions of one list by their numbers: the last one that was read before this run
    wrote, those of its answers, and those that were read later. `of_this_run` are the numbers of
    its answers."""

    def __init__(self) -> None:
        self.known: dict[int, Sequence[Object]] = {}
        self.of_this_run: set[int] = set()
        self.is_written = False

    def keep(
        self, number: int | None, objects: Sequence[Object], of_this_run: bool = False
    ) -> None:
        """Keep a version; as long as this run has not written, only the last one that was read is
        kept."""
        if not self.is_written:
            self.known.clear()
        if number is None:
            return
        self.known[number] = objects
        if of_this_run:
            self.of_this_run.add(number)

    @property
    def unknown(self) -> list[int]:
        """The numbers between the known ones, of versions that other writers made, or earlier
        attempts."""
        if not self.is_written or not self.known:
            return []
        between = range(min(self.known), max(self.known))
        return [number for number in between if number not in self.known]


def oldest_first(resource: Resource, objects: Sequence[Object], read: ReadBelow) -> list[Object]:
    """The objects of a listing, with duplicates, objects of one key, at its end, the oldest of them
    first. Each duplicate has its time of creation if that is known, and all but the oldest have
    their contents. Raises ServiceError."""
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
    """An object with its contents and its time of creation, which is that of its first version;
    None if the object is gone."""
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
