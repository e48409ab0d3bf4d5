#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: managed_rules
short_description: Deploy managed rules of a zone, with overrides and exceptions
version_added: 1.0.0
description:
  - Creates, updates, orders and removes the rules that deploy managed rulesets of the WAF in a
    zone, and the exceptions from them.
  - The O(rules[].ref) identifies a rule.
  - Cloudflare evaluates the rules in their order. An exception concerns the deployments behind it.
    Rules that the task does not name keep their
    place, their ids and all their fields, unless O(purge=true).
  - The module reads all rules with one call. It adds or deletes up to three rules, or changes one,
    with a call for each, and writes more changes with one call for the whole list. It notices what
    another writer changes at the same time, and loses nothing of that without a warning.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._zone
  - edgeops.protection._plan
  - edgeops.protection._risks.managed_rules
notes:
  - The module needs the permission C(Zone WAF Write) of the zone. Check mode needs C(Zone WAF
    Read), and with O(validate=true) the permission to write.
  - If rules refer to lists of addresses, the module reads these lists if the plan changes something
    or the task has expectations. It needs the permission C(Account Filter Lists Read) for that, and
    warns if it lacks it.
options:
  rules:
    description: The rules. Each may occur once.
    type: list
    elements: dict
    required: true
    suboptions:
      ref:
        description: The name that identifies the rule in its zone. It cannot be changed.
        type: str
        required: true
      action:
        description:
          - V(execute) deploys a managed ruleset for the requests that match. V(skip) is an
            exception.
          - A new rule needs one.
        type: str
        choices: [execute, skip]
      expression:
        description:
          - The requests that match, in the Rules language. White space outside of quotes makes no
            difference.
          - It has at most 4,096 characters.
          - A new rule needs one.
        type: str
      description:
        description: A free text. An empty text clears it. If omitted, an existing description
          stays.
        type: str
      enabled:
        description:
          - Whether the rule is enabled. A new rule gets V(true) by default.
        type: bool
      action_parameters:
        description:
          - The managed ruleset of the action V(execute), or the target of the action V(skip), which
            is one of V(ruleset), V(rulesets) and V(rules).
          - The parameters, with those in O(rules[].api_fields), replace all existing ones. If omitted,
            the existing parameters stay.
        type: dict
        suboptions:
          id:
            description:
              - The id of the managed ruleset that V(execute) deploys, such as
                V(efb7b8c949ac4650a09736fc376e9aee), the Cloudflare Managed Ruleset.
            type: str
          version:
            description: The version of the managed ruleset. By default, Cloudflare takes the latest.
            type: str
          matched_data:
            description: The logging of the part of a request that a managed rule matched.
            type: dict
            suboptions:
              public_key:
                description: The public key by which Cloudflare encrypts it.
                type: str
                required: true
          overrides:
            description:
              - Other values than those of the vendor, for all rules of the ruleset.
              - The values of a rule come before those of its categories, and these before those of
                the ruleset. Of several categories, the last one counts.
            type: dict
            suboptions:
              action:
                description: The action of all rules.
                type: str
                choices: [block, challenge, js_challenge, managed_challenge, log]
              enabled:
                description: Whether all rules are enabled.
                type: bool
              categories:
                description: The values of the rules in categories, in this order.
                type: list
                elements: dict
                suboptions:
                  category:
                    description: The name of the category, which the vendor also calls a tag.
                    type: str
                    required: true
                  action:
                    description: The action of these rules.
                    type: str
                    choices: [block, challenge, js_challenge, managed_challenge, log]
                  enabled:
                    description: Whether these rules are enabled.
                    type: bool
              rules:
                description: The values of single rules.
                type: list
                elements: dict
                suboptions:
                  id:
                    description: The id of the rule in the managed ruleset.
                    type: str
                    required: true
                  action:
                    description: The action of the rule.
                    type: str
                    choices: [block, challenge, js_challenge, managed_challenge, log]
                  enabled:
                    description: Whether the rule is enabled.
                    type: bool
                  score_threshold:
                    description: The score from which the rule of a scoring ruleset acts. A higher
                      one stops less.
                    type: int
          ruleset:
            description: With V(current), the request skips all deployments that follow.
            type: str
            choices: [current]
          rulesets:
            description: The ids of the managed rulesets that the request skips.
            type: list
            elements: str
          rules:
            description: By the id of a managed ruleset, the ids of its rules that the request
              skips.
            type: dict
      logging:
        description:
          - The logging of requests that the rule skips. If omitted, an existing rule keeps its
            value, and Cloudflare logs the requests of a new rule.
        type: dict
        suboptions:
          enabled:
            description: Whether Cloudflare logs the requests.
            type: bool
            required: true
      expires:
        description:
          - From when on the rule counts as absent, as a date, which ends in UTC, or a timestamp with an offset.
        version_added: 1.0.0
        type: str
      api_fields:
        description:
          - Fields of the rule without an option, with the names and values of the API. A null removes a field.
        version_added: 1.0.0
        type: dict
      position:
        description:
          - The place of a new rule, V(first), V(last), V(before REF) or V(after REF), by default the last.
          - Only O(purge=true) moves an existing rule.
        type: str
  state:
    description:
      - With V(present), the module creates or updates the rules that the task names.
      - With V(absent), the module deletes them. It reads only their O(rules[].ref).
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether the zone gets these rules and no others, in this order. Rules that O(ignore)
        matches stay.
      - An empty list requires V(empties_list) in O(accept_risks).
    version_added: 1.0.0
    type: bool
    default: false
  ignore:
    description:
      - Patterns of the refs of rules that somebody else manages, such as V(partner-*). O(purge=true) leaves them where
        they are.
      - An entry of the task with nothing but its O(rules[].ref) says where such a rule stands.
    type: list
    elements: str
    default: []
  validate:
    description:
      - Whether Cloudflare validates the planned rules in check mode, for example their
        expressions. Nothing is written.
      - The token then needs the permission to write in check mode too.
    type: bool
    default: false
seealso:
  - module: edgeops.protection.custom_rules
  - module: edgeops.protection.ddos_l7_overrides
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
- name: Deploy the Cloudflare Managed Ruleset, with an exception and an override
  edgeops.protection.managed_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: scanner
        action: skip
        action_parameters:
          ruleset: current
        expression: ip.src in {192.0.2.7}
        position: first
      - ref: managed
        action: execute
        expression: 'true'
        action_parameters:
          id: efb7b8c949ac4650a09736fc376e9aee
          overrides:
            categories:
              - category: wordpress
                action: managed_challenge

- name: Skip a rule that is wrong about uploads
  edgeops.protection.managed_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: uploads
        action: skip
        action_parameters:
          rules:
            efb7b8c949ac4650a09736fc376e9aee: [5de7edfa648c4d6891dc3e7f84534ffa]
        expression: starts_with(http.request.uri.path, "/upload")
        position: before managed
    accept_risks: [{code: weakens_managed_rules, resource: managed_rule, entries: [uploads]}]

- name: Remove an exception
  edgeops.protection.managed_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: uploads
    state: absent
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
  description: All rules of the phase afterwards, in the order in which Cloudflare evaluates them.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new rule lacks in check mode.
      type: str
      sample: fc4131c0c7b84c5b9fc51ed7628fe75e
    ref:
      description: The name that identifies the rule.
      type: str
      sample: scanner
    action:
      description: V(execute) deploys a managed ruleset, V(skip) is an exception.
      type: str
      sample: skip
    expression:
      description: The requests that the rule matches.
      type: str
      sample: ip.src in {192.0.2.7}
    description:
      description: The description of the rule.
      type: str
      sample: the scanner passes
    enabled:
      description: Whether the rule is enabled.
      type: bool
      sample: true
    action_parameters:
      description: The managed ruleset with its overrides, or the target of the exception.
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
unmanaged:
  description:
    - The rules afterwards that O(rules) does not name, in the order in which Cloudflare evaluates
      them.
    - With O(purge=true), these are the rules that O(ignore) matches.
  version_added: 1.0.0
  returned: success
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: managed_rule
    key:
      description: The key of the object.
      type: str
      sample: scanner
    weakens:
      description: Whether the object takes protection away from what the task names, null if
        it may.
      type: bool
      sample: true
    reason:
      description: How it does, as a sentence without its subject, or empty.
      type: str
      sample: lets requests pass that rule for managed rules managed would stop
    since:
      description: When the object last changed, null if Cloudflare does not say.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
diff:
  description:
    - The managed fields of the rules that change, before and after, by ref, and the order of
      the rules when it changes.
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The objects before, by collection and key.
      type: dict
      sample:
        managed_rules:
          managed:
            ref: managed
            action: execute
            expression: 'true'
            description: ''
            enabled: true
            action_parameters:
              id: efb7b8c949ac4650a09736fc376e9aee
              overrides: {action: log}
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        managed_rules:
          managed:
            ref: managed
            action: execute
            expression: 'true'
            description: ''
            enabled: true
            action_parameters:
              id: efb7b8c949ac4650a09736fc376e9aee
              overrides:
                action: block
                categories: [{category: wordpress, enabled: false}]
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["managed_rules"])


if __name__ == "__main__":
    main()
