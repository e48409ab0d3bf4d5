#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_baseline
short_description: (internal) Baseline of an account and its zone, applied
version_added: 1.0.0
description:
  - The action of the role C(edgeops.protection.baseline). It reads the C(baseline_*) variables of
    the host, and those C(edge_*) variables of the inventory that count where the role's are not
    set. C(ansible-doc -t role edgeops.protection.baseline) describes them.
  - All that they describe, of the account and of the zone, is read together, and becomes one plan.
  - With C(baseline_snapshot_directory) it predicts the changes first, and writes the state before
    them, unless there are none.
  - It prints a line or two for each host, which say how well the account is protected and which
    steps are left.
  - It warns of variables that begin with C(baseline_) and that the role does not have.
extends_documentation_fragment:
  - edgeops.protection._connection
  - edgeops.protection._plan
options:
  account_id:
    description: The action fills it from the variables, as all options.
    type: str
  zone_id:
    description: Likewise.
    type: str
  zone_name:
    description: Likewise.
    type: str
  described:
    description: What the variables describe, by their names without C(baseline_).
    type: dict
    default: {}
  attack:
    description: Takes postures of the host, or ends them, by the variables of the playbook C(edgeops.protection.attack).
    type: bool
    default: false
  fleet:
    description:
      - Predicts all hosts of the play in one task, and names those that need a task of their own. The playbook
        C(edgeops.protection.baseline) sets it.
    type: bool
    default: false
author:
  - The edgeops.protection authors (@edgeops)
attributes:
  action:
    description: An action plugin runs it on the control node.
    support: full
  async:
    description: Supports C(async).
    support: none
  check_mode:
    description: Supports check mode, which returns the same changes as the run that follows and
      makes none of them.
    support: full
  diff_mode:
    description: Returns the difference between the objects before and after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing, unless somebody else made a
      change in between.
    support: full
notes:
  - Its action fills all options but O(attack) and O(fleet). Neither C(module_defaults) nor the environment replace variables of the
    role; credentials come from variables only.
  - It checks the variables first, as the playbooks tell Ansible not to.
  - Playbooks use the role, which registers the result as C(baseline_result).
seealso:
  - module: edgeops.protection.host_restore
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.firewall_rules
  - module: edgeops.protection.custom_rules
"""

EXAMPLES = r"""
- name: Update the account and the zone of the host to match its variables
  edgeops.protection.host_baseline:
  become: false
  register: baseline_result
"""

RETURN = r"""
operations:
  description: The operations of the plan, in the order in which they are applied.
  returned: success
  type: list
  elements: dict
diff:
  description: The objects that change, before and after, by collection.
  returned: success
  type: dict
plan_id:
  description: The plan of the host, as V(baseline_expected_plan) takes it. It is empty if there is nothing to do.
  returned: success, or when the plan is not the approved one
  type: str
snapshot:
  description: The path of the file with the state before.
  returned: when a snapshot was written
  type: str
deleted_snapshots:
  description: The paths of older snapshots of the host that C(baseline_snapshot_keep) let the role delete.
  returned: when there were some
  type: list
  elements: str
watch:
  description:
    - The watch of the change, with the terms of C(baseline_watch), and C(since), C(covered_until), C(known), C(unknown),
      C(requests), C(stopped), C(rules), C(set_back), C(confirmed) and C(staying).
    - C(covered_until) is the moment up to which the analytics are complete. Each of C(rules) has C(resource), C(key),
      C(stopped), C(percent), C(examples) of stopped requests, and C(all_rules) if all rules of the zone count for it.
      C(staying) has a sentence for each object that the way back left alone, since others had changed it.
    - In check mode, it has the terms alone.
  returned: when a change is watched, or was
  type: dict
postures:
  description:
    - The postures of the host that hold, each with C(name), C(until), C(reason) and C(since).
    - The name is null where an entry has the values themselves.
  returned: when the host has one
  type: list
  elements: dict
postures_file:
  description: The path of the file of postures.
  returned: by the playbook C(edgeops.protection.attack)
  type: str
risks:
  description: The risks of the plan, accepted or not, as M(edgeops.protection.account_protection) returns them.
  returned: when there are some
  type: list
  elements: dict
pending:
  description: The rules and filters that are to be enabled later.
  returned: when there are some
  type: list
  elements: dict
coverage:
  description: How well the account is protected before and after; if nothing changes, its summary.
  returned: when the host is an account
  type: dict
unmanaged:
  description: The objects that no variable names, and whether they take protection away.
  returned: success
  type: list
  elements: dict
protection:
  description: The account afterwards. Each further variable has its objects under its own name.
  returned: when something changes, or with C(-v)
  type: dict
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_host_module


def main() -> None:
    run_host_module()


if __name__ == "__main__":
    main()
