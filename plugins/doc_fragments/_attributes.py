# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private to the collection: it may change with any version."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: Supports check mode, which returns the same changes as the run that follows and
      makes none of them.
  diff_mode:
    description: Returns the difference between the objects before and after.
  idempotent:
    description: A second run with the same options changes nothing, unless somebody else made a
      change in between.
  action_group:
    description: Belongs to the action group C(all), and to C(account) or C(zone) as its owner is,
      for which C(module_defaults) can set options.
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
    details: The module only reads.
  diff_mode:
    support: N/A
    details: The module only reads.
  idempotent:
    support: full
    details: The module only reads.
"""
