# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects against the declarations of the schema: fields, types, words, networks, expressions,
keys and times."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ZONE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    TIMES_OF_CLOUDFLARE,
    Field,
    Object,
    Resource,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import (
    CUSTOM_RULES,
    FIREWALL_RULES,
    QUOTAS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import first_few, plural
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import read_timestamp
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import AN_EXPRESSION

from .observations import Observation
from .reads import Answer, shown_name, title_of

# What these objects always have, by the vendor's pages "JSON object" of rules; others have all
# fields.
ALWAYS: Mapping[str, frozenset[str]] = {
    FIREWALL_RULES.name: frozenset(["action", "filter"]),
    CUSTOM_RULES.name: frozenset(["ref", "action", "expression", "version", "last_updated"]),
}
OF_A_RULE = frozenset(["ref", "version", "last_updated"])  # of any ruleset
TIMES = frozenset([*TIMES_OF_CLOUDFLARE, "last_updated"])
TYPES: Mapping[str, type] = {"bool": bool, "str": str, "int": int, "dict": dict, "list": list}

Problems = dict[str, Counter[str]]  # by assumption: what is wrong, and in how many objects


def observe_objects(answer: Answer) -> Iterator[Observation]:
    """What the objects of an answer say; nothing if it has none."""
    resource, objects = answer.read.resource, answer.objects
    if not objects:
        return
    problems: Problems = defaultdict(Counter)
    for item in objects:
        shape = resource.document.shape if resource.is_ordered else None
        known = shape.read(item) if shape else item
        _check_object(resource, known, problems)
    for name in _concerned(resource):
        counted = problems.get(name, Counter())
        problem = _counted(counted, len(objects)) if counted else ""
        yield Observation(name, title_of(resource), problem)
    if resource is ZONE:
        yield _plan_of(objects[0])


def is_managed(resource: Resource) -> bool:
    """Whether the collection writes these objects, so that it should know each of their fields."""
    return bool(resource.update or resource.create)


def _concerned(resource: Resource) -> list[str]:
    """The assumptions that objects of a resource are about."""
    fields = resource.fields
    concerned = ["fields_present", "types"]
    concerned += ["fields_known", "words"] if is_managed(resource) else []
    concerned += ["ids"] if resource.key else []
    concerned += ["keys"] if resource.key and "id" not in resource.key else []
    concerned += ["times"] if TIMES & {*resource.read_only} else []
    concerned += ["networks"] if resource.address_field else []
    concerned += ["expressions"] if any(map(_has_expression, fields)) else []
    concerned += ["entry_point"] if resource.is_ordered else []
    return concerned


def _counted(counted: Counter[str], number: int) -> str:
    texts = [
        f"{problem} in {count} of {plural(number, 'object', 'objects')}"
        for problem, count in sorted(counted.items())
    ]
    return first_few(texts)


def _check_object(resource: Resource, item: Object, problems: Problems) -> None:
    expected = [*resource.fields]
    known = {field.name for field in expected} | {*resource.assigned, *resource.read_only}
    if resource.key and not (isinstance(item.get("id"), str) and item["id"]):
        problems["ids"]["no id"] += 1
    if is_managed(resource):
        _check_names(item, known, problems, "")
    for name in _always(resource) - {*item}:
        problems["fields_present"][f"no {name}"] += 1
    for field in expected:
        _check_field(resource, field, item, problems)
    for name in TIMES & {*resource.read_only} & {*item}:
        if read_timestamp(item[name]) is None:
            problems["times"][f"an unreadable {name}"] += 1
    if resource.is_ordered and not item.get("ref"):
        problems["entry_point"]["no ref"] += 1
    _count_key(resource, item, problems)


def _always(resource: Resource) -> set[str]:
    """The fields that every object has, beside its id."""
    if not is_managed(resource):
        return {*resource.key} - {"id"}
    if resource.name in ALWAYS or resource.is_ordered:
        return {*ALWAYS.get(resource.name, OF_A_RULE)}
    fields = [field.name for field in resource.fields if field.absent_default is None]
    return {*fields, *resource.read_only} - {"id"}


def _check_names(item: Mapping[str, Any], known: set[str], problems: Problems, within: str) -> None:
    for name in {*item} - known:
        problems["fields_known"][f"unknown field {within}{shown_name(name)}"] += 1


def _check_field(resource: Resource, field: Field, item: Object, problems: Problems) -> None:
    value, option = item.get(field.name), field.value.option
    if value is None:
        return
    expected = TYPES.get(str(option["type"]))
    if (expected and not isinstance(value, expected)) or (expected is int and value is True):
        problem = f"{field.name} is a {type(value).__name__}"
        problems["types"][problem] += 1
        return
    if field.fields:
        _check_nested(resource, field, value, problems)
    elif isinstance(value, Mapping):
        known = set(option.get("options") or value)
        _check_names(value, known, problems, f"{field.name}.")
    elif field.name == resource.address_field:
        _try(field, value, problems["networks"], f"{field.name} is not a network")
    elif _has_expression(field):
        _try(field, value, problems["expressions"], "an expression that cannot be read")
    _check_words(field, value, problems)


def _check_nested(resource: Resource, field: Field, value: Any, problems: Problems) -> None:
    nested = resource.nested
    known = {inner.name for inner in field.fields} | {*(nested.read_only if nested else ())}
    _check_names(value, known, problems, f"{field.name}.")
    for inner in field.fields:
        _check_field(resource, inner, value, problems)


def _check_words(field: Field, value: Any, problems: Problems) -> None:
    choices = field.value.option.get("choices")
    if not choices:
        return
    known = {str(choice).casefold() for choice in choices}
    for word in value if isinstance(value, list) else [value]:
        if str(word).casefold() not in known:
            problems["words"][f"{field.name} is {shown_name(word)}"] += 1


def _has_expression(field: Field) -> bool:
    if field.fields:
        return any(map(_has_expression, field.fields))
    return field.value.holds == AN_EXPRESSION


def _try(field: Field, value: Any, problems: Counter[str], problem: str) -> None:
    """Count a value that a task could not ask for, or of which it would be warned."""
    try:
        is_odd = bool(field.value.examine(field.value.parse(value)))
    except ValueError:
        is_odd = True
    problems.update([problem] if is_odd else [])


def _count_key(resource: Resource, item: Object, problems: Problems) -> None:
    """Count the objects of each key, and of those that come more than once the further ones."""
    if not resource.key or "id" in resource.key:
        return
    keys = problems["(keys)"]
    key = repr(resource.key_of(item))
    keys[key] += 1
    if keys[key] > 1:
        problems["keys"][f"the same {' and '.join(resource.key)}"] += 1


def _plan_of(zone: Object) -> Observation:
    plan = zone.get("plan")
    name = plan.get("legacy_id") if isinstance(plan, Mapping) else None
    problem = f"the plan is {shown_name(name)}" if name else "the zone does not say its plan"
    return Observation("plans", ZONE.title, "" if name in QUOTAS else problem)
