# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of an account that those of a zone hide.

The service applies an account's overrides of HTTP DDoS rules in no zone that has overrides of its
own ("Overrides", HTTP DDoS Attack Protection).
"""

from __future__ import annotations

from .._plan.plan import Plan
from .._schema.overrides import L7_OVERRIDES

SENTENCE = (
    "The zone gets its first HTTP DDoS override. From then on, overrides of its account for these"
    " rules are not applied in the zone; the module does not read whether there are any."
)


def hidden_overrides(plan: Plan) -> str:
    """A sentence for a plan with the first overrides of a zone; empty for any other plan."""
    if L7_OVERRIDES.plural not in plan.before or plan.before[L7_OVERRIDES.plural]:
        return ""
    return SENTENCE if plan.operations else ""
