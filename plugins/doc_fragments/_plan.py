# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private to the collection: it may change with any version."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  expected_plan:
    description:
      - The C(plan_id) of the plan that was approved, for example that of a dry run.
      - A plan that is neither empty nor this one fails before anything is written, in check mode
        too. The failure shows the plan.
      - An empty text, the C(plan_id) of an empty plan, approves no change, and neither does null,
        as of a template that finds no file. If omitted, the module applies any plan.
      - If the module has to read and plan again, because an answer was lost or somebody else
        made a change, it applies what is left of the approved plan, and nothing else.
    version_added: 1.0.0
    type: str
seealso:
  - name: Results
    description: What every module that writes returns beside its own results, such as
      C(operations), C(plan_id), C(diff), C(risks), and C(error) of a failure.
    link: https://github.com/edgeops/ansible-protection/blob/main/docs/results.md
"""
