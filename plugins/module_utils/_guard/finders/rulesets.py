# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of rules that requests or packets meet in an order, and their finders."""

from __future__ import annotations

from ..finding import FinderAnswer
from ..risks.declaration import Limits
from ..risks.rules import (
    DECIDING_ON_PACKETS,
    DECIDING_ON_REQUESTS,
    MAX_WEAKENED,
    WEAKENS_NETWORK_FIREWALL,
    WEAKENS_ZONE,
)
from .base import Change, by_risk, finds
from .ddos_rules import weakens_ddos_rules
from .lost_rules import weakens_managed_rules, weakens_rate_limits
from .passing import blocks_traffic, passes_traffic
from .weakening import weakening
from .wide_rules import blocks_everything, skips_everything


@finds(WEAKENS_ZONE)
def weakens_zone(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a large part of the rules that block or challenge requests no longer do so."""
    return weakening(change, DECIDING_ON_REQUESTS, limits[MAX_WEAKENED])


@finds(WEAKENS_NETWORK_FIREWALL)
def weakens_network_firewall(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a large part of the rules that block packets no longer do so."""
    return weakening(change, DECIDING_ON_PACKETS, limits[MAX_WEAKENED])


RULE_FINDERS = by_risk(
    weakens_zone,
    skips_everything,
    blocks_everything,
    passes_traffic,
    weakens_network_firewall,
    weakens_ddos_rules,
    blocks_traffic,
    weakens_rate_limits,
    weakens_managed_rules,
)
