#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: protection_filter
short_description: Manage a SYN flood filter or out-of-state TCP filter of an account
version_added: 0.1.0
description:
  - Creates, updates or removes one filter of the Advanced TCP Protection of a Cloudflare account.
  - A filter sets the mode for the traffic that it matches, in place of all rules of its component.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.protection_filters
  - edgeops.protection._risks.staged_rollout
notes:
  - The module needs the permission C(DDoS Protection Write) of the account. Check mode needs C(DDoS
    Protection Read). Only API tokens have it.
options:
  kind:
    description:
      - The component that the filter belongs to, SYN flood protection or out-of-state TCP
        protection.
    type: str
    choices: [syn_flood, out_of_state_tcp]
    required: true
  expression:
    description:
      - The traffic that the filter matches, in the Rules language, with the fields C(ip.src),
        C(ip.dst), C(tcp.srcport) and C(tcp.dstport).
      - The expression identifies the filter. White space outside of quotes makes no difference.
      - It has at most 8,192 characters.
    type: str
    required: true
  mode:
    description:
      - V(monitoring) reports attacks and drops nothing, V(enabled) mitigates, V(disabled) does
        nothing.
      - A new filter starts in V(monitoring).
    type: str
    choices: [enabled, monitoring, disabled]
  expires:
    description:
      - From when on the filter counts as absent, as a date, which ends in UTC, or a timestamp with
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
  - module: edgeops.protection.protection_rule
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.protection_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
# The filter overrides all SYN flood rules for this traffic.
- name: Only monitor SYN floods on the web servers
  edgeops.protection.protection_filter:
    kind: syn_flood
    expression: ip.dst in {192.0.2.0/24} and tcp.dstport in {80 443}
    mode: monitoring

# The rules apply to this traffic again.
- name: Remove the filter
  edgeops.protection.protection_filter:
    kind: syn_flood
    expression: ip.dst in {192.0.2.0/24} and tcp.dstport in {80 443}
    state: absent
"""

# `make docs-update` writes this block.
RETURN = r"""
filter:
  description: The filter afterwards, null when it is absent.
  returned: success
  type: dict
  contains:
    kind:
      description: The component that the filter belongs to.
      type: str
      sample: syn_flood
    id:
      description: The id that Cloudflare gives, which a new filter lacks in check mode.
      type: str
      sample: 6f046115-c26b-4c78-af24-c94d26e8c063
    expression:
      description: The traffic that the filter matches.
      type: str
      sample: tcp.dstport in {22}
    mode:
      description: The mode of the filter.
      type: str
      sample: monitoring
    created_on:
      description: When the filter was created.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    modified_on:
      description: When the filter was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
pending:
  description: The filter, when the staged rollout enables it in a later run.
  version_added: 1.0.0
  returned: when O(staged_rollout) is V(true) and something is not enabled yet
  type: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: syn_flood_filter
    key:
      description: The key of the object.
      type: str
      sample: tcp.dstport in {22}
    mode:
      description: The desired mode.
      type: str
      sample: enabled
    reason:
      description: V(time) if it has to monitor longer, V(evidence) if it would have dropped too
        much, or V(unknown).
      type: str
      sample: time
    not_before:
      description: When the object can be enabled, null if that does not depend on the time or
        is not known.
      type: str
      sample: null
    would_drop_percent:
      description: The percentage of packets to the worst network that would have been dropped,
        null if it is not known.
      type: float
      sample: null
    would_drop_packets:
      description: The number of these packets, null if it is not known.
      type: int
      sample: null
    networks:
      description: The networks that would lose too much, or may.
      type: list
      elements: str
      sample: []
    advice:
      description: Advice on packets that would have been dropped, a sentence for each reason.
      type: list
      elements: str
      sample: []
    message:
      description: The same as a sentence.
      type: str
      sample: SYN flood filter tcp.dstport in {22} monitors, and is enabled by the first run that
        finds out since when.
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["protection_filter"])


if __name__ == "__main__":
    main()
