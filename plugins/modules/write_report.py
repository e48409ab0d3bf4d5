#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: write_report
short_description: Internal, write the report on the hosts of a play
version_added: 1.0.0
description:
  - The last task of the role C(edgeops.protection.report), which runs it once for all hosts of the
    play. It gathers what each host predicted, and writes the report as C(report.json),
    C(report.md), C(report.html), C(report.prom), C(report.xml), and the plan of each host as
    C(plans/HOST.json).
  - A host without a result has the status C(unknown); only C(localhost), where a play merges
    reports of others, is then left out. Each file is written at once, or not at all.
  - It makes no calls.
author:
  - The edgeops.protection authors (@edgeops)
options:
  directory:
    description: The directory of the report. It is created where it does not exist.
    type: path
    required: true
  merge:
    description: Files C(report.json) of other runs, such as of other slices of the inventory.
    type: list
    elements: path
    default: []
  previous:
    description: A file C(report.json) of an earlier run. The report says what changed since.
    type: path
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
  - plugin: edgeops.protection.protection_report
    plugin_type: filter
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
totals:
  description: The numbers of the report, as in C(report.json).
  returned: always
  type: dict
"""
