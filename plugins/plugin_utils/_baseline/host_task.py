# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task of a role on its host: the variables that it reads, the modules that it runs, its
result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, NamedTuple

from ansible.utils.display import Display

from ...module_utils._arguments import Arguments
from ...module_utils._schema.resource import OWNER_OPTIONS
from ...module_utils._specs.base import ModuleResult
from ...module_utils._text import Screen, Warn
from .._action import ModuleCalls, failure_diff, wrong_options
from .._plain import TEMPLATE, data_of, plain
from .._variables import require_valid
from .._worker import claimed_before
from .approval import ApprovedPlan, Results, plan_ids
from .lists import informed
from .misspelt import misspelt_in_host
from .posture import MergedHost, afterwards, merged, time_there
from .results import (
    NOTHING_CHANGED,
    IsAccepted,
    combined,
    failure_message,
    has_failed,
    lines,
    refused,
)
from .unmanaged import ACCEPTED, Accepted, accepted_reason, parse_accepted
from .variables import (
    ACCEPT_RISKS,
    POSTURE,
    PREFIX,
    SNAPSHOT_DIRECTORY,
    Part,
    RunModule,
    TakeSnapshot,
    one_owner,
    with_plans,
    without_omitted,
)


class HostRun(NamedTuple):
    """The results of a host's modules; `refusal` says why the predicted ones were not applied."""

    results: Results
    predicted: bool  # whether nothing was applied
    refusal: str = ""
    snapshot: str = ""  # the path of the state before the first change
    deleted: Sequence[str] = ()  # the paths of older snapshots
    accept: str = ACCEPT_RISKS  # the variable of accepted risks
    posture: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class HostRunner:
    """Runs modules of a host through `run_module`."""

    run_module: RunModule

    def run(self, parts: Sequence[Part], check_mode: bool, done: Results | None = None) -> Results:
        """The result of each module by its name: those that are `done` already, and others as far
        as none fails. A prediction goes on behind a plan that is refused."""
        results: dict[str, ModuleResult] = {}
        for part in parts:
            result = (done or {}).get(part.name)
            if result is None:
                result = self.run_module(informed(part, results, check_mode), check_mode)
            results[part.name] = result
            if result.get("failed") and not (check_mode and "operations" in result):
                break
        return results

    def update(
        self,
        host: str,
        parts: Sequence[Part],
        check_mode: bool,
        approved: ApprovedPlan | None = None,
        snapshot: TakeSnapshot | None = None,
    ) -> HostRun:
        """Update a host to match its parts, in check mode only in prediction.

        All parts are predicted before the first one is applied, and those with nothing to do are
        done then. A single module predicts by itself. The snapshot is taken between prediction and
        run, if there is something to do.
        """
        if approved is None and snapshot is None and len(parts) <= 1:
            return HostRun(self.run(parts, check_mode), check_mode)
        predicted = self.run(parts, check_mode=True)
        if has_failed(predicted):
            # No run follows, so that none changes anything.
            unchanged = {name: {**item, "changed": False} for name, item in predicted.items()}
            return HostRun(unchanged, True)
        refusal = approved.refusal(host, predicted) if approved else ""
        if refusal or not plan_ids(predicted):
            return HostRun(predicted, True, refusal)
        try:
            path = snapshot() if snapshot else ""
        except (OSError, ValueError) as exc:
            refusal = f"{SNAPSHOT_DIRECTORY}: there is no snapshot ({exc}). Nothing was changed."
            return HostRun(predicted, True, refusal)
        if check_mode:
            return HostRun(predicted, True)
        plans = plan_ids(predicted)
        if approved is not None:
            parts = with_plans(parts, plans)
        done = {name: result for name, result in predicted.items() if name not in plans}
        return HostRun(self.run(parts, False, done), False, snapshot=path)


COLLECTION = "edgeops.protection."
OWNER_VARIABLES = {
    f"{prefix}{name}": name for name in OWNER_OPTIONS for prefix in ("edge_", PREFIX)
}


class HostTask:
    """The work of the actions of the roles on a host with the modules that they call.

    Ansible templates the options of a task one by one in each worker, which costs more than the
    work itself; these actions read the variables instead, of which few are templates.
    """

    def __init__(self, calls: ModuleCalls) -> None:
        self._calls = calls
        self._display = Display()
        self.host = str(calls.variables["inventory_hostname"])
        self.variables = calls.variables
        self.groups: list[str] = plain(list(calls.variables.get("group_names") or ()))

    def values(self, names: Iterable[str]) -> dict[str, Any]:
        """The variables of the host with these names, as far as it has them, without templates."""
        variables = self._calls.variables
        described = {name: variables[name] for name in names if name in variables}
        known = {name: data_of(value) for name, value in described.items()}
        templates = {name: described[name] for name, value in known.items() if value is TEMPLATE}
        templated = self._calls.templated(templates) if templates else {}
        data = {name: value for name, value in known.items() if value is not TEMPLATE}
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

    def merged(self, values: Mapping[str, Any]) -> MergedHost:
        """The variables of the host with those of its postures, as they hold by Cloudflare's clock;
        raises ValueError for a posture that is wrong, or of which nobody knows whether it holds."""
        known = self.merged_in_silence(values)
        if known.posture:
            (self.tell if known.posture.holds else self.warn)(known.posture.sentence())
        return known

    def merged_in_silence(self, values: Mapping[str, Any]) -> MergedHost:
        """The same, and nobody is told if the posture holds."""
        if values.get(POSTURE) is None:
            return afterwards(self.host, values)
        first = merged(self.host, values, lambda _until: True)  # wrong ones before any request
        now = time_there(first.parts(self.host), self.runner().run_module)
        return merged(self.host, values, lambda until: now < until)

    def runner(self, warn: Warn | None = None) -> HostRunner:
        """Runs modules on the host; `warn` gets their warnings, and by default they are shown."""
        show = self._display.warning if warn is None else warn

        def run_module(part: Part, check_mode: bool) -> dict[str, Any]:
            context = part.context._replace(host=self.host)
            return self._calls.run(
                COLLECTION + part.module, part.options, check_mode, show, context
            )

        return HostRunner(run_module)

    def screen(self, work: str) -> Screen:
        """The screen of some work on the host."""
        return self._calls.screen(work)

    def tell(self, text: str) -> None:
        """Show a sentence with the name of the host."""
        self._display.display(self._of_host(text), stderr=True)  # stdout is for programs

    def warn(self, *texts: str) -> None:
        """Show warnings with the name of the host, since Ansible shows equal ones once."""
        for text in texts:
            self._display.warning(self._of_host(text))

    def misspelt_variables(self) -> list[str]:
        """A warning for each variable of the host that is not known, and seems to be ours."""
        return [self._of_host(text) for text in misspelt_in_host(self._calls.variables)]

    def shared_owners(self, results: Iterable[Mapping[str, Any]] = ()) -> list[str]:
        """A sentence for each account or zone of this host that another host of this run has as
        well; results tell the id of a zone that the host names by its domain."""
        ids = [("edge_zone_id", item["zone_id"]) for item in results if item.get("zone_id")]
        others = {
            (name, str(value)): claimed_before(
                f"{OWNER_VARIABLES[name]}={str(value).lower()}", self.host
            )
            for name, value in {**self.values(OWNER_VARIABLES), **dict(ids)}.items()
            if value
        }
        return [
            one_owner((other, self.host), name, value)
            for (name, value), other in others.items()
            if other
        ]

    def way_back(
        self, values: Mapping[str, Any], current: MergedHost, updated: HostRun
    ) -> list[str]:
        """The reason why no run would take back the posture that the host is in, in a sentence."""
        posture, is_in = current.posture, not (updated.predicted and plan_ids(updated.results))
        if not posture or not posture.holds or not is_in or has_failed(updated.results):
            return []
        quiet = self.runner(warn=lambda _text: None)
        later = quiet.run(afterwards(self.host, values).parts(self.host), True)
        if not has_failed(later):
            return []
        message = failure_message(later, updated.accept).replace(NOTHING_CHANGED, "").strip()
        return [f"No run would take the posture back, since it would be refused: {message}"]

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
        warnings, accept = self.misspelt_variables(), updated.accept
        result = combined(updated.results, warnings, updated.predicted, verbose, accept)
        more = {
            "snapshot": updated.snapshot,
            "deleted_snapshots": list(updated.deleted),
            "posture": updated.posture,
        }
        return {**result, **{name: value for name, value in more.items() if value}}

    def accepted(self) -> list[Accepted]:
        """The acceptances of the report on the host; raises ValueError."""
        return parse_accepted(self.value(ACCEPTED) or [], self.host)

    def _is_accepted(self) -> IsAccepted:
        """Return whether the report accepts an object now; a wrong variable accepts none."""
        try:
            accepted = self.accepted()
        except ValueError as exc:
            self.warn(str(exc))
            accepted = []
        now = datetime.now(timezone.utc)
        return lambda item: accepted_reason(item, accepted, now) is not None


def wrong_parts(parts: Sequence[Part]) -> Results:
    """The failure of the first part whose options are wrong, before any module runs; a single
    module finds its own."""
    for part in parts if len(parts) > 1 else ():
        if failure := wrong_options(COLLECTION + part.module, part.options, part.context):
            return {part.name: failure}
    return {}
