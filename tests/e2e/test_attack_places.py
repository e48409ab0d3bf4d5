# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The one file of postures: beside which inventory, of which hosts, by two runs at once, and in another checkout."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import Run, ansible_playbook
from tests.support.attacked_site import BASELINE, BEGIN, IN, OUT, POSTURE, Site, state_of
from tests.support.inventories import LOCAL
from tests.support.module_run import ACCOUNT, ZONE

BLOCK: dict[str, Any] = {"attack_block": {"networks": ["198.51.100.0/24"]}, "attack_hours": 2, "attack_reason": "INC-8"}


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.clock.set(BEGIN)
    service.account(ACCOUNT)
    service.zone(ZONE)
    return service


def connection(service: LocalService) -> dict[str, Any]:
    return {**LOCAL, "edge_api_token": service.token, "edge_base_url": service.base_url}


def one_file(service: LocalService, folder: Path) -> list[str]:
    (folder / "production").mkdir()
    hosts = {"accounts": {"hosts": {"berlin": BASELINE}, "vars": connection(service)}}
    (folder / "production" / "hosts.yml").write_text(yaml.safe_dump(hosts), encoding="utf-8")
    return ["-i", "production/hosts.yml"]


def a_folder(service: LocalService, folder: Path) -> list[str]:
    one_file(service, folder)
    return ["-i", "production/"]


def a_plugin(service: LocalService, folder: Path) -> list[str]:
    service.account(ACCOUNT).seed(name="berlin")
    (folder / "production").mkdir()
    source = {"base_url": service.base_url, "api_token": service.token, "zones": []}
    plugin = {"plugin": "edgeops.protection.accounts", **source}
    (folder / "production" / "edgeops.yml").write_text(yaml.safe_dump(plugin), encoding="utf-8")
    own = folder / "production" / "host_vars"
    own.mkdir()
    (own / "berlin.yml").write_text(yaml.safe_dump({**BASELINE, **connection(service)}), encoding="utf-8")
    return ["-i", "production/edgeops.yml"]


def two_sources(service: LocalService, folder: Path) -> list[str]:
    (folder / "other").mkdir()
    (folder / "other" / "hosts.yml").write_text("all: {hosts: {munich: }}\n", encoding="utf-8")
    return ["-i", "munich,", *one_file(service, folder), "-i", "other"]


PLACES: dict[str, tuple[Any, str]] = {
    "a file": (one_file, "production/postures.yml"),
    "a folder": (a_folder, "postures.yml"),
    "a plugin": (a_plugin, "production/postures.yml"),
    "two sources": (two_sources, "production/postures.yml"),
}


@pytest.mark.parametrize("kind", PLACES)
def test_the_file_is_beside_the_first_source_that_is_a_file(kind: str, service: LocalService, tmp_path: Path) -> None:
    make, place = PLACES[kind]
    sources = make(service, tmp_path)
    before = {path for path in tmp_path.rglob("*") if path.is_file()}

    def play(name: str, **variables: Any) -> Run:
        given = ["--limit", "berlin", "-e", json.dumps(variables)]
        return ansible_playbook(*sources, *given, f"edgeops.protection.{name}", directory=tmp_path).done()

    play("baseline")
    assert state_of(service) == OUT
    play("attack", **POSTURE)
    written = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    files = {path.relative_to(tmp_path).as_posix() for path in written if "snapshots" not in path.parts}
    assert files == {place}
    assert state_of(service) == IN
    (task,) = play("baseline").of()
    assert (task.result["changed"], state_of(service)) == (False, IN)
    play("check_inventory")
    play("attack", attack_over=True)
    assert state_of(service) == OUT


@pytest.mark.parametrize("owner", ["edge_account_id", "edge_zone_id"])
@pytest.mark.parametrize("rulesets", [False, True])
def test_a_host_that_is_an_account_alone_or_a_zone_alone(
    owner: str, rulesets: bool, service: LocalService, tmp_path: Path
) -> None:
    site = Site(service, tmp_path)
    site.scheduled()
    of_zone = ("baseline_custom_rules", "baseline_security_level")
    is_zone = owner == "edge_zone_id"
    own = {
        name: value
        for name, value in BASELINE.items()
        if name in (owner, "baseline_postures") or (name.startswith("baseline_") and (name in of_zone) is is_zone)
    }
    if rulesets:
        own["baseline_custom_rulesets"] = [{"name": "team", "rules": []}]
    site.own.write_text(yaml.safe_dump(own), encoding="utf-8")
    site.scheduled()
    output = site.attack()
    assert site.state() == ((*OUT[:2], *IN[2:]) if is_zone else (*IN[:2], *OUT[2:]))
    assert ("Attacks are mitigated on 256 IPv4 addresses" in output) is not is_zone
    assert ("The zone has custom rule geo, security level under_attack by postures." in output) is is_zone
    site.block("198.51.100.0/24")
    assert site.scheduled() is False
    site.attack(over=True)
    assert (site.state(), site.firewall(), site.scheduled()) == (OUT, ["telnet"], False)


def test_hosts_of_a_group_have_their_own_entries(site: Site) -> None:
    site.describe(edge_zone_id=None, baseline_custom_rules=None, baseline_security_level=None)
    zone = {"edge_zone_id": ZONE, "baseline_custom_rules": [], "baseline_security_level": "medium"}
    postures = {"baseline_postures": BASELINE["baseline_postures"]}
    site.own.with_name("munich.yml").write_text(yaml.safe_dump({**zone, **postures}), encoding="utf-8")
    site.attack("--limit", "accounts")
    hosts = yaml.safe_load(site.file.read_text(encoding="utf-8"))
    assert {host: [one["name"] for one in entries] for host, entries in hosts.items()} == {
        "berlin": ["under_attack"],
        "munich": ["under_attack"],
    }
    assert (site.state()[0], site.state()[3]) == ("enabled", "under_attack")
    site.attack("--limit", "munich", over=True)
    assert [*yaml.safe_load(site.file.read_text(encoding="utf-8"))] == ["berlin"]
    assert (site.state()[0], site.state()[3]) == ("enabled", "medium")


@pytest.fixture
def site(service: LocalService, tmp_path: Path) -> Site:
    site = Site(service, tmp_path)
    site.scheduled()
    return site


def test_a_fresh_clone_after_the_commit_of_one_file_keeps_the_posture(site: Site) -> None:
    def git(folder: Path, *words: str) -> str:
        who = ("-c", "user.name=edge", "-c", "user.email=edge@example.com", "-c", "protocol.file.allow=always")
        run = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
        return run.stdout

    git(site.folder, "init", "--quiet")
    git(site.folder, "add", "inventory")
    git(site.folder, "commit", "--quiet", "--message", "inventory")
    site.attack()
    site.block("198.51.100.0/24", reason="INC-8")
    assert git(site.folder, "status", "--short").split() == ["??", "here/", "??", "postures.yml"]
    git(site.folder, "add", site.file.name)
    git(site.folder, "commit", "--quiet", "--message", "attack")
    clone = site.folder / "here" / "clone"
    git(site.folder, "clone", "--quiet", ".", str(clone))

    def play(name: str, **variables: Any) -> Run:
        given = ["--limit", "berlin", "-e", json.dumps(variables)]
        return ansible_playbook("-i", "inventory", *given, f"edgeops.protection.{name}", directory=clone).done()

    during = (site.state(), site.firewall())
    (task,) = play("baseline").of()
    assert (task.result["changed"], (site.state(), site.firewall())) == (False, during)
    play("attack", attack_over=True)
    assert (site.state(), site.firewall()) == (OUT, ["telnet"])
    assert git(clone, "status", "--short").split() == ["M", "postures.yml", "??", "snapshots/"]


def test_a_checkout_without_the_file_says_where_it_looked_and_to_pull(site: Site) -> None:
    site.attack()
    site.file.unlink()
    words = f"There is no posture to end: {site.file} does not exist. If it was taken in another checkout, commit the"
    assert f"{words} file there, and git pull here." in site.attack(over=True, code=2)
    assert (site.state(), site.file.exists()) == (IN, False)


LOGIN = {"ref": "attack-login", "action": "block", "expression": 'http.request.uri.path eq "/login"'}


def test_an_attack_takes_back_no_posture_of_another_checkout(site: Site) -> None:
    """It takes no other one either: it is refused, and neither the service nor the file changes."""
    site.describe(baseline_postures={"login": {"custom_rules": [LOGIN]}})
    site.attack(posture="login", hours=4, reason="INC-7")
    theirs = site.file.read_text(encoding="utf-8")
    during = (site.state(), site.firewall())
    assert during[0][2] == ["office", "attack-login"]
    site.file.unlink()
    words = "custom rule attack-login is there as a prepared posture sets it"
    text = site.block("198.51.100.0/24", code=2)
    assert words in text and "commit the file there, git pull here" in text, text
    assert (site.state(), site.firewall(), site.file.exists()) == (*during, False)
    said = "Custom rule attack-login is as baseline_postures.login.custom_rules[0] says, which does not hold by the file of"
    assert said in " ".join(site.playbook("baseline").output.split())
    assert site.report()["overdue"] == [f"{said} postures here."]
    assert (site.state(), site.firewall(), site.file.exists()) == (*during, False)
    site.file.write_text(theirs, encoding="utf-8")
    site.block("198.51.100.0/24", reason="INC-8")
    assert (len(site.firewall()), "attack-login" in site.state()[2]) == (2, True)


def test_an_ended_entry_of_a_posture_that_nobody_prepares_any_more_goes_with_the_next_attack(site: Site) -> None:
    site.file.write_text("berlin: [{name: gone, until: 2026-11-01}]\n", encoding="utf-8")
    assert (site.scheduled(), site.state()) == (False, OUT)
    site.attack()
    assert (site.state(), [one["name"] for one in site.entries()]) == (IN, ["under_attack"])


def test_two_runs_at_once_are_both_in_the_file(site: Site) -> None:
    site.service.misbehave("slow", seconds=0.2)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(site.playbook, "attack", "-e", json.dumps(given)) for given in (POSTURE, BLOCK)]
        for run in runs:
            run.result()
    site.service.faults.clear()
    assert {one["reason"] for one in site.entries()} == {"INC-7", "INC-8"}
    site.scheduled()
    assert (site.state()[0], site.state()[3], len(site.firewall())) == ("enabled", "under_attack", 2)
    assert site.scheduled() is False


@pytest.mark.parametrize("names_firewall", [False, True])
def test_an_account_with_waf_alone_takes_a_block_in_its_zone(
    names_firewall: bool, service: LocalService, tmp_path: Path
) -> None:
    site = Site(service, tmp_path)
    service.account(ACCOUNT).seed(
        entitled=False, dns_entitled=False, firewall_entitled=False, not_entitled=["lists", "ddos_l4"]
    )
    service.zone(ZONE).seed(account_id=ACCOUNT)
    own: dict[str, Any] = {"edge_account_id": ACCOUNT, "edge_zone_id": ZONE, "baseline_custom_rules": []}
    if names_firewall:
        own["baseline_network_firewall_rules"] = []
    site.own.write_text(yaml.safe_dump(own), encoding="utf-8")
    before = [*service.zone(ZONE).custom_rules]
    site.block("198.51.100.0/24")
    assert len(service.zone(ZONE).custom_rules) == len(before) + 1
    record = site.report()
    assert (record["status"], record["products"]["tcp_protection"]) == ("in_order", "not entitled"), record["reasons"]
    assert site.scheduled() is False
    site.attack(over=True)
    assert service.zone(ZONE).custom_rules == before
