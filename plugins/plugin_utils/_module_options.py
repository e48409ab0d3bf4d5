# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a module, out of the arguments of a task. What many hosts have in common is read
once in a worker."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, NamedTuple

from ..module_utils._api.settings import OPTIONS_FROM_ENVIRONMENT
from ..module_utils._arguments import Arguments, ReadOptions, read_options, without_ignored
from ..module_utils._context import Context
from ..module_utils._errors import OptionError
from ..module_utils._output import option_failure
from ..module_utils._specs.base import PLAN_OPTIONS, ModuleSpec, argument_spec
from ..module_utils._specs.registry import HOST_MODULE, MODULE_SPECS
from ..module_utils._specs.task import option_errors
from ..module_utils._text import Option
from ._variables import as_packed, option_at, origin_of_value, packed_value, variables_in_error

TextsByName = tuple[tuple[str, str], ...]  # values as text by name, so that they can be a key


def with_approval(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments, with an empty text for each approval that is set and comes out null: a
    module could not tell null from an option that is not set, and an empty text approves no
    change."""
    nulls = [name for name in PLAN_OPTIONS if name in arguments and arguments[name] is None]
    return {**arguments, **dict.fromkeys(nulls, "")}


def read_arguments(module: str, arguments: Mapping[str, Any]) -> tuple[ModuleSpec, ReadOptions]:
    """The spec of a module, and its options out of these arguments."""
    spec = _spec_of(module)
    host_arguments = _host_arguments(module)
    shared_texts: list[tuple[str, str]] = []
    host_values: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in host_arguments:
            host_values[name] = value
        else:
            shared_texts.append((name, packed_value(value)))
    shared_options = _shared_options(module, tuple(shared_texts))
    host_options = read_options(host_arguments, json.loads(as_packed(host_values)))
    if shared_options.errors or host_options.errors:  # some of which name other options
        packed = json.loads(as_packed(arguments))
        return spec, read_options(argument_spec(spec), packed)
    return spec, ReadOptions({**shared_options, **host_options})


class OptionProblem(NamedTuple):
    """A problem with the options of a module. The `error` has the words of the module's failure;
    `option` is the option at fault, by the name of the variable that fills it; `names` are all
    variables that the error names."""

    error: OptionError
    option: Option
    names: Set[str]


class ProblemsAlone(NamedTuple):
    """The problems with the options of a module that its options alone show, and the `doubts` about
    what is probably not meant, in words."""

    problems: Sequence[OptionProblem]
    doubts: Sequence[OptionError]


def option_problems(
    module: str, arguments: Mapping[str, Any], context: Context, in_files: Mapping[str, Any]
) -> list[OptionProblem]:
    """All problems with the options of a module; the values of the variables `in_files` know
    their file and line."""
    spec, options = read_arguments(module, arguments)
    to_words = _ToWords(arguments, context, in_files)
    return [to_words.problem(error) for error in option_errors(spec, options, context)]


def problems_alone(
    module: str, arguments: Mapping[str, Any], context: Context, in_files: Mapping[str, Any]
) -> ProblemsAlone:
    """Like option_problems(), with all else that is known of the objects in the options without a
    request."""
    from ..module_utils._planning.alone import findings_alone  # loads the solver

    spec, options = read_arguments(module, arguments)
    to_words = _ToWords(arguments, context, in_files)
    findings = findings_alone(spec, options, context)
    return ProblemsAlone(
        [to_words.problem(error) for error in findings.errors],
        [to_words.error(doubt) for doubt in findings.doubts],
    )


class _ToWords(NamedTuple):
    """The words for errors in the options of a module, as its failure has them."""

    arguments: Mapping[str, Any]
    context: Context
    in_files: Mapping[str, Any]

    def problem(self, error: OptionError) -> OptionProblem:
        """The problem that an error tells."""
        names = self.context.names
        option = option_at(error.option.name(names))
        return OptionProblem(self.error(error), option, variables_in_error(error, names))

    def error(self, error: OptionError) -> OptionError:
        """The error in words, with the place of its option."""
        text = option_failure(self.arguments, [error], self.context)["msg"]
        place = origin_of_value(self.in_files, error.option, names=self.context.names)
        return OptionError(Option(), text.rstrip("."), place)


def packed_arguments(module: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a packed module: a new dictionary, to which Ansible adds its own
    arguments."""
    if _name_of(module) == HOST_MODULE:
        from ..module_utils._specs.packing import packed  # loads all specs

        return packed(options)
    arguments: dict[str, Any] = without_ignored(argument_spec(_spec_of(module)), options)
    return arguments


def _name_of(module: str) -> str:
    return module.rpartition(".")[2]


def _spec_of(module: str) -> ModuleSpec:
    return MODULE_SPECS[_name_of(module)]


@lru_cache(maxsize=None)
def _host_arguments(module: str) -> Arguments:
    """The part of a module's argument spec that differs from host to host, such as the
    credentials."""
    spec = argument_spec(_spec_of(module))
    return {name: argument for name, argument in spec.items() if name in OPTIONS_FROM_ENVIRONMENT}


@lru_cache(maxsize=None)
def _shared_arguments(module: str) -> Arguments:
    """The part of a module's argument spec that hosts may have in common."""
    spec = argument_spec(_spec_of(module))
    return {
        name: argument for name, argument in spec.items() if name not in OPTIONS_FROM_ENVIRONMENT
    }


@lru_cache(maxsize=64)
def _shared_options(module: str, texts: TextsByName) -> ReadOptions:
    """The options that hosts may have in common, read from arguments as JSON texts."""
    values = {name: json.loads(text) for name, text in texts}
    return read_options(_shared_arguments(module), values)
