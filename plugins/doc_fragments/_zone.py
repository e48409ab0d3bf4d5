# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private to the collection: it may change with any version."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  zone_id:
    description:
      - The id of the zone, 32 hexadecimal digits.
      - If a task omits O(zone_id) and O(zone_name), the module uses the environment variable
        E(CLOUDFLARE_ZONE_ID).
    type: str
  zone_name:
    description:
      - The domain of the zone, instead of O(zone_id). The module finds the zone with one call more.
      - The credentials need the permission C(Zone Read) of the zone too.
      - If several zones have the name, in several accounts, the task fails and lists their ids.
    type: str
    version_added: 1.0.0
"""
