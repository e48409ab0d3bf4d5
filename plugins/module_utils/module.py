# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The entry point of every module: the only file that knows AnsibleModule."""

from __future__ import annotations

import os
from typing import Any, Callable

from ansible.module_utils.basic import AnsibleModule, env_fallback, missing_required_lib

from .api.adapters import REQUESTS_IMPORT_ERROR
from .api.settings import parse_settings, shared_options
from .engine import perform
from .errors import ProtectionError
from .specs.base import ModuleSpec


def run_module(spec: ModuleSpec) -> None:
    """Run a module to its end: one result, or one failure with a message and its details."""
    module = AnsibleModule(
        argument_spec={**shared_options(spec.owner, env_fallback), **spec.options}, supports_check_mode=True
    )
    if REQUESTS_IMPORT_ERROR:
        module.fail_json(msg=missing_required_lib("requests"), exception=REQUESTS_IMPORT_ERROR)
    redact: Callable[[str], str] = str
    try:
        settings = parse_settings(module.params, spec.owner, os.environ, module.warn)
        redact = settings.credentials.redact
        result = perform(
            spec,
            module.params,
            settings,
            check_mode=module.check_mode,
            warn=lambda text: module.warn(redact(text)),
            verbose=getattr(module, "_verbosity", 0) > 0,
        )
    except ProtectionError as exc:
        module.fail_json(msg=redact(exc.message), **redacted(exc.details, redact))
    module.exit_json(**result)


def redacted(value: Any, redact: Callable[[str], str]) -> Any:
    """A result without secrets, where the service repeated one."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: redacted(item, redact) for name, item in value.items()}
    if isinstance(value, list):
        return [redacted(item, redact) for item in value]
    return value
