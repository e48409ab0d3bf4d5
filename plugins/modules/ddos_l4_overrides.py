#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ddos_l4_overrides
short_description: Override DDoS rules of layers 3 and 4 of an account
version_added: 1.0.0
description:
  - Creates, updates, orders and removes overrides of the managed DDoS rules of layers 3 and 4 of an account. An override gives managed rules
    another action or sensitivity for the packets that its expression matches.
  - The O(overrides[].ref) identifies an override.
  - Cloudflare takes the first override that matches. In an override, a rule comes before its
    category, and a category before all rules.
  - Overrides that the task does not name keep their place, their ids and all their fields, unless
    O(purge=true).
  - If the task names categories or managed rules anew, the module reads the managed ruleset before
    it writes, and refuses one that does not exist.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.overrides
notes:
  - The module needs the permission C(L4 DDoS Managed Ruleset Write) of the account. Check mode needs
    C(L4 DDoS Managed Ruleset Read), and with O(validate=true) the permission to write.
  - There are at most 10 overrides. A plan that exceeds them is refused in check mode too.
  - The action V(log) needs a plan with Advanced DDoS Protection. If it is lacking, Cloudflare
    refuses the override, and the module says so.
options:
  overrides:
    description: The overrides. Each may occur once.
    type: list
    elements: dict
    required: true
    suboptions:
      ref:
        description: The name that identifies the override in its account. It cannot be changed.
        type: str
        required: true
      expression:
        description:
          - The packets that match, in the Rules language, usually by their destinations. V("true") matches
            all. White space outside of quotes makes no difference.
          - It has at most 4,000 characters.
          - If omitted, an existing override keeps its expression. A new one needs one.
        type: str
      description:
        description: A free text. An empty text clears it. If omitted, an existing description
          stays.
        type: str
      enabled:
        description:
          - Whether the override is enabled. A new one gets V(true) by default.
        type: bool
      action:
        description:
          - The action of all managed rules. V(default) leaves each its own. If omitted, an existing
            override keeps its action.
          - With V(log), an attack is let through.
        type: str
        choices: [default, block, log, ddos_dynamic]
      sensitivity:
        description:
          - The sensitivity of all managed rules (C(sensitivity_level) in the API). If omitted, an
            existing override keeps its sensitivity.
          - V(eoff) is essentially off, so that all but extremely large attacks are let through.
          - With any, V(default) too, the override decides for all managed rules, and not only for those
            that it names. An empty text clears it.
        type: str
        choices: [default, medium, low, eoff, ""]
      categories:
        description:
          - Settings of the managed rules of a category. The list replaces the existing one; an
            empty list clears it. If omitted, the existing list stays.
        type: list
        elements: dict
        suboptions:
          category:
            description: The category, also called tag.
            type: str
            required: true
          action:
            description: The action of these rules. V(ddos_dynamic) leaves it to Cloudflare; few rules take
              it.
            type: str
            choices: [block, log, ddos_dynamic]
          sensitivity:
            description: The sensitivity of these rules.
            type: str
            choices: [default, medium, low, eoff]
      rules:
        description:
          - Settings of single managed rules. The list replaces the existing one; an empty list
            clears it. If omitted, the existing list stays.
        type: list
        elements: dict
        suboptions:
          id:
            description: The id of the managed rule.
            type: str
            required: true
          action:
            description: The action of this rule, which must take it. A read-only rule takes none, and
              V(ddos_dynamic) is for rules that list it (C(allowed_override_actions) in the API).
            type: str
            choices: [block, log, ddos_dynamic]
          sensitivity:
            description: The sensitivity of these rules.
            type: str
            choices: [default, medium, low, eoff]
      expires:
        description:
          - From when on the override counts as absent, as a date, which ends in UTC, or a timestamp with an offset.
        version_added: 1.0.0
        type: str
      api_fields:
        description:
          - Fields of the override without an option, with the names and values of the API. A null removes a field.
        type: dict
      position:
        description:
          - The place of a new override, V(first), V(last), V(before REF) or V(after REF), by default the last.
          - Only O(purge=true) moves an existing override.
        type: str
  state:
    description:
      - With V(present), the module creates or updates the overrides that the task names.
      - With V(absent), the module deletes them. It reads only their O(overrides[].ref).
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether the account gets these overrides and no others, in this order. Overrides that O(ignore)
        matches stay.
      - An empty list requires V(empties_list) in O(accept_risks).
    version_added: 1.0.0
    type: bool
    default: false
  ignore:
    description:
      - Patterns of the refs of overrides that somebody else manages, such as V(partner-*). O(purge=true) leaves them
        where they are.
      - An entry of the task with nothing but its O(overrides[].ref) says where such an override stands.
    type: list
    elements: str
    default: []
  validate:
    description:
      - Whether Cloudflare validates the planned overrides in check mode, for example their
        expressions. Nothing is written.
      - The token then needs the permission to write in check mode too.
    type: bool
    default: false
seealso:
  - module: edgeops.protection.ddos_l7_overrides
  - module: edgeops.protection.account_protection
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
# Create this override, or update it to match. All others stay, in their order.
- name: Block what the managed rules find, also where they would do less
  edgeops.protection.ddos_l4_overrides:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    overrides:
      - ref: strict
        expression: ip.dst in {203.0.113.0/24}
        action: block
        rules:
          - id: 8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10
            action: block

- name: Lower the sensitivity of one category, which is meant
  edgeops.protection.ddos_l4_overrides:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    overrides:
      - ref: calm
        expression: ip.dst in {198.51.100.0/24}
        categories:
          - category: dns
            sensitivity: medium
    accept_risks:
      - code: weakens_ddos_rules
        resource: ddos_l4_override
        entries: [calm]
        reason: false positives in the load test

- name: Remove an override
  edgeops.protection.ddos_l4_overrides:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    overrides:
      - ref: calm
    state: absent
"""

# `make docs-update` writes this block.
RETURN = r"""
account_id:
  description: The id of the account.
  version_added: 1.0.0
  returned: success
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
overrides:
  description: All overrides of the account afterwards, in the order in which Cloudflare evaluates
    them.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new override lacks in check mode.
      type: str
      sample: c80945693e6e40e08f8a8b33788a8039
    ref:
      description: The name that identifies the override.
      type: str
      sample: calm
    expression:
      description: The packets that the override matches.
      type: str
      sample: ip.dst in {203.0.113.0/24}
    description:
      description: The description of the override.
      type: str
      sample: load tests
    enabled:
      description: Whether the override is enabled.
      type: bool
      sample: true
    action:
      description: The action of all managed rules, if the override sets one.
      type: str
      sample: block
    sensitivity:
      description: The sensitivity of all managed rules, if the override sets one.
      type: str
      sample: medium
    categories:
      description: Settings of the managed rules of a category.
      type: list
      elements: dict
      sample: [{category: dns, sensitivity: low}]
    rules:
      description: Settings of single managed rules.
      type: list
      elements: dict
      sample: [{id: 8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10, action: log}]
    version:
      description: The version of the override, which grows with each change.
      type: str
      sample: '1'
    last_updated:
      description: When the override was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
unmanaged:
  description:
    - The overrides afterwards that O(overrides) does not name, in the order in which Cloudflare
      evaluates them.
    - With O(purge=true), these are the overrides that O(ignore) matches.
  version_added: 1.0.0
  returned: success
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: ddos_l4_override
    key:
      description: The key of the object.
      type: str
      sample: calm
    weakens:
      description: Whether the object takes protection away from what the task names, null if
        it may.
      type: bool
      sample: true
    reason:
      description: How it does, as a sentence without its subject, or empty.
      type: str
      sample: sets the action log for rule 8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10
    since:
      description: When the object last changed, null if Cloudflare does not say.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
diff:
  description:
    - The managed fields of the overrides that change, before and after, by ref, and the order
      of the overrides when it changes.
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The objects before, by collection and key.
      type: dict
      sample:
        ddos_l4_overrides:
          quiet:
            ref: quiet
            expression: 'true'
            description: ''
            enabled: true
            sensitivity: low
        ddos_l4_overrides_order: [calm, quiet]
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        ddos_l4_overrides:
          new:
            ref: new
            expression: 'true'
            description: ''
            enabled: true
            action: block
          quiet:
            ref: quiet
            expression: 'true'
            description: ''
            enabled: true
            sensitivity: default
        ddos_l4_overrides_order: [calm, quiet, new]
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["ddos_l4_overrides"])


if __name__ == "__main__":
    main()
