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
    description: The id of the zone, by default E(CLOUDFLARE_ZONE_ID).
    type: str
  zone_name:
    description: The domain of the zone, instead of O(zone_id); needs the permission C(Zone Read).
    type: str
    version_added: 1.0.0
"""
