# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: Can run in check mode and foretell what would change, without changing anything.
  diff_mode:
    description: Returns what changes, or would change in check mode.
  idempotent:
    description: When it runs again with the same options, and nobody else changed anything, it changes nothing.
  action_group:
    description: Is in an action group, so that C(module_defaults) can set options for all modules of the group.
    support: full
    membership:
      - edgeops.protection.all
"""

    WRITE = r"""
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
"""

    INFO = r"""
attributes:
  check_mode:
    support: full
    details: It changes nothing in any mode.
  diff_mode:
    support: N/A
    details: It changes nothing.
  idempotent:
    support: full
    details: It changes nothing.
"""
