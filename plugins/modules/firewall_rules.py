#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: firewall_rules
short_description: Update firewall rules of a zone, those that exist
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
      description: Whether the object takes protection away from what the task names, null if
        it may.
      type: bool
      sample: null
    reason:
      description: How it does, as a sentence without its subject, or empty.
      type: str
      sample: may skip waf for requests
    since:
      description: When the object last changed, null if Cloudflare does not say.
      type: str
      sample: null
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["firewall_rules"])


if __name__ == "__main__":
    main()
