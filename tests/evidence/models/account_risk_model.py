# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later


"""The risks of a task for an account that follow from its lists alone, as docs/risks.md describes them; see
plan_model.py. What changes the coverage only, stops_mitigation and disables_protection, is not among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from tests.evidence.models.plan_model import Item, Lists

Network = IPv4Network | IPv6Network
MODELLED = {
    "unprotects_addresses",
    "skips_monitoring",
    "broad_allowlist",
    "allowlists_own_prefix",
    "mass_deletion",
    "empties_list",
}
ADDRESSES = [ip_address(text) for text in ("192.0.2.1", "192.0.2.2", "2001:db8::1", "::1")]  # by the random networks
LIMITS = {
    "max_deletions_percent": 30,
    "min_monitoring_hours": 4,
    "min_allowlist_prefix_length_ipv4": 24,
    "min_allowlist_prefix_length_ipv6": 48,
    "max_allowlist_entries": 200,
}
PREFIXES, ALLOWLIST = ("prefixes", ""), ("allowlist", "")


def account_risks(before: Lists, after: Lists, now: datetime, options: Item) -> set[str]:
    """The codes of the risks of a task with these options."""
    limits = {**LIMITS, **options}
    monitoring = timedelta(hours=limits["min_monitoring_hours"])
    percent, absent = limits["max_deletions_percent"], options.get("state") == "absent"
    risks = {
        "unprotects_addresses": bool(protected(before) - protected(after)),
        "skips_monitoring": any(hurried(before[name], after[name], now, monitoring) for name in before),
        "broad_allowlist": is_broad(before, after, limits),
        "allowlists_own_prefix": bool((within(allowed(after)) - within(allowed(before))) & within(own(after))),
        "mass_deletion": any(is_mass(before[name], after[name], percent) for name in before),
        "empties_list": not absent and any(protecting(before[name]) and not after[name] for name in before),
    }
    return {code for code, is_met in risks.items() if is_met}


def networks(items: Sequence[Item], flag: str, value: bool) -> Iterator[Network]:
    """Those of the items that have this value; a malformed prefix has none."""
    for item in items:
        if item[flag] is value and item["prefix"].count(".") != 2:
            yield ip_network(item["prefix"], strict=False)


def own(lists: Lists) -> Iterator[Network]:
    return networks(lists[PREFIXES], "excluded", False)


def protected(lists: Lists) -> set[object]:
    """Which of the addresses are in a protected prefix, and in no excluded one."""
    return within(own(lists)) - within(networks(lists[PREFIXES], "excluded", True))


def within(those: Iterable[Network]) -> set[object]:
    """Which of the addresses are in one of the networks."""
    return {address for network in those for address in ADDRESSES if address in network}


def hurried(before: Sequence[Item], after: Sequence[Item], now: datetime, monitoring: timedelta) -> bool:
    """Whether a rule or filter is enabled that is new, was disabled, or has monitored for less than this."""
    existing = {item["id"]: item for item in before}
    for item in after:
        was = existing.get(item.get("id"), {})
        has_monitored = (
            was.get("mode") == "monitoring" and now - datetime.fromisoformat(was["modified_on"]) >= monitoring
        )
        if item.get("mode") == "enabled" != was.get("mode") and not has_monitored:
            return True
    return False


def allowed(lists: Lists) -> Iterator[Network]:
    return networks(lists[ALLOWLIST], "enabled", True)


def is_broad(before: Lists, after: Lists, limits: Item) -> bool:
    """Whether a wide network is allowed that was not, or more entries than the limit, and than before."""
    counts = [len(list(allowed(lists))) for lists in (before, after)]
    wide = [net for net in allowed(after) if net.prefixlen < limits[f"min_allowlist_prefix_length_ipv{net.version}"]]
    return any(not is_covered(net, before) for net in wide) or counts[1] > max(
        limits["max_allowlist_entries"], counts[0]
    )


def is_covered(network: Network, lists: Lists) -> bool:
    """Whether the allowlist lets all of a network pass; the random networks are in one another, or apart."""
    return any(network.subnet_of(other) for other in allowed(lists) if network.version == other.version)  # type: ignore[arg-type]


def protecting(items: Sequence[Item]) -> list[Item]:
    """The objects whose deletion may lower the protection: not disabled, and no excluded prefix."""
    return [
        item
        for item in items
        if not item.get("excluded") and item.get("enabled") is not False and item.get("mode") != "disabled"
    ]


def is_mass(before: Sequence[Item], after: Sequence[Item], percent: int) -> bool:
    left = {item.get("id") for item in after}
    deleted = [item for item in protecting(before) if item["id"] not in left]
    return len(deleted) >= 5 and len(deleted) * 100 > percent * len(before)
