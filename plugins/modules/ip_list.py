#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ip_list
short_description: Manage a list of addresses, autonomous systems or hostnames for rules of Cloudflare
version_added: 1.0.0
description:
  - Creates, updates and deletes a list of addresses and networks, of autonomous systems, or of
    hostnames of a Cloudflare account, and adds, updates and removes its items. Rules refer to it by
    its name, as in V(ip.src in $office).
  - The module reads the list completely, and sends only the items that differ. It never replaces or
    deletes all items with one call.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._account
  - edgeops.protection._plan
  - edgeops.protection._risks.lists_of_addresses
notes:
  - The module needs the permission C(Account Filter Lists Edit) of the account. Check mode needs
    C(Account Filter Lists Read).
  - Cloudflare changes items asynchronously, with one operation at a time in an account. The
    module waits for the end of its operations, and before that for an operation of others, up to
    O(max_wait) seconds together. If its run is killed, the operation that has begun goes on.
  - With more than 10,000 items over all lists, the module warns. Most accounts may have no more.
  - If items of a list change to which rules refer, the module reads the rules of the Network Firewall.
    It needs the permission C(Magic Firewall Read) of the account for that, and warns if it lacks it.
options:
  name:
    description:
      - The name of the list, up to 50 lower-case letters, digits and underscores. Rules refer to it
        with a dollar sign, as in V(ip.src in $office).
      - The name identifies the list and cannot be changed.
    type: str
    required: true
  kind:
    description:
      - The kind of its items, each of which has the option of this name. It cannot be changed.
      - V(ip) has addresses and networks, for fields such as V(ip.src), V(asn) autonomous systems for
        V(ip.src.asnum), and V(hostname) hostnames for V(http.host). Lists of the latter two need an
        Enterprise account. The module leaves lists of redirects alone.
    type: str
    choices: [ip, asn, hostname]
    default: ip
  description:
    description:
      - A free text. An empty text clears it.
      - If omitted, an existing description stays, and a new list gets an empty one.
    type: str
  items:
    description:
      - The items. Each may occur once.
      - If omitted, the items stay as they are.
    type: list
    elements: dict
    suboptions:
      ip:
        description:
          - An address, or a network in CIDR notation. Lists take IPv4 networks from /8 on and IPv6
            networks from /12 on.
          - The module drops host bits. V(192.0.2.7/24) is V(192.0.2.0/24), and V(192.0.2.1/32) is
            V(192.0.2.1).
          - The network identifies the item and cannot be changed. Another network is another item.
        type: str
      asn:
        description:
          - The number of an autonomous system, such as V(64500) or V(AS64500). It identifies the
            item.
        type: raw
      hostname:
        description:
          - A hostname such as V(shop.example.com), or with a wildcard in front, V(*.example.com),
            which stands for all names below it and not for V(example.com). It identifies the item.
          - The module leaves an existing item alone that stands for the name itself as well (by
            C(exclude_exact_hostname) of the API).
        type: str
      comment:
        description:
          - A free text. An empty text clears it.
          - If omitted, an existing comment stays, and a new item gets an empty one.
        type: str
      expires:
        description:
          - From when on the item counts as absent, by the clock of Cloudflare. The first run after
            that deletes it.
          - A timestamp with offset such as V(2027-01-31T18:00:00+01:00), or a date such as
            V(2027-01-31), which means its end in UTC.
          - Cloudflare does not know it. If omitted, the item does not expire.
        type: str
  state:
    description:
      - With V(present), the module creates the list, or updates it to match, with the items that
        the task names.
      - With V(absent) and O(items), the module removes these items, and the list stays. With
        V(absent) and without O(items), it deletes the list, which Cloudflare refuses as long as
        rules refer to it.
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether the module removes the items that O(items) does not name.
      - It requires O(state=present) and O(items). With empty O(items) it requires V(empties_list)
        in O(accept_risks), so that an empty source does not empty a list.
    type: bool
    default: false
seealso:
  - module: edgeops.protection.custom_rules
  - module: edgeops.protection.protection_info
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The account and the credentials come from module_defaults, see the notes.
# Add these items, or update them to match. Other items of the list stay.
- name: Have a list of offices
  edgeops.protection.ip_list:
    name: offices
    description: Where our people work
    items:
      - ip: 198.51.100.0/24
        comment: Berlin
      - ip: 203.0.113.7
        comment: a consultant
        expires: "2099-01-31"

- name: Have exactly these items
  edgeops.protection.ip_list:
    name: offices
    items:
      - ip: 198.51.100.0/24
      - ip: 2001:db8:40::/48
    purge: true

- name: Have a list of autonomous systems
  edgeops.protection.ip_list:
    name: hosting_companies
    kind: asn
    items:
      - asn: 64500
      - asn: AS64501
        comment: scanned us in May

- name: Remove an item
  edgeops.protection.ip_list:
    name: offices
    items:
      - ip: 2001:db8:40::/48
    state: absent

- name: Delete the list
  edgeops.protection.ip_list:
    name: offices
    state: absent
"""

# `make docs-update` writes this block.
RETURN = r"""
list:
  description: The list afterwards without its items, null when it is absent.
  returned: success
  type: dict
  contains:
    id:
      description: The id that Cloudflare gives. Check mode returns none for a list that the run
        would create.
      type: str
      sample: 2c0fc9fa937b11eaa1b71c4d701ab86e
    name:
      description: The name of the list.
      type: str
      sample: offices
    kind:
      description: The kind of its items, V(ip), V(asn) or V(hostname).
      type: str
      sample: ip
    description:
      description: The description of the list.
      type: str
      sample: where our people work
    created_on:
      description: When the list was created.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    modified_on:
      description: When the list was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    num_items:
      description: How many items the list has.
      type: int
      sample: 2
    num_referencing_filters:
      description: How many rules refer to the list, by the count of Cloudflare before the run.
      type: int
      sample: 1
items:
  description: All items of the list afterwards.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives. Check mode returns none for an item that the
        run would create.
      type: str
      sample: 34b12448945f11eaa1b71c4d701ab86e
    ip:
      description: The address or network, as Cloudflare stores it.
      type: str
      sample: 198.51.100.0/24
    comment:
      description: The comment.
      type: str
      sample: Hamburg
    created_on:
      description: When the item was created.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    modified_on:
      description: When the item was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
weaker:
  description:
    - The lists with items that make rules of the Network Firewall let more pass before this run
      than after it, or stop less. In the role, rules of the zone count as well.
  version_added: 1.0.0
  returned: when there are such lists
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: ip_list
    key:
      description: The key of the rule.
      type: str
      sample: offices
    certain:
      description: Whether it is proven; an expression that is not understood may match more or
        less than another one.
      type: bool
      sample: false
    reason:
      description: The weakness of the rule, as a sentence without its subject.
      type: str
      sample: has 203.0.113.7, otherwise than described, and may let packets pass that Network
        Firewall rule telnet would stop, by the Network Firewall rule monitoring
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
      sample: 'Items of the list offices: none of 2 would be left.'
    networks:
      description: The networks that the risk concerns.
      type: list
      elements: str
      sample: [198.51.100.0/24]
    addresses:
      description: How many addresses these networks have; large numbers of IPv6 addresses are
        counted in /64 networks.
      type: str
      sample: 256 IPv4 addresses
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [offices 198.51.100.7, offices 198.51.100.0/24]
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
        items of offices:
          offices 198.51.100.0/24: {ip: 198.51.100.0/24, comment: Berlin}
          offices 203.0.113.7: {ip: 203.0.113.7, comment: ''}
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        items of offices:
          offices 198.51.100.0/24: {ip: 198.51.100.0/24, comment: Hamburg}
          offices 198.51.100.7: {ip: 198.51.100.7, comment: ''}
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
      sample: ip_list_item
    key:
      description: The key of the object.
      type: str
      sample: offices 198.51.100.0/24
    fields:
      description: The values that the module sends. For an object that exists, these are the
        changed fields.
      type: dict
      sample: {comment: Hamburg}
    before:
      description: The values that change, as they are; null for a field that the object lacks.
        For an object that the module deletes, these are all its values, and for a new object
        there are none.
      type: dict
      sample: {comment: Berlin}
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
  sample: 471955d1093d722d820fb439daf5ffac1b11b67b3871f68b9a0f3ba881da334a
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
      sample: ip_list_item
    key:
      description: The key of the object.
      type: str
      sample: offices 198.51.100.7
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
      sample: [offices 198.51.100.0/24]
    reason:
      description: The reason, as a sentence.
      type: str
      sample: it lies within offices 198.51.100.0/24, which lasts as long
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
      sample: ip_list_item
    key:
      description: The key of the object.
      type: str
      sample: offices 203.0.113.7
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
    - action: delete
      resource: ip_list_item
      key: offices 203.0.113.7
      fields: {}
      before: {ip: 203.0.113.7, comment: ''}
    - action: delete
      resource: ip_list_item
      key: offices 198.51.100.0/24
      fields: {}
      before: {ip: 198.51.100.0/24, comment: Berlin}
unknown:
  description: The operations that may have been applied, in the shape of RV(operations). The
    answer of Cloudflare was lost.
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: delete
      resource: ip_list_item
      key: offices 203.0.113.7
      fields: {}
      before: {ip: 203.0.113.7, comment: ''}
    - action: delete
      resource: ip_list_item
      key: offices 198.51.100.0/24
      fields: {}
      before: {ip: 198.51.100.0/24, comment: Berlin}
calls:
  description: The number of calls to Cloudflare, repeated calls included.
  returned: with C(-v)
  type: int
  sample: 10
error:
  description: The call that failed, and the answer of Cloudflare.
  returned: failure of a call to Cloudflare
  type: dict
  contains:
    method:
      description: The HTTP method of the call.
      type: str
      sample: DELETE
    path:
      description: The path of the call behind the base URL.
      type: str
      sample: accounts/023e105f4ecef8ad9ca31a8372d0c353/rules/lists/2c0fc9fa937b11eaa1b71c4d701ab86e/items
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
      sample: 4b227777d4dd1fc6-LOC
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["ip_list"])


if __name__ == "__main__":
    main()
