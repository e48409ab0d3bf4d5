#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: tcp_protection_status
short_description: Turn Advanced TCP Protection of a Cloudflare account on or off
version_added: 0.1.0
description:
  - Turns the Advanced TCP Protection of a Cloudflare account on or off.
  - Create at least one SYN flood rule and one out-of-state TCP rule before you turn it on. A
    component without a rule protects nothing.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.status
notes:
  - The module needs the permission C(DDoS Protection Write) of the account. Check mode needs C(DDoS
    Protection Read). Only API tokens have it.
options:
  enabled:
    description: Whether the protection is on.
    type: bool
    required: true
seealso:
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.protection_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
- name: Turn the protection on
  edgeops.protection.tcp_protection_status:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    api_token: "{{ edge_api_token }}"
    enabled: true

# The other examples of this collection omit the account and the credentials. A play sets them once:
#
# - name: Protect the accounts
#   hosts: accounts
#   gather_facts: false
#   module_defaults:
#     group/edgeops.protection.account:
#       account_id: "{{ edge_account_id }}"
#       api_token: "{{ edge_api_token }}"
#   tasks:
#     ...

# Check mode makes no change. Turning the protection off is a risk, which the task must accept.
- name: Show what turning the protection off would change
  edgeops.protection.tcp_protection_status:
    enabled: false
    accept_risks: [disables_protection]
  check_mode: true
  diff: true
"""

# `make docs-update` writes this block.
RETURN = r"""
tcp_protection_status:
  description: The status afterwards.
  returned: success
  type: dict
  contains:
    enabled:
      description: Whether the protection is on.
      type: bool
      sample: false
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
        effective: false
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
      sample: []
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
      sample: disables_protection
    message:
      description: The consequence, in a sentence.
      type: str
      sample: TCP protection would be switched off. Advanced TCP Protection, Advanced DNS Protection
        and Programmable Flow Protection share the status.
    networks:
      description: The networks that the risk concerns.
      type: list
      elements: str
      sample: [192.0.2.0/25]
    addresses:
      description: How many addresses these networks have; large numbers of IPv6 addresses are
        counted in /64 networks.
      type: str
      sample: 128 IPv4 addresses
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [tcp_protection_status]
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
      sample: {status: {enabled: true}, coverage: {effective: true}}
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample: {status: {enabled: false}, coverage: {effective: false}}
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
      sample: tcp_protection_status
    key:
      description: The key of the object.
      type: str
      sample: tcp_protection_status
    fields:
      description: The values that the module sends. For an object that exists, these are the
        changed fields.
      type: dict
      sample: {enabled: false}
    before:
      description: The values that change, as they are; null for a field that the object lacks.
        For an object that the module deletes, these are all its values, and for a new object
        there are none.
      type: dict
      sample: {enabled: true}
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
  sample: fe462ea52e7e756d3f2d19439aafa43502606e4a936c78cc3d480fb8c00f54a5
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
      resource: tcp_protection_status
      key: tcp_protection_status
      fields: {enabled: false}
      before: {enabled: true}
unknown:
  description: The operations that may have been applied, in the shape of RV(operations). The
    answer of Cloudflare was lost.
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: update
      resource: tcp_protection_status
      key: tcp_protection_status
      fields: {enabled: false}
      before: {enabled: true}
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
      sample: PATCH
    path:
      description: The path of the call behind the base URL.
      type: str
      sample: accounts/023e105f4ecef8ad9ca31a8372d0c353/magic/advanced_tcp_protection/configs/tcp_protection_status
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
    run_module(MODULE_SPECS["tcp_protection_status"])


if __name__ == "__main__":
    main()
