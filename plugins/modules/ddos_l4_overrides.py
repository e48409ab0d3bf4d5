#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ddos_l4_overrides
short_description: Manage overrides of the managed DDoS rules of layers 3 and 4 of a Cloudflare account
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
          - Whether the override is enabled. If omitted, an existing one keeps its value, and a new
            one gets V(true).
        type: bool
      action:
        description:
          - The action of all managed rules. V(default) leaves each its own. If omitted, an existing
            override keeps its action.
          - With V(log), an attack is let through.
        type: str
        choices: [default, block, log]
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
            description: The action of these rules.
            type: str
            choices: [block, log]
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
            description: The action of these rules.
            type: str
            choices: [block, log]
          sensitivity:
            description: The sensitivity of these rules.
            type: str
            choices: [default, medium, low, eoff]
      expires:
        description:
          - From when on the override counts as absent, by the clock of Cloudflare. The first run
            after that deletes it.
          - A timestamp with offset such as V(2027-01-31T18:00:00+01:00), or a date such as
            V(2027-01-31), which means its end in UTC.
          - Cloudflare does not know it. If omitted, the override does not expire.
        version_added: 1.0.0
        type: str
      api_fields:
        description:
          - Fields of the override that this module has no option for, with the names and values of
            the API. The module sends them as they are. A null removes a field.
          - Fields that neither an option nor this dictionary names stay as they are.
        type: dict
      position:
        description:
          - The place of a new override, V(first), V(last), V(before REF) or V(after REF) with the
            ref of another one.
          - If omitted, the new override becomes the last. The module does not move existing ones,
            unless O(purge=true).
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
      - Patterns of the refs of overrides that somebody else manages, such as V(partner-*).
        O(purge=true) leaves these overrides where they are, each behind the override before it that does
        not move either. Otherwise the module leaves them alone anyway.
      - In a pattern, V(*) stands for any characters, V(?) for one, and V([ab]) for one of some.
        Case matters.
      - A pattern must not match an override of the task, unless the entry has nothing but the O(overrides[].ref).
        With O(purge=true) such an entry says where the override of somebody else stands. The module
        puts the others before and behind it. An override that does not exist is left out.
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
        expression: ip.dst in {203.0.113.0/24}
        categories:
          - category: dns
            sensitivity: medium
    accept_risks:
      - code: weakens_ddos_rules
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
      description: The id that Cloudflare gives. Check mode returns none for an override that
        the run would create.
      type: str
      sample: 025b413f8a9a421ea648a7dd06839eb9
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
      description: Whether the object takes protection away from what the task names, such as
        an excluded prefix, an allowlist entry, a filter that is disabled, or a rule that skips
        before others. It is null if it may.
      type: bool
      sample: true
    reason:
      description: How it takes protection away, or what it does to all plain traffic, as a sentence
        without its subject; empty if it does neither.
      type: str
      sample: sets the action log for rule 8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10
    since:
      description: When the object last changed, null if Cloudflare does not say.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
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
      sample: ddos_l4_override
    key:
      description: The key of the rule.
      type: str
      sample: quiet
    certain:
      description: Whether it is proven; an expression that is not understood may match more or
        less than another one.
      type: bool
      sample: true
    reason:
      description: The weakness of the rule, as a sentence without its subject.
      type: str
      sample: sets the sensitivity low for all managed rules, and the baseline does not
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
      sample: weakens_ddos_rules
    message:
      description: The consequence, in a sentence.
      type: str
      sample: 'DDoS L3/4 override calm sets the sensitivity eoff for all managed rules and 203.0.113.0/24:
        an attack may pass that is stopped now.'
    networks:
      description: The networks that the risk concerns.
      type: list
      elements: str
      sample: [203.0.113.0/24]
    addresses:
      description: How many addresses these networks have; large numbers of IPv6 addresses are
        counted in /64 networks.
      type: str
      sample: 256 IPv4 addresses
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [calm]
    reason:
      description: Why the task accepts the risk, as O(accept_risks) says it; null where it does
        not.
      type: str
      sample: null
diff:
  description:
    - The managed fields of the overrides that change, before and after, by ref, and the order
      of the overrides when it changes.
    - Check mode returns the same as the run that follows.
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
      sample: ddos_l4_override
    key:
      description: The key of the object.
      type: str
      sample: quiet
    fields:
      description: The values that the module sends. For an object that exists, these are the
        changed fields.
      type: dict
      sample: {sensitivity: default}
    before:
      description: The values that change, as they are; null for a field that the object lacks.
        For an object that the module deletes, these are all its values, and for a new object
        there are none.
      type: dict
      sample: {sensitivity: low}
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
  sample: e419167eb41553e9bce1e7fabf9aab310f69aa062537aeb017be3ea13872da99
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
      sample: ddos_l4_override
    key:
      description: The key of the object.
      type: str
      sample: new
    kind:
      description: 'The reason in a word: V(never), V(shadowed), V(duplicate), V(unreachable),
        V(outside) or V(covered).'
      type: str
      sample: shadowed
    by:
      description: The keys of the objects that it is ineffective by, the fewest; none if that
        is its own fault.
      type: list
      elements: str
      sample: [quiet]
    reason:
      description: The reason, as a sentence.
      type: str
      sample: every packet that it matches is decided before it by quiet
expired:
  description: The objects of the task that count as absent, since they expired.
  version_added: 1.0.0
  returned: when something expired
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
      sample: attack
    expires:
      description: When it expired, in UTC.
      type: str
      sample: '2026-03-01T00:00:00+00:00'
put_back:
  description: The operations of a second plan, in the shape of RV(operations). It puts back what
    another writer changed while this run replaced the list.
  version_added: 1.0.0
  returned: when another writer changed the list meanwhile
  type: list
  elements: dict
  sample:
    - action: create
      resource: ddos_l4_override
      key: theirs
      fields:
        ref: theirs
        expression: ip.dst in {203.0.113.0/24}
        description: load tests
        enabled: true
        action: block
        sensitivity: medium
        categories: [{category: dns, sensitivity: low}]
        rules: [{id: 8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10, action: log}]
        position: 3
      before: {}
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
    - action: delete
      resource: ddos_l4_override
      key: calm
      fields: {}
      before:
        ref: calm
        expression: ip.dst in {203.0.113.0/24}
        description: load tests
        enabled: true
        action: block
        sensitivity: medium
        categories: [{category: dns, sensitivity: low}]
        rules: [{id: 8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10, action: log}]
    - action: delete
      resource: ddos_l4_override
      key: quiet
      fields: {}
      before:
        ref: quiet
        expression: 'true'
        description: ''
        enabled: true
        sensitivity: low
unknown:
  description: The operations that may have been applied, in the shape of RV(operations). The
    answer of Cloudflare was lost.
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: delete
      resource: ddos_l4_override
      key: calm
      fields: {}
      before:
        ref: calm
        expression: ip.dst in {203.0.113.0/24}
        description: load tests
        enabled: true
        action: block
        sensitivity: medium
        categories: [{category: dns, sensitivity: low}]
        rules: [{id: 8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10, action: log}]
    - action: delete
      resource: ddos_l4_override
      key: quiet
      fields: {}
      before:
        ref: quiet
        expression: 'true'
        description: ''
        enabled: true
        sensitivity: low
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
      sample: accounts/023e105f4ecef8ad9ca31a8372d0c353/rulesets/phases/ddos_l4/entrypoint
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
      sample: 4e07408562bedb8b-LOC
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["ddos_l4_overrides"])


if __name__ == "__main__":
    main()
