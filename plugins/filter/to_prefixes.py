# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ..plugin_utils import _bytecode  # noqa: F401  # isort: skip  # pylint: disable=unused-import

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ..module_utils._arguments import NEEDED, TEXTS, Argument, Arguments, list_of, result_argument
from ..module_utils._errors import OptionError, OptionProblems, parsed
from ..module_utils._text import Option, plural
from ..module_utils._values.address_set import normalise_network, read_network
from ..plugin_utils._variables import plain, read_call

NAMES = ("value", "slug", "name", "label", "display")  # of a status, type, role or tag
CONTAINER = "container"
WORDS: Argument = {**TEXTS, "default": []}
CONDITIONS: Arguments = {"statuses": WORDS, "tags": WORDS, "roles": WORDS, "exclude_tags": WORDS}
ANSWER: Argument = {**list_of(result_argument(prefix=NEEDED)), "required": True}


def to_prefixes(
    answer: Any,
    statuses: Sequence[str] = ("active",),
    tags: Sequence[str] = (),
    roles: Sequence[str] = (),
    exclude_tags: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The prefixes of an IPAM that are to be protected; see to_prefixes.yml."""
    conditions = {"statuses": statuses, "tags": tags, "roles": roles, "exclude_tags": exclude_tags}
    problems = OptionProblems()
    entries: dict[str, dict[str, Any]] = {}
    try:
        words = read_call(CONDITIONS, **conditions)
        rows = _rows(plain(answer))
        for position, row in enumerate(rows):
            option = Option("answer", position)
            with problems.collected():
                entry = parsed(option, partial(_entry, words), row)
                if entry:
                    _add_entry(option, entry, entries)
        problems.raise_any()
    except (OptionError, ValueError) as exc:
        raise AnsibleFilterError(f"edgeops.protection.to_prefixes: {exc}") from None
    if all(entry["excluded"] for entry in entries.values()):
        number = plural(len(rows), "prefix", "prefixes")
        problem = f"no prefix is left of {number} in the answer; check its conditions"
        raise AnsibleFilterError(f"edgeops.protection.to_prefixes: {problem}")
    return sorted(entries.values(), key=lambda entry: normalise_network(entry["prefix"]))


def _add_entry(option: Option, entry: dict[str, Any], entries: dict[str, dict[str, Any]]) -> None:
    """Add an entry unless its prefix is there; raises OptionError if that one is excluded, and this
    one not, or the reverse."""
    existing = entries.setdefault(entry["prefix"], entry)
    if existing["excluded"] != entry["excluded"]:
        problem = f"{entry['prefix']} is there with and without a tag of exclude_tags"
        raise OptionError(option, problem)


def _entry(words: Mapping[str, Sequence[str]], row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The entry of a prefix, None if it does not meet the conditions; raises ValueError."""
    needed = {"status": words["statuses"], "tags": words["tags"], "role": words["roles"]}
    if not _is_taken(row, needed):
        return None
    excluding = _words(words["exclude_tags"])
    if excluding and "tags" not in row:
        raise ValueError(f"{row['prefix']} has no tags, of which exclude_tags asks")
    _network, prefix = read_network(row["prefix"])
    return {
        "prefix": prefix,
        "comment": row.get("description") or "",
        "excluded": bool(_names(row, "tags") & excluding),
    }


def _rows(answer: Any) -> list[Mapping[str, Any]]:
    """The prefixes of an answer of the API, or of what a lookup makes of it; raises ValueError if
    some are missing."""
    if isinstance(answer, Mapping) and "results" in answer:
        page = answer["results"]
        count = answer.get("count", len(page))
        if answer.get("next") or count != len(page):
            raise ValueError(f"the answer has {len(page)} of {answer.get('count')} prefixes")
        answer = page
    if isinstance(answer, list):
        answer = [_row(listed) for listed in answer]
    rows: list[Mapping[str, Any]] = read_call({"answer": ANSWER}, answer=answer)["answer"]
    return rows


def _row(listed: Any) -> Any:
    """A prefix, out of the dictionary that a lookup puts around it."""
    return listed.get("value", listed) if isinstance(listed, Mapping) else listed


def _is_taken(row: Mapping[str, Any], conditions: Mapping[str, Iterable[str]]) -> bool:
    """Return whether a prefix meets all conditions; a container holds prefixes, and is none."""
    statuses = _names(row, "status")
    if not statuses:
        raise ValueError(f"{row['prefix']} has no status by name; ask Nautobot with depth=1")
    if CONTAINER in statuses | _names(row, "type"):
        return False
    for field, condition in conditions.items():
        words = _words(condition)
        if words and not words & _names(row, field):
            return False
    return True


def _names(row: Mapping[str, Any], field: str) -> set[str]:
    """The names of what a field refers to, in lower case."""
    value = row.get(field)
    names: list[Any] = []
    for reference in value if isinstance(value, list) else [value]:
        if isinstance(reference, Mapping):
            names += [reference.get(name) for name in NAMES]
        else:
            names.append(reference)
    return _words(filter(None, names))


def _words(words: Iterable[Any]) -> set[str]:
    return {str(word).lower() for word in words}


class FilterModule:
    """The filter of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The function, by the name of its filter."""
        return {"to_prefixes": to_prefixes}
