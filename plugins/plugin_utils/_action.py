# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of every module: it runs the module in the worker process of the task, or packs and
starts it.

A module that would run on the control node anyway, as this user and by this Python, need not be
packed and started.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
from functools import partial
from typing import Any, Mapping

from ansible import constants as C
from ansible.errors import AnsibleError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action.normal import ActionModule as PackedModule
from ansible_collections.edgeops.protection.plugins.module_utils._api.adapters import (
    REQUESTS_IMPORT_ERROR,
    load_trust,
)
from ansible_collections.edgeops.protection.plugins.module_utils._api.auth import known_secrets
from ansible_collections.edgeops.protection.plugins.module_utils._runner import (
    option_failure,
    outcome,
    redact,
)
from ansible_collections.edgeops.protection.plugins.module_utils._screen import Screen
from ansible_collections.edgeops.protection.plugins.module_utils._specs.arguments import (
    argument_spec,
    validate,
)
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import ModuleSpec
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

try:
    from ansible.module_utils.common.json import Direction, get_module_encoder
except ImportError:  # before ansible-core 2.19, which packs the modules
    ENCODER: type[json.JSONEncoder] | None = None
else:
    ENCODER = get_module_encoder("legacy", Direction.CONTROLLER_TO_MODULE)

IN_WORKER = "edgeops_protection_in_worker"
ALLOW_REMOTE = "edgeops_protection_allow_remote"
AUTOMATIC = ("auto", "auto_silent", "auto_legacy", "auto_legacy_silent")

SAID_ONCE = mmap.mmap(-1, 1)  # memory that the parent shares with all the workers that it forks

load_trust()  # once in the parent, for all the workers that it forks


def first_of_run() -> bool:
    """Whether nobody has called this before in this run, in whichever worker."""
    is_first = SAID_ONCE[0] == 0
    SAID_ONCE[0] = 1
    return is_first


class ActionModule(PackedModule):  # type: ignore[misc]
    """Runs a module of this collection."""

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        variables = task_vars or {}
        if self._would_travel(variables):
            return {"failed": True, "msg": self._refusal(variables)}
        if not self._may_run_in_worker(variables):
            packed: dict[str, Any] = super().run(tmp, task_vars)
            return packed
        return self._run_in_worker(self._task.action, self._task.args, variables)

    def _would_travel(self, variables: Mapping[str, Any]) -> bool:
        """Whether the credentials would leave the control node, and nobody allowed it."""
        return not self._is_local() and not self._is_true(variables, ALLOW_REMOTE, False)

    def _refusal(self, variables: Mapping[str, Any]) -> str:
        host = self._task.delegate_to or variables.get("inventory_hostname")
        return (
            "This module carries credentials, so it runs on the control node, but the connection"
            f" of {host} is {self._connection.transport}. Set ansible_connection: local for {host},"
            f" or delegate the task to localhost. To send the credentials to {host} and run the"
            f" module there, set {ALLOW_REMOTE}: true."
        )

    def _run_in_worker(
        self, module: str, arguments: Mapping[str, Any], variables: Mapping[str, Any]
    ) -> dict[str, Any]:
        spec, options, result = _validated(module, arguments)
        if result is None:
            verbose = self._display.verbosity > 0
            title = f"{variables.get('inventory_hostname')}: {module}"
            screen = Screen(partial(self._display.display, stderr=True), first_of_run, title)
            result = outcome(spec, options, self._task.check_mode, verbose, self._warn, screen)
        if self._shows_invocation(variables):
            result["invocation"] = {
                "module_args": redact(options, known_secrets(options, os.environ), names=False)
            }
        plain: dict[str, Any] = json.loads(json.dumps(result))
        return plain

    def _option_failure(self, module: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """The failure of a module because of its options alone; None where they are right."""
        spec, options, failure = _validated(module, arguments)
        return failure or option_failure(spec, options)

    def _warn(self, text: str) -> None:
        self._display.warning(text)

    def _may_run_in_worker(self, variables: Mapping[str, Any]) -> bool:
        """Whether the module would run here, as this user, by this Python, in this environment."""
        return (
            ENCODER is not None
            and not REQUESTS_IMPORT_ERROR
            and self._is_local()
            and not self._play_context.become
            and not self._connection.become
            and not self._task.async_val
            and not any(self._task.environment or [])
            and not C.DEFAULT_KEEP_REMOTE_FILES
            and self._is_this_python(variables)
            and self._is_true(variables, IN_WORKER, True)
        )

    def _is_local(self) -> bool:
        return self._connection.transport in ("local", "ansible.builtin.local")

    def _is_this_python(self, variables: Mapping[str, Any]) -> bool:
        host_variables = variables
        if self._task.delegate_to:
            host_variables = (variables.get("ansible_delegated_vars") or {}).get(
                self._task.delegate_to
            ) or {}
        python = host_variables.get("ansible_python_interpreter")
        if python is None:
            python = C.config.get_config_value("INTERPRETER_PYTHON", variables={})
        python = str(self._templar.template(python))
        return python in AUTOMATIC or python == sys.executable

    def _is_true(self, variables: Mapping[str, Any], name: str, default: bool) -> bool:
        return bool(boolean(self._templar.template(variables.get(name, default)), strict=False))

    def _shows_invocation(self, variables: Mapping[str, Any]) -> bool:
        try:
            return bool(C.config.get_config_value("INJECT_INVOCATION", variables=variables))
        except AnsibleError:  # before ansible-core 2.21 every result of a module shows it
            return True


def _validated(
    module: str, arguments: Mapping[str, Any]
) -> tuple[ModuleSpec, dict[str, Any], dict[str, Any] | None]:
    """The spec of a module, its options out of these arguments, and its failure where they do not
    fit its spec."""
    spec = MODULE_SPECS[module.rpartition(".")[2]]
    options, error = validate(argument_spec(spec), module, _plain(arguments))
    failure = (
        {"failed": True, "msg": redact(error, known_secrets(options, os.environ))}
        if error
        else None
    )
    return spec, options, failure


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as a packed module gets them: without tags, dates as text."""
    plain: dict[str, Any] = json.loads(
        json.dumps(arguments, cls=ENCODER, default=None if ENCODER else str)
    )
    return plain
