# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  account_id:
    description:
      - The account, by its id of 32 hexadecimal digits.
      - If not given, the environment variable E(CLOUDFLARE_ACCOUNT_ID) is used.
    type: str
    required: true
  zone_id:
    description:
      - Not used by this module.
      - It is accepted so that the defaults of the action group can name the account and the zone at once.
    type: str
"""
