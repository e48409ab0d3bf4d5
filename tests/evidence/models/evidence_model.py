# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""May a rule or filter of out-of-state TCP protection be enabled, as docs/rollout.md says? By halves of networks."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from copy import deepcopy
from fractions import Fraction
from ipaddress import IPv4Network
from itertools import product
from typing import NamedTuple

from tests.evidence.models.plan_model import Item

HALVES = {
    "198.51.100.0/25": "198.51.100.7",
    "198.51.100.128/25": "198.51.100.200",
    "203.0.113.0/25": "203.0.113.7",
    "203.0.113.128/25": "203.0.113.200",
    "192.0.2.0/24": "192.0.2.7",  # a whole one
}
SWITCHED = "192.0.2.0/24"
HOURS, FEWEST = 24, 30
OWN_REASONS = ("NOT_FOUND", "UNEXPECTED", "OUT_OF_SEQUENCE", "ALREADY_CLOSED")
Halves = set[str]


class Asked(NamedTuple):
    """What a task enables, by its name; what else it brings, and its limits."""

    name: str
    brings: str
    limits: Item


def halves_in(networks: Iterable[str]) -> Halves:
    listed = [IPv4Network(network) for network in networks]
    return {half for half in HALVES if any(IPv4Network(half).subnet_of(network) for network in listed)}


def of(state: Item, excluded: bool) -> Halves:
    return halves_in(item["prefix"] for item in state["prefixes"] if item["excluded"] is excluded)


def protected(state: Item) -> Halves:
    return of(state, excluded=False) - of(state, excluded=True)


def after_task(state: Item, asked: Asked) -> Item:
    """The state once all is applied but the mode."""
    after, own = deepcopy(state), asked.name
    if asked.brings == "prefix":
        same = [item for item in after["prefixes"] if item["prefix"] == SWITCHED]
        after["prefixes"] += [] if same else [{"prefix": SWITCHED, "excluded": False, "created": 0, "changed": 0}]
    for item in after["prefixes"] if asked.brings == "include" else ():
        item.update({"excluded": False, "changed": 0} if item["excluded"] else {})
    if asked.brings == "allowlist":
        after["allowlist"] = []
    if asked.brings in ("rules", "filters"):
        after["deciders"] = {
            name: item
            for name, item in after["deciders"].items()
            if name == own or ("scope" in item) is not (asked.brings == "rules")
        }
    return after


def matches(name: str, half: str, port: int) -> bool:
    """Whether a filter matches packets to a port of some half."""
    return half == "203.0.113.128/25" if name == "half" else half.startswith("198.51.100.") and port == 80


def decider(state: Item, half: str, port: int, center: str, region: str) -> list[str]:
    """The filters that match a packet, or else the rule that decides on it."""
    filters = [name for name in ("half", "port") if name in state["deciders"] and matches(name, half, port)]
    places = {"center": center == "AMS", "region": region == "WEUR", "global": True}
    rules = [name for name, is_there in places.items() if is_there and name in state["deciders"]]
    return filters or rules[:1]


def unwatched(before: Item, after: Item, own: str) -> Halves:
    """The halves with packets that this one decides on afterwards, and that nothing monitored or mitigated."""
    if before["allowlist"] != after["allowlist"]:
        return {*HALVES}
    return {
        half
        for half, port, center, region in product(HALVES, (80, 443), ("AMS", "FRA"), ("WEUR", ""))
        if own in decider(after, half, port, center, region)
        and all(before["deciders"][one]["mode"] == "disabled" for one in decider(before, half, port, center, region))
    }


def settled(state: Item) -> Halves:
    """The halves that are known to be protected for so long, without a break."""
    own = [item for item in state["prefixes"] if not item["excluded"]]
    old = halves_in(item["prefix"] for item in own if item["changed"] >= HOURS)
    touched = halves_in(item["prefix"] for item in own if item["changed"] < HOURS and item["created"] > item["changed"])
    return old - touched - of(state, excluded=True)


def decision(before: Item, asked: Asked) -> tuple[str, Halves, list[str]]:
    """The reason why it waits, empty if it does not; the halves concerned, and which questions are open."""
    after, own = after_task(before, asked), asked.name
    if before["deciders"][own]["changed"] < HOURS:
        return "time", set(), []
    if not before["enabled"]:
        return "unknown", protected(after), ["off"]
    place = ("AMS" if own == "center" else "FRA", "WEUR" if own == "region" else "")
    space = {half for half in protected(after) if own == "port" or own in decider(after, half, 443, *place)}
    space -= {half for half in space if own == "port" and not half.startswith("198.51.100.")}
    if not space:
        return "unknown", set(), ["nothing"]
    too_much, silent, odd = by_traffic(after, asked, space)
    young = space - settled(before)
    brought = (space & unwatched(before, after, own)) - young
    doubts = {"silent": silent, "odd": space if odd else set(), "young": young, "brought": brought}
    why = [name for name, halves in doubts.items() if halves]
    concerned = too_much.union(*doubts.values())
    return "evidence" if too_much else "unknown" if why else "", concerned, why


def by_traffic(state: Item, asked: Asked, space: Halves) -> tuple[Halves, Halves, bool]:
    """The halves that would lose too much, those of prefixes without enough traffic, and whether something of it is not
    understood."""
    own, deciders = asked.name, state["deciders"]
    is_rule = "scope" in deciders[own]
    flows = [flow for flow in state["traffic"] if counts(flow)]
    of_space = [flow for flow in flows if is_lost(flow) or half_of(flow) in space]
    odd = any(is_lost(flow) or (flow.get("verdict") == "maybe" and flow["outcome"] == "pass") for flow in of_space)
    rows = [
        flow
        for flow in of_space
        if not is_lost(flow)
        and (flow["coloCode"] == "AMS" or own != "center")
        and not (flow["coloCode"] == "AMS" and is_rule and own != "center" and "center" in deciders)
    ]
    prefixes = {item["prefix"] for item in state["prefixes"] if not item["excluded"]}
    outermost = [one for one in prefixes if not any(halves_in([one]) < halves_in([other]) for other in prefixes)]
    groups = [(halves_in([prefix]) & space, ["AMS", "FRA"]) for prefix in outermost]
    silent = [
        halves
        for halves, _codes in groups
        if sum(map(samples, within(rows, halves))) < FEWEST or is_of_one_hour(state, halves)
    ]
    split = is_rule and own != "center" and "region" in deciders
    subnets = [halves_in([network]) & space for network in ("198.51.100.0/24", "203.0.113.0/24", SWITCHED)]
    groups += product(subnets, [["AMS"], ["FRA"]] if split else [["AMS", "FRA"]])
    losing = [
        halves
        for halves, codes in groups
        if exceeds([row for row in within(rows, halves) if row["coloCode"] in codes], asked.limits)
    ]
    return set[str]().union(*losing), set[str]().union(*silent), odd or not of_space


def is_of_one_hour(state: Item, halves: Halves) -> bool:
    """Whether packets to the networks of these halves were seen in one of the last hours alone."""
    networks = {half.partition("/")[0].rpartition(".")[0] for half in halves}
    flows = [
        flow
        for flow in state["traffic"]
        if not is_lost(flow)
        and flow.get("hours_ago", 0) <= HOURS
        and flow["ipDestinationAddress"].rpartition(".")[0] in networks
    ]
    return bool(flows) and all("hours_ago" in flow for flow in flows)


def counts(flow: Item) -> bool:
    """Whether a packet is of the last hours, and not one of the other component's alone."""
    words = flow.get("outcome", "pass"), flow.get("verdict", "pass")
    return flow.get("hours_ago", 0) <= HOURS and (
        words == ("pass", "pass") or flow["mitigationReason"] in (*OWN_REASONS, "NEW")
    )


def is_lost(flow: Item) -> bool:
    return "ipDestinationSubnet" in flow


def half_of(flow: Item) -> str:
    return next(half for half, address in HALVES.items() if address == flow["ipDestinationAddress"])


def within(rows: Iterable[Item], halves: Collection[str]) -> list[Item]:
    return [row for row in rows if half_of(row) in halves]


def samples(flow: Item) -> int:
    number: int = flow["packets"] // flow.get("sampleInterval", 1)
    return max(1, number)


def exceeds(rows: Iterable[Item], limits: Item) -> bool:
    known = [row for row in rows if row.get("outcome") == "drop" or row.get("verdict") != "maybe"]
    lost = sum(row["packets"] for row in known if (row.get("outcome", "pass"), row.get("verdict")) == ("pass", "drop"))
    percent, most = limits["max_would_drop_percent"], limits["max_would_drop_packets"]
    too_many = most is not None and lost > int(most)
    return too_many or bool(100 * lost > Fraction(str(percent)) * sum(row["packets"] for row in known))
