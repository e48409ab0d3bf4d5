# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The run of a host, its result as the role baseline returns it, and in lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...module_utils._output import readable_failure
from ...module_utils._schema.account import COMPONENTS, ENABLED
from ...module_utils._schema.registry import MANAGED
from ...module_utils._specs.base import ModuleResult
from ...module_utils._specs.host import option_of
from ...module_utils._text import capitalised, first_sentences, plural, visible
from ...module_utils._values.address_set import counted, ranges_of
from .approval import ApprovedPlan
from .unmanaged import UnmanagedObject, weakening
from .variables import (
    NOTHING_CHANGED,
    SNAPSHOT_DIRECTORY,
    Part,
    RunModule,
    TakeSnapshot,
    described_by,
)

IsAccepted = Callable[[UnmanagedObject], bool]  # of an object that no baseline names

SENTENCES_IN_LINE = 3
READ_STATE = {"protection", "invocation", *map(option_of, MANAGED)}  # of a result: whole lists
OF_ALL_HOSTS = ("changed", "failed", "msg", "plan_id", "operations", "risks", "pending")
IN_ORDER, CHANGED, REFUSED = "in order", "changed", "refused"
NOT_REACHED, UNFINISHED, NOT_KNOWN = "not reached", "left unfinished", "not known"
HOST_OUTCOMES = (IN_ORDER, CHANGED, REFUSED, NOT_REACHED, UNFINISHED, NOT_KNOWN)
SELDOM = (UNFINISHED, NOT_KNOWN)  # which are named if there are some
PREDICTED = {CHANGED: "would change"}
# Of a task, Ansible shows these, and does not look for them deeper.
FOR_ANSIBLE = ("warnings", "deprecations")


class HostRun(NamedTuple):
    """The result of a host."""

    result: ModuleResult
    predicted: bool  # whether nothing was applied
    snapshot: str = ""  # the path of the state before the first change
    deleted: Sequence[str] = ()  # the paths of older snapshots
    postures: Sequence[Mapping[str, Any]] = ()  # that hold
    lines: Sequence[str] = ()  # for people, in place of those on the coverage

    @property
    def failed(self) -> bool:
        """Return whether the run failed."""
        return bool(self.result.get("failed"))

    @property
    def only_predicted(self) -> bool:
        """Return whether the host has something to do that was not done."""
        return self.predicted and bool(self.result.get("plan_id"))


NOTHING_TO_DO: ModuleResult = {"changed": False}


@dataclass(frozen=True)
class HostRunner:
    """Runs modules of a host through `run_module`."""

    run_module: RunModule

    def update(
        self,
        part: Part,
        check_mode: bool,
        approved: ApprovedPlan | None = None,
        snapshot: TakeSnapshot | None = None,
    ) -> HostRun:
        """Update a host to match what it describes, in check mode only in prediction.

        If there is something to do, Cloudflare validates it, and the snapshot is taken, between
        prediction and run.
        """
        if not described_by(part):
            return HostRun(NOTHING_TO_DO, True)
        if approved is not None:
            part = replace(part, options={**part.options, "expected_plan": approved.plan_id})
        if snapshot is None and not part.options.get("validate"):
            return HostRun(self._run(part, check_mode, approved), check_mode)
        predicted = HostRun(self._run(part, True, approved), True)
        if predicted.failed or not predicted.only_predicted:
            return predicted
        try:
            path = snapshot(predicted.result) if snapshot else ""
        except (OSError, ValueError) as exc:
            refusal = f"{SNAPSHOT_DIRECTORY}: there is no snapshot ({exc}). {NOTHING_CHANGED}"
            failure = {**predicted.result, "changed": False, "failed": True, "msg": refusal}
            return HostRun(failure, True)
        if check_mode:
            return predicted
        return HostRun(self._run(part, False, approved), False, snapshot=path)

    def _run(self, part: Part, check_mode: bool, approved: ApprovedPlan | None) -> ModuleResult:
        result = self.run_module(part, check_mode)
        differences = approved.differences(result) if approved else ""
        if not differences:
            return result
        whole = f"{differences} {NOTHING_CHANGED}"
        return {**result, "msg": result["msg"].replace(NOTHING_CHANGED, whole)}


def shown_result(
    result: ModuleResult, warnings: Sequence[str] = (), verbose: bool = False
) -> dict[str, Any]:
    """The result of a host, with `warnings` before its own.

    Unless verbose, it leaves out what was read if nothing changes, since Ansible templates, sends
    and keeps the results of all hosts, and of a failure, since Ansible prints all of that.
    """
    own = {name: value for name, value in result.items() if not name.startswith("_ansible_")}
    for name in FOR_ANSIBLE:
        listed = [*(warnings if name == "warnings" else ()), *own.pop(name, ())]
        own.update({name: listed} if listed else {})
    if verbose or (own.get("changed") and not own.get("failed")):
        return own
    readable = readable_failure(own)
    return {name: value for name, value in readable.items() if name not in READ_STATE}


def mitigated(coverage: Mapping[str, Any]) -> str:
    """The addresses for which attacks are mitigated, by component, and the components that
    mitigate nothing, in a sentence."""
    texts, idle = [], []
    for kind, sets in coverage["modes"].items() if coverage["enabled"] else ():
        in_part = [item for item in sets if ENABLED in item["modes"]]
        ranges = ranges_of(network for item in in_part for network in item["networks"])
        some = " (in part)" * any(len(item["modes"]) > 1 for item in in_part)
        title = COMPONENTS[kind].title
        if ranges:
            texts.append(f"{counted(ranges)}{some} by {title}")
        else:
            idle.append(f"; {title} mitigates nothing")
    if texts:
        return f"Attacks are mitigated on {' and on '.join(texts)}{''.join(idle)}."
    return first_sentences(["No attack on a protected address is mitigated.", *coverage["reasons"]])


def host_outcome(result: ModuleResult) -> str:
    """The outcome of a host by its result, as the last lines of the playbook count it."""
    if not result.get("failed"):
        return CHANGED if result.get("changed") else IN_ORDER
    if result.get("unknown"):  # a change that was sent, and of which no answer tells
        return NOT_KNOWN
    if result.get("done"):
        return UNFINISHED
    return NOT_REACHED if result.get("error") and "plan_id" not in result else REFUSED


def sentence_of(numbers: Counter[str], check_mode: bool) -> str:
    """The numbers of hosts by their outcomes, in a sentence."""
    named = [name for name in HOST_OUTCOMES if numbers[name] or name not in SELDOM]
    texts = [
        f"{numbers[name]} {PREDICTED.get(name, name) if check_mode else name}" for name in named
    ]
    return f"{plural(sum(numbers.values()), 'host', 'hosts')}: {', '.join(texts)}."


def shortened(result: ModuleResult) -> dict[str, Any]:
    """The part of the result of a host that stands among those of all hosts."""
    return {name: result[name] for name in OF_ALL_HOSTS if name in result}


# The beginning of a sentence on the state that a dry run predicts.
AFTER_THE_RUN = "After the run: "


def lines(
    host: str, result: ModuleResult, is_accepted: IsAccepted = lambda item: False, begin: str = ""
) -> list[str]:
    """The lines on a host for a user who asks for no more: how well it is protected, in a sentence
    that begins so, what weakens it, and which steps are left."""
    shown = []
    after = (result.get("coverage") or {}).get("after")
    if after:
        reasons = [reason for reason in after["reasons"] if reason in after["summary"]]
        protection = first_sentences(
            [after["summary"][0], *reasons], SENTENCES_IN_LINE, "reason", "reasons"
        )
        shown.append(f"{begin}{protection}")
    items = [item for item in result.get("unmanaged") or () if not is_accepted(item)]
    weaker = [*weakening(items), *weakening(items, weakens=False)]
    shown += [first_sentences(weaker, SENTENCES_IN_LINE)] if weaker else []
    pending = [capitalised(step["message"]) for step in result.get("pending") or ()]
    shown += [first_sentences(pending, SENTENCES_IN_LINE, "step", "steps")] if pending else []
    if "plan_id" not in result:
        shown.append("No rules of the zone are described, so nothing is done.")
    return [visible(f"{host}: {line}") for line in shown]
