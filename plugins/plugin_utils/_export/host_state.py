# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of a host as Cloudflare has it: all that the host may change, or some resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from ...module_utils._context import EXISTING, NOW, UNREAD
from ...module_utils._schema.products import NOT_ENTITLED, PRODUCT_NAMES, PRODUCTS
from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import OWNERS, Resource, State, without
from ...module_utils._specs.registry import HOST_MODULE
from ...module_utils._specs.whole_state import all_inside, collections_of
from ...module_utils._timestamps import read_timestamp
from .._baseline.service_time import ReadFailed
from .._baseline.variables import ROLE, Part, RunModule, connection_options, described_by
from .._variables import plain


class HostState(NamedTuple):
    """The ids of the account and the zone of a host, their existing objects, and the time by
    Cloudflare's clock; None if it is not known. `lacking` are the titles of products that the
    account does not have, and `unread` the reasons why collections could not be read, by their
    titles: there are no objects of either."""

    owners: Mapping[str, str]
    objects: State
    now: datetime | None = None
    lacking: Sequence[str] = ()
    unread: Mapping[str, str] = MappingProxyType({})


def read_part(part: Part, run_module: RunModule) -> HostState:
    """The existing objects of all resources that the options of a host describe; raises
    ValueError if they cannot be read."""
    touched = [item.resource for item in described_by(part)]
    return read_host(touched, connection_options(part), run_module)


def read_host(
    resources: Sequence[Resource],
    connection: Mapping[str, Any],
    run_module: RunModule,
    in_part: bool = False,
) -> HostState:
    """The existing objects of these resources, in the account and the zone that `connection`
    names; raises ValueError if they cannot be read, or with `in_part`, if none can."""
    reads = _plurals_of(resources)
    if not reads:
        return HostState({}, {})
    owners = {BY_PLURAL[plural].owner for plural in reads}
    unread_owners = [owner for name, owner in OWNERS.items() if name not in owners]
    options = dict(connection)
    for owner in unread_owners:
        options = without(options, *owner.options)
    part = Part(HOST_MODULE, options, ROLE.to_read(reads, in_part))
    result = plain(run_module(part, False))
    if result.get("failed"):
        raise ReadFailed(str(result["msg"]), result)
    return _host_state(reads, result)


def _plurals_of(resources: Sequence[Resource]) -> list[str]:
    """The plurals of resources, in the order of the registry."""
    return [plural for plural, resource in BY_PLURAL.items() if resource in resources]


def _host_state(reads: Sequence[str], result: Mapping[str, Any]) -> HostState:
    """The collections with these plurals and all collections inside them, out of a result;
    raises KeyError if it lacks one."""
    owners = {BY_PLURAL[plural].owner for plural in reads}
    products = result.get(PRODUCTS) or {}
    lacking = [title for title, name in PRODUCT_NAMES.items() if products.get(name) == NOT_ENTITLED]
    unread = result.get(UNREAD) or {}
    collections = [
        item
        for item in collections_of(reads)
        if item.product not in lacking and item.plural not in unread
    ]
    reasons = {
        item.titles: unread[item.plural] for item in collections_of(reads) if item.plural in unread
    }
    collections += all_inside(collections, result)
    objects = {collection.plural: result[collection.plural] for collection in collections}
    ids = {owner: result[owner] for owner in OWNERS if owner in owners}
    return HostState(ids, objects, read_timestamp(result.get(NOW)), lacking, reasons)


def predicted_state(part: Part, predicted: Mapping[str, Any]) -> HostState | None:
    """The state that a prediction has read; None if it lacks some of what the host may change, such
    as the items of a list that the host does not name."""
    try:
        plurals = _plurals_of([item.resource for item in described_by(part)])
        return _host_state(plurals, plain(predicted.get(EXISTING) or {}))
    except KeyError:
        return None
