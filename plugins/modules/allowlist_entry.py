#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: allowlist_entry
short_description: Manage one entry of the allowlist of an account
version_added: 0.1.0
description:
  - Adds, updates or removes one entry of the allowlist of a Cloudflare account.
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
      - From when on the entry counts as absent, as a date, which ends in UTC, or a timestamp with
        an offset.
    version_added: 1.0.0
    type: str
  state:
    description:
      - With V(present), the module creates or updates what the task names.
      - With V(absent), the module deletes what the task names, and ignores all other values.
    type: str
    choices: [present, absent]
    default: present
seealso:
  - module: edgeops.protection.allowlist
  - module: edgeops.protection.protection_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
# Packets from this source bypass all rules and filters.
- name: Allow a monitoring probe
  edgeops.protection.allowlist_entry:
    prefix: 198.51.100.7
    comment: monitoring probe

# The entry stays in the list, but has no effect.
- name: Disable the entry
  edgeops.protection.allowlist_entry:
    prefix: 198.51.100.7
    enabled: false

- name: Remove the entry
  edgeops.protection.allowlist_entry:
    prefix: 198.51.100.7
    state: absent
"""

# `make docs-update` writes this block.
RETURN = r"""
entry:
  description: The entry afterwards, null when it is absent.
  returned: success
  type: dict
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
    run_module(MODULE_SPECS["allowlist_entry"])


if __name__ == "__main__":
    main()
