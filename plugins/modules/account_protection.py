#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: account_protection
short_description: Manage the whole protection of an account in one plan, TCP and DNS
version_added: 0.1.0
description:
  - Manages the status, protected prefixes, allowlist, rules and filters of a Cloudflare account in
    one plan, and with O(dns_rules) its Advanced DNS Protection.
  - The module changes nothing that the task omits. It deletes objects that a list does not name
    only if O(purge) is true or has the name of the list.
  - The module first creates objects, in the order prefixes, rules, filters, DNS rules, allowlist.
    Then it updates objects, the status last. Then it deletes objects.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks
  - edgeops.protection._risks.staged_rollout
notes:
  - The module needs the permission C(DDoS Protection Write) of the account. Check mode needs C(DDoS
    Protection Read). Only API tokens have it.
options:
  enabled:
    description:
      - Whether the protection is on.
      - If omitted, the status stays as it is.
    type: bool
  prefixes:
    description:
      - The protected and excluded prefixes. Each may occur once.
    type: list
    elements: dict
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
          - From when on the entry counts as absent, as a date, which ends in UTC, or a timestamp with an offset.
        version_added: 1.0.0
        type: str
  allowlist:
    description:
      - The entries of the allowlist. Each may occur once.
    type: list
    elements: dict
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
          - From when on the entry counts as absent, as a date, which ends in UTC, or a timestamp with an offset.
        version_added: 1.0.0
        type: str
  rules:
    description:
      - The SYN flood rules and out-of-state TCP rules. Each may occur once.
    type: list
    elements: dict
    suboptions:
      kind:
        description:
          - The component that the rule belongs to, SYN flood protection or out-of-state TCP
            protection.
        type: str
        choices: [syn_flood, out_of_state_tcp]
        required: true
      scope:
        description:
          - The reach of the rule. The most specific rule decides, that of a data center before
            that of a region before the global rule.
          - The kind, scope and name identify the rule and cannot be changed.
        type: str
        choices: [global, region, datacenter]
        required: true
      name:
        description:
          - The code of the region or data center, for example V(WEUR). Upper and lower case are
            equal.
          - Required unless the scope is V(global). A global rule has the name V(global), which may
            be omitted.
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
      mitigation_type:
        description:
          - How the rule mitigates a SYN flood. Only rules of kind V(syn_flood) have it.
          - By default Cloudflare decides for a new rule.
        type: str
        choices: [challenge, retransmit]
      expires:
        description:
          - From when on the rule counts as absent, as a date, which ends in UTC, or a timestamp with an offset.
        version_added: 1.0.0
        type: str
  filters:
    description:
      - The SYN flood filters and out-of-state TCP filters. Each may occur once.
    type: list
    elements: dict
    suboptions:
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
            C(ip.dst), C(tcp.srcport)
            and C(tcp.dstport).
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
          - From when on the filter counts as absent, as a date, which ends in UTC, or a timestamp with an offset.
        version_added: 1.0.0
        type: str
  dns_rules:
    description:
      - The rules of Advanced DNS Protection, which protects the same prefixes. Each may occur once.
      - The module reads and returns them only if the task has this list, so that an account without
        Advanced DNS Protection does not fail.
    version_added: 1.0.0
    type: list
    elements: dict
    suboptions:
      scope:
        description:
          - The reach of the rule. The most specific rule decides, that of a data center before
            that of a region before the global rule.
          - The scope and name identify the rule and cannot be changed.
        type: str
        choices: [global, region, datacenter]
        required: true
      name:
        description:
          - The code of the region or data center, for example V(WEUR). Upper and lower case are
            equal.
          - Required unless the scope is V(global). A global rule has the name V(global), which may
            be omitted.
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
          - How soon DNS queries that differ from the usual ones count as an attack. With
            V(very_high), mitigation begins soonest.
          - A new rule gets V(low) by default.
        type: str
        choices: [low, medium, high, very_high]
      expires:
        description:
          - From when on the rule counts as absent, as a date, which ends in UTC, or a timestamp with an offset.
        version_added: 1.0.0
        type: str
  purge:
    description:
      - Whether the module deletes the objects that the task does not name, from all lists that the
        task gives, or from which of them. The task must give the lists that are named.
      - An empty list requires V(empties_list) in O(accept_risks).
    type: raw
    choices: [true, false, prefixes, allowlist, rules, filters, dns_rules]
    default: false
  expectations:
    description:
      - Expectations of single packets after the plan. A plan that leaves an expectation
        unmet or undecided is refused before anything is written, in check mode too. O(accept_risks)
        does not accept it.
      - The module evaluates them offline. See
        U(https://github.com/edgeops/ansible-protection/blob/main/docs/expectations.md).
    version_added: 1.0.0
    type: list
    elements: dict
    suboptions:
      description:
        description: The expectation, in words. The default says what the packet gives.
        type: str
      request:
        description:
          - Not for this module. M(edgeops.protection.custom_rules) checks requests.
        type: dict
      packet:
        description:
          - A packet, as far as it matters. It needs C(destination).
          - Its other keys are C(destination_port), C(source), C(source_port), C(protocol),
            C(data_center) and C(region).
        type: dict
      every:
        description:
          - Not for this module. M(edgeops.protection.network_firewall_rules) checks all packets that
            match an expression, and M(edgeops.protection.custom_rules) all requests.
        type: str
      traffic:
        description: The traffic of O(expectations[].every).
        choices: [requests, packets]
        type: str
      expect:
        description:
          - V(mitigated), V(monitored), V(unprotected) or V(bypassed), for every component that sees
            the packet. These are SYN flood protection and out-of-state TCP protection, and DNS
            protection for port 53.
          - A dictionary with C(syn_flood), C(out_of_state_tcp) or C(dns) names each by itself.
        type: raw
        required: true
      rule:
        description: Not for packets.
        type: str
  ignore_ids:
    description:
      - The ids of existing objects that the module neither changes nor deletes, with O(purge) too.
        They count as no duplicates.
      - An export fills it with the objects that no option describes, such as duplicates and
        malformed prefixes.
      - An id that no object has is without effect.
    version_added: 1.0.0
    type: list
    elements: str
    default: []
seealso:
  - module: edgeops.protection.protection_info
  - module: edgeops.protection.tcp_protection_status
  - module: edgeops.protection.protected_prefixes
  - module: edgeops.protection.allowlist
  - module: edgeops.protection.protection_rule
  - module: edgeops.protection.protection_filter
  - module: edgeops.protection.dns_protection_rule
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
# Add these objects, or update them to match. Everything else in the account stays as it is.
- name: Protect an office network and monitor attacks on it
  edgeops.protection.account_protection:
    prefixes:
      - prefix: 192.0.2.0/24
        comment: Frankfurt
      - prefix: 192.0.2.64/28
        excluded: true
    rules:
      - kind: syn_flood
        scope: global
        mode: monitoring
      - kind: out_of_state_tcp
        scope: global
        mode: monitoring
    allowlist:
      - prefix: 198.51.100.7
        comment: monitoring probe
    enabled: true

- name: Monitor attacks over DNS on the same prefixes
  edgeops.protection.account_protection:
    dns_rules:
      - scope: global
        mode: monitoring

# Delete all other prefixes and allowlist entries. Deleting prefixes is a risk, which the task must accept.
- name: Have exactly these prefixes and this allowlist
  edgeops.protection.account_protection:
    prefixes:
      - prefix: 192.0.2.0/24
    allowlist:
      - prefix: 198.51.100.7
    purge: [prefixes, allowlist]
    accept_risks: [unprotects_addresses]
"""

# `make docs-update` writes this block.
RETURN = r"""
protection:
  description: The Advanced TCP Protection of the account afterwards.
  returned: success
  type: dict
  contains:
    status:
      description: Whether the protection is on.
      type: dict
      contains:
        enabled:
          description: Whether the protection is on.
          type: bool
          sample: true
    prefixes:
      description: The protected and excluded prefixes.
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
          sample: Frankfurt
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
    allowlist:
      description: The allowlist.
      type: list
      elements: dict
      contains: {}
    rules:
      description: The SYN flood rules and out-of-state TCP rules.
      type: list
      elements: dict
      contains:
        kind:
          description: The component that the rule belongs to.
          type: str
          sample: syn_flood
        id:
          description: The id that Cloudflare gives, which a new rule lacks in check mode.
          type: str
          sample: cffffee6-c79d-4c71-a7c7-11c3a1e826a1
        scope:
          description: The reach of the rule.
          type: str
          sample: global
        name:
          description: The code of the region or data center, or V(global).
          type: str
          sample: global
        mode:
          description: The mode of the rule.
          type: str
          sample: enabled
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
    filters:
      description: The SYN flood filters and out-of-state TCP filters.
      type: list
      elements: dict
      contains:
        kind:
          description: The component that the filter belongs to.
          type: str
          sample: syn_flood
        id:
          description: The id that Cloudflare gives, which a new filter lacks in check mode.
          type: str
          sample: 35d66243-fea2-4470-b63f-5fe298a5d53a
        expression:
          description: The traffic that the filter matches.
          type: str
          sample: tcp.dstport in {80 443}
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
    dns_rules:
      description: The DNS protection rules. Only a task that names O(dns_rules) returns them.
      type: list
      elements: dict
      contains:
        id:
          description: The id that Cloudflare gives, which a new rule lacks in check mode.
          type: str
          sample: 45659b64-4aee-4044-9c38-0586e91e9c2e
        scope:
          description: The reach of the rule.
          type: str
          sample: global
        name:
          description: The code of the region or data center, or V(global).
          type: str
          sample: global
        mode:
          description: The mode of the rule.
          type: str
          sample: enabled
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
coverage:
  description:
    - The effect of the plan on the protection of the account.
    - C(coverage.before) and C(coverage.after) have the shape of C(coverage) in M(edgeops.protection.protection_info),
      C(coverage.before) without C(prefixes).
  version_added: 1.0.0
  returned: success, and failure after the plan was made
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
        protected:
          networks: [192.0.2.0/26, 192.0.2.80/28, 192.0.2.96/27]
          addresses: 112
    newly_unprotected:
      description: The networks that lose protection.
      type: list
      elements: str
      sample: [192.0.2.64/28]
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
      contains: {}
    weaker:
      description: A sentence on each part of the protection that is weaker before than afterwards.
      type: list
      elements: str
      sample:
        - The allowlist lets 1 IPv4 address (198.51.100.7/32) pass, and the baseline does not.
unmanaged:
  description:
    - The objects afterwards that the task does not name, of all lists that it reads.
    - Whether an object takes protection away is decided against an account with just what the
      task names. If the task names no prefix, the prefixes of the account count as they are.
  version_added: 1.0.0
  returned: success
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: prefix
    key:
      description: The key of the object.
      type: str
      sample: 192.0.2.0/24
    weakens:
      description: Whether the object takes protection away from what the task names, null if
        it may.
      type: bool
      sample: false
    reason:
      description: How it does, as a sentence without its subject, or empty.
      type: str
      sample: ''
    since:
      description: When the object last changed, null if Cloudflare does not say.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["account_protection"])


if __name__ == "__main__":
    main()
