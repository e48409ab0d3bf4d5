# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random fleets of an account and two zones: what a run of the baseline changes, one restore of all hosts undoes, as it
predicts; a second one does nothing."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import pytest

from tests.fake_service import LocalService
from tests.support.fleets import Fleet
from tests.support.host_parts import RISKS, host
from tests.support.module_run import ACCOUNT
from tests.support.sampled_rows import EVERY_ROW

ADDRESSES = ("192.0.2.1", "192.0.2.2", "198.51.100.0/24")
ZONES = ("1" * 32, "2" * 32)
ENTERPRISE = {"expression": 'cf.zone.plan eq "ENT"'}
FLEETS = range(500 if EVERY_ROW else 7)


class State(NamedTuple):
    """The addresses of each list, the lists to which rules of each zone refer, and those to which the rules of each custom
    ruleset of the account refer."""

    lists: dict[str, list[str]]
    zones: list[list[str]]
    rulesets: dict[str, list[str]]


def random_state(chance: random.Random) -> State:
    names = sorted(chance.sample("abcd", chance.randint(0, 4)))
    lists = {name: sorted(chance.sample(ADDRESSES, chance.randint(0, 3))) for name in names}

    filled = [name for name in names if lists[name]]

    def some() -> list[str]:
        return sorted(chance.sample(filled, chance.randint(0, len(filled))))

    rulesets = {name: some() for name in sorted(chance.sample("XY", chance.choice((0, 0, 1, 2))))}
    return State(lists, [some() for _zone in ZONES], rulesets)


def rules(names: list[str]) -> list[dict[str, Any]]:
    """A rule for each list, and one without."""
    plain = {"ref": "admin", "action": "block", "expression": "ip.src eq 198.18.0.1"}
    return [plain, *({"ref": f"in_{name}", "action": "block", "expression": f"ip.src in ${name}"} for name in names)]


def fleet_of(service: LocalService, wanted: State) -> Fleet:
    risks = [*RISKS, "passes_traffic"]
    shared = {**host(service), "edge_account_id": None, "edge_zone_id": None, "baseline_accept_risks": risks}
    lists = [
        {"name": name, "items": [{"ip": address} for address in addresses], "purge": True}
        for name, addresses in wanted.lists.items()
    ]
    rulesets = [
        {"name": name, "rules": rules(names), "purge": True, "deploy": ENTERPRISE}
        for name, names in wanted.rulesets.items()
    ]
    of_account = {"baseline_ip_lists": lists, "baseline_custom_rulesets": rulesets}
    hosts = {"lima": {**shared, "edge_account_id": ACCOUNT, "baseline_purge": True, **of_account}}
    for number, names in enumerate(wanted.zones, start=1):
        of_zone = {"edge_zone_id": ZONES[number - 1], "baseline_purge": True, "baseline_custom_rules": rules(names)}
        hosts[f"zone{number}"] = {**shared, **of_zone}
    return Fleet(hosts)


def state_of(service: LocalService) -> tuple[Any, ...]:
    account = service.account(ACCOUNT)
    lists = {each["name"]: sorted(item["ip"] for item in each["items"]) for each in account.ip_lists.lists}
    rulesets = {
        ruleset["name"]: [rule["expression"] for rule in ruleset["rules"]] for ruleset in account.custom_rulesets
    }
    zones = [[rule["expression"] for rule in service.zone(zone_id).custom_rules] for zone_id in ZONES]
    return lists, rulesets, zones


def run(fleet: Fleet) -> bool:
    """Predict and run a fleet, which does what is predicted; returns whether it changes something."""
    done = fleet.done_as_predicted(fleet.predicted())
    for name, result in done.items():
        assert not result.get("failed"), (name, result["msg"])
    return bool(done)


@pytest.mark.parametrize("number", FLEETS)
def test_one_restore_undoes_a_run_of_the_baseline(number: int) -> None:
    chance = random.Random(number)
    with LocalService() as service:
        service.account(ACCOUNT).seed()
        for zone_id in ZONES:
            service.zone(zone_id).seed(account_id=ACCOUNT)
        run(fleet_of(service, random_state(chance)))
        before = state_of(service)
        fleet = fleet_of(service, random_state(chance))
        files = fleet.snapshots()
        run(fleet)
        restored = fleet._replace(files=files)
        run(restored)
        assert state_of(service) == before
        assert not run(restored)
