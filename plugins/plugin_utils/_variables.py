# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of a role against what it takes, and their data without the marks of Ansible.

The playbooks import the roles so that ansible-core does not check them in a task of its own on
every host; this checks what ansible-core would.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from datetime import datetime
from difflib import SequenceMatcher
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import yaml

from ..module_utils._api.settings import known_secrets, secrets_among
from ..module_utils._arguments import Argument, Arguments, no_such, read_options
from ..module_utils._errors import OptionError, as_one, numbered_errors
from ..module_utils._remembered import remembered
from ..module_utils._text import OWN_NAMES, Message, Names, Option, closest, redact_text, visible
from ..module_utils._timestamps import parse_expiry

# Tells what does not fit together, by the values of the right form (others are None), and the names
# of all variables that are set.
FindErrors = Callable[[Mapping[str, Any], Container[str]], Iterable[OptionError]]
Read = TypeVar("Read")
KIND_OF_TAG = "__ansible_type"
ROLES = Path(__file__).parents[2] / "roles"
OWN_FILES = tuple(str(ROLES.with_name(name)) + os.sep for name in ("roles", "playbooks"))
# Of two names of which one may be the other, misspelt: their likeness, that of what stands behind a
# prefix that both have, and the number of letters that differ.
ALIKE, ALIKE_BEHIND_PREFIX, SLIPS = 0.83, 0.75, 2
VARIABLE_PREFIXES = (
    *("attack_", "baseline_", "check_", "doctor_", "edge_"),
    *("evaluate_", "export_", "notify_", "report_", "restore_"),
)
FLEET = "baseline_fleet"  # what the playbook baseline registers for all hosts
NO_VALUE_READ: Mapping[str, Any] = {"unread": None}  # for what cannot be read; it fits nowhere
STEP = re.compile(r"[^.\[\]]+")
UNCHANGED = "equal"  # the kind of the steps between two names that are no slips
CONTACTS = {"owner": "edge_owner", "runbook": "edge_runbook"}  # of a host, as the report names them


def no_check(_values: Mapping[str, Any], _set_names: Container[str]) -> Sequence[OptionError]:
    """No errors, as a default for checks."""
    return ()


class Mistakes(ValueError):
    """Mistakes in variables, of which there is at least one; its text has all of them. A mistake
    that is there with its place is not repeated without the place."""

    def __init__(self, errors: Iterable[OptionError]) -> None:
        self.errors = each_once(errors)
        messages = [sentence.rstrip(".") for sentence in sentences(self.errors)]
        super().__init__(f"{numbered_errors(messages)}.")

    @property
    def place(self) -> str:
        """The first place of a mistake that is known; empty if none is."""
        return as_one(self.errors).place


def each_once(errors: Iterable[OptionError]) -> list[OptionError]:
    """The errors without repeated ones; an error that is there with its place is not repeated
    without the place."""
    by_sentence: dict[str, dict[str, OptionError]] = {}
    for error in errors:
        by_place = by_sentence.setdefault(error.text.rstrip("."), {})
        by_place.setdefault(error.place, error)
    distinct: list[OptionError] = []
    for by_place in by_sentence.values():
        placed = [error for place, error in by_place.items() if place]
        distinct += placed or by_place.values()
    return distinct


def sentences(errors: Iterable[OptionError]) -> list[str]:
    """A sentence for each error."""
    texts: list[str] = []
    for error in errors:
        texts.append(f"{error.message.rstrip('.')}.")
    return texts


def option_errors_of(exc: Exception) -> Sequence[OptionError]:
    """The errors that an exception holds; an exception without options becomes an error about no
    option."""
    if isinstance(exc, (Mistakes, OptionError)):
        return exc.errors
    return [OptionError(Option(), str(exc).rstrip("."))]


def all_read(*reads: Callable[[], Read]) -> list[Read]:
    """The values that these functions read; raises Mistakes with the errors of all of them."""
    values: list[Read] = []

    def keep(read: Callable[[], Read]) -> None:
        values.append(read())

    errors = errors_of(*(partial(keep, read) for read in reads))
    require_none(errors, {}, {})
    return values


def errors_of(*checks: Callable[[], Any]) -> list[OptionError]:
    """The errors that these functions raise."""
    errors: list[OptionError] = []
    for check in checks:
        try:
            check()
        except (OptionError, ValueError) as exc:
            errors += option_errors_of(exc)
    return errors


def variables_in_error(error: OptionError, names: Names = OWN_NAMES) -> set[str]:
    """The variables that the message of an error names; `names` has the variables of options."""
    message = Message(error.message)
    options = [part for part in message.parts if isinstance(part, Option)]
    paths = [option_at(option.name(names)).path for option in options]
    return {str(path[0]) for path in paths if path}


def option_at(path: str) -> Option:
    """The option with this path, such as `rules[2].action`."""
    steps: list[int | str] = []
    for step in STEP.findall(path):
        steps.append(int(step) if step.isdigit() else step)
    return Option(*steps)


def require_valid(arguments: Arguments, values: Mapping[str, Any]) -> None:
    """Raise ValueError if values of a role's variables are wrong; the message does not show
    secrets."""
    require_none(wrong_variables(arguments, values), arguments, values)


def read_variables(
    arguments: Arguments,
    values: Mapping[str, Any],
    prefix: str = "",
    variables: Mapping[str, Any] = MappingProxyType({}),
    check: FindErrors = no_check,
    unread: Sequence[OptionError] = (),
) -> dict[str, Any]:
    """The values of variables with their types, by their names without the prefix; a variable that
    is null or missing has its default.

    Raises Mistakes for wrong values, for errors that `check` finds, for unknown names, for values
    that are `unread`, and for misspelt names among `variables`, those of the host.
    """
    kind = "variable" if prefix else "option"
    set_values = {name: value for name, value in values.items() if value is not None}
    set_names = {name for name, value in values.items() if value not in (None, "", [], {})}
    misspelt_names = misspelt(variables, arguments)
    for name in misspelt_names:
        _problem, meant = no_such(kind, name, arguments)
        set_names.add(meant)
    options = read_options(arguments, {**set_values, **dict.fromkeys(misspelt_names)}, kind)
    well_formed = {name: dict.get(options, name) for name in arguments}
    errors = with_unread(unread, [*options.errors, *check(well_formed, set_names)])
    require_none(errors, arguments, values, {**values, **variables})
    return {name.removeprefix(prefix): value for name, value in options.items()}


def read_call(arguments: Arguments, **values: Any) -> dict[str, Any]:
    """The arguments of a call of a filter, in which Jinja may pass iterators for lists; raises
    ValueError."""
    lists = {name: list(value) for name, value in values.items() if isinstance(value, Iterator)}
    return read_variables(arguments, {**values, **lists})


def with_unread(unread: Sequence[OptionError], errors: Iterable[OptionError]) -> list[OptionError]:
    """The errors of values that cannot be read, and other errors unless they are about such a
    value."""
    return [*unread, *(error for error in errors if not is_within(error.option, unread))]


def is_within(option: Option, errors: Sequence[OptionError]) -> bool:
    """Return whether an option is the option of one of these errors, or lies within it."""
    steps = tuple(option.path)
    paths = [tuple(error.option.path) for error in errors]
    return any(path == steps[: len(path)] for path in paths)


def misspelt(names: Iterable[str], declared: Iterable[str]) -> list[str]:
    """The names that differ from a declared name by a slip or two; further names may be the
    user's own."""
    declared_names = frozenset(declared)
    undeclared = sorted({*names} - declared_names)
    candidates = [name for name in undeclared if not name.startswith("ansible_")]  # as most do
    return [name for name in candidates if _is_misspelt(name, declared_names)]


@lru_cache(maxsize=4096)  # most hosts have the same
def _is_misspelt(name: str, declared: Set[str]) -> bool:
    near = [candidate for candidate in declared if _has_like_letters(name, candidate)]
    meant = closest(name, near, ALIKE)  # a search among all of them takes longer
    if not meant:
        return False
    prefix = meant[: meant.find("_") + 1]
    shared = len(prefix) if name.startswith(prefix) else 0
    if name.startswith(VARIABLE_PREFIXES) and not shared:  # of another playbook
        return False
    pair = SequenceMatcher(None, name[shared:], meant[shared:])
    return _count_slips(pair) <= SLIPS and pair.ratio() >= ALIKE_BEHIND_PREFIX


def _has_like_letters(name: str, candidate: str) -> bool:
    """Return whether two names may differ by a slip or two, judged by their lengths and letters
    alone."""
    if abs(len(name) - len(candidate)) > SLIPS:
        return False
    different_letters = {*name}.symmetric_difference(candidate)
    return len(different_letters) <= 2 * SLIPS


def _count_slips(pair: SequenceMatcher[str]) -> int:
    slips = 0
    for kind, begin, end, begin_of_meant, end_of_meant in pair.get_opcodes():
        if kind != UNCHANGED:
            slips += max(end - begin, end_of_meant - begin_of_meant)
    return slips


def no_such_variable(name: str, declared: Collection[str]) -> OptionError:
    """The error for the name of a variable that does not exist."""
    problem, _meant = no_such("variable", name, declared)
    return OptionError(Option(name), problem)


def misspelt_errors(names: Iterable[str], declared: Collection[str]) -> list[OptionError]:
    """The errors of the names that are misspelt; see misspelt."""
    return [no_such_variable(name, declared) for name in misspelt(names, declared)]


def defaults_of(role: str) -> dict[str, Any]:
    """The defaults of the variables of a role, none of which is a template."""
    path = ROLES / role / "defaults" / "main.yml"
    defaults: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return defaults


@lru_cache
def declared_in(role: str) -> dict[str, dict[str, Any]]:
    """The variables that the argument specification of a role declares."""
    path = ROLES / role / "meta" / "argument_specs.yml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    declared: dict[str, dict[str, Any]] = document["argument_specs"]["main"]["options"]
    return declared


def require_none(
    errors: Sequence[OptionError],
    arguments: Arguments,
    values: Mapping[str, Any],
    in_files: Mapping[str, Any] | None = None,
) -> None:
    """Raise Mistakes if there are errors in these values; the message does not show secrets. The
    values `in_files` know their file and line."""
    if errors:
        raise Mistakes(readable_errors(errors, arguments, values, in_files))


def readable_errors(
    errors: Iterable[OptionError],
    arguments: Arguments,
    values: Mapping[str, Any],
    in_files: Mapping[str, Any] | None = None,
) -> list[OptionError]:
    """The errors as people may read them: with their file and line, and without secrets."""
    place = partial(origin_of_value, in_files or values)
    secrets = secrets_in(arguments, values)

    def readable(text: str) -> str:
        return redact_text(visible(text), secrets)

    return [error.placed(place).reworded(readable) for error in errors]


def secrets_in(arguments: Arguments, values: Mapping[str, Any]) -> list[str]:
    """The secrets in these values and in the environment, longer ones first."""
    hidden = [values.get(name) for name, argument in arguments.items() if argument.get("no_log")]
    return list(secrets_among([*known_secrets({}, os.environ), *hidden]))


def wrong_variables(arguments: Arguments, values: Mapping[str, Any]) -> list[OptionError]:
    """The errors in the values of variables; a variable that is null or missing has no errors."""
    errors: list[OptionError] = []
    for name, argument in arguments.items():
        value = values.get(name)
        if isinstance(value, (list, Mapping)):
            errors += _wrong_container(name, argument, value)
        elif value is not None:
            errors += _wrong(name, argument, value)
    return errors


def wrong_at(place: Option, argument: Argument, value: Any) -> list[OptionError]:
    """The errors in the value at a place."""
    name = str(place)
    at_name = Option(name)

    def move(option: Option) -> Option:
        if not option.lies_in(at_name):
            return option
        return place.at(*option.path[1:])

    return [error.moved(move) for error in wrong_variables({name: argument}, {name: value})]


def _wrong(name: str, argument: Argument, value: Any) -> Sequence[OptionError]:
    return read_options({name: argument}, {name: value}).errors


_wrong_container = remembered(256)(_wrong)  # many hosts have the same


def origin_of_value(values: Mapping[str, Any], option: Option, names: Names = OWN_NAMES) -> str:
    """The place of the value of an option: its file and line, or the command line; an empty text
    if ansible-core does not know it, as before 2.19."""
    is_of_another_variable = len(option.path) > 1 and option.entry in names
    if is_of_another_variable:
        return ""
    with_origins = _keys_and_values(values, option.renamed(names).path)
    for candidate in reversed(with_origins):  # the nearest to the value
        origin = _origin(candidate)
        if origin:
            return origin
    return ""


def _keys_and_values(values: Mapping[str, Any], path: Sequence[Any]) -> list[Any]:
    """The keys and values on the path to a value, as far as the path exists; each may know its
    file and line."""
    on_path: list[Any] = []
    value: Any = values
    for step in path:
        try:
            if isinstance(value, Mapping):
                on_path += [key for key in value if key == step]
            value = value[step]
        except (KeyError, IndexError, TypeError):
            break
        on_path.append(value)
    return on_path


def origin_encoder() -> type[json.JSONEncoder] | None:
    """The JSON encoder that keeps the origin (file and line) of values; None before ansible-core
    2.19."""
    try:
        from ansible.module_utils.common.json import get_encoder

        encoder: type[json.JSONEncoder] = get_encoder("cache_persistence")
    except (ImportError, ValueError):  # also outside of a controller
        return None
    return encoder


def _origin(value: Any) -> str:
    """The file and line of a value; empty if they are not known, or in this collection."""
    encoder = origin_encoder()
    try:
        document = json.loads(json.dumps(value, cls=encoder)) if encoder else None
    except (TypeError, ValueError):
        return ""
    tags = document.get("tags", ()) if isinstance(document, dict) else ()
    for tag in tags:
        if isinstance(tag, dict) and tag.get(KIND_OF_TAG) == "Origin":
            return _written_origin(tag)
    return ""


def _written_origin(origin: Mapping[str, Any]) -> str:
    if "CLI option" in (origin.get("description") or ""):
        return "on the command line"
    path = str(origin.get("path") or "")
    line = origin.get("line_num")
    if not path or not line or path.startswith(OWN_FILES):
        return ""
    return f"{shown_path(path)}:{line}"


def shown_path(path: str) -> str:
    """An absolute path as messages show it: from the working directory on."""
    return path.removeprefix(os.getcwd() + os.sep)


def expiry_of(place: Option, value: Any) -> datetime:
    """The moment at which something expires, read from the value at this place; raises Mistakes."""
    try:
        return parse_expiry(str(value))
    except ValueError as exc:
        raise Mistakes([OptionError(place, str(exc))]) from exc


MARKS_OF_TEMPLATES = re.compile("[{][{%#]|^#jinja2:")
SCALARS = (bool, int, float, type(None))


def is_data(value: Any) -> bool:
    """True if a value of a variable has no templates, so that it need not be templated, which
    takes longer than most of what is done with it; False for a value that Ansible decrypts."""
    if isinstance(value, str):  # most values are, and this is the quickest question
        return MARKS_OF_TEMPLATES.search(value) is None
    if isinstance(value, SCALARS):
        return True
    if isinstance(value, (list, tuple)):
        return all(is_data(member) for member in value)
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and is_data(member) for name, member in value.items())
    return False


def plain(value: Any) -> Any:
    """The value in plain Python types, since Ansible's own texts and numbers carry marks."""
    if isinstance(value, str):
        return _unmarked(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if isinstance(value, Mapping):
        return {_unmarked(name): plain(member) for name, member in value.items()}
    return value


TEMPLATE = object()  # in the place of the data of a value that Ansible makes them of
MOST_VALUES = 256  # lists and dictionaries of variables that are remembered


@remembered(MOST_VALUES)
def _data_of_container(value: Any) -> Any:
    return plain(value) if is_data(value) else TEMPLATE


def data_of(value: Any) -> Any:
    """The plain data of a variable, or TEMPLATE if it has templates; the same list or dictionary
    always gives the same object."""
    if isinstance(value, (list, tuple, Mapping)):
        return _data_of_container(value)
    return plain(value) if is_data(value) else TEMPLATE


def _unmarked(value: Any) -> str:
    """The plain text of a value; of a text, str() keeps the mark of releases before 2.19."""
    return str.__str__(value) if isinstance(value, str) else str(value)


def by_path(values: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """The values in nested dictionaries by their paths, such as `filter.expression`; an empty
    dictionary counts as a value."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        value_path = f"{path}{name}"
        if isinstance(value, Mapping) and value:
            flat.update(by_path(value, f"{value_path}."))
        else:
            flat[value_path] = value
    return flat


try:
    from ansible.module_utils.common.json import Direction, get_module_encoder
except ImportError:  # before ansible-core 2.19, which packs the modules
    ENCODER: type[json.JSONEncoder] | None = None
else:
    ENCODER = get_module_encoder("legacy", Direction.CONTROLLER_TO_MODULE)


def packed_value(value: Any) -> str:
    return _text_of_list(value) if isinstance(value, list) else as_packed(value)


def as_packed(value: Any) -> str:
    """A value in JSON, as a packed module receives it: without tags, dates as text."""
    return json.dumps(value, cls=ENCODER, default=None if ENCODER else str)


_text_of_list = remembered(256)(as_packed)  # of the variables that hosts have in common
