# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task of a role on its host: the modules that it runs, the texts that it shows, its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from ansible.utils.display import Display

from ...module_utils._arguments import Arguments
from ...module_utils._context import FleetTurn
from ...module_utils._schema.resource import OWNER_OPTIONS, State
from ...module_utils._text import Names, Screen, Warn, visible
from ...module_utils._timestamps import END_OF_TIME
from .._action import ModuleCalls, failure_diff, say, say_whole
from .._worker import claimed_before
from .host_checks import COLLECTION, CheckedHost
from .hosts_of_account import without_described
from .merged_host import MergedHost
from .object_diffs import object_diffs
from .posture import PostureEntries, postures_of, require_risks
from .results import AFTER_THE_RUN, HostRun, HostRunner, IsAccepted, lines, shown_result
from .service_time import read_service
from .unmanaged import accepted_reason
from .variables import PREFIX, Part, one_owner

Describe = Callable[[HostRun], Iterable["LineOnRun"]]  # what a run does, in lines for people
ACCOUNT_OF_ZONE = "edge_zone_account_id"
OWNER_VARIABLES = {f"edge_{name}": name for name in OWNER_OPTIONS}
OWNER_VARIABLES.update({f"{PREFIX}{name}": name for name in OWNER_OPTIONS})


class LineOnRun(NamedTuple):
    """A line on a run; one `to_copy` is never wrapped, and has no name of a host."""

    text: str
    to_copy: bool = False


class HeldTexts:
    """The texts that a task would show, until somebody shows them."""

    verbosity = property(lambda _held: Display().verbosity)

    def __init__(self, display: Any = None) -> None:
        self._display = display or Display()
        self._shows: list[Callable[[], None]] = []

    def display(self, text: str, **options: Any) -> None:
        """Hold a line."""
        self._shows.append(partial(self._display.display, text, **options))

    def warning(self, text: str) -> None:
        """Hold a warning."""
        self._shows.append(partial(self._display.warning, text))

    def show(self) -> None:
        """Show all of it."""
        for show in self._shows:
            show()


class HostTask(CheckedHost):
    """The work of the actions of the roles on a host, with the modules that they call."""

    def __init__(self, calls: ModuleCalls) -> None:
        super().__init__(calls.variables, calls.templated)
        self._calls = calls
        self._display: Any = calls.display
        self.fleet_turn = FleetTurn()
        self.of_fleet: Mapping[str, Any] = {}  # facts that other hosts take from its prediction
        self.earlier: Mapping[str, Any] = {}  # the result of an earlier turn in this run

    def merged(self, values: Mapping[str, Any]) -> MergedHost:
        """The variables of the host with those of its postures, as they are in force by
        Cloudflare's clock; raises ValueError if a posture is wrong, or if the time cannot be
        read."""
        require_risks(postures_of(values))
        entries = self.entries(values)
        now = END_OF_TIME
        if entries:
            now, _state = self.read_service(values, entries)
        merged = MergedHost(self.host, values, entries, now)
        for posture in merged.postures:
            self.tell(posture.sentence())
        return merged

    def read_service(
        self, values: Mapping[str, Any], entries: PostureEntries, wanted: str = ""
    ) -> tuple[datetime, State]:
        """The time by Cloudflare's clock, and the collection that was read; raises ValueError,
        also for a wrong posture."""
        # Wrong ones are told before any request.
        merged = MergedHost(self.host, values, entries, datetime.now(timezone.utc))
        return read_service(merged.part(), self.runner().run_module, wanted)

    def runner(self) -> HostRunner:
        """Runs modules on the host, and shows their warnings."""
        return self._runner(self._display.warning)

    def quiet_runner(self) -> HostRunner:
        """Runs modules on the host, and shows none of their warnings."""
        return self._runner(lambda _text: None)

    def _runner(self, warn: Warn) -> HostRunner:
        def run_module(part: Part, check_mode: bool) -> dict[str, Any]:
            module = COLLECTION + part.module
            host = part.context.host._replace(name=self.host)
            context = part.context._replace(host=host, fleet=self.fleet_turn)
            result = self._calls.run(module, part.options, check_mode, warn, context)
            return without_described(result, self.variables)

        return HostRunner(run_module)

    def screen(self, work: str) -> Screen:
        """The screen of some work on the host."""
        return self._calls.screen(work)

    def tell(self, text: str) -> None:
        """Show a sentence with the name of the host."""
        say(self._display, self._of_host(text))

    def tell_whole(self, text: str) -> None:
        """Show a sentence with the name of the host, and with a value to copy, in one line."""
        say_whole(self._display, self._of_host(text))

    def warn(self, *texts: str) -> None:
        """Show warnings with the name of the host, since Ansible shows equal ones once."""
        for text in texts:
            self._display.warning(self._of_host(text))

    def hold(self) -> HeldTexts:
        """Hold the texts that this task shows from now on."""
        held = HeldTexts(self._calls.display)
        self._display = held
        return held

    def shared_owners(self, result: Mapping[str, Any] = MappingProxyType({})) -> list[str]:
        """A sentence for each account or zone of this host that another host of this run has as
        well; `result` has the id of a zone that the host names by its domain."""
        ids = self.values(OWNER_VARIABLES)
        if result.get("zone_id"):
            ids["edge_zone_id"] = result["zone_id"]
        has_zone_id = any(ids.get(name) for name in OWNER_VARIABLES if name.endswith("zone_id"))
        texts = []
        for variable, value in ids.items():
            claim = f"{OWNER_VARIABLES[variable]}={str(value).lower()} {self.base_url()}"
            same_owners = [claim]
            if variable.endswith("zone_name"):
                # Two zones may have one name, so that a host with an id has no other's by its name.
                with_id = f"{claim} and an id"
                same_owners = [claim] if has_zone_id else [claim, with_id]
                claim = with_id if has_zone_id else claim
            if value and (claimant := claimed_before(claim, self.host, same_owners)):
                texts.append(one_owner((claimant, self.host), variable, str(value)))
        return texts

    def way_back(
        self,
        values: Mapping[str, Any],
        entries: PostureEntries,
        updated: HostRun,
        names: Names = MappingProxyType({}),
    ) -> list[str]:
        """The reason why no later run would end the postures that are in force on the host, in a
        sentence that names options by `names`."""
        if not updated.postures or updated.only_predicted or updated.failed:
            return []
        part = MergedHost(self.host, values, entries, END_OF_TIME).part()
        runner = self.quiet_runner()
        later = runner.update(part.named(names), True)
        if not later.failed:
            return []
        refusal = "No run would take the posture back, since it would be refused"
        return [f"{refusal}: {later.reason}"]

    def account_of_zone(self) -> str:
        """The id of the account of the zone as the inventory knows it; empty if it does not."""
        return str(self.values([ACCOUNT_OF_ZONE]).get(ACCOUNT_OF_ZONE) or "")

    def account_id(self) -> str:
        """The id of the account that the variables of the host name; empty if it is not known."""
        ids, _errors = self.read(OWNER_VARIABLES)
        named = [str(ids[name]) for name in ids if name.endswith("account_id") and ids[name]]
        return named[0] if len(named) == 1 else ""

    def names_zone(self) -> bool:
        """Return whether the variables of the host name a zone, or may do, since one of them cannot
        be read."""
        ids, errors = self.read(OWNER_VARIABLES)
        return bool(errors) or any(ids.get(name) for name in OWNER_VARIABLES if "_zone_" in name)

    def runs_here(self) -> bool:
        """Return whether modules run on the control node."""
        return self._calls.is_local()

    def require_control_node(self) -> None:
        """Raises ValueError if credentials would leave the control node."""
        if self._calls.refusal:
            raise ValueError(self._calls.refusal)

    def result_of(
        self,
        update: Callable[[], HostRun],
        arguments: Arguments,
        describe: Describe = lambda _run: (),
    ) -> dict[str, Any]:
        """The result of the task for the host. `update` raises ValueError if the variables,
        which have these arguments, are wrong; `describe` tells people what the run does."""
        try:
            self.require_control_node()
            updated = update()
        except ValueError as exc:
            mistakes = self.with_mistakes(exc, arguments)
            warnings = self.misspelt_variables(mistakes.errors)
            return {"failed": True, "msg": str(mistakes), "warnings": warnings}
        self._show(updated, describe)
        verbose = self._display.verbosity > 0
        result = shown_result(updated.result, self.misspelt_variables(), verbose)
        if "diff" in result:
            result["diff"] = [*object_diffs(result["diff"])]
        for name, value in (
            ("snapshot", updated.snapshot),
            ("deleted_snapshots", list(updated.deleted)),
            ("postures", list(updated.postures)),
        ):
            if value:
                result[name] = value
        return result

    def _show(self, updated: HostRun, describe: Describe) -> None:
        """Show the lines of a run, with the diff of one that failed."""
        result = updated.result
        for line in describe(updated):
            if line.to_copy:
                say_whole(self._display, visible(line.text))
            else:
                self.tell(line.text)
        if updated.failed:
            if self._calls.shows_diff:
                diffs = object_diffs(result.get("diff"))
                say_whole(self._display, failure_diff({"diff": diff} for diff in diffs))
            return
        if updated.lines:
            result = {**result, "coverage": None}
        begin = AFTER_THE_RUN if updated.predicted and result.get("changed") else ""
        for text in lines(self.host, result, self._is_accepted(), begin):
            say(self._display, text)
        for text in updated.lines:
            self.tell(text)

    def _is_accepted(self) -> IsAccepted:
        """A function that returns whether the report accepts an object now; with a wrong
        variable it accepts none."""
        try:
            accepted = self.accepted()
        except ValueError as exc:
            self.warn(str(exc))
            accepted = []
        now = datetime.now(timezone.utc)
        return lambda obj: accepted_reason(obj, accepted, now) is not None
