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
from copy import copy
from typing import (
    AbstractSet,
    Any,
    Callable,
    Collection,
    Dict,
    Iterable,
    Mapping,
    Sequence,
    Tuple,
    cast,
)

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
from ._values.bounds import Bounded

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
TAKE_NO_BOOLEAN = ("int", "float", "str", "path")
TYPES = (  # a value of which types is what; the first that fits counts
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


def as_required(argument: Argument, required: bool = True) -> dict[str, Any]:
    """The argument of an option that must be given, or need not be; its bounds stay."""
    changed = cast(Dict[str, Any], copy(argument))
    changed.pop("required", None)
    if required:
        changed["required"] = True
    return changed


class ArgumentFields(Dict[str, Argument]):
    """The fields of a dictionary, which may have `ignored` ones as well: a task may give back what
    a result shows."""

    ignored: Sequence[str] = ()
    leaves_out = False  # what is left out, so that an entry of a long list is there once


class ResultFields(ArgumentFields):
    """The fields that are read from the result of a module, or from an object in one.

    The result keeps all of its fields, including those that are not read. A field is refused if its
    name is nearly that of a field that results have and this one lacks: `arguments` are the fields
    that are read, and `unread` are the names of other fields of results.
    """

    def __init__(self, arguments: Arguments, unread: Iterable[str] = ()) -> None:
        super().__init__(arguments)
        self.names = dict.fromkeys([*arguments, *unread])
        self._nearest: dict[str, str] = {}

    def is_misspelt(self, name: str, result: Mapping[Any, Any]) -> bool:
        """Return whether a name is nearly that of a field that this result lacks."""
        if name in self.names:
            return False
        if name not in self._nearest:  # a long list has the same in each entry
            self._nearest[name] = closest(name, self.names, MISSPELT)
        meant = self._nearest[name]
        return bool(meant) and meant not in result


def result_argument(unread: Iterable[str] = (), **arguments: Argument) -> Argument:
    """The argument for a result, or an object in one, from which these fields are read; see
    ResultFields."""
    return {"type": "dict", "options": ResultFields(arguments, unread)}


def list_of(argument: Argument) -> Argument:
    """The argument for a list of such dictionaries."""
    return {**argument, "type": "list", "elements": "dict"}


def without_ignored(arguments: Arguments, value: Any) -> Any:
    """A value without its ignored fields, in the form that a packed module accepts."""
    if isinstance(value, (list, tuple)):
        return [without_ignored(arguments, entry) for entry in value]
    if not isinstance(value, Mapping):
        return value
    ignored = getattr(arguments, "ignored", ())
    stripped: dict[str, Any] = {}
    for name, field_value in value.items():
        if name not in ignored:
            argument = arguments.get(name) or {}
            stripped[name] = without_ignored(argument.get("options") or {}, field_value)
    return stripped


class ReadOptions(Dict[str, Any]):
    """Options, or the fields of one, with defaults filled in, and the errors in them.

    Reading a wrong option raises its errors, so that its reader can also find errors in all that
    does not depend on it. A dictionary with an error in it is a ReadOptions as well, `depth` steps
    below the options; an entry in a list of dictionaries that is not a dictionary is None.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        errors: Sequence[OptionError] = (),
        wrong: AbstractSet[str] = frozenset(),
        depth: int = 0,
    ) -> None:
        super().__init__({name: options[name] for name in options if name not in wrong})
        self.errors = errors
        self._wrong = wrong
        self._depth = depth

    def __missing__(self, name: str) -> Any:
        if name not in self._wrong:
            raise KeyError(name)
        raise as_one(self.errors_in(name) or self.errors)  # which have another name for it

    def errors_in(self, name: str) -> Sequence[OptionError]:
        """The errors in the value of the option with this name."""
        return [error for error in self.errors if error.option.path[self._depth] == name]

    def filled(self, options: Mapping[str, Any]) -> ReadOptions:
        """Other values of these options, with the same options wrong."""
        return ReadOptions(options, self.errors, self._wrong, self._depth)

    def with_nulls(self) -> dict[str, Any]:
        """A plain dictionary of the options, with null for each wrong one."""
        return {**dict.fromkeys(self._wrong), **self}

    def only(self, names: Iterable[str]) -> ReadOptions:
        """The options with these names, null for one that is left out."""
        options = {name: dict.get(self, name) for name in names}
        wrong = self._wrong & options.keys()
        return ReadOptions(options, self.errors, wrong, self._depth)

    def under(self, names: Mapping[str, str]) -> ReadOptions:
        """The options of a collection, by the names that the collection has for them; `names` has
        the names of these options by those of the collection."""
        options: dict[str, Any] = {}
        wrong: set[str] = set()
        collection_names: dict[str, str] = {}
        for collection_name, name in names.items():
            options[collection_name] = dict.get(self, name)
            collection_names[name] = collection_name
            if name in self._wrong:
                wrong.add(collection_name)
        errors = [error.renamed(collection_names) for error in self.errors]
        return ReadOptions(options, errors, wrong)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an option; raises OptionError if it is wrong."""
        return self[name] if name in self or name in self._wrong else default


def read_options(
    arguments: Arguments, values: Mapping[str, Any], kind: str = "option"
) -> ReadOptions:
    """The options that a task gives, read as AnsibleModule reads them; messages call them by
    `kind`, such as option or variable."""
    options = _Reader(kind).fields((), arguments, values)
    return options if isinstance(options, ReadOptions) else ReadOptions(options)


def unless_wrong(options: Mapping[str, Any], name: str) -> Any:
    """The value of an option; None for a wrong one, which is reported by its own error."""
    return dict.get(options, name) if isinstance(options, dict) else options.get(name)


def errors_in(options: Mapping[str, Any]) -> Sequence[OptionError]:
    """The errors in options that were read; none in a plain dictionary."""
    return options.errors if isinstance(options, ReadOptions) else ()


def raise_any_in(options: Mapping[str, Any], name: str) -> None:
    """Raise the errors in the value of one of the options, if there are any."""
    if options.__class__ is ReadOptions and (errors := options.errors_in(name)):
        raise as_one(errors)


def only(options: Mapping[str, Any], names: Iterable[str]) -> Mapping[str, Any]:
    """The options with these names, null for one that is left out; wrong ones stay wrong."""
    if isinstance(options, ReadOptions):
        return options.only(names)
    return {name: options.get(name) for name in names}


def _must_be_given(argument: Argument) -> bool:
    """Return whether a value must be given by the task, since it is required and the environment
    cannot give it."""
    return bool(argument.get("required")) and "fallback" not in argument


def no_such(kind: str, name: str, names: Collection[str]) -> tuple[str, str]:
    """The problem that a name does not exist, and the existing name that is probably meant; empty
    if none is near."""
    prefix = name[: name.find("_") + 1]
    if not all(existing.startswith(prefix) for existing in names):
        prefix = ""
    start = len(prefix)
    stems = [existing[start:] for existing in names]
    stem = closest(name[start:].lower(), stems)
    if not stem:
        return f"there is no such {kind}", ""
    meant = prefix + stem
    return f"there is no such {kind} (did you mean {meant}?)", meant


def read_value(
    option: Option, argument: Argument, value: Any, problems: OptionProblems | None = None
) -> Any:
    """The value of one option, or of an entry of one. Raises OptionError with all errors in it,
    unless `problems` are given, to which they are added."""
    reader = _Reader()
    converted = reader.value(tuple(option.path), argument, value)
    if problems is not None:
        problems.errors += reader.errors
    elif reader.errors:
        raise as_one(reader.errors)
    return converted


class _Reader:
    """Reads values by their arguments, and keeps the errors; a wrong value becomes None, and a
    dictionary with an error in it becomes ReadOptions."""

    def __init__(self, kind: str = "option") -> None:
        self.errors: list[OptionError] = []
        self._kind = kind

    def _refuse(self, path: Path, problem: str) -> None:
        self.errors.append(OptionError(Option(*path), problem))

    def fields(
        self, path: Path, arguments: Arguments, values: Mapping[Any, Any]
    ) -> Mapping[str, Any]:
        """The options, or fields of one, with defaults and environment filled in."""
        errors_before = len(self.errors)
        meant = self._refuse_unknown(path, arguments, values)
        leaves_out = getattr(arguments, "leaves_out", False)
        fields: dict[str, Any] = {}
        for name, argument in arguments.items():
            value = values.get(name)
            if value is not None:
                converted = self.value((*path, name), argument, value)
                if converted is None and argument.get("type", "str") != "str":  # a text may decide
                    converted = argument.get("default")
                fields[name] = converted
            elif name in values:
                fields[name] = self._null((*path, name), argument)
            elif not leaves_out:
                fields[name] = self._left_out((*path, name), argument, name in meant)
        is_open = isinstance(arguments, ResultFields)
        keeps_values = is_open or (leaves_out and fields == values)
        read_fields = values if keeps_values else fields
        if len(self.errors) > errors_before:
            errors = self.errors[errors_before:]
            return _with_errors(read_fields, arguments, errors, len(path))
        return dict(values) if is_open else read_fields

    def _null(self, path: Path, argument: Argument) -> Any:
        """The value of an option that is given as null."""
        default = argument.get("default")
        if argument.get("required"):
            self._refuse(path, f"it is null; write {_form(argument)}")
        elif argument.get("choices") or default is not None:
            self._refuse(path, NULL)
        return default

    def _left_out(self, path: Path, argument: Argument, is_misspelt: bool) -> Any:
        """The value of an option that is not given."""
        if "fallback" in argument:
            return _fallback(argument)
        if argument.get("required") and not is_misspelt:
            self._refuse(path, f"it is missing; write {_form(argument)}")
        return argument.get("default")

    def _refuse_unknown(
        self, path: Path, arguments: Arguments, values: Mapping[Any, Any]
    ) -> set[str]:
        """The names that are probably meant by unknown names, for which errors are added."""
        ignored = getattr(arguments, "ignored", ())
        meant: set[str] = set()
        for name in values:
            is_declared = name in arguments or name in ignored
            if not is_declared and _is_refused(str(name), arguments, values):
                meant.add(self._refuse_name(path, name, arguments))
        return meant

    def _refuse_name(self, path: Path, name: Any, arguments: Arguments) -> str:
        """The name that is probably meant by an unknown name, for which an error is added; empty if
        none is near."""
        kind = "field" if path else self._kind
        problem, meant = no_such(kind, str(name), getattr(arguments, "names", arguments))
        hint = "" if meant else f"; the {kind}s are {first_few(arguments, MAX_FIELDS)}"
        self._refuse((*path, excerpt(str(name), MAX_SHOWN)), f"{problem}{hint}")
        return meant

    def value(self, path: Path, argument: Argument, value: Any) -> Any:
        """The value, converted to the type of its argument; None for a wrong one."""
        kind = argument.get("type", "str")
        is_plain_text = kind == "str" and value.__class__ is str and "choices" not in argument
        if is_plain_text and not isinstance(argument, Bounded):
            return value  # as most in a long list
        if kind == "list":
            return self._list(path, argument, value)
        if kind == "dict" and isinstance(value, abc.Mapping):
            fields = argument.get("options")
            return value if fields is None else self.fields(path, fields, value)
        if kind == "raw" and argument.get("choices"):
            return self._boolean_or_choices(path, argument, value)
        return self._scalar(path, argument, value)

    def _scalar(self, path: Path, argument: Argument, value: Any) -> Any:
        kind = argument.get("type", "str")
        takes_containers = kind == "raw"
        takes_booleans = kind not in TAKE_NO_BOOLEAN or argument.get("choices")
        is_container = isinstance(value, CONTAINERS)
        is_boolean = value.__class__ is bool
        is_misfit = (
            kind == "dict"
            or (is_container and not takes_containers)
            or (is_boolean and not takes_booleans)  # ref: no, retries: yes
        )
        if is_misfit:
            return self._refuse(path, _misfit(argument, value))
        convert, _form_to_write = CONVERTERS[kind]
        try:
            converted = convert(value)
        except UNFIT:
            return self._refuse(path, _misfit(argument, value))
        if isinstance(argument, Bounded) and (problem := argument.problem(converted)):
            return self._refuse(path, problem)
        return self._chosen(path, argument, value, converted)

    def _boolean_or_choices(self, path: Path, argument: Argument, value: Any) -> Any:
        """The value as True, False, or a list of some of the choices."""
        try:
            return check_type_bool(value)
        except UNFIT:
            words = [choice for choice in argument["choices"] if isinstance(choice, str)]
            list_argument = {**argument, "elements": "str", "choices": words}
            return self._list(path, list_argument, value)

    def _list(self, path: Path, argument: Argument, value: Any) -> Any:
        """The entries of a list, or of a text with commas. Wrong dictionaries and raw values become
        None, and wrong choices are left out; with any other wrong entry, the list is None."""
        kind = argument.get("elements", "raw")
        if kind != "dict" and isinstance(value, (str, int, float)):
            value = _split_at_commas(value)
        if not isinstance(value, (list, tuple)):
            return self._refuse(path, _misfit(argument, value))
        entry_argument = {**argument, "type": kind, "default": None}
        errors_before = len(self.errors)
        entries = []
        for position, entry in enumerate(value):
            if entry is None:
                self._refuse((*path, position), NULL)
            else:
                entry = self.value((*path, position), entry_argument, entry)
            entries.append(entry)
        if len(self.errors) == errors_before or kind in ("dict", "raw"):
            return entries
        if "choices" in argument:
            return [entry for entry in entries if entry is not None]
        return None

    def _chosen(self, path: Path, argument: Argument, value: Any, converted: Any) -> Any:
        """The converted value if it is among the choices, or there are none; None otherwise."""
        choices = argument.get("choices")
        if not choices or converted in choices:
            return converted
        if converted == "False" and "off" in choices:  # of which YAML makes false
            return "off"
        words = [choice for choice in choices if choice]
        hint = did_you_mean(str(value).lower(), words)
        shown = _shown(argument, value)
        return self._refuse(path, f"{shown} is none of {', '.join(words)}{hint}")


def _is_refused(name: str, arguments: Arguments, values: Mapping[Any, Any]) -> bool:
    """Return whether a name without an argument is an error; a result may have further fields."""
    if isinstance(arguments, ResultFields):
        return arguments.is_misspelt(name, values)
    return True


def _with_errors(
    fields: Mapping[str, Any], arguments: Arguments, errors: Sequence[OptionError], depth: int
) -> ReadOptions:
    """The fields of a dictionary with these errors in it; wrong are fields without a value that
    have an error or are required."""
    erroneous = {error.option.path[depth] for error in errors}
    wrong: set[str] = set()
    for name, argument in arguments.items():
        is_empty = fields.get(name) is None
        if is_empty and (name in erroneous or _must_be_given(argument)):
            wrong.add(name)
    return ReadOptions(fields, errors, wrong, depth)


def _fallback(argument: Argument) -> Any:
    """The value that the environment gives in the place of an option, or its default."""
    fallback, names = argument["fallback"]
    try:
        return fallback(*names)
    except AnsibleFallbackNotFound:
        return argument.get("default")


def _split_at_commas(value: Any) -> Any:
    """The list that ansible-core makes of a text or a number; JSON and booleans stay as they
    are."""
    if isinstance(value, bool) or (isinstance(value, str) and JSON.fullmatch(value)):
        return value
    return str(value).split(",")


def _misfit(argument: Argument, value: Any) -> str:
    """The problem of a value of a wrong type: its type, and the form to write."""
    expected = argument.get("type", "str")
    type_name = _type_name(value)
    text = ""
    if isinstance(value, str) and expected in ("list", "dict"):
        if JSON.fullmatch(value):
            type_name = "a text that holds JSON"
        elif KEY_VALUE.match(value):
            type_name = "a text of the form key=value"
        else:
            text = str.__str__(value)
    is_unquoted_word = value.__class__ is bool and expected in ("str", "path")
    to_do = "put it in quotes" if is_unquoted_word else f"write {_form(argument, text)}"
    return f"{_shown(argument, value)} is {type_name}; {to_do}"


def _type_name(value: Any) -> str:
    for types, name in TYPES:
        if isinstance(value, types):
            return name
    return "something else"


def _shown(argument: Argument, value: Any) -> str:
    """A value within a sentence: short, in one line, and no secret."""
    if argument.get("no_log"):
        return "its value"
    if isinstance(value, CONTAINERS):
        return "it"
    text = repr(str.__str__(value)) if isinstance(value, str) else str(value)
    return visible(excerpt(text, MAX_SHOWN))


def _form(argument: Argument, text: str = "") -> str:
    """The form to write for an argument; `text` is a given value that is meant for the only
    required field of a dictionary."""
    kind = argument.get("type", "str")
    if kind == "dict":
        return _form_of_dict(argument.get("options") or {"key": {}}, text)
    if kind == "list" and argument.get("elements") == "dict":
        fields_form = _form({**argument, "type": "dict"}, text)
        return f"[{fields_form}]"
    choices = argument.get("choices") or ()
    words = ", ".join(choice for choice in choices if choice and isinstance(choice, str))
    if kind == "list":
        return f"a list of {words}" if words else "a list"
    if kind == "raw" and words:
        return f"true, or a list of {words}"
    _convert, form = CONVERTERS[kind]
    if not words:
        return form
    return f"one of {words}"


def _form_of_dict(fields: Arguments, text: str) -> str:
    needed = [name for name in fields if fields[name].get("required")]
    takes_any = isinstance(fields, ResultFields)
    has_main_field = len(needed) == 1 or not (needed or takes_any)
    is_short = len(text) <= MAX_SHOWN
    if has_main_field and is_short and IN_BRACKETS.fullmatch(text):
        main_field = needed[0] if needed else next(iter(fields))
        is_list = fields[main_field].get("type") == "list"
        value = f"[{text}]" if is_list else text
        return f"{{{main_field}: {value}}}"
    names = needed or list(fields)[:3]
    shown = ", ".join(f"{name}: ..." for name in names)
    return f"{{{shown}}}"
