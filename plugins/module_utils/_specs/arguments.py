# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The arguments of a module, checked by ansible-core's own validator."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, NamedTuple

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import env_fallback
from ansible.module_utils.errors import UnsupportedError

from .._api.settings import shared_options
from .._guard.approval import PLAN_OPTIONS
from .._text import Message, Option
from .base import ModuleSpec

Arguments = Mapping[str, Mapping[str, Any]]

# What the validator of ansible-core raises for values that it does not expect, such as an infinite
# whole number.
CRASHES = (TypeError, ValueError, OverflowError, AttributeError)


class Validated(NamedTuple):
    """The options with defaults and environment filled in, and the sentence that says what is wrong
    with them."""

    options: dict[str, Any]
    error: str | None


def argument_spec(spec: ModuleSpec) -> dict[str, dict[str, Any]]:
    """The argument spec of a module, with the options that all modules share, and those of all that
    write."""
    return {
        **shared_options(spec.owner, env_fallback),
        **(PLAN_OPTIONS if spec.writes else {}),
        **spec.options,
    }


def validate(arguments: Arguments, module: str, options: Mapping[str, Any]) -> Validated:
    """What AnsibleModule makes of the options of a task, in its words."""
    try:
        result = ArgumentSpecValidator(arguments).validate(options)
    except CRASHES:
        raw, error = validate(without_types(arguments), module, options)
        return Validated(raw, error or unreadable(arguments, options))
    validated = {**options, **result.validated_parameters}
    if not result.error_messages:
        return Validated(validated, None)
    if isinstance(result.errors[0], UnsupportedError):
        return Validated(
            validated, f"Unsupported parameters for ({module}) module: {result.errors.msg}"
        )
    return Validated(validated, result.errors.msg)


def without_types(arguments: Arguments) -> dict[str, dict[str, Any]]:
    """An argument spec that takes any value, for options whose check crashes."""
    return {
        name: {"type": "raw", "no_log": bool(argument.get("no_log"))}
        for name, argument in arguments.items()
    }


def unreadable(arguments: Arguments, options: Mapping[str, Any]) -> str:
    """A sentence about the first option whose check crashes."""
    for path, argument, value in _parts(Option(), {"options": arguments}, options):
        if _crashes(argument, value):
            return _unreadable(path, argument, value)
    return "The options cannot be read."


def _unreadable(path: Option, argument: Mapping[str, Any], value: Any) -> str:
    for part in _parts(path, argument, value):
        if _crashes(*part[1:]):
            return _unreadable(*part)
    return Message(path, f": it cannot be read as {argument['type']}")


def _parts(
    path: Option, argument: Mapping[str, Any], value: Any
) -> Iterator[tuple[Option, Mapping[str, Any], Any]]:
    """The items of a list, and the options that a dictionary has, each with its path."""
    if isinstance(value, list) and "elements" in argument:
        for index, item in enumerate(value):
            yield (
                path.at(index),
                {"type": argument["elements"], "options": argument.get("options")},
                item,
            )
    elif isinstance(value, Mapping):
        for name, suboption in (argument.get("options") or {}).items():
            if value.get(name) is not None:
                yield path.at(name), suboption, value[name]


def _crashes(argument: Mapping[str, Any], value: Any) -> bool:
    try:
        ArgumentSpecValidator({"option": argument}).validate({"option": value})
    except CRASHES:
        return True
    return False
