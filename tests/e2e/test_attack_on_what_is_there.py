# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A posture over an object that is there already: refused if its end would delete an object that it has not made."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.attacked_site import BASELINE, BEGIN, Site
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.service_state import collections_of, comparable

SOURCES = "ip.src in {198.51.100.0/24}"
REF = f"attack-{sha256(SOURCES.encode()).hexdigest()[:8]}"
OWN_RULE = {"ref": REF, "action": "block", "expression": SOURCES, "description": "ours"}
BLOCK = {"block": {"networks": ["198.51.100.0/24"]}}
ACCEPTED: dict[str, Any] = {"hours": 2, "reason": "INC-7", "accept_risks": ["skips_monitoring"]}
MITIGATE = {"mitigate": ["out_of_state_tcp"]}
SENSITIVE = {"scope": "global", "rate_sensitivity": "high", "burst_sensitivity": "high"}
FRESH_RULE = {"ref": "fresh", "action": "block", "expression": SOURCES}
ATTACKERS = {"name": "attackers", "items": [{"ip": "192.0.2.1"}]}
FRESH: dict[str, Any] = {
    "rule": {"custom_rules": [{**FRESH_RULE, "position": "first"}]},
    "source": {"allowlist": [{"prefix": "198.51.100.0/24"}]},
    "items": {"ip_lists": [ATTACKERS], "custom_rules": [{**FRESH_RULE, "ref": "second"}]},
}
OUT_OF_STATE = "out-of-state TCP rule global"


def out_of_state(mode: str) -> Callable[[LocalService], Any]:
    rule = {**SENSITIVE, "mode": mode}
    return lambda service: service.account(ACCOUNT).seed(out_of_state_tcp={"rules": [rule]})


def of_zone(**contents: Any) -> Callable[[LocalService], Any]:
    return lambda service: service.zone(ZONE).seed(**contents)


def of_account(**contents: Any) -> Callable[[LocalService], Any]:
    return lambda service: service.account(ACCOUNT).seed(**contents)


class Case(NamedTuple):
    """The objects that are there, the options of the attack, and the objects that it names."""

    there: Callable[[LocalService], Any]
    options: Mapping[str, Any]
    titles: str


CASES = {
    **{
        f"a rule, {mode}": Case(out_of_state(mode), MITIGATE, OUT_OF_STATE)
        for mode in ("enabled", "monitoring", "disabled")
    },
    "a rule that is as asked": Case(out_of_state("enabled"), {**MITIGATE, "sensitivity": "high"}, OUT_OF_STATE),
    "a rule of DNS protection": Case(
        of_account(dns_rules=[{"scope": "global", "mode": "monitoring"}]), {"mitigate": ["dns"]}, "DNS protection rule global"
    ),
    "a Network Firewall rule": Case(
        of_account(network_firewall_rules=[OWN_RULE]), BLOCK, f"Network Firewall rule {REF}"
    ),
    "a rule that is switched off": Case(
        of_account(network_firewall_rules=[{**OWN_RULE, "enabled": False}]), BLOCK, f"Network Firewall rule {REF}"
    ),
    "a custom rule": Case(of_zone(custom_rules=[OWN_RULE]), BLOCK, f"custom rule {REF}"),
    "a custom rule otherwise than a prepared posture says": Case(
        of_zone(custom_rules=[{**FRESH_RULE, "action": "log"}]), {"posture": "rule"}, "custom rule fresh"
    ),
    "a custom rule as a prepared posture says": Case(
        of_zone(custom_rules=[FRESH_RULE]), {"posture": "rule"}, "custom rule fresh"
    ),
    "an allowlist entry as a prepared posture says": Case(
        of_account(allowlist=[{"prefix": "198.51.100.0/24"}]), {"posture": "source"}, "allowlist entry 198.51.100.0/24"
    ),
    "an item of a list as a prepared posture says": Case(
        of_account(lists=[ATTACKERS]), {"posture": "items"}, "list item attackers 192.0.2.1"
    ),
    "two of them": Case(
        of_account(out_of_state_tcp={"rules": [{**SENSITIVE, "mode": "enabled"}]}, dns_rules=[{"scope": "global", "mode": "enabled"}]),
        {"mitigate": ["syn_flood", "out_of_state_tcp", "dns"]},
        f"{OUT_OF_STATE}, DNS protection rule global",
    ),
}  # fmt: skip


def state(service: LocalService) -> dict[str, Any]:
    return {name: comparable(json.loads(json.dumps(items))) for name, items in collections_of(service).items()}


def prepared(service: LocalService, folder: Path, case: Case) -> Site:
    service.clock.set(BEGIN)
    service.account(ACCOUNT)
    service.zone(ZONE)
    case.there(service)
    site = Site(service, folder)
    site.describe(baseline_postures=FRESH)
    site.scheduled()
    return site


def named(output: str) -> dict[str, Any]:
    """The variables that a refusal says."""
    line = output.partition("run the same again: ")[2].partition(". If a posture of another checkout")[0]
    return dict(yaml.safe_load(f"{{{line}}}"))


def rules_of_the_block(service: LocalService) -> list[Any]:
    every = (*service.account(ACCOUNT).rules_of("network_firewall_rules"), *service.zone(ZONE).rules_of("custom_rules"))
    found = [rule for rule in every if rule["ref"] == REF]
    assert len(found) == 2
    return found


def without_ends(value: Any) -> Any:
    """A state without the descriptions of blocks, which say their end; the same block again may end later."""
    if isinstance(value, dict):
        shown = {key: without_ends(item) for key, item in value.items()}
        return {key: item for key, item in shown.items() if key != "description" or value.get("ref") != REF}
    return [*map(without_ends, value)] if isinstance(value, list) else value


@pytest.mark.parametrize("name", CASES)
def test_what_is_there_and_nobody_names_is_refused_with_the_line_that_names_it(
    name: str, service: LocalService, tmp_path: Path
) -> None:
    case = CASES[name]
    site = prepared(service, tmp_path, case)
    options = {**ACCEPTED, **case.options}
    service.calls.clear()
    refused = [site.attack(*arguments, code=2, **options) for arguments in (["--check"], [])]
    for output in refused:
        assert f"There is already {case.titles}, which neither the baseline nor" in output, output
    assert (service.writes, site.file.exists()) == ([], False)
    said = named(refused[0]).items()
    described = {variable: [*BASELINE.get(variable, ()), *entries] for variable, entries in said}
    site.describe(baseline_postures=FRESH, **described)
    assert site.scheduled() is False
    before = state(service)
    site.attack(**options)
    during = state(service)
    if case.options == BLOCK:
        assert all(rule["enabled"] for rule in rules_of_the_block(service))
    site.attack(**options)
    assert (site.scheduled(), without_ends(state(service))) == (False, without_ends(during))
    service.clock.advance(hours=3)
    site.scheduled()
    assert state(service) == before
    assert site.scheduled() is False


def test_a_prepared_posture_is_taken_again_while_it_holds_and_after_its_end(
    service: LocalService, tmp_path: Path
) -> None:
    """What it has made itself is no object of others, nor is the list that it leaves without items."""
    site = prepared(service, tmp_path, Case(of_account(), {}, ""))
    options = {**ACCEPTED, "posture": "items"}

    def of_posture() -> tuple[list[str], list[str]]:
        items = service.account(ACCOUNT).ip_lists.lists[0]["items"]
        return [item["ip"] for item in items], site.state()[2]

    for _time in range(2):
        for _again in range(2):
            site.attack(**options)
            assert of_posture() == (["192.0.2.1"], ["office", "second"])
        site.attack(over=True)
        assert of_posture() == ([], ["office"])
