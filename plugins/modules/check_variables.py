#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: check_variables
short_description: (internal) Variables of hosts, checked
version_added: 1.0.0
description:
  - The task of the playbook C(edgeops.protection.check_inventory). It fails if a variable is
    wrong, also of another host of the play if the task runs once.
  - It checks what the roles C(baseline), C(report) and C(export) read of a host, as far as it can be
    told without credentials and without a request. That includes misspelt names, networks,
    expressions, objects that are described twice, expectations and accepted risks.
  - The playbooks import the roles so that Ansible does not check the variables itself. The other
    roles check them in the task that reads them.
  - It makes no calls.
options:
  playbook:
    description: Checks the variables of this playbook instead, which has no action of its own.
    type: str
    choices: [evaluate, notify]
  inventory:
    description:
      - Checks all hosts of the inventory that the playbooks of this collection are for, whatever
        C(--limit) says, and its files.
    type: bool
    default: false
  sarif:
    description:
      - The file for the mistakes in SARIF 2.1.0, which code hosts show on the lines of the variables. None
        is written by default, and none in check mode.
    type: path
author:
  - The edgeops.protection authors (@edgeops)
attributes:
  action:
    description: An action plugin runs it on the control node.
    support: full
  check_mode:
    description: Supports check mode, in which it does the same.
    support: full
seealso:
  - module: edgeops.protection.host_baseline
"""

EXAMPLES = r"""
- name: Check the variables of all hosts
  edgeops.protection.check_variables:
  run_once: true
"""

RETURN = r"""
problems:
  description: A sentence for each thing that is wrong.
  returned: when something is wrong, for a single host
  type: list
  elements: str
hosts:
  description: The C(problems) and C(msg) of each host with something wrong.
  returned: for several hosts
  type: dict
"""
