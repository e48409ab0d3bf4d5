# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fast path: a module that would run on the control node anyway runs inside the worker process of its task.

Nothing but the way to the module differs. Ansible's own `_execute_module` prepares the arguments and reads the result;
where it would pack the module and start a process, the module's own entry point is called instead, fed and read as a
process would be. Wherever that is not surely the same, the module is packed and started as any other.
"""

from __future__ import annotations

import io
import json
import sys
import traceback
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Iterator, Mapping

from ansible import constants as C
from ansible.module_utils import basic
from ansible.module_utils.common import warnings
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action.normal import ActionModule as Normal
from ansible_collections.edgeops.protection.plugins.module_utils.api.adapters import load_trust

try:
    from ansible.module_utils import _internal
    from ansible.module_utils.common.json import Direction, get_module_encoder
except ImportError:  # a core without these knows other ways to feed a module
    AVAILABLE = False
else:
    AVAILABLE = all(hasattr(basic, name) for name in ("_ANSIBLE_ARGS", "_ANSIBLE_PROFILE"))
    AVAILABLE = AVAILABLE and hasattr(Normal, "_configure_module") and hasattr(_internal, "is_controller")

SWITCH = "edgeops_protection_in_worker"
MODULES = "ansible_collections.edgeops.protection.plugins.modules."
PROFILE = "legacy"  # the one of every module in Python
AUTOMATIC = ("auto", "auto_silent", "auto_legacy", "auto_legacy_silent")

# Once in the parent, for all the workers that it forks: what every module needs, and the usual CAs.
import_module("ansible_collections.edgeops.protection.plugins.module_utils.module")
import_module("ansible_collections.edgeops.protection.plugins.module_utils.specs.registry")
load_trust()


class ActionModule(Normal):
    """Runs a module of this collection, inside the worker where that is the same."""

    _inside = False
    _arguments: Mapping[str, Any] = {}

    def _execute_module(self, *args: Any, **kwargs: Any) -> Any:
        self._inside = AVAILABLE and self._may_run_inside(kwargs.get("task_vars") or {})
        return super()._execute_module(*args, **kwargs)

    def _may_run_inside(self, task_vars: Mapping[str, Any]) -> bool:
        """Whether the module would run here, as this user, by this Python, in this environment."""
        return (
            self._connection.transport in ("local", "ansible.builtin.local")
            and not self._play_context.become
            and not self._connection.become
            and not self._task.async_val
            and not any(self._task.environment or [])
            and not C.DEFAULT_KEEP_REMOTE_FILES
            and self._is_this_python(task_vars)
            and self._is_on(task_vars)
        )

    def _is_this_python(self, task_vars: Mapping[str, Any]) -> bool:
        host_vars = task_vars
        if self._task.delegate_to:
            host_vars = (task_vars.get("ansible_delegated_vars") or {}).get(self._task.delegate_to) or {}
        wanted = host_vars.get("ansible_python_interpreter")
        if wanted is None:
            wanted = C.config.get_config_value("INTERPRETER_PYTHON", variables={})
        wanted = str(self._templar.template(wanted))
        return wanted in AUTOMATIC or wanted == sys.executable

    def _is_on(self, task_vars: Mapping[str, Any]) -> bool:
        return boolean(self._templar.template(task_vars.get(SWITCH, True)), strict=False)

    def _is_pipelining_enabled(self, *args: Any, **kwargs: Any) -> bool:
        return self._inside or super()._is_pipelining_enabled(*args, **kwargs)  # no temporary folder is made

    def _configure_module(self, module_name: str, module_args: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if not self._inside:
            return super()._configure_module(module_name, module_args, *args, **kwargs)
        self._arguments = module_args
        name = module_name.rpartition(".")[2]
        return Unpacked(), import_module(MODULES + name).__file__

    def _low_level_execute_command(self, *args: Any, **kwargs: Any) -> Any:
        if not self._inside:
            return super()._low_level_execute_command(*args, **kwargs)
        code, out, err = called(import_module(MODULES + self._task.action.rpartition(".")[2]).main, self._arguments)
        return {
            "rc": code,
            "stdout": out,
            "stdout_lines": out.splitlines(),
            "stderr": err,
            "stderr_lines": err.splitlines(),
        }


class Unpacked(SimpleNamespace):
    """What Ansible wants to know of a module that it has packed; whatever is not named here is not so."""

    module_style = "new"
    shebang = "#!" + sys.executable
    module_shebang = shebang
    b_module_data = b""
    serialization_profile = PROFILE

    def get_command_args(self, *args: Any) -> None:
        """Nothing is to be started."""

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.module_style, self.shebang, self.b_module_data, PROFILE))


def called(main: Any, arguments: Mapping[str, Any]) -> tuple[int, str, str]:
    """Call a module's entry point with these arguments; returns its exit code and what it printed."""
    encoder = get_module_encoder(PROFILE, Direction.CONTROLLER_TO_MODULE)
    fed = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}, cls=encoder).encode()
    out, err = io.StringIO(), io.StringIO()
    with ExitStack() as stack:
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        for obj, name, value in _as_in_a_process_of_its_own(fed):
            stack.enter_context(replaced(obj, name, value))
        try:
            main()
            code = 0
        except SystemExit as exc:
            code = exc.code if isinstance(exc.code, int) else 1
        except Exception:
            traceback.print_exc(file=err)
            code = 1
    return code, out.getvalue(), err.getvalue()


@contextmanager
def replaced(obj: Any, name: str, value: Any) -> Iterator[None]:
    """Let an attribute have another value for a while; what does so in the standard library is slow to load."""
    usual = getattr(obj, name)
    setattr(obj, name, value)
    try:
        yield
    finally:
        setattr(obj, name, usual)


def _as_in_a_process_of_its_own(fed: bytes) -> Iterator[tuple[Any, str, Any]]:
    yield basic, "_ANSIBLE_ARGS", fed
    yield basic, "_ANSIBLE_PROFILE", PROFILE
    yield _internal, "is_controller", False
    for obj, name, value in (
        (basic, "_PARSED_MODULE_ARGS", None),
        (warnings, "_global_warnings", {}),
        (warnings, "_global_deprecations", {}),
    ):
        if hasattr(obj, name):
            yield obj, name, value
