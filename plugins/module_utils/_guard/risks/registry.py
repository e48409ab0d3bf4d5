# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All risks that there are, for what speaks of all of them; a module has those of its own
collections."""

from __future__ import annotations

from itertools import chain

from .account import ACCOUNT_RISKS
from .base import REFERENCED_LIST_RISKS, codes_of, limits_of
from .rulesets import RISKS_OF_PHASES, RULESET_RISKS

OF_RULES = (*RULESET_RISKS.values(), *RISKS_OF_PHASES.values())
ALL_RISKS = tuple(dict.fromkeys(chain(ACCOUNT_RISKS, REFERENCED_LIST_RISKS, *OF_RULES)))
CODES = codes_of(ALL_RISKS)
ALL_LIMITS = limits_of(ALL_RISKS)
