#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: dns_protection_rule
short_description: Manage a DNS protection rule of an account
version_added: 1.0.0
description:
  - Creates, updates or removes one rule of the Advanced DNS Protection of a Cloudflare account.
  - Advanced DNS Protection protects the prefixes that M(edgeops.protection.protected_prefixes)
    manages, which it shares with Advanced TCP Protection. Neither the status of TCP protection nor
    a filter changes what it does.
  - A rule says how DNS protection treats the traffic of all data centers, of a region or of one
    data center. Without a rule that applies it protects nothing, so there should be a global rule.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.protection_rules
  - edgeops.protection._risks.staged_rollout
notes:
  - The module needs the permission C(DDoS Protection Write) of the account. Check mode needs C(DDoS
    Protection Read). Only API tokens have it.
options:
  scope:
    description:
      - The reach of the rule. The most specific rule decides, that of a data center before that of
        a region before the global rule.
      - The scope and name identify the rule and cannot be changed.
    type: str
    choices: [global, region, datacenter]
    required: true
  name:
    description:
      - The code of the region or data center, for example V(WEUR). Upper and lower case are equal.
      - Required unless the scope is V(global). A global rule has the name V(global), which may be
        omitted.
    type: str
  mode:
    description:
      - V(monitoring) reports attacks and drops nothing, V(enabled) mitigates, V(disabled) does
        nothing.
      - A new rule starts in V(monitoring).
    type: str
    choices: [enabled, monitoring, disabled]
  rate_sensitivity:
    description:
      - How soon a packet rate counts as an attack. With V(high), mitigation begins sooner.
      - A new rule gets V(medium) by default.
    type: str
    choices: [low, medium, high]
  burst_sensitivity:
    description:
      - How soon a burst counts as an attack. With V(high), mitigation begins sooner.
      - A new rule gets V(medium) by default.
    type: str
    choices: [low, medium, high]
  profile_sensitivity:
    description:
      - How soon DNS queries that differ from the usual ones count as an attack. With V(very_high),
        mitigation begins soonest.
      - A new rule gets V(low) by default.
    type: str
    choices: [low, medium, high, very_high]
  expires:
    description:
      - From when on the rule counts as absent, as a date, which ends in UTC, or a timestamp with an
        offset.
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
  - module: edgeops.protection.protected_prefixes
  - module: edgeops.protection.protection_rule
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.protection_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
# Report attacks over DNS at all data centers, and drop nothing.
- name: Monitor DNS queries
  edgeops.protection.dns_protection_rule:
    scope: global
    mode: monitoring

# The rule monitors first. A run after min_monitoring_hours enables it.
- name: Mitigate attacks over DNS in Western Europe, after monitoring
  edgeops.protection.dns_protection_rule:
    scope: region
    name: WEUR
    mode: enabled
    profile_sensitivity: medium
    staged_rollout: true

- name: Remove a rule
  edgeops.protection.dns_protection_rule:
    scope: region
    name: WEUR
    state: absent
"""

# `make docs-update` writes this block.
RETURN = r"""
rule:
  description: The rule afterwards, null when it is absent.
  returned: success
  type: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new rule lacks in check mode.
      type: str
      sample: 455813e1-b4cd-4bd5-ab87-a3be521cf0ad
    scope:
      description: The reach of the rule.
      type: str
      sample: region
    name:
      description: The code of the region or data center, or V(global).
      type: str
      sample: WEUR
    mode:
      description: The mode of the rule.
      type: str
      sample: monitoring
    rate_sensitivity:
      description: How soon a packet rate counts as an attack.
      type: str
      sample: medium
    burst_sensitivity:
      description: How soon a burst counts as an attack.
      type: str
      sample: medium
    profile_sensitivity:
      description: How soon DNS queries that differ from the usual ones count as an attack.
      type: str
      sample: low
    created_on:
      description: When the rule was created.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    modified_on:
      description: When the rule was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
pending:
  description: The rule, when the staged rollout enables it in a later run.
  version_added: 1.0.0
  returned: when O(staged_rollout) is V(true) and something is not enabled yet
  type: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: dns_rule
    key:
      description: The key of the object.
      type: str
      sample: region WEUR
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
      sample: DNS protection rule region WEUR monitors, and is enabled by the first run that finds
        out since when.
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["dns_protection_rule"])


if __name__ == "__main__":
    main()
