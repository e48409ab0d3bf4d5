# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The output of a module: readable, without secrets, and with the names that its task gives to the
options."""

from __future__ import annotations

import os
import re
from typing import Any, Mapping, Sequence

from ._api.responses import swapped_ids
from ._api.settings import known_secrets
from ._context import TASK, Context
from ._errors import OptionError, OptionPlace, ProtectionError, ServiceError, as_one
from ._schema.resource import without
from ._text import Names, ReadableTexts, excerpt, joined, redact, redact_text, visible, with_names

MAX_MESSAGE = 50_000  # characters; Cloudflare's own text has no limit
MATCHES_NO_TEXT = "(?!)"  # a pattern that matches no text


class Output:
    """The output of a module with these options, in which options have these names, without
    secrets."""

    def __init__(self, options: Mapping[str, Any], names: Names) -> None:
        self._options = options
        self._names = names
        self._secrets = known_secrets(options, os.environ)
        any_secret = "|".join(map(re.escape, self._secrets))
        self._find_secret = re.compile(any_secret or MATCHES_NO_TEXT).search

    def message(self, message: str) -> str:
        """A message without secrets and control characters, cut if it is very long."""
        return visible(excerpt(self._readable(message), MAX_MESSAGE))

    def details(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """Results, with names of options in their messages, and without secrets."""
        readable: dict[str, Any] = ReadableTexts(self._readable).read(details)
        return readable

    def failure(self, exc: ProtectionError) -> dict[str, Any]:
        """The result of a module that failed."""
        hint = _swapped_ids(exc, self._options)
        message = joined(" ", [exc.message, hint]) if hint else exc.message
        return {**self.details(exc.details), "failed": True, "msg": self.message(message)}

    def _readable(self, text: str) -> str:
        if text.__class__ is str and not self._find_secret(text):  # as all in a long list
            return text
        return redact_text(with_names(text, self._names), self._secrets)


def _swapped_ids(exc: ProtectionError, options: Mapping[str, Any]) -> str:
    """A hint that the ids of account and zone are swapped, if an answer suggests it."""
    if not isinstance(exc, ServiceError):
        return ""
    from_task = {name for name in options if options[name]}
    from_environment = {name for name in os.environ if os.environ[name]}
    return swapped_ids(exc.codes, from_task | from_environment)


def without_secrets(value: Any, options: Mapping[str, Any], names: bool = True) -> Any:
    """The value without the secrets of these options and of the environment; see redact."""
    return redact(value, known_secrets(options, os.environ), names)


def option_failure(
    options: Mapping[str, Any],
    errors: Sequence[OptionError],
    context: Context = TASK,
    place: OptionPlace = lambda _option: "",
) -> dict[str, Any]:
    """The failure of a module because of errors in these options."""
    return Output(options, context.names).failure(as_one(errors).placed(place))


def readable_failure(details: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a failure without those that fill screens: all of the coverage but its
    summary, and the sentences of risks, which the message has. Ansible itself leaves out the diff
    of a failure."""
    readable = dict(details)
    if "risks" in readable:
        readable["risks"] = [without(risk, "message") for risk in readable["risks"]]
    if "coverage" in readable:
        summary = readable["coverage"]["after"]["summary"]
        readable["coverage"] = {"after": {"summary": summary}}
    return readable
