# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs between the state that a file describes and the one that Cloudflare has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._plan.api_fields import (
    undeclared,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    Field,
    Key,
    Object,
    Resource,
)
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import same_value


@dataclass(frozen=True)
class Expected:
    """The objects that one resource should have, each as Cloudflare had it, and no others but
    those that are left alone. Fields that are not declared and have one of the names in `without`
    are not compared. `order` is that of an ordered list, with objects among them that are left
    alone.
    """

    resource: Resource
    objects: Sequence[Object]
    is_left: Callable[[Object], bool] = lambda obj: False
    without: Collection[str] = ()
    order: Sequence[Key] = ()

    def unmet(self, existing: Iterable[Object]) -> list[str]:
        """A text for each object that differs, is missing, or is there in addition."""
        listed = list(existing)
        remaining: dict[Key, list[tuple[int, Object]]] = {}
        for index, obj in enumerate(listed):
            if not self.is_left(obj):
                remaining.setdefault(self.resource.key_of(obj), []).append((index, obj))
        texts: list[str] = []
        for item in self.objects:
            matches = remaining.get(self.resource.key_of(item), [])
            if not matches:
                texts.append(f"{self._name(item)} is missing")
                continue
            nearest = min(matches, key=partial(self._distance, item))
            matches.remove(nearest)
            texts += [f"{self._name(item)}: {text}" for text in self._unequal(item, nearest[1])]
        more = [match for matches in remaining.values() for match in matches]
        more.sort(key=itemgetter(0))
        texts += [f"{self._name(obj)} is there in addition" for _index, obj in more]
        if self.resource.list_field and not self._is_in_order(listed):
            texts.append(f"the order of the {self.resource.title}s differs")
        return texts

    def _is_in_order(self, existing: Sequence[Object]) -> bool:
        places = {key: place for place, key in enumerate(map(self.resource.key_of, existing))}
        order = self.order or [self.resource.key_of(item) for item in self.objects]
        ranks = [places[key] for key in order if key in places]
        return ranks == sorted(ranks)

    def unequal(self, expected: Object, existing: Object) -> bool:
        """Whether an object is another one than expected."""
        return bool(self._unequal(expected, existing))

    def _distance(self, item: Object, match: tuple[int, Object]) -> tuple[bool, int, int]:
        index, obj = match
        return (obj.get("id") != item.get("id"), len(self._unequal(item, obj)), index)

    def _unequal(self, expected: Object, existing: Object) -> list[str]:
        """What differs between two objects, a text for each field."""
        texts = _unequal_fields(self.resource.fields, expected, existing)
        known, current = (undeclared(self.resource, obj) for obj in (expected, existing))
        names = [
            name
            for name in {**known, **current}
            if not same_value(known.get(name), current.get(name))
        ]
        for name in sorted(set(names) - set(self.without)):
            texts.append(_difference(name, expected, existing))
        return list(dict.fromkeys(texts))

    def _name(self, obj: Object) -> str:
        identity = f" (id {obj['id']})" if obj.get("id") and "id" not in self.resource.key else ""
        return f"{self.resource.title} {self.resource.label_of(obj)}{identity}"


def _unequal_fields(fields: Iterable[Field], expected: Object, existing: Object) -> list[str]:
    texts: list[str] = []
    for item in fields:
        inner, current = expected.get(item.name), existing.get(item.name)
        if item.fields and isinstance(inner, Mapping) and isinstance(current, Mapping):
            nested = _unequal_fields(item.fields, inner, current)
            texts += [f"{item.name}.{text}" for text in nested]
        elif item.normalised(expected) != item.normalised(existing):
            texts.append(_difference(item.name, expected, existing))
    return texts


def _difference(name: str, expected: Object, existing: Object) -> str:
    values: Sequence[Any] = [obj.get(name) for obj in (existing, expected)]
    return f"{name} is {values[0]!r} instead of {values[1]!r}"
