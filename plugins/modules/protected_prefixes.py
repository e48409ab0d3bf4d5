#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: protected_prefixes
short_description: Manage the networks that Cloudflare Advanced TCP Protection protects
version_added: 0.1.0
description:
  - Adds, updates and removes the protected prefixes of a Cloudflare account. With O(purge=true),
    the module also deletes the prefixes that the task does not name.
  - The module reads the list once. It creates up to 300 prefixes with one call, and updates and
    deletes them one by one.
  - Advanced DNS Protection uses the same list. A prefix that you remove here is removed there too.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.prefixes
notes:
  - The module needs the permission C(DDoS Protection Write) of the account. Check mode needs C(DDoS
    Protection Read). Only API tokens have it.
options:
  prefixes:
    description:
      - The prefixes. Each may occur once.
    type: list
    elements: dict
    required: true
    suboptions:
      prefix:
        description:
          - The network in CIDR notation, or a single address.
          - The module drops host bits. V(192.0.2.7/24) is V(192.0.2.0/24), and V(192.0.2.1) is
            V(192.0.2.1/32).
          - The network identifies the entry and cannot be changed. Another network is another
            entry.
        type: str
        required: true
      comment:
        description:
          - A free text. An empty text clears it.
          - If omitted, an existing comment stays, and a new entry gets an empty one.
        type: str
      excluded:
        description:
          - Whether this network is excluded from protection, for example a part of a protected
            prefix.
          - If omitted, an existing entry keeps its value, and a new entry gets V(false).
        type: bool
      expires:
        description:
          - From when on the entry counts as absent, by the clock of Cloudflare. The first run
            after that deletes it.
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
  purge:
    description:
      - Whether the module deletes the entries that O(prefixes) does not name.
      - It requires O(state=present). With an empty O(prefixes) it requires V(empties_list) in
        O(accept_risks).
    type: bool
    default: false
seealso:
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.protection_info
  - module: edgeops.protection.allowlist
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
# Add these prefixes, or update them to match. Other prefixes of the account stay.
- name: Protect two networks, except for a part of one
  edgeops.protection.protected_prefixes:
    prefixes:
      - prefix: 192.0.2.0/24
        comment: Frankfurt
      - prefix: 2001:db8:40::/48
      - prefix: 192.0.2.64/28
        comment: load tests
        excluded: true

# Delete all other prefixes. Their addresses lose protection, which the task must accept.
- name: Have exactly these prefixes
  edgeops.protection.protected_prefixes:
    prefixes:
      - prefix: 192.0.2.0/24
      - prefix: 2001:db8:40::/48
    purge: true
    accept_risks: [unprotects_addresses]

- name: Remove a prefix
  edgeops.protection.protected_prefixes:
    prefixes:
      - prefix: 2001:db8:40::/48
    state: absent
    accept_risks: [unprotects_addresses]
"""

# `make docs-update` writes this block.
RETURN = r"""
prefixes:
  description: All protected and excluded prefixes of the account afterwards.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives. Check mode returns none for a prefix that the
        run would create.
      type: str
      sample: cd613e30-d8f1-4adf-91b7-584a2265b1f5
    prefix:
      description: The network, as Cloudflare stores it.
      type: str
      sample: 192.0.2.0/24
    comment:
      description: The comment.
      type: str
      sample: Frankfurt, building 2
    excluded:
      description: Whether the network is excluded from protection.
      type: bool
      sample: false
    created_on:
      description: When the prefix was created.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    modified_on:
      description: When the prefix was last changed.
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
        protected:
          networks: [192.0.2.0/26, 192.0.2.80/28, 192.0.2.96/27, 192.0.2.128/25]
          addresses: 240
    newly_unprotected:
      description: The networks that lose protection.
      type: list
      elements: str
      sample: [192.0.2.64/28]
    newly_protected:
      description: The networks that gain protection.
      type: list
      elements: str
      sample: [192.0.2.128/25]
    newly_bypassing:
      description: The sources that newly bypass the protection because of the allowlist.
      type: list
      elements: str
      sample: []
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
        - 128 IPv4 addresses (192.0.2.128/25) are not protected, and the baseline protects them.
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
      sample: unprotects_addresses
    message:
      description: The consequence, in a sentence.
      type: str
      sample: 16 IPv4 addresses (192.0.2.64/28) would no longer be protected. Advanced TCP Protection,
        Advanced DNS Protection and Programmable Flow Protection share the prefixes.
    networks:
      description: The networks that the risk concerns.
      type: list
      elements: str
      sample: [192.0.2.64/28]
    addresses:
      description: How many addresses these networks have; large numbers of IPv6 addresses are
        counted in /64 networks.
      type: str
      sample: 16 IPv4 addresses
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [192.0.2.64/28]
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
        prefixes:
          192.0.2.0/24: {prefix: 192.0.2.0/24, comment: Frankfurt, excluded: false}
          192.0.2.128/25:
            prefix: 192.0.2.128/25
            comment: laboratory
            excluded: true
        coverage:
          protected: [192.0.2.64/28]
          SYN flood protection: {enabled or monitoring: 128 IPv4 addresses}
          out-of-state TCP protection: {enabled: 128 IPv4 addresses}
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        prefixes:
          192.0.2.0/24:
            prefix: 192.0.2.0/24
            comment: Frankfurt, building 2
            excluded: false
          192.0.2.64/28: {prefix: 192.0.2.64/28, comment: load tests, excluded: true}
        coverage:
          protected: [192.0.2.128/25]
          SYN flood protection: {enabled or monitoring: 240 IPv4 addresses}
          out-of-state TCP protection: {enabled: 240 IPv4 addresses}
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
      sample: prefix
    key:
      description: The key of the object.
      type: str
      sample: 192.0.2.0/24
    fields:
      description: The values that the module sends. For an object that exists, these are the
        changed fields.
      type: dict
      sample: {comment: 'Frankfurt, building 2'}
    before:
      description: The values that change, as they are; null for a field that the object lacks.
        For an object that the module deletes, these are all its values, and for a new object
        there are none.
      type: dict
      sample: {comment: Frankfurt}
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
  sample: 6b41eaa77839c17c61702e650adf31e05935378c80d62e4ff3c7df19ec086279
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
      sample: prefix
    key:
      description: The key of the object.
      type: str
      sample: 192.0.2.128/25
    expires:
      description: When it expired, in UTC.
      type: str
      sample: '2026-03-01T00:00:00+00:00'
done:
  description: The operations that were applied, in the shape of RV(operations).
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: create
      resource: prefix
      key: 192.0.2.64/28
      fields: {prefix: 192.0.2.64/28, comment: load tests, excluded: true}
      before: {}
    - action: update
      resource: prefix
      key: 192.0.2.0/24
      fields: {comment: 'Frankfurt, building 2'}
      before: {comment: Frankfurt}
left:
  description: The operations that were not applied, in the shape of RV(operations).
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: create
      resource: prefix
      key: 192.0.2.64/28
      fields: {prefix: 192.0.2.64/28, comment: load tests, excluded: true}
      before: {}
    - action: update
      resource: prefix
      key: 192.0.2.0/24
      fields: {comment: 'Frankfurt, building 2'}
      before: {comment: Frankfurt}
    - action: delete
      resource: prefix
      key: 192.0.2.128/25
      fields: {}
      before:
        prefix: 192.0.2.128/25
        comment: laboratory
        excluded: true
unknown:
  description: The operations that may have been applied, in the shape of RV(operations). The
    answer of Cloudflare was lost.
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: delete
      resource: prefix
      key: 192.0.2.128/25
      fields: {}
      before:
        prefix: 192.0.2.128/25
        comment: laboratory
        excluded: true
calls:
  description: The number of calls to Cloudflare, repeated calls included.
  returned: with C(-v)
  type: int
  sample: 11
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
      sample: accounts/023e105f4ecef8ad9ca31a8372d0c353/magic/advanced_tcp_protection/configs/prefixes/bulk
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
    run_module(MODULE_SPECS["protected_prefixes"])


if __name__ == "__main__":
    main()
