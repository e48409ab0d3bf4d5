# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random fleets of an account and three zones: what is predicted is what a run does, a second run does nothing, and no run
is refused, since there is an order for each change, unless the account has no room for it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import pytest

from tests.fake_service import LocalService
from tests.support.fleets import Fleet
from tests.support.host_parts import host
from tests.support.module_run import ACCOUNT
from tests.support.sampled_rows import EVERY_ROW

ADDRESSES = ("192.0.2.1", "192.0.2.2", "198.51.100.0/24")
ZONES = 3
GUEST = {"source": "203.0.113.9", "method": "GET", "host": "shop.example", "path": "/"}
IMPOSSIBLE = [{"description": "guest", "request": GUEST, "expect": "blocked"}]
Lists = Mapping[str, set[str]]
Rulesets = Mapping[str, tuple[list[str], bool]]  # the lists to which the rules refer, and whether it is deployed
# Those of a change met faults that are mended, but for the first ones.
FLEETS = range(2000) if EVERY_ROW else (0, 1, 2, 3, 10, 18, 19)
FULL_FLEETS = range(2000) if EVERY_ROW else (4, 18, 21, 24, 92, 295)  # zones make room in 4 and 21, a ruleset in 295
ENTERPRISE = {"expression": 'cf.zone.plan eq "ENT"'}


class State(NamedTuple):
    """The items of lists, the rulesets of the account, and for each zone the lists to which its rules refer, and its
    rulesets."""

    lists: Lists
    rulesets: Rulesets
    zones: list[list[str]]
    rulesets_of_zones: list[Rulesets]


def state(chance: random.Random) -> State:
    names = sorted(chance.sample("abcd", chance.randint(0, 4)))
    lists = {name: set(chance.sample(ADDRESSES, chance.randint(1, 3))) for name in names}

    def some() -> list[str]:
        return sorted(chance.sample(names, chance.randint(0, len(names))))

    def some_rulesets() -> Rulesets:
        chosen = chance.sample("XY", chance.choice((0, 0, 1, 2)))
        return {name: (some(), chance.random() < 0.7) for name in sorted(chosen)}

    zones = [some() for _zone in range(ZONES)]
    return State(lists, some_rulesets(), zones, [some_rulesets() for _zone in range(ZONES)])


def rules(names: list[str]) -> list[dict[str, Any]]:
    """A rule for each list, and one without."""
    plain = {"ref": "admin", "action": "block", "expression": "ip.src eq 198.18.0.1"}
    return [plain, *({"ref": f"in_{name}", "action": "block", "expression": f"ip.src in ${name}"} for name in names)]


def items(addresses: set[str]) -> list[dict[str, str]]:
    return [{"ip": address} for address in sorted(addresses)]


def rulesets(described: Rulesets, deploy: Mapping[str, Any]) -> list[dict[str, Any]]:
    wanted: list[dict[str, Any]] = []
    for name, (names, is_deployed) in described.items():
        ruleset = {"name": name, "rules": rules(names), "purge": True}
        wanted.append({**ruleset, "deploy": deploy} if is_deployed else ruleset)
    return wanted


def emptied(service: LocalService, account_type: str = "enterprise") -> None:
    service.reset()
    service.account(ACCOUNT).seed(type=account_type)
    for number in range(1, ZONES + 1):
        service.zone(f"{number}" * 32).seed(account_id=ACCOUNT)


def fleet_of(service: LocalService, wanted: State, refused: AbstractSet[int] = frozenset()) -> Fleet:
    shared = {**host(service), "edge_account_id": None, "edge_zone_id": None, "baseline_purge": True}
    lists = [{"name": name, "items": items(wanted.lists[name]), "purge": True} for name in sorted(wanted.lists)]
    hosts = {"lima": {**shared, "edge_account_id": ACCOUNT, "baseline_ip_lists": lists}}
    hosts["lima"]["baseline_custom_rulesets"] = rulesets(wanted.rulesets, ENTERPRISE)
    for number, (names, of_zone) in enumerate(zip(wanted.zones, wanted.rulesets_of_zones, strict=True), start=1):
        zone = {**shared, "edge_zone_id": f"{number}" * 32, "baseline_custom_rules": rules(names)}
        zone["baseline_custom_rulesets"] = rulesets(of_zone, {"expression": "true"})
        hosts[f"zone{number}"] = {**zone, "baseline_expectations": IMPOSSIBLE} if number in refused else zone
    return Fleet(hosts)


def lists_of(service: LocalService) -> dict[str, set[str]]:
    return {each["name"]: {item["ip"] for item in each["items"]} for each in service.account(ACCOUNT).ip_lists.lists}


def brought_about(service: LocalService, wanted: State, account_type: str = "enterprise") -> None:
    """Have a fleet in the state `wanted`."""
    emptied(service, account_type)
    fleet = fleet_of(service, wanted)
    assert not [result["msg"] for result in fleet.done(fleet.predicted()).values() if result.get("failed")]
    service.calls.clear()


def used_by(zone: int, before: State) -> set[str]:
    names = {*before.zones[zone]}
    for of_ruleset, _is_deployed in before.rulesets_of_zones[zone].values():
        names.update(of_ruleset)
    return names


@pytest.mark.parametrize("number", FLEETS)
def test_a_run_does_what_is_predicted(number: int) -> None:
    chance = random.Random(number)
    before, after = state(chance), state(chance)
    refused = {chance.randint(1, ZONES)} if chance.random() < 0.4 else set()
    with LocalService() as service:
        brought_about(service, before)
        fleet = fleet_of(service, after, refused)
        predictions = fleet.predicted()
        if chance.random() < 0.6:
            fleet = fleet.approving(predictions)
            predictions = fleet.predicted()
        assert not service.writes
        done = fleet.done_as_predicted(predictions)
        failed = {name for name, result in done.items() if result.get("failed")}
        zones_refused = {f"zone{number}" for number in refused}
        if not failed & zones_refused:
            assert not failed, {name: done[name]["msg"] for name in failed}
            assert lists_of(service) == after.lists
        still_used = {name for number in refused for name in used_by(number - 1, before)} if failed else set()
        assert still_used <= lists_of(service).keys()
        changing = [number for number in refused if failed and before.zones[number - 1] != after.zones[number - 1]]
        for number in changing:  # a zone without changes refers to what the list becomes
            for name in before.zones[number - 1]:
                assert before.lists[name] <= lists_of(service)[name]
        fleet_again = fleet_of(service, after)
        fleet_again.done(fleet_again.predicted())
        assert lists_of(service) == after.lists
        again = fleet_again.predicted()
        assert not any(item.result.get("changed") or item.result.get("failed") for item in again.values())


MOST_LISTS = 10  # of a standard account


def full(wanted: State, number: int) -> State:
    """The state with so many more lists, to which no rule refers."""
    return wanted._replace(lists={**wanted.lists, **{f"other{index}": {"192.0.2.9"} for index in range(number)}})


def without_new(chance: random.Random, before: State, after: State) -> State:
    """The state `after`, in which rules of most zones refer only to lists that were there before."""
    zones, rulesets_of_zones = list(after.zones), list(after.rulesets_of_zones)
    for zone in range(ZONES):
        if chance.random() < 0.7:
            zones[zone] = [name for name in zones[zone] if name in before.lists]
            for name, (names, is_deployed) in rulesets_of_zones[zone].items():
                kept = [listed for listed in names if listed in before.lists]
                rulesets_of_zones[zone] = {**rulesets_of_zones[zone], name: (kept, is_deployed)}
    return after._replace(zones=zones, rulesets_of_zones=rulesets_of_zones)


def makes_room(name: str, before: State, after: State, refused: AbstractSet[int]) -> bool:
    """Whether a list can be deleted before others are made: no rule of its zones and of the account needs one of the
    new ones, or new items, and no new rule of the account may stop what these rules have stopped."""
    filled = {listed for listed in after.lists if after.lists[listed] - before.lists.get(listed, set())}
    rulesets_of_name = [ruleset for ruleset in before.rulesets if name in before.rulesets[ruleset][0]]
    if name in after.lists or any(not changes_first(ruleset, before, after, filled) for ruleset in rulesets_of_name):
        return False
    users = [zone for zone in range(ZONES) if name in used_by(zone, before)]
    if (users or rulesets_of_name) and protects_newly(before, after, filled, [] if users else rulesets_of_name):
        return False
    return all(zone + 1 not in refused and filled.isdisjoint(used_by(zone, after)) for zone in users)


def protects_newly(before: State, after: State, filled: AbstractSet[str], apart_from: Sequence[str]) -> bool:
    """Whether the account deploys a ruleset, has new rules in others than these, or refers to lists with new items."""
    for ruleset, (names, is_deployed) in after.rulesets.items():
        names_before, was_deployed = before.rulesets.get(ruleset, (names, False))
        if is_deployed and not was_deployed:
            return True
        if ruleset in before.rulesets and not filled.isdisjoint(names):
            return True
        if {*names} - {*names_before} and ruleset not in apart_from:
            return True
    return False


def changes_first(ruleset: str, before: State, after: State, filled: AbstractSet[str]) -> bool:
    """Whether a ruleset of the account may change before its lists do: it stays, and needs nothing new."""
    if ruleset not in after.rulesets:
        return False
    return filled.isdisjoint({*after.rulesets[ruleset][0]} - {*before.rulesets[ruleset][0]})


def has_room(before: State, after: State, refused: AbstractSet[int]) -> bool:
    """Whether there is an order in which the account never has too many lists."""
    new = after.lists.keys() - before.lists.keys()
    room = [name for name in before.lists if makes_room(name, before, after, refused)]
    return len(before.lists) - len(room) + len(new) <= MOST_LISTS


@pytest.mark.parametrize("number", FULL_FLEETS)
def test_a_run_at_the_limit_of_lists_does_what_is_predicted(number: int) -> None:
    chance = random.Random(number)
    before, after = state(chance), state(chance)
    number_of_others = MOST_LISTS - max(len(before.lists), len(after.lists))
    before, after = full(before, number_of_others), full(after, number_of_others)
    after = without_new(chance, before, after)
    refused = {chance.randint(1, ZONES)} if chance.random() < 0.2 else set()
    with LocalService() as service:
        brought_about(service, before, "standard")
        fleet = fleet_of(service, after, refused)
        fleet = fleet.approving(fleet.predicted())
        predictions = fleet.predicted()
        assert not service.writes
        done = fleet.done_as_predicted(predictions)
        message = done.get("lima", {}).get("msg", "")
        assert ("where at most 10 may be" in message) != has_room(before, after, refused), message
        if not has_room(before, after, refused):
            assert lists_of(service) == before.lists
            return
        if refused and any(result.get("failed") for result in done.values()):
            return
        assert lists_of(service) == after.lists
        again = fleet_of(service, after).predicted()
        assert not any(item.result.get("changed") or item.result.get("failed") for item in again.values())
