#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: check_variables
short_description: Internal, check the variables of a role
version_added: 0.2.0
description:
  - The first task of the role C(edgeops.protection.migrate_firewall_rules). It fails if a variable
    of the host is of another type than the role declares, or none of its choices.
  - The playbooks import the roles so that Ansible does not check the variables itself. The other
    roles check them in the task that reads them.
  - It makes no calls.
author:
  - The edgeops.protection authors (@edgeops)
options:
  role:
    description: The role of this collection whose variables are checked.
    type: str
    required: true
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
- name: Check the variables
  edgeops.protection.check_variables:
    role: migrate_firewall_rules
"""

RETURN = r"""
"""
