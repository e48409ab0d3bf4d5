# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checker of options, variables and arguments: it reads values by an argument spec, and tells
all that is wrong in them at once.

It takes the values that ansible-core takes, and converts them as ansible-core does. It is stricter
in what ansible-core guesses: no text is read as a dictionary, nor a list or a dictionary as a text.
"""

from __future__ import annotations

import re
from typing import AbstractSet, Any, Callable, Dict, List, Mapping, Sequence, Tuple

from ansible.module_utils.common.validation import (
    check_type_bool,
    check_type_float,
    check_type_int,
    check_type_path,
    check_type_str,
)
from ansible.module_utils.errors import AnsibleFallbackNotFound

from ._errors import OptionError, as_one
from ._text import Option, OptionStep, closest, did_you_mean, excerpt, first_few, visible

Argument = Mapping[str, Any]  # as in an argument spec: type, elements, choices, options, required
Arguments = Mapping[str, Argument]
Path = Tuple[OptionStep, ...]
Errors = List[OptionError]

NEEDED: Argument = {"type": "str", "required": True}
TEXTS: Argument = {"type": "list", "elements": "str"}

MAX_FIELDS = 15  # in one sentence
LONGEST_SHOWN = 60  # characters
CONVERTERS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "bool": (check_type_bool, "true or false"),
    "int": (check_type_int, "a whole number"),
    "float": (check_type_float, "a number"),
    "str": (check_type_str, "a text"),
    "path": (check_type_path, "a path"),
    "raw": (lambda value: value, "any value"),
}
KINDS = (  # a value of which types is what, the first one counts
    (str, "a text"),
    (bool, "a boolean"),
    ((int, float), "a number"),
    (Mapping, "a dictionary"),
    ((list, tuple), "a list"),
)
CONTAINERS = (Mapping, list, tuple)
# What the converters of ansible-core raise, also for values that they do not expect, such as an
# infinite whole number.
UNFIT = (TypeError, ValueError, OverflowError, AttributeError)
JSON = re.compile(r"\s*(\[.*\]|\{.*\})\s*", re.DOTALL)
KEY_VALUE = re.compile(r"\s*\w+=")
PLAIN = re.compile(r"[\w./]([\w./:*@-]*[\w./*@-])?")  # as YAML reads it within brackets


class ReadOptions(Dict[str, Any]):
    """Options with defaults filled in, and the errors in them.

    To read an option that is wrong raises its errors, so that a reader tells what else is wrong in
    all options that do not depend on it. Of a list of dictionaries, the wrong ones are None.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        errors: Sequence[OptionError] = (),
        wrong: AbstractSet[str] = frozenset(),
    ) -> None:
        self.errors, self._wrong = errors, wrong
        super().__init__({name: options[name] for name in options if name not in wrong})

    def __missing__(self, name: str) -> Any:
        if name not in self._wrong:
            raise KeyError(name)
        own = [error for error in self.errors if error.option.path[0] == name]
        raise as_one(own or self.errors)  # which have another name for it

    def under(self, names: Mapping[str, str]) -> ReadOptions:
        """The options of a part, by its own names for some of these."""
        own = {ours: dict.get(self, theirs) for ours, theirs in names.items()}
        wrong = frozenset(ours for ours, theirs in names.items() if theirs in self._wrong)
        ours_of = {theirs: ours for ours, theirs in names.items()}
        return ReadOptions(own, [error.renamed(ours_of) for error in self.errors], wrong)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an option; raises OptionError if it is wrong."""
        return self[name] if name in self or name in self._wrong else default


def read_options(arguments: Arguments, values: Mapping[str, Any]) -> ReadOptions:
    """The options that a task gives, as AnsibleModule reads them."""
    errors: Errors = []
    options = _read_fields((), arguments, values, errors)
    named = {error.option.path[0] for error in errors}
    wrong = {
        name
        for name, argument in arguments.items()
        if (options[name] is None and (name in named or _is_needed(argument)))
        or (name in named and argument.get("elements") != "dict")
    }
    return ReadOptions(options, errors, wrong)


def _is_needed(argument: Argument) -> bool:
    """Return whether a value must be given, which the environment cannot give either."""
    return bool(argument.get("required")) and "fallback" not in argument


def read_variable(name: str, argument: Argument, value: Any) -> tuple[Any, Errors]:
    """The value of a variable that is set, and the errors in it."""
    errors: Errors = []
    return _read((name,), argument, value, errors), errors


def _read_fields(
    path: Path, arguments: Arguments, values: Mapping[Any, Any], errors: Errors
) -> dict[str, Any]:
    unknown = [name for name in values if name not in arguments]
    meant = [_refuse_unknown(path, name, arguments, errors) for name in unknown]
    fields = {}
    for name, argument in arguments.items():
        value = values.get(name)
        if value is not None:
            fields[name] = _read((*path, name), argument, value, errors)
            continue
        fields[name] = argument.get("default")
        if name in values:
            _refuse_null((*path, name), argument, errors)
        elif "fallback" in argument:
            fields[name] = _fallback(argument)
        elif _is_needed(argument) and name not in meant:
            errors.append(_error((*path, name), f"it is missing; write {_form(argument)}"))
    return fields


def _read(path: Path, argument: Argument, value: Any, errors: Errors) -> Any:
    """The value as its type has it; anything if it is wrong, as the errors say."""
    kind = argument.get("type", "str")
    if kind == "list":
        return _read_list(path, argument, value, errors)
    if kind == "dict":
        return _read_dict(path, argument, value, errors)
    convert, _form_of_kind = CONVERTERS[kind]
    try:
        if kind != "raw" and isinstance(value, CONTAINERS):
            raise TypeError
        return _chosen(path, argument, value, convert(value), errors)
    except UNFIT:
        errors.append(_misfit(path, argument, value))
    return None


def _read_dict(path: Path, argument: Argument, value: Any, errors: Errors) -> Any:
    if not isinstance(value, Mapping):
        errors.append(_misfit(path, argument, value))
        return None
    fields = argument.get("options")
    return value if fields is None else _read_fields(path, fields, value, errors)


def _read_list(path: Path, argument: Argument, value: Any, errors: Errors) -> Any:
    """The entries of a list, also of a text with commas; wrong ones are None."""
    of_entry = {**argument, "type": argument.get("elements", "raw"), "default": None}
    entries = value
    if of_entry["type"] != "dict" and not isinstance(value, bool):
        if isinstance(value, str) and not JSON.fullmatch(value):
            entries = value.split(",")
        elif isinstance(value, (int, float)):
            entries = [str(value)]
    if not isinstance(entries, (list, tuple)):
        errors.append(_misfit(path, argument, value))
        return None
    read = []
    for position, entry in enumerate(entries):
        number = len(errors)
        at = (*path, position)
        if entry is None:
            errors.append(_error(at, "it is null; leave it out"))
        else:
            entry = _read(at, of_entry, entry, errors)
        read.append(entry if len(errors) == number else None)
    return read


def _chosen(path: Path, argument: Argument, value: Any, read: Any, errors: Errors) -> Any:
    choices = argument.get("choices")
    if not choices or read in choices:
        return read
    if read == "False" and "off" in choices:  # of which YAML makes false
        return "off"
    named = [choice for choice in choices if choice]
    hint = did_you_mean(str(value).lower(), named)
    errors.append(_error(path, f"{_shown(argument, value)} is none of {', '.join(named)}{hint}"))
    return None


def _fallback(argument: Argument) -> Any:
    """The value that the environment gives in the place of an option, or its default."""
    fallback, names = argument["fallback"]
    try:
        return fallback(*names)
    except AnsibleFallbackNotFound:
        return argument.get("default")


def _refuse_unknown(path: Path, name: Any, arguments: Arguments, errors: Errors) -> str:
    """The name that may be meant by one that there is not."""
    kind, lower = "field" if path else "option", str(name).lower()
    others = f"; the {kind}s are {first_few(arguments, MAX_FIELDS)}"
    hint = did_you_mean(lower, arguments) or others
    shown = excerpt(str(name), LONGEST_SHOWN)
    errors.append(_error((*path, shown), f"there is no such {kind}{hint}"))
    return closest(lower, arguments)


def _refuse_null(path: Path, argument: Argument, errors: Errors) -> None:
    if argument.get("required"):
        errors.append(_error(path, f"it is null; write {_form(argument)}"))
    elif argument.get("choices") or argument.get("default") is not None:
        errors.append(_error(path, "it is null; leave it out"))


def _misfit(path: Path, argument: Argument, value: Any) -> OptionError:
    """The error in a value of another type: what stands there, and the form to write."""
    kind = next((title for types, title in KINDS if isinstance(value, types)), "something else")
    text, wanted = "", argument.get("type", "str")
    if isinstance(value, str) and wanted in ("list", "dict"):
        text = str.__str__(value)
        if JSON.fullmatch(text):
            kind, text = "a text that holds JSON", ""
        elif KEY_VALUE.match(text):
            kind, text = "a text of the form key=value", ""
    shown = _shown(argument, value)
    return _error(path, f"{shown} is {kind}; write {_form(argument, text)}")


def _shown(argument: Argument, value: Any) -> str:
    """A value within a sentence: short, in one line, and no secret."""
    if argument.get("no_log"):
        return "its value"
    if isinstance(value, CONTAINERS):
        return "it"
    text = repr(str.__str__(value)) if isinstance(value, str) else str(value)
    return visible(excerpt(text, LONGEST_SHOWN))


def _form(argument: Argument, text: str = "") -> str:
    """The form to write; a text that stands for a dictionary is the value of the only field that
    this needs."""
    kind, choices = (
        argument.get("type", "str"),
        ", ".join(filter(None, argument.get("choices", ()))),
    )
    if kind == "list" and argument.get("elements") == "dict":
        return f"[{_form({**argument, 'type': 'dict'}, text)}]"
    if kind == "list":
        return f"a list of {choices}" if choices else "a list"
    if kind != "dict":
        return f"one of {choices}" if choices else CONVERTERS[kind][1]
    fields = argument.get("options") or {"key": {}}
    needed = [name for name in fields if fields[name].get("required")]
    is_its_value = len(needed) == 1 and PLAIN.fullmatch(text) and len(text) <= LONGEST_SHOWN
    value = text if is_its_value else "..."
    return "{" + ", ".join(f"{name}: {value}" for name in needed or [*fields][:3]) + "}"


def _error(path: Path, problem: str) -> OptionError:
    return OptionError(Option(*path), problem)
