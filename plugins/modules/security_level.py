#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: security_level
short_description: Set the security level of a zone
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
    description:
      - The level. With V(under_attack), Cloudflare challenges every visitor; the others challenge
        nobody any more.
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

# The end of the mode is a risk, which the task must accept.
- name: Return to the level of quiet days
  edgeops.protection.security_level:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    level: medium
    accept_risks:
      - code: lowers_sensitivity
        resource: security_level
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
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["security_level"])


if __name__ == "__main__":
    main()
