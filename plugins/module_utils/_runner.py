# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a module, however it was started: its result, or its failure, without secrets."""

from __future__ import annotations

import gc
import os
import re
from typing import Any, Callable, Mapping, Sequence

from ._api.client import Client
from ._api.lock import Waiting, locked_owners
from ._api.responses import swapped_ids
from ._api.session import client_of_owner, connected
from ._api.settings import known_secrets
from ._arguments import ReadOptions
from ._context import TASK, Context
from ._engine import perform
from ._errors import OptionError, Place, ProtectionError, ServiceError, as_one
from ._result import readable_failure
from ._specs.base import ModuleSpec
from ._specs.task import Task, parse_task
from ._text import (
    Names,
    Screen,
    Texts,
    Warn,
    excerpt,
    joined,
    redact,
    redact_text,
    visible,
    with_names,
)

SELDOM = (50_000, 200, 20)
MAX_MESSAGE = 50_000  # characters; Cloudflare's own text has no limit


def run(
    spec: ModuleSpec,
    options: Mapping[str, Any],
    check_mode: bool,
    verbose: bool,
    warn: Callable[[str], None],
    screen: Screen | None = None,
    context: Context = TASK,
    place: Place = lambda _option: "",
) -> dict[str, Any]:
    """The result of a module; a failure has `failed` and `msg`. Secrets are in neither, nor in
    warnings.

    Every message passes here, so that text of Cloudflare cannot control the terminal that shows
    it.
    """
    gc.set_threshold(*SELDOM)  # a search for garbage, since a run keeps to its end what it makes
    output = _Output(options, context.names)

    def warn_readably(message: str) -> None:
        text = output.message(message)
        warn(f"{context.host}: {text}" if context.host else text)

    try:
        task = parse_task(spec, options, os.environ, warn_readably, context)
        for text in (*task.warnings, *(() if context.is_role else task.unchecked)):
            warn_readably(text)
        readable = screen and screen._replace(show=lambda text: screen.show(output.message(text)))
        with connected(task.settings, warn_readably, readable) as client:
            say = readable.show if readable else warn_readably
            waiting = Waiting(client.wait, say, context.host)
            result = _performed(task, client, check_mode, verbose, warn_readably, waiting)
    except OptionError as exc:
        return output.failure(exc.placed(place))
    except ProtectionError as exc:
        return output.failure(exc)
    return output.details(result)


def option_failure(
    values: Mapping[str, Any],
    errors: Sequence[OptionError],
    context: Context = TASK,
    place: Place = lambda _option: "",
) -> dict[str, Any]:
    """The failure of a module because of errors in its options, of which it has these values."""
    return _Output(values, context.names).failure(as_one(errors).placed(place))


def option_errors(
    spec: ModuleSpec, options: ReadOptions, context: Context
) -> Sequence[OptionError]:
    """All that is wrong in the options of a module, for which it asks nobody."""
    try:
        parse_task(spec, options, os.environ, lambda _warning: None, context)
    except OptionError as exc:
        return as_one([*options.errors, *exc.errors]).errors
    return options.errors


def _performed(
    task: Task, client: Client, check_mode: bool, verbose: bool, warn: Warn, waiting: Waiting
) -> dict[str, Any]:
    """The result of a task; raises ProtectionError.

    A run that writes locks its owners, from its first read to its last answer.

    A verbose result tells how many calls were made, and a verbose failure all of its diff and
    coverage.
    """
    try:
        client = client_of_owner(client, task.settings)
        written = {} if check_mode else task.written(client.owner)
        with locked_owners(task.settings.address, written, waiting):
            result = perform(task, client, check_mode, warn)
    except ProtectionError as exc:
        if verbose:
            raise exc.extended(calls=client.calls) from exc
        if task.context.reports:
            raise
        raise exc.extended(**readable_failure(exc.details)) from exc
    return {**result, "calls": client.calls} if verbose else result


class _Output:
    """The output of a module with these options: with these names of the options, and without
    secrets."""

    def __init__(self, options: Mapping[str, Any], names: Names) -> None:
        self._options = options
        self._names = names
        self._secrets = known_secrets(options, os.environ)
        self._hidden_in = re.compile("|".join(map(re.escape, self._secrets)) or "(?!)").search

    def message(self, message: str) -> str:
        """A message that people can read, and that controls no terminal."""
        return visible(excerpt(self._read(message), MAX_MESSAGE))

    def details(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """Results, also with messages in them."""
        readable: dict[str, Any] = Texts(self._read).read(details)
        return readable

    def failure(self, exc: ProtectionError) -> dict[str, Any]:
        """The result of a module that failed."""
        message = joined(" ", filter(None, (exc.message, _swapped_ids(exc, self._options))))
        return {**self.details(exc.details), "failed": True, "msg": self.message(message)}

    def _read(self, text: str) -> str:
        if text.__class__ is str and not self._hidden_in(text):  # as all in a long list
            return text
        return redact_text(with_names(text, self._names), self._secrets)


def _swapped_ids(exc: ProtectionError, options: Mapping[str, Any]) -> str:
    named = {name for values in (options, os.environ) for name in values if values[name]}
    return swapped_ids(exc.codes, named) if isinstance(exc, ServiceError) else ""


def without_secrets(value: Any, options: Mapping[str, Any], names: bool = True) -> Any:
    """The value without the secrets of these options and of the environment; see redact."""
    return redact(value, known_secrets(options, os.environ), names)
