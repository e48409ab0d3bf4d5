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

from . import _bytecode  # noqa: F401  # isort: skip  # pylint: disable=unused-import

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from difflib import unified_diff
from functools import partial
from textwrap import TextWrapper
from typing import Any, NamedTuple

import yaml
from ansible import constants as C
from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.plugins.action.normal import ActionModule as PackedModule
from ansible.utils.display import Display

from ..module_utils._api.adapters import REQUESTS_IMPORT_ERROR
from ..module_utils._api.settings import OPTIONS_FROM_ENVIRONMENT
from ..module_utils._concurrency import begin_play, forget
from ..module_utils._context import TASK, Context
from ..module_utils._engine import run
from ..module_utils._errors import PLACE
from ..module_utils._output import option_failure, without_secrets
from ..module_utils._specs.base import ModuleResult
from ..module_utils._specs.host_tasks import TASK_OPTION
from ..module_utils._specs.registry import MODULE_SPECS
from ..module_utils._specs.task import option_errors
from ..module_utils._text import Screen, Warn, visible
from ._bytecode import FAST_PATH
from ._module_options import packed_arguments, read_arguments, with_approval
from ._variables import ENCODER, as_packed, origin_of_value, plain
from ._worker import end_with_run, first_of_run, prepare_workers

COLUMNS = Display().columns if os.isatty(1) else 0  # of the terminal, which workers do not have


def say(display: Any, text: str) -> None:
    """Show people a text on standard output; on a terminal its lines end between words."""
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        wrapper = TextWrapper(
            width=COLUMNS or len(line) or 1,
            subsequent_indent=" " * (indent + 2),
            break_long_words=False,
            break_on_hyphens=False,
        )
        display.display(wrapper.fill(line))


def say_whole(display: Any, text: str) -> None:
    """Show people a text as it is, such as a diff or a line to copy: a value that is wrapped is
    another one when it is copied."""
    for line in text.splitlines():
        display.display(line)


class NoDisplay:
    """The display of a task with `no_log`: Ansible hides the result, not what actions show."""

    verbosity = property(lambda _display: Display().verbosity)

    def display(self, text: str, **options: Any) -> None:
        """Show nothing."""

    def warning(self, text: str) -> None:
        """Show nothing."""


def display_of(task: Any) -> Any:
    """The display on which the action of a task may show texts."""
    return NoDisplay() if task.no_log else Display()


def failure_diff(results: Iterable[ModuleResult]) -> str:
    """The diff that a failed task shows, from the results of its modules."""
    lines: list[str] = []
    for result in results:
        lines += _diff_lines(result.get("diff"))
    return "\n".join(lines)


def _diff_lines(diff: Any) -> Iterator[str]:
    if isinstance(diff, Mapping):
        before = _yaml_lines(diff.get("before"))
        after = _yaml_lines(diff.get("after"))
        name_before, name_after = (_name_of_side(diff, side) for side in ("before", "after"))
        lines = unified_diff(before, after, name_before, name_after, lineterm="")
        yield from map(visible, lines)


def _name_of_side(diff: Mapping[str, Any], side: str) -> str:
    """The name of a side of a diff, as Ansible writes it."""
    header = diff.get(f"{side}_header")
    return f"{side}: {header}" if header else side


def _yaml_lines(state: Any) -> list[str]:
    if not state:
        return []
    text: str = yaml.safe_dump(plain(state), allow_unicode=True)
    return text.splitlines()


IN_WORKER = "edgeops_protection_in_worker"
ALLOW_REMOTE = "edgeops_protection_allow_remote"
PLAYBOOK_PYTHON = "{{ ansible_playbook_python }}"
AUTOMATIC = ("auto", "auto_silent", "auto_legacy", "auto_legacy_silent")


class ActionTools(NamedTuple):
    """The objects that Ansible gives to an action, by the names of its arguments."""

    connection: Any
    play_context: Any
    loader: Any
    templar: Any
    shared_loader_obj: Any


class ModuleCalls:
    """The calls of modules that a task makes on its host, in the worker process or packed."""

    def __init__(self, task: Any, tools: ActionTools, variables: Mapping[str, Any]) -> None:
        self._task = task
        self._tools = tools
        self._connection = tools.connection
        self._play_context = tools.play_context
        self.templar = tools.templar
        self.variables = variables

    @property
    def refusal(self) -> str:
        """The reason why no module may run, since credentials would leave the control node; an
        empty text if modules may run."""
        if self.is_local() or self._is_true(ALLOW_REMOTE, False):
            return ""
        host = self._task.delegate_to or self.variables.get("inventory_hostname")
        return (
            "This module carries credentials, so it runs on the control node, but the connection"
            f" of {host} is {self.transport}. Set ansible_connection: local for {host},"
            f" or delegate the task to localhost. To send the credentials to {host} and run the"
            f" module there, set {ALLOW_REMOTE}: true."
        )

    @property
    def transport(self) -> str:
        """The name of the connection plugin of the host, such as `local`."""
        return str(self._connection.transport)

    def templated(self, value: Any) -> Any:
        """The value with its templates rendered."""
        return self.templar.template(value)

    @property
    def display(self) -> Any:
        """The display on which the task may show texts."""
        return display_of(self._task)

    @property
    def shows_diff(self) -> bool:
        """True if the user asks for diffs (--diff)."""
        return bool(self._task.diff)

    def run(
        self,
        module: str,
        options: Mapping[str, Any],
        check_mode: bool,
        warn: Warn,
        context: Context = TASK,
    ) -> dict[str, Any]:
        """The result of a module. A module in the worker process passes its warnings to `warn`
        at once; a packed module returns them in its result."""
        arguments = with_approval(options)
        in_worker = self._may_run_in_worker()
        spec, module_options = read_arguments(module, arguments)
        in_files = self.variables if context.is_role else arguments
        place = partial(origin_of_value, in_files, names=context.names)
        errors = module_options.errors
        if errors or (not in_worker and self.is_local()):  # a packed module knows no place
            errors = option_errors(spec, module_options, context)
        if not in_worker:
            unknown = OPTIONS_FROM_ENVIRONMENT - arguments.keys()  # its environment is another one
            errors = [error for error in errors if error.option.path[0] not in unknown]
        shown: Mapping[str, Any] = module_options
        if module_options.errors:
            shown = json.loads(as_packed(arguments))
        if errors:
            result = option_failure(shown, errors, context, place)
        elif in_worker:
            verbose = Display().verbosity > 0
            screen = self.screen(module)
            result = run(spec, module_options, check_mode, verbose, warn, screen, context, place)
        else:
            return self._run_packed(module, arguments, check_mode, context)
        if not context.reports:  # the message of a failure has it
            result.pop(PLACE, None)
        if self._shows_invocation():
            result["invocation"] = {"module_args": without_secrets(shown, shown, names=False)}
        plain_result: dict[str, Any] = json.loads(json.dumps(result))
        return plain_result

    def _run_packed(
        self, module: str, options: Mapping[str, Any], check_mode: bool, context: Context
    ) -> dict[str, Any]:
        task = self._task.copy()
        task.action = module
        task.check_mode = check_mode
        task.args = packed_arguments(module, options)
        if context is not TASK:
            task.environment = [*(task.environment or []), context.environment()]
        action = PackedModule(task, **self._tools._asdict())
        result: dict[str, Any] = action.run(task_vars=self.variables)
        if not check_mode:
            forget()  # its process does not tell the tasks of this run what it has written
        return result

    def screen(self, work: str) -> Screen:
        """The screen of some work on the host, such as a module."""
        title = f"{self.variables.get('inventory_hostname')}: {work}"
        return Screen(partial(self.display.display, stderr=True), first_of_run, title)

    def _may_run_in_worker(self) -> bool:
        """True if the module would run here, as this user, by this Python, in this environment."""
        return (
            FAST_PATH
            and ENCODER is not None
            and not REQUESTS_IMPORT_ERROR
            and self.is_local()
            and not self._play_context.become
            and not self._connection.become
            and not self._task.async_val
            and not any(self._task.environment or [])
            and not C.DEFAULT_KEEP_REMOTE_FILES
            and self._is_this_python()
            and self._is_true(IN_WORKER, True)
        )

    def is_local(self) -> bool:
        """Return whether the connection of the host is one to the control node."""
        return self.transport in ("local", "ansible.builtin.local")

    def _is_this_python(self) -> bool:
        host_variables = self.variables
        delegate = self._task.delegate_to
        if delegate:
            delegated = self.variables.get("ansible_delegated_vars") or {}
            host_variables = delegated.get(delegate) or {}
        python = host_variables.get("ansible_python_interpreter")
        if python is None:
            python = C.config.get_config_value("INTERPRETER_PYTHON", variables={})
        if str(python) == PLAYBOOK_PYTHON:  # as inventories have it; each worker would compile it
            python = self.variables.get("ansible_playbook_python")
        python = str(self.templated(python))
        return python in AUTOMATIC or python == sys.executable

    def _is_true(self, name: str, default: bool) -> bool:
        value = self.templated(self.variables.get(name, default))
        return bool(boolean(value, strict=False))

    def _shows_invocation(self) -> bool:
        try:
            return bool(C.config.get_config_value("INJECT_INVOCATION", variables=self.variables))
        except AnsibleError:  # before ansible-core 2.21 every result of a module shows it
            return True


class Failure(AnsibleActionFail):  # type: ignore[misc]
    """A failure whose message stands in its result, and nowhere else: ansible-core 2.19 and
    newer also prints the exception of a result as an error, with the line of the task, which may
    be a line of this collection."""

    omit_exception_key = True


class CollectionAction(ActionBase):  # type: ignore[misc]
    """An action that calls modules of this collection."""

    _supports_check_mode = True
    _supports_async = False

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        end_with_run()  # an action is made in the worker of its task

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        task = self._task
        begin_play(str(task.get_play()._uuid))
        result = self.outcome(task_vars or {})
        has_failed = result.get("failed") and "msg" in result
        # None of these is asked after an exception.
        has_conditions = task.failed_when or task.changed_when or task.until or task.retries
        if not has_failed or has_conditions or ENCODER is None:
            return result
        for warning in result.pop("warnings", ()):
            self.display.warning(warning)
        del result["failed"]
        raise Failure(result["msg"], result=result)

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The result of the task on the host that has these variables."""
        raise NotImplementedError

    @property
    def arguments(self) -> dict[str, Any]:
        """The options of the task, without the one that says which task it is."""
        return {name: value for name, value in self._task.args.items() if name != TASK_OPTION}

    @property
    def display(self) -> Any:
        """The display on which the task may show texts."""
        return display_of(self._task)

    def calls(self, variables: Mapping[str, Any]) -> ModuleCalls:
        """The module calls of this task on the host that has these variables."""
        return ModuleCalls(self._task, self.tools(self._templar), variables)

    def tools(self, templar: Any) -> ActionTools:
        """The objects of Ansible for module calls, with a templar that has the variables of the
        host."""
        return ActionTools(
            connection=self._connection,
            play_context=self._play_context,
            loader=self._loader,
            templar=templar,
            shared_loader_obj=self._shared_loader_obj,
        )


class ModuleAction(CollectionAction):
    """Runs the module that the task names."""

    _supports_async = True

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        calls = self.calls(variables)
        if calls.refusal:
            return {"failed": True, "msg": calls.refusal}
        task = self._task
        result = calls.run(task.action, task.args, task.check_mode, self.display.warning)
        if calls.shows_diff and result.get("failed") and result.get("diff"):
            say_whole(self.display, failure_diff([result]))
        return result


def module_action(name: str) -> type[ModuleAction]:
    """Return ModuleAction for a module, after loading what its workers need before Ansible forks
    them. `name` is the name of the plugin, with or without that of its collection.
    """
    prepare_workers(MODULE_SPECS[name.rpartition(".")[2]])
    return ModuleAction
