# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The outcome of a module, however it was started: its result, or its failure, without secrets."""

from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Sequence

from ._api.auth import known_secrets
from ._api.hints import swapped_ids
from ._api.settings import Settings, parse_settings
from ._engine import parse_options, perform
from ._errors import OptionProblems, ProtectionError, ServiceError
from ._messages import Names, joined, with_names
from ._screen import Screen
from ._specs.base import ModuleSpec
from ._text import excerpt, visible

MAX_MESSAGE = 50_000  # characters; the service's own text has no limit
HIDDEN = (  # as ansible-core writes it, which hides the values of options itself
    "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
)


def outcome(
    spec: ModuleSpec,
    options: Mapping[str, Any],
    check_mode: bool,
    verbose: bool,
    warn: Callable[[str], None],
    screen: Screen | None = None,
) -> dict[str, Any]:
    """The result of a module; a failure has `failed` and `msg`. Secrets are in neither, nor in
    warnings.

    Every message passes here, so that text of the service cannot control the terminal that shows
    it.
    """
    readable = _readable(options)

    def warn_readably(message: str) -> None:
        warn(readable(message))

    try:
        settings = _settings(spec, options, warn_readably)
        readable_screen = screen and screen._replace(show=lambda text: screen.show(readable(text)))
        result = perform(
            spec, options, settings, check_mode, warn_readably, verbose, readable_screen
        )
    except ProtectionError as exc:
        return _failure(exc, options)
    return _readable_details(result, options)


def option_failure(spec: ModuleSpec, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """The failure of a module because of its options, for which it asks nobody; None where they are
    right."""
    try:
        _settings(spec, options, lambda _warning: None)
        parse_options(spec, options)
    except ProtectionError as exc:
        return _failure(exc, options)
    return None


def _settings(
    spec: ModuleSpec, options: Mapping[str, Any], warn: Callable[[str], None]
) -> Settings:
    """The settings of the connection; where they are wrong, raises OptionError with what is wrong
    in all options."""
    problems = OptionProblems()
    with problems.collected():
        settings = parse_settings(options, spec.owner, os.environ, warn)
    if problems.any:
        with problems.collected():
            parse_options(spec, options)
    problems.raise_any()
    return settings


def _failure(exc: ProtectionError, options: Mapping[str, Any]) -> dict[str, Any]:
    message = joined(" ", filter(None, (exc.message, _swapped_ids(exc, options))))
    details = _readable_details(exc.details, options)
    return {**details, "failed": True, "msg": _readable(options)(message)}


def _readable_details(details: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Results with the names of the options in their messages, and without secrets."""
    named = _named(details, _names(options))
    readable: dict[str, Any] = redact(named, known_secrets(options, os.environ))
    return readable


def _named(value: Any, names: Names) -> Any:
    """A structure with these names of the options in its messages."""
    if isinstance(value, Mapping):
        return {name: _named(item, names) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_named(item, names) for item in value]
    return with_names(value, names) if isinstance(value, str) else value


def _readable(options: Mapping[str, Any]) -> Callable[[str], str]:
    """Makes a message one that people can read, with the names that they gave the options and
    without secrets."""
    names, secrets = _names(options), known_secrets(options, os.environ)

    def readable(message: str) -> str:
        named = with_names(message, names)
        return visible(excerpt(_redact_text(named, secrets), MAX_MESSAGE))

    return readable


def _names(options: Mapping[str, Any]) -> Names:
    """The names that a role's variables have."""
    names = options.get("option_names") or {}
    return {option: str(names.get(option) or f"{names.get('*', '')}{option}") for option in options}


def _swapped_ids(exc: ProtectionError, options: Mapping[str, Any]) -> str:
    named = {name for values in (options, os.environ) for name in values if values[name]}
    return swapped_ids(exc.codes, named) if isinstance(exc, ServiceError) else ""


def redact(value: Any, secrets: Sequence[str], names: bool = True) -> Any:
    """The value without the secrets, wherever the service repeated one; ansible-core 2.22 leaves
    them in results.

    Without `names`, the names in dictionaries stay, as they do in the options that ansible-core
    shows.
    """
    if isinstance(value, str):
        return _redact_text(value, secrets)
    if isinstance(value, Mapping):
        return {
            redact(name, secrets) if names else name: redact(item, secrets, names)
            for name, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [redact(item, secrets, names) for item in value]
    return value


def _redact_text(text: str, secrets: Sequence[str]) -> str:
    if text in secrets:
        return HIDDEN
    for secret in secrets:
        text = text.replace(secret, "********")
    return text
