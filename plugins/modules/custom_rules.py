#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: custom_rules
short_description: Manage WAF custom rules of a zone, in their order
version_added: 1.0.0
description:
  - Creates, updates, orders and removes the WAF custom rules of a zone. Custom rules are the
    successor of firewall rules.
  - The O(rules[].ref) identifies a rule.
  - Cloudflare evaluates the rules in their order. Rules that the task does not name keep their
    place, their ids and all their fields, unless O(purge=true).
  - The module reads all rules with one call. It adds or deletes up to three rules, or changes one,
    with a call for each, and writes more changes with one call for the whole list. It notices what
    another writer changes at the same time, and loses nothing of that without a warning.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._backtest
  - edgeops.protection._connection
  - edgeops.protection._zone
  - edgeops.protection._plan
  - edgeops.protection._risks.zone_lists
notes:
  - The module needs the permission C(Zone WAF Write) of the zone. Check mode needs C(Zone WAF
    Read), and with O(validate=true) the permission to write.
  - If rules refer to lists of addresses, the module reads these lists if the plan changes something
    or the task has expectations. It needs the permission C(Account Filter Lists Read) for that, and
    warns if it lacks it.
  - If rules execute custom rulesets, the module reads these. Expectations of requests need the
    permission C(Zone Read), and for a zone of the plan Enterprise C(Account WAF Read), since
    requests meet the custom rules of the account first.
options:
  rules:
    description: The rules. Each may occur once.
    type: list
    elements: dict
    required: true
    suboptions:
      ref:
        description: The name that identifies the rule in its zone. It cannot be changed.
        type: str
        required: true
      action:
        description:
          - The action on a request that matches. After V(log), and after a V(skip) of
            V(products) or V(phases) only, Cloudflare evaluates the next rule. Every other action
            ends the evaluation.
          - A new rule needs one.
        type: str
        choices: [block, challenge, js_challenge, managed_challenge, log, skip]
      expression:
        description:
          - The requests that match, in the Rules language. White space outside of quotes makes no
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
          - The target of the action V(skip), at least one field, or how the action V(block)
            responds.
          - The parameters, with those in O(rules[].api_fields), replace all existing ones. If omitted, the existing parameters stay.
        type: dict
        suboptions:
          ruleset:
            description: With V(current), the request skips all custom rules that follow.
            type: str
            choices: [current]
          phase:
            description: With V(current), the request skips the rest of the phase.
            type: str
            choices: [current]
          phases:
            description: The phases that the request skips.
            type: list
            elements: str
            choices: [http_ratelimit, http_request_sbfm, http_request_firewall_managed]
          products:
            description: The products that the request skips.
            type: list
            elements: str
            choices: [zoneLockdown, uaBlock, bic, hot, securityLevel, rateLimit, waf]
          response:
            description: The answer to a request that the rule blocks.
            type: dict
            suboptions:
              status_code:
                description: The HTTP status, from 400 to 499.
                type: int
                required: true
              content:
                description: The body of the answer, at most 2 KB.
                type: str
                required: true
              content_type:
                description: The content type of the body.
                type: str
                choices: [application/json, text/html, text/plain, text/xml]
                required: true
      logging:
        description:
          - The logging of requests that the rule skips; it goes with the action V(skip) alone. If
            omitted, an existing rule keeps its value, and Cloudflare logs the requests of a new
            rule.
        type: dict
        suboptions:
          enabled:
            description: Whether Cloudflare logs the requests.
            type: bool
            required: true
      staged:
        description:
          - The steps of a rule that blocks or challenges. It is written with the action V(log), and gets its action by the first run
            after O(rules[].staged.hours) at which it would have stopped few enough of the requests. C(pending) says why it waits.
          - Where the plan of the zone does not have the action V(log), the rule gets its action at once, unless a backtest of
            the past requests finds more; that is the risk V(blocks_traffic).
          - A rule that stops requests already keeps its action. Cloudflare does not know this option.
        version_added: 1.0.0
        type: dict
        suboptions:
          hours:
            description: How many hours the rule logs, and are examined. Another change of the rule begins anew.
            type: float
            default: 24
          max_stopped_percent:
            description: How many of a hundred requests the rule may have matched. Not known is too much.
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
      - Whether the zone gets these rules and no others, in this order. Rules that O(ignore)
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
      - Expectations of requests after the plan. A plan that leaves one unmet or undecided is refused.
      - The module evaluates them offline. See
        U(https://github.com/edgeops/ansible-protection/blob/main/docs/expectations.md).
    version_added: 1.0.0
    type: list
    elements: dict
    suboptions:
      description:
        description: The expectation, in words. The default says what the request gives.
        type: str
      request:
        description:
          - A request, as far as it matters. A field of a rule that it does not give is not known.
          - Its keys are C(source), C(method), C(scheme), C(host), C(path), C(query), C(uri),
            C(country), C(continent), C(asn), C(user_agent), C(referer), C(headers), C(cookies),
            C(tls_version), C(tls_cipher), and C(fields) for any other field of the Rules
            language.
        type: dict
      packet:
        description:
          - Not for this module. M(edgeops.protection.account_protection) checks packets.
        type: dict
      every:
        description:
          - An expression, in place of a request. All requests that match it must have the outcome,
            which the module proves, or refutes with one of them as an example.
        type: str
      traffic:
        description: The traffic of O(expectations[].every). By default C(requests); this module checks no packets.
        choices: [requests, packets]
        type: str
      expect:
        description:
          - V(blocked), V(challenged), V(skipped), V(logged) or V(allowed).
          - A request that is skipped or logged is allowed as well.
        type: raw
        required: true
      rule:
        description: The ref of the rule that must decide.
        type: str
seealso:
  - module: edgeops.protection.custom_rules_info
  - module: edgeops.protection.firewall_rules
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
# Create these rules, or update them to match. All other rules stay, in their order.
- name: Let the office skip all rules, and challenge logins
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: office
        action: skip
        action_parameters:
          ruleset: current
        expression: ip.src in {192.0.2.0/24}
        position: first
      - ref: login
        action: managed_challenge
        expression: http.request.uri.path eq "/login"

# A new rule goes to its position. Existing rules are not moved.
- name: Block a network with a custom response
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: blocked
        action: block
        action_parameters:
          response:
            status_code: 403
            content: Ask the operators.
            content_type: text/plain
        expression: ip.src in {203.0.113.0/24}
        position: after office

# Delete all other rules, and reorder these. The fields that the task omits stay.
- name: Have exactly these rules, in this order
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: login
      - ref: office
      - ref: blocked
    purge: true

- name: Have exactly these rules, and those of the partner
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: office
      - ref: login
      - ref: blocked
    purge: true
    ignore: [partner-*]

- name: Remove a rule
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: login
    state: absent
"""

# `make docs-update` writes this block.
RETURN = r"""
pending:
  description: The rules that log, and get their actions in a later run.
  version_added: 1.0.0
  returned: when a rule with O(rules[].staged) waits
  type: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: custom_rule
    key:
      description: The key of the object.
      type: str
      sample: cart
    mode:
      description: The desired mode.
      type: str
      sample: managed_challenge
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
      sample: custom rule cart logs, and gets its action by the first run that finds out since
        when.
zone_id:
  description: The id of the zone.
  version_added: 1.0.0
  returned: success
  type: str
  sample: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
rules:
  description: All custom rules of the zone afterwards, in the order in which Cloudflare evaluates
    them.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new rule lacks in check mode.
      type: str
      sample: 3b5538ff8e194ab6b4bb0f0d9756d53c
    ref:
      description: The name that identifies the rule.
      type: str
      sample: office
    action:
      description: The action on a request that matches.
      type: str
      sample: skip
    expression:
      description: The requests that the rule matches.
      type: str
      sample: ip.src in {192.0.2.0/24}
    description:
      description: The description of the rule.
      type: str
      sample: the office passes
    enabled:
      description: Whether the rule is enabled.
      type: bool
      sample: true
    action_parameters:
      description: The target of the action V(skip), or the response of the action V(block). Other
        rules have none.
      type: dict
      sample: {ruleset: current}
    logging:
      description: Whether Cloudflare logs requests that the rule skips.
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
      sample: custom_rule
    key:
      description: The key of the object.
      type: str
      sample: office
    weakens:
      description: Whether the object takes protection away from what the task names, null if
        it may.
      type: bool
      sample: false
    reason:
      description: How it does, as a sentence without its subject, or empty.
      type: str
      sample: may let requests pass that custom rule login would stop
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
        custom_rules:
          login:
            ref: login
            action: managed_challenge
            expression: http.request.uri.path eq "/login"
            description: ''
            enabled: true
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        custom_rules:
          login:
            ref: login
            action: block
            expression: http.request.uri.path in {"/login" "/form"}
            description: ''
            enabled: true
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["custom_rules"])


if __name__ == "__main__":
    main()
