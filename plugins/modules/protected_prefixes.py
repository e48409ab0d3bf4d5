#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: protected_prefixes
short_description: Manage protected prefixes of an account, the whole list
version_added: 0.1.0
description:
  - Adds, updates and removes the protected prefixes of a Cloudflare account. With O(purge=true),
    the module also deletes the prefixes that the task does not name.
  - The module reads the list once. It creates up to 300 prefixes with one call, and updates and
    deletes them one by one.
  - Advanced DNS Protection uses the same list. A prefix that you remove here is removed there too.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.prefixes
notes:
  - The module needs the permission C(DDoS Protection Write) of the account. Check mode needs C(DDoS
    Protection Read). Only API tokens have it.
options:
  prefixes:
    description:
      - The prefixes. Each may occur once.
    type: list
    elements: dict
    required: true
    suboptions:
      prefix:
        description:
          - The network in CIDR notation, or a single address.
          - The module drops host bits.
          - It identifies the entry.
        type: str
        required: true
      comment:
        description:
          - A free text. An empty text clears it.
        type: str
      excluded:
        description:
          - Whether this network is excluded from protection, for example a part of a protected
            prefix.
          - A new entry gets V(false) by default.
        type: bool
      expires:
        description:
          - From when on the entry counts as absent, as a date, which ends in UTC, or a timestamp
            with an offset.
        version_added: 1.0.0
        type: str
  state:
    description:
      - With V(present), the module creates or updates what the task names.
      - With V(absent), the module deletes what the task names, and ignores all other values.
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether the module deletes the entries that O(prefixes) does not name.
      - It requires O(state=present). With an empty O(prefixes) it requires V(empties_list) in
        O(accept_risks).
    type: bool
    default: false
seealso:
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.protection_info
  - module: edgeops.protection.allowlist
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
# Add these prefixes, or update them to match. Other prefixes of the account stay.
- name: Protect two networks, except for a part of one
  edgeops.protection.protected_prefixes:
    prefixes:
      - prefix: 192.0.2.0/24
        comment: Frankfurt
      - prefix: 2001:db8:40::/48
      - prefix: 192.0.2.64/28
        comment: load tests
        excluded: true

# Delete all other prefixes. Their addresses lose protection, which the task must accept.
- name: Have exactly these prefixes
  edgeops.protection.protected_prefixes:
    prefixes:
      - prefix: 192.0.2.0/24
      - prefix: 2001:db8:40::/48
    purge: true
    accept_risks: [unprotects_addresses]

- name: Remove a prefix
  edgeops.protection.protected_prefixes:
    prefixes:
      - prefix: 2001:db8:40::/48
    state: absent
    accept_risks: [unprotects_addresses]
"""

# `make docs-update` writes this block.
RETURN = r"""
prefixes:
  description: All protected and excluded prefixes of the account afterwards.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new prefix lacks in check mode.
      type: str
      sample: 4747f8a5-2dce-4ef6-8b33-b7d39ba46400
    prefix:
      description: The network, as Cloudflare stores it.
      type: str
      sample: 192.0.2.0/24
    comment:
      description: The comment.
      type: str
      sample: Frankfurt, building 2
    excluded:
      description: Whether the network is excluded from protection.
      type: bool
      sample: false
    created_on:
      description: When the prefix was created.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    modified_on:
      description: When the prefix was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["protected_prefixes"])


if __name__ == "__main__":
    main()
