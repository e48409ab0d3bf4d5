# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The protection that an account has in one state, and not in another."""

from __future__ import annotations

from itertools import chain
from typing import Iterator

from .._schema.account import ALLOWLIST, PREFIXES, STATUS
from .._schema.resource import Key, Resource
from .._values.address_set import Ranges, difference, intersection, union
from .components import watching
from .coverage import Coverage
from .lost_mitigation import mitigation_losses, no_longer_mitigated
from .modes import PASSING, SWITCHED_OFF, UNPROTECTED, Loss, counted_networks


def account_losses(resource: Resource, was: Coverage, becomes: Coverage) -> Iterator[Loss]:
    """The protection that an account loses from `was` to `becomes` by one resource: its status,
    prefixes or allowlist, or the rules or filters of a component."""
    if was is becomes:
        return
    if resource is STATUS and was.enabled and becomes.enabled is False:
        yield Loss(STATUS, (), STATUS.title, "is off", how=SWITCHED_OFF)
    elif resource is PREFIXES:
        unprotected = difference(was.protected, becomes.protected)
        yield from _of_ranges(resource, unprotected, UNPROTECTED)
    elif resource is ALLOWLIST:
        passing = difference(becomes.bypassing, was.bypassing)
        yield from _of_ranges(resource, passing, PASSING)
    kind = resource.component or ""
    before, after = was.by_kind.get(kind), becomes.by_kind.get(kind)
    if before and after:
        space = intersection(was.protected, becomes.protected)
        yield from mitigation_losses(before, after, space)


def _of_ranges(resource: Resource, ranges: Ranges, how: str) -> Iterator[Loss]:
    if ranges:
        yield Loss(resource, (), resource.titles, counted_networks(ranges), how=how, ranges=ranges)


def not_monitored_before(
    was: Coverage, becomes: Coverage, resource: Resource, key: Key, space: Ranges
) -> Ranges:
    """The part of `space` with traffic that the rule or filter `key` decides for in `becomes`, and
    that the component neither mitigated nor monitored in `was`."""
    if difference(was.bypassing, becomes.bypassing):
        return space
    before = watching(was.state, resource)
    all_mitigating = watching(becomes.state, resource)
    object_mitigating = watching(becomes.state, resource, key)
    for after in (all_mitigating, object_mitigating):
        gone = no_longer_mitigated(after, before, space) if space else {}
        space = union(chain(*gone.values()))
    return space
