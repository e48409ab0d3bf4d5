# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of a plan for who is protected, and for what is mitigated.

The vendor warns of them on its page "Advanced TCP Protection: concepts". The finders know no
module: the same change carries the same risks through whatever module it comes.
"""

from __future__ import annotations

from .allowlist import allowlists_own_prefix, broad_allowlist
from .base import by_risk
from .disabling import disables_protection
from .mitigation import stops_mitigation
from .monitoring import drops_traffic, skips_monitoring
from .sensitivity import lowers_sensitivity
from .unprotecting import unprotects_addresses

ACCOUNT_FINDERS = by_risk(
    unprotects_addresses,
    stops_mitigation,
    disables_protection,
    lowers_sensitivity,
    skips_monitoring,
    drops_traffic,
    broad_allowlist,
    allowlists_own_prefix,
)
