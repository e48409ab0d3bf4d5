#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: protection_info
short_description: Read an account's Advanced TCP Protection
version_added: 0.1.0
description:
  - Returns the status, the protected prefixes, the allowlist, the rules and the filters of an account.
  - Each list is complete, or the task fails. Not being allowed to look is a failure too, and never an empty list.
extends_documentation_fragment:
  - edgeops.protection.attributes
  - edgeops.protection.attributes.info
  - edgeops.protection.connection
  - edgeops.protection.account
options:
  gather_subset:
    description: What is read.
    type: list
    elements: str
    choices: [status, prefixes, allowlist, rules, filters]
    default: [status, prefixes, allowlist, rules, filters]
  covers:
    description:
      - Addresses and networks, of each of which RV(covers) says whether and how it is protected.
      - To tell, the module reads everything, and returns what O(gather_subset) names.
    type: list
    elements: str
seealso:
  - module: edgeops.protection.account_protection
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
- name: Read everything
  edgeops.protection.protection_info:
  register: protection

- name: Show the networks that are carved out
  ansible.builtin.debug:
    msg: "{{ protection.prefixes | selectattr('excluded') | map(attribute='prefix') }}"

- name: Ask whether an address is protected
  edgeops.protection.protection_info:
    covers: [203.0.113.7]
  register: asked

- name: Stop if it is not
  ansible.builtin.assert:
    that: asked.covers[0].protected

- name: Read the rules and filters only
  edgeops.protection.protection_info:
    gather_subset: [rules, filters]
"""

RETURN = r"""
status:
  description: The status.
  returned: when O(gather_subset) holds V(status)
  type: dict
  contains:
    enabled:
      description: Whether the protection is on.
      type: bool
      sample: true
prefixes:
  description: The protected prefixes.
  returned: when O(gather_subset) holds V(prefixes)
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
  returned: when O(gather_subset) holds V(allowlist)
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
  returned: when O(gather_subset) holds V(rules)
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
  returned: when O(gather_subset) holds V(filters)
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
covers:
  description: For each address or network that O(covers) names, whether and how it is protected.
  returned: when O(covers) is given
  type: list
  elements: dict
  contains:
    network:
      description: The network that was asked for.
      type: str
      sample: 192.0.2.7/32
    protected:
      description: Whether all of it is protected, as far as prefixes decide.
      type: bool
      sample: true
    parts:
      description: Its parts.
      type: dict
      contains:
        protected:
          description: What is protected.
          type: dict
          contains:
            networks:
              description: The networks, as few as possible, in ascending order.
              type: list
              elements: str
              sample: [192.0.2.7/32]
            addresses:
              description: How many addresses they hold.
              type: int
              sample: 256
        excluded:
          description: What is carved out of a protected prefix.
          type: dict
          contains:
            networks:
              description: The networks, as few as possible, in ascending order.
              type: list
              elements: str
              sample: []
            addresses:
              description: How many addresses they hold.
              type: int
              sample: 256
        outside:
          description: What is in no protected prefix.
          type: dict
          contains:
            networks:
              description: The networks, as few as possible, in ascending order.
              type: list
              elements: str
              sample: []
            addresses:
              description: How many addresses they hold.
              type: int
              sample: 256
    protected_by:
      description: The protected prefixes that hold a part of it, the widest first.
      type: list
      elements: str
      sample: [192.0.2.0/24]
    excluded_by:
      description: The excluded prefixes that hold a part of it, the widest first.
      type: list
      elements: str
      sample: []
    modes:
      description: What decides for its traffic, by component.
      type: dict
      contains:
        syn_flood:
          description: What decides for SYN flood protection, in the order in which it is asked.
          type: list
          elements: dict
          contains:
            mode:
              description: V(enabled), V(monitoring), V(disabled), V(off) without filter and rule, or V(undecided).
              type: str
              sample: monitoring
            decided_by:
              description: The filter or rule, null where there is none.
              type: str
              sample: rule global
            traffic:
              description: V(all) of the traffic that nothing before it takes, or V(some) of it.
              type: str
              sample: all
        out_of_state_tcp:
          description: What decides for out-of-state TCP protection, in the order in which it is asked.
          type: list
          elements: dict
          contains:
            mode:
              description: V(enabled), V(monitoring), V(disabled), V(off) without filter and rule, or V(undecided).
              type: str
              sample: monitoring
            decided_by:
              description: The filter or rule, null where there is none.
              type: str
              sample: rule global
            traffic:
              description: V(all) of the traffic that nothing before it takes, or V(some) of it.
              type: str
              sample: all
coverage:
  description: What the account protects, and how.
  returned: when everything is read, which O(covers) sees to
  type: dict
  contains:
    summary:
      description: The rest in a few lines for people.
      type: list
      elements: str
      sample: ["TCP protection is on, and effective.", "Protected: 256 IPv4 addresses (192.0.2.0/24)."]
    effective:
      description: Whether the protection is on, there is a protected address, and each component mitigates somewhere.
      type: bool
      sample: false
    reasons:
      description: Why it is not effective, a sentence each.
      type: list
      elements: str
      sample: ["SYN flood protection mitigates nothing: it only monitors."]
    gaps:
      description: For how many of the protected addresses a component does not mitigate all traffic, a sentence each.
      type: list
      elements: str
      sample: [SYN flood protection only monitors the traffic to 256 IPv4 addresses.]
    undecided:
      description: What is not understood, for example a malformed prefix or an unknown mode, a sentence each.
      type: list
      elements: str
      sample: []
    enabled:
      description: Whether the protection is on.
      type: bool
      sample: true
    protected:
      description: What is in a protected prefix and in no excluded one.
      type: dict
      contains:
        networks:
          description: The networks, as few as possible, in ascending order.
          type: list
          elements: str
          sample: [192.0.2.0/24]
        addresses:
          description: How many addresses they hold.
          type: int
          sample: 256
    excluded:
      description: What is carved out of the protected prefixes.
      type: dict
      contains:
        networks:
          description: The networks, as few as possible, in ascending order.
          type: list
          elements: str
          sample: []
        addresses:
          description: How many addresses they hold.
          type: int
          sample: 256
    uncovered:
      description: What is protected, and yet one of the components does nothing for it.
      type: dict
      contains:
        networks:
          description: The networks, as few as possible, in ascending order.
          type: list
          elements: str
          sample: []
        addresses:
          description: How many addresses they hold.
          type: int
          sample: 256
    bypassing:
      description: The sources that pass because of the allowlist.
      type: dict
      contains:
        networks:
          description: The networks, as few as possible, in ascending order.
          type: list
          elements: str
          sample: [198.51.100.7/32]
        addresses:
          description: How many addresses they hold.
          type: int
          sample: 256
    modes:
      description: The modes that apply, by component.
      type: dict
      contains:
        syn_flood:
          description: For SYN flood protection, the protected addresses by the modes that their traffic meets.
          type: list
          elements: dict
          contains:
            modes:
              description: The modes; several where filters or scopes make a difference.
              type: list
              elements: str
              sample: [enabled]
            networks:
              description: The networks.
              type: list
              elements: str
              sample: [192.0.2.0/24]
            addresses:
              description: How many addresses they hold.
              type: int
              sample: 256
        out_of_state_tcp:
          description: For out-of-state TCP protection, the protected addresses by the modes that their traffic meets.
          type: list
          elements: dict
          contains:
            modes:
              description: The modes; several where filters or scopes make a difference.
              type: list
              elements: str
              sample: [enabled]
            networks:
              description: The networks.
              type: list
              elements: str
              sample: [192.0.2.0/24]
            addresses:
              description: How many addresses they hold.
              type: int
              sample: 256
    prefixes:
      description: The same for each protected prefix.
      type: list
      elements: dict
      contains:
        prefix:
          description: The prefix, as the service holds it.
          type: str
          sample: 192.0.2.0/24
        addresses:
          description: How many of its addresses are protected.
          type: int
          sample: 256
        excluded:
          description: The networks that are carved out of it.
          type: list
          elements: str
          sample: []
        modes:
          description: The modes that its protected addresses meet, by component.
          type: dict
          contains:
            syn_flood:
              description: The modes of SYN flood protection.
              type: list
              elements: str
              sample: [enabled]
            out_of_state_tcp:
              description: The modes of out-of-state TCP protection.
              type: list
              elements: str
              sample: [monitoring]
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
    run_module(MODULE_SPECS["protection_info"])


if __name__ == "__main__":
    main()
