# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plays, as data: tasks for one account, in each of the ways that are measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource

from . import accounts

Task = dict[str, Any]
Tasks = Callable[[str], list[Task]]  # for the account with this id, which may be a template
ROLE = "edgeops.protection.baseline"
ENOUGH = 30000  # calls in five minutes, which no run here makes


def empty(account: str) -> list[Task]:
    return []


def noop(account: str) -> list[Task]:
    return [{"name": "Do nothing", "noop": {}}]


def noop_with_list(account: str) -> list[Task]:
    return [{"name": "Do nothing", "noop": {"prefixes": "{{ desired }}"}}]


def module(name: str, **options: Any) -> Tasks:
    """A task with a module of the collection."""
    connection = {"base_url": "{{ base_url }}", "api_token": "{{ token }}", "call_budget": ENOUGH}
    return lambda account: [
        {"name": "Update to match", f"edgeops.protection.{name}": {**connection, "account_id": account, **options}}
    ]


def status_in_order() -> Tasks:
    return module("tcp_protection_status", enabled=True)


def account_protection(**more: Any) -> Tasks:
    return module("account_protection", **accounts.desired(), **more)


def role_baseline(**more: Any) -> Tasks:
    """The role with a whole account in variables, as an inventory has them."""
    options = {**accounts.desired(), "call_budget": ENOUGH, **more}
    described = {f"baseline_{option}": value for option, value in options.items()}

    def tasks(account: str) -> list[Task]:
        inventory = {"edge_account_id": account, "edge_api_token": "{{ token }}", "edge_base_url": "{{ base_url }}"}
        role = {"name": ROLE, "rolespec_validate": False}  # as the playbooks import it
        return [{"name": "Run", "ansible.builtin.import_role": role, "vars": {**inventory, **described}}]

    return tasks


def protected_prefixes() -> Tasks:
    return module("protected_prefixes", prefixes="{{ desired }}")


def allowlist() -> Tasks:
    """Without the limit to the number of entries, which is there to be noticed."""
    return module("allowlist", entries="{{ desired }}", limits={"max_allowlist_entries": 10**6})


def uri(account: str, resource: Resource, method: str = "GET", suffix: str = "", **body: Any) -> dict[str, Any]:
    """One call with ansible.builtin.uri."""
    return {
        "name": f"{method} {resource.plural}",
        "ansible.builtin.uri": {
            "url": "{{ base_url }}/" + resource.path.format(account_id=account) + suffix,
            "method": method,
            "headers": {"Authorization": "Bearer {{ token }}"},
            **body,
        },
    }


def uri_prefix_loop(account: str) -> list[Task]:
    """One new prefix with each call."""
    return [
        {**uri(account, PREFIXES, "POST", "/bulk", body=["{{ item }}"], body_format="json"), "loop": "{{ desired }}"}
    ]


def uri_get(account: str) -> list[Task]:
    return [uri(account, STATUS)]


def inventory(hosts: list[str], base_url: str, token: str) -> dict[str, Any]:
    """A host for each account, run on this machine with the Python that runs Ansible."""
    return {
        "all": {
            "hosts": {f"account{number}": {"account": account} for number, account in enumerate(hosts)},
            "vars": {
                "ansible_connection": "local",
                "ansible_python_interpreter": "{{ ansible_playbook_python }}",
                "base_url": base_url,
                "token": token,
            },
        }
    }


def play(tasks: list[Task], variables: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": "Measure", "hosts": "all", "gather_facts": False, "vars": variables, "tasks": tasks}]
