# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the modules of a host one after the other, and decides what may be applied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .approval import ApprovedPlan
from .host_plan import plan_ids
from .lists import informed
from .results import has_failed
from .variables import SNAPSHOT_DIRECTORY, Part, with_plans

Results = dict[str, dict[str, Any]]  # by module, in the order in which the modules ran
RunModule = Callable[[Part, bool], dict[str, Any]]  # the result of a part, in check mode or not
TakeSnapshot = Callable[[], str]  # the path of the snapshot; raises OSError and ValueError


class HostRun(NamedTuple):
    """The results of a host's modules; `refusal` says why the predicted ones were not applied."""

    results: Results
    predicted: bool  # whether nothing was applied
    refusal: str = ""
    snapshot: str = ""  # the path of the state before the first change
    deleted: Sequence[str] = ()  # the paths of older snapshots


@dataclass(frozen=True)
class HostRunner:
    """Runs modules of a host through `run_module`."""

    run_module: RunModule

    def run(self, parts: Sequence[Part], check_mode: bool) -> Results:
        """The result of each module by its name, as far as none fails."""
        results: Results = {}
        for part in parts:
            if has_failed(results):
                break
            results[part.name] = self.run_module(informed(part, results, check_mode), check_mode)
        return results

    def update(
        self,
        host: str,
        parts: Sequence[Part],
        check_mode: bool,
        approved: ApprovedPlan | None = None,
        snapshot: TakeSnapshot | None = None,
        predicts_first: bool = False,
    ) -> HostRun:
        """Update a host to match its parts, in check mode only in prediction.

        With an approved plan, a snapshot, or `predicts_first`, all parts are predicted before the
        first one is applied; the snapshot is taken between the two, if there is something to do.
        """
        if approved is None and snapshot is None and not predicts_first:
            return HostRun(self.run(parts, check_mode), check_mode)
        predicted = self.run(parts, check_mode=True)
        if has_failed(predicted):
            return HostRun(_unchanged(predicted), True)
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
        if approved is not None:
            parts = with_plans(parts, plan_ids(predicted))
        return HostRun(self.run(parts, check_mode=False), False, snapshot=path)


def _unchanged(results: Results) -> Results:
    """The results of a prediction that failed, so that no run follows which changes anything."""
    return {module: {**result, "changed": False} for module, result in results.items()}


def first_wrong(
    parts: Sequence[Part], wrong_options: Callable[[Part], dict[str, Any] | None]
) -> Results:
    """The failure of the first module whose options are wrong; a single module finds its own."""
    for part in parts if len(parts) > 1 else ():
        failure = wrong_options(part)
        if failure:
            return {part.name: failure}
    return {}
