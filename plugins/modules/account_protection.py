#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: account_protection
short_description: Bring an account's whole Advanced TCP Protection into line
version_added: 0.1.0
description:
  - Brings status, protected prefixes, allowlist, rules and filters of an account into line in one plan.
  - What is left out is left alone. Objects that a list does not name stay, unless O(purge) names the list.
  - Objects are added first, in the order prefixes, rules, filters, allowlist; then they are changed, the status
    last; then removed.
extends_documentation_fragment:
  - edgeops.protection.attributes
  - edgeops.protection.attributes.write
  - edgeops.protection.connection
  - edgeops.protection.account
  - edgeops.protection.risks
  - edgeops.protection.risks.staged_rollout
options:
  enabled:
    description:
      - Whether the protection is on.
      - Left out, it stays as it is.
    type: bool
  prefixes:
    description:
      - The protected prefixes, each once.
    type: list
    elements: dict
    suboptions:
      prefix:
        description:
          - The network in CIDR notation, or a single address.
          - Host bits have no meaning and are dropped; V(192.0.2.7/24) is V(192.0.2.0/24), and V(192.0.2.1)
            is V(192.0.2.1/32).
          - The service cannot change the network of an entry; another network is another entry.
        type: str
        required: true
      comment:
        description:
          - A free text. An empty text clears it.
          - Left out, a comment that is there stays; a new entry gets an empty one.
        type: str
      excluded:
        description:
          - Whether this network is carved out of protection instead of being protected, for example a
            subset of another entry.
          - Left out, a live entry stays as it is; a new entry is protected, as with V(false).
        type: bool
  allowlist:
    description:
      - The entries of the allowlist, each once.
    type: list
    elements: dict
    suboptions:
      prefix:
        description:
          - The network in CIDR notation, or a single address.
          - Host bits have no meaning and are dropped; V(192.0.2.7/24) is V(192.0.2.0/24), and V(192.0.2.1)
            is V(192.0.2.1/32).
          - The service cannot change the network of an entry; another network is another entry.
        type: str
        required: true
      comment:
        description:
          - A free text. An empty text clears it.
          - Left out, a comment that is there stays; a new entry gets an empty one.
        type: str
      enabled:
        description:
          - Whether the entry is active; an entry that is not is kept, but has no effect.
          - Left out, a live entry stays as it is; a new entry is active, as with V(true).
        type: bool
  rules:
    description:
      - The SYN flood rules and out-of-state TCP rules, each once.
    type: list
    elements: dict
    suboptions:
      kind:
        description:
          - Which component the rule belongs to, SYN flood protection or out-of-state TCP protection.
        type: str
        choices: [syn_flood, out_of_state_tcp]
        required: true
      scope:
        description:
          - Where the rule applies. The most specific rule decides, a data center before a region before global.
          - Together with O(rules[].kind) and O(rules[].name) it identifies the rule; the service cannot change it.
        type: str
        choices: [global, region, datacenter]
        required: true
      name:
        description:
          - The code of the region or data center, for example V(WEUR); upper and lower case do not differ.
          - Required unless the scope is V(global), where it is V(global) and may be left out.
        type: str
      mode:
        description:
          - V(monitoring) reports and drops nothing, V(enabled) mitigates, V(disabled) does nothing.
          - Left out, a live rule keeps its mode; a new rule starts in V(monitoring).
        type: str
        choices: [enabled, monitoring, disabled]
      rate_sensitivity:
        description:
          - How soon the rate of packets counts as an attack; V(high) mitigates sooner.
          - Left out, a live rule stays as it is; a new rule gets V(medium).
        type: str
        choices: [low, medium, high]
      burst_sensitivity:
        description:
          - How soon the size of a burst counts as an attack; V(high) mitigates sooner.
          - Left out, a live rule stays as it is; a new rule gets V(medium).
        type: str
        choices: [low, medium, high]
      mitigation_type:
        description:
          - How a SYN flood is mitigated; only for rules of kind V(syn_flood).
          - Left out, a live rule stays as it is; for a new rule the service decides.
        type: str
        choices: [challenge, retransmit]
  filters:
    description:
      - The filters of both kinds, each once.
    type: list
    elements: dict
    suboptions:
      kind:
        description:
          - Which component the filter belongs to, SYN flood protection or out-of-state TCP protection.
        type: str
        choices: [syn_flood, out_of_state_tcp]
        required: true
      expression:
        description:
          - The traffic that the filter matches, in the Rules language, with the fields C(ip.src),
            C(ip.dst), C(tcp.srcport)
            and C(tcp.dstport).
          - It identifies the filter. White space outside of quotes has no meaning.
        type: str
        required: true
      mode:
        description:
          - V(monitoring) reports and drops nothing, V(enabled) mitigates, V(disabled) does nothing.
          - Left out, a live filter keeps its mode; a new filter starts in V(monitoring).
        type: str
        choices: [enabled, monitoring, disabled]
  purge:
    description:
      - The lists that are to be exact; what such a list does not name is removed.
      - A list that is named here must be given, and must not be empty.
    type: list
    elements: str
    choices: [prefixes, allowlist, rules, filters]
    default: []
seealso:
  - module: edgeops.protection.protection_info
  - module: edgeops.protection.tcp_protection_status
  - module: edgeops.protection.protected_prefixes
  - module: edgeops.protection.allowlist
  - module: edgeops.protection.protection_rule
  - module: edgeops.protection.protection_filter
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
- name: Bring the account into line
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

- name: Have exactly these prefixes and this allowlist
  edgeops.protection.account_protection:
    prefixes:
      - prefix: 192.0.2.0/24
    allowlist:
      - prefix: 198.51.100.7
    purge: [prefixes, allowlist]
    accept_risks: [unprotects_addresses]
"""

RETURN = r"""
protection:
  description: The account's whole protection afterwards.
  returned: success
  type: dict
  contains:
    status:
      description: The status.
      type: dict
      contains:
        enabled:
          description: Whether the protection is on.
          type: bool
          sample: true
    prefixes:
      description: The protected prefixes.
      type: list
      elements: dict
      contains:
        id:
          description: The id that the service gave it; missing for an object that check mode foresees.
          type: str
          sample: 31c70c65-9f81-4669-94ed-1e1e041e7b06
        prefix:
          description: The network, as the service holds it.
          type: str
          sample: 192.0.2.0/24
        comment:
          description: The comment.
          type: str
          sample: Frankfurt
        excluded:
          description: Whether it is carved out of protection.
          type: bool
          sample: false
        created_on:
          description: When it was created.
          type: str
          sample: "2026-03-01T09:15:02.310412+00:00"
        modified_on:
          description: When it was last changed.
          type: str
          sample: "2026-03-01T09:15:02.310412+00:00"
    allowlist:
      description: The allowlist.
      type: list
      elements: dict
      contains:
        id:
          description: The id that the service gave it; missing for an object that check mode foresees.
          type: str
          sample: 31c70c65-9f81-4669-94ed-1e1e041e7b06
        prefix:
          description: The network, as the service holds it.
          type: str
          sample: 198.51.100.7/32
        comment:
          description: The comment.
          type: str
          sample: monitoring probe
        enabled:
          description: Whether it is active.
          type: bool
          sample: true
        created_on:
          description: When it was created.
          type: str
          sample: "2026-03-01T09:15:02.310412+00:00"
        modified_on:
          description: When it was last changed.
          type: str
          sample: "2026-03-01T09:15:02.310412+00:00"
    rules:
      description: The rules of both kinds.
      type: list
      elements: dict
      contains:
        kind:
          description: The component it belongs to.
          type: str
          sample: syn_flood
        id:
          description: The id that the service gave it; missing for an object that check mode foresees.
          type: str
          sample: 31c70c65-9f81-4669-94ed-1e1e041e7b06
        scope:
          description: Where it applies.
          type: str
          sample: region
        name:
          description: The code of the region or data center, or V(global).
          type: str
          sample: WEUR
        mode:
          description: What it does.
          type: str
          sample: monitoring
        rate_sensitivity:
          description: How soon a rate counts as an attack.
          type: str
          sample: medium
        burst_sensitivity:
          description: How soon a burst counts as an attack.
          type: str
          sample: medium
        mitigation_type:
          description: How a SYN flood is mitigated; missing for rules of kind V(out_of_state_tcp).
          type: str
          sample: challenge
        created_on:
          description: When it was created.
          type: str
          sample: "2026-03-01T09:15:02.310412+00:00"
        modified_on:
          description: When it was last changed.
          type: str
          sample: "2026-03-01T09:15:02.310412+00:00"
    filters:
      description: The filters of both kinds.
      type: list
      elements: dict
      contains:
        kind:
          description: The component it belongs to.
          type: str
          sample: syn_flood
        id:
          description: The id that the service gave it; missing for an object that check mode foresees.
          type: str
          sample: 31c70c65-9f81-4669-94ed-1e1e041e7b06
        expression:
          description: The traffic that it matches.
          type: str
          sample: tcp.dstport in {80 443}
        mode:
          description: What it does.
          type: str
          sample: monitoring
        created_on:
          description: When it was created.
          type: str
          sample: "2026-03-01T09:15:02.310412+00:00"
        modified_on:
          description: When it was last changed.
          type: str
          sample: "2026-03-01T09:15:02.310412+00:00"

coverage:
  description:
    - What the plan does to the protection of the account; the same in check mode as in the run that follows.
    - RV(coverage.before) and RV(coverage.after) have the shape of C(coverage) in
      M(edgeops.protection.protection_info); the former has no C(prefixes).
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The coverage before.
      type: dict
      sample: {effective: true, protected: {networks: [192.0.2.0/24], addresses: 256}}
    after:
      description: The coverage afterwards.
      type: dict
      sample: {effective: true, protected: {networks: [192.0.2.0/25], addresses: 128}}
    newly_unprotected:
      description: The networks that are no longer protected.
      type: list
      elements: str
      sample: [192.0.2.128/25]
    newly_protected:
      description: The networks that were not protected.
      type: list
      elements: str
      sample: []
    newly_bypassing:
      description: The sources that pass because of the allowlist, and did not.
      type: list
      elements: str
      sample: []
risks:
  description: The risks that the plan carries; those not accepted in a failure, those accepted in a success.
  returned: when there are any
  type: list
  elements: dict
  contains:
    code:
      description: The code, as O(accept_risks) takes it.
      type: str
      sample: unprotects_addresses
    message:
      description: A sentence on what would happen.
      type: str
      sample: 128 IPv4 addresses (192.0.2.128/25) would no longer be protected.
    networks:
      description: The networks concerned.
      type: list
      elements: str
      sample: [192.0.2.128/25]
    addresses:
      description: How many addresses these networks hold.
      type: int
      sample: 128
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [192.0.2.128/25]
pending:
  description: The steps that are left to take on the way to enabled.
  returned: when O(staged_rollout) is set and something is not enabled yet
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: syn_flood_rule
    key:
      description: What identifies the object.
      type: str
      sample: global
    mode:
      description: The mode that is wished for.
      type: str
      sample: enabled
    not_before:
      description: The time before which it is not set, null where the service does not say when monitoring began.
      type: str
      sample: "2026-03-01T13:15:02+00:00"
    message:
      description: The same as a sentence.
      type: str
      sample: syn flood rule global monitors, and is enabled by the first run after 2026-03-01T13:15:02+00:00.
diff:
  description:
    - The managed fields of the objects that change, before and after, by collection and key, sorted by key.
    - The same in check mode as in the run that follows.
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The objects concerned as they were, by collection.
      type: dict
      sample: {status: {enabled: false}}
    after:
      description: The objects concerned as they become, by collection.
      type: dict
      sample: {status: {enabled: true}}
operations:
  description:
    - The changes in the order in which they are made; empty when nothing changes.
    - The same in check mode as in the run that follows.
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
      sample: tcp_protection_status
    key:
      description: What identifies the object.
      type: str
      sample: tcp_protection_status
    fields:
      description: The values that are sent; of an object that exists, just the changed ones.
      type: dict
      sample: {enabled: true}
done:
  description: The operations that were carried out, in the shape of RV(operations).
  returned: failure after writing had begun
  type: list
  elements: dict
  sample: []
left:
  description: The operations that were not carried out, in the shape of RV(operations).
  returned: failure after writing had begun
  type: list
  elements: dict
  sample: []
unknown:
  description: The operations of which it is not known whether they were carried out, in the shape of RV(operations).
  returned: failure after writing had begun
  type: list
  elements: dict
  sample: []

calls:
  description: How many calls were made, repeated ones included.
  returned: with C(-v)
  type: int
  sample: 8
error:
  description: The call that failed and what the service said.
  returned: failure of a call to the service
  type: dict
  contains:
    method:
      description: The method of the call.
      type: str
      sample: GET
    path:
      description: The path of the call behind the base URL.
      type: str
      sample: accounts/023e105f4ecef8ad9ca31a8372d0c353/magic/advanced_tcp_protection/configs/prefixes
    status:
      description: The HTTP status, null where there was no answer.
      type: int
      sample: 403
    errors:
      description: The service's errors, each with C(code), C(message) and C(pointer); what it left out is null.
      type: list
      elements: dict
      sample: [{code: 10000, message: Authentication error, pointer: null}]
    ray:
      description: The id under which the service's support finds the call, null where it was not given.
      type: str
      sample: 8f2d0a6b2c1f3e4d-FRA
"""

from ansible_collections.edgeops.protection.plugins.module_utils.module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils.specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["account_protection"])


if __name__ == "__main__":
    main()
