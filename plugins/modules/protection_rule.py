#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: protection_rule
short_description: Manage a SYN flood rule or an out-of-state TCP rule
version_added: 0.1.0
description:
  - Creates, updates or removes one rule of the Advanced TCP Protection of a Cloudflare account.
  - A rule says how a component treats the traffic of all data centers, of a region or of one data
    center. A component without a rule that applies protects nothing, so each component should have
    a global rule.
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
  kind:
    description:
      - The component that the rule belongs to, SYN flood protection or out-of-state TCP protection.
    type: str
    choices: [syn_flood, out_of_state_tcp]
    required: true
  scope:
    description:
      - The reach of the rule. The most specific rule decides, that of a data center before that of
        a region before the global rule.
      - The kind, scope and name identify the rule and cannot be changed.
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
      - If omitted, an existing rule keeps its mode, and a new rule starts in V(monitoring).
    type: str
    choices: [enabled, monitoring, disabled]
  rate_sensitivity:
    description:
      - How soon a packet rate counts as an attack. With V(high), mitigation begins sooner.
      - If omitted, an existing rule keeps its value, and a new rule gets V(medium).
    type: str
    choices: [low, medium, high]
  burst_sensitivity:
    description:
      - How soon a burst counts as an attack. With V(high), mitigation begins sooner.
      - If omitted, an existing rule keeps its value, and a new rule gets V(medium).
    type: str
    choices: [low, medium, high]
  mitigation_type:
    description:
      - How the rule mitigates a SYN flood. Only rules of kind V(syn_flood) have it.
      - If omitted, an existing rule keeps its value, and Cloudflare decides for a new rule.
    type: str
    choices: [challenge, retransmit]
  expires:
    description:
      - From when on the rule counts as absent, by the clock of Cloudflare. The first run after
        that deletes it.
      - A timestamp with offset such as V(2027-01-31T18:00:00+01:00), or a date such as
        V(2027-01-31), which means its end in UTC.
      - Cloudflare does not know it. If omitted, the rule does not expire.
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
  - module: edgeops.protection.protection_filter
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.protection_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
# Report SYN floods at all data centers, and drop nothing.
- name: Monitor SYN floods
  edgeops.protection.protection_rule:
    kind: syn_flood
    scope: global
    mode: monitoring

# A new rule starts in monitoring.
- name: Make out-of-state TCP protection more sensitive in Western Europe
  edgeops.protection.protection_rule:
    kind: out_of_state_tcp
    scope: region
    name: WEUR
    rate_sensitivity: high

# The rule monitors first. A run after min_monitoring_hours enables it.
- name: Mitigate out-of-state TCP at one data center, after monitoring
  edgeops.protection.protection_rule:
    kind: out_of_state_tcp
    scope: datacenter
    name: lax
    mode: enabled
    staged_rollout: true

- name: Remove a rule
  edgeops.protection.protection_rule:
    kind: out_of_state_tcp
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
    kind:
      description: The component that the rule belongs to.
      type: str
      sample: syn_flood
    id:
      description: The id that Cloudflare gives. Check mode returns none for a rule that the run
        would create.
      type: str
      sample: 025b413f-8a9a-421e-a648-a7dd06839eb9
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
    mitigation_type:
      description: How the rule mitigates a SYN flood. Out-of-state TCP rules have none.
      type: str
      sample: challenge
    created_on:
      description: When the rule was created.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    modified_on:
      description: When the rule was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
coverage:
  description:
    - The effect of the plan on the protection of the account. Check mode returns the same as
      the run that follows.
    - RV(coverage.before) and RV(coverage.after) have the shape of C(coverage) in M(edgeops.protection.protection_info),
      RV(coverage.before) without C(prefixes).
  version_added: 1.0.0
  returned: when the plan changes which addresses are protected, or how
  type: dict
  contains:
    before:
      description: The coverage before.
      type: dict
      sample:
        effective: true
        protected: {networks: [192.0.2.0/25], addresses: 128}
    after:
      description: The coverage afterwards.
      type: dict
      sample:
        effective: true
        protected: {networks: [192.0.2.0/25], addresses: 128}
    newly_unprotected:
      description: The networks that lose protection.
      type: list
      elements: str
      sample: []
    newly_protected:
      description: The networks that gain protection.
      type: list
      elements: str
      sample: []
    newly_bypassing:
      description: The sources that newly bypass the protection because of the allowlist.
      type: list
      elements: str
      sample: []
    newly_mitigated:
      description: The traffic that a component mitigates newly, to addresses that are protected
        before and afterwards.
      type: list
      elements: dict
      contains:
        component:
          description: The component, such as V(syn_flood).
          type: str
          sample: syn_flood
        networks:
          description: The networks to which the traffic goes.
          type: list
          elements: str
          sample: [192.0.2.0/25]
        part:
          description: The part of the traffic in words, empty for all of it.
          type: str
          sample: to ports 0-79, 81-442, 444-65535, in region WEUR
    weaker:
      description: A sentence on each part of the protection that is weaker before than afterwards.
      type: list
      elements: str
      sample:
        - 'SYN flood protection: the baseline mitigates more of the traffic to 128 IPv4 addresses
          (192.0.2.0/25): to ports 0-79, 81-442, 444-65535, in region WEUR.'
risks:
  description: The risks of the plan. A failed task returns those that it does not accept, any
    other task those that it accepts.
  version_added: 1.0.0
  returned: when the plan has risks
  type: list
  elements: dict
  contains:
    code:
      description: The code of the risk, as O(accept_risks) takes it.
      type: str
      sample: stops_mitigation
    message:
      description: The consequence, in a sentence.
      type: str
      sample: 'SYN flood protection would no longer mitigate attacks on 128 IPv4 addresses (192.0.2.0/25):
        to ports 0-79, 81-442, 444-65535, in region WEUR.'
    networks:
      description: The networks that the risk concerns.
      type: list
      elements: str
      sample: [192.0.2.0/25]
    addresses:
      description: How many addresses these networks have; large numbers of IPv6 addresses are
        counted in /64 networks.
      type: str
      sample: 128 IPv4 addresses
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [syn_flood region WEUR]
    reason:
      description: Why the task accepts the risk, as O(accept_risks) says it; null where it does
        not.
      type: str
      sample: null
pending:
  description: The rule, when the staged rollout enables it in a later run.
  version_added: 1.0.0
  returned: when O(staged_rollout) is V(true) and something is not enabled yet
  type: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: syn_flood_rule
    key:
      description: The key of the object.
      type: str
      sample: region WEUR
    mode:
      description: The desired mode.
      type: str
      sample: enabled
    reason:
      description: V(time) where it has not monitored long enough, V(evidence) where it would
        have dropped too much, V(unknown) where that is not known.
      type: str
      sample: time
    not_before:
      description: When the object can be enabled, null where Cloudflare does not say since when
        it monitors, or another reason keeps it back.
      type: str
      sample: null
    would_drop_percent:
      description: How many of a hundred packets to the worst network would have been dropped,
        null where the traffic was not asked for or is not known.
      type: float
      sample: null
    would_drop_packets:
      description: How many packets would have been dropped, null where the traffic was not asked
        for or is not known.
      type: int
      sample: null
    networks:
      description: The networks that would lose too much, or of which that is not known.
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
      sample: SYN flood rule region WEUR monitors, and is enabled by the first run that finds
        out since when.
diff:
  description:
    - The managed fields of the objects that change, before and after, by collection and key.
    - Check mode returns the same as the run that follows.
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The objects before, by collection and key.
      type: dict
      sample:
        syn_flood_rules:
          region WEUR:
            scope: region
            name: WEUR
            mode: monitoring
            rate_sensitivity: medium
            burst_sensitivity: medium
            mitigation_type: challenge
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        syn_flood_rules:
          region WEUR:
            scope: region
            name: WEUR
            mode: enabled
            rate_sensitivity: medium
            burst_sensitivity: medium
            mitigation_type: challenge
operations:
  description:
    - The changes in the order in which the module makes them; empty when nothing changes.
    - Check mode returns the same as the run that follows.
  returned: success, and failure after the plan was made
  type: list
  elements: dict
  contains:
    action:
      description: V(create), V(update) or V(delete).
      type: str
      sample: update
    resource:
      description: The kind of object.
      type: str
      sample: syn_flood_rule
    key:
      description: The key of the object.
      type: str
      sample: region WEUR
    fields:
      description: The values that the module sends. For an object that exists, these are the
        changed fields.
      type: dict
      sample: {mode: enabled}
    before:
      description: The values that change, as they are; null for a field that the object lacks.
        For an object that the module deletes, these are all its values, and for a new object
        there are none.
      type: dict
      sample: {mode: monitoring}
plan_id:
  description:
    - The fingerprint of the plan, as O(expected_plan) takes it; an empty text for a plan without
      operations.
    - Two plans have the same exactly if they make the same changes to the same existing values
      of the same owner.
    - Check mode returns the same as the run that follows.
  version_added: 1.0.0
  returned: success, and failure after the plan was made
  type: str
  sample: 2e4d62db217caeb2f93fc3492c8b2f60da1c744a51c6f611378924b7450f735d
expired:
  description: The objects of the task that count as absent, since they expired.
  version_added: 1.0.0
  returned: when something expired
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: syn_flood_rule
    key:
      description: The key of the object.
      type: str
      sample: region APAC
    expires:
      description: When it expired, in UTC.
      type: str
      sample: '2026-03-01T00:00:00+00:00'
done:
  description: The operations that were applied, in the shape of RV(operations).
  returned: failure after writing began
  type: list
  elements: dict
  sample: []
left:
  description: The operations that were not applied, in the shape of RV(operations).
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: create
      resource: syn_flood_rule
      key: region WEUR
      fields:
        scope: region
        name: WEUR
        mode: enabled
        rate_sensitivity: medium
        burst_sensitivity: medium
      before: {}
unknown:
  description: The operations that may have been applied, in the shape of RV(operations). The
    answer of Cloudflare was lost.
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: create
      resource: syn_flood_rule
      key: region WEUR
      fields:
        scope: region
        name: WEUR
        mode: enabled
        rate_sensitivity: medium
        burst_sensitivity: medium
      before: {}
calls:
  description: The number of calls to Cloudflare, repeated calls included.
  returned: with C(-v)
  type: int
  sample: 9
error:
  description: The call that failed, and the answer of Cloudflare.
  returned: failure of a call to Cloudflare
  type: dict
  contains:
    method:
      description: The HTTP method of the call.
      type: str
      sample: POST
    path:
      description: The path of the call behind the base URL.
      type: str
      sample: accounts/023e105f4ecef8ad9ca31a8372d0c353/magic/advanced_tcp_protection/configs/syn_protection/rules
    status:
      description: The HTTP status, null where there was no answer.
      type: int
      sample: 403
    errors:
      description: The errors that Cloudflare returned.
      type: list
      elements: dict
      contains:
        code:
          description: The error code, null where Cloudflare gave none.
          type: int
          sample: 10000
        message:
          description: The message.
          type: str
          sample: Authentication error
        pointer:
          description: A JSON pointer to the part of the request that Cloudflare refused, null
            where Cloudflare gave none.
          type: str
          sample: null
    ray:
      description: The Ray ID, by which Cloudflare's support finds the call, null where the answer
        had none.
      type: str
      sample: 2c624232cdd22177-LOC
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["protection_rule"])


if __name__ == "__main__":
    main()
