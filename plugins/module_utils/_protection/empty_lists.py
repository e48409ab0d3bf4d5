# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules that match nothing while lists are empty, and the lists on which a claim can rely."""

from __future__ import annotations

from datetime import datetime
from typing import Iterator, Mapping, Sequence

from .._expressions.solve import matches_every_request
from .._schema.lists import ListContents, items_of
from .._schema.resource import Key, Resource, State
from .._text import first_few
from .._values.address_set import Contents
from .covering import NEVER, Claim, ListObject
from .rules_in_force import contents_in

Ends = Mapping[Key, datetime]  # of objects that end
EndsByCollection = Mapping[str, Ends]


def empty_lists(state: State) -> frozenset[str]:
    """The names of the lists that have no items."""
    empty = [name for name in contents_in(state) if not state[items_of(name).plural]]
    return frozenset(empty)


def claims_by_empty_lists(
    resource: Resource, listed: Sequence[ListObject], empty: frozenset[str]
) -> Iterator[Claim]:
    """Claims on the rules that match nothing because the lists that they refer to are empty."""
    without_items = dict.fromkeys(empty, Contents())
    for rule in listed:
        names = [name for name in rule.expression.lists if name in empty]
        if not names:
            continue
        expression = rule.expression.with_lists(without_items)
        if matches_every_request(expression.not_()):
            are_empty = f"the list {names[0]} is empty"
            if len(names) > 1:
                are_empty = f"the lists {first_few(names)} are empty"
            reason = f"no {resource.traffic} matches its expression while {are_empty}"
            yield Claim(rule.key, rule.name, NEVER, names, reason)


def lasting_lists(state: State, ends: EndsByCollection) -> ListContents:
    """The contents of the lists that are not empty and have no item that expires."""
    contents, empty = contents_in(state), empty_lists(state)
    lasting: dict[str, Contents] = {}
    for name in contents:
        if name not in empty and not ends.get(items_of(name).plural):
            lasting[name] = contents[name]
    return lasting
