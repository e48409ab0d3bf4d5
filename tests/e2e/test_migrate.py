# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role that carries firewall rules over to custom rules, run as a user runs it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._migration import report as migration_report
from ansible_collections.edgeops.protection.plugins.module_utils._migration.migrate import migrate

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, TaskResult, ansible, ansible_playbook
from tests.support.documents import read_page
from tests.support.inventories import write_inventory

ZONE = "5c2a81f0f7ae4b2d9b1e6f3a7d904c11"
PLAYBOOK = REPOSITORY / "playbooks" / "migrate_firewall_rules.yml"
APPLY = ("-e", '{"migrate_firewall_rules_apply": true}')
OFFICE = "ip.src in {192.0.2.0/24}\nor ip.src eq 198.51.100.7"
RULES: list[dict[str, Any]] = [
    {"action": "bypass", "products": ["waf"], "priority": 1, "filter": {"expression": OFFICE}},
    {"action": "allow", "priority": 1, "ref": "office", "filter": {"expression": OFFICE}},
    {"action": "block", "priority": 2, "paused": True, "filter": {"expression": "ip.src eq 203.0.113.1"}},
    {"action": "log", "priority": 2, "filter": {"expression": "ip.src eq 203.0.113.2", "paused": True}},
    {"action": "challenge", "description": "{{ 1 + 1 }}: it's", "filter": {"expression": 'http.host eq "{%"'}},
]
FOREIGN = [
    {"ref": name, "action": "log", "expression": f'http.host eq "{name}"', "categories": ["kept"]}
    for name in ("one", "two")
]


@dataclass
class Migration:
    """A directory with an inventory of one host, and the service that it meets."""

    directory: Path
    service: LocalService

    def __post_init__(self) -> None:
        host = {"edge_zone_id": ZONE, "migrate_firewall_rules_directory": str(self.directory)}
        write_inventory(self.directory, self.service, {"accounts": {"lima": host}})

    def run(self, *options: str) -> Run:
        return ansible_playbook("-i", self.directory / "hosts.yml", *options, PLAYBOOK)

    @property
    def files(self) -> dict[str, str]:
        names = ("lima_custom_rules.yml", "lima_custom_rules.md")
        written = [self.directory / name for name in names]
        return {path.name: path.read_text(encoding="utf-8") for path in written if path.exists()}

    @property
    def zone(self) -> dict[str, Any]:
        """What the zone holds, by kind."""
        zone_before: dict[str, Any] = json.loads(json.dumps(self.service.document()["zones"][ZONE]))
        return zone_before


@pytest.fixture
def migration(service: LocalService, tmp_path: Path) -> Migration:
    return Migration(tmp_path, service)


def message(run: Run) -> list[str]:
    """The sentences that a run ends with."""
    (shown,) = (task.result["msg"] for task in run.tasks if task.task.endswith("what was done"))
    return list(shown)


def failure(run: Run) -> TaskResult:
    (failed,) = (task for task in run.tasks if task.outcome == "failed")
    assert run.code == 2
    return failed


def changed(run: Run) -> list[str]:
    return [task.task for task in run.tasks if task.result.get("changed")]


def refs(rules: Sequence[Mapping[str, Any]]) -> list[str]:
    return [rule["ref"] for rule in rules]


def test_by_default_it_writes_two_files_and_nothing_else(migration: Migration) -> None:
    zone = migration.service.zone(ZONE).seed(rules=RULES)
    before = migration.zone

    predicted = migration.run("--check", "--diff")
    assert predicted.code == 0, predicted.output
    assert 'http.host eq "{%"' in predicted.output
    assert migration.files == {}

    run = migration.run()
    assert run.code == 0, run.output
    assert (migration.service.writes, migration.zone) == ([], before)
    assert len(changed(run)) == len(changed(predicted)) == 2
    rendered = migrate(zone.rules)
    report = migration.files["lima_custom_rules.md"]
    assert report.startswith("# From firewall rules to custom rules\n")
    assert all(f"| {rule['ref']} |" in report for rule in rendered.rules)
    assert "Nothing was changed in the zone." in message(run)[-1]

    again = migration.run()
    assert changed(again) == []


def test_the_variables_file_holds_what_custom_rules_takes(migration: Migration) -> None:
    """Texts that look like templates, and expressions of several lines, arrive as they are."""
    zone = migration.service.zone(ZONE).seed(rules=RULES)
    migration.run()
    task = {
        "edgeops.protection.custom_rules": {
            "zone_id": ZONE,
            "api_token": "{{ edge_api_token }}",
            "base_url": "{{ edge_base_url }}",
            "rules": "{{ migrate_firewall_rules_custom_rules }}",
        }
    }
    play = {"hosts": "lima", "gather_facts": False, "vars_files": ["lima_custom_rules.yml"], "tasks": [task]}
    playbook = migration.directory / "play.yml"
    playbook.write_text(yaml.safe_dump([play]), encoding="utf-8")
    run = ansible_playbook("-i", migration.directory / "hosts.yml", playbook)
    assert run.code == 0, run.output
    kept = ("ref", "action", "action_parameters", "expression", "description", "enabled", "logging")
    zone_before = [{name: rule[name] for name in kept if name in rule} for rule in zone.custom_rules]
    assert zone_before == migrate(zone.rules).rules


def test_the_report_is_as_the_page_shows(migration: Migration) -> None:
    page = read_page(REPOSITORY / "docs" / "migration.md")
    assert page.state
    report = migration_report.report(migrate(migration.service.zone(ZONE).seed(**page.state["zones"][ZONE]).rules))
    shown = [line for line in page.text.splitlines() if re.match(r"\| \d+ \|", line)]
    assert len(shown) == 8
    assert all(line in report.splitlines() for line in shown)
    quoted = [line.removeprefix("> ") for line in page.text.splitlines() if line.startswith("> ")]
    assert quoted
    assert " ".join(" ".join(quoted).split()) in " ".join(report.split())


def test_applied_it_keeps_foreign_rules_and_a_second_run_finds_nothing_to_do(migration: Migration) -> None:
    zone = migration.service.zone(ZONE).seed(rules=RULES, custom_rules=FOREIGN)
    rendered = migrate(zone.rules).rules
    foreign = [dict(rule) for rule in zone.custom_rules]

    predicted = migration.run("--check", *APPLY)
    assert (migration.service.writes, migration.files) == ([], {})

    run = migration.run(*APPLY)
    assert run.code == 0, run.output
    assert changed(run) == changed(predicted)
    assert zone.custom_rules[:2] == foreign
    assert refs(zone.custom_rules[2:]) == refs(rendered)
    assert [rule["enabled"] for rule in zone.custom_rules[2:]] == [True, False, False, True]
    assert [rule["paused"] or rule["filter"]["paused"] for rule in zone.rules] == [True] * len(RULES)
    assert message(run)[2:] == [
        "Custom rules that were created: 4; that are there already: 0.",
        "Firewall rules that were paused: 3.",
    ]

    files, zone_before, writes = migration.files, migration.zone, len(migration.service.writes)
    again = migration.run(*APPLY)
    assert changed(again) == []
    assert (migration.files, migration.zone, len(migration.service.writes)) == (files, zone_before, writes)
    assert "Custom rules that were created: 0; that are there already: 4." in message(again)


def test_another_rule_under_the_same_ref_stops_it_before_it_changes_anything(migration: Migration) -> None:
    other = {"ref": "office", "action": "block", "expression": "ip.src eq 192.0.2.1"}
    migration.service.zone(ZONE).seed(rules=RULES, custom_rules=[other])
    zone_before = migration.zone
    msg = failure(migration.run(*APPLY)).result["msg"]
    assert "do something else: office. Nothing was changed in the zone." in msg
    assert (migration.service.writes, migration.zone) == ([], zone_before)
    assert len(migration.files) == 2


def test_many_rules_are_paused_in_transactions_the_last_one_first(migration: Migration) -> None:
    many = [{"action": "block", "priority": n, "filter": {"expression": f"ip.src eq 192.0.2.{n}"}} for n in range(60)]
    zone = migration.service.zone(ZONE).seed(rules=many)
    migration.service.misbehave("status", method="PUT", path="/firewall/rules$", skip=1, times=1, status=403)

    failed = failure(migration.run(*APPLY))
    assert failed.task.endswith("Pause the firewall rules")
    assert len(zone.custom_rules) == 60
    assert [n for n, rule in enumerate(zone.rules) if not rule["paused"]] == list(range(35))

    run = migration.run(*APPLY)
    assert run.code == 0, run.output
    assert all(rule["paused"] for rule in zone.rules)
    assert len(zone.custom_rules) == 60


@pytest.mark.parametrize(("kind", "status"), [("maintenance", 403), ("gone", 410)])
def test_a_migration_goes_on_if_firewall_rules_are_read_only(migration: Migration, kind: str, status: int) -> None:
    zone = migration.service.zone(ZONE).seed(rules=RULES)
    migration.service.misbehave(kind, method="PUT")
    run = migration.run(*APPLY)
    assert run.code == 0, run.output
    assert len(zone.custom_rules) == 4
    assert not zone.rules[0]["paused"]
    assert "Cloudflare no longer lets firewall rules be changed" in message(run)[-1]
    assert "Firewall rules that were paused: 0." in message(run)

    again = migration.run(*APPLY)
    assert changed(again) == []
    assert len(zone.custom_rules) == 4


def test_another_failure_to_pause_is_a_failure(migration: Migration) -> None:
    migration.service.zone(ZONE).seed(rules=RULES)
    token = migration.service.add_token("reader", protection="none", firewall="read", waf="write")
    failed = failure(migration.run(*APPLY, "-e", f"edge_api_token={token}"))
    assert failed.task.endswith("Pause the firewall rules")
    (result,) = failed.result["results"]
    assert "Firewall Services Write (zone)" in result["msg"]


@pytest.mark.parametrize("options", [(), APPLY])
def test_a_zone_whose_rules_cannot_be_read_any_more_is_converted_already(
    migration: Migration, options: tuple[str, ...]
) -> None:
    migration.service.zone(ZONE).seed(rules=RULES)
    migration.service.switch(firewall_retired=True)
    msg = failure(migration.run(*options)).result["msg"]
    assert msg == (
        "The firewall rules of lima can no longer be read (HTTP 410), since Cloudflare has converted them to custom "
        "rules already; read those with the module custom_rules_info."
    )
    assert migration.files == {}


def test_another_failure_to_read_is_a_failure(migration: Migration) -> None:
    msg = failure(migration.run("-e", "edge_api_token=wrong")).result["msg"]
    assert "HTTP 403: [9109] Invalid access token" in msg


def test_check_mode_lets_the_service_check_if_that_is_asked_for(migration: Migration) -> None:
    expression = "cf.no_such_field eq 1"
    migration.service.zone(ZONE).seed(rules=[{"action": "block", "ref": "odd", "filter": {"expression": expression}}])
    assert migration.run("--check", *APPLY).code == 0
    failed = failure(migration.run("--check", *APPLY, "-e", '{"migrate_firewall_rules_validate": true}'))
    assert "This is about the custom rule odd." in failed.result["msg"]
    assert migration.service.writes == []


def test_a_zone_without_rules_gets_an_empty_list(migration: Migration) -> None:
    migration.service.zone(ZONE)
    run = migration.run(*APPLY)
    assert run.code == 0, run.output
    assert yaml.safe_load(migration.files["lima_custom_rules.yml"]) == {"migrate_firewall_rules_custom_rules": []}
    assert migration.service.writes == []


def test_a_host_that_lacks_something_is_told_so_and_one_without_a_zone_is_left_out(migration: Migration) -> None:
    migration.service.zone(ZONE).seed(rules=RULES)
    msg = failure(migration.run("-vvv", "-e", "edge_api_token=")).result["msg"]
    assert "edge_api_token" in msg
    run = migration.run("-vvv", "-e", "edge_zone_id=")
    assert run.code == 0
    assert migration.service.calls == []
    good = migration.run("-vvv", *APPLY)
    assert "task path: " in good.output  # which shows that it is as verbose as asked
    assert migration.service.token not in good.output + json.dumps([task.result for task in good.tasks])


@pytest.mark.parametrize("relative", [".", "../here"])
def test_a_relative_directory_is_one_of_the_working_directory(migration: Migration, relative: str) -> None:
    migration.service.zone(ZONE).seed(rules=RULES)
    folder = migration.directory / "here"
    folder.mkdir()
    options = ("-i", migration.directory / "hosts.yml", "-e", f"migrate_firewall_rules_directory={relative}", PLAYBOOK)
    run = ansible("ansible-playbook", *options, directory=folder, environment={"PWD": "/"})
    assert run.code == 0, run.output
    assert sorted(path.name for path in folder.iterdir()) == ["lima_custom_rules.md", "lima_custom_rules.yml"]
