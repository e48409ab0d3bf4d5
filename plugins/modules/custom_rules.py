#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: custom_rules
short_description: Manage the WAF custom rules of a zone
version_added: 0.1.0
description:
  - Brings custom rules of a zone into line, the successor of firewall rules.
  - A rule is identified by its O(rules[].ref).
  - The service evaluates the rules in their order. Rules that a task does not name keep their place, their ids and all
    their fields, unless O(state=exact).
  - All rules are read with one call and written with one call. Somebody who changes the rules between these two is
    overruled.
extends_documentation_fragment:
  - edgeops.protection.attributes
  - edgeops.protection.attributes.write
  - edgeops.protection.connection
  - edgeops.protection.zone
  - edgeops.protection.risks.lists
options:
  rules:
    description: The rules, each once.
    type: list
    elements: dict
    required: true
    suboptions:
      ref:
        description: The name that identifies the rule in the zone. It cannot be changed.
        type: str
        required: true
      action:
        description:
          - What happens to requests that match. A rule with the action V(log) or one that skips just V(products) or
            V(phases) lets the evaluation go on, all others end it.
          - Left out, a live rule keeps its action; a new rule needs one.
          - With another action, the O(rules[].action_parameters) and O(rules[].logging) of the former one go.
        type: str
        choices: [block, challenge, js_challenge, managed_challenge, log, skip]
      expression:
        description:
          - The requests that match, in the Rules language. White space outside of quotes has no meaning.
          - Left out, a live rule keeps its expression; a new rule needs one.
        type: str
      description:
        description: A free text. An empty text clears it; left out, it stays.
        type: str
      enabled:
        description: Whether the rule is in effect. Left out, a live rule stays as it is; for a new rule it is V(true).
        type: bool
      action_parameters:
        description:
          - What the action V(skip) skips, at least one of its fields, or how the action V(block) responds.
          - Given, they replace those of a live rule as a whole. Left out, they stay.
        type: dict
        suboptions:
          ruleset:
            description: With V(current), the rules that follow are skipped.
            type: str
            choices: [current]
          phase:
            description: With V(current), the rest of the phase is skipped.
            type: str
            choices: [current]
          phases:
            description: The phases that are skipped.
            type: list
            elements: str
            choices: [http_ratelimit, http_request_sbfm, http_request_firewall_managed]
          products:
            description: The products that are skipped.
            type: list
            elements: str
            choices: [zoneLockdown, uaBlock, bic, hot, securityLevel, rateLimit, waf]
          response:
            description: What a request is answered that is blocked.
            type: dict
            suboptions:
              status_code:
                description: The HTTP status, from 400 to 499.
                type: int
                required: true
              content:
                description: The body.
                type: str
                required: true
              content_type:
                description: The type of the body, for example V(text/plain).
                type: str
                required: true
      logging:
        description: Whether requests that are skipped are logged. Left out, it stays as it is; the service logs.
        type: dict
        suboptions:
          enabled:
            description: Whether they are logged.
            type: bool
            required: true
      position:
        description:
          - Where a new rule goes, V(first), V(last), V(before REF) or V(after REF) with the ref of another rule.
          - Left out, it goes behind all others. Rules that exist are not moved; O(state=exact) moves them.
        type: str
  state:
    description:
      - With V(present), the rules named are created or brought into line.
      - With V(absent), they are removed; nothing but their O(rules[].ref) is looked at.
      - With V(exact), the zone has these rules and no others, in this order.
    type: str
    choices: [present, absent, exact]
    default: present
  validate:
    description:
      - Whether check mode lets the service check what would be written, without writing it; expressions, for example.
      - The token then needs the permission to write in check mode too.
    type: bool
    default: false
seealso:
  - module: edgeops.protection.custom_rules_info
  - module: edgeops.protection.firewall_rules
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
- name: Let the office pass before anything else, and challenge who logs in
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

- name: Block a network with an answer of its own
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

- name: Have exactly these rules, in this order
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: login
      - ref: office
    state: exact

- name: Remove a rule
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: login
    state: absent
"""

RETURN = r"""
rules:
  description: All custom rules of the zone afterwards, in their order.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id that the service gave it; missing for a rule that check mode foresees.
      type: str
      sample: 3a03d665bac047339bb530ecb439a90d
    ref:
      description: The name that identifies it.
      type: str
      sample: office
    action:
      description: What happens to requests that match.
      type: str
      sample: skip
    expression:
      description: Which requests match.
      type: str
      sample: ip.src in {192.0.2.0/24}
    description:
      description: The description.
      type: str
      sample: the office passes
    enabled:
      description: Whether it is in effect.
      type: bool
      sample: true
    action_parameters:
      description: What the action needs; missing where it needs nothing.
      type: dict
      sample: {ruleset: current}
    logging:
      description: Whether matches are logged; missing where the service says nothing of it.
      type: dict
      contains:
        enabled:
          description: Whether they are.
          type: bool
          sample: true
    version:
      description: How often the rule was changed.
      type: str
      sample: "1"
    last_updated:
      description: When it was last changed.
      type: str
      sample: "2026-03-01T09:15:02.310412Z"

risks:
  description: The risks that the plan carries; those not accepted in a failure, those accepted in a success.
  returned: when there are any
  type: list
  elements: dict
  contains:
    code:
      description: The code, as O(accept_risks) takes it.
      type: str
      sample: mass_deletion
    message:
      description: A sentence on what would happen.
      type: str
      sample: "Custom rules: 5 of 6 would be deleted, which is more than 30 %."
    networks:
      description: The networks concerned, of which custom rules have none.
      type: list
      elements: str
      sample: []
    addresses:
      description: How many addresses these networks hold.
      type: int
      sample: 0
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [office]
diff:
  description:
    - The managed fields of the rules that change, before and after, by ref, and the order where it changes.
    - The same in check mode as in the run that follows.
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The objects concerned as they were, by collection.
      type: dict
      sample: {firewall_rules: {f2d427378e7542acb295380d352e2ebd: {id: f2d427378e7542acb295380d352e2ebd, action:
        challenge}}}
    after:
      description: The objects concerned as they become, by collection.
      type: dict
      sample: {firewall_rules: {f2d427378e7542acb295380d352e2ebd: {id: f2d427378e7542acb295380d352e2ebd, action:
        block}}}
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
      sample: firewall_rule
    key:
      description: What identifies the object.
      type: str
      sample: f2d427378e7542acb295380d352e2ebd
    fields:
      description: The values that are sent; of an object that exists, just the changed ones.
      type: dict
      sample: {action: block}
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
      sample: zones/5c2a81f0f7ae4b2d9b1e6f3a7d904c11/rulesets/phases/http_request_firewall_custom/entrypoint
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
    run_module(MODULE_SPECS["custom_rules"])


if __name__ == "__main__":
    main()
