#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: protection_info
short_description: Read the protection of an account, and its coverage
version_added: 0.1.0
description:
  - Returns the status, protected prefixes, allowlist, rules and filters of a Cloudflare account,
    and which addresses they protect. It reads the rules of Advanced DNS Protection where
    O(gather_subset) has V(dns_rules).
  - Each list is complete, or the task fails. A missing permission is a failure too, never an empty
    list.
  - M(edgeops.protection.account_protection) takes the lists as this module returns them.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.info
  - edgeops.protection._connection
  - edgeops.protection._account
notes:
  - The module needs the permission C(DDoS Protection Read) of the account. Only API tokens have it.
options:
  gather_subset:
    description:
      - The parts of the account that the module reads and returns.
      - V(dns_rules) was added in version 1.0.0. With it, the task fails for an account without
        Advanced DNS Protection.
      - V(announced) was added in version 1.0.0. It needs the permission C(IP Prefixes Read) of the
        account, and three calls or more. This collection never announces or withdraws a network.
      - V(ip_lists) was added in version 1.0.0. It needs the permission C(Account Filter Lists
        Read).
      - V(network_firewall_rules) and V(packet_phases) were added in version 1.0.0. They need the
        permission C(Magic Firewall Read).
      - V(ddos_l4_overrides) was added in version 1.0.0. It needs the permission C(L4 DDoS Managed
        Ruleset Read).
    type: list
    elements: str
    choices:
      - status
      - prefixes
      - allowlist
      - rules
      - filters
      - dns_rules
      - announced
      - ip_lists
      - packet_phases
      - network_firewall_rules
      - ddos_l4_overrides
    default: [status, prefixes, allowlist, rules, filters]
  covers:
    description:
      - Addresses and networks. RV(covers) says of each whether and how it is protected.
      - For this the module reads all subsets, V(dns_rules) only if O(gather_subset) names it. It
        still returns only those that O(gather_subset) names.
    version_added: 1.0.0
    type: list
    elements: str
seealso:
  - module: edgeops.protection.account_protection
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
- name: Read the whole account
  edgeops.protection.protection_info:
  register: protection

- name: Read which networks the account announces
  edgeops.protection.protection_info:
    gather_subset: [announced]

- name: Show the networks that are excluded from protection
  ansible.builtin.debug:
    msg: "{{ protection.prefixes | selectattr('excluded') | map(attribute='prefix') }}"

# The module computes from the prefixes, rules and filters whether and how the address is protected.
- name: Look up an address
  edgeops.protection.protection_info:
    covers: [203.0.113.7]
  register: answer

- name: Stop unless the address is protected
  ansible.builtin.assert:
    that: answer.covers[0].protected

# The coverage then has DNS protection as a third component.
- name: Read the whole account and its Advanced DNS Protection
  edgeops.protection.protection_info:
    gather_subset: [status, prefixes, allowlist, rules, filters, dns_rules]

- name: Read only the rules and filters
  edgeops.protection.protection_info:
    gather_subset: [rules, filters]
"""

# `make docs-update` writes this block.
RETURN = r"""
account_id:
  description: The id of the account.
  version_added: 1.0.0
  returned: success
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
status:
  description: Whether the protection is on.
  returned: when O(gather_subset) has V(status)
  type: dict
  contains:
    enabled:
      description: Whether the protection is on.
      type: bool
      sample: true
prefixes:
  description: The protected and excluded prefixes.
  returned: when O(gather_subset) has V(prefixes)
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
  returned: when O(gather_subset) has V(allowlist)
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new entry lacks in check mode.
      type: str
      sample: 80929c5d-71da-4b25-8833-4b0166b343a8
    prefix:
      description: The network of the sources, as Cloudflare stores it.
      type: str
      sample: 198.51.100.7/32
    comment:
      description: The comment.
      type: str
      sample: monitoring probe
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
rules:
  description: The SYN flood rules and out-of-state TCP rules.
  returned: when O(gather_subset) has V(rules)
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
  returned: when O(gather_subset) has V(filters)
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
  description: The DNS protection rules.
  version_added: 1.0.0
  returned: when O(gather_subset) has V(dns_rules)
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
covers:
  description: Whether and how each address or network of O(covers) is protected.
  version_added: 1.0.0
  returned: when O(covers) is given
  type: list
  elements: dict
  contains:
    network:
      description: The network.
      type: str
      sample: 192.0.2.0/24
    protected:
      description: Whether the prefixes protect all of it.
      type: bool
      sample: false
    parts:
      description: Its addresses, by whether they are protected.
      type: dict
      contains:
        protected:
          description: The protected addresses.
          type: dict
          contains:
            networks:
              description: The fewest networks that hold these addresses, in ascending order.
              type: list
              elements: str
              sample: [192.0.2.0/25]
            addresses:
              description: The number of addresses.
              type: int
              sample: 128
        undecided:
          description: The addresses of a protected prefix that a malformed excluded prefix may
            exclude.
          type: dict
          contains:
            networks:
              description: The fewest networks that hold these addresses, in ascending order.
              type: list
              elements: str
              sample: []
            addresses:
              description: The number of addresses.
              type: int
              sample: 0
        excluded:
          description: The addresses that are excluded from a protected prefix.
          type: dict
          contains:
            networks:
              description: The fewest networks that hold these addresses, in ascending order.
              type: list
              elements: str
              sample: [192.0.2.128/25]
            addresses:
              description: The number of addresses.
              type: int
              sample: 128
        outside:
          description: The addresses that are in no protected prefix.
          type: dict
          contains:
            networks:
              description: The fewest networks that hold these addresses, in ascending order.
              type: list
              elements: str
              sample: []
            addresses:
              description: The number of addresses.
              type: int
              sample: 0
    protected_by:
      description: The protected prefixes that contain it or a part of it, the widest first.
      type: list
      elements: str
      sample: [192.0.2.0/24]
    excluded_by:
      description: The excluded prefixes that contain it or a part of it, the widest first.
      type: list
      elements: str
      sample: [192.0.2.128/25]
    modes:
      description: The modes that decide for its traffic, by component.
      type: dict
      contains:
        syn_flood:
          description: The filters and rules that decide for SYN flood protection, in the order
            in which they apply.
          type: list
          elements: dict
          contains:
            mode:
              description: V(enabled), V(monitoring), V(disabled), V(off) without filter and rule,
                or V(undecided).
              type: str
              sample: monitoring
            decided_by:
              description: The filter or rule, null where there is none.
              type: str
              sample: filter tcp.dstport in {80 443}
            traffic:
              description: V(all) of the traffic that no filter or rule before this one takes,
                or V(some) of it.
              type: str
              sample: some
        out_of_state_tcp:
          description: The filters and rules that decide for out-of-state TCP protection, in the
            order in which they apply.
          type: list
          elements: dict
          contains:
            mode:
              description: V(enabled), V(monitoring), V(disabled), V(off) without filter and rule,
                or V(undecided).
              type: str
              sample: enabled
            decided_by:
              description: The filter or rule, null where there is none.
              type: str
              sample: rule global
            traffic:
              description: V(all) of the traffic that no filter or rule before this one takes,
                or V(some) of it.
              type: str
              sample: all
        dns:
          description: The filters and rules that decide for DNS protection, in the order in which
            they apply.
          type: list
          elements: dict
          contains:
            mode:
              description: V(enabled), V(monitoring), V(disabled), V(off) without filter and rule,
                or V(undecided).
              type: str
              sample: enabled
            decided_by:
              description: The filter or rule, null where there is none.
              type: str
              sample: rule global
            traffic:
              description: V(all) of the traffic that no filter or rule before this one takes,
                or V(some) of it.
              type: str
              sample: all
coverage:
  description: Which addresses the account protects, and how.
  version_added: 1.0.0
  returned: when the module reads all subsets but V(dns_rules), as it does with O(covers)
  type: dict
  contains:
    summary:
      description: The coverage in a few lines for people.
      type: list
      elements: str
      sample:
        - TCP protection is on, and effective.
        - 'Protected: 128 IPv4 addresses (192.0.2.0/25).'
        - 'Excluded: 128 IPv4 addresses (192.0.2.128/25).'
        - 'Allowed as sources: 1 IPv4 address (198.51.100.7/32).'
        - 'SYN flood protection: enabled or monitoring for 128 IPv4 addresses.'
        - 'Out-of-state TCP protection: enabled for 128 IPv4 addresses.'
        - 'DNS protection: enabled for 128 IPv4 addresses.'
    effective:
      description: Whether the protection is on, protects an address, and each component mitigates
        somewhere.
      type: bool
      sample: true
    reasons:
      description: Why the protection is not effective, a sentence each.
      type: list
      elements: str
      sample: []
    gaps:
      description: The protected addresses for which a component does not mitigate all traffic,
        a sentence each.
      type: list
      elements: str
      sample:
        - SYN flood protection treats traffic differently (enabled, monitoring) for 128 IPv4 addresses.
    undecided:
      description: The parts that the module cannot interpret, for example a malformed prefix
        or an unknown mode, a sentence each.
      type: list
      elements: str
      sample: []
    enabled:
      description: Whether the protection is on.
      type: bool
      sample: true
    protected:
      description: The addresses that are in a protected prefix and in no excluded one.
      type: dict
      contains:
        networks:
          description: The fewest networks that hold these addresses, in ascending order.
          type: list
          elements: str
          sample: [192.0.2.0/25]
        addresses:
          description: The number of addresses.
          type: int
          sample: 128
    excluded:
      description: The addresses that are excluded from the protected prefixes.
      type: dict
      contains:
        networks:
          description: The fewest networks that hold these addresses, in ascending order.
          type: list
          elements: str
          sample: [192.0.2.128/25]
        addresses:
          description: The number of addresses.
          type: int
          sample: 128
    uncovered:
      description: The protected addresses for which a component does nothing.
      type: dict
      contains:
        networks:
          description: The fewest networks that hold these addresses, in ascending order.
          type: list
          elements: str
          sample: []
        addresses:
          description: The number of addresses.
          type: int
          sample: 0
    bypassing:
      description: The sources that bypass the protection because of the allowlist.
      type: dict
      contains:
        networks:
          description: The fewest networks that hold these addresses, in ascending order.
          type: list
          elements: str
          sample: [198.51.100.7/32]
        addresses:
          description: The number of addresses.
          type: int
          sample: 1
    modes:
      description: The modes that apply, by component.
      type: dict
      contains:
        syn_flood:
          description: For SYN flood protection, the protected addresses by the modes that apply
            to their traffic.
          type: list
          elements: dict
          contains:
            networks:
              description: The fewest networks that hold these addresses, in ascending order.
              type: list
              elements: str
              sample: [192.0.2.0/25]
            addresses:
              description: The number of addresses.
              type: int
              sample: 128
            modes:
              description: The modes. There are several where filters or scopes treat parts of
                the traffic differently.
              type: list
              elements: str
              sample: [enabled, monitoring]
        out_of_state_tcp:
          description: For out-of-state TCP protection, the protected addresses by the modes that
            apply to their traffic.
          type: list
          elements: dict
          contains:
            networks:
              description: The fewest networks that hold these addresses, in ascending order.
              type: list
              elements: str
              sample: [192.0.2.0/25]
            addresses:
              description: The number of addresses.
              type: int
              sample: 128
            modes:
              description: The modes. There are several where filters or scopes treat parts of
                the traffic differently.
              type: list
              elements: str
              sample: [enabled]
        dns:
          description: For DNS protection, the protected addresses by the modes that apply to
            their traffic.
          type: list
          elements: dict
          contains:
            networks:
              description: The fewest networks that hold these addresses, in ascending order.
              type: list
              elements: str
              sample: [192.0.2.0/25]
            addresses:
              description: The number of addresses.
              type: int
              sample: 128
            modes:
              description: The modes. There are several where filters or scopes treat parts of
                the traffic differently.
              type: list
              elements: str
              sample: [enabled]
    prefixes:
      description: The coverage of each protected prefix.
      type: list
      elements: dict
      contains:
        prefix:
          description: The prefix, as Cloudflare stores it.
          type: str
          sample: 192.0.2.0/24
        addresses:
          description: The number of its addresses that are protected.
          type: int
          sample: 128
        excluded:
          description: The networks that are excluded from it.
          type: list
          elements: str
          sample: [192.0.2.128/25]
        modes:
          description: The modes that apply to its protected addresses, by component.
          type: dict
          contains:
            syn_flood:
              description: The modes of SYN flood protection.
              type: list
              elements: str
              sample: [enabled, monitoring]
            out_of_state_tcp:
              description: The modes of out-of-state TCP protection.
              type: list
              elements: str
              sample: [enabled]
            dns:
              description: The modes of DNS protection.
              type: list
              elements: str
              sample: [enabled]
announced:
  description: The prefixes that the account has brought, and which of their networks are announced
    by BGP.
  version_added: 1.0.0
  returned: when O(gather_subset) has V(announced)
  type: list
  elements: dict
  contains:
    prefix:
      description: The prefix in CIDR notation.
      type: str
      sample: 192.0.2.0/24
    approved:
      description: Whether the vendor has approved the prefix.
      type: bool
      sample: true
    networks:
      description: The parts of the prefix that are announced by themselves.
      type: list
      elements: dict
      contains:
        prefix:
          description: The part in CIDR notation.
          type: str
          sample: 192.0.2.0/24
        announced:
          description: Whether the part is announced, null if Cloudflare does not say.
          type: bool
          sample: true
        since:
          description: When the announcement last changed, null if Cloudflare does not say.
          type: str
          sample: '2026-03-01T09:15:02.310412+00:00'
    delegated:
      description: The parts that other accounts use, and that this account cannot protect.
      type: list
      elements: str
      sample: []
ip_lists:
  description: The lists of addresses that rules may refer to, with their items.
  version_added: 1.0.0
  returned: when O(gather_subset) has V(ip_lists)
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new list lacks in check mode.
      type: str
      sample: 2c0fc9fa937b11eaa1b71c4d701ab86e
    name:
      description: The name of the list.
      type: str
      sample: offices
    kind:
      description: The kind of its items, V(ip), V(asn) or V(hostname).
      type: str
      sample: ip
    description:
      description: The description of the list.
      type: str
      sample: where our people work
    created_on:
      description: When the list was created.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    modified_on:
      description: When the list was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    num_items:
      description: How many items the list has.
      type: int
      sample: 2
    num_referencing_filters:
      description: How many rules refer to the list, by the count of Cloudflare before the run.
      type: int
      sample: 0
    items:
      description: The items of the list.
      type: list
      elements: dict
      contains:
        id:
          description: The id that Cloudflare gives, which a new item lacks in check mode.
          type: str
          sample: 34b12448945f11eaa1b71c4d701ab86e
        ip:
          description: The address or network, as Cloudflare stores it.
          type: str
          sample: 198.51.100.0/24
        comment:
          description: The comment.
          type: str
          sample: Berlin
        created_on:
          description: When the item was created.
          type: str
          sample: '2026-03-01T09:15:02.310412+00:00'
        modified_on:
          description: When the item was last changed.
          type: str
          sample: '2026-03-01T09:15:02.310412+00:00'
packet_phases:
  description: The phases beside the Network Firewall that packets meet, and that this collection
    does not evaluate.
  version_added: 1.0.0
  returned: when O(gather_subset) has V(packet_phases)
  type: list
  elements: dict
  contains:
    phase:
      description: The name of the phase.
      type: str
      sample: magic_transit_managed
    title:
      description: The rules of the phase, in words.
      type: str
      sample: managed rules of the Network Firewall
    rules:
      description: How many rules the phase has.
      type: int
      sample: 0
network_firewall_rules:
  description: The rules of the Network Firewall, in the order in which packets meet them.
  version_added: 1.0.0
  returned: when O(gather_subset) has V(network_firewall_rules)
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new rule lacks in check mode.
      type: str
      sample: 4c687b9868d24463aaf4fea1782ab35e
    ref:
      description: The name that identifies the rule.
      type: str
      sample: monitoring
    action:
      description: The action on a packet that matches.
      type: str
      sample: skip
    expression:
      description: The packets that the rule matches.
      type: str
      sample: ip.src in {198.51.100.0/24}
    description:
      description: The description of the rule.
      type: str
      sample: the monitoring passes
    enabled:
      description: Whether the rule is enabled.
      type: bool
      sample: true
    action_parameters:
      description: The target of the action V(skip). Other rules have none.
      type: dict
      sample: {ruleset: current}
    logging:
      description: Whether Cloudflare logs packets that the rule skips.
      type: dict
      sample: {enabled: true}
    version:
      description: The version of the rule, which grows with each change.
      type: str
      sample: '1'
    last_updated:
      description: When the rule was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
ddos_l4_overrides:
  description: The overrides of the managed DDoS rules of layers 3 and 4, in the order in which
    packets meet them.
  version_added: 1.0.0
  returned: when O(gather_subset) has V(ddos_l4_overrides)
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new override lacks in check mode.
      type: str
      sample: c80945693e6e40e08f8a8b33788a8039
    ref:
      description: The name that identifies the override.
      type: str
      sample: calm
    expression:
      description: The packets that the override matches.
      type: str
      sample: ip.dst in {203.0.113.0/24}
    description:
      description: The description of the override.
      type: str
      sample: load tests
    enabled:
      description: Whether the override is enabled.
      type: bool
      sample: true
    action:
      description: The action of all managed rules, if the override sets one.
      type: str
      sample: block
    sensitivity:
      description: The sensitivity of all managed rules, if the override sets one.
      type: str
      sample: medium
    categories:
      description: Settings of the managed rules of a category.
      type: list
      elements: dict
      sample: [{category: dns, sensitivity: low}]
    rules:
      description: Settings of single managed rules.
      type: list
      elements: dict
      sample: [{id: 8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10, action: log}]
    version:
      description: The version of the override, which grows with each change.
      type: str
      sample: '1'
    last_updated:
      description: When the override was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["protection_info"])


if __name__ == "__main__":
    main()
