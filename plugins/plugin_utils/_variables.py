# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of a role against what it takes: types, choices, unknown and missing fields.

The playbooks import the roles so that ansible-core does not check them in a task of its own on
every host; this checks what ansible-core would, by its own converters of types, and says which
entry of a list is wrong.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from ansible.module_utils.common.validation import (
    check_type_bool,
    check_type_dict,
    check_type_float,
    check_type_int,
    check_type_list,
)

from ..module_utils._api.settings import known_secrets
from ..module_utils._remembered import remembered
from ..module_utils._specs.base import CRASHES
from ..module_utils._text import (
    OWN_NAMES,
    Option,
    did_you_mean,
    excerpt,
    first_few,
    first_joined,
    redact,
    visible,
)
from ..module_utils._timestamps import parse_expiry

Argument = Mapping[str, Any]  # as in an argument spec: type, elements, choices, options, required
Arguments = Mapping[str, Argument]
Problem = tuple[Option, str]  # what is wrong, and how

NEEDED: Argument = {"type": "str", "required": True}
TEXTS: Argument = {"type": "list", "elements": "str"}

CONTACTS = {"owner": "edge_owner", "runbook": "edge_runbook"}  # of a host, as the report names them
MAX_PROBLEMS = 8  # in one message
MAX_FIELDS = 15  # in one sentence
LONGEST_SHOWN = 60  # characters
CONVERTERS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "bool": (check_type_bool, "neither true nor false"),
    "int": (check_type_int, "not a whole number"),
    "float": (check_type_float, "not a number"),
    "dict": (check_type_dict, "not a dictionary"),
    "list": (check_type_list, "not a list"),
}
TEXT_TYPES = ("str", "path")


def require_valid(arguments: Arguments, values: Mapping[str, Any]) -> None:
    """Raise ValueError if values of a role's variables are wrong, in words without its secrets."""
    problems = list(wrong_values(arguments, values))
    if problems:
        raise ValueError(redact(message_of(problems), _secrets(arguments, values)))


def _secrets(arguments: Arguments, values: Mapping[str, Any]) -> list[str]:
    """The secrets of the variables and the environment, longer ones first."""
    named = (values.get(name) for name, argument in arguments.items() if argument.get("no_log"))
    secrets = {*known_secrets({}, os.environ), *(str(value) for value in named if value)}
    return sorted(secrets, key=len, reverse=True)


def wrong_values(arguments: Arguments, values: Mapping[str, Any]) -> Iterator[Problem]:
    """The problems in the values of variables; a variable that is null or not there is not set."""
    for name, argument in arguments.items():
        value = values.get(name)
        if isinstance(value, (list, Mapping)):
            yield from _wrong_container(name, argument, value)
        elif value is not None:
            yield from _wrong(Option(name), argument, value)


@remembered(256)
def _wrong_container(name: str, argument: Argument, value: Any) -> list[Problem]:
    return list(_wrong(Option(name), argument, value))


def expiry_of(name: str, value: Any) -> datetime:
    """The moment from which something no longer counts, as the variable of this name says; raises
    ValueError."""
    try:
        return parse_expiry(str(value))
    except ValueError as exc:
        raise ValueError(f"{name}: {exc}.") from exc


def sentence_of(option: Option, text: str) -> str:
    """A problem as messages tell it, with the name of the variable."""
    return f"{visible(option.name(OWN_NAMES))}: {text}"


def message_of(problems: Sequence[Problem]) -> str:
    """One message for all problems, of which it tells the first ones."""
    texts = [sentence_of(*problem) for problem in problems]
    if len(texts) == 1:
        return f"{texts[0]}."
    numbered = [f"({number}) {text}" for number, text in enumerate(texts, 1)]
    return f"{len(texts)} errors in the variables: {first_joined(numbered, '; ', MAX_PROBLEMS)}."


def _wrong(option: Option, argument: Argument, value: Any) -> Iterator[Problem]:
    kind = argument.get("type", "str")
    if kind in TEXT_TYPES and isinstance(value, (Mapping, list, tuple)):
        yield option, f"it is {_as_shown(value, argument)}, not text"
    if kind not in CONVERTERS:
        yield from _wrong_choice(option, argument, value)
        return
    convert, otherwise = CONVERTERS[kind]
    try:
        converted = convert(value)
    except CRASHES:
        fields = (argument.get("options") or {}) if kind == "dict" else {}
        needed = [f"{name}: ..." for name, one in fields.items() if one.get("required")]
        hint = f"{otherwise}; write {{{', '.join(needed)}}}" if needed else otherwise
        yield option, f"{_as_shown(value, argument)} is {hint}"
        return
    if kind == "list":
        yield from _wrong_items(option, argument, converted)
    elif kind == "dict":
        yield from _wrong_fields(option, argument.get("options"), converted)
    else:
        yield from _wrong_choice(option, argument, converted)


def _wrong_items(option: Option, argument: Argument, items: Sequence[Any]) -> Iterator[Problem]:
    of_item = {**argument, "type": argument.get("elements", "raw")}
    for index, item in enumerate(items):
        if item is None:
            yield option.at(index), "it is null"
        else:
            yield from _wrong(option.at(index), of_item, item)


def _wrong_fields(
    option: Option, fields: Arguments | None, values: Mapping[Any, Any]
) -> Iterator[Problem]:
    """The problems in a dictionary; one without declared fields takes any."""
    if fields is None:
        return
    for name in values:
        if name not in fields:
            yield option.at(excerpt(str(name), LONGEST_SHOWN)), _no_such_field(str(name), fields)
    for name, argument in fields.items():
        value = values.get(name)
        if value is not None:
            yield from _wrong(option.at(name), argument, value)
        elif argument.get("required"):
            yield option, f"it lacks {name}"
        elif name in values and argument.get("choices"):
            yield option.at(name), "it is null; leave it out"


def _no_such_field(name: str, fields: Arguments) -> str:
    others = f"; the fields are {first_few(fields, MAX_FIELDS)}"
    return f"there is no such field{did_you_mean(name.lower(), fields) or others}"


def _wrong_choice(option: Option, argument: Argument, value: Any) -> Iterator[Problem]:
    choices = argument.get("choices")
    if not choices or isinstance(value, (Mapping, list, tuple)) or str(value) in choices:
        return
    if value is False and "off" in choices:  # of which YAML makes false, and ansible-core off again
        return
    named = [choice for choice in choices if choice]
    hint = did_you_mean(str(value).lower(), named)
    yield option, f"{_as_shown(value, argument)} is none of {', '.join(named)}{hint}"


def _as_shown(value: Any, argument: Argument) -> str:
    """A value within a sentence: short, in one line, and no secret."""
    if argument.get("no_log"):
        return "its value"
    if isinstance(value, Mapping):
        return "a dictionary"
    if isinstance(value, (list, tuple)):
        return "a list"
    text = repr(str.__str__(value)) if isinstance(value, str) else str(value)
    return visible(excerpt(text, LONGEST_SHOWN))
