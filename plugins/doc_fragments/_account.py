# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private to the collection: it may change with any version."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  account_id:
    description: The id of the account, by default E(CLOUDFLARE_ACCOUNT_ID).
    type: str
    required: true
"""
