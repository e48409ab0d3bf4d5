#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: firewall_rules
short_description: Update existing firewall rules of a Cloudflare zone
version_added: 0.1.0
description:
  - Updates existing firewall rules. The module neither creates nor deletes rules.
  - The module sends one rule to its own path, and more rules in batches of up to 25. Each batch is
    a transaction. If a batch fails, the batches before it stay applied.
  - Cloudflare has retired firewall rules for most zones in favor of custom rules. There the task
    fails and says so. M(edgeops.protection.custom_rules) manages custom rules.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._zone
  - edgeops.protection._plan
  - edgeops.protection._risks.zone_rules
notes:
  - The module needs the permission C(Firewall Services Write) of the zone. Check mode needs
    C(Firewall Services Read).
options:
  rules:
    description:
      - The rules, each with the id of an existing rule. Each may occur once. The module leaves all
        other rules of the zone alone.
      - A field that a rule omits keeps its existing value.
    type: list
    elements: dict
    required: true
    suboptions:
      id:
        description:
          - The id of the rule.
          - If a rule does not exist, the task fails before anything is written.
        type: str
        required: true
      action:
        description: The action on a request that matches.
        type: str
        choices: [log, bypass, allow, challenge, managed_challenge, js_challenge, block]
      priority:
        description:
          - The priority, from 0 to 2147483647. Cloudflare evaluates rules with lower numbers
            first, and rules without a priority last.
          - An empty text removes the priority.
        type: raw
      paused:
        description: Whether the rule is paused.
        type: bool
      description:
        description: A free text. An empty text clears it.
        type: str
      products:
        description:
          - The products that a rule with action V(bypass) bypasses. Rules with another action have
            none. An empty list clears it.
        type: list
        elements: str
        choices: [zoneLockdown, uaBlock, bic, hot, securityLevel, rateLimit, waf]
      ref:
        description: A short name that you choose. An empty text clears it.
        type: str
      filter:
        description:
          - The requests that the rule applies to.
          - If Cloudflare does not update the filter together with the rule, the module updates it
            at its own path.
          - If several rules share the filter, it changes for all of them.
        type: dict
        suboptions:
          id:
            description: The id of an existing filter. If omitted, the rule keeps its filter.
            type: str
          expression:
            description: The requests that match, in the Rules language. White space outside of
              quotes makes no difference.
            type: str
          paused:
            description: Whether the filter is paused.
            type: bool
          description:
            description: A free text. An empty text clears it.
            type: str
          ref:
            description: A short name that you choose. An empty text clears it.
            type: str
seealso:
  - module: edgeops.protection.firewall_rules_info
  - module: edgeops.protection.custom_rules
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
# The rule keeps all fields that the task omits.
- name: Turn a challenge into a block and set a priority
  edgeops.protection.firewall_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - id: f2d427378e7542acb295380d352e2ebd
        action: block
        priority: 10

# Both changes are one transaction.
- name: Pause one rule, and let another rule match a second network
  edgeops.protection.firewall_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - id: f2d427378e7542acb295380d352e2ebd
        paused: true
      - id: 14217d7bd5ab435e84b1bd468bf4fb9f
        filter:
          expression: ip.src in {192.0.2.0/24 198.51.100.0/24}
"""

# `make docs-update` writes this block.
RETURN = r"""
rules:
  description: The rules that O(rules) names, afterwards, in the order of O(rules).
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id of the rule.
      type: str
      sample: f2d427378e7542acb295380d352e2ebd
    action:
      description: The action on a request that matches.
      type: str
      sample: block
    priority:
      description: The priority of the rule, null for none.
      type: int
      sample: 20
    paused:
      description: Whether the rule is paused.
      type: bool
      sample: false
    description:
      description: The description of the rule.
      type: str
      sample: scrapers
    products:
      description: The products that a rule with action V(bypass) bypasses.
      type: list
      elements: str
      sample: [waf]
    ref:
      description: A short name that the user gives.
      type: str
      sample: scrapers
    filter:
      description: The requests that the rule applies to.
      type: dict
      contains:
        id:
          description: The id of the filter.
          type: str
          sample: b7c9b0f2f0c34f0fa8b6c58a1d2e3f40
        expression:
          description: The requests that the filter matches.
          type: str
          sample: ip.src in {203.0.112.0/23}
        paused:
          description: Whether the filter is paused.
          type: bool
          sample: false
        description:
          description: The description of the filter.
          type: str
          sample: known scrapers
        ref:
          description: A short name that the user gives.
          type: str
          sample: scraper-networks
unmanaged:
  description: The rules afterwards that O(rules) does not name.
  version_added: 1.0.0
  returned: success
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: firewall_rule
    key:
      description: The key of the object.
      type: str
      sample: 14217d7bd5ab435e84b1bd468bf4fb9f
    weakens:
      description: Whether the object takes protection away from what the task names, such as
        an excluded prefix, an allowlist entry, a filter that is disabled, or a rule that skips
        before others. It is null if it may.
      type: bool
      sample: null
    reason:
      description: How it takes protection away, or what it does to all plain traffic, as a sentence
        without its subject; empty if it does neither.
      type: str
      sample: may skip waf for requests
    since:
      description: When the object last changed, null if Cloudflare does not say.
      type: str
      sample: null
weaker:
  description:
    - The rules that protect less before this run than after it, by their expression, their place
      or their parameters, or since they do not exist, are off or have another kind of action.
  version_added: 1.0.0
  returned: when there are such rules
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: firewall_rule
    key:
      description: The key of the rule.
      type: str
      sample: f2d427378e7542acb295380d352e2ebd
    certain:
      description: Whether it is proven; an expression that is not understood may match more or
        less than another one.
      type: bool
      sample: true
    reason:
      description: The weakness of the rule, as a sentence without its subject.
      type: str
      sample: matches fewer requests than described and has the action challenge, and the baseline
        says block
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
      sample: weakens_zone
    message:
      description: The consequence, in a sentence.
      type: str
      sample: 1 of 1 firewall rule that blocks or challenges would no longer do so (f2d427378e7542acb295380d352e2ebd
        (scrapers) turned into log), which is more than 30 %.
    networks:
      description: The networks that the risk concerns.
      type: list
      elements: str
      sample: []
    addresses:
      description: How many addresses these networks have; large numbers of IPv6 addresses are
        counted in /64 networks.
      type: str
      sample: no addresses
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [f2d427378e7542acb295380d352e2ebd]
    reason:
      description: Why the task accepts the risk, as O(accept_risks) says it; null where it does
        not.
      type: str
      sample: null
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
        firewall_rules:
          f2d427378e7542acb295380d352e2ebd:
            id: f2d427378e7542acb295380d352e2ebd
            action: challenge
            priority: 20
            paused: false
            description: scrapers
            ref: scrapers
            filter:
              id: b7c9b0f2f0c34f0fa8b6c58a1d2e3f40
              expression: ip.src in {203.0.113.0/24}
              paused: false
              description: known scrapers
              ref: scraper-networks
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        firewall_rules:
          f2d427378e7542acb295380d352e2ebd:
            id: f2d427378e7542acb295380d352e2ebd
            action: block
            priority: 20
            paused: false
            description: scrapers
            ref: scrapers
            filter:
              id: b7c9b0f2f0c34f0fa8b6c58a1d2e3f40
              expression: ip.src in {203.0.112.0/23}
              paused: false
              description: known scrapers
              ref: scraper-networks
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
      sample: firewall_rule
    key:
      description: The key of the object.
      type: str
      sample: f2d427378e7542acb295380d352e2ebd
    fields:
      description: The values that the module sends. For an object that exists, these are the
        changed fields.
      type: dict
      sample:
        action: block
        filter: {expression: 'ip.src in {203.0.112.0/23}'}
    before:
      description: The values that change, as they are; null for a field that the object lacks.
        For an object that the module deletes, these are all its values, and for a new object
        there are none.
      type: dict
      sample:
        action: challenge
        filter: {expression: 'ip.src in {203.0.113.0/24}'}
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
  sample: b97c85a2ea9d283e900f785547bb41cdc10a887a0d66c5f9194ce0293b1999cc
ineffective:
  description:
    - The objects of the task that cannot work after the plan, as far as that is proven. See U(https://github.com/edgeops/ansible-protection/blob/main/docs/ineffective.md).
  version_added: 1.0.0
  returned: when the task names rules, filters, overrides, entries of the allowlist or items of
    a list
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: firewall_rule
    key:
      description: The key of the object.
      type: str
      sample: f2d427378e7542acb295380d352e2ebd
    kind:
      description: 'The reason in a word: V(never), V(shadowed), V(duplicate), V(unreachable),
        V(outside) or V(covered).'
      type: str
      sample: unreachable
    by:
      description: The keys of the objects that it is ineffective by, the fewest; none if that
        is its own fault.
      type: list
      elements: str
      sample: []
    reason:
      description: The reason, as a sentence.
      type: str
      sample: it names private or reserved sources alone, and no request of the internet has them
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
    - action: update
      resource: firewall_rule
      key: f2d427378e7542acb295380d352e2ebd
      fields: {action: log}
      before: {action: challenge}
unknown:
  description: The operations that may have been applied, in the shape of RV(operations). The
    answer of Cloudflare was lost.
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: update
      resource: firewall_rule
      key: f2d427378e7542acb295380d352e2ebd
      fields: {action: log}
      before: {action: challenge}
calls:
  description: The number of calls to Cloudflare, repeated calls included.
  returned: with C(-v)
  type: int
  sample: 3
error:
  description: The call that failed, and the answer of Cloudflare.
  returned: failure of a call to Cloudflare
  type: dict
  contains:
    method:
      description: The HTTP method of the call.
      type: str
      sample: PUT
    path:
      description: The path of the call behind the base URL.
      type: str
      sample: zones/5c2a81f0f7ae4b2d9b1e6f3a7d904c11/firewall/rules/f2d427378e7542acb295380d352e2ebd
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
      sample: d4735e3a265e16ee-LOC
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["firewall_rules"])


if __name__ == "__main__":
    main()
