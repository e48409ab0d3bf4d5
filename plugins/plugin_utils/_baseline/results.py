# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The results of the modules that the role baseline runs for a host: as one result, and in a line
or two for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...module_utils._guard.terms import HAS_RISKS, risks_refusal
from ...module_utils._result import readable_failure
from ...module_utils._specs.base import ModuleResult
from ...module_utils._text import first_sentences, plural, visible
from .approval import Results, host_plan_id, plan_ids
from .unmanaged import UnmanagedObject, weakening
from .variables import ACCEPT_RISKS, ACCOUNT

IsAccepted = Callable[[UnmanagedObject], bool]  # of an object that no baseline names

NOTHING_CHANGED = "Nothing was changed."
SENTENCES_IN_LINE = 3
# Of a result: whole lists, and those of the task.
READ_STATE = ("protection", "rules", "overrides", "lists", "rulesets", "chain", "invocation")
# Of a task, Ansible shows these, and does not look for them deeper.
FOR_ANSIBLE = ("warnings", "deprecations")


def combined(
    results: Results,
    warnings: Sequence[str] = (),
    check_mode: bool = False,
    verbose: bool = False,
    accept: str = ACCEPT_RISKS,
) -> dict[str, Any]:
    """The result of a host: that of each module under its name, and what they change together.

    `warnings` come before those of the modules; `accept` is the variable of accepted risks. After a
    failure, the results before it are shortened unless verbose, as Ansible prints all of a failure.
    A module that changes nothing leaves out what it has read unless verbose, since Ansible
    templates, sends and keeps the results of all hosts.
    """
    plain = {module: _plain(result) for module, result in results.items()}
    together: dict[str, Any] = {"changed": any(result.get("changed") for result in plain.values())}
    for name in FOR_ANSIBLE:
        listed = [*(warnings if name == "warnings" else ()), *in_all(results, name)]
        together.update({name: listed} if listed else {})
    failed = next((module for module, result in plain.items() if result.get("failed")), None)
    if failed is not None:
        return {**together, **_failure(failed, plain, check_mode, verbose, accept)}
    return {
        **together,
        **_host_plan(plain),
        "operations": in_all(plain, "operations"),
        **(plain if verbose else {module: _lean(result) for module, result in plain.items()}),
    }


def _host_plan(results: Results) -> dict[str, Any]:
    """The plan of a host, and its diff."""
    plans, diff = plan_ids(results), _diff(results)
    return {"plan_id": host_plan_id(plans), "plans": plans, "diff": diff}


def _diff(results: Results) -> list[Any]:
    return [result["diff"] for result in results.values() if result.get("diff")]


def _lean(result: ModuleResult) -> ModuleResult:
    """A result without the state that was read, if nothing changes; a coverage is its summary."""
    if result.get("changed"):
        return result
    readable = readable_failure(result)
    return {name: value for name, value in readable.items() if name not in READ_STATE}


def has_failed(results: Results) -> bool:
    """Return whether a module failed."""
    return any(result.get("failed") for result in results.values())


def refused(results: Results, message: str) -> dict[str, Any]:
    """The failure of a host whose predicted plan is not the approved one; it shows the plan."""
    shown = {
        module: {**_shortened(_plain(result)), "changed": False}
        for module, result in results.items()
    }
    return {"failed": True, "changed": False, "msg": message, **_host_plan(results), **shown}


def failure_message(results: Results, accept: str) -> str:
    """The failures of all modules: first what nothing accepts, then the risks, with one
    acceptance of all of them."""
    failed = [result for result in results.values() if result.get("failed")]
    if len(failed) == 1:
        return str(failed[0].get("msg"))
    parts = [str(result.get("msg")).partition(HAS_RISKS) for result in failed]
    errors = [before.replace(NOTHING_CHANGED, "").strip() for before, _mark, _after in parts]
    risks = [
        risk
        for result, (_before, mark, _after) in zip(failed, parts)
        for risk in result.get("risks", ())
        if mark
    ]
    sentences = [*dict.fromkeys(errors), *([risks_refusal(risks, accept)] if risks else [])]
    return " ".join(filter(None, [*sentences, NOTHING_CHANGED]))


def _failure(
    failed: str, plain: Results, check_mode: bool, verbose: bool, accept: str
) -> dict[str, Any]:
    message = failure_message(plain, accept)
    for module, result in plain.items():
        if not (result.get("failed") or check_mode) and result.get("operations"):
            number = plural(len(result["operations"]), "operation", "operations")
            message = f"{message} Before that, {module} applied {number}."
    shown = {module: _shortened(result) for module, result in plain.items()}
    # The diff stands beside the results, where Ansible leaves it out of its output.
    left_out = (*READ_STATE, "diff")
    shown[failed] = {name: item for name, item in plain[failed].items() if name not in left_out}
    failure = {"failed": True, "msg": message, "failed_module": failed, "diff": _diff(plain)}
    return {**failure, **(plain if verbose else shown)}


def in_all(results: Results, name: str) -> list[Any]:
    """The items of the lists that results have under a name."""
    return [item for result in results.values() for item in result.get(name) or []]


def _plain(result: ModuleResult) -> dict[str, Any]:
    """A result without what Ansible itself has put into it."""
    return {
        name: value
        for name, value in result.items()
        if not name.startswith("_ansible_") and name not in FOR_ANSIBLE
    }


def _shortened(result: ModuleResult) -> dict[str, Any]:
    readable = readable_failure(result)
    return {
        name: readable[name]
        for name in ("changed", "operations", "risks", "coverage", "plan_id")
        if name in readable
    }


def lines(host: str, results: Results, is_accepted: IsAccepted = lambda item: False) -> list[str]:
    """The lines on a host for a user who asks for no more: how well it is protected, what weakens
    it, and which steps are left."""
    shown = []
    after = results.get(ACCOUNT, {}).get("coverage", {}).get("after")
    if after:
        reasons = [reason for reason in after["reasons"] if reason in after["summary"]]
        shown.append(first_sentences([after["summary"][0], *reasons], SENTENCES_IN_LINE))
    items = [item for item in in_all(results, "unmanaged") if not is_accepted(item)]
    weaker = [*weakening(items), *weakening(items, weakens=False)]
    shown += [first_sentences(weaker, SENTENCES_IN_LINE)] if weaker else []
    pending = [step["message"] for step in in_all(results, "pending")]
    shown += [first_sentences(pending, SENTENCES_IN_LINE)] if pending else []
    if not results:
        shown.append("No rules of the zone are described, so nothing is done.")
    return [visible(f"{host}: {line}") for line in shown]
