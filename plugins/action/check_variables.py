# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action that checks the variables of hosts, as far as it can be told without credentials and
without a request."""

from __future__ import annotations

from ..plugin_utils import _bytecode  # noqa: F401  # isort: skip  # pylint: disable=unused-import

import math
import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from ..module_utils._arguments import TEXTS, Arguments
from ..module_utils._errors import MAX_ERRORS, OptionError, parsed
from ..module_utils._schema.resource import without
from ..module_utils._text import Option, first_sentences, plural, redact
from ..module_utils._values.kinds import identifier
from ..plugin_utils._action import say
from ..plugin_utils._attack.options import ATTACK
from ..plugin_utils._baseline.approval import REPORT_FILE
from ..plugin_utils._baseline.fleet import FleetAction
from ..plugin_utils._baseline.host_task import HostTask
from ..plugin_utils._baseline.variables import INVENTORY, wrong_names
from ..plugin_utils._doctor.doctor import DOCTOR
from ..plugin_utils._export.describe import VARIABLES as EXPORT
from ..plugin_utils._export.snapshot import RESTORE
from ..plugin_utils._report.arguments import OF_REPORTED_HOST, REPORT_VARIABLES, check_report
from ..plugin_utils._report.files import json_text, sarif_of_mistakes, write_file
from ..plugin_utils._variables import (
    Mistakes,
    errors_of,
    misspelt_errors,
    sentences,
    with_unread,
    wrong_variables,
)
from ..plugin_utils._worker import prepare_workers

prepare_workers()

# Left out: credentials may be encrypted, and the certificates may be of another machine.
LEFT_OUT = ("api_token", "api_email", "api_key", "ca_path", "notify_url", "notify_key")
CHECKED: Arguments = {
    name: argument
    for name, argument in {**EXPORT, **OF_REPORTED_HOST}.items()
    if not name.endswith(LEFT_OUT)
}
CHECK: Arguments = {
    "check_sarif": {"type": "path"},
    "check_playbook": {"choices": ["evaluate", "notify"]},
}
EVALUATE: Arguments = {
    "evaluate_request": {"type": "dict"},
    "evaluate_packet": {"type": "dict"},
    "evaluate_network_firewall": {"type": "bool"},
}
KINDS = ["webhook", "slack", "teams", "pagerduty", "github"]
NOTIFY: Arguments = {
    "notify_url": {"type": "str", "no_log": True},
    "notify_key": {"type": "str", "no_log": True},
    "notify_kind": {"choices": KINDS},
    "notify_again_days": {"type": "float"},
    "notify_state": {"type": "path"},
    "notify_statuses": {
        **TEXTS,
        "choices": ["unknown", "unprotected", "weakened", "drift", "pending"],
    },
    "notify_timeout": {"type": "int"},
    "notify_delay": {"type": "int"},
}
# The variables of the playbooks that have no role.
PLAYBOOKS: Arguments = {**ATTACK, **CHECK, **DOCTOR, **EVALUATE, **NOTIFY, **RESTORE}
EVERY: Arguments = {**EXPORT, **OF_REPORTED_HOST, **PLAYBOOKS}
# The environment variables that count where a variable is not set.
BESIDE = {f"notify_{name}": f"PROTECTION_NOTIFY_{name.upper()}" for name in ("url", "key", "kind")}
ADDRESS = re.compile(r"https://|http://(127\.0\.0\.1|localhost)(:[0-9]+)?(/|$)")
OF_KIND = {"pagerduty": "its routing key", "github": "a token"}


def _check_evaluate(
    task: HostTask, read: Mapping[str, Any], given: Container[str]
) -> Iterator[OptionError]:
    from ..module_utils._protection.request import parse_packet, parse_request  # loads expressions

    owners, unread = task.read((*INVENTORY.values(), "edge_zone_account_id"))
    yield from unread
    ids = (name for name in ("edge_account_id", "edge_zone_id") if owners.get(name))
    yield from errors_of(*(partial(parsed, Option(name), identifier, owners[name]) for name in ids))
    request, packet = (Option(name) for name in ("evaluate_request", "evaluate_packet"))
    for option, parse in ((request, parse_request), (packet, parse_packet)):
        if (value := read[str(option[0])]) is not None:
            yield from errors_of(partial(parse, option, value))
    if request[0] not in given and packet[0] not in given:
        problem = "Nothing says what to evaluate. Set evaluate_request or evaluate_packet"
        yield OptionError(Option(), problem)
    if request[0] in given and not (owners.get("edge_zone_id") or owners.get("edge_zone_name")):
        problem = "it meets the rules of a zone; set edge_zone_id or edge_zone_name for this host"
        yield OptionError(request, problem)
    if packet[0] in given and not owners.get("edge_account_id"):
        problem = "it meets the rules of an account; set edge_account_id for this host"
        yield OptionError(packet, problem)


def _check_notify(
    task: HostTask, read: Mapping[str, Any], given: Container[str]
) -> Iterator[OptionError]:
    values, unread = task.read(["report_directory"])
    yield from unread
    path = Path(str(values.get("report_directory") or "report"), REPORT_FILE)
    if not unread and not path.exists():
        problem = f"{path} does not exist; run the playbook report first"
        yield OptionError(Option("report_directory"), problem)
    url, key, kind = (
        read[name] if name in given else os.environ.get(beside) for name, beside in BESIDE.items()
    )  # None if it is wrong
    if kind not in (None, "", *KINDS):
        named = ", ".join(KINDS)
        yield OptionError(Option(BESIDE["notify_kind"]), f"'{kind}' is none of {named}")
    is_missing = not url and "notify_url" not in given and kind != "pagerduty"
    if is_missing or (url and not ADDRESS.match(url)):
        problem = f"it begins with https://; set it, or {BESIDE['notify_url']}"
        yield OptionError(Option("notify_url"), problem)
    days = read["notify_again_days"]
    if days is not None and not 0 <= days < math.inf:
        problem = f"{days:g} is no number of days; write 0 or more"
        yield OptionError(Option("notify_again_days"), problem)
    if kind in OF_KIND and not key and "notify_key" not in given:
        problem = f"{kind} takes {OF_KIND[kind]}; set it, or {BESIDE['notify_key']}"
        yield OptionError(Option("notify_key"), problem)


# The playbooks without an action of their own.
OF_PLAYBOOK = {"evaluate": (EVALUATE, _check_evaluate), "notify": (NOTIFY, _check_notify)}
# A host without a token fails otherwise, and the check needs none.
PLACEHOLDER = {"baseline_api_token": "x" * 40}


class ActionModule(FleetAction):
    """Fails if a variable of a host is wrong."""

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        task = HostTask(self.calls(variables))
        try:
            options = task.options(CHECK, "check_", self._task.args)
            if options["playbook"]:
                self._check_playbook(options["playbook"], variables)
                return {"changed": False}
        except ValueError as exc:
            message = redact(str(exc), task.secrets(EVERY))
            return {"failed": True, "changed": False, "msg": message}
        hosts = self.hosts(variables)
        for _others in self.of_each(hosts, variables, HostTask.shared_owners, lambda *_problem: []):
            pass  # so that the first of two hosts hears of the second one as well
        result = self.results(variables, _checked)
        if result.get("failed"):
            every = self.of_each(
                hosts, variables, lambda task: task.secrets(EVERY), lambda *_problem: []
            )
            known = sorted({*chain.from_iterable(every)}, key=len, reverse=True)
            result = redact(result, known)
        else:
            checked = plural(len(hosts), "host was", "hosts were")
            say(self._display, f"{checked} checked; none has a mistake.")
        path = options["sarif"]
        if path and not self._task.check_mode:
            failed = result.get("hosts", {hosts[0]: result})
            text = json_text(sarif_of_mistakes({host: _told(one) for host, one in failed.items()}))
            try:
                result["changed"] = write_file(Path(path), text, FILE_MODE)
            except OSError as exc:
                problem = f"check_sarif: {path} cannot be written: {exc.strerror}."
                told = " ".join(filter(None, [result.get("msg"), problem]))
                return {**result, "failed": True, "msg": told}
        return result

    def _check_playbook(self, name: str, variables: Mapping[str, Any]) -> None:
        """Raises ValueError for wrong variables of a playbook, which has others of its own."""
        known, check = OF_PLAYBOOK[name]
        task = HostTask(self.calls(without(variables, *self._task.get_play().vars)))
        task.options(known, f"{name}_", check=partial(check, task))


FILE_MODE = 0o600  # that of a report


def _told(result: Mapping[str, Any]) -> Sequence[str]:
    """The sentences on the mistakes of a host."""
    return result.get("problems") or ([result["msg"]] if result.get("failed") else [])


def _checked(task: HostTask) -> dict[str, Any]:
    """The result of a host."""
    names = misspelt_errors(task.variables, (*REPORT_VARIABLES, *EXPORT, *PLAYBOOKS))
    readable = [name for name in PLAYBOOKS if not name.endswith(LEFT_OUT)]
    known, unread = task.read(readable)
    values = {name: value for name, value in known.items() if value != ""}
    errors = [
        *errors_of(task.require_control_node),
        *wrong_names(task.variables),
        *names,
        *with_unread(unread, wrong_variables(PLAYBOOKS, values)),
    ]
    problems = [
        *sentences(errors, {}, {}, task.variables),
        *task.shared_owners(),
        *task.mistakes(CHECKED, PLACEHOLDER, check_report),
    ]
    if not problems:
        return {"changed": False}
    told = Mistakes(problems).sentences
    message = first_sentences(told, MAX_ERRORS)
    return {"failed": True, "changed": False, "msg": message, "problems": told}
