# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checker of options, variables and arguments: it reads values by an argument spec, and tells
all that is wrong in them at once.

It takes the values that ansible-core takes, and converts them as ansible-core does. It is stricter
in what ansible-core guesses: no text is read as a dictionary, nor a list or a dictionary as a text,
nor a boolean as a text or a number.
"""

from __future__ import annotations

import re
from collections import abc
from typing import AbstractSet, Any, Callable, Collection, Dict, Iterable, Mapping, Sequence, Tuple

from ansible.module_utils.common.validation import (
    check_type_bool,
    check_type_float,
    check_type_int,
    check_type_path,
    check_type_str,
)
from ansible.module_utils.errors import AnsibleFallbackNotFound

from ._errors import OptionError, OptionProblems, as_one
from ._text import Option, OptionStep, closest, did_you_mean, excerpt, first_few, visible

Argument = Mapping[str, Any]  # as in an argument spec: type, elements, choices, options, required
Arguments = Mapping[str, Argument]
Path = Tuple[OptionStep, ...]

NEEDED: Argument = {"type": "str", "required": True}
TEXTS: Argument = {"type": "list", "elements": "str"}

NULL = "it is null; leave it out"
MAX_FIELDS = 15  # in one sentence
MAX_SHOWN = 60  # characters
MISSPELT = 0.8  # the likeness of two names of which one is the other: rf and ref
CONVERTERS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "bool": (check_type_bool, "true or false"),
    "int": (check_type_int, "a whole number"),
    "float": (check_type_float, "a number"),
    "str": (check_type_str, "a text"),
    "path": (check_type_path, "a path"),
    "raw": (lambda value: value, "any value"),
}
OF_NO_BOOLEAN = ("int", "float", "str", "path")
TYPES = (  # a value of which types is what, the first one counts
    (str, "a text"),
    (bool, "a boolean"),
    ((int, float), "a number"),
    (abc.Mapping, "a dictionary"),
    ((list, tuple), "a list"),
)
CONTAINERS = (abc.Mapping, list, tuple)  # those of typing are slow to ask
# What the converters of ansible-core raise, also for values that they do not expect, such as an
# infinite whole number.
UNFIT = (TypeError, ValueError, OverflowError, AttributeError)
JSON = re.compile(r"\s*(\[.*\]|\{.*\})\s*", re.DOTALL)
KEY_VALUE = re.compile(r"\s*\w+=")
IN_BRACKETS = re.compile(r"[\w./]([\w./:*@-]*[\w./*@-])?")  # as YAML takes a text


class ArgumentFields(Dict[str, Argument]):
    """The fields of a dictionary, beside which others may stand that are `ignored`: a task may give
    back what a result shows."""

    ignored: Sequence[str] = ()
    leaves_out = False  # what is left out, so that an entry of a long list is there once


class PartOfResult(ArgumentFields):
    """Some fields of a result, which stays as it is, also with others. One that it has not, and
    that is misspelt, is wrong; so is one of those that are `known` beside them."""

    def __init__(self, arguments: Arguments, known: Iterable[str] = ()) -> None:
        super().__init__(arguments)
        self.known = dict.fromkeys([*arguments, *known])
        self._meant: dict[str, str] = {}

    def is_misspelt(self, name: str, values: Mapping[Any, Any]) -> bool:
        """Return whether a name is one that these values lack, but for a slip."""
        if name in self.known:
            return False
        if name not in self._meant:  # a long list has the same in each entry
            self._meant[name] = closest(name, self.known, MISSPELT)
        return bool(self._meant[name]) and self._meant[name] not in values


def part_of_result(known: Iterable[str] = (), **arguments: Argument) -> Argument:
    """The argument that takes a result, or an object in one, which has these fields, and may have
    those that are `known`."""
    return {"type": "dict", "options": PartOfResult(arguments, known)}


def list_of(argument: Argument) -> Argument:
    """The argument that takes a list of such dictionaries."""
    return {**argument, "type": "list", "elements": "dict"}


def without_ignored(arguments: Arguments, value: Any) -> Any:
    """A value without the fields that are ignored, as a packed module takes it."""
    if isinstance(value, (list, tuple)):
        return [without_ignored(arguments, entry) for entry in value]
    if not isinstance(value, Mapping):
        return value
    inner = {name: (arguments.get(name) or {}).get("options") or {} for name in value}
    ignored = getattr(arguments, "ignored", ())
    return {
        name: without_ignored(inner[name], item)
        for name, item in value.items()
        if name not in ignored
    }


class ReadOptions(Dict[str, Any]):
    """Options, or the fields of one, with defaults filled in, and the errors in them.

    To read one that is wrong raises its errors, so that a reader tells what else is wrong in all
    that does not depend on it. A dictionary in which something is wrong is one of these as well,
    `depth` steps below the options; what is no dictionary in a list of them is None.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        errors: Sequence[OptionError] = (),
        wrong: AbstractSet[str] = frozenset(),
        depth: int = 0,
    ) -> None:
        self.errors, self._wrong, self._depth = errors, wrong, depth
        super().__init__({name: options[name] for name in options if name not in wrong})

    def __missing__(self, name: str) -> Any:
        if name not in self._wrong:
            raise KeyError(name)
        raise as_one(self.errors_in(name) or self.errors)  # which have another name for it

    def errors_in(self, name: str) -> Sequence[OptionError]:
        """The errors in the value of one of them."""
        return [error for error in self.errors if error.option.path[self._depth] == name]

    def filled(self, options: Mapping[str, Any]) -> ReadOptions:
        """These options, in which the same is wrong."""
        return ReadOptions(options, self.errors, self._wrong, self._depth)

    def only(self, names: Iterable[str]) -> ReadOptions:
        """Those with these names, null for one that is left out."""
        own = {name: dict.get(self, name) for name in names}
        return ReadOptions(own, self.errors, self._wrong & own.keys(), self._depth)

    def under(self, names: Mapping[str, str]) -> ReadOptions:
        """The options of a part, by its own names for some of these."""
        own = {ours: dict.get(self, theirs) for ours, theirs in names.items()}
        wrong = frozenset(ours for ours, theirs in names.items() if theirs in self._wrong)
        ours_of = {theirs: ours for ours, theirs in names.items()}
        return ReadOptions(own, [error.renamed(ours_of) for error in self.errors], wrong)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an option; raises OptionError if it is wrong."""
        return self[name] if name in self or name in self._wrong else default


def read_options(
    arguments: Arguments, values: Mapping[str, Any], kind: str = "option"
) -> ReadOptions:
    """The options that a task gives, as AnsibleModule reads them, in words of options or
    variables."""
    options = _Reader(kind).fields((), arguments, values)
    return options if isinstance(options, ReadOptions) else ReadOptions(options)


def unless_wrong(options: Mapping[str, Any], name: str) -> Any:
    """The value of an option; None for a wrong one, of which its own error tells."""
    return dict.get(options, name) if isinstance(options, dict) else options.get(name)


def errors_in(options: Mapping[str, Any]) -> Sequence[OptionError]:
    """The errors in what was read."""
    return options.errors if isinstance(options, ReadOptions) else ()


def raise_any_in(options: Mapping[str, Any], name: str) -> None:
    """Raise the errors in the value of one of the options, if there are any."""
    if options.__class__ is ReadOptions and (errors := options.errors_in(name)):
        raise as_one(errors)


def only(options: Mapping[str, Any], names: Iterable[str]) -> Mapping[str, Any]:
    """Those options with these names, null for one that is left out; wrong ones stay wrong."""
    if isinstance(options, ReadOptions):
        return options.only(names)
    return {name: options.get(name) for name in names}


def _is_needed(argument: Argument) -> bool:
    """Return whether a value must be given, which the environment cannot give either."""
    return bool(argument.get("required")) and "fallback" not in argument


def no_such(kind: str, name: str, names: Collection[str]) -> tuple[str, str]:
    """The problem of a name that there is not, and the one that may be meant by it."""
    prefix = name[: name.find("_") + 1]
    if not all(item.startswith(prefix) for item in names):
        prefix = ""
    close = closest(name[len(prefix) :].lower(), [item[len(prefix) :] for item in names])
    hint = f" (did you mean {prefix}{close}?)" if close else ""
    return f"there is no such {kind}{hint}", prefix * bool(close) + close


def read_value(
    option: Option, argument: Argument, value: Any, problems: OptionProblems | None = None
) -> Any:
    """The value of one option, or of an entry of one; raises OptionError with all that is wrong, or
    lets the caller raise these `problems`."""
    reader = _Reader()
    read = reader.value(tuple(option.path), argument, value)
    if problems is not None:
        problems.errors += reader.errors
    elif reader.errors:
        raise as_one(reader.errors)
    return read


class _Reader:
    """Reads values by their arguments, and keeps the errors; a wrong value is read as None, and a
    dictionary in which something is wrong as ReadOptions."""

    def __init__(self, kind: str = "option") -> None:
        self.errors: list[OptionError] = []
        self._kind = kind

    def _refuse(self, path: Path, problem: str) -> None:
        self.errors.append(OptionError(Option(*path), problem))

    def fields(
        self, path: Path, arguments: Arguments, values: Mapping[Any, Any]
    ) -> Mapping[str, Any]:
        """The options, or fields of one, with defaults and environment filled in."""
        is_open, number = isinstance(arguments, PartOfResult), len(self.errors)
        ignored = getattr(arguments, "ignored", ())
        unknown = [name for name in values if name not in arguments and name not in ignored]
        if isinstance(arguments, PartOfResult):
            unknown = [name for name in unknown if arguments.is_misspelt(str(name), values)]
        meant = {self._refuse_unknown(path, name, arguments) for name in unknown}
        fields: dict[str, Any] = {}
        leaves_out = getattr(arguments, "leaves_out", False)
        for name, argument in arguments.items():
            value = values.get(name)
            if value is not None:
                read = self.value((*path, name), argument, value)
                if read is None and argument.get("type", "str") != "str":  # a text may decide
                    read = argument.get("default")
                fields[name] = read
                continue
            if leaves_out and name not in values:
                continue
            fields[name] = argument.get("default")
            if name not in values and "fallback" in argument:
                fields[name] = _fallback(argument)
            elif argument.get("required") and not (name in meant and name not in values):
                lack = "null" if name in values else "missing"
                self._refuse((*path, name), f"it is {lack}; write {_form(argument)}")
            elif name in values and (argument.get("choices") or fields[name] is not None):
                self._refuse((*path, name), NULL)
        read_fields = values if is_open or (leaves_out and fields == values) else fields
        if len(self.errors) > number:
            return _with_errors(read_fields, arguments, self.errors[number:], len(path))
        return dict(values) if is_open else read_fields

    def _refuse_unknown(self, path: Path, name: Any, arguments: Arguments) -> str:
        """The name that may be meant by one that there is not."""
        kind = "field" if path else self._kind
        problem, close = no_such(kind, str(name), getattr(arguments, "known", arguments))
        hint = "" if close else f"; the {kind}s are {first_few(arguments, MAX_FIELDS)}"
        self._refuse((*path, excerpt(str(name), MAX_SHOWN)), f"{problem}{hint}")
        return close

    def value(self, path: Path, argument: Argument, value: Any) -> Any:
        kind, fields = argument.get("type", "str"), argument.get("options")
        if kind == "str" and value.__class__ is str and "choices" not in argument:
            return value  # as most in a long list
        if kind == "list":
            return self._list(path, argument, value)
        if kind == "dict" and isinstance(value, abc.Mapping):
            return value if fields is None else self.fields(path, fields, value)
        if kind == "raw" and argument.get("choices"):
            return self._some(path, argument, value)
        try:
            if kind == "dict" or (kind != "raw" and isinstance(value, CONTAINERS)):
                raise TypeError
            if value.__class__ is bool and kind in OF_NO_BOOLEAN and not argument.get("choices"):
                raise TypeError  # ref: no, retries: yes
            return self._chosen(path, argument, value, CONVERTERS[kind][0](value))
        except UNFIT:
            return self._refuse(path, _misfit(argument, value))

    def _some(self, path: Path, argument: Argument, value: Any) -> Any:
        """True, false, or a list of some of the choices."""
        try:
            return check_type_bool(value)
        except UNFIT:
            words = [choice for choice in argument["choices"] if isinstance(choice, str)]
            return self._list(path, {**argument, "elements": "str", "choices": words}, value)

    def _list(self, path: Path, argument: Argument, value: Any) -> Any:
        """The entries of a list, also of a text with commas. Of dictionaries and raw
        values, a wrong one is None; of choices, the right ones remain; any other list is wrong as a
        whole."""
        of_entry = {**argument, "type": argument.get("elements", "raw"), "default": None}
        if of_entry["type"] != "dict" and isinstance(value, (str, int, float)):
            value = _parts_of_text(value)
        if not isinstance(value, (list, tuple)):
            return self._refuse(path, _misfit(argument, value))
        number, read = len(self.errors), []
        for position, entry in enumerate(value):
            at = (*path, position)
            if entry is None:
                self._refuse(at, NULL)
            else:
                entry = self.value(at, of_entry, entry)
            read.append(entry)
        if len(self.errors) == number or of_entry["type"] in ("dict", "raw"):
            return read
        return [one for one in read if one is not None] if "choices" in argument else None

    def _chosen(self, path: Path, argument: Argument, value: Any, read: Any) -> Any:
        choices = argument.get("choices")
        if not choices or read in choices:
            return read
        if read == "False" and "off" in choices:  # of which YAML makes false
            return "off"
        named = [choice for choice in choices if choice]
        hint = did_you_mean(str(value).lower(), named)
        shown = _shown(argument, value)
        return self._refuse(path, f"{shown} is none of {', '.join(named)}{hint}")


def _with_errors(
    fields: Mapping[str, Any], arguments: Arguments, errors: Sequence[OptionError], depth: int
) -> ReadOptions:
    """The fields of a dictionary in which these errors are; wrong is one without a value that is
    needed, or of which there is an error."""
    named = {error.option.path[depth] for error in errors}
    wrong = {
        name
        for name, argument in arguments.items()
        if fields.get(name) is None and (name in named or _is_needed(argument))
    }
    return ReadOptions(fields, errors, wrong, depth)


def _fallback(argument: Argument) -> Any:
    """The value that the environment gives in the place of an option, or its default."""
    fallback, names = argument["fallback"]
    try:
        return fallback(*names)
    except AnsibleFallbackNotFound:
        return argument.get("default")


def _parts_of_text(value: Any) -> Any:
    """The list that ansible-core makes of a text or a number; of others, the value itself."""
    if isinstance(value, bool) or (isinstance(value, str) and JSON.fullmatch(value)):
        return value
    return str(value).split(",")


def _misfit(argument: Argument, value: Any) -> str:
    """The problem of a value of another type: what stands there, and the form to write."""
    kind = next((title for types, title in TYPES if isinstance(value, types)), "something else")
    text = ""
    if isinstance(value, str) and argument.get("type") in ("list", "dict"):
        if JSON.fullmatch(value):
            kind = "a text that holds JSON"
        elif KEY_VALUE.match(value):
            kind = "a text of the form key=value"
        else:
            text = str.__str__(value)
    is_word = value.__class__ is bool and argument.get("type", "str") in ("str", "path")
    form = "put it in quotes" if is_word else f"write {_form(argument, text)}"
    return f"{_shown(argument, value)} is {kind}; {form}"


def _shown(argument: Argument, value: Any) -> str:
    """A value within a sentence: short, in one line, and no secret."""
    if argument.get("no_log"):
        return "its value"
    if isinstance(value, CONTAINERS):
        return "it"
    text = repr(str.__str__(value)) if isinstance(value, str) else str(value)
    return visible(excerpt(text, MAX_SHOWN))


def _form(argument: Argument, text: str = "") -> str:
    """The form to write; a text that stands for a dictionary is the value of the only field that
    this needs."""
    kind, choices = argument.get("type", "str"), argument.get("choices") or ()
    words = ", ".join(choice for choice in choices if choice and isinstance(choice, str))
    if kind == "raw" and words:
        return f"true, or a list of {words}"
    if kind == "list" and argument.get("elements") == "dict":
        return f"[{_form({**argument, 'type': 'dict'}, text)}]"
    if kind == "list":
        return f"a list of {words}" if words else "a list"
    if kind != "dict":
        return f"one of {words}" if words else CONVERTERS[kind][1]
    fields = argument.get("options") or {"key": {}}
    needed = [name for name in fields if fields[name].get("required")]
    is_of_one = len(needed) == 1 or not (needed or isinstance(fields, PartOfResult))
    is_its_value = is_of_one and IN_BRACKETS.fullmatch(text) and len(text) <= MAX_SHOWN
    if is_its_value:
        name = [*needed, *fields][0]
        value = f"[{text}]" if fields[name].get("type") == "list" else text
        return f"{{{name}: {value}}}"
    return "{" + ", ".join(f"{name}: ..." for name in needed or [*fields][:3]) + "}"
