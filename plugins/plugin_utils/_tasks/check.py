# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action that checks the variables of hosts, as far as it can be told without credentials and
without a request."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

from ...module_utils._api.settings import ENVIRONMENT as CREDENTIALS
from ...module_utils._api.settings import check_credential
from ...module_utils._arguments import TEXTS, Arguments
from ...module_utils._errors import MAX_ERRORS, OptionError, parsed
from ...module_utils._protection.expectation import KINDS_OF_TRAFFIC, OF_REQUESTS, PACKETS
from ...module_utils._schema.resource import without
from ...module_utils._text import Option, Reword, first_sentences, plural, redact, redact_text
from ...module_utils._values.kinds import identifier
from .. import _variables as role_variables
from .._action import say
from .._alike import HostsText
from .._attack.options import ATTACK
from .._baseline.approval import REPORT_FILE
from .._baseline.fleet import FleetAction
from .._baseline.host_task import HostTask
from .._baseline.variables import INVENTORY, PREFIX, TARGET, wrong_names
from .._doctor.doctor import DOCTOR
from .._export.describe import VARIABLES as EXPORT
from .._export.state_file import RESTORE
from .._inventory.pattern import inventory_of, pattern_of_hosts
from .._inventory.variable_files import InventoryFiles
from .._report import arguments as report_arguments
from .._report import files as report_files
from .._report.sarif import sarif_of_inventory

# Left out: credentials may be encrypted, and the certificates may be of another machine.
CREDENTIALS_AND_PATHS = ("api_token", "api_email", "api_key", "ca_path", "notify_url", "notify_key")
VARIABLES_OF_PLAYBOOKS: Arguments = {
    name: argument
    for name, argument in {**EXPORT, **report_arguments.OF_REPORTED_HOST}.items()
    if not name.endswith(CREDENTIALS_AND_PATHS)
}
CHECK: Arguments = {
    "check_sarif": {"type": "path"},
    "check_inventory": {"type": "bool"},
    "check_playbook": {"choices": ["evaluate", "notify"]},
}
EVALUATE: Arguments = {
    "evaluate_request": {"type": "dict"},
    "evaluate_packet": {"type": "dict"},
    "evaluate_every": {"type": "str"},
    "evaluate_traffic": {"choices": [*KINDS_OF_TRAFFIC]},
    "evaluate_expect": {"choices": [*OF_REQUESTS]},
    "evaluate_network_firewall": {"type": "bool"},
}
RECEIVERS = ["webhook", "slack", "teams", "pagerduty", "github"]
NOTIFY: Arguments = {
    "notify_url": {"type": "str", "no_log": True},
    "notify_key": {"type": "str", "no_log": True},
    "notify_kind": {"choices": RECEIVERS},
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
PLAYBOOKS_AND_ROLES: Arguments = {**EXPORT, **report_arguments.OF_REPORTED_HOST, **PLAYBOOKS}
# The environment variables that count where a variable is not set.
ENVIRONMENT_NAMES = {
    f"notify_{name}": f"PROTECTION_NOTIFY_{name.upper()}" for name in ("url", "key", "kind")
}
SAFE_ADDRESS = re.compile(r"https://|http://(127\.0\.0\.1|localhost)(:[0-9]+)?(/|$)")
OF_KIND = {"pagerduty": "its routing key", "github": "a token"}


def _check_evaluate(
    task: HostTask, values: Mapping[str, Any], given_names: Container[str]
) -> Iterator[OptionError]:
    from ...module_utils._protection.request import (  # loads expressions
        parse_every,
        parse_packet,
        parse_request,
    )

    owners, unread = task.read((*INVENTORY.values(), "edge_zone_account_id"))
    yield from unread
    for name in ("edge_account_id", "edge_zone_id"):
        if owners.get(name):
            check = partial(parsed, Option(name), identifier, owners[name])
            yield from role_variables.errors_of(check)
    for name, parse in (("evaluate_request", parse_request), ("evaluate_packet", parse_packet)):
        if values[name] is not None:
            yield from role_variables.errors_of(partial(parse, Option(name), values[name]))
    of_packets = values["evaluate_traffic"] == PACKETS
    if values["evaluate_every"] is not None:
        parse_of_traffic = partial(parse_every, of_packets=of_packets)
        option = Option("evaluate_every")
        yield from role_variables.errors_of(
            partial(parse_of_traffic, option, values["evaluate_every"])
        )
    yield from _wrong_questions(owners, of_packets, given_names)


def _wrong_questions(
    owners: Mapping[str, Any], of_packets: bool, given_names: Container[str]
) -> Iterator[OptionError]:
    """An error if nothing is asked, and for each question that the host cannot answer."""
    questions = {"evaluate_request": False, "evaluate_packet": True, "evaluate_every": of_packets}
    asked = [name for name in questions if name in given_names]
    has_zone = owners.get("edge_zone_id") or owners.get("edge_zone_name")
    if not asked:
        names = ", ".join([*questions][:-1])
        problem = f"Nothing says what to evaluate. Set {names} or evaluate_every"
        yield OptionError(Option(), problem)
    for name in asked:
        if questions[name] and not owners.get("edge_account_id"):
            problem = "it meets the rules of an account; set edge_account_id for this host"
            yield OptionError(Option(name), problem)
        if not questions[name] and not has_zone:
            setting = "set edge_zone_id or edge_zone_name for this host"
            yield OptionError(Option(name), f"it meets the rules of a zone; {setting}")


def _check_notify(
    task: HostTask, values: Mapping[str, Any], given_names: Container[str]
) -> Iterator[OptionError]:
    yield from _check_report_file(task)
    settings: dict[str, Any] = {}  # None if it is wrong
    for name, variable in ENVIRONMENT_NAMES.items():
        is_given = name in given_names
        settings[name] = values[name] if is_given else os.environ.get(variable)
    url, kind = settings["notify_url"], settings["notify_kind"]
    if kind not in (None, "", *RECEIVERS):
        problem = f"'{kind}' is none of {', '.join(RECEIVERS)}"
        yield OptionError(Option(ENVIRONMENT_NAMES["notify_kind"]), problem)
    is_missing = not url and "notify_url" not in given_names and kind != "pagerduty"
    if is_missing or (url and not SAFE_ADDRESS.match(url)):
        problem = f"it begins with https://; set it, or {ENVIRONMENT_NAMES['notify_url']}"
        yield OptionError(Option("notify_url"), problem)
    days = values["notify_again_days"]
    if days is not None and not 0 <= days < math.inf:
        problem = f"{days:g} is no number of days; write 0 or more"
        yield OptionError(Option("notify_again_days"), problem)
    lacks_key = not settings["notify_key"] and "notify_key" not in given_names
    if kind in OF_KIND and lacks_key:
        problem = f"{kind} takes {OF_KIND[kind]}; set it, or {ENVIRONMENT_NAMES['notify_key']}"
        yield OptionError(Option("notify_key"), problem)


def _check_report_file(task: HostTask) -> Iterator[OptionError]:
    """The error of a directory without a report."""
    values, unread = task.read(["report_directory"])
    yield from unread
    directory = str(values.get("report_directory") or "report")
    path = Path(directory, REPORT_FILE)
    if not unread and not path.exists():
        problem = f"{path} does not exist; run the playbook report first"
        yield OptionError(Option("report_directory"), problem)


INVENTORY_ITSELF = "inventory"  # in the place of the name of a host
# The playbooks without an action of their own.
OF_PLAYBOOK = {"evaluate": (EVALUATE, _check_evaluate), "notify": (NOTIFY, _check_notify)}
# A host without a token fails otherwise, and the check needs none.
ANY_TOKEN = {"baseline_api_token": "x" * 40}


class HostFindings(NamedTuple):
    """The mistakes in the variables of a host, and the doubts about what they describe."""

    mistakes: Sequence[OptionError]
    doubts: Sequence[OptionError] = ()

    def reworded(self, reword: Reword) -> HostFindings:
        """The findings with their texts changed by `reword`."""
        return HostFindings(
            [error.reworded(reword) for error in self.mistakes],
            [error.reworded(reword) for error in self.doubts],
        )


class CheckedHosts(NamedTuple):
    """The result of the check of all hosts, and the findings by host."""

    result: dict[str, Any]
    findings: Mapping[str, HostFindings]


class CheckAction(FleetAction):
    """Fails if a variable of a host is wrong."""

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        task = HostTask(self.calls(variables))
        try:
            options = task.options(CHECK, "check_", self.arguments)
            if options["playbook"]:
                self._check_playbook(options["playbook"], variables)
                return {"changed": False}
        except ValueError as exc:
            message = redact(str(exc), task.secrets(PLAYBOOKS_AND_ROLES))
            return {"failed": True, "changed": False, "msg": message}
        checked = self._check_hosts(variables)
        if options["sarif"] and not self._task.check_mode:
            return _with_sarif(options["sarif"], checked)
        return checked.result

    def hosts(self, variables: Mapping[str, Any]) -> list[str]:
        """The hosts of the task, or all those of the inventory, whatever the limit of the run."""
        if not self.arguments.get("inventory"):
            return super().hosts(variables)
        groups = variables["groups"]
        target = self._templar.template(variables.get(TARGET))
        inventory = inventory_of(self._loader, groups)
        return [str(host) for host in inventory.list_hosts(pattern_of_hosts(target, groups))]

    def _check_hosts(self, variables: Mapping[str, Any]) -> CheckedHosts:
        """The result on all hosts, and the findings on them, without their secrets."""
        hosts = self.hosts(variables)
        # The first of two hosts with one account or zone is to hear of the second one as well.
        self._run_on_each(variables, HostTask.shared_owners)
        files = InventoryFiles(
            self._loader, variables.get("ansible_inventory_sources") or (), variables["groups"]
        )
        findings: dict[str, HostFindings] = {}

        def check(task: HostTask) -> dict[str, Any]:
            findings[task.host] = _findings_on_host(task)
            return _result_with(findings[task.host].mistakes)

        def unread(host: str, exc: Exception) -> dict[str, Any]:
            errors = files.errors_of(host) or [OptionError(Option(), str(exc).rstrip("."))]
            findings[host] = HostFindings(errors)
            return _result_with(errors)

        result = self.results(variables, check, unread)
        findings = {host: findings[host] for host in hosts}  # in order
        if self.arguments.get("inventory"):
            findings[INVENTORY_ITSELF] = _findings_on_files(files, findings)
            result = _with_files(result, findings[INVENTORY_ITSELF].mistakes)
        if any(found.mistakes or found.doubts for found in findings.values()):
            secrets = self._run_on_each(variables, lambda task: task.secrets(PLAYBOOKS_AND_ROLES))
            longest_first = sorted({*chain.from_iterable(secrets)}, key=len, reverse=True)
            reword = partial(redact_text, secrets=longest_first)
            findings = {host: found.reworded(reword) for host, found in findings.items()}
            result = redact(result, longest_first)
        return CheckedHosts(self._told(result, findings, len(hosts)), findings)

    def _told(
        self, result: dict[str, Any], findings: Mapping[str, HostFindings], hosts: int
    ) -> dict[str, Any]:
        """The result with a warning for each doubt; without a mistake, it is said how many hosts
        were checked."""
        warnings = _warnings(findings)
        if not result.get("failed"):
            of_warnings = "; see the warnings" if warnings else ""
            checked = f"{plural(hosts, 'host was', 'hosts were')} checked; none has a mistake"
            say(self.display, f"{checked}{of_warnings}.")
        return {**result, "warnings": warnings} if warnings else result

    def _run_on_each(
        self, variables: Mapping[str, Any], work: Callable[[HostTask], list[str]]
    ) -> list[list[str]]:
        """The texts of each host by this work; a host with an exception has none."""
        hosts = self.hosts(variables)
        return [*self.of_each(hosts, variables, work, lambda _host, _exc: [])]

    def _check_playbook(self, name: str, variables: Mapping[str, Any]) -> None:
        """Raises ValueError for wrong variables of a playbook, which has others of its own."""
        arguments, check = OF_PLAYBOOK[name]
        inventory_variables = without(variables, *self._task.get_play().vars)
        task = HostTask(self.calls(inventory_variables))
        task.options(arguments, f"{name}_", check=partial(check, task))


FILE_MODE = 0o600  # that of a report


def _with_sarif(path: str, checked: CheckedHosts) -> dict[str, Any]:
    """The result, whose mistakes are in a file."""
    result = checked.result
    mistakes = {host: found.mistakes for host, found in checked.findings.items()}
    doubts = {host: found.doubts for host, found in checked.findings.items()}
    text = report_files.json_text(sarif_of_inventory(mistakes, doubts))
    try:
        changed = report_files.write_file(Path(path), text, FILE_MODE)
    except OSError as exc:
        problem = f"check_sarif: {path} cannot be written: {exc.strerror}."
        message = " ".join(filter(None, [result.get("msg"), problem]))
        return {**result, "failed": True, "msg": message}
    return {**result, "changed": changed}


def _result_with(mistakes: Sequence[OptionError]) -> dict[str, Any]:
    """The result of a host with these mistakes."""
    if not mistakes:
        return {"changed": False}
    problems = role_variables.sentences(mistakes)
    message = first_sentences(problems, MAX_ERRORS)
    return {"failed": True, "changed": False, "msg": message, "problems": problems}


def _findings_on_files(files: InventoryFiles, findings: Mapping[str, HostFindings]) -> HostFindings:
    """The findings on the files of an inventory, without the errors that hosts have already."""
    told = {error.message for found in findings.values() for error in found.mistakes}
    errors = [error for error in files.errors() if error.message not in told]
    return HostFindings(errors, files.doubts())


def _with_files(result: dict[str, Any], errors: Sequence[OptionError]) -> dict[str, Any]:
    """The result of all hosts, with errors of files that no host has."""
    if not errors:
        return result
    problems = role_variables.sentences(errors)
    message = first_sentences([result.get("msg", ""), *problems], MAX_ERRORS)
    return {**result, "failed": True, "msg": message.strip(), "problems": problems}


def _warnings(findings: Mapping[str, HostFindings]) -> list[str]:
    """A warning for each doubt; hosts with the same doubt share it."""
    hosts: dict[str, list[str]] = {}
    for host, found in findings.items():
        for text in role_variables.sentences(found.doubts):
            hosts.setdefault(text, []).append(host)
    return [HostsText(text, names).line for text, names in hosts.items()]


def _findings_on_host(task: HostTask) -> HostFindings:
    """The findings on a host."""
    mistakes = _mistakes(task)
    alone = task.alone(VARIABLES_OF_PLAYBOOKS, ANY_TOKEN)
    problems = [problem.error for problem in alone.problems]
    return HostFindings(role_variables.each_once([*mistakes, *problems]), alone.doubts)


def _wrong_credentials(task: HostTask) -> list[OptionError]:
    """The errors of credentials that stand in the inventory as plain texts; an encrypted one needs
    its password, and a template may need the environment of a run."""
    checks = []
    for prefix, name in product((PREFIX, "edge_"), CREDENTIALS):
        variable = f"{prefix}{name}"
        value = task.variables.get(variable)
        if isinstance(value, str) and value and role_variables.is_data(value):
            text = str(role_variables.plain(value))
            checks.append(partial(check_credential, Option(variable), name, text))
    return role_variables.errors_of(*checks)


def _mistakes(task: HostTask) -> list[OptionError]:
    """The mistakes in the variables of a host."""
    names = (*report_arguments.REPORT_VARIABLES, *EXPORT, *PLAYBOOKS)
    misspelt = role_variables.misspelt_errors(task.variables, names)
    readable = [name for name in PLAYBOOKS if not name.endswith(CREDENTIALS_AND_PATHS)]
    variables, unread = task.read(readable)
    values = {name: value for name, value in variables.items() if value != ""}
    wrong = role_variables.wrong_variables(PLAYBOOKS, values)
    errors = [
        *role_variables.errors_of(task.require_control_node),
        *wrong_names(task.variables),
        *_wrong_credentials(task),
        *misspelt,
        *role_variables.with_unread(unread, wrong),
    ]
    errors_on_owners = [OptionError(Option(), text.rstrip(".")) for text in task.shared_owners()]
    return role_variables.each_once(
        [
            *role_variables.readable_errors(errors, {}, {}, task.variables),
            *errors_on_owners,
            *task.mistakes(VARIABLES_OF_PLAYBOOKS, ANY_TOKEN, report_arguments.check_report),
        ]
    )
