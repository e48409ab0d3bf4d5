# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The outcome of a module, however it was started: its result, or its failure, without secrets."""

from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Sequence

from .api.auth import known_secrets
from .api.settings import parse_settings
from .engine import perform
from .errors import ProtectionError
from .specs.base import ModuleSpec
from .text import excerpt, visible

MAX_MESSAGE = 50_000  # characters; the service's own text has no limit
HIDDEN = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"  # as ansible-core writes it, which hides the values of options itself


def outcome(
    spec: ModuleSpec, options: Mapping[str, Any], check_mode: bool, verbose: bool, warn: Callable[[str], None]
) -> dict[str, Any]:
    """The result of a module; a failure has `failed` and `msg`. Secrets are in neither, nor in warnings.

    Every message passes here, so that text of the service cannot control the terminal that shows it.
    """
    secrets = known_secrets(options, os.environ)

    def readable(message: str) -> str:
        return visible(excerpt(_redact_text(message, secrets), MAX_MESSAGE))

    def warn_readably(message: str) -> None:
        warn(readable(message))

    try:
        settings = parse_settings(options, spec.owner, os.environ, warn_readably)
        result = perform(spec, options, settings, check_mode, warn_readably, verbose)
    except ProtectionError as exc:
        result = {**exc.details, "failed": True, "msg": readable(exc.message)}
    return redact(result, secrets)  # type: ignore[no-any-return]


def redact(value: Any, secrets: Sequence[str]) -> Any:
    """The value without the secrets, wherever the service repeated one; ansible-core 2.22 leaves them in results."""
    if isinstance(value, str):
        return _redact_text(value, secrets)
    if isinstance(value, Mapping):
        return {redact(name, secrets): redact(item, secrets) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact(item, secrets) for item in value]
    return value


def _redact_text(text: str, secrets: Sequence[str]) -> str:
    if text in secrets:
        return HIDDEN
    for secret in secrets:
        text = text.replace(secret, "********")
    return text
