#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: firewall_rules_info
short_description: Read firewall rules of a zone
version_added: 0.1.0
description:
  - Returns the firewall rules of a zone that meet all given conditions.
  - The list is complete, or the task fails. A missing permission is a failure too, never an empty
    list.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.info
  - edgeops.protection._connection
  - edgeops.protection._zone
notes:
  - The module needs the permission C(Firewall Services Read) of the zone.
options:
  id:
    description: Only the rule with this id.
    type: str
  action:
    description: Only rules with this action.
    type: str
    choices: [log, bypass, allow, challenge, managed_challenge, js_challenge, block]
  paused:
    description: With V(true) only paused rules, with V(false) only rules that are not paused.
    type: bool
  description:
    description: Only rules whose description contains this text. Upper and lower case are equal.
    type: str
seealso:
  - module: edgeops.protection.firewall_rules
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
- name: Read all firewall rules
  edgeops.protection.firewall_rules_info:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11

# A rule must meet all conditions.
- name: Read the blocking rules that are not paused
  edgeops.protection.firewall_rules_info:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    action: block
    paused: false
"""

# `make docs-update` writes this block.
RETURN = r"""
zone_id:
  description: The id of the zone.
  version_added: 1.0.0
  returned: success
  type: str
  sample: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
rules:
  description: The rules that meet all conditions, in the order of Cloudflare.
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
      sample: challenge
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
          sample: ip.src in {203.0.113.0/24}
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
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["firewall_rules_info"])


if __name__ == "__main__":
    main()
