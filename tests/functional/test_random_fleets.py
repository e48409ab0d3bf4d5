# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random fleets of an account and three zones: what is predicted is what a run does, a second run does nothing, and no run
is refused, since there is an order for each change."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.fleets import Fleet
from tests.support.host_parts import host
from tests.support.module_run import ACCOUNT

ADDRESSES = ("192.0.2.1", "192.0.2.2", "198.51.100.0/24")
ZONES = 3
GUEST = {"source": "203.0.113.9", "method": "GET", "host": "shop.example", "path": "/"}
IMPOSSIBLE = [{"description": "guest", "request": GUEST, "expect": "blocked"}]
Lists = Mapping[str, set[str]]


State = tuple[Lists, list[list[str]]]  # the items of lists, and for each zone the lists to which its rules refer
FLEETS = range(int(os.environ.get("FLEETS", "20")))


def state(chance: random.Random) -> State:
    names = chance.sample("abcd", chance.randint(0, 4))
    lists = {name: set(chance.sample(ADDRESSES, chance.randint(1, 3))) for name in sorted(names)}
    return lists, [sorted(chance.sample(sorted(lists), chance.randint(0, len(lists)))) for _zone in range(ZONES)]


def rules(names: list[str]) -> list[dict[str, Any]]:
    """A rule for each list, and one without."""
    plain = {"ref": "admin", "action": "block", "expression": "ip.src eq 198.18.0.1"}
    return [plain, *({"ref": f"in_{name}", "action": "block", "expression": f"ip.src in ${name}"} for name in names)]


def items(addresses: set[str]) -> list[dict[str, str]]:
    return [{"ip": address} for address in sorted(addresses)]


def seeded(service: LocalService, lists: Lists, zones: list[list[str]]) -> None:
    service.reset()
    service.account(ACCOUNT).seed(lists=[{"name": name, "items": items(lists[name])} for name in sorted(lists)])
    for number, names in enumerate(zones, start=1):
        service.zone(f"{number}" * 32).seed(account_id=ACCOUNT, custom_rules=rules(names))


def fleet_of(service: LocalService, lists: Lists, zones: list[list[str]], refused: set[int]) -> Fleet:
    shared = {**host(service), "edge_account_id": None, "edge_zone_id": None, "baseline_purge": True}
    wanted = [{"name": name, "items": items(lists[name]), "purge": True} for name in sorted(lists)]
    hosts = {"lima": {**shared, "edge_account_id": ACCOUNT, "baseline_ip_lists": wanted}}
    for number, names in enumerate(zones, start=1):
        zone = {**shared, "edge_zone_id": f"{number}" * 32, "baseline_custom_rules": rules(names)}
        hosts[f"zone{number}"] = {**zone, "baseline_expectations": IMPOSSIBLE} if number in refused else zone
    return Fleet(hosts)


def lists_of(service: LocalService) -> dict[str, set[str]]:
    return {each["name"]: {item["ip"] for item in each["items"]} for each in service.account(ACCOUNT).ip_lists.lists}


COMPARED = ("changed", "operations", "plan_id", "left", "left_out", "failed")


@pytest.mark.parametrize("number", FLEETS)
def test_a_run_does_what_is_predicted(number: int) -> None:
    chance = random.Random(number)
    before, after = state(chance), state(chance)
    refused = {chance.randint(1, ZONES)} if chance.random() < 0.4 else set()
    with LocalService() as service:
        seeded(service, *before)
        fleet = fleet_of(service, *after, refused)
        predictions = fleet.predicted()
        assert not service.writes
        done = fleet.done(predictions)
        for name, result in done.items():
            predicted = predictions[name].result
            assert {key: predicted.get(key) or None for key in COMPARED} == {
                key: result.get(key) or None for key in COMPARED
            }, name
        failed = {name for name, result in done.items() if result.get("failed")}
        zones_refused = {f"zone{number}" for number in refused}
        lists, zones = after
        if not failed & zones_refused:
            assert not failed, {name: done[name]["msg"] for name in failed}
            assert lists_of(service) == lists
        still_used = {name for number in refused for name in before[1][number - 1]} if failed else set()
        assert still_used <= lists_of(service).keys()
        changing = [number for number in refused if failed and before[1][number - 1] != after[1][number - 1]]
        for number in changing:  # a zone without changes refers to what the list becomes
            for name in before[1][number - 1]:
                assert before[0][name] <= lists_of(service)[name]
        fleet_again = fleet_of(service, lists, zones, set())
        fleet_again.done(fleet_again.predicted())
        assert lists_of(service) == lists
        again = fleet_again.predicted()
        assert not any(item.result.get("changed") or item.result.get("failed") for item in again.values())
