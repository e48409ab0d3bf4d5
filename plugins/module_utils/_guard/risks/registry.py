# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All risks that there are, for what speaks of all of them; a module has those of its own
collections."""

from __future__ import annotations

from .account import ACCOUNT_RISKS
from .declaration import codes_of, limits_of
from .deletions import REFERENCED_LIST_RISKS
from .rules import RULE_RISKS

ALL_RISKS = tuple(dict.fromkeys([*ACCOUNT_RISKS, *REFERENCED_LIST_RISKS, *RULE_RISKS]))
CODES = codes_of(ALL_RISKS)
ALL_LIMITS = limits_of(ALL_RISKS)
