# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action that checks the variables of hosts, as far as it can be told without credentials and
without a request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

from ..module_utils._arguments import TEXTS, Arguments
from ..module_utils._errors import MAX_ERRORS
from ..module_utils._schema.resource import without
from ..module_utils._text import first_sentences, visible
from ..plugin_utils._action import option_problems
from ..plugin_utils._baseline.fleet import FleetAction
from ..plugin_utils._baseline.host_task import COLLECTION, HostTask
from ..plugin_utils._baseline.posture import START_OF_TIME, MergedHost, PostureEntries, postures_of
from ..plugin_utils._baseline.unmanaged import ACCEPTED, parse_accepted
from ..plugin_utils._baseline.variables import (
    OF_HOST,
    POSTURES,
    SNAPSHOT_KEEP,
    described_by,
    wrong_names,
)
from ..plugin_utils._export.describe import VARIABLES as EXPORT
from ..plugin_utils._export.snapshot import check_keep
from ..plugin_utils._report.arguments import OF_REPORTED_HOST, REPORT_VARIABLES
from ..plugin_utils._report.files import json_text, sarif_of_mistakes, write_file
from ..plugin_utils._variables import misspelt, misspelt_errors, place_of, read_variables
from ..plugin_utils._worker import prepare_workers

prepare_workers()

# Left out: credentials may be encrypted, and the certificates may be of another machine.
LEFT_OUT = ("api_token", "api_email", "api_key", "ca_path")
CHECKED: Arguments = {
    name: argument
    for name, argument in {**EXPORT, **OF_REPORTED_HOST}.items()
    if not name.endswith(LEFT_OUT)
}
CHECK: Arguments = {
    "check_sarif": {"type": "path"},
    "check_playbook": {"choices": ["evaluate", "notify"]},
}
# The playbooks without an action of their own.
OF_PLAYBOOK: Arguments = {
    "evaluate_request": {"type": "dict"},
    "evaluate_packet": {"type": "dict"},
    "evaluate_network_firewall": {"type": "bool"},
    "notify_url": {"type": "str", "no_log": True},
    "notify_key": {"type": "str", "no_log": True},
    "notify_kind": {"choices": ["webhook", "slack", "teams", "pagerduty", "github"]},
    "notify_again_days": {"type": "float"},
    "notify_state": {"type": "path"},
    "notify_statuses": {
        **TEXTS,
        "choices": ["unknown", "unprotected", "weakened", "drift", "pending"],
    },
    "notify_timeout": {"type": "int"},
    "notify_delay": {"type": "int"},
}
PLACEHOLDER = {"baseline_api_token": "x" * 40}  # since a host without a token has another failure


class ActionModule(FleetAction):
    """Fails if a variable of a host is wrong."""

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        try:
            options = self.options(CHECK, "check_", variables)
            if options["playbook"]:
                self._check_playbook(f"{options['playbook']}_", variables)
                return {"changed": False}
        except ValueError as exc:
            return {"failed": True, "changed": False, "msg": str(exc)}
        hosts = self.hosts(variables)
        for _others in self.of_each(hosts, variables, HostTask.shared_owners, lambda *_problem: []):
            pass  # so that the first of two hosts hears of the second one as well
        result = self.results(variables, _checked)
        path = options["sarif"]
        if path and not self._task.check_mode:
            failed = result.get("hosts", {hosts[0]: result})
            text = json_text(sarif_of_mistakes({host: _told(one) for host, one in failed.items()}))
            result["changed"] = write_file(Path(path), text, FILE_MODE)
        return result

    def _check_playbook(self, prefix: str, variables: Mapping[str, Any]) -> None:
        """Raises ValueError for wrong variables with the prefix of a playbook, which has others of
        its own."""
        from ..module_utils._protection.request import (  # loads expressions
            parse_packet,
            parse_request,
        )

        known = {name: item for name, item in OF_PLAYBOOK.items() if name.startswith(prefix)}
        values = HostTask(self.calls(variables)).values(known)
        filled = {name: value for name, value in values.items() if value != ""}
        others = without(variables, *self._task.get_play().vars)
        parsers = {"evaluate_request": parse_request, "evaluate_packet": parse_packet}
        read_variables(known, filled, prefix, others, parsers)


FILE_MODE = 0o600  # that of a report


def _told(result: Mapping[str, Any]) -> Sequence[str]:
    """The sentences on the mistakes of a host."""
    return result.get("problems") or ([result["msg"]] if result.get("failed") else [])


def _checked(task: HostTask) -> dict[str, Any]:
    """The result of a host."""
    problems = list(dict.fromkeys(_problems(task)))
    if not problems:
        return {"changed": False}
    message = first_sentences(problems, MAX_ERRORS)
    return {"failed": True, "changed": False, "msg": message, "problems": problems}


def _problems(task: HostTask) -> Iterator[str]:
    """A sentence for each thing that is wrong in the variables of a host."""
    try:
        task.require_control_node()
    except ValueError as exc:
        yield str(exc)
    own, place = task.variables, partial(place_of, task.variables)
    unknown = wrong_names(own)
    for prefix, known in (("report_", REPORT_VARIABLES), ("export_", EXPORT)):
        unknown += misspelt_errors(misspelt(own, prefix, known), known)
    yield from (f"{visible(error.placed(place).message)}." for error in unknown)
    try:
        values = task.values(CHECKED)
    except AnsibleError as exc:
        yield f"{exc}".rstrip(".") + "."
        return
    yield from task.shared_owners()
    wrong = task.wrong(CHECKED, {**values, **PLACEHOLDER})
    yield from (f"{visible(error.placed(place).message)}." for error in wrong)
    names = {str(error.option.path[0]) for error in wrong}
    fit = {name: value for name, value in values.items() if name not in names}
    for text in _unlike_others(task, fit):
        if not any(name in text for name in names):  # it may be so because the value is left out
            yield text


def _unlike_others(task: HostTask, values: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each value of the right form that is wrong all the same."""
    yield from _form_problems(task.host, values)
    try:
        named = {name: value for name, value in values.items() if name in OF_HOST}
        for_host = [
            name for name, one in postures_of(named).items() if one.keys() - {"accept_risks"}
        ]
        entries = task.entries(named)
    except ValueError as exc:
        yield str(exc)
        return
    yield from _unfit(task, named, entries)
    for name in for_host:  # before it is needed
        posture = {"name": name.removeprefix(f"{POSTURES}."), "until": "9999-12-31"}
        yield from _unfit(task, named, [(name, posture)])


def _unfit(task: HostTask, values: Mapping[str, Any], entries: PostureEntries) -> Iterator[str]:
    """A sentence for each value that the host does not take, as if these postures held."""
    try:
        named = {**values, **PLACEHOLDER}
        part = MergedHost(task.host, named, entries, START_OF_TIME).part()
    except ValueError as exc:
        yield str(exc)
        if entries:
            yield from _unfit(task, values, [])
        return
    if described_by(part):
        module = COLLECTION + part.module
        yield from option_problems(module, part.options, part.context, task.variables)


def _form_problems(host: str, values: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each variable with a form of its own that cannot be read."""
    for check in (
        lambda: check_keep(values.get(SNAPSHOT_KEEP)),
        lambda: parse_accepted(values.get(ACCEPTED) or [], host),
    ):
        try:
            check()
        except ValueError as exc:
            yield str(exc)
