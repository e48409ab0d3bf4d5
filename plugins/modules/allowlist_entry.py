#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: allowlist_entry
short_description: Manage one entry of an account's allowlist
version_added: 0.1.0
description:
  - Adds one entry to the allowlist, brings it into line, or removes it.
  - The allowlist names I(sources) whose packets bypass all rules. Sources can be forged, so it is no security
    control.
  - For networks of the account itself use excluded entries of M(edgeops.protection.protected_prefixes) instead.
extends_documentation_fragment:
  - edgeops.protection.attributes
  - edgeops.protection.attributes.write
  - edgeops.protection.connection
  - edgeops.protection.account
  - edgeops.protection.risks
options:
  prefix:
    description:
      - The network in CIDR notation, or a single address.
      - Host bits have no meaning and are dropped; V(192.0.2.7/24) is V(192.0.2.0/24), and V(192.0.2.1) is
        V(192.0.2.1/32).
      - The service cannot change the network of an entry; another network is another entry.
    type: str
    required: true
  comment:
    description:
      - A free text. An empty text clears it.
      - Left out, a comment that is there stays; a new entry gets an empty one.
    type: str
  enabled:
    description:
      - Whether the entry is active; an entry that is not is kept, but has no effect.
      - Left out, a live entry stays as it is; a new entry is active, as with V(true).
    type: bool
  state:
    description:
      - With V(present), what is named exists and has the values given.
      - With V(absent), what is named does not exist; other values are not looked at.
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
- name: Let a monitoring probe pass
  edgeops.protection.allowlist_entry:
    prefix: 198.51.100.7
    comment: monitoring probe

- name: Keep the entry, but without effect
  edgeops.protection.allowlist_entry:
    prefix: 198.51.100.7
    enabled: false

- name: Remove the entry
  edgeops.protection.allowlist_entry:
    prefix: 198.51.100.7
    state: absent
"""

RETURN = r"""
entry:
  description: The entry afterwards, null when it is absent.
  returned: success
  type: dict
  contains:
    id:
      description: The id that the service gave it; missing for an object that check mode foresees.
      type: str
      sample: 31c70c65-9f81-4669-94ed-1e1e041e7b06
    prefix:
      description: The network, as the service holds it.
      type: str
      sample: 198.51.100.7/32
    comment:
      description: The comment.
      type: str
      sample: monitoring probe
    enabled:
      description: Whether it is active.
      type: bool
      sample: true
    created_on:
      description: When it was created.
      type: str
      sample: "2026-03-01T09:15:02.310412+00:00"
    modified_on:
      description: When it was last changed.
      type: str
      sample: "2026-03-01T09:15:02.310412+00:00"

coverage:
  description:
    - What the plan does to the protection of the account; the same in check mode as in the run that follows.
    - RV(coverage.before) and RV(coverage.after) have the shape of C(coverage) in
      M(edgeops.protection.protection_info); the former has no C(prefixes).
  returned: when the plan changes who is protected, or how
  type: dict
  contains:
    before:
      description: The coverage before.
      type: dict
      sample: {effective: true, protected: {networks: [192.0.2.0/24], addresses: 256}}
    after:
      description: The coverage afterwards.
      type: dict
      sample: {effective: true, protected: {networks: [192.0.2.0/25], addresses: 128}}
    newly_unprotected:
      description: The networks that are no longer protected.
      type: list
      elements: str
      sample: [192.0.2.128/25]
    newly_protected:
      description: The networks that were not protected.
      type: list
      elements: str
      sample: []
    newly_bypassing:
      description: The sources that pass because of the allowlist, and did not.
      type: list
      elements: str
      sample: []
risks:
  description: The risks that the plan carries; those not accepted in a failure, those accepted in a success.
  returned: when there are any
  type: list
  elements: dict
  contains:
    code:
      description: The code, as O(accept_risks) takes it.
      type: str
      sample: unprotects_addresses
    message:
      description: A sentence on what would happen.
      type: str
      sample: 128 IPv4 addresses (192.0.2.128/25) would no longer be protected.
    networks:
      description: The networks concerned.
      type: list
      elements: str
      sample: [192.0.2.128/25]
    addresses:
      description: How many addresses these networks hold.
      type: int
      sample: 128
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [192.0.2.128/25]
diff:
  description:
    - The managed fields of the objects that change, before and after, by collection and key, sorted by key.
    - The same in check mode as in the run that follows.
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The objects concerned as they were, by collection.
      type: dict
      sample: {}
    after:
      description: The objects concerned as they become, by collection.
      type: dict
      sample: {allowlist: {198.51.100.7/32: {prefix: 198.51.100.7/32, comment: monitoring probe, enabled: true}}}
operations:
  description:
    - The changes in the order in which they are made; empty when nothing changes.
    - The same in check mode as in the run that follows.
  returned: success, and failure after the plan was made
  type: list
  elements: dict
  contains:
    action:
      description: V(create), V(update) or V(delete).
      type: str
      sample: create
    resource:
      description: The kind of object.
      type: str
      sample: allowlist_entry
    key:
      description: What identifies the object.
      type: str
      sample: 198.51.100.7/32
    fields:
      description: The values that are sent; of an object that exists, just the changed ones.
      type: dict
      sample: {prefix: 198.51.100.7/32, comment: monitoring probe, enabled: true}
done:
  description: The operations that were carried out, in the shape of RV(operations).
  returned: failure after writing had begun
  type: list
  elements: dict
  sample: []
left:
  description: The operations that were not carried out, in the shape of RV(operations).
  returned: failure after writing had begun
  type: list
  elements: dict
  sample: []
unknown:
  description: The operations of which it is not known whether they were carried out, in the shape of RV(operations).
  returned: failure after writing had begun
  type: list
  elements: dict
  sample: []

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
      sample: accounts/023e105f4ecef8ad9ca31a8372d0c353/magic/advanced_tcp_protection/configs/prefixes
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
    run_module(MODULE_SPECS["allowlist_entry"])


if __name__ == "__main__":
    main()
