# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The run of a host, its result as the role baseline returns it, and in lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from ...module_utils._context import EXISTING, OF_FLEET, STAYING, WATCH
from ...module_utils._errors import NOTHING_CHANGED, REFUSAL, Refusal
from ...module_utils._output import readable_failure
from ...module_utils._planning.zone import NOT_SERVED
from ...module_utils._schema.account import COMPONENTS, ENABLED
from ...module_utils._schema.registry import MANAGED, title_of_operation
from ...module_utils._schema.resource import fields_in
from ...module_utils._specs.base import LEFT_ALONE, ModuleResult
from ...module_utils._specs.host import option_of
from ...module_utils._text import capitalised, first_few, first_sentences, plural, visible
from ...module_utils._values.address_set import counted, ranges_of
from .approval import ApprovedPlan
from .unmanaged import UnmanagedObject, weakening_sentences
from .variables import SNAPSHOT_DIRECTORY, Part, RunModule, TakeSnapshot, described_by

IsAccepted = Callable[[UnmanagedObject], bool]  # of an object that no baseline names
# Does the last thing before the first write; it takes the predicted result.
Begin = Callable[[Mapping[str, Any]], None]

SENTENCES_IN_LINE = 3
READ_STATE = {"protection", "invocation", *map(option_of, MANAGED)}  # of a result: whole lists
OF_ALL_HOSTS = (
    *("changed", "failed", "msg", "plan_id", "operations", "risks", "pending"),
    *(LEFT_ALONE, STAYING, "left"),
)
IN_ORDER, CHANGED, REFUSED = "in order", "changed", "refused"
CHANGES_WAIT = "with changes that wait for a whole run"
NOT_REACHED, UNFINISHED, NOT_KNOWN = "not reached", "left unfinished", "not known"
SET_BACK = "set back"  # after it was watched
HOST_OUTCOMES = (
    *(IN_ORDER, CHANGED, CHANGES_WAIT, SET_BACK),
    *(REFUSED, NOT_REACHED, UNFINISHED, NOT_KNOWN),
)
SELDOM = (CHANGES_WAIT, SET_BACK, UNFINISHED, NOT_KNOWN)  # which are named if there are some
PREDICTED = {CHANGED: "would change", SET_BACK: "would be set back"}
# Of a task, Ansible shows these, and does not look for them deeper.
FOR_ANSIBLE = ("warnings", "deprecations")


class HostRun(NamedTuple):
    """The run of a host, with its result. `refusal` is the reason why its plan was not applied;
    None if it was applied, or if another failure ended the run."""

    result: ModuleResult
    predicted: bool  # whether nothing was applied
    snapshot: str = ""  # the path of the state before the first change
    deleted: Sequence[str] = ()  # the paths of older snapshots
    postures: Sequence[Mapping[str, Any]] = ()  # that hold
    lines: Sequence[str] = ()  # for people, in place of those on the coverage
    refusal: Refusal | None = None
    existing: Mapping[str, Any] = MappingProxyType({})  # what a prediction has read
    of_fleet: Mapping[str, Any] = MappingProxyType({})  # what other hosts take from it

    @property
    def failed(self) -> bool:
        """Return whether the run failed."""
        return bool(self.result.get("failed"))

    @property
    def is_left(self) -> bool:
        """Return whether the run fails only because other hosts still refer to its lists."""
        return bool(self.result.get(STAYING))

    @property
    def only_predicted(self) -> bool:
        """Return whether the host has changes that were predicted and not made."""
        return self.predicted and bool(self.result.get("plan_id"))

    @property
    def reason(self) -> str:
        """The reason why the run failed; for a refused plan, without the sentence that nothing
        was changed."""
        return self.refusal["reason"] if self.refusal else str(self.result.get("msg"))


class PlanRefused(ValueError):
    """The reason why a plan is not applied, found between its prediction and its first write."""


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
        """Update a host to match its variables; in check mode, only predict. If there are
        changes, Cloudflare validates them, and the snapshot is taken, between the prediction and
        the run."""
        if not described_by(part):
            return HostRun(NOTHING_TO_DO, True)
        if approved is not None:
            part = replace(part, options={**part.options, "expected_plan": approved.plan_id})
        if snapshot is None and not part.options.get("validate"):
            return self._run(part, check_mode, approved)
        prediction = self._run(part, True, approved)
        if (prediction.failed and not prediction.is_left) or not prediction.only_predicted:
            return prediction
        try:
            predicted = {**prediction.result, EXISTING: prediction.existing}
            path = snapshot(predicted) if snapshot else ""
        except PlanRefused as exc:
            return _failed_run(prediction, str(exc))
        except (OSError, ValueError) as exc:
            reason = f"{SNAPSHOT_DIRECTORY}: there is no snapshot ({exc})."
            return _failed_run(prediction, f"{reason} {NOTHING_CHANGED}")
        if check_mode:
            return prediction
        return self._run(part, False, approved)._replace(snapshot=path)

    def _run(self, part: Part, check_mode: bool, approved: ApprovedPlan | None) -> HostRun:
        """One run of the module. If the plan is refused and differs from the approved plan, the
        message has the differences."""
        result = dict(self.run_module(part, check_mode))
        refusal, existing = result.pop(REFUSAL, None), result.pop(EXISTING, {})
        of_fleet = result.pop(OF_FLEET, {})
        differences = approved.differences(result) if approved and refusal else ""
        if differences:
            sentences = [visible(refusal["reason"]), differences, NOTHING_CHANGED]
            result["msg"] = " ".join(sentences)
        run = HostRun(result, check_mode, refusal=refusal, existing=existing)
        return run._replace(of_fleet=of_fleet)


def _failed_run(prediction: HostRun, message: str) -> HostRun:
    """The failed run of a host with this message, after its prediction."""
    failure = {**prediction.result, "changed": False, "failed": True, "msg": message}
    return HostRun(failure, True)


def shown_result(
    result: ModuleResult, warnings: Sequence[str] = (), verbose: bool = False
) -> dict[str, Any]:
    """The result of a host, with `warnings` before the result's own. Unless `verbose`, it leaves
    out the objects that were read if nothing changes or if it failed, since Ansible templates,
    sends and keeps the results of all hosts, and prints a failure in full."""
    shown = {name: value for name, value in result.items() if not name.startswith("_ansible_")}
    notices = {name: list(shown.pop(name, ())) for name in FOR_ANSIBLE}
    notices["warnings"] = [*warnings, *notices["warnings"]]
    shown.update({name: texts for name, texts in notices.items() if texts})
    is_changed = shown.get("changed") and not shown.get("failed")
    if verbose or is_changed:
        return shown
    readable = readable_failure(shown)
    return {name: value for name, value in readable.items() if name not in READ_STATE}


def mitigated(coverage: Mapping[str, Any]) -> str:
    """The addresses for which attacks are mitigated, by component, and the components that
    mitigate nothing, in a sentence."""
    mitigating, idle = [], []
    modes_by_kind = coverage["modes"] if coverage["enabled"] else {}
    for kind, sets in modes_by_kind.items():
        title = COMPONENTS[kind].title
        addresses = _number_mitigated(sets)
        if addresses:
            mitigating.append(f"{addresses} by {title}")
        else:
            idle.append(f"; {title} mitigates nothing")
    if mitigating:
        return f"Attacks are mitigated on {' and on '.join(mitigating)}{''.join(idle)}."
    return first_sentences(["No attack on a protected address is mitigated.", *coverage["reasons"]])


def _number_mitigated(sets: Iterable[Mapping[str, Any]]) -> str:
    """The number of addresses in these sets that a component mitigates, in words; empty if it is
    zero."""
    mitigated_sets = [item for item in sets if ENABLED in item["modes"]]
    networks = []
    for address_set in mitigated_sets:
        networks += address_set["networks"]
    ranges = ranges_of(networks)
    if not ranges:
        return ""
    in_part = any(len(address_set["modes"]) > 1 for address_set in mitigated_sets)
    return f"{counted(ranges)} (in part)" if in_part else counted(ranges)


def host_outcome(result: ModuleResult) -> str:
    """The outcome of a host, one of HOST_OUTCOMES, as `sentence_of` counts it."""
    if not result.get("failed"):
        if result.get("changed"):
            return CHANGED
        return CHANGES_WAIT if result.get(LEFT_ALONE) else IN_ORDER
    watch = fields_in(result.get(WATCH))
    if watch.get("set_back"):
        return SET_BACK
    if result.get("unknown"):  # a change that was sent, and of which no answer tells
        return NOT_KNOWN
    if result.get("done") or watch.get("staying"):
        return UNFINISHED
    if result.get("error") and "plan_id" not in result:
        return NOT_REACHED
    return REFUSED


def sentence_of(numbers: Counter[str], check_mode: bool) -> str:
    """The numbers of hosts by outcome, in a sentence."""
    words = PREDICTED if check_mode else {}
    texts = []
    for outcome in HOST_OUTCOMES:
        number = numbers[outcome]
        if number or outcome not in SELDOM:
            texts.append(f"{number} {words.get(outcome, outcome)}")
    hosts = plural(sum(numbers.values()), "host", "hosts")
    return f"{hosts}: {', '.join(texts)}."


def shortened(result: ModuleResult) -> dict[str, Any]:
    """The part of the result of a host that stands among those of all hosts."""
    return {name: result[name] for name in OF_ALL_HOSTS if name in result}


# The beginning of a sentence on the state that a dry run predicts.
AFTER_THE_RUN = "After the run: "


def lines(
    host: str, result: ModuleResult, is_accepted: IsAccepted = lambda item: False, begin: str = ""
) -> list[str]:
    """The lines on a host in a result without details: a sentence on its protection that starts
    with `begin`, what weakens it, and the steps left."""
    return [visible(f"{host}: {line}") for line in _lines_of_result(result, is_accepted, begin)]


def _lines_of_result(result: ModuleResult, is_accepted: IsAccepted, begin: str) -> Iterator[str]:
    coverage = (result.get("coverage") or {}).get("after")
    if coverage:
        yield f"{begin}{_protection_sentence(coverage)}"
    if result.get(NOT_SERVED):
        yield f"{result[NOT_SERVED]} The run prepares it all the same."
    unmanaged = result.get("unmanaged") or ()
    objects = [obj for obj in unmanaged if not is_accepted(obj)]
    concerns = [*weakening_sentences(objects), *weakening_sentences(objects, weakens=False)]
    if concerns:
        yield first_sentences(concerns, SENTENCES_IN_LINE)
    steps = [capitalised(step["message"]) for step in result.get("pending") or ()]
    if steps:
        yield first_sentences(steps, SENTENCES_IN_LINE, "step", "steps")
    changes = result.get(LEFT_ALONE) or ()
    if changes:
        titles = [f"{change['action']} {title_of_operation(change)}" for change in changes]
        count = plural(len(titles), "change waits", "changes wait")
        yield f"{count} for a whole run of the baseline: {first_few(titles)}."
    if "plan_id" not in result:
        yield "No rules of the zone are described, so nothing is done."


def _protection_sentence(coverage: Mapping[str, Any]) -> str:
    """The protection of a host, with the reasons in its summary."""
    summary = coverage["summary"]
    reasons = [reason for reason in coverage["reasons"] if reason in summary]
    return first_sentences([summary[0], *reasons], SENTENCES_IN_LINE, "reason", "reasons")
