# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The results of the modules that the role baseline runs for a host: as one result, and in a line
or two for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...module_utils._result import readable_failure
from ...module_utils._text import first_sentences, plural, visible
from .approval import host_plan_id, plan_ids
from .unmanaged import weakening
from .variables import ACCOUNT

Result = Mapping[str, Any]
IsAccepted = Callable[[Mapping[str, Any]], bool]  # of an object that no baseline names
Results = Mapping[
    str, Result
]  # by module, in the order in which they ran; only the last one may have failed

MAX_SENTENCES = 3  # in a line
STATE = (
    "protection",
    "rules",
    "lists",
    "invocation",
)  # of a result: whole lists, and those of the task
FOR_ANSIBLE = (
    "warnings",
    "deprecations",
)  # what Ansible shows of a task, and does not look for deeper


def combined(
    results: Results, warnings: Sequence[str] = (), check_mode: bool = False, verbose: bool = False
) -> dict[str, Any]:
    """The result of a host: that of each module under its name, and what they change together.

    `warnings` come before those of the modules. After a failure, the results before it are
    shortened unless verbose, as Ansible prints all of a failure. A module that changes nothing
    leaves out what it has read unless verbose, since Ansible templates, sends and keeps the results
    of all hosts.
    """
    plain = {module: _plain(result) for module, result in results.items()}
    together: dict[str, Any] = {"changed": any(result.get("changed") for result in plain.values())}
    for name in FOR_ANSIBLE:
        listed = [*(warnings if name == "warnings" else ()), *_listed(results, name)]
        together.update({name: listed} if listed else {})
    failed = next((module for module, result in plain.items() if result.get("failed")), None)
    if failed is not None:
        return {**together, **_failure(failed, plain, check_mode, verbose)}
    plans = plan_ids(plain)
    return {
        **together,
        "operations": _listed(plain, "operations"),
        "diff": [result["diff"] for result in plain.values() if result.get("diff")],
        "plan_id": host_plan_id(plans),
        "plans": plans,
        **(plain if verbose else {module: _lean(result) for module, result in plain.items()}),
    }


def _lean(result: Result) -> Result:
    """A result without the state that was read, if nothing changes; a coverage is its summary."""
    if result.get("changed"):
        return result
    readable = readable_failure(result)
    return {name: value for name, value in readable.items() if name not in STATE}


def has_failed(results: Results) -> bool:
    """Return whether a module failed."""
    return any(result.get("failed") for result in results.values())


def refused(results: Results, message: str) -> dict[str, Any]:
    """The failure of a host whose predicted plan is not the approved one; it shows the plan."""
    plans = plan_ids(results)
    shown = {
        module: {**_shortened(_plain(result)), "changed": False}
        for module, result in results.items()
    }
    return {
        "failed": True,
        "changed": False,
        "msg": message,
        "plan_id": host_plan_id(plans),
        "plans": plans,
        "diff": [result["diff"] for result in results.values() if result.get("diff")],
        **shown,
    }


def _failure(failed: str, plain: Results, check_mode: bool, verbose: bool) -> dict[str, Any]:
    message = str(plain[failed].get("msg"))
    for module, result in plain.items():
        if module != failed and result.get("operations") and not check_mode:
            number = plural(len(result["operations"]), "operation", "operations")
            message = f"{message} Before that, {module} applied {number}."
    shown = {
        module: _without_diff(result) if module == failed else _shortened(result)
        for module, result in plain.items()
    }
    diff = [result["diff"] for result in plain.values() if result.get("diff")]
    return {
        "failed": True,
        "msg": message,
        "failed_module": failed,
        "diff": diff,
        **(plain if verbose else shown),
    }


def _without_diff(result: Result) -> dict[str, Any]:
    """A result whose diff stands beside it, where Ansible leaves it out of its output."""
    return {name: value for name, value in result.items() if name != "diff"}


def _listed(results: Results, name: str) -> list[Any]:
    return [item for result in results.values() for item in result.get(name) or []]


def _plain(result: Result) -> dict[str, Any]:
    """A result without what Ansible itself has put into it."""
    return {
        name: value
        for name, value in result.items()
        if not name.startswith("_ansible_") and name not in FOR_ANSIBLE
    }


def _shortened(result: Result) -> dict[str, Any]:
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
        shown.append(first_sentences([after["summary"][0], *reasons], MAX_SENTENCES))
    unmanaged = [item for result in results.values() for item in result.get("unmanaged") or ()]
    weaker = weakening(item for item in unmanaged if not is_accepted(item))
    shown += [first_sentences(weaker, MAX_SENTENCES)] if weaker else []
    pending = [
        step["message"] for result in results.values() for step in result.get("pending") or []
    ]
    shown += [first_sentences(pending, MAX_SENTENCES)] if pending else []
    if not results:
        shown.append("No rules of the zone are described, so nothing is done.")
    return [visible(f"{host}: {line}") for line in shown]
