#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: network_firewall_rules
short_description: Manage Network Firewall rules of an account, in their order
version_added: 1.0.0
description:
  - Creates, updates, orders and removes the rules of the Cloudflare Network Firewall (formerly Magic
    Firewall) of an account, which match packets.
  - The O(rules[].ref) identifies a rule.
  - Cloudflare evaluates the rules in their order. Rules that the task does not name keep their
    place, their ids and all their fields, unless O(purge=true).
  - The module reads all rules with one call. It adds or deletes up to three rules, or changes one,
    with a call for each, and writes more changes with one call for the whole list. It notices what
    another writer changes at the same time, and loses nothing of that without a warning.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.network_firewall
notes:
  - The module needs the permission C(Magic Firewall Write) of the account. Check mode needs
    C(Magic Firewall Read), and with O(validate=true) the permission to write. A rule that names
    destinations may need C(DDoS Protection Read), by which the guard knows the own prefixes.
  - A packet that a rule lets pass still meets the DDoS protection of the account.
  - An account has 200 rules by default. A plan that exceeds them is refused in check mode too.
  - Lists, countries and some other fields need the advanced features of the Network Firewall. If
    the account lacks them, Cloudflare refuses the rule, and the module says so.
  - If rules refer to lists of addresses, the module reads these lists if the plan changes something
    or the task has expectations. It needs the permission C(Account Filter Lists Read) for that, and
    warns if it lacks it.
options:
  rules:
    description: The rules. Each may occur once.
    type: list
    elements: dict
    required: true
    suboptions:
      ref:
        description: The name that identifies the rule in its account. It cannot be changed.
        type: str
        required: true
      action:
        description:
          - The action on a packet that matches. V(skip) lets it pass by the remaining rules.
            After V(log), Cloudflare evaluates the next rule.
          - A new rule needs one.
        type: str
        choices: [block, skip, log]
      expression:
        description:
          - The packets that match, in the Rules language. White space outside of quotes makes no
            difference.
          - It has at most 4,096 characters.
          - A new rule needs one.
        type: str
      description:
        description: A free text. An empty text clears it. If omitted, an existing description
          stays.
        type: str
      enabled:
        description:
          - Whether the rule is enabled. A new rule gets V(true) by default.
        type: bool
      action_parameters:
        description:
          - The target of the action V(skip). A rule that gets this action gets V(current) by itself.
        type: dict
        suboptions:
          ruleset:
            description: With V(current), the packet skips all rules that follow.
            type: str
            choices: [current]
      logging:
        description:
          - The logging of packets that the rule skips. If omitted, an existing rule keeps its
            value, and Cloudflare logs the packets of a new rule.
        type: dict
        suboptions:
          enabled:
            description: Whether Cloudflare logs the packets.
            type: bool
            required: true
      staged:
        description:
          - The steps of a rule that blocks. It is written with the action V(log), and gets its action by the first run after
            O(rules[].staged.hours) at which it would have stopped few enough of the packets to the account. C(pending) says why it waits.
          - A rule that stops packets already keeps its action. Cloudflare does not know this option.
          - It needs the permission C(Account Analytics Read).
        version_added: 1.0.0
        type: dict
        suboptions:
          hours:
            description: How many hours the rule logs, and are examined. Another change of the rule begins anew.
            type: float
            default: 24
          max_stopped_percent:
            description: How many of a hundred packets the rule may have matched. Not known is too much.
            type: float
            default: 0.1
      expires:
        description:
          - From when on the rule counts as absent, as a date, which ends in UTC, or a timestamp with an offset.
        version_added: 1.0.0
        type: str
      api_fields:
        description:
          - Fields of the rule without an option, with the names and values of the API. A null removes a field.
        version_added: 1.0.0
        type: dict
      position:
        description:
          - The place of a new rule, V(first), V(last), V(before REF) or V(after REF), by default the last.
          - Only O(purge=true) moves an existing rule.
        type: str
  state:
    description:
      - With V(present), the module creates or updates the rules that the task names.
      - With V(absent), the module deletes them. It reads only their O(rules[].ref).
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether the account gets these rules and no others, in this order. Rules that O(ignore)
        matches stay.
      - An empty list requires V(empties_list) in O(accept_risks).
    version_added: 1.0.0
    type: bool
    default: false
  ignore:
    description:
      - Patterns of the refs of rules that somebody else manages, such as V(partner-*). O(purge=true) leaves them where
        they are.
      - An entry of the task with nothing but its O(rules[].ref) says where such a rule stands.
    type: list
    elements: str
    default: []
  validate:
    description:
      - Whether Cloudflare validates the planned rules in check mode, for example their
        expressions. Nothing is written.
      - The token then needs the permission to write in check mode too.
    type: bool
    default: false
  expectations:
    description:
      - Expectations of packets after the plan. A plan that leaves one unmet or undecided is refused.
      - The module evaluates them offline. See
        U(https://github.com/edgeops/ansible-protection/blob/main/docs/expectations.md).
    version_added: 1.0.0
    type: list
    elements: dict
    suboptions:
      description:
        description: The expectation, in words. The default says what the packet gives.
        type: str
      packet:
        description:
          - A packet, as far as it matters. A field of a rule that it does not give is not known.
          - Its keys are C(destination), which it needs, C(destination_port), C(source),
            C(source_port), C(protocol) (V(tcp) or V(udp)), C(data_center), C(region), and C(fields)
            for any other field of the Network Firewall.
        type: dict
      request:
        description: Not for this module. M(edgeops.protection.custom_rules) checks requests.
        type: dict
      every:
        description:
          - An expression, in place of a packet. All packets that match it must have the outcome,
            which the module proves, or refutes with one of them as an example.
        type: str
      traffic:
        description: The traffic of O(expectations[].every). Write V(packets);
          M(edgeops.protection.custom_rules) checks requests.
        choices: [requests, packets]
        type: str
      expect:
        description:
          - V(blocked), V(skipped), V(logged) or V(allowed). A packet that is skipped or logged is
            allowed as well.
          - An outcome of M(edgeops.protection.account_protection), such as V(mitigated), means here
            that the Network Firewall does not block the packet.
        type: raw
        required: true
      rule:
        description: The ref of the rule that must decide.
        type: str
seealso:
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.custom_rules
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
# Create these rules, or update them to match. All other rules stay, in their order.
- name: Let the monitoring pass, and block reflected UDP
  edgeops.protection.network_firewall_rules:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    rules:
      - ref: monitoring
        action: skip
        expression: ip.src in {198.51.100.0/24} and ip.proto eq "udp"
        position: first
      - ref: reflection
        action: block
        expression: udp.srcport in {19 123 389 1900 11211}

- name: Have exactly these rules, in this order, and check what they do
  edgeops.protection.network_firewall_rules:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    rules:
      - ref: monitoring
      - ref: reflection
    purge: true
    expectations:
      - description: NTP answers do not reach the shop
        packet: {destination: 203.0.113.10, protocol: udp, source: 192.0.2.7, source_port: 123}
        expect: blocked
        rule: reflection

- name: Remove a rule
  edgeops.protection.network_firewall_rules:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    rules:
      - ref: monitoring
    state: absent
"""

# `make docs-update` writes this block.
RETURN = r"""
account_id:
  description: The id of the account.
  version_added: 1.0.0
  returned: success
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
rules:
  description: All Network Firewall rules of the account afterwards, in the order in which Cloudflare
    evaluates them.
  returned: success
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
unmanaged:
  description:
    - The rules afterwards that O(rules) does not name, in the order in which Cloudflare evaluates
      them.
    - With O(purge=true), these are the rules that O(ignore) matches.
  version_added: 1.0.0
  returned: success
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: network_firewall_rule
    key:
      description: The key of the object.
      type: str
      sample: monitoring
    weakens:
      description: Whether the object takes protection away from what the task names, null if
        it may.
      type: bool
      sample: false
    reason:
      description: How it does, as a sentence without its subject, or empty.
      type: str
      sample: may let packets pass that Network Firewall rules telnet, reflection would stop
    since:
      description: When the object last changed, null if Cloudflare does not say.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
diff:
  description:
    - The managed fields of the rules that change, before and after, by ref, and the order of
      the rules when it changes.
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The objects before, by collection and key.
      type: dict
      sample:
        network_firewall_rules:
          telnet:
            ref: telnet
            action: block
            expression: tcp.dstport in {23 2323}
            description: ''
            enabled: true
        network_firewall_rules_order: [monitoring, telnet]
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        network_firewall_rules:
          reflection:
            ref: reflection
            action: block
            expression: udp.srcport in {123 389 1900}
            description: ''
            enabled: true
          telnet:
            ref: telnet
            action: block
            expression: tcp.dstport in {23 2323 5555}
            description: ''
            enabled: true
        network_firewall_rules_order: [monitoring, telnet, reflection]
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["network_firewall_rules"])


if __name__ == "__main__":
    main()
