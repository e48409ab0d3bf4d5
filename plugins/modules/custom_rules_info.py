#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: custom_rules_info
short_description: Read WAF custom rules of a zone
version_added: 1.0.0
description:
  - Returns the custom rules of a zone that meet all given conditions, in the order in which Cloudflare
    evaluates them.
  - The list is complete, or the task fails. A missing permission is a failure too, never an empty
    list. A zone that never had a custom rule has an empty list.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.info
  - edgeops.protection._connection
  - edgeops.protection._zone
notes:
  - The module needs the permission C(Zone WAF Read) of the zone.
options:
  id:
    description: Only the rule with this id.
    type: str
  action:
    description: Only rules with this action.
    type: str
    choices: [block, challenge, js_challenge, managed_challenge, log, skip]
  paused:
    description: With V(true) only rules that are not enabled, with V(false) only enabled rules.
    type: bool
  description:
    description: Only rules whose description contains this text. Upper and lower case are equal.
    type: str
  hits_hours:
    description:
      - The hours of events to count for each rule; V(0) counts none. C(hits) of each rule says how
        many requests it matched. If that is not known, the task does not fail, and C(hits) says why.
      - It needs the permission C(Analytics Read) of the zone.
    type: float
    default: 0.0
    version_added: 1.0.0
seealso:
  - module: edgeops.protection.custom_rules
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
- name: Read all custom rules
  edgeops.protection.custom_rules_info:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11

# A rule must meet all conditions. Rules that are not paused are enabled.
- name: Read the enabled rules that skip
  edgeops.protection.custom_rules_info:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    action: skip
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
  description: The rules that meet all conditions, in the order in which Cloudflare evaluates
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
    hits:
      description: The requests that the rule matched, if O(hits_hours) is above 0.
      type: dict
      contains:
        known:
          description: Whether the hits are known.
          type: bool
          sample: true
        count:
          description: How many events the rule left, null if that is not known; if it is not
            known and a number, there may be more.
          type: int
          sample: 0
        actions:
          description: The number of events by the action that Cloudflare logged.
          type: dict
          sample: {}
        since:
          description: The beginning of the time that the data cover.
          type: str
          sample: '2026-02-28T09:15:02+00:00'
        until:
          description: The end of that time.
          type: str
          sample: '2026-03-01T09:15:02+00:00'
        unknown:
          description: The unknown parts and their reasons, and what makes the time shorter than
            asked for, a sentence each.
          type: list
          elements: str
          sample: []
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["custom_rules_info"])


if __name__ == "__main__":
    main()
