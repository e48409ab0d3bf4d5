#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_report_info
short_description: Internal, predict what the role baseline changes, for the report
version_added: 1.0.0
description:
  - The task of the role C(edgeops.protection.report) that each host runs. It predicts what
    M(edgeops.protection.host_baseline) would do, and makes it a record of the report.
  - It only reads, whether the play runs in check mode or not. It does not fail. A host that cannot
    be read gets the status C(unknown), with the reason.
  - It goes on with the zone of a host if its account cannot be read or its plan has risks that are
    not accepted.
  - If C(report_traffic_hours) is set, it also asks the analytics for the traffic of the account.
author:
  - The edgeops.protection authors (@edgeops)
attributes:
  action:
    description: An action plugin runs it on the control node.
    support: full
  check_mode:
    description: Supports check mode, which makes no difference.
    support: full
notes:
  - It takes no options. It reads the variables of the role C(edgeops.protection.baseline).
seealso:
  - module: edgeops.protection.host_baseline
  - module: edgeops.protection.write_report
"""

EXAMPLES = r"""
- name: Predict what the baseline changes
  edgeops.protection.host_report_info:
  register: baseline_report
"""

RETURN = r"""
record:
  description: The part of the report about the host, as C(docs/report.schema.json) of the collection describes it.
  returned: always
  type: dict
"""
