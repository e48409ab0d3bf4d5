#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: write_report
short_description: (internal) Report on the hosts of a play
version_added: 1.0.0
description:
  - The task of the role C(edgeops.protection.report), which runs it once for all hosts of the play.
    It predicts what M(edgeops.protection.host_baseline) would do on each of them, as many at a time
    as the play has forks, and writes the report as C(report.json), C(report.md), C(report.html),
    C(report.prom), C(report.xml), and the plan of each host as C(plans/HOST.json).
  - It only reads, whether the play runs in check mode or not. A host that cannot be read gets the
    status C(unknown), with the reason, and stops no other one. The zone of a host is read if its
    account cannot be, or if its plan has risks that are not accepted.
  - Of each host it takes the variables of the role C(edgeops.protection.baseline), wherever Ansible
    has them from. It reads in the process of the task on the control node, whatever
    C(edgeops_protection_in_worker) is.
  - Each file is written at once, or not at all.
author:
  - The edgeops.protection authors (@edgeops)
options:
  directory:
    description: The directory of the report. It is created where it does not exist.
    type: path
    required: true
  previous:
    description: A file C(report.json) of an earlier run. The report says what changed since.
    type: path
  plan:
    description: Whether to write the plan page as well, C(plan.md) and C(plan.json), for those who review a change.
    type: bool
    default: false
  plan_base:
    description: The directory of a report that was made with the files of the base branch.
    type: path
  moved:
    description: Whether to say what Cloudflare itself has changed since the former report.
    type: bool
    default: false
  fail_on:
    description: The statuses that make the task fail, after it has written the report. An empty text is none.
    type: list
    elements: str
    choices: [unknown, unprotected, weakened, drift, pending, in_order, ""]
    default: []
  mode:
    description: The permissions of the files, in octal digits.
    type: str
    default: "0600"
attributes:
  action:
    description: An action plugin runs it on the control node.
    support: full
  check_mode:
    description: Supports check mode, in which it writes no file.
    support: full
seealso:
  - module: edgeops.protection.host_baseline
"""

EXAMPLES = r"""
- name: Write the report
  edgeops.protection.write_report:
    directory: "{{ playbook_dir }}/report"
    fail_on: [unknown, unprotected]
  run_once: true
"""

RETURN = r"""
directory:
  description: The directory of the report.
  returned: always
  type: str
summary:
  description: The report in some lines.
  returned: always
  type: list
  elements: str
plan_ids:
  description: The C(plan_id) of each host that was read, empty if nothing is to be changed.
  returned: always
  type: dict
plan:
  description: The label and the numbers of the plan page.
  returned: with O(plan)
  type: dict
records:
  description: The part of the report about each host that was read, as C(docs/report.schema.json) describes it.
  returned: with C(-v)
  type: dict
totals:
  description: The numbers of the report, as in C(report.json).
  returned: always
  type: dict
"""
