# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The readiness of an account for an attack, out of the results of protection_info and
custom_rules_info: reasons why an onboarded prefix cannot be diverted, and why nobody would hear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ...module_utils._text import excerpt, first_few
from ...module_utils._timestamps import read_timestamp, to_the_minute
from ...module_utils._values.address_set import Ranges, difference, overlaps, range_of, ranges_of
from .._baseline.unmanaged import BOUND, BROUGHT
from .record import HostTraffic

STATES = {"irr": "IRR", "rpki": "RPKI", "ownership": "ownership"}  # which Cloudflare always says
STATE_TITLES = {**STATES, "asn": "ASN ownership"}
VALID = (None, "valid")
NOT_VALID = ("pending", "missing", "invalid", "mismatch_asn")
DIVERTED, PASSING_BY = "magic transit", ("cdn", "spectrum")
ROUTE_MISSING = "magic_transit_route_missing"

Prefix = Mapping[str, Any]  # of the result
Reason = tuple[str, "bool | None"]  # None if it may be one


def hindrances(result: Prefix, protected: Ranges) -> list[dict[str, Any]]:
    """The prefixes and bindings that are not ready, as objects that no baseline names."""
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
    if _passes_by(binding):
        yield f"leads protected addresses past the components to {service}", True
    elif DIVERTED not in service.casefold():
        yield f"to {service}, a service not known, may lead past the components", None
    if state not in ("active", ROUTE_MISSING):
        known = "is not active yet" if state == "provisioning" else "has a state that is not known"
        yield f"to {service} {known}, {_quoted(state)}", None


def _passes_by(binding: Prefix) -> bool:
    return any(word in str(binding["service"]).casefold() for word in PASSING_BY)


def bound_elsewhere(result: Prefix) -> Ranges:
    """The addresses whose traffic goes to a service that no component stands before."""
    bindings = (binding for prefix in result["announced"] for binding in prefix["bindings"])
    return ranges_of(item["network"] for item in filter(_passes_by, bindings))


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
    unsaid += [
        f"If {part['prefix']} is locked is not known: Cloudflare does not say it."
        for part in parts
        if part["locked"] is None and part["announced"] is False
    ]
    components = [*traffic["components"].values()] if traffic and traffic["known"] else []
    if not traffic or not components or any(item["more_networks"] for item in components):
        return unsaid
    attacks = ranges_of(one["network"] for item in components for one in item["networks"])
    begin = read_timestamp(traffic["since"])
    return unsaid + [
        f"{part['prefix']} is announced on demand since {to_the_minute(part['since'])}, and no"
        f" component saw an attack on it since {to_the_minute(traffic['since'])}."
        for part in parts
        if part["announced"] and part["on_demand"] and not overlaps(part["prefix"], attacks)
        if (since := read_timestamp(part["since"])) and begin and since < begin
    ]


# The attacks, the types of policies that tell of them, and the filter by address or zone.
PACKETS = ("L3/4", ("dos_attack_l4", "advanced_ddos_attack_l4_alert"), "target_ip")
HTTP = ("HTTP", ("dos_attack_l7", "advanced_ddos_attack_l7_alert"), "target_zone_name")
THRESHOLDS = {"packets_per_second", "megabits_per_second", "requests_per_second"}


def alarm_gaps(alarms: Mapping[str, Any], own: Ranges, now: datetime) -> Iterator[str]:
    """Sentences on attacks of which nobody would hear: those on the networks of an account, or on
    the zone for which the alarms were read."""
    if own or alarms["zone"]:
        yield from _unheard(alarms, own)
    for webhook in alarms["webhooks"]:
        times = [webhook[name] for name in ("last_failure", "last_success") if webhook[name]]
        failed, arrived = map(read_timestamp, (webhook["last_failure"], webhook["last_success"]))
        if not all(map(read_timestamp, times)):
            yield f"If messages to the webhook {_quoted(webhook['name'])} arrive is not known."
        elif failed and not (arrived and arrived >= failed):
            at = to_the_minute(times[0])
            yield f"The last message to the webhook {_quoted(webhook['name'])} failed, {at}."
    names = {policy["id"]: policy["name"] for policy in alarms["policies"]}
    for silence in alarms["silences"]:
        start, end = map(read_timestamp, (silence["start_time"], silence["end_time"]))
        policy = _quoted(names.get(silence["policy_id"], silence["policy_id"]))
        if not silence["end_time"]:
            yield f"A silence of the alarm policy {policy} has no end."
        elif not end or (end > now and not (start and start > now)):
            until = to_the_minute(silence["end_time"])
            yield f"The alarm policy {policy} is silent until {until}."


def _structure(value: Any) -> Mapping[str, Any]:
    """A dictionary of Cloudflare; anything else is one value under an empty name."""
    return value if isinstance(value, Mapping) else {"": [value]} if value else {}


def _unheard(alarms: Mapping[str, Any], own: Ranges) -> Iterator[str]:
    """A sentence if no policy tells of all these attacks; a threshold counts as meant."""
    zone = str(alarms["zone"] or "").casefold()
    attacks, types, place = HTTP if zone else PACKETS
    webhooks = {webhook["id"] for webhook in alarms["webhooks"]}
    telling = [
        policy
        for policy in alarms["policies"]
        if policy["enabled"] is True and policy["alert_type"] in types
        if any(
            one["id"] in webhooks if kind == "webhooks" else one["id"]
            for kind, listed in _structure(policy["mechanisms"]).items()
            for one in listed
            if isinstance(one, Mapping) and "id" in one
        )
    ]
    filters = [
        {name: values for name, values in item.items() if values and name not in THRESHOLDS}
        for item in (_structure(policy["filters"]) for policy in telling)
    ]
    named = [str(name) for item in filters if {*item} <= {place} for name in item.get(place, ())]
    left = difference(own, ranges_of(named))
    if {} in filters or (zone in map(str.casefold, named) if zone else not left):
        return
    if telling:
        of_some = first_few(_quoted(policy["name"]) for policy in telling)
        yield f"The filters of the alarm policies may leave out {attacks} attacks: {of_some}."
    else:
        yield (
            f"No alarm policy that is enabled and has a destination tells of {attacks} attacks"
            f" ({' or '.join(types)})."
        )
