# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules among others that cannot work, since rules before them decide in their place."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Sequence

from .._schema.resource import State
from .._values.address_set import Range
from .arriving import ARRIVING, arriving_or_leaving, by_zone, of_text_named_by_rules
from .covering import Claim, Covering, ListObject
from .rules_in_force import zone_values

MOST_REMEMBERED_LISTS = 16  # lists of rules, of which the claims are kept


def values_read(listed: Sequence[ListObject], state: State) -> tuple[tuple[str, bytes], ...]:
    """The names and values of those fields that the zone decides and that some expressions use."""
    names: set[str] = set()
    for candidate in listed:
        names.update(candidate.expression.names)
        if candidate.whole:
            names.update(candidate.whole.names)
    values = zone_values(state)
    return tuple((name, values[name]) for name in values if name in names)


@lru_cache(maxsize=MOST_REMEMBERED_LISTS)  # many zones have the same rules
def claims_among(
    listed: tuple[ListObject, ...],
    values_of_zone: tuple[tuple[str, bytes], ...],
    traffic: str,
    networks: tuple[Range, ...],
) -> Sequence[Claim]:
    """Claims on the rules in `listed` that cannot work."""
    decide = partial(by_zone, dict(values_of_zone)) if values_of_zone else None
    is_packet = traffic == "packet"
    covering = Covering(
        listed, decide, is_packet, truth_of_text=of_text_named_by_rules, on_routing=is_packet
    )
    reach = ARRIVING if traffic == "request" else arriving_or_leaving(networks)
    return [*covering.claims("it has the same expression as {}, and does the same", reach)]
