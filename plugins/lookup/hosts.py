# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: hosts
short_description: (internal) Find the hosts of a playbook, or fail
version_added: 1.0.0
author:
  - The edgeops.protection authors (@edgeops)
description:
  - Returns the pattern of hosts that a playbook of this collection is for, which is the variable
    C(target), or else the groups C(accounts) and C(zones), as far as the inventory has them.
  - Fails if no host matches the pattern, within C(--limit). Ansible itself skips such a play and
    ends with success, so that nobody learns that a nightly job has no hosts anymore.
  - A check of the syntax needs no inventory, so there it never fails.
  - A play of C(edgeops.protection.baseline) and C(edgeops.protection.restore) is for some of these
    hosts. There may be none, and Ansible skips the play.
options:
  _terms:
    description:
      - V(several) returns the pattern, or nothing if only one host matches it.
      - V(readable) returns a single host whose variables Ansible can read, for a task that is about
        all hosts. It fails with the errors of the files if there is no such host.
      - V(remaining) returns the hosts that need a task of their own, as the play before says, or
        the pattern if there was no such play.
      - V(first) and V(last) return the accounts that have a turn before or after the zones which
        refer to their lists, as the play before says, or nothing; V(room) returns the zones before
        these accounts, which make room in them for new lists.
      - A second term is the variable that the play before has registered.
      - Nothing returns the pattern.
    choices: [several, readable, remaining, room, first, last]
notes:
  - A play uses it as the value of C(hosts).
"""

EXAMPLES = r"""
- name: Apply the baselines of accounts and their zones
  hosts: "{{ lookup('edgeops.protection.hosts') }}"
  gather_facts: false
  roles:
    - role: edgeops.protection.baseline
"""

RETURN = r"""
_raw:
  description: The pattern, as one element.
  type: list
  elements: str
"""

from ..plugin_utils import _bytecode  # noqa: F401  # isort: skip  # pylint: disable=unused-import

from typing import Any, Mapping, Sequence

from ansible import context
from ansible.errors import AnsibleError
from ansible.inventory.manager import InventoryManager
from ansible.plugins.lookup import LookupBase

from ..module_utils._errors import numbered_errors
from ..plugin_utils._inventory.pattern import inventory_of, pattern_of_hosts
from ..plugin_utils._inventory.variable_files import InventoryFiles
from ..plugin_utils._variables import FLEET

SEVERAL = "several"
READABLE = "readable"
REMAINING = "remaining"
ROOM = "room"
TURNS = (ROOM, "first", "last")


class LookupModule(LookupBase):  # type: ignore[misc]
    """Finds the hosts of a play before it starts."""

    def run(
        self, terms: Any, variables: Mapping[str, Any] | None = None, **_options: Any
    ) -> list[str | list[str]]:
        """The pattern, or hosts; raises AnsibleError if it has no host."""
        play_variables = variables or {}
        groups: Mapping[str, Any] = play_variables.get("groups") or {}
        target = play_variables.get("target")
        if target is not None:
            target = self._templar.template(target)
        pattern = pattern_of_hosts(target, groups)
        if context.CLIARGS.get("syntax"):
            return [pattern]
        limit = play_variables.get("ansible_limit")
        inventory = inventory_of(self._loader, groups)
        if limit:
            inventory.subset(limit)
        hosts = [str(host) for host in inventory.list_hosts(pattern)]
        if not hosts:
            count = len(groups.get("all") or ())
            raise AnsibleError(no_host(pattern, limit, bool(target), count))
        if terms == [SEVERAL]:
            return [pattern if len(hosts) > 1 else []]
        if terms == [READABLE]:
            sources = play_variables.get("ansible_inventory_sources") or ()
            return [_readable(InventoryFiles(self._loader, sources, groups), hosts)]
        if not terms:
            return [pattern]
        kind, registered = [*terms, FLEET][:2]
        fleet = _fleet(registered, hosts, play_variables.get("hostvars") or {})
        if kind in TURNS:
            return [_in_turn(kind, hosts, fleet)]
        return [_remaining(inventory, pattern, hosts, fleet) if len(hosts) > 1 else pattern]


def _in_turn(turn: str, hosts: Sequence[str], fleet: Mapping[str, Any]) -> list[str]:
    """The hosts that have a turn of their own in this run, by what the play before has registered:
    zones before their accounts, or else accounts; none in check mode, which has predicted them."""
    order: Mapping[str, Any] = fleet.get("order") or {}
    if context.CLIARGS.get("check"):
        return []
    if turn == ROOM:
        return [host for host in hosts if any(host in turns[ROOM] for turns in order.values())]
    return [host for host in hosts if host in order and order[host][turn]]


def _readable(files: InventoryFiles, hosts: Sequence[str]) -> str:
    """The first host whose variables Ansible can read; raises AnsibleError if there is none."""
    for host in hosts:
        if not files.errors_of(host):
            return host
    messages = [error.message for error in files.errors()]
    raise AnsibleError(f"No host has variables that can be read. {numbered_errors(messages)}")


def _remaining(
    inventory: InventoryManager, pattern: str, hosts: Sequence[str], fleet: Mapping[str, Any]
) -> str | list[str]:
    """The hosts that need a task of their own, by what the play before has registered."""
    names = [str(name) for name in fleet.get(REMAINING, hosts)]
    found = {str(host) for host in inventory.list_hosts(names)}
    are_patterns = found == set(names)  # each of its own host
    return names if are_patterns or not names else pattern


def _fleet(name: str, hosts: Sequence[str], host_variables: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result of a fleet that a host has registered by this name; empty if none has."""
    for host in hosts:
        if host in host_variables:
            fleet: Mapping[str, Any] | None = host_variables[host].get(name)
            if fleet:
                return fleet
    return {}


def no_host(pattern: str, limit: str | None, is_target: bool, number: int) -> str:
    """Return why there is no host, and what to do."""
    if number == 0:
        remedy = "The inventory has no hosts; name it with -i."
    elif limit:
        remedy = f"The inventory has {number}; check --limit ({limit}) and the groups of its hosts."
    elif is_target:
        remedy = f"The inventory has {number}; check the variable target."
    else:
        remedy = (
            f"The inventory has {number}; put accounts and zones into these groups, or name"
            " another group with -e target=GROUP."
        )
    return f"No host matches {pattern}. {remedy}"
