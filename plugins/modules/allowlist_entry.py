#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: allowlist_entry
short_description: Manage one entry of the allowlist of Cloudflare Advanced TCP Protection
version_added: 0.1.0
description:
  - Adds, updates or removes one entry of the allowlist of a Cloudflare account.
  - The allowlist names I(source) addresses. Their packets bypass all rules and filters. Sources can
    be forged, so the allowlist is not a security control.
  - To leave networks of your own without protection, use excluded entries of
    M(edgeops.protection.protected_prefixes).
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.allowlist
notes:
  - The module needs the permission C(DDoS Protection Write) of the account. Check mode needs C(DDoS
    Protection Read). Only API tokens have it.
options:
  prefix:
    description:
      - The network in CIDR notation, or a single address.
      - The module drops host bits. V(192.0.2.7/24) is V(192.0.2.0/24), and V(192.0.2.1) is
        V(192.0.2.1/32).
      - The network identifies the entry and cannot be changed. Another network is another entry.
    type: str
    required: true
  comment:
    description:
      - A free text. An empty text clears it.
      - If omitted, an existing comment stays, and a new entry gets an empty one.
    type: str
  enabled:
    description:
      - Whether the entry is active. An entry that is not active stays in the list, but has no
        effect.
      - If omitted, an existing entry keeps its value, and a new entry gets V(true).
    type: bool
  expires:
    description:
      - From when on the entry counts as absent, by the clock of Cloudflare. The first run after
        that deletes it.
      - A timestamp with offset such as V(2027-01-31T18:00:00+01:00), or a date such as
        V(2027-01-31), which means its end in UTC.
      - Cloudflare does not know it. If omitted, the entry does not expire.
    version_added: 1.0.0
    type: str
  state:
    description:
      - With V(present), the module creates or updates what the task names.
      - With V(absent), the module deletes what the task names, and ignores all other values.
    type: str
    choices: [present, absent]
    default: present
seealso:
  - module: edgeops.protection.allowlist
  - module: edgeops.protection.protection_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
# Packets from this source bypass all rules and filters.
- name: Allow a monitoring probe
  edgeops.protection.allowlist_entry:
    prefix: 198.51.100.7
    comment: monitoring probe

# The entry stays in the list, but has no effect.
- name: Disable the entry
  edgeops.protection.allowlist_entry:
    prefix: 198.51.100.7
    enabled: false

- name: Remove the entry
  edgeops.protection.allowlist_entry:
    prefix: 198.51.100.7
    state: absent
"""

# `make docs-update` writes this block.
RETURN = r"""
entry:
  description: The entry afterwards, null when it is absent.
  returned: success
  type: dict
  contains:
    id:
      description: The id that Cloudflare gives. Check mode returns none for an entry that the
        run would create.
      type: str
      sample: b9d179e0-6c0f-44f5-b813-0c4237730edf
    prefix:
      description: The network of the sources, as Cloudflare stores it.
      type: str
      sample: 203.0.112.0/23
    comment:
      description: The comment.
      type: str
      sample: payment provider
    enabled:
      description: Whether the entry is active.
      type: bool
      sample: true
    created_on:
      description: When the entry was created.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    modified_on:
      description: When the entry was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
coverage:
  description:
    - The effect of the plan on the protection of the account. Check mode returns the same as
      the run that follows.
    - RV(coverage.before) and RV(coverage.after) have the shape of C(coverage) in M(edgeops.protection.protection_info),
      RV(coverage.before) without C(prefixes).
  version_added: 1.0.0
  returned: when the plan changes which addresses are protected, or how
  type: dict
  contains:
    before:
      description: The coverage before.
      type: dict
      sample:
        effective: true
        protected: {networks: [192.0.2.0/25], addresses: 128}
    after:
      description: The coverage afterwards.
      type: dict
      sample:
        effective: true
        protected: {networks: [192.0.2.0/25], addresses: 128}
    newly_unprotected:
      description: The networks that lose protection.
      type: list
      elements: str
      sample: []
    newly_protected:
      description: The networks that gain protection.
      type: list
      elements: str
      sample: []
    newly_bypassing:
      description: The sources that newly bypass the protection because of the allowlist.
      type: list
      elements: str
      sample: [203.0.112.0/24]
    newly_mitigated:
      description: The traffic that a component mitigates newly, to addresses that are protected
        before and afterwards.
      type: list
      elements: dict
      contains: {}
    weaker:
      description: A sentence on each part of the protection that is weaker before than afterwards.
      type: list
      elements: str
      sample:
        - The allowlist lets 1 IPv4 address (198.51.100.7/32) pass, and the baseline does not.
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
      sample: empties_list
    message:
      description: The consequence, in a sentence.
      type: str
      sample: 'Allowlist: none of 1 would be left.'
    networks:
      description: The networks that the risk concerns.
      type: list
      elements: str
      sample: [198.51.100.7/32]
    addresses:
      description: How many addresses these networks have; large numbers of IPv6 addresses are
        counted in /64 networks.
      type: str
      sample: 1 IPv4 address
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [198.51.100.7/32]
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
      sample:
        allowlist:
          198.51.100.7/32:
            prefix: 198.51.100.7/32
            comment: monitoring probe
            enabled: true
        coverage: {bypassing: [198.51.100.7/32]}
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample: {coverage: {bypassing: []}}
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
      sample: delete
    resource:
      description: The kind of object.
      type: str
      sample: allowlist_entry
    key:
      description: The key of the object.
      type: str
      sample: 198.51.100.7/32
    fields:
      description: The values that the module sends. For an object that exists, these are the
        changed fields.
      type: dict
      sample: {prefix: 203.0.112.0/24, comment: '', enabled: true}
    before:
      description: The values that change, as they are; null for a field that the object lacks.
        For an object that the module deletes, these are all its values, and for a new object
        there are none.
      type: dict
      sample:
        prefix: 198.51.100.7/32
        comment: monitoring probe
        enabled: true
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
  sample: e09c1ae5b7d7a4e18e890a3ac61e783243b3fe8ab6e484c7f588bf05e2e7ad46
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
      sample: allowlist_entry
    key:
      description: The key of the object.
      type: str
      sample: 203.0.112.7/32
    kind:
      description: 'The reason in a word: V(never), V(shadowed), V(duplicate), V(unreachable),
        V(outside) or V(covered).'
      type: str
      sample: covered
    by:
      description: The keys of the objects that it is ineffective by, the fewest; none if that
        is its own fault.
      type: list
      elements: str
      sample: [203.0.112.0/24]
    reason:
      description: The reason, as a sentence.
      type: str
      sample: it lies within 203.0.112.0/24, which lasts as long
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
      sample: allowlist_entry
    key:
      description: The key of the object.
      type: str
      sample: 198.51.100.7/32
    expires:
      description: When it expired, in UTC.
      type: str
      sample: '2026-03-01T00:00:00+00:00'
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
    - action: create
      resource: allowlist_entry
      key: 203.0.112.0/23
      fields:
        prefix: 203.0.112.0/23
        comment: payment provider
        enabled: true
      before: {}
unknown:
  description: The operations that may have been applied, in the shape of RV(operations). The
    answer of Cloudflare was lost.
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: create
      resource: allowlist_entry
      key: 203.0.112.0/23
      fields:
        prefix: 203.0.112.0/23
        comment: payment provider
        enabled: true
      before: {}
calls:
  description: The number of calls to Cloudflare, repeated calls included.
  returned: with C(-v)
  type: int
  sample: 8
error:
  description: The call that failed, and the answer of Cloudflare.
  returned: failure of a call to Cloudflare
  type: dict
  contains:
    method:
      description: The HTTP method of the call.
      type: str
      sample: POST
    path:
      description: The path of the call behind the base URL.
      type: str
      sample: accounts/023e105f4ecef8ad9ca31a8372d0c353/magic/advanced_tcp_protection/configs/allowlist
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
      sample: 2c624232cdd22177-LOC
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["allowlist_entry"])


if __name__ == "__main__":
    main()
