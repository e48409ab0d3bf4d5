#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: custom_rules_info
short_description: Read the WAF custom rules of a zone
version_added: 0.1.0
description:
  - Returns the zone's custom rules that meet all conditions given, in their order.
  - Not being allowed to look is a failure, and never an empty list. A zone that never had a custom rule has none.
extends_documentation_fragment:
  - edgeops.protection.attributes
  - edgeops.protection.attributes.info
  - edgeops.protection.connection
  - edgeops.protection.zone
options:
  id:
    description: Only the rule with this id.
    type: str
  action:
    description: Only rules with this action.
    type: str
    choices: [block, challenge, js_challenge, managed_challenge, log, skip]
  paused:
    description: Only rules that are not enabled, or only those that are.
    type: bool
  description:
    description: Only rules whose description holds this text; upper and lower case do not differ.
    type: str
seealso:
  - module: edgeops.protection.custom_rules
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
- name: Read all rules
  edgeops.protection.custom_rules_info:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11

- name: Read the rules that skip and are in effect
  edgeops.protection.custom_rules_info:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    action: skip
    paused: false
"""

RETURN = r"""
rules:
  description: The rules that meet the conditions, in the order in which they are evaluated.
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
    run_module(MODULE_SPECS["custom_rules_info"])


if __name__ == "__main__":
    main()
