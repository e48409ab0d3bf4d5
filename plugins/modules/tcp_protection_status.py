#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: tcp_protection_status
short_description: Turn Advanced TCP Protection of an account on or off
version_added: 0.1.0
description:
  - Turns the Advanced TCP Protection of a Cloudflare account on or off.
  - Create at least one SYN flood rule and one out-of-state TCP rule before you turn it on. A
    component without a rule protects nothing.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.status
notes:
  - The module needs the permission C(DDoS Protection Write) of the account. Check mode needs C(DDoS
    Protection Read). Only API tokens have it.
options:
  enabled:
    description: Whether the protection is on.
    type: bool
    required: true
seealso:
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.protection_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
- name: Turn the protection on
  edgeops.protection.tcp_protection_status:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    api_token: "{{ edge_api_token }}"
    enabled: true

# The other examples of this collection omit the account and the credentials. A play sets them once:
#
# - name: Protect the accounts
#   hosts: accounts
#   gather_facts: false
#   module_defaults:
#     group/edgeops.protection.account:
#       account_id: "{{ edge_account_id }}"
#       api_token: "{{ edge_api_token }}"
#   tasks:
#     ...

# Check mode makes no change. Turning the protection off is a risk, which the task must accept.
- name: Show what turning the protection off would change
  edgeops.protection.tcp_protection_status:
    enabled: false
    accept_risks: [disables_protection]
  check_mode: true
  diff: true
"""

# `make docs-update` writes this block.
RETURN = r"""
tcp_protection_status:
  description: The status afterwards.
  returned: success
  type: dict
  contains:
    enabled:
      description: Whether the protection is on.
      type: bool
      sample: false
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["tcp_protection_status"])


if __name__ == "__main__":
    main()
