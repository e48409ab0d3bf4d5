#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: firewall_rules
short_description: Update firewall rules of a zone, one or many in a transaction
version_added: 0.1.0
description:
  - Brings firewall rules that exist into line. It neither creates nor removes rules.
  - One rule that changes is sent to its own path, up to 25 as one batch, more in batches of 25. Each batch is a
    transaction; when a batch fails, those before it stay.
  - The service has retired this interface for most zones in favour of custom rules, and answers there with an error.
extends_documentation_fragment:
  - edgeops.protection.attributes
  - edgeops.protection.attributes.write
  - edgeops.protection.connection
  - edgeops.protection.zone
options:
  rules:
    description:
      - The rules, each once and with the id of a rule that exists. All other rules of the zone are left alone.
      - What a rule leaves out keeps its live value.
    type: list
    elements: dict
    required: true
    suboptions:
      id:
        description:
          - The id of the rule.
          - When a rule that is named does not exist, the task fails before anything is written.
        type: str
        required: true
      action:
        description: What the rule does with a request.
        type: str
        choices: [log, bypass, allow, challenge, managed_challenge, js_challenge, block]
      priority:
        description:
          - The rule's place among the others, from 0 to 2147483647; lower numbers come first, rules without one last.
          - An empty text removes the priority.
        type: raw
      paused:
        description: Whether the rule is paused.
        type: bool
      description:
        description: A free text. An empty text clears it.
        type: str
      products:
        description: What a rule with action V(bypass) bypasses; only such a rule has any. An empty list clears it.
        type: list
        elements: str
        choices: [zoneLockdown, uaBlock, bic, hot, securityLevel, rateLimit, waf]
      ref:
        description: A short name of your own. An empty text clears it.
        type: str
      filter:
        description:
          - Which requests the rule applies to.
          - Where the service leaves the filter as it was, it is brought into line at its own path.
          - A filter that several rules share changes for all of them.
        type: dict
        suboptions:
          id:
            description: The id of a filter that exists; left out, the rule keeps its filter.
            type: str
          expression:
            description: The requests that match, in the Rules language. White space outside of quotes has no meaning.
            type: str
          paused:
            description: Whether the filter is paused.
            type: bool
          description:
            description: A free text. An empty text clears it.
            type: str
          ref:
            description: A short name of your own. An empty text clears it.
            type: str
seealso:
  - module: edgeops.protection.firewall_rules_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
- name: Turn a challenge into a block and give it a priority
  edgeops.protection.firewall_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - id: f2d427378e7542acb295380d352e2ebd
        action: block
        priority: 10

- name: Pause one rule, and let another match a further network
  edgeops.protection.firewall_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - id: f2d427378e7542acb295380d352e2ebd
        paused: true
      - id: 14217d7bd5ab435e84b1bd468bf4fb9f
        filter:
          expression: ip.src in {192.0.2.0/24 198.51.100.0/24}
"""

RETURN = r"""
rules:
  description: The rules named, afterwards and in the order given.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id.
      type: str
      sample: f2d427378e7542acb295380d352e2ebd
    action:
      description: What it does with a request.
      type: str
      sample: challenge
    priority:
      description: Its place among the rules, null for none.
      type: int
      sample: 20
    paused:
      description: Whether it is paused.
      type: bool
      sample: false
    description:
      description: A free text.
      type: str
      sample: block scrapers
    products:
      description: What a rule with action V(bypass) bypasses.
      type: list
      elements: str
      sample: [waf]
    ref:
      description: A short name of the user's own.
      type: str
      sample: scrapers
    filter:
      description: Which requests it applies to.
      type: dict
      contains:
        id:
          description: The id.
          type: str
          sample: b7c9b0f2f0c34f0fa8b6c58a1d2e3f40
        expression:
          description: The requests that it matches.
          type: str
          sample: ip.src in {192.0.2.0/24}
        paused:
          description: Whether it is paused.
          type: bool
          sample: false
        description:
          description: A free text.
          type: str
          sample: office networks
        ref:
          description: A short name of the user's own.
          type: str
          sample: office

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
      sample: zones/5c2a81f0f7ae4b2d9b1e6f3a7d904c11/firewall/rules
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
    run_module(MODULE_SPECS["firewall_rules"])


if __name__ == "__main__":
    main()
