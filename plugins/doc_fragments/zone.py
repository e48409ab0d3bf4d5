# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  zone_id:
    description:
      - The zone, by its id of 32 hexadecimal digits.
      - If not given, the environment variable E(CLOUDFLARE_ZONE_ID) is used.
    type: str
    required: true
  account_id:
    description:
      - Not used by this module.
      - It is accepted so that the defaults of the action group can name the account and the zone at once.
    type: str
"""
