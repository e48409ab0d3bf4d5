#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: allowlist
short_description: Manage the allowlist of an account, the whole list
version_added: 0.1.0
description:
  - Adds, updates and removes entries of the allowlist of a Cloudflare account. With O(purge=true),
    the module also deletes the entries that the task does not name.
  - The allowlist names I(source) addresses. Their packets bypass all rules and filters. Sources can
    be forged, so the allowlist is not a security control.
  - To leave networks of your own without protection, use excluded entries of
    M(edgeops.protection.protected_prefixes).
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.allowlist
notes:
  - The module needs the permission C(DDoS Protection Write) of the account. Check mode needs C(DDoS
    Protection Read). Only API tokens have it.
options:
  entries:
    description:
      - The entries. Each may occur once.
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
      enabled:
        description:
          - Whether the entry is active. An entry that is not active stays in the list, but has no
            effect.
          - A new entry gets V(true) by default.
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
      - Whether the module deletes the entries that O(entries) does not name.
      - It requires O(state=present). With an empty O(entries) it requires V(empties_list) in
        O(accept_risks).
    type: bool
    default: false
seealso:
  - module: edgeops.protection.allowlist_entry
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.protection_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
# Add these entries, or update them to match. Other entries stay.
- name: Allow two partners
  edgeops.protection.allowlist:
    entries:
      - prefix: 198.51.100.7
        comment: monitoring probe
      - prefix: 198.51.100.128/28
        comment: payment provider

- name: Remove an entry
  edgeops.protection.allowlist:
    entries:
      - prefix: 198.51.100.128/28
    state: absent

# Delete all other entries.
- name: Have exactly this entry
  edgeops.protection.allowlist:
    entries:
      - prefix: 198.51.100.7
    purge: true
"""

# `make docs-update` writes this block.
RETURN = r"""
entries:
  description: All entries of the allowlist afterwards.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new entry lacks in check mode.
      type: str
      sample: ab9f3905-1fbe-4590-8047-fde0d5566a21
    prefix:
      description: The network of the sources, as Cloudflare stores it.
      type: str
      sample: 203.0.112.0/23
    comment:
      description: The comment.
      type: str
      sample: payment provider
    enabled:
      description: Whether the entry is active.
      type: bool
      sample: true
    created_on:
      description: When the entry was created.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    modified_on:
      description: When the entry was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["allowlist"])


if __name__ == "__main__":
    main()
