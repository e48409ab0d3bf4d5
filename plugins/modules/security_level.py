#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: security_level
short_description: Set the security level of a Cloudflare zone
version_added: 1.0.0
description:
  - Sets the security level of a zone, by which Cloudflare challenges visitors.
  - The level V(under_attack) is the I'm Under Attack mode. Cloudflare challenges each visitor for
    some seconds, and calls of programs fail.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._zone
  - edgeops.protection._plan
  - edgeops.protection._risks.zone_settings
notes:
  - The module needs the permission C(Zone Settings Write) of the zone. Check mode needs C(Zone
    Settings Read).
  - If Cloudflare shows the setting as not editable, a task that would change it fails before
    anything is written, in check mode too.
  - Configuration rules and page rules of the zone may set another level for some requests, and a
    custom rule may skip the level. The module does not read them for that.
options:
  level:
    description: The level. Each protects more than the one before it.
    type: str
    choices: ["off", essentially_off, low, medium, high, under_attack]
    required: true
seealso:
  - module: edgeops.protection.custom_rules
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
- name: Challenge each visitor during an attack
  edgeops.protection.security_level:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    level: under_attack

# A lower level is a risk, which the task must accept.
- name: Return to the level of quiet days
  edgeops.protection.security_level:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    level: medium
    accept_risks:
      - code: lowers_sensitivity
        entries: [security_level]
        reason: The attack is over
"""

# `make docs-update` writes this block.
RETURN = r"""
security_level:
  description: The security level afterwards.
  returned: success
  type: dict
  contains:
    level:
      description: The level.
      type: str
      sample: under_attack
    modified_on:
      description: When the level was last changed before the task, null if it never was. The
        change that the task itself makes does not count, in check mode and in the run.
      type: str
      sample: '2026-01-12T08:30:00Z'
weaker:
  description: The level, if it protects less before this run than after it.
  version_added: 1.0.0
  returned: when it does so
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: security_level
    key:
      description: The key of the rule.
      type: str
      sample: security_level
    certain:
      description: Whether it is proven; an expression that is not understood may match more or
        less than another one.
      type: bool
      sample: true
    reason:
      description: The weakness of the rule, as a sentence without its subject.
      type: str
      sample: is high instead of under_attack
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
      sample: lowers_sensitivity
    message:
      description: The consequence, in a sentence.
      type: str
      sample: Fewer visitors would be challenged if the security level is low instead of under_attack.
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
      sample: [security_level]
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
      sample: {security_level: {level: high}}
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample: {security_level: {level: under_attack}}
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
      sample: security_level
    key:
      description: The key of the object.
      type: str
      sample: security_level
    fields:
      description: The values that the module sends. For an object that exists, these are the
        changed fields.
      type: dict
      sample: {level: under_attack}
    before:
      description: The values that change, as they are; null for a field that the object lacks.
        For an object that the module deletes, these are all its values, and for a new object
        there are none.
      type: dict
      sample: {level: high}
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
  sample: 8b4e92c6cc247472b93ddd4943841bf243ed6bd21605c6c8e3352f5f95f5f34a
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
      resource: security_level
      key: security_level
      fields: {level: low}
      before: {level: high}
unknown:
  description: The operations that may have been applied, in the shape of RV(operations). The
    answer of Cloudflare was lost.
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: update
      resource: security_level
      key: security_level
      fields: {level: low}
      before: {level: high}
calls:
  description: The number of calls to Cloudflare, repeated calls included.
  returned: with C(-v)
  type: int
  sample: 2
error:
  description: The call that failed, and the answer of Cloudflare.
  returned: failure of a call to Cloudflare
  type: dict
  contains:
    method:
      description: The HTTP method of the call.
      type: str
      sample: PATCH
    path:
      description: The path of the call behind the base URL.
      type: str
      sample: zones/5c2a81f0f7ae4b2d9b1e6f3a7d904c11/settings/security_level
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
    run_module(MODULE_SPECS["security_level"])


if __name__ == "__main__":
    main()
