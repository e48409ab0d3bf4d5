#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: protection_traffic_info
short_description: Read traffic that the protection of an account drops or would drop
version_added: 1.0.0
description:
  - Asks the analytics of an account which packets SYN flood protection, out-of-state TCP protection
    and DNS protection let pass, which they dropped, and which they would have dropped if they did
    not only monitor.
  - Asks once an account where a page suffices. Numbers are estimates, since Cloudflare samples.
  - Not known is not zero. If the analytics do not tell something, C(known) is V(false), and
    C(unknown) says why. The task does not fail then.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.info
  - edgeops.protection._connection
  - edgeops.protection._account
notes:
  - The module needs the permission C(Account Analytics Read) of the account, which other modules do
    not need.
  - The analytics take 300 queries in 5 minutes about one account, whoever asks, beside the calls
    that O(call_budget) counts. All runs of this control node share that budget, unless
    O(call_budget) is V(0).
options:
  hours:
    description:
      - How far to look back, in hours.
      - If the account keeps its analytics for a shorter time, the result has the numbers of that
        time, and says so.
    type: float
    default: 24.0
  prefixes:
    description:
      - Only the traffic to these networks. Each of them is one network of the result.
      - Without it, the result has the subnets that traffic went to, V(/24) of IPv4 and V(/64) of
        IPv6.
    type: list
    elements: str
  components:
    description: Only the traffic that these components saw.
    type: list
    elements: str
    choices: [syn_flood, out_of_state_tcp, dns]
    default: [syn_flood, out_of_state_tcp, dns]
  top:
    description:
      - How many of the heaviest sources, source networks, autonomous systems, countries and ports the
        result has, from 1 to 100. They count the packets that were dropped, and those that would have
        been dropped.
      - Without it, the result has none of them. O(prefixes) does not narrow them. If something was
        dropped, they take one query more.
    type: int
seealso:
  - module: edgeops.protection.protection_info
  - module: edgeops.protection.protection_rule
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
- name: Read what would have been dropped since yesterday
  edgeops.protection.protection_traffic_info:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
  register: seen

- name: Show the networks that would lose most
  ansible.builtin.debug:
    msg: "{{ seen.traffic.components.out_of_state_tcp.networks[:5] }}"

- name: Show who attacks
  edgeops.protection.protection_traffic_info:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    hours: 0.25
    top: 10

- name: Look at one network for a week
  edgeops.protection.protection_traffic_info:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    hours: 168
    prefixes: [203.0.113.0/24]
    components: [out_of_state_tcp]
"""

# `make docs-update` writes this block.
RETURN = r"""
account_id:
  description: The id of the account.
  returned: success
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
traffic:
  description: The packets that the components let pass, dropped, and would have dropped.
  returned: success
  type: dict
  contains:
    since:
      description: The beginning of the time that was asked for.
      type: str
      sample: '2026-02-28T09:15:02+00:00'
    until:
      description: The end of that time.
      type: str
      sample: '2026-03-01T09:15:02+00:00'
    known:
      description: Whether everything is known.
      type: bool
      sample: true
    unknown:
      description: The unknown parts and their reasons, a sentence each.
      type: list
      elements: str
      sample: []
    components:
      description: The traffic by component.
      type: dict
      contains:
        syn_flood:
          description: The traffic that SYN flood protection saw.
          type: dict
          contains:
            passed_packets:
              description: The packets that passed, null where none were seen.
              type: int
              sample: 90000000
            dropped_packets:
              description: The packets that were dropped, null where none were seen.
              type: int
              sample: 0
            would_drop_packets:
              description: The packets that passed and would have been dropped, null where none
                were seen.
              type: int
              sample: 12000
            would_drop_percent:
              description: How many of a hundred packets would have been dropped, null where none
                were seen.
              type: float
              sample: 0.013
            sample_interval:
              description: Of how many packets Cloudflare looked at one, null where none were
                seen.
              type: int
              sample: 1000
            known:
              description: Whether these numbers say something.
              type: bool
              sample: true
            unknown:
              description: The unknown parts and their reasons, a sentence each.
              type: list
              elements: str
              sample: []
            reasons:
              description: The packets that were or would have been dropped, by the reason that
                Cloudflare gives.
              type: dict
              sample: {CHALLENGE_NEEDED: 12000}
            advice:
              description: Advice on packets that would have been dropped, a sentence for each
                reason.
              type: list
              elements: str
              sample:
                - 'CHALLENGE: clients would be challenged; lower the sensitivities if they are
                  your own.'
            networks:
              description: The traffic by network, those that would lose most first.
              type: list
              elements: dict
              contains:
                network:
                  description: The network.
                  type: str
                  sample: 192.0.2.0/24
                passed_packets:
                  description: The packets that passed, null where none were seen.
                  type: int
                  sample: 90000000
                dropped_packets:
                  description: The packets that were dropped, null where none were seen.
                  type: int
                  sample: 0
                would_drop_packets:
                  description: The packets that passed and would have been dropped, null where
                    none were seen.
                  type: int
                  sample: 12000
                would_drop_percent:
                  description: How many of a hundred packets would have been dropped, null where
                    none were seen.
                  type: float
                  sample: 0.013
                data_centers:
                  description: The packets that would have been dropped, by data center.
                  type: dict
                  sample: {FRA: 12000}
                known:
                  description: Whether these numbers say something.
                  type: bool
                  sample: true
        out_of_state_tcp:
          description: The traffic that out-of-state TCP protection saw.
          type: dict
          contains:
            passed_packets:
              description: The packets that passed, null where none were seen.
              type: int
              sample: 90000000
            dropped_packets:
              description: The packets that were dropped, null where none were seen.
              type: int
              sample: 0
            would_drop_packets:
              description: The packets that passed and would have been dropped, null where none
                were seen.
              type: int
              sample: 45000
            would_drop_percent:
              description: How many of a hundred packets would have been dropped, null where none
                were seen.
              type: float
              sample: 0.05
            sample_interval:
              description: Of how many packets Cloudflare looked at one, null where none were
                seen.
              type: int
              sample: 1000
            known:
              description: Whether these numbers say something.
              type: bool
              sample: true
            unknown:
              description: The unknown parts and their reasons, a sentence each.
              type: list
              elements: str
              sample: []
            reasons:
              description: The packets that were or would have been dropped, by the reason that
                Cloudflare gives.
              type: dict
              sample: {NOT_FOUND: 45000}
            advice:
              description: Advice on packets that would have been dropped, a sentence for each
                reason.
              type: list
              elements: str
              sample:
                - 'NOT_FOUND: flow tracking has not learned these connections yet; monitor longer.'
            networks:
              description: The traffic by network, those that would lose most first.
              type: list
              elements: dict
              contains:
                network:
                  description: The network.
                  type: str
                  sample: 192.0.2.0/24
                passed_packets:
                  description: The packets that passed, null where none were seen.
                  type: int
                  sample: 90000000
                dropped_packets:
                  description: The packets that were dropped, null where none were seen.
                  type: int
                  sample: 0
                would_drop_packets:
                  description: The packets that passed and would have been dropped, null where
                    none were seen.
                  type: int
                  sample: 45000
                would_drop_percent:
                  description: How many of a hundred packets would have been dropped, null where
                    none were seen.
                  type: float
                  sample: 0.05
                data_centers:
                  description: The packets that would have been dropped, by data center.
                  type: dict
                  sample: {FRA: 45000}
                known:
                  description: Whether these numbers say something.
                  type: bool
                  sample: true
        dns:
          description: The traffic that DNS protection saw.
          type: dict
          contains:
            passed_packets:
              description: The packets that passed, null where none were seen.
              type: int
              sample: 4000000
            dropped_packets:
              description: The packets that were dropped, null where none were seen.
              type: int
              sample: 0
            would_drop_packets:
              description: The packets that passed and would have been dropped, null where none
                were seen.
              type: int
              sample: 8000
            would_drop_percent:
              description: How many of a hundred packets would have been dropped, null where none
                were seen.
              type: float
              sample: 0.2
            sample_interval:
              description: Of how many packets Cloudflare looked at one, null where none were
                seen.
              type: int
              sample: 1000
            known:
              description: Whether these numbers say something.
              type: bool
              sample: true
            unknown:
              description: The unknown parts and their reasons, a sentence each.
              type: list
              elements: str
              sample: []
            reasons:
              description: The packets that were or would have been dropped, by the reason that
                Cloudflare gives.
              type: dict
              sample: {CHALLENGE: 8000}
            advice:
              description: Advice on packets that would have been dropped, a sentence for each
                reason.
              type: list
              elements: str
              sample:
                - 'CHALLENGE: clients would be challenged; lower the sensitivities if they are
                  your own.'
            networks:
              description: The traffic by network, those that would lose most first.
              type: list
              elements: dict
              contains:
                network:
                  description: The network.
                  type: str
                  sample: 192.0.2.0/24
                passed_packets:
                  description: The packets that passed, null where none were seen.
                  type: int
                  sample: 4000000
                dropped_packets:
                  description: The packets that were dropped, null where none were seen.
                  type: int
                  sample: 0
                would_drop_packets:
                  description: The packets that passed and would have been dropped, null where
                    none were seen.
                  type: int
                  sample: 8000
                would_drop_percent:
                  description: How many of a hundred packets would have been dropped, null where
                    none were seen.
                  type: float
                  sample: 0.2
                data_centers:
                  description: The packets that would have been dropped, by data center.
                  type: dict
                  sample: {FRA: 8000}
                known:
                  description: Whether these numbers say something.
                  type: bool
                  sample: true
    top:
      description: The heaviest of the packets that were dropped, and of those that would have
        been.
      version_added: 1.0.0
      returned: when O(top) is given
      type: dict
      contains:
        known:
          description: Whether these lists are complete.
          type: bool
          sample: true
        unknown:
          description: The unknown parts and their reasons, a sentence each.
          type: list
          elements: str
          sample: []
        sources:
          description: The addresses that sent most, the heaviest first.
          type: list
          elements: dict
          contains:
            value:
              description: The address, network, number, code or port.
              type: str
              sample: 198.51.100.7
            packets:
              description: The packets, an estimate.
              type: int
              sample: 65000
        source_networks:
          description: Their networks, V(/24) of IPv4 and V(/64) of IPv6.
          type: list
          elements: dict
          contains:
            value:
              description: The address, network, number, code or port.
              type: str
              sample: 198.51.100.0/24
            packets:
              description: The packets, an estimate.
              type: int
              sample: 65000
        asns:
          description: The numbers of their autonomous systems.
          type: list
          elements: dict
          contains:
            value:
              description: The address, network, number, code or port.
              type: str
              sample: '64500'
            packets:
              description: The packets, an estimate.
              type: int
              sample: 65000
        countries:
          description: The codes of their countries.
          type: list
          elements: dict
          contains:
            value:
              description: The address, network, number, code or port.
              type: str
              sample: DE
            packets:
              description: The packets, an estimate.
              type: int
              sample: 65000
        ports:
          description: The ports that the packets went to.
          type: list
          elements: dict
          contains:
            value:
              description: The address, network, number, code or port.
              type: str
              sample: '443'
            packets:
              description: The packets, an estimate.
              type: int
              sample: 65000
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["protection_traffic_info"])


if __name__ == "__main__":
    main()
