# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook attack: a posture in one command, kept by scheduled runs, over by itself or by hand."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import ansible_playbook, without_places
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


PROJECT = ["inventory/host_vars/berlin.yml", "inventory/hosts.yml"]
WITH_FILE = [*PROJECT, "postures.yml"]
COMMIT = "A scheduled run from a checkout without it takes postures back, or is refused."


def test_a_prepared_posture_in_one_command_and_out_by_itself(site: Site) -> None:
    predicted = site.attack("--check")
    assert (site.state(), site.files()) == (OUT, PROJECT)
    assert (
        'berlin: The run would create custom rule geo (ip.src.country eq "XX"), update SYN flood rule global (mode'
        " monitoring -> enabled, rate_sensitivity low -> high), update security level (level medium -> under_attack)."
        in predicted
    )
    assert f"The run would write {site.file}. {COMMIT}" in predicted
    assert "berlin: After the run: Attacks are mitigated on 256 IPv4 addresses by SYN flood protection;" in predicted
    assert "berlin: After the run: The posture under_attack holds until" in predicted
    output = site.attack()
    assert site.state() == IN
    assert "Dropped, or would have been, in 15 minutes: networks 198.51.100.0/24 (9000)." in output
    assert "reasons CHALLENGE_NEEDED (9000)." in output
    (entry,) = site.entries()
    assert (entry.pop("until")[:16], entry.pop("since")[:16]) == ("2027-01-29T07:00", "2027-01-29T03:00")
    assert entry == {"name": "under_attack", "reason": "INC-7"}
    assert site.files() == WITH_FILE
    for _scheduled in range(2):
        site.service.clock.advance(hours=1)
        assert (site.scheduled(), site.state()) == (False, IN)
    site.service.clock.advance(hours=3)
    assert (site.scheduled(), site.state()) == (True, OUT)
    assert site.scheduled() is False


def test_the_last_lines_say_what_is_mitigated_and_what_is_left_to_do(site: Site) -> None:
    output = site.attack().partition("PLAY RECAP")[0]
    (snapshot,) = site.folder.glob("here/snapshots/berlin/*.yml")
    until = site.entries()[0]["until"].replace("Z", "+00:00")
    last = [
        "Attacks are mitigated on 256 IPv4 addresses by SYN flood protection; out-of-state TCP protection mitigates nothing.",
        "The zone has custom rule geo, security level under_attack by postures.",
        "The account has SYN flood rule global by postures.",
        f"The posture under_attack holds until {until} (INC-7).",
        f"Commit {site.file}. {COMMIT}",
        "To end it, run this playbook with attack_over=true, or the reason or name.",
        f"{snapshot} has the state before.",
    ]
    assert " ".join(f"berlin: {line}" for line in last) in output
    assert "not effective" not in output


def test_a_restore_says_that_the_next_run_takes_the_posture_again(site: Site) -> None:
    words = "berlin: The next run of the baseline takes a posture that holds again. End it: run the playbook attack"
    site.attack()
    (snapshot,) = site.folder.glob("here/snapshots/berlin/*.yml")
    risks = ["stops_mitigation", "lowers_sensitivity", "weakens_zone"]
    given = {"restore_file": str(snapshot), "restore_accept_risks": risks}
    output = " ".join(site.playbook("restore", "-e", json.dumps(given)).output.split())
    assert site.state() == OUT
    assert "berlin: The posture under_attack holds until 2027-01-29T07:0" in output and words in output
    assert (site.scheduled(), site.state()) == (True, IN)


def test_the_same_again_holds_longer_and_changes_nothing_else(site: Site) -> None:
    site.attack()
    site.service.clock.advance(hours=1)
    site.service.calls.clear()
    output = site.attack(posture="under_attack", hours=8, reason="INC-9")
    assert site.service.writes == []
    assert [one["until"][11:16] for one in site.entries()] == ["07:00", "12:00"]
    assert "berlin: The posture under_attack holds until 2027-01-29T12:0" in output and "changed=1" in output
    site.service.clock.advance(hours=4)
    assert (site.scheduled(), site.state()) == (False, IN)
    site.attack(posture="under_attack", hours=8)
    assert [one["until"][11:16] for one in site.entries()] == ["12:00", "16:00"], "an ended one goes"


def test_the_same_command_prolongs_its_entry_and_never_shortens_it(site: Site) -> None:
    block: dict[str, Any] = {"block": {"networks": ["198.51.100.0/24"]}, "reason": "INC-8"}
    site.attack()
    site.attack(hours=4, **block)
    site.service.clock.advance(hours=1)
    site.service.calls.clear()
    (first, second), output = site.entries(), site.attack(hours=6, **block)
    assert f"The posture in {site.file}: berlin[1] holds until 2027-01-29T10:0" in output and "changed=1" in output
    prolonged = site.entries()
    # The description of the rule says until when it holds.
    described = {"custom_rules", "network_firewall_rules"}
    different = {name for name in second if prolonged[1][name] != second[name]}
    assert (prolonged[0], different) == (first, {"until", *described}) and prolonged[1].keys() == second.keys()
    site.service.calls.clear()
    assert "changed=0" in site.attack(hours=1, **block)
    assert (site.entries(), site.service.writes) == (prolonged, [])
    site.attack(hours=1, **{**block, "reason": "INC-9"})
    assert [one["reason"] for one in site.entries()] == ["INC-7", "INC-8", "INC-9"]
    site.attack(over="INC-8")
    assert [one["reason"] for one in site.entries()] == ["INC-7", "INC-9"] and len(blocks(site)) == 1


def test_acceptances_count_for_the_way_back(site: Site) -> None:
    site.describe(baseline_postures={"under_attack": {**UNDER_ATTACK, "accept_risks": ["skips_monitoring"]}})
    accepted = ["stops_mitigation", "lowers_sensitivity"]
    lacking = site.attack(posture="under_attack", hours=1)
    assert "berlin: No run would take the posture back, since it would be refused" in lacking
    assert "add attack_accept_risks: [{code: stops_mitigation" in lacking
    warned = site.attack(posture="under_attack", hours=2, reason="INC-7", accept_risks=accepted)
    assert "No run would" not in warned
    site.service.clock.advance(hours=3)
    assert (site.scheduled(), site.state()) == (True, OUT)


def test_over_by_hand_leaves_no_entry(site: Site) -> None:
    site.attack()
    predicted = site.attack("--check", over=True)
    assert (site.state(), len(site.entries())) == (IN, 1)
    assert "berlin: After the run: No posture holds: the baseline alone counts." in predicted
    output = site.attack(over=True)
    assert (site.state(), site.entries(), site.files()) == (OUT, [], WITH_FILE)
    assert "Attacks are mitigated" not in output and "berlin: No posture holds" in output
    taken_again = "A scheduled run from a checkout with the old one takes the ended posture again, until its time."
    assert f"Commit {site.file}. {taken_again}" in output
    assert site.scheduled() is False


def test_the_entries_of_others_are_kept_as_they_are(site: Site) -> None:
    munich = {"until": "2027-02-01", "reason": "{{ 7 * 7 }}", "custom_rules": [{"ref": "x", "expression": "ssl"}]}
    site.file.write_text(yaml.safe_dump({"munich": [munich], "gone": [munich]}), encoding="utf-8")
    site.attack()
    site.attack(over=True)
    assert yaml.load(site.file.read_text(encoding="utf-8"), yaml.BaseLoader) == {"munich": [munich], "gone": [munich]}


def test_the_acceptances_of_a_refused_attack_are_an_option_to_copy(site: Site) -> None:
    accepted = {"code": "skips_monitoring", "reason": 'the boss\'s "go"', "expires": "2026-01-01"}
    refused = site.attack(code=2, hours=4, mitigate=["out_of_state_tcp"], accept_risks=[accepted])
    (line,) = re.findall(r"run the same again with -e (.*)", refused)
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split = True
    option = lexer.get_token() or ""
    known, missing = yaml.load(option, yaml.BaseLoader)["attack_accept_risks"]
    assert (known, missing["entries"]) == (accepted, ["out_of_state_tcp global"])
    assert "staged_rollout" not in refused and "The line above says how to accept" in " ".join(refused.split())


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
    assert (site.state(), site.files()) == (OUT, PROJECT)
    site.attack(accept_risks=["skips_monitoring"], **wanted)
    (rule, _other) = site.service.account(ACCOUNT).rules_of("network_firewall_rules")
    assert rule["expression"] == ('ip.src in {198.51.100.0/24} or ip.src.asnum in {64496} or ip.src.country in {"XX"}')
    assert site.state() == ("enabled", "high", [rule["ref"], "office"], "under_attack")
    assert site.scheduled() is False
    site.service.clock.advance(hours=3)
    assert (site.scheduled(), site.state(), site.firewall()) == (True, OUT, ["telnet"])


def blocks(site: Site) -> set[str]:
    return {rule["expression"] for rule in site.service.zone(ZONE).custom_rules if rule["ref"].startswith("attack-")}


def test_a_block_while_a_posture_holds_is_a_further_one(site: Site) -> None:
    site.attack()
    site.block("198.51.100.0/24", reason="INC-8")
    site.block("192.0.2.128/25", hours=6)
    both = {"ip.src in {198.51.100.0/24}", "ip.src in {192.0.2.128/25}"}
    assert blocks(site) == both and len(site.entries()) == 3
    assert (site.state()[0], site.state()[3]) == ("enabled", "under_attack")
    site.service.clock.advance(hours=3)
    assert site.scheduled() is True
    assert blocks(site) == {"ip.src in {192.0.2.128/25}"}
    assert site.state()[3] == "under_attack"
    site.service.clock.advance(hours=2)
    assert site.scheduled() is True
    assert blocks(site) == {"ip.src in {192.0.2.128/25}"}
    assert (site.state()[0], site.state()[3]) == ("monitoring", "medium")
    site.attack(over=True)
    assert (site.state(), site.firewall(), site.entries()) == (OUT, ["telnet"], [])


def test_one_of_several_ends_by_its_reason_or_name(site: Site) -> None:
    site.attack()
    site.block("198.51.100.0/24", reason="INC-8")
    refused = site.attack(over="INC-9", code=2)
    assert (
        f"There is no posture to end: {site.file} has none of berlin that attack_over=INC-9 is about. It may have ended already."
        in refused
    )
    assert len(site.entries()) == 2
    site.attack(over="INC-8")
    assert (site.state(), site.firewall()) == (IN, ["telnet"])
    site.block("198.51.100.0/24", reason="INC-8")
    site.attack(over="under_attack")
    assert [one["reason"] for one in site.entries()] == ["INC-8"]
    assert (site.state()[0], site.state()[3], len(blocks(site))) == ("monitoring", "medium", 1)


def test_a_posture_and_values_in_one_command_are_two_entries(site: Site) -> None:
    site.attack(posture="under_attack", block={"countries": ["XX"]}, hours=1)
    assert [{*one} & {"name", "custom_rules"} for one in site.entries()] == [{"name"}, {"custom_rules"}]
    assert site.state()[3] == "under_attack" and blocks(site) == {'ip.src.country in {"XX"}'}


def test_a_block_accepts_no_other_change(site: Site) -> None:
    rules = [
        {"ref": ref, "action": "block", "expression": f'http.request.uri.path eq "/{ref}"'} for ref in ("a", "b", "c")
    ]
    site.describe(baseline_custom_rules=rules)
    assert site.scheduled() is True
    site.block("198.51.100.0/24", hours=1)
    site.describe(baseline_custom_rules=[{**rule, "enabled": False} for rule in rules])
    assert "weakens_zone: 3 of 5 custom rules" in site.playbook("baseline", code=2).output
    site.service.clock.advance(hours=2)
    assert "weakens_zone: 4 of 5 custom rules" in site.playbook("baseline", code=2).output


def test_a_zone_of_which_nothing_is_described_takes_a_block(site: Site) -> None:
    site.own.write_text(yaml.safe_dump({"edge_zone_id": ZONE}), encoding="utf-8")
    site.attack(block={"countries": ["XX"]}, hours=2)
    assert len(blocks(site)) == 1
    site.attack(over=True)
    assert [rule["ref"] for rule in site.service.zone(ZONE).custom_rules] == ["office"]


def test_an_inventory_within_a_folder_has_the_file_beside_the_folder(site: Site) -> None:
    inside = site.inventory / "postures.yml"
    inside.write_text("berlin: []\n", encoding="utf-8")
    words = f"{inside}: Ansible would read it as an inventory. Move it to {site.file}, or set baseline_postures_file."
    assert words in site.attack(code=2)


def test_another_file_is_named_by_a_variable(site: Site) -> None:
    other = site.folder / "other.yml"
    site.describe(baseline_postures_file=str(other))
    output = site.attack()
    assert f"Commit {other}. {COMMIT}" in output
    assert site.files() == [*PROJECT, "other.yml"]
    assert (site.scheduled(), site.state()) == (False, IN)


def test_the_report_says_what_a_posture_of_the_file_mitigates_and_until_when(site: Site) -> None:
    quiet = site.report()
    assert (quiet["postures"], quiet["coverage"]["components"]["syn_flood"][0]["modes"]) == ([], ["monitoring"])
    site.attack()
    site.block("198.51.100.0/24", reason="INC-8")
    during = site.report()
    assert during["coverage"]["components"]["syn_flood"] == [{"modes": ["enabled"], "addresses": "256 IPv4 addresses"}]
    held = [(one["name"], one["until"][:16], one["reason"]) for one in during["postures"]]
    assert held == [("under_attack", "2027-01-29T07:00", "INC-7"), (None, "2027-01-29T05:00", "INC-8")]
    assert (during["operations"], during["overdue"]) == ([], [])
    site.service.clock.advance(hours=3)
    after = site.report()
    assert [one["name"] for one in after["postures"]] == ["under_attack"]
    place, ended = "postures.yml: berlin[1]", "which ended at 2027-01-29T05:00"
    assert [text.partition("postures.yml")[0].split(" attack-")[0] for text in after["overdue"]] == [
        "Network Firewall rule",
        "Custom rule",
    ]
    assert all(place in text and ended in text for text in after["overdue"])
    assert after["status"] == "unprotected" and {*after["overdue"]} <= {*after["reasons"]}


def test_an_export_says_that_values_of_the_file_are_in_it(site: Site) -> None:
    folder = site.folder / "here" / "exported"
    words = "berlin: The file has the values of postures as well, if they are in force."

    def exported() -> str:
        given = {"export_directory": str(folder), "export_overwrite": True}
        return site.playbook("export", "-e", json.dumps(given)).output

    assert words not in exported()
    site.attack()
    assert words in exported()
    text = (folder / "berlin" / "protection.yml").read_text(encoding="utf-8")
    assert "ref: geo" in text and "baseline_posture" not in text


def test_a_posture_in_the_variables_holds_beside_the_file(site: Site) -> None:
    own = [{"name": "under_attack", "until": "2027-01-29T09:00:00Z", "reason": "INC-7"}]
    site.describe(baseline_posture=own)
    assert (site.scheduled(), site.state()) == (True, IN)
    words = "baseline_posture[0] stands in the variables; end it there, by its until."
    assert words in site.attack(over="INC-7", code=2)
    site.block("198.51.100.0/24", reason="INC-8")
    assert words in site.attack(over=True)
    assert (site.state(), site.entries(), site.firewall()) == (IN, [], ["telnet"])


WRONG_FILES: dict[str, tuple[str, str]] = {
    "an unknown key": ("berlin: [{name: under_attack, utnil: 2027-01-30}]", "utnil: there is no such field"),
    "no end": ("berlin: [{name: under_attack}]", "postures.yml: berlin[0].until: it is missing"),
    "no list": ("berlin: {name: under_attack}", "it takes lists of postures by host, such as berlin: [{name:"),
    "no host": ("- {name: under_attack}", "it takes lists of postures by host"),
    "a host twice": ("berlin: []\nberlin: []", "a name stands twice"),
    "a tag": ("berlin: [{name: !unsafe x, until: 2027-01-30}]", "could not determine a constructor"),
    "no entry": ("berlin: [{name: night, until: soon}, 5]", "berlin[1]: it is no posture; write {name: 5, until: "),
    "the first of two": ("berlin: [{name: night, until: soon}, 5]", "berlin[0].until: 'soon' is neither a date"),
    "no YAML": ("berlin: [", "while parsing a flow"),
    "a time of the day": ("berlin: [{name: under_attack, until: '9:00'}]", "berlin[0].until: '9:00' is neither a date"),
    "another posture": ("berlin: [{name: night, until: 2027-01-30}]", "berlin[0].name: no posture is called night"),
}


@pytest.mark.parametrize("wrong", WRONG_FILES)
def test_a_wrong_file_is_named_by_every_playbook_and_changes_nothing(
    wrong: str, service: LocalService, tmp_path: Path
) -> None:
    site = Site(service, tmp_path)
    text, message = WRONG_FILES[wrong]
    site.file.write_text(text, encoding="utf-8")
    for name, arguments in (("attack", ["-e", json.dumps(POSTURE)]), ("baseline", []), ("check_inventory", [])):
        output = " ".join(site.playbook(name, *arguments, code=2).output.split())
        assert message in output and "postures.yml" in output, (name, output)
    assert (service.writes, site.file.read_text(encoding="utf-8")) == ([], text)


def test_a_folder_in_place_of_the_file_is_named(site: Site) -> None:
    site.file.mkdir()
    assert f"{site.file}: it is a folder; write the postures to a file." in site.attack(code=2)


def test_a_sensitivity_of_all_components_says_the_way_of_an_account_without_one(site: Site) -> None:
    site.service.account(ACCOUNT).seed(dns_entitled=False)
    message = site.attack(code=2, hours=1, sensitivity="high")
    assert "no Advanced DNS Protection" in message
    assert "Set attack_mitigate: [syn_flood, out_of_state_tcp], which takes and enables these alone." in message


def test_traffic_that_is_not_known_stops_nobody(site: Site) -> None:
    site.service.misbehave("query_errors", messages=["not authorized for that account"])
    output = site.attack()
    assert "Not all of the traffic is known: The analytics were answered with HTTP 200: not authorized" in output
    assert site.state() == IN


def test_before_it_writes_it_shows_what_past_requests_would_meet_and_what_would_defeat_it(site: Site) -> None:
    zone = site.service.zone(ZONE)
    partner = {"ref": "partner", "action": "skip", "expression": "true", "action_parameters": {"ruleset": "current"}}
    requests = [
        {"clientIP": "192.0.2.7", "clientCountryName": "XX", "count": 90},
        {"clientIP": "192.0.2.7", "clientCountryName": "DE", "count": 10},
    ]
    zone.seed(account_id=ACCOUNT, requests=requests, custom_rules=[partner])
    zone.custom_rules.reverse()
    site.describe(baseline_purge=["custom_rules"], baseline_custom_rules_ignore=["partner"])
    shown, _space, rest = site.attack("--check").partition("berlin: The run would")
    assert "Requests of the last hour, by these rules: Of 100 requests, none changes." in shown
    assert "partner" in shown + rest, "the skip in front"
    zone.custom_rules.pop(0)
    shown, _space, rest = site.attack("--check").partition("berlin: The run would")
    words = "Of 100 requests, 90 (90 %) would newly be blocked or challenged."
    assert rest and f"Requests of the last hour, by these rules: {words}" in shown
    assert "Configuration rules and page rules may set another security level for some requests" in shown
    site.service.misbehave("query_errors", messages=["not authorized for that account"])
    assert "Requests of the last hour, by these rules: Not known. The analytics were answered" in site.attack()


RUNNING: dict[str, Any] = {"posture": "under_attack", "hours": 4}


def block(**block: Any) -> dict[str, Any]:
    return {"hours": 4, "block": block}


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("nothing to do", {"hours": 4}, "Nothing says what to do: set attack_posture, or attack_block, attack_mitigate"),
    ("all that is missing", {"reason": "INC-7"},
     "attack_security_level, or attack_over; (2) Until when? Set one of attack_hours and attack_until."),
    ("a network as it is", {"hours": 4, "block": "198.51.100.9"}, "attack_block: '198.51.100.9' is a text; write {networks: [198.51.100.9]}"),
    ("no end", {"posture": "under_attack"}, "Until when? Set one of attack_hours and attack_until."),
    ("two ends", {**RUNNING, "until": "2027-01-30"}, "Keep one of attack_hours and attack_until."),
    ("no time", {**RUNNING, "hours": 0}, "attack_hours: 0 is less than a minute, or more than 744"),
    ("hardly a time", {**RUNNING, "hours": 0.00001}, "attack_hours: 1e-05 is less than a minute, or more than 744"),
    ("for ever", {**RUNNING, "hours": 100000}, "attack_hours: 100000 is less than a minute, or more than 744"),
    ("hours in words", {**RUNNING, "hours": "four"}, "attack_hours: 'four' is a text; write a number"),
    ("an end that is over", {"posture": "under_attack", "until": "2027-01-29T01:00:00Z"},
     "attack_until: 2027-01-29T01:00:00Z is not between a minute and 744 hours from now on, 2027-01-29T03:00"),
    ("an end that is near", {"posture": "under_attack", "until": "2027-01-29T03:00:59Z"},
     "attack_until: 2027-01-29T03:00:59Z is not between a minute and 744 hours from now on, 2027-01-29T03:00"),
    ("an end that is far", {"posture": "under_attack", "until": "2027-03-02T04:00:00Z"},
     "attack_until: 2027-03-02T04:00:00Z is not between a minute and 744 hours from now on, 2027-01-29T03:00"),
    ("a time of the day", {"posture": "under_attack", "until": "09:00"}, "attack_until: '09:00' is "),
    ("an unknown posture", {**RUNNING, "posture": "under_atack"},
     "attack_posture: no posture is called under_atack (did you mean under_attack?); the postures are under_attack;"
     " attack_block, attack_mitigate, attack_sensitivity, attack_security_level need none"),
    ("a misspelt variable", {"postur": "under_attack", "hours": 4}, "attack_postur: there is no such variable (did you mean attack_posture?)"),
    ("all at once", {"postur": "under_attack", "hours": "four", "mitigate": ["tcp"]}, "3 errors: (1) "),
    ("what does not fit together as well", {"until": "09:00", "hours": 0, "block": {"asns": ["x"]}, "sensitivity": "extreme"}, "5 errors: (1) "),
    ("everybody", block(networks=["0.0.0.0/0"]), "attack_block.networks[0]: 0.0.0.0/0 is wider than /8; block the parts that attack."),
    ("everybody by IPv6", block(networks=["198.51.100.7", "::/0"]), "attack_block.networks[1]: ::/0 is wider than /16"),
    ("source for destination", block(networks=["203.0.113.0/25"]),
     "attack_block.networks[0]: 203.0.113.0/25 has addresses of 203.0.113.0/24, your own in baseline_prefixes."),
    ("source for destination, as IPv6", block(networks=["::ffff:203.0.113.0/120"]),
     "attack_block.networks[0]: 203.0.113.0/24 has addresses of 203.0.113.0/24, your own in baseline_prefixes."),
    ("oneself as IPv6", block(networks=["::FFFF:c000:24d"]), "192.0.2.77/32 has addresses of 192.0.2.77, from which you work (SSH_CONNECTION)."),
    ("everybody as IPv6", block(networks=["::ffff:0:0/96"]), "attack_block.networks[0]: 0.0.0.0/0 is wider than /8; block the parts that attack."),
    ("others as IPv6", block(networks=["::ffff:198.51.100.0/120"]),
     "attack_block.networks[0]: Cloudflare sees ::ffff:198.51.100.0/120 as 198.51.100.0/24; write 198.51.100.0/24."),
    ("what the account has", block(networks=["10.1.2.0/24"]),
     "attack_block.networks[0]: 10.1.2.0/24 has addresses of 10.1.0.0/16, your own in the account."),
    ("oneself", block(networks=["192.0.2.0/24"]), "192.0.2.0/24 has addresses of 192.0.2.77, from which you work (SSH_CONNECTION)."),
    ("no network", block(networks=["198.51.100.300"]), "attack_block.networks[0]: '198.51.100.300' is not a network"),
    ("a host name", block(networks=["bot.example.com"]), "attack_block.networks[0]: 'bot.example.com' is not a network"),
    ("a name of a system", block(asns=["EXAMPLE-AS"]), "attack_block.asns[0]: 'EXAMPLE-AS' is not the number of a system, such as 64496."),
    ("a country in words", block(countries=["Germany"]), "attack_block.countries[0]: 'Germany' is not the code of a country, such as GB."),
    ("a country by no code in use", block(countries=["uk", "GB"]), "attack_block.countries[0]: 'uk' is not the code of a country, such as GB."),
    ("an empty block", block(networks=[]), "attack_block: it names no networks, asns or countries."),
    ("a misspelt part of a block", block(network=["198.51.100.7"]), "attack_block.network: there is no such field (did you mean networks?)"),
    ("an unknown component", {"hours": 4, "mitigate": ["tcp"]}, "attack_mitigate[0]: 'tcp' is none of"),
    ("an unknown sensitivity", {"hours": 4, "sensitivity": "extreme"}, "attack_sensitivity: 'extreme' is none of"),
    ("an unknown level", {"hours": 4, "security_level": "panic"}, "attack_security_level: 'panic' is none of"),
    ("what has a risk", {"hours": 4, "mitigate": ["out_of_state_tcp"]},
     "run the same again with -e '{attack_accept_risks: [{code: skips_monitoring, resource: out_of_state_tcp_rule, entries: [out_of_state_tcp global]}]}'"),
    ("what has a risk whose acceptance expired",
     {"hours": 4, "mitigate": ["out_of_state_tcp"], "accept_risks": [{"code": "skips_monitoring", "expires": "2026-01-01"}]},
     "To accept the risks, run the same again with -e '{attack_accept_risks: [{"),
    ("an unknown risk", {**RUNNING, "accept_risks": ["skips_monitoring", "skips"]}, "attack_accept_risks[1]: 'skips' is none of unprotects_addresses,"),
    ("a number for a risk", {**RUNNING, "accept_risks": [5]}, "attack_accept_risks[0]: 5 is a number; write {code: ...}"),
    ("an unknown risk of the way back", {"over": True, "accept_risks": ["skips"]}, "attack_accept_risks[0]: 'skips' is none of unprotects_addresses,"),
    ("over before it began", {"over": True}, "There is no posture to end:"),
    ("over and again", {"over": True, "posture": "under_attack"}, "attack_over: it ends postures, and goes without attack_posture"),
]  # fmt: skip


@pytest.mark.parametrize(("variables", "answer"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_mistakes_at_three_in_the_morning_have_an_answer_and_change_nothing(
    variables: dict[str, Any], answer: str, service: LocalService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.77 50022 198.51.100.1 22")
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "10.1.0.0/16"}])
    site = Site(service, tmp_path)
    assert answer in without_places(site.attack(code=2, **variables))
    assert (service.writes, site.files()) == ([], PROJECT)


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"mitigate": ["syn_flood"]}, "attack_mitigate: nothing sets back mode of SYN flood rule global"),
        ({"sensitivity": "high"}, "attack_sensitivity: nothing sets back burst_sensitivity of SYN flood rule global"),
        ({"security_level": "high"}, "attack_security_level: nothing sets back security level"),
    ],
)
def test_a_refusal_names_the_option_and_no_place_that_is_not_in_the_file_yet(
    variables: dict[str, Any], told: str, site: Site
) -> None:
    site.block("198.51.100.0/24")
    rule = {"kind": "syn_flood", "scope": "global", "rate_sensitivity": "low"}
    own = {**BASELINE, "baseline_rules": [rule], "baseline_postures": {}, "baseline_security_level": None}
    site.own.write_text(yaml.safe_dump(own), encoding="utf-8")
    refused = site.attack(code=2, hours=2, **variables)
    assert told in refused and f"{site.file}: berlin[1]" not in refused


@pytest.mark.parametrize(
    ("here", "network"), [("::ffff:192.0.2.77", "192.0.2.0/24"), ("2001:db8::7%eth0", "2001:db8::/48")]
)
def test_ones_own_address_is_known_in_all_its_forms(
    here: str, network: str, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", f"{here} 50022 198.51.100.1 22")
    assert "from which you work (SSH_CONNECTION)" in site.attack(code=2, **block(networks=[network]))


def test_without_a_limit_the_hosts_are_named(site: Site) -> None:
    given = json.dumps(POSTURE)
    run = ansible_playbook("-i", site.inventory, "-e", given, "edgeops.protection.attack", directory=site.folder)
    assert run.code == 2
    words = "Which hosts are under attack? The hosts are berlin, munich. Name them by --limit, or set attack_all: true"
    assert words in " ".join(run.output.split())


def test_hosts_that_are_one_account_are_named(site: Site) -> None:
    shutil.copy(site.own, site.own.with_name("munich.yml"))
    output = site.attack("--limit", "all")
    assert f"are one: both have edge_account_id {ACCOUNT}, so that each run of one undoes that of the other" in output


def test_what_nothing_sets_back_is_refused(site: Site) -> None:
    site.describe(baseline_security_level=None)
    words = "attack_security_level: nothing sets back security level; name it in baseline_security_level as well"
    assert words in site.attack(security_level="high", hours=1, code=2)
    assert site.files() == PROJECT


def test_an_inventory_without_a_file_has_no_place(service: LocalService, tmp_path: Path) -> None:
    given = {**LOCAL, **BASELINE, "edge_api_token": service.token, "edge_base_url": service.base_url, **POSTURE}
    everybody = json.dumps({**given, "target": "all", "attack_all": True})
    run = ansible_playbook("-i", "berlin,", "-e", everybody, "edgeops.protection.attack", directory=tmp_path)
    assert run.code == 2
    assert (
        "The inventory is no file, so the postures have no place; set baseline_postures_file, or name a file by -i."
        in " ".join(run.output.split())
    )


def test_an_attack_whose_effect_nobody_knows_is_set_back_if_it_is_watched(site: Site, service: LocalService) -> None:
    service.switch(seconds_per_query=60)
    before = site.state(), site.firewall()
    output = site.block("198.51.100.0/24", watch={"minutes": 2, "interval_seconds": 0.01}, code=2)
    assert "Nobody knows what the change of" in output and "The run has set back what it changed" in output
    assert f"{site.file} is as it was before." in output
    assert (site.state(), site.firewall()) == before
    assert not site.file.exists() or site.entries() == []
    wrong = site.block("198.51.100.0/24", watch={"minutes": 0}, code=2)
    assert "attack_watch.minutes: 0 is not a number of minutes" in wrong
