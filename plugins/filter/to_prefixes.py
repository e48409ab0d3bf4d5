# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ..module_utils._specs.arguments import TEXTS, Argument, Arguments
from ..module_utils._text import plural
from ..module_utils._values.address_set import normalise_network, read_network
from ..plugin_utils._plain import plain
from ..plugin_utils._variables import read_call

NAMES = ("value", "slug", "name", "label", "display")  # of a status, type, role or tag
CONTAINER = "container"
WORDS: Argument = {**TEXTS, "default": []}
CONDITIONS: Arguments = {"statuses": WORDS, "tags": WORDS, "roles": WORDS, "exclude_tags": WORDS}


def to_prefixes(
    answer: Any,
    statuses: Sequence[str] = ("active",),
    tags: Sequence[str] = (),
    roles: Sequence[str] = (),
    exclude_tags: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The prefixes of an IPAM that are to be protected; see to_prefixes.yml."""
    try:
        named = {"statuses": statuses, "tags": tags, "roles": roles, "exclude_tags": exclude_tags}
        words = read_call(CONDITIONS, **named)
        needed = {"status": words["statuses"], "tags": words["tags"], "role": words["roles"]}
        excluding = _words(words["exclude_tags"])
        rows = list(_rows(plain(answer)))
        taken: dict[str, dict[str, Any]] = {}
        for row in rows:
            if not _is_taken(row, needed):
                continue
            prefix = read_network(row["prefix"])[1]
            if excluding and "tags" not in row:
                raise ValueError(f"{row['prefix']} has no tags, of which exclude_tags asks")
            excluded = bool(_names(row, "tags") & excluding)
            entry = {
                "prefix": prefix,
                "comment": row.get("description") or "",
                "excluded": excluded,
            }
            if taken.setdefault(prefix, entry)["excluded"] != excluded:
                raise ValueError(f"{prefix} is there with and without a tag of exclude_tags")
        if all(entry["excluded"] for entry in taken.values()):
            number = plural(len(rows), "prefix", "prefixes")
            raise ValueError(f"no prefix is left of {number} in the answer; check its conditions")
    except ValueError as exc:
        raise AnsibleFilterError(f"edgeops.protection.to_prefixes: {exc}") from None
    return sorted(taken.values(), key=lambda entry: normalise_network(entry["prefix"]))


def _rows(answer: Any) -> Iterator[Mapping[str, Any]]:
    """The prefixes of an answer of the API, or of what a lookup makes of it; raises ValueError if
    some are missing."""
    if isinstance(answer, Mapping) and "results" in answer:
        page = answer["results"]
        if answer.get("next") or answer.get("count", len(page)) != len(page):
            raise ValueError(f"the answer has {len(page)} of {answer.get('count')} prefixes")
        answer = page
    if not isinstance(answer, list):
        raise ValueError("the answer is not a list of prefixes; call the lookup with query()")
    for item in answer:
        row = item.get("value", item) if isinstance(item, Mapping) else item
        if not isinstance(row, Mapping) or not isinstance(row.get("prefix"), str):
            raise ValueError(f"{item!r} is not a prefix of NetBox or Nautobot")
        yield row


def _is_taken(row: Mapping[str, Any], conditions: Mapping[str, Iterable[str]]) -> bool:
    """Return whether a prefix meets all conditions; a container holds prefixes, and is none."""
    if not _names(row, "status"):
        raise ValueError(f"{row['prefix']} has no status by name; ask Nautobot with depth=1")
    if CONTAINER in _names(row, "status") | _names(row, "type"):
        return False
    required = ((name, _words(words)) for name, words in conditions.items())
    return all(not words or words & _names(row, name) for name, words in required)


def _names(row: Mapping[str, Any], field: str) -> set[str]:
    """The names of what a field refers to, in lower case."""
    value = row.get(field)
    items = value if isinstance(value, list) else [value]
    named = (
        [item.get(name) for name in NAMES] if isinstance(item, Mapping) else [item]
        for item in items
    )
    return _words(name for names in named for name in names if name)


def _words(words: Iterable[Any]) -> set[str]:
    return {str(word).lower() for word in words}


class FilterModule:
    """The filter of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The function, by the name of its filter."""
        return {"to_prefixes": to_prefixes}
