# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hosts of the inventory that have the account of a zone, and the objects of it that they
describe: no baseline of the zone names them, and that of its account does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ansible.errors import AnsibleError

from ...module_utils._concurrency import SharedByTasks
from ...module_utils._context import LACKING, OWNING_ACCOUNT
from ...module_utils._protection.rules_in_force import title_in_ruleset
from ...module_utils._schema.custom_rules import CUSTOM_RULES_OF_ACCOUNT
from ...module_utils._schema.custom_rulesets import WHOLE_RULESETS
from ...module_utils._schema.lists import LISTS
from ...module_utils._schema.resource import ACCOUNT_OPTION, fields_in
from .host_variables import TEMPLATING
from .variables import VARIABLE_OF

Variables = Mapping[str, Any]
UNMANAGED = "unmanaged"  # in a result
OF_LISTS = VARIABLE_OF[LISTS.plural]
OF_RULESETS = VARIABLE_OF[WHOLE_RULESETS[ACCOUNT_OPTION].plural]


def hosts_of_account(account_id: str, variables: Variables) -> Iterator[tuple[str, Variables]]:
    """The hosts of the inventory that have this account, or any if it is not known (empty), with
    their variables; hosts whose variables cannot be read are left out."""
    all_hosts: Mapping[str, Variables] = variables.get("hostvars") or {}
    for host in all_hosts:
        with suppress(AnsibleError):
            of_host = all_hosts[host]
            identity = of_host.get("baseline_account_id") or of_host.get("edge_account_id")
            if identity and account_id.lower() in ("", str(identity).lower()):
                yield host, of_host


def hosts_outside(account_id: str, variables: Variables) -> list[str]:
    """The hosts outside of the run that have this account, or any if it is not known."""
    hosts_of_play = variables.get("ansible_play_hosts_all", ())
    having = [host for host, _variables in hosts_of_account(account_id, variables)]
    return [host for host in having if host not in hosts_of_play]


def naming_makers(result: dict[str, Any], account_id: str, variables: Variables) -> dict[str, Any]:
    """The result of a zone; if its rules name lists that its account lacks, and a host outside of
    the run describes them, the message names this host."""
    sentences: list[str] = []
    for lacking in result.get(LACKING) or ():
        host = _maker_of(lacking["key"], account_id, variables)
        if host and host not in variables.get("ansible_play_hosts_all", ()):
            sentences.append(
                f"The host {host} describes the list {lacking['key']}, and is not in this run: let"
                " --limit name it as well, or run it first."
            )
    return {**result, "msg": " ".join([result["msg"], *sentences])} if sentences else result


def _maker_of(name: str, account_id: str, variables: Variables) -> str:
    """The host of the inventory that describes a list of an account, which may be unknown; empty if
    there is none."""
    for host, of_host in hosts_of_account(account_id, variables):
        if name in _names_in(of_host, OF_LISTS):
            return host
    return ""


def without_described(result: dict[str, Any], variables: Variables) -> dict[str, Any]:
    """The result of a zone, without those unmanaged objects of its account that another host of the
    inventory describes."""
    account_id = result.pop(OWNING_ACCOUNT, "")
    if not account_id:
        return result
    described = _described_once(account_id, variables)
    unmanaged = [
        record
        for record in result[UNMANAGED]
        if record["key"] not in described.get(record["resource"], ())
    ]
    return {**result, UNMANAGED: unmanaged}


DescribedKeys = Mapping[str, Sequence[str]]  # the keys of objects, by the name of the resource


def _described_once(account_id: str, variables: Variables) -> DescribedKeys:
    """The objects of an account that hosts describe; all tasks of this process look once."""

    def find() -> DescribedKeys:
        with TEMPLATING:
            return _described_in(account_id, variables)

    shared = SharedByTasks.current() or SharedByTasks()
    return shared.made_once(("described", account_id), find)


def _described_in(account_id: str, variables: Variables) -> DescribedKeys:
    lists: list[str] = []
    rules: list[str] = []
    for _host, of_host in hosts_of_account(account_id, variables):
        lists += _names_in(of_host, OF_LISTS)
        for ruleset in _entries_in(of_host, OF_RULESETS):
            rules += _rules_of(ruleset)
    return {LISTS.name: lists, CUSTOM_RULES_OF_ACCOUNT.name: rules}


def _rules_of(ruleset: Mapping[str, Any]) -> Iterator[str]:
    """The keys that results have for the rules of a ruleset, and for the one that deploys it."""
    yield str(fields_in(ruleset.get("deploy")).get("ref"))
    for rule in ruleset.get("rules") or ():
        yield title_in_ruleset(str(fields_in(rule).get("ref")), str(ruleset.get("name")))


def _names_in(of_host: Variables, variable: str) -> list[str]:
    return [str(entry.get("name")) for entry in _entries_in(of_host, variable)]


def _entries_in(of_host: Variables, variable: str) -> list[Mapping[str, Any]]:
    """The entries of a variable of a host; none if it cannot be read, or is no list."""
    try:
        entries = of_host.get(variable)
    except AnsibleError:
        return []
    return [*map(fields_in, entries)] if isinstance(entries, list) else []
