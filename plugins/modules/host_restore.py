#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_restore
short_description: (internal) Restore of an account and its zone from a file
version_added: 1.0.0
description:
  - The action of the playbook C(edgeops.protection.restore). It takes a snapshot, which the role
    C(edgeops.protection.baseline) writes before its first change, or a file of the role
    C(edgeops.protection.export).
  - It makes the lists and the custom rules that the file describes exactly what they were, through
    the same checks as any other change. Objects that the run of a snapshot could not change stay
    as they are. Then it reads the state and compares it with the file, and
    fails with all differences if there are any.
  - It refuses to bring back an object as another one, for example a malformed prefix that was
    deleted, or one of two duplicates. It names such objects before it changes anything.
  - It takes the account, the zone, the credentials and the limits from the variables of the host,
    as the role does, and everything else from the file. It refuses a file of another account or
    zone. Objects that C(baseline_ignore_ids) and C(baseline_custom_rules_ignore) give to others
    stay as they are.
options:
  file:
    description: The file. A relative path is below the working directory of the process. Either this or O(before).
    type: str
    default: ''
  before:
    description:
      - Takes the host's own newest snapshot from before this moment, out of C(baseline_snapshot_directory). A host
        without one fails.
      - A timestamp with offset such as C(2027-01-31T18:00:00+01:00), a date such as C(2027-01-31), which means its
        beginning in UTC, or V(latest).
    type: str
    default: ''
  since:
    description: With O(before), a snapshot from before this moment is not taken. A host without a later one fails.
    type: str
    default: ''
  accept_risks:
    description: The risks that are accepted, as
      O(edgeops.protection.account_protection#module:accept_risks) has them.
    type: list
    elements: raw
    default: []
  leave_objects:
    description: Objects that the restore leaves as they are, each by its id, or as the refusal
      names it, such as C(prefix 203.0.113/24).
    type: list
    elements: str
    default: []
  leave_fields:
    description: Names of fields without an option that the restore does not compare and does not
      bring back.
    type: list
    elements: str
    default: []
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
    description: Supports check mode, which returns the same changes as the run that follows and
      makes none of them.
    support: full
  diff_mode:
    description: Returns the difference between the objects before and after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing, unless somebody else made a
      change in between.
    support: full
seealso:
  - module: edgeops.protection.host_baseline
  - module: edgeops.protection.account_protection
  - module: edgeops.protection.firewall_rules
  - module: edgeops.protection.custom_rules
"""

EXAMPLES = r"""
- name: Undo the last run on this host
  edgeops.protection.host_restore:
    file: snapshots/frankfurt/2027-01-29T09-15-02.310412Z.yml
    accept_risks: [{code: skips_monitoring, resource: syn_flood_rule, entries: [syn_flood global]}]

- name: Undo the last run on each host
  edgeops.protection.host_restore:
    before: latest
"""

RETURN = r"""
operations:
  description: The operations of the plan, in the order in which they are applied.
  returned: success
  type: list
  elements: dict
diff:
  description: The objects that change, before and after, by collection.
  returned: success
  type: dict
plan_id:
  description: The plan of the restore. It is empty if there is nothing to do.
  returned: success
  type: str
snapshot:
  description: The path of the file with the state before.
  returned: when a snapshot was written
  type: str
differences:
  description: A sentence for each object that is not what the file says.
  returned: when the changes were made, and something differs
  type: list
  elements: str
"""
