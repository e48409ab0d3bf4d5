# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of a host as the tasks of roles read them: without templates, as far as the host
has them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from threading import RLock
from types import MappingProxyType
from typing import Any

from ansible.errors import AnsibleError

from ...module_utils._api.settings import BASE_URL_VARIABLE, DEFAULT_BASE_URL, address_of
from ...module_utils._arguments import Arguments
from ...module_utils._errors import OptionError
from ...module_utils._text import Option, redact, visible
from .._undefined import undefined_names
from .._variables import (
    NO_VALUE_READ,
    TEMPLATE,
    FindErrors,
    data_of,
    no_check,
    plain,
    read_variables,
    readable_errors,
    require_none,
    secrets_in,
    sentences,
)
from .variables import OF_HOST, PREFIX, without_omitted, wrong_names

# Ansible templates in one thread at a time, and so do lookups, which are code of others.
TEMPLATING = RLock()
UNDEFINED = "is undefined"  # in Ansible's words
BASE_URLS = tuple(f"{prefix}base_url" for prefix in (PREFIX, "edge_"))  # the first one counts


class HostVariables:
    """The variables of a host, and the function that reads the templates in them.

    Ansible templates the options of a task one by one in each worker, which costs more than the
    work itself; the actions of the roles read the variables instead, of which few are templates.
    """

    def __init__(self, variables: Mapping[str, Any], templated: Callable[[Any], Any]) -> None:
        self._template = templated
        self.host = str(variables["inventory_hostname"])
        self.variables = variables
        self.groups: list[str] = plain(list(variables.get("group_names") or ()))

    def value(self, name: str) -> Any:
        """A variable of the host with its templates rendered; None if the host does not have it."""
        return self.values([name]).get(name)

    def values(self, names: Iterable[str]) -> dict[str, Any]:
        """The variables of the host with these names, as far as the host has them, with their
        templates rendered; raises Mistakes for templates that cannot be rendered."""
        values, errors = self.read(names)
        require_none(errors, {}, {}, self.variables)
        return values

    def options(
        self,
        arguments: Arguments,
        prefix: str,
        task_options: Mapping[str, Any] = MappingProxyType({}),
        check: FindErrors = no_check,
    ) -> dict[str, Any]:
        """The options of a task with these arguments: those in `task_options`, and the others
        from the variables with this prefix; raises Mistakes, also for errors that `check` finds."""
        options = {f"{prefix}{name}": value for name, value in task_options.items()}
        names = [name for name in arguments if name not in options]
        values, unread = self.read(names)
        values.update(options)
        filled = {name: value for name, value in values.items() if value != ""}
        return read_variables(arguments, filled, prefix, self.variables, check, unread)

    def read(self, names: Iterable[str]) -> tuple[dict[str, Any], list[OptionError]]:
        """The values of variables, with UNREAD in place of each template that cannot be
        rendered, and the errors of these templates."""
        variables = self.variables
        stored = {name: variables[name] for name in names if name in variables}
        data = {name: data_of(value) for name, value in stored.items()}
        templates = {name: stored[name] for name, value in data.items() if value is TEMPLATE}
        errors: list[OptionError] = []
        if templates:
            data.update(self._templated(Option(), templates, errors))
        return without_omitted(data, variables.get("omit")), errors

    def _templated(self, option: Option, value: Any, errors: list[OptionError]) -> Any:
        """A value with its templates rendered; for each that cannot be rendered, UNREAD, and an
        error that is added to `errors`."""
        try:
            return self._template(value)
        except AnsibleError as exc:
            if isinstance(value, list):
                steps = enumerate(value)
                return [self._templated(option.at(step), item, errors) for step, item in steps]
            if isinstance(value, Mapping):
                return {
                    name: self._templated(option.at(name), item, errors)
                    for name, item in value.items()
                }
            words = " ".join(str(exc).split())
            if UNDEFINED not in words:
                names = undefined_names(value, self.variables)
                words = "; ".join([*(f"'{name}' {UNDEFINED}" for name in names), words])
            errors.append(OptionError(option, words.rstrip(".")))
            return NO_VALUE_READ

    def secrets(self, arguments: Arguments) -> list[str]:
        """The secrets of the environment, and those in the host's variables for these arguments,
        as far as they can be read; longer ones first."""
        names = [name for name, argument in arguments.items() if argument.get("no_log")]
        values, _errors = self.read(names)
        return secrets_in(arguments, values)

    def misspelt_variables(self, shown: Iterable[OptionError] = ()) -> list[str]:
        """A warning for each variable of the host that has no effect, and seems to be meant for
        this collection, unless its error is in `shown`."""
        errors = wrong_names(self.variables)
        secrets = self.secrets(OF_HOST) if errors else []
        readable = readable_errors(errors, {}, {}, self.variables)
        shown_texts = {error.text for error in shown}
        untold = [error for error in readable if error.text not in shown_texts]
        return [self._of_host(text) for text in redact(sentences(untold), secrets)]

    def base_url(self) -> str:
        """The base URL of the API that the host names, or else that of this run; empty if it
        cannot be read."""
        try:
            values = self.values(BASE_URLS)
            host_urls = [values.get(name) for name in BASE_URLS]
            urls = [*host_urls, os.environ.get(BASE_URL_VARIABLE), DEFAULT_BASE_URL]
            url = next(filter(None, urls))
            return address_of(str(url))
        except (ValueError, OptionError):
            return ""

    def _of_host(self, text: str) -> str:
        return visible(f"{self.host}: {text}")
