# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook attack: a posture in one command, kept by scheduled runs, over by itself or by hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import ansible_playbook
from tests.support.attacked_site import BASELINE, BEGIN, FLOOD, IN, OUT, POSTURE, UNDER_ATTACK, Site
from tests.support.inventories import LOCAL
from tests.support.module_run import ACCOUNT, ZONE


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.clock.set(BEGIN)
    service.account(ACCOUNT).seed(traffic=FLOOD)
    service.zone(ZONE)
    return service


@pytest.fixture
def site(service: LocalService, tmp_path: Path) -> Site:
    site = Site(service, tmp_path)
    assert site.scheduled() is True
    assert site.state() == OUT
    return site


def test_a_prepared_posture_in_one_command_and_out_by_itself(site: Site) -> None:
    predicted = site.attack("--check")
    assert (site.state(), site.files()) == (OUT, ["host_vars/berlin.yml"])
    assert (
        "berlin: The run would create custom rule geo, update SYN flood rule global, update security level" in predicted
    )
    assert f"The posture would be in {site.file}. Commit it." in predicted
    output = site.attack()
    assert site.state() == IN
    assert "Dropped, or would have been, in 15 minutes: networks 198.51.100.0/24 (9000)." in output
    assert "reasons CHALLENGE_NEEDED (9000)." in output
    assert "A scheduled run from a checkout without it takes the posture back, or is refused." in output
    posture = dict(site.posture())
    assert (posture.pop("until")[:16], posture.pop("since")[:16]) == ("2027-01-29T07:00", "2027-01-29T03:00")
    assert posture == {"name": "under_attack", "reason": "INC-7"}
    assert len([*site.folder.glob("here/snapshots/berlin/*.yml")]) == 1
    for _scheduled in range(2):
        site.service.clock.advance(hours=1)
        assert (site.scheduled(), site.state()) == (False, IN)
    site.service.clock.advance(hours=3)
    assert (site.scheduled(), site.state()) == (True, OUT)
    assert site.scheduled() is False


def test_the_same_again_holds_longer_and_changes_nothing_else(site: Site) -> None:
    site.attack()
    site.service.clock.advance(hours=1)
    site.service.calls.clear()
    site.attack(posture="under_attack", hours=8, reason="INC-7")
    assert site.service.writes == []
    assert [site.posture()[name][:16] for name in ("since", "until")] == ["2027-01-29T03:00", "2027-01-29T12:00"]


def test_the_same_again_keeps_reason_and_acceptances_until_the_end(site: Site) -> None:
    site.describe(baseline_postures={"under_attack": {**UNDER_ATTACK, "accept_risks": ["skips_monitoring"]}})
    accepted = ["stops_mitigation", "lowers_sensitivity"]
    lacking = site.attack(posture="under_attack", hours=1)
    assert "berlin: No run would take the posture back, since it would be refused" in lacking
    assert "add attack_accept_risks: [{code: stops_mitigation" in lacking
    warned = site.attack("--check", posture="under_attack", hours=1, reason="INC-7", accept_risks=accepted)
    assert "No run would" not in warned
    site.attack(posture="under_attack", hours=1, reason="INC-7", accept_risks=accepted)
    site.attack(posture="under_attack", hours=2, accept_risks=accepted[:1])
    assert (site.posture()["reason"], site.posture()["accept_risks"]) == ("INC-7", accepted)
    site.service.clock.advance(hours=3)
    assert (site.scheduled(), site.state()) == (True, OUT)
    site.service.clock.advance(hours=1)
    site.attack(posture="under_attack", hours=1)
    assert {*site.posture()} == {"name", "since", "until"}
    assert site.posture()["since"].startswith("2027-01-29T07:00")


def test_over_by_hand_leaves_the_inventory_as_it_was(site: Site) -> None:
    site.attack()
    assert site.files() == ["host_vars/berlin/main.yml", "host_vars/berlin/posture.yml", "host_vars/berlin.yml"]
    predicted = site.attack("--check", over=True)
    assert "Remove baseline_posture" not in predicted, "nobody is asked to remove what the run removes"
    assert (site.state(), site.file.exists()) == (IN, True)
    assert f"The posture is over, and {site.file} would be gone. Commit that." in predicted
    site.attack(over=True)
    assert (site.state(), site.files()) == (OUT, ["host_vars/berlin.yml"])
    assert site.scheduled() is False


def test_the_own_file_of_a_host_stays_in_force_beside_the_posture(site: Site) -> None:
    output = site.attack()
    link = site.file.parent / "main.yml"
    assert f"{site.own} stays as it is; {link} leads to it, so that Ansible reads both." in output
    assert link.resolve() == site.own
    site.describe(baseline_security_level="high")
    site.service.clock.advance(hours=5)
    site.scheduled()
    assert site.state()[3] == "high"


def test_a_folder_of_the_host_takes_the_file(site: Site) -> None:
    site.file.parent.mkdir()
    site.own.rename(site.file.parent / "own.yml")
    site.attack()
    assert site.files() == ["host_vars/berlin/own.yml", "host_vars/berlin/posture.yml"]
    site.attack(over=True)
    assert site.files() == ["host_vars/berlin/own.yml"]


def test_a_file_that_people_wrote_stays(site: Site) -> None:
    site.file.parent.mkdir()
    site.own.rename(site.file.parent / "main.yml")
    site.file.write_text("---\nnotes: call the hosting centre\n", encoding="utf-8")
    site.attack()
    assert site.files() == [
        "host_vars/berlin/main.yml",
        "host_vars/berlin/posture-of-attack.yml",
        "host_vars/berlin/posture.yml",
    ]
    assert "hosting" in site.file.read_text(encoding="utf-8")
    assert site.state() == IN


def test_values_without_a_prepared_posture(site: Site) -> None:
    wanted: dict[str, Any] = {
        "block": {"networks": ["198.51.100.0/24"], "asns": [64496], "countries": ["xx"]},
        "mitigate": ["syn_flood"],
        "sensitivity": "high",
        "security_level": "under_attack",
        "until": "2027-01-29T06:00:00Z",
    }
    refused = site.attack(code=2, **wanted)
    assert "run the same again with -e '{attack_accept_risks: [{code: skips_monitoring" in refused
    assert (site.state(), site.files()) == (OUT, ["host_vars/berlin.yml"])
    output = site.attack(accept_risks=["skips_monitoring"], **wanted)
    assert "Configuration rules and page rules may set another security level" in output
    assert site.state() == ("enabled", "high", ["attack-block", "office"], "under_attack")
    assert site.firewall() == ["attack-block", "telnet"]
    (rule, _other) = site.service.account(ACCOUNT).rules_of("network_firewall_rules")
    assert rule["expression"] == ('ip.src in {198.51.100.0/24} or ip.src.asnum in {64496} or ip.src.country in {"XX"}')
    assert site.scheduled() is False
    site.service.clock.advance(hours=3)
    assert (site.scheduled(), site.state(), site.firewall()) == (True, OUT, ["telnet"])


def test_a_second_block_adds_to_the_first(site: Site) -> None:
    site.attack(block={"networks": ["198.51.100.0/24"], "asns": [64496]}, hours=2)
    output = site.attack(block={"networks": ["192.0.2.128/25", "198.51.100.0/24"], "countries": ["XX"]}, hours=1)
    (rule, _other) = site.service.zone(ZONE).custom_rules
    both = 'ip.src in {198.51.100.0/24 192.0.2.128/25} or ip.src.asnum in {64496} or ip.src.country in {"XX"}'
    assert rule["expression"] == both
    assert "The posture held until 2027-01-29T05:00" in output and "and all of it ends earlier now." in output
    changed = site.file.read_text(encoding="utf-8").replace("ip.src.asnum in {64496}", "ip.src eq 203.0.113.9")
    site.file.write_text(changed, encoding="utf-8")
    site.attack(block={"networks": ["198.51.100.9"]}, hours=1)
    (rule, _other) = site.service.zone(ZONE).custom_rules
    assert (
        rule["expression"]
        == f"({both.replace('ip.src.asnum in {64496}', 'ip.src eq 203.0.113.9')}) or ip.src in {{198.51.100.9}}"
    )
    site.attack(over=True)
    assert site.firewall() == ["telnet"]


def test_a_block_accepts_no_other_change(site: Site) -> None:
    rules = [
        {"ref": ref, "action": "block", "expression": f'http.request.uri.path eq "/{ref}"'} for ref in ("a", "b", "c")
    ]
    site.describe(baseline_custom_rules=rules)
    assert site.scheduled() is True
    site.attack(block={"networks": ["198.51.100.0/24"]}, hours=1)
    site.describe(baseline_custom_rules=[{**rule, "enabled": False} for rule in rules])
    assert "weakens_zone: 3 of 5 custom rules" in site.playbook("baseline", code=2).output
    site.service.clock.advance(hours=2)
    assert "weakens_zone: 4 of 5 custom rules" in site.playbook("baseline", code=2).output


def test_a_zone_of_which_nothing_is_described_takes_a_block(site: Site) -> None:
    site.own.write_text(yaml.safe_dump({"edge_zone_id": ZONE}), encoding="utf-8")
    site.attack(block={"countries": ["XX"]}, hours=2)
    assert [rule["ref"] for rule in site.service.zone(ZONE).custom_rules] == ["attack-block", "office"]
    site.attack(over=True)
    assert [rule["ref"] for rule in site.service.zone(ZONE).custom_rules] == ["office"]


def test_what_an_earlier_command_has_added_is_taken_back_as_well(site: Site) -> None:
    site.attack(block={"networks": ["198.51.100.0/24"]}, hours=2)
    site.attack(security_level="under_attack", hours=4)
    blocked = ("monitoring", "low", ["attack-block", "office"], "under_attack")
    assert (site.state(), site.firewall()) == (blocked, ["attack-block", "telnet"])
    refused = site.attack(posture="under_attack", hours=4, code=2)
    assert "has values without a name, and attack_posture would not take them back. End them first" in refused
    site.service.clock.advance(hours=5)
    site.attack(security_level="high", hours=1)
    assert (site.state(), site.firewall()) == (("monitoring", "low", ["office"], "high"), ["telnet"])
    site.attack(block={"networks": ["198.51.100.7"]}, hours=1)
    assert site.firewall() == ["attack-block", "telnet"]
    site.attack(over=True)
    assert (site.state(), site.firewall(), site.files()) == (OUT, ["telnet"], ["host_vars/berlin.yml"])


def test_traffic_that_is_not_known_stops_nobody(site: Site) -> None:
    site.service.misbehave("query_errors", messages=["not authorized for that account"])
    output = site.attack()
    assert "Not all of the traffic is known: The analytics were answered with HTTP 200: not authorized" in output
    assert site.state() == IN


RUNNING: dict[str, Any] = {"posture": "under_attack", "hours": 4}


def block(**block: Any) -> dict[str, Any]:
    return {"hours": 4, "block": block}


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("nothing to do", {"hours": 4}, "Nothing says what to do: set attack_posture, or attack_block, attack_mitigate"),
    ("no end", {"posture": "under_attack"}, "Until when? Set one of attack_hours and attack_until."),
    ("two ends", {**RUNNING, "until": "2027-01-30"}, "Until when? Set one of attack_hours and attack_until."),
    ("no time", {**RUNNING, "hours": 0}, "attack_hours: 0 is not above 0 and at most 744."),
    ("for ever", {**RUNNING, "hours": 100000}, "attack_hours: 100000 is not above 0 and at most 744."),
    ("hours in words", {**RUNNING, "hours": "four"}, "attack_hours: 'four' is a text; write a number"),
    ("an end that is over", {"posture": "under_attack", "until": "2027-01-29T01:00:00Z"},
     "attack_until: 2027-01-29T01:00:00+00:00 is not within 744 hours from now on, 2027-01-29T03:00"),
    ("a time of the day", {"posture": "under_attack", "until": "09:00"}, "attack_until: '09:00' is "),
    ("an unknown posture", {**RUNNING, "posture": "under_atack"}, "no posture is called under_atack (did you mean under_attack?)"),
    ("a posture and values", {**RUNNING, "security_level": "high"}, "attack_posture goes without attack_security_level."),
    ("a misspelt variable", {"postur": "under_attack", "hours": 4}, "it has no effect. Did you mean attack_posture?"),
    ("everybody", block(networks=["0.0.0.0/0"]), "attack_block.networks[0]: 0.0.0.0/0 is wider than /8; block the parts that attack."),
    ("everybody by IPv6", block(networks=["198.51.100.7", "::/0"]), "attack_block.networks[1]: ::/0 is wider than /16"),
    ("source for destination", block(networks=["203.0.113.0/25"]),
     "attack_block.networks[0]: 203.0.113.0/25 has addresses of 203.0.113.0/24, your own in baseline_prefixes."),
    ("oneself", block(networks=["192.0.2.0/24"]), "192.0.2.0/24 has 192.0.2.77, from which you work (SSH_CONNECTION)."),
    ("no network", block(networks=["198.51.100.300"]), "attack_block.networks[0]: '198.51.100.300' is not a network"),
    ("a host name", block(networks=["bot.example.com"]), "attack_block.networks[0]: 'bot.example.com' is not a network"),
    ("a name of a system", block(asns=["EXAMPLE-AS"]), "attack_block.asns[0]: 'EXAMPLE-AS' is not the number of a system, as 64496."),
    ("a country in words", block(countries=["Germany"]), "attack_block.countries[0]: 'Germany' is not the code of a country, as DE."),
    ("an empty block", block(networks=[]), "attack_block: it names no networks, asns or countries."),
    ("a misspelt part of a block", block(network=["198.51.100.7"]), "attack_block.network: there is no such field (did you mean networks?)"),
    ("an unknown component", {"hours": 4, "mitigate": ["tcp"]}, "attack_mitigate[0]: 'tcp' is none of"),
    ("an unknown sensitivity", {"hours": 4, "sensitivity": "extreme"}, "attack_sensitivity: 'extreme' is none of"),
    ("an unknown level", {"hours": 4, "security_level": "panic"}, "attack_security_level: 'panic' is none of"),
    ("what has a risk", {"hours": 4, "mitigate": ["out_of_state_tcp"]},
     "run the same again with -e '{attack_accept_risks: [{code: skips_monitoring, entries: [out_of_state_tcp global]}]}'"),
    ("over before it began", {"over": True}, "There is no posture to end:"),
    ("over and again", {"over": True, "posture": "under_attack"}, "attack_over ends a posture, and goes without attack_posture."),
]  # fmt: skip


@pytest.mark.parametrize(("variables", "answer"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_mistakes_at_three_in_the_morning_have_an_answer_and_change_nothing(
    variables: dict[str, Any], answer: str, service: LocalService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.77 50022 198.51.100.1 22")
    site = Site(service, tmp_path)
    assert answer in site.attack(code=2, **variables)
    assert (service.writes, site.files()) == ([], ["host_vars/berlin.yml"])


def test_without_a_limit_the_hosts_are_named(site: Site) -> None:
    given = json.dumps(POSTURE)
    run = ansible_playbook("-i", site.inventory, "-e", given, "edgeops.protection.attack", directory=site.folder)
    assert run.code == 2
    words = "Which hosts are under attack? There are berlin, munich. Name them by --limit, or set attack_all: true"
    assert words in " ".join(run.output.split())


def test_hosts_that_are_one_account_are_named(site: Site) -> None:
    shutil.copy(site.own, site.own.with_name("munich.yml"))
    output = site.attack("--limit", "all")
    assert f"are one: both have edge_account_id {ACCOUNT}, so that each run of one undoes that of the other" in output


def test_what_nothing_sets_back_is_refused(site: Site) -> None:
    site.describe(baseline_security_level=None)
    words = "baseline_posture.security_level: nothing sets it back; set baseline_security_level as well."
    assert words in site.attack(security_level="high", hours=1, code=2)
    assert site.files() == ["host_vars/berlin.yml"]


def test_a_posture_that_something_else_sets_is_left_to_it(site: Site) -> None:
    site.describe(baseline_posture={"name": "under_attack", "until": "2027-01-29T09:00:00Z"})
    for variables in (POSTURE, {"attack_over": True}):
        run = site.playbook("attack", "-e", json.dumps(variables), code=2)
        assert "baseline_posture is set elsewhere, and attack writes" in " ".join(run.output.split())


def test_an_inventory_without_a_file_has_no_place(service: LocalService, tmp_path: Path) -> None:
    given = {**LOCAL, **BASELINE, "edge_api_token": service.token, "edge_base_url": service.base_url, **POSTURE}
    everybody = json.dumps({**given, "target": "all", "attack_all": True})
    run = ansible_playbook("-i", "berlin,", "-e", everybody, "edgeops.protection.attack", directory=tmp_path)
    assert run.code == 2
    assert "The inventory is no file, so the posture has no place; name a file by -i." in " ".join(run.output.split())


def test_a_file_of_the_host_without_an_ending_is_renamed_by_its_owner(site: Site) -> None:
    site.own.rename(site.own.with_suffix(""))
    assert f"Rename it to {site.own}, which Ansible reads as well, and run again." in site.attack(code=2)
