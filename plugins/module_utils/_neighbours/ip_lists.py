# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists of addresses that rules name, with their items."""

from __future__ import annotations

from typing import AbstractSet, Any, Sequence

from .._api.client import Client
from .._concurrency import concurrently
from .._schema.lists import LISTS, is_managed, items_of
from .._schema.resource import Object, State


def with_items(obj: Object, items: Sequence[Object]) -> dict[str, Any]:
    """A list as results show it, with its items."""
    return {**obj, "num_items": len(items), "items": list(items)}


def managed_lists(state: State) -> list[Object]:
    """The lists of a state that have addresses."""
    return [obj for obj in state[LISTS.plural] if is_managed(obj)]


def read_ip_lists(client: Client, names: AbstractSet[str] | None = None) -> list[dict[str, Any]]:
    """The lists of an account that have addresses, or those of them with these names, with their
    items; raises ServiceError."""
    lists = [obj for obj in client.read(LISTS) if is_managed(obj)]
    lists = [obj for obj in lists if names is None or LISTS.label_of(obj) in names]
    items = concurrently(client.read, [items_of(LISTS.label_of(obj)) for obj in lists])
    return [with_items(*pair) for pair in zip(lists, items)]
