#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: protection_filter
short_description: Manage a filter of SYN flood or out-of-state TCP protection
version_added: 0.1.0
description:
  - Creates a filter of an account's Advanced TCP Protection, brings it into line, or removes it.
  - A filter that matches decides the mode instead of all rules of its component.
extends_documentation_fragment:
  - edgeops.protection.attributes
  - edgeops.protection.attributes.write
  - edgeops.protection.connection
  - edgeops.protection.account
  - edgeops.protection.risks
  - edgeops.protection.risks.staged_rollout
options:
  kind:
    description:
      - Which component the filter belongs to, SYN flood protection or out-of-state TCP protection.
    type: str
    choices: [syn_flood, out_of_state_tcp]
    required: true
  expression:
    description:
      - The traffic that the filter matches, in the Rules language, with the fields C(ip.src), C(ip.dst),
        C(tcp.srcport)
        and C(tcp.dstport).
      - It identifies the filter. White space outside of quotes has no meaning.
    type: str
    required: true
  mode:
    description:
      - V(monitoring) reports and drops nothing, V(enabled) mitigates, V(disabled) does nothing.
      - Left out, a live filter keeps its mode; a new filter starts in V(monitoring).
    type: str
    choices: [enabled, monitoring, disabled]
  state:
    description:
      - With V(present), what is named exists and has the values given.
      - With V(absent), what is named does not exist; other values are not looked at.
    type: str
    choices: [present, absent]
    default: present
seealso:
  - module: edgeops.protection.protection_rule
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.protection_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
- name: Only watch what goes to the web servers
  edgeops.protection.protection_filter:
    kind: syn_flood
    expression: ip.dst in {192.0.2.0/24} and tcp.dstport in {80 443}
    mode: monitoring

- name: Remove the filter
  edgeops.protection.protection_filter:
    kind: syn_flood
    expression: ip.dst in {192.0.2.0/24} and tcp.dstport in {80 443}
    state: absent
"""

RETURN = r"""
filter:
  description: The filter afterwards, null when it is absent.
  returned: success
  type: dict
  contains:
    kind:
      description: The component it belongs to.
      type: str
      sample: syn_flood
    id:
      description: The id that the service gave it; missing for an object that check mode foresees.
      type: str
      sample: 31c70c65-9f81-4669-94ed-1e1e041e7b06
    expression:
      description: The traffic that it matches.
      type: str
      sample: tcp.dstport in {80 443}
    mode:
      description: What it does.
      type: str
      sample: monitoring
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
pending:
  description: The step that is left to take on the way to enabled.
  returned: when O(staged_rollout) is set and something is not enabled yet
  type: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: syn_flood_rule
    key:
      description: What identifies the object.
      type: str
      sample: global
    mode:
      description: The mode that is wished for.
      type: str
      sample: enabled
    not_before:
      description: The time before which it is not set, null where the service does not say when monitoring began.
      type: str
      sample: "2026-03-01T13:15:02+00:00"
    message:
      description: The same as a sentence.
      type: str
      sample: syn flood rule global monitors, and is enabled by the first run after 2026-03-01T13:15:02+00:00.
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
      sample: {syn_flood_filters: {"tcp.dstport in {80 443}": {expression: "tcp.dstport in {80 443}", mode:
        monitoring}}}
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
      sample: syn_flood_filter
    key:
      description: What identifies the object.
      type: str
      sample: tcp.dstport in {80 443}
    fields:
      description: The values that are sent; of an object that exists, just the changed ones.
      type: dict
      sample: {expression: "tcp.dstport in {80 443}", mode: monitoring}
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
    run_module(MODULE_SPECS["protection_filter"])


if __name__ == "__main__":
    main()
