# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private to the collection: it may change with any version."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
notes:
  - An option, or a field of an entry, that a task omits changes nothing that exists.
options:
  expected_plan:
    description:
      - The C(plan_id) of the plan that was approved. Another one fails before anything is written.
        An empty text approves no change.
    version_added: 1.0.0
    type: str
seealso:
  - name: Risks of a plan
    description: The meaning of the codes of C(accept_risks), and of the C(limits).
    link: https://github.com/edgeops/ansible-protection/blob/main/docs/risks.md
  - name: Approve a plan
    description: The parts of O(expected_plan), and the plans that it refuses.
    link: https://github.com/edgeops/ansible-protection/blob/main/docs/approve.md
  - name: Results
    description: The results of every module that writes, beside its own ones, such as
      C(operations), C(plan_id), C(diff), C(risks), and C(error) of a failure.
    link: https://github.com/edgeops/ansible-protection/blob/main/docs/check_mode.md#results-of-every-module
"""
