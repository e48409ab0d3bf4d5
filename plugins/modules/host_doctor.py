#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_doctor
short_description: (internal) Doctor of a host, its token and its answers
version_added: 1.0.0
description:
  - The action of the playbook C(edgeops.protection.doctor). It reads the account and the zone of a
    host, and says which permissions the token has, which products there are, and which assumptions
    of this collection hold there.
  - It only reads, whether the play runs in check mode or not. It takes the account, the zone and
    the credentials from the variables of the host, as the role C(edgeops.protection.baseline) does.
  - It writes a bundle for an issue report, O(directory)/HOST/bundle.json, which has the shapes of
    answers, but no value of an answer, no id and no name of a host. In check mode, it writes no
    file.
options:
  directory:
    description: The directory of the bundles, with a folder for each host. A relative one is below
      the working directory of the process.
    type: str
    default: doctor
  fail_on:
    description:
      - When the task fails, with V(deviation) if an assumption does not hold, with V(unknown) if
        something cannot be read.
      - By default it fails only if it cannot begin, for example without credentials.
    type: list
    elements: str
    choices: [deviation, unknown]
    default: []
  record:
    description: Also writes O(directory)/recording.json, one file for all hosts of the task. It has
      the types of answers, the names of their fields and headers, and words of enumerations such as
      modes, but no other value, id, name or address.
    type: bool
    default: false
author:
  - The edgeops.protection authors (@edgeops)
attributes:
  action:
    description: An action plugin runs it on the control node.
    support: full
  async:
    description: Supports C(async).
    support: none
  check_mode:
    description: Supports check mode, in which it writes no file.
    support: full
  diff_mode:
    description: Returns the difference between the objects before and after. There is none.
    support: none
seealso:
  - module: edgeops.protection.host_baseline
  - module: edgeops.protection.protection_info
"""

EXAMPLES = r"""
- name: Look before the first write
  edgeops.protection.host_doctor:
    directory: doctor
    fail_on: [deviation]
"""

RETURN = r"""
hosts:
  description: The result of each host, without C(-v) of those alone that failed.
  returned: for several hosts
  type: dict
path:
  description: The path of the bundle.
  returned: when the host could be examined, for a single host
  type: str
  sample: /srv/edge/doctor/frankfurt/bundle.json
doctor:
  description: The answers of the account and the zone of the host.
  returned: success, for a single host
  type: dict
  contains:
    host:
      description: The name of the host.
      returned: always
      type: str
      sample: frankfurt
    checked:
      description: When the host was examined.
      returned: always
      type: str
      sample: "2027-01-29T09:15:02+00:00"
    calls:
      description: How many calls that took.
      returned: always
      type: int
      sample: 22
    permissions:
      description: The permissions that the reads need, each with C(name), C(available) (null if it
        is not known), and the C(reason).
      returned: always
      type: list
      elements: dict
    products:
      description: The products that the account and the zone have, in the same form.
      returned: always
      type: list
      elements: dict
    answers:
      description: Each resource, with the number of its C(objects), or the C(reason) why it could
        not be read.
      returned: always
      type: list
      elements: dict
    assumptions:
      description: The assumptions of C(docs/evidence.md) that the doctor looks at, each with its
        C(name), whether it C(holds) (null if no answer shows it), and the C(reasons).
      returned: always
      type: list
      elements: dict
"""
