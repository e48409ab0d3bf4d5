# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of a role against what it takes.

The playbooks import the roles so that ansible-core does not check them in a task of its own on
every host; this checks what ansible-core would.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from ..module_utils._api.settings import known_secrets
from ..module_utils._arguments import Argument, Arguments, no_such, read_options
from ..module_utils._errors import OptionError, OptionProblems, as_one
from ..module_utils._remembered import remembered
from ..module_utils._text import OWN_NAMES, Names, Option, closest, redact, visible
from ..module_utils._timestamps import parse_expiry

Parse = Callable[[Option, Any], Any]  # reads the value of an option; raises OptionError
KIND_OF_TAG = "__ansible_type"
ROLES = Path(__file__).parents[2] / "roles"
OWN_FILES = tuple(str(ROLES.with_name(name)) + os.sep for name in ("roles", "playbooks"))
ALIKE = 0.83  # of two names of which one may be the other, misspelt
FLEET = "baseline_fleet"  # what the playbook baseline registers for all hosts
CONTACTS = {"owner": "edge_owner", "runbook": "edge_runbook"}  # of a host, as the report names them


def require_valid(arguments: Arguments, values: Mapping[str, Any]) -> None:
    """Raise ValueError if values of a role's variables are wrong, in words without its secrets."""
    require_none(wrong_variables(arguments, values), arguments, values)


def read_variables(
    arguments: Arguments,
    values: Mapping[str, Any],
    prefix: str = "",
    variables: Mapping[str, Any] = MappingProxyType({}),
    parsers: Mapping[str, Parse] = MappingProxyType({}),
) -> dict[str, Any]:
    """By their names without this prefix, the values of variables with their types, and defaults
    for those that are null or not there; raises ValueError for wrong ones, also for their parsers,
    for those that there are not, and for misspelt ones of the host, which has these `variables`."""
    set_ones = {name: value for name, value in values.items() if value is not None}
    unknown = dict.fromkeys(misspelt(variables, prefix, arguments))
    kind = "variable" if prefix else "option"
    read = read_options(arguments, {**set_ones, **unknown}, kind)
    problems = OptionProblems()
    problems.errors.extend(read.errors)
    fit = {name: value for name, value in read.items() if value is not None}
    for name in filter(fit.__contains__, parsers):
        with problems.collected():
            parsers[name](Option(name), fit[name])
    require_none(problems.errors, arguments, values, {**values, **variables})
    return {name.removeprefix(prefix): value for name, value in read.items()}


def read_call(arguments: Arguments, **values: Any) -> dict[str, Any]:
    """The arguments of a call of a filter, to which Jinja may pass iterators; raises ValueError."""
    lists = {name: list(item) for name, item in values.items() if isinstance(item, Iterator)}
    return read_variables(arguments, {**values, **lists})


def misspelt(names: Iterable[str], prefix: str, known: Iterable[str]) -> list[str]:
    """The names with this prefix that are close to a known one, and none of them; others may be
    the user's own."""
    ours = [*known]
    unknown = [name for name in sorted(names) if name.startswith(prefix) and name not in ours]
    near = {name: [item for item in ours if _is_as_long(name, item)] for name in unknown}
    return [name for name in unknown if closest(name, near[name], ALIKE)]


def _is_as_long(name: str, known: str) -> bool:
    """True if two names can be alike by their lengths; a comparison takes far longer."""
    length = len(name) + len(known)
    return 2 * min(len(name), len(known)) >= ALIKE * length


def misspelt_errors(names: Iterable[str], known: Collection[str]) -> list[OptionError]:
    """The errors of names of variables that there are not."""
    return [OptionError(Option(name), no_such("variable", name, known)[0]) for name in names]


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
    """Raise ValueError if there are errors in these values, in words without their secrets. The
    values `in_files` know where they stand."""
    if errors:
        error = as_one(errors).placed(partial(place_of, in_files or values))
        named = [values.get(name) for name, item in arguments.items() if item.get("no_log")]
        secrets = {*known_secrets({}, os.environ), *(str(value) for value in named if value)}
        longest_first = sorted(secrets, key=len, reverse=True)
        raise ValueError(redact(f"{visible(error.message)}.", longest_first))


def wrong_variables(arguments: Arguments, values: Mapping[str, Any]) -> list[OptionError]:
    """The errors in the values of variables; one that is null or not there is not set."""
    every: list[OptionError] = []
    for name, argument in arguments.items():
        value = values.get(name)
        if value is not None:
            in_container = isinstance(value, (list, Mapping))
            every += (_wrong_container if in_container else _wrong)(name, argument, value)
    return every


def _wrong(name: str, argument: Argument, value: Any) -> Sequence[OptionError]:
    return read_options({name: argument}, {name: value}).errors


_wrong_container = remembered(256)(_wrong)  # many hosts have the same


def place_of(values: Mapping[str, Any], option: Option, names: Names = OWN_NAMES) -> str:
    """The place of the value of an option, in brackets: its file and line, or the command line; an
    empty text if ansible-core does not know it, as before 2.19."""
    value: Any = values
    known: list[Any] = []
    is_brought = len(option.path) > 1 and option.entry in names  # by another variable
    for step in () if is_brought else option.renamed(names).path:
        try:
            known += [key for key in value if key == step] if isinstance(value, Mapping) else []
            value = value[step]
        except (KeyError, IndexError, TypeError):
            break
        known.append(value)
    return next(filter(None, map(_origin, reversed(known))), "")


def encoder_of_places() -> type[json.JSONEncoder] | None:
    """The encoder that writes where a value stands; None before ansible-core 2.19, which does not
    know it."""
    try:
        from ansible.module_utils.common.json import get_encoder

        encoder: type[json.JSONEncoder] = get_encoder("cache_persistence")
    except (ImportError, ValueError):  # also outside of a controller
        return None
    return encoder


def _origin(value: Any) -> str:
    """The file and the line of a value, unless it is of this collection."""
    encoder = encoder_of_places()
    try:
        document = json.loads(json.dumps(value, cls=encoder)) if encoder else None
    except (TypeError, ValueError):
        return ""
    tags = document.get("tags", ()) if isinstance(document, dict) else ()
    known = (tag for tag in tags if isinstance(tag, dict) and tag.get(KIND_OF_TAG) == "Origin")
    origin = next(known, {})
    path, line = str(origin.get("path") or ""), origin.get("line_num")
    if "CLI option" in (origin.get("description") or ""):
        return " (on the command line)"
    if not path or not line or path.startswith(OWN_FILES):
        return ""
    return f" ({path.removeprefix(os.getcwd() + os.sep)}:{line})"


def expiry_of(name: str, value: Any) -> datetime:
    """The moment from which something no longer counts, as the variable of this name says; raises
    ValueError."""
    try:
        return parse_expiry(str(value))
    except ValueError as exc:
        raise ValueError(f"{name}: {exc}.") from exc
