# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The question that a report asks about the traffic of an account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import KINDS

from .._baseline.variables import ACCOUNT, Part, connection_options
from .traffic import MODULE

TRAFFIC_HOURS = "report_traffic_hours"  # the variable


def traffic_task(parts: Sequence[Part], hours: Any) -> Part | None:
    """The module that asks for so many hours of a host's traffic; None for no hours, and for a host
    without an account.

    DNS protection counts if the baseline describes it. Raises ValueError for what is not a number.
    """
    account = next((part for part in parts if part.module == ACCOUNT), None)
    number = _number(hours)
    if account is None or not number:
        return None
    components = [*KINDS, *(["dns"] if account.options.get("dns_rules") else [])]
    options = {**connection_options(account), "hours": number, "components": components}
    return Part(MODULE, options, {**account.names, "hours": TRAFFIC_HOURS})


def _number(hours: Any) -> float:
    """The hours, 0 for none at all."""
    if hours is None or hours == "":
        return 0.0
    try:
        return float(hours)
    except (TypeError, ValueError) as exc:
        raise ValueError(f"{TRAFFIC_HOURS}: {hours!r} is not a number of hours.") from exc
