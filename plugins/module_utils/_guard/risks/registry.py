# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All risks in one table, for what speaks of all of them; a module has those of its own room."""

from __future__ import annotations

from .account import ACCOUNT_RISKS
from .base import Risk, codes_of, limits_of
from .lists import REFERENCED_LIST_RISKS
from .rulesets import RISKS_OF_PHASES, RULESET_RISKS

OF_RULES = (*RULESET_RISKS.values(), *RISKS_OF_PHASES.values())
ALL_RISKS: tuple[Risk, ...] = tuple(
    dict.fromkeys(
        item for risks in (ACCOUNT_RISKS, REFERENCED_LIST_RISKS, *OF_RULES) for item in risks
    )
)
CODES = codes_of(ALL_RISKS)
LIMITS = limits_of(ALL_RISKS)
