#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_baseline
short_description: Internal, update an account and its zone to match the variables of the role baseline
version_added: 1.0.0
description:
  - The action of the role C(edgeops.protection.baseline). It reads the C(baseline_*) variables of
    the host, and those C(edge_*) variables of the inventory that count where the role's are not
    set. C(ansible-doc -t role edgeops.protection.baseline) describes them.
  - It runs M(edgeops.protection.account_protection) where the host is an account,
    M(edgeops.protection.firewall_rules) where the host has firewall rules, and
    M(edgeops.protection.custom_rules) where the host has custom rules. After a failure it runs no
    further module.
  - With C(baseline_snapshot_directory) it predicts the changes of all modules first, and writes the
    state before them, unless there are none.
  - It prints a line or two for each host, which say how well the account is protected and which
    steps are left.
  - It warns of variables that begin with C(baseline_) and that the role does not have.
options:
  attack:
    description: Takes or ends a posture of the host, by the variables of the playbook C(edgeops.protection.attack).
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
  - It takes no options. Neither C(module_defaults) nor the environment replace variables of the
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
  register: baseline_result
"""

RETURN = r"""
operations:
  description: The operations of all modules, in the order in which the modules ran.
  returned: success
  type: list
  elements: dict
diff:
  description: The difference of each module that changes something.
  returned: success
  type: list
  elements: dict
plan_id:
  description: The plan of the host, SHA-256 over those of its modules. It is empty where there is nothing to do.
  returned: success, or when the plan is not the approved one
  type: str
plans:
  description: The RV(plan_id) of each module that has something to do.
  returned: success, or when the plan is not the approved one
  type: dict
  sample:
    custom_rules: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
snapshot:
  description: The path of the file with the state before.
  returned: when a snapshot was written
  type: str
deleted_snapshots:
  description: The paths of older snapshots of the host that C(baseline_snapshot_keep) let the role delete.
  returned: when there were some
  type: list
  elements: str
posture:
  description:
    - The posture of the host, by C(baseline_posture), with C(name), C(until), C(reason) and C(since).
    - The name is null where C(baseline_posture) has the values themselves.
  returned: when the host has one, even if it has ended
  type: dict
account_protection:
  description:
    - The result of M(edgeops.protection.account_protection), also after it failed.
    - If the module changes nothing, the existing objects are left out, and the coverage is its summary, unless the
      run is verbose (C(-v)).
    - If a module after it failed, this is C(changed), C(operations), C(risks) and the summary of the coverage, or with
      C(-v) all of it.
  returned: when the module ran
  type: dict
firewall_rules:
  description: The result of M(edgeops.protection.firewall_rules) in the same way.
  returned: when the module ran
  type: dict
custom_rules:
  description: The result of M(edgeops.protection.custom_rules) in the same way.
  returned: when the module ran
  type: dict
failed_module:
  description: The module that failed.
  returned: when a module failed
  type: str
  sample: custom_rules
"""
