# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules, filters and overrides of a list that cannot work, each with the others that decide in
its place.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from .._expressions.expression import Expression
from .._schema.registry import DDOS_OVERRIDES
from .._schema.resource import Object, Resource, State
from .._values.address_set import Ranges
from .arriving import arriving_in
from .covering import Claim, Covering, ListObject, Reach
from .empty_lists import EndsByCollection
from .ineffective_overrides import override_claims
from .ineffective_rules import claims_of_rules
from .modes import IN_TURN, UNDECIDED


def claims_of_list(
    resource: Resource, state: State, networks: Ranges, ends: EndsByCollection
) -> Iterator[Claim]:
    """Claims on the rules, filters or overrides of a list that cannot work. `networks` are those of
    the account, which all packets go to or come from; if empty, they are not known."""
    if resource.component:
        return filter_claims(resource, state[resource.plural], arriving_in(networks))
    if resource in DDOS_OVERRIDES:
        return override_claims(resource, state[resource.plural])
    return claims_of_rules(resource, state, networks, ends)


def filter_claims(
    resource: Resource, objects: Sequence[Object], reach: Reach | None
) -> Iterator[Claim]:
    """Claims on the filters of a component that cannot work. Filters decide in the order of their
    modes; the order of filters with equal modes does not matter."""
    modes = [mode for mode in IN_TURN if mode != UNDECIDED]
    filters = [obj for obj in objects if str(obj.get("mode")) in modes]
    filters.sort(key=lambda obj: modes.index(str(obj["mode"])))
    listed: list[ListObject] = []
    for obj in filters:
        mode, key, name = str(obj["mode"]), resource.key_of(obj), resource.label_of(obj)
        before = [place for place, earlier in enumerate(listed) if earlier.does != mode]
        listed.append(ListObject(key, name, Expression.of_object(obj), mode, before=before))
    covering = Covering(listed, packets=True, filters=True)
    return covering.claims("it matches the same packets as {}, in the same mode", reach)
