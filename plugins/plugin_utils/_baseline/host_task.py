# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task of a role on its host: the variables that it reads, the modules that it runs, its
result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timezone
from typing import Any

from ansible.utils.display import Display

from .._action import ModuleCalls, Warn, wrong_options
from .._diff_text import failure_diff
from .._plain import is_data, plain
from .._variables import Arguments, require_valid
from .host_runner import HostRun, HostRunner, first_wrong
from .misspelt import misspelt_in_host
from .results import IsAccepted, combined, has_failed, lines, refused
from .unmanaged import ACCEPTED_UNMANAGED, Accepted, accepted_reason, parse_accepted
from .variables import Part, without_omitted

COLLECTION = "edgeops.protection."


class HostTask:
    """What the actions of the roles do on a host with the modules that they call.

    Ansible templates the options of a task one by one in each worker, which costs more than the
    work itself; these actions read the variables instead, of which few are templates.
    """

    def __init__(self, calls: ModuleCalls) -> None:
        self._calls = calls
        self._display = Display()
        self.host = str(calls.variables["inventory_hostname"])

    def values(self, names: Iterable[str]) -> dict[str, Any]:
        """The variables of the host with these names, as far as it has them, without templates."""
        variables = self._calls.variables
        described = {name: variables[name] for name in names if name in variables}
        templates = {name: value for name, value in described.items() if not is_data(value)}
        templated = self._calls.templar.template(templates) if templates else {}
        data = plain({name: described[name] for name in described.keys() - templates})
        values: dict[str, Any] = without_omitted({**data, **templated}, variables.get("omit"))
        return values

    def checked(self, arguments: Arguments) -> dict[str, Any]:
        """The variables that a role takes, as far as the host has them; raises ValueError for wrong
        ones."""
        values = self.values(arguments)
        require_valid(arguments, values)
        return values

    def value(self, name: str) -> Any:
        """A variable of the host without templates; None if the host does not have it."""
        return self.values([name]).get(name)

    def runner(self, warn: Warn | None = None) -> HostRunner:
        """Runs modules on the host; `warn` gets their warnings, and by default they are shown."""
        show = self._display.warning if warn is None else warn

        def run_module(part: Part, check_mode: bool) -> dict[str, Any]:
            caller = part.caller._replace(host=self.host)
            return self._calls.run(COLLECTION + part.module, part.options, check_mode, show, caller)

        return HostRunner(run_module)

    def tell(self, text: str) -> None:
        """Show a sentence with the name of the host."""
        self._display.display(self._of_host(text), stderr=True)  # stdout is for programs

    def warn(self, text: str) -> None:
        """Show a warning with the name of the host, since Ansible shows equal ones once."""
        self._display.warning(self._of_host(text))

    def misspelt_variables(self) -> list[str]:
        """A warning for each variable of the host that is not known, and seems to be ours."""
        return [self._of_host(text) for text in misspelt_in_host(self._calls.variables)]

    def _of_host(self, text: str) -> str:
        return f"{self.host}: {text}"

    def require_control_node(self) -> None:
        """Raises ValueError if credentials would leave the control node."""
        if self._calls.refusal:
            raise ValueError(self._calls.refusal)

    def result_of(self, update: Callable[[], HostRun]) -> dict[str, Any]:
        """The result of the task, whose variables may be wrong: `update` raises ValueError then."""
        try:
            self.require_control_node()
            updated = update()
        except ValueError as exc:
            return {"failed": True, "msg": str(exc), "warnings": self.misspelt_variables()}
        if self._calls.shows_diff and (updated.refusal or has_failed(updated.results)):
            self._display.display(failure_diff(updated.results.values()), stderr=True)
        if updated.refusal:
            return refused(updated.results, updated.refusal)
        if not has_failed(updated.results):
            for line in lines(self.host, updated.results, self._is_accepted()):
                self._display.display(line, stderr=True)  # stdout may be read by a program
        verbose = self._display.verbosity > 0
        result = combined(updated.results, self.misspelt_variables(), updated.predicted, verbose)
        paths = {"snapshot": updated.snapshot, "deleted_snapshots": list(updated.deleted)}
        return {**result, **{name: value for name, value in paths.items() if value}}

    def accepted(self) -> list[Accepted]:
        """What the report accepts of the objects that no baseline names; raises ValueError."""
        return parse_accepted(self.value(ACCEPTED_UNMANAGED) or [])

    def _is_accepted(self) -> IsAccepted:
        """Whether the report accepts an object now; a wrong variable accepts none."""
        try:
            accepted = self.accepted()
        except ValueError as exc:
            self.warn(str(exc))
            accepted = []
        now = datetime.now(timezone.utc)
        return lambda item: accepted_reason(item, accepted, now) is not None


def wrong_parts(parts: Sequence[Part]) -> dict[str, dict[str, Any]]:
    """The failure of the first part whose options are wrong, before any module runs."""

    def of_part(part: Part) -> dict[str, Any] | None:
        return wrong_options(COLLECTION + part.module, part.options, part.caller)

    return first_wrong(parts, of_part)
