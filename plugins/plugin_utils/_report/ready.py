# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reasons why a prefix that an account has brought is not ready to be diverted, out of the result
of protection_info."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils._text import excerpt
from ...module_utils._timestamps import read_timestamp
from ...module_utils._values.address_set import Ranges, difference, overlaps, range_of, union
from .._baseline.unmanaged import BOUND, BROUGHT
from .record import HostTraffic, to_the_minute

STATES = {"irr": "IRR", "rpki": "RPKI", "ownership": "ownership"}  # which Cloudflare always says
STATE_TITLES = {**STATES, "asn": "ASN ownership"}
VALID = (None, "valid")
NOT_VALID = ("pending", "missing", "invalid", "mismatch_asn")
DIVERTED, PASSING_BY = "magic transit", ("cdn", "spectrum")
ROUTE_MISSING = "magic_transit_route_missing"

Prefix = Mapping[str, Any]  # of the result
Reason = tuple[str, "bool | None"]  # None if it may be one


def hindrances(result: Prefix) -> list[dict[str, Any]]:
    """The prefixes and bindings that are not ready, as objects that no baseline names."""
    protected = protected_by(result)
    rows = [(BROUGHT, item["prefix"], [*_of_prefix(item)]) for item in result["announced"]]
    rows += [
        (BOUND, binding["network"], [*_of_binding(binding, protected)])
        for item in result["announced"]
        for binding in item["bindings"]
    ]
    return [
        {
            "resource": resource,
            "key": key,
            "weakens": any(certain for _text, certain in reasons) or None,
            "reason": "; ".join(text for text, _certain in reasons),
            "since": None,
        }
        for resource, key, reasons in rows
        if reasons
    ]


def protected_by(result: Prefix) -> Ranges:
    """The addresses in a protected prefix and in no excluded one."""
    entries = [(range_of(item["prefix"]), item.get("excluded")) for item in result["prefixes"]]
    named, excluded = (
        union(network for network, is_out in entries if network and bool(is_out) is side)
        for side in (False, True)
    )
    return difference(named, excluded)


def _of_prefix(prefix: Prefix) -> Iterator[Reason]:
    if not prefix["approved"]:
        yield "is not approved by Cloudflare", True
    for part in prefix["networks"]:
        if part["locked"] and part["announced"] is False and prefix["approved"]:
            yield f"is locked, and {part['prefix']} is withdrawn", True
    for name, word in prefix["states"].items():
        if word in NOT_VALID:
            yield f"has the {STATE_TITLES[name]} state {word}", True
        elif word not in VALID:
            yield f"has an {STATE_TITLES[name]} state that is not known, {_quoted(word)}", None


def _of_binding(binding: Prefix, protected: Ranges) -> Iterator[Reason]:
    """A binding of addresses that nothing protects is as it should be."""
    state, service = binding["state"], _quoted(binding["service"])
    if state == ROUTE_MISSING:
        yield f"to {service} has the state {state}", True
    if range_of(binding["network"]) and not overlaps(binding["network"], protected):
        return
    if any(word in service.casefold() for word in PASSING_BY):
        yield f"leads protected addresses past the components to {service}", True
    elif DIVERTED not in service.casefold():
        yield f"to {service}, a service not known, may lead past the components", None
    if state not in ("active", ROUTE_MISSING):
        known = "is not active yet" if state == "provisioning" else "has a state that is not known"
        yield f"to {service} {known}, {_quoted(state)}", None


def _quoted(word: Any) -> str:
    return excerpt(repr(word))


def remarks(result: Prefix, traffic: HostTraffic | None) -> list[str]:
    """Sentences that give no status: on what Cloudflare does not say, and on networks that are
    announced on demand for longer than the traffic, in which nothing was or would be dropped."""
    unsaid = [
        f"The {title} state of {item['prefix']} is not known: Cloudflare does not say it."
        for item in result["announced"]
        for name, title in STATES.items()
        if item["states"][name] is None
    ]
    parts = [part for prefix in result["announced"] for part in prefix["networks"]]
    components = [*traffic["components"].values()] if traffic and traffic["known"] else []
    if not traffic or not components or any(item["more_networks"] for item in components):
        return unsaid
    attacked = [range_of(one["network"]) for item in components for one in item["networks"]]
    attacks, begin = union(filter(None, attacked)), read_timestamp(traffic["since"])
    return unsaid + [
        f"{part['prefix']} is announced on demand since {to_the_minute(part['since'])}, and no"
        f" component saw an attack on it since {to_the_minute(traffic['since'])}."
        for part in parts
        if part["announced"] and part["on_demand"] and not overlaps(part["prefix"], attacks)
        if (since := read_timestamp(part["since"])) and begin and since < begin
    ]
