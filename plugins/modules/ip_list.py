#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ip_list
short_description: Manage a list of addresses, ASNs or hostnames, and its items
version_added: 1.0.0
description:
  - Creates, updates and deletes a list of addresses and networks, of autonomous systems, or of
    hostnames of a Cloudflare account, and adds, updates and removes its items. Rules refer to it by
    its name, as in V(ip.src in $office).
  - The module sends only the items that differ.
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
          - An address, or a network in CIDR notation, IPv4 from /8 on, IPv6 from /12 on. The module drops host bits.
          - It identifies the item.
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
          - The module leaves an item alone that stands for the name itself as well.
        type: str
      comment:
        description:
          - A free text. An empty text clears it.
        type: str
      expires:
        description:
          - From when on the item counts as absent, as a date, which ends in UTC, or a timestamp with an offset.
        type: str
  state:
    description:
      - With V(present), the module creates the list, or updates it to match, with the items that
        the task names.
      - With V(absent) and O(items), the module removes these items, and the list stays. With
        V(absent) and without O(items), it deletes the list.
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
      description: The id that Cloudflare gives, which a new list lacks in check mode.
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
      description: The id that Cloudflare gives, which a new item lacks in check mode.
      type: str
      sample: 34b12448945f11eaa1b71c4d701ab86e
    ip:
      description: The address or network, as Cloudflare stores it.
      type: str
      sample: 198.51.100.0/24
    asn:
      description: The number of the autonomous system, in place of an address.
      type: int
      sample: 64500
    hostname:
      description: The hostname, in place of an address.
      type: str
      sample: '*.shop.example'
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
    - The lists with items that make rules of the Network Firewall protect less before this run
      than after it.
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
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["ip_list"])


if __name__ == "__main__":
    main()
