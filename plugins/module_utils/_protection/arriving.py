# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic that can meet a rule or filter at all: what arrives from the internet, or at the
networks of an account, or in a zone.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from .._expressions.grammar import Comparison
from .._expressions.solve import Diagrams
from .._values.address_set import SOURCES_OF_REQUESTS, Range
from .covering import Reach

OUTSIDE, UNREACHABLE = "outside", "unreachable"
NAMES_NO_DESTINATION = (
    "its destinations lie outside of every network that the account protects or announces"
)
# Rules see packets that arrive, and, with egress of Magic Transit, those that leave.
NAMES_NO_END = (
    "its sources and destinations lie outside of every network that the account protects or"
    " announces"
)
NOT_ARRIVING = "it names only private or reserved sources, which no request from the internet has"
ARRIVING = Reach((Diagrams.SOURCE,), SOURCES_OF_REQUESTS, UNREACHABLE, NOT_ARRIVING)


def arriving_in(networks: Sequence[Range]) -> Reach | None:
    """The destinations of arriving packets, which filters must name; None if the account's networks
    are not known."""
    if not networks:
        return None
    fields = (Diagrams.DESTINATION,)
    return Reach(fields, [*networks], OUTSIDE, NAMES_NO_DESTINATION)


def arriving_or_leaving(networks: Sequence[Range]) -> Reach | None:
    """The sources and destinations of arriving and leaving packets, one of which is in a network of
    the account; None if these networks are not known."""
    if not networks:
        return None
    fields = (Diagrams.SOURCE, Diagrams.DESTINATION)
    return Reach(fields, [*networks], OUTSIDE, NAMES_NO_END)


def by_zone(values: Mapping[str, bytes], leaf: Comparison) -> object:
    """The truth of a comparison whose field has a value in `values`; None for any other
    comparison."""
    from .._expressions.evaluation import truth_by  # loaded if a zone is known

    return truth_by(values, leaf) if leaf.field in values else None


def of_text_named_by_rules(leaf: Comparison, field: str, text: str) -> object:
    """The truth of the comparison `leaf` if its field has this text; None if that is not known."""
    from .._expressions.evaluation import truth_of_text  # loaded if a rule names a text

    return truth_of_text(leaf, field, text)
