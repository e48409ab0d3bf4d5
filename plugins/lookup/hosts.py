# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: hosts
short_description: The hosts of a playbook, or a failure if there are none
version_added: 1.0.0
author:
  - The edgeops.protection authors (@edgeops)
description:
  - Returns the pattern of hosts that a playbook of this collection is for, which is the variable
    C(target), or else the groups C(accounts) and C(zones), as far as the inventory has them.
  - Fails if no host matches the pattern, within C(--limit). Ansible itself skips such a play and
    ends with success, so that nobody learns that a nightly job has no hosts anymore.
  - A check of the syntax needs no inventory, so there it never fails.
options: {}
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

from typing import Any, Mapping

from ansible import context
from ansible.errors import AnsibleError
from ansible.inventory.manager import InventoryManager
from ansible.plugins.lookup import LookupBase

GROUPS = ("accounts", "zones")  # of the inventory plugin, and of the docs


class LookupModule(LookupBase):  # type: ignore[misc]
    """Finds the hosts of a play before it starts."""

    def run(
        self, terms: Any, variables: Mapping[str, Any] | None = None, **_options: Any
    ) -> list[str]:
        """The pattern; raises AnsibleError if it has no host."""
        known = variables or {}
        groups: Mapping[str, Any] = known.get("groups") or {}
        target = known.get("target")
        if target is not None:
            target = self._templar.template(target)
        present = [name for name in GROUPS if name in groups]
        pattern = pattern_of(target) or ":".join(present or GROUPS)
        limit = known.get("ansible_limit")
        if not context.CLIARGS.get("syntax") and not self._has_host(pattern, limit, groups):
            raise AnsibleError(no_host(pattern, limit, bool(target), len(groups.get("all") or ())))
        return [pattern]

    def _has_host(self, pattern: str, limit: str | None, groups: Mapping[str, Any]) -> bool:
        inventory = InventoryManager(self._loader, parse=False)
        for group, hosts in groups.items():
            inventory.add_group(group)
            for host in hosts:
                inventory.add_host(host, group=group)
        if limit:
            inventory.subset(limit)
        return bool(inventory.list_hosts(pattern))


def pattern_of(target: Any) -> str:
    """The variable target, a pattern or a list of patterns, as a pattern."""
    return ":".join(map(str, target)) if isinstance(target, list) else str(target or "")


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
