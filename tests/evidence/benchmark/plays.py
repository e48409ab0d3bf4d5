# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plays, as data: tasks for one account, in each of the ways that are measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ACCOUNT,
    ALLOWLIST,
    PREFIXES,
    STATUS,
)

from . import accounts

Task = dict[str, Any]
Tasks = Callable[[str], list[Task]]  # for the account with this id, which may be a template
URL = "{{ base_url }}/"
PATHS = {resource.plural: resource.path for resource in ACCOUNT}
ROLE = "edgeops.protection.baseline"
PAGE = 1000
BULK = 300
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
        return [{"name": "Run", "ansible.builtin.import_role": {"name": ROLE}, "vars": {**inventory, **described}}]

    return tasks


def protected_prefixes() -> Tasks:
    return module("protected_prefixes", prefixes="{{ desired }}")


def allowlist() -> Tasks:
    """Without the limit to the number of entries, which is there to be noticed."""
    return module("allowlist", entries="{{ desired }}", max_allowlist_entries=10**6)


def sdk(*parts: str) -> Tasks:
    """A task with a module on the vendor's SDK that reads these parts of the account."""
    connection = {"base_url": "{{ base_url }}", "api_token": "{{ token }}"}
    return lambda account: [{"name": "Read", "sdk_list": {**connection, "account_id": account, "parts": list(parts)}}]


def uri(account: str, part: str, suffix: str = "", method: str = "GET", **more: Any) -> Task:
    """One call with ansible.builtin.uri; what is given besides belongs to the task, except the body."""
    body = {"body": more.pop("body"), "body_format": "json"} if "body" in more else {}
    return {
        "name": f"{method} {part}",
        "ansible.builtin.uri": {
            "url": URL + PATHS[part].format(account_id=account) + suffix,
            "method": method,
            "headers": {"Authorization": "Bearer {{ token }}"},
            **body,
        },
        **more,
    }


def uri_get(account: str) -> list[Task]:
    return [uri(account, STATUS.plural)]


def uri_read_all(account: str) -> list[Task]:
    """Each part of an account with one call."""
    return [uri(account, part, "" if part == STATUS.plural else f"?per_page={PAGE}") for part in PATHS]


def uri_pages(pages: int) -> Tasks:
    """A loop that reads so many pages of the prefixes."""
    query = f"?per_page={PAGE}&page={{{{ item }}}}"
    return lambda account: [uri(account, PREFIXES.plural, query, loop=list(range(1, pages + 1)))]


def uri_posts(account: str, part: str, body: Any, items: Any, suffix: str = "") -> Task:
    """A loop that sends one call for each item."""
    return uri(account, part, suffix, "POST", body=body, loop=items)


def uri_prefix_loop(account: str) -> list[Task]:
    """One new prefix with each call."""
    return [uri_posts(account, PREFIXES.plural, ["{{ item }}"], "{{ desired }}", "/bulk")]


def uri_allowlist_loop(account: str) -> list[Task]:
    """One new entry with each call."""
    return [uri_posts(account, ALLOWLIST.plural, "{{ item }}", "{{ desired }}")]


def uri_read_filter_bulk(account: str, desired: str = "desired") -> list[Task]:
    """What is missing in the first page, sent in as few calls as the service takes."""
    there = "existing.json.result | map(attribute='prefix') | list"
    missing = f"{{{{ {desired} | rejectattr('prefix', 'in', {there}) | batch({BULK}) }}}}"
    return [
        uri(account, PREFIXES.plural, f"?per_page={PAGE}", register="existing"),
        uri_posts(account, PREFIXES.plural, "{{ item }}", missing, "/bulk"),
    ]


def uri_from_empty(account: str) -> list[Task]:
    """A whole account; of what is there, only the prefixes are looked at."""
    desired = accounts.in_order()
    return [
        *uri_read_filter_bulk(account, json.dumps(desired["prefixes"])),
        *(
            uri_posts(account, f"{kind}_{name}", "{{ item }}", desired[kind][name])
            for kind in accounts.KINDS
            for name in ("rules", "filters")
        ),
        uri_posts(account, ALLOWLIST.plural, "{{ item }}", desired["allowlist"]),
        uri(account, STATUS.plural, method="PATCH", body={"enabled": True}),
    ]


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
