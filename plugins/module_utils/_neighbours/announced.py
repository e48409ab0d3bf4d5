# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which networks of an account are announced (by BGP), and which of its prefixes others use.

A part is announced if it says so itself, or if it is not on demand and its prefix is approved.
"""

from __future__ import annotations

from typing import Sequence, TypedDict

from .._concurrency import concurrently
from .._schema.neighbours import ONBOARDED, bgp_prefixes_of, delegations_of, is_approved
from .._schema.resource import Object, ReadCollection


class AnnouncedNetwork(TypedDict):
    """A part of an onboarded prefix; `announced` is None if Cloudflare does not say."""

    prefix: str
    announced: bool | None
    since: str | None


class OnboardedPrefix(TypedDict):
    """A prefix that an account has brought, its parts, and the networks that other accounts use."""

    prefix: str
    approved: bool
    networks: list[AnnouncedNetwork]
    delegated: list[str]


def read_announced(read: ReadCollection) -> list[OnboardedPrefix]:
    """The prefixes that an account has brought; raises ServiceError."""
    prefixes = list(read(ONBOARDED))
    ids = [str(prefix.get("id")) for prefix in prefixes]
    resources = [of(one) for one in ids for of in (bgp_prefixes_of, delegations_of)]
    parts = list(concurrently(read, resources))
    return [_record(*item) for item in zip(prefixes, parts[::2], parts[1::2])]


def _record(
    prefix: Object, networks: Sequence[Object], delegations: Sequence[Object]
) -> OnboardedPrefix:
    return OnboardedPrefix(
        prefix=str(prefix.get("cidr")),
        approved=is_approved(prefix),
        networks=[_network(prefix, part) for part in networks]
        or [_network(prefix, {"cidr": prefix.get("cidr"), "on_demand": prefix})],
        delegated=[str(part.get("cidr")) for part in delegations],
    )


def _network(prefix: Object, part: Object) -> AnnouncedNetwork:
    on_demand = part.get("on_demand") or {}
    since = on_demand.get("advertised_modified_at")
    return AnnouncedNetwork(
        prefix=str(part.get("cidr")),
        announced=_is_announced(prefix, on_demand),
        since=str(since) if since else None,
    )


def _is_announced(prefix: Object, on_demand: Object) -> bool | None:
    advertised = on_demand.get("advertised")
    if isinstance(advertised, bool):
        return advertised
    return is_approved(prefix) if on_demand.get("on_demand_enabled") is False else None
