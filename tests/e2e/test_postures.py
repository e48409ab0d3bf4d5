# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A posture of a host, in and out again: kept by scheduled runs, ended by its time, by hand, and by another checkout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import Run, ansible_playbook, without_places
from tests.support.attacked_site import BEGIN, GEO, IN, OUT, RULE, UNDER_ATTACK, Site
from tests.support.inventories import write_inventory
from tests.support.module_run import ACCOUNT, ZONE

WAY = UNDER_ATTACK["accept_risks"]
OUT_OF_STATE = {"kind": "out_of_state_tcp", "scope": "global", "mode": "monitoring"}
RULES = [RULE, OUT_OF_STATE]
HELD = {"name": "under_attack", "until": "2027-01-29T09:00:00Z", "reason": "INC-7"}


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.account(ACCOUNT)
    service.zone(ZONE)
    service.clock.set(BEGIN)
    return service


class PostureSite(Site):
    """The host, whose postures stand in its variables."""

    def hold(self, **posture: Any) -> None:
        """Describe the host with a posture."""
        self.describe(baseline_rules=RULES, baseline_posture={**HELD, **posture})

    def forget(self) -> None:
        """Describe the host without one."""
        self.describe(baseline_rules=RULES)

    def run(self, *arguments: str, code: int = 0) -> Run:
        return self.playbook("baseline", *arguments, code=code)

    def settle(self) -> list[str]:
        """Predict, apply and apply again; the objects that changed."""
        predicted, done, again = (result_of(self.run(*arguments)) for arguments in (["--check"], [], []))
        assert predicted["operations"] == done["operations"]
        assert not again["changed"]
        return sorted(f"{item['action']} {item['key']}" for item in done["operations"])


def result_of(run: Run) -> dict[str, Any]:
    (task,) = run.of()
    return dict(task.result)


@pytest.fixture
def site(service: LocalService, tmp_path: Path) -> PostureSite:
    site = PostureSite(service, tmp_path)
    site.forget()
    site.run()
    assert site.state() == OUT
    return site


def test_a_posture_holds_until_its_time_and_goes_by_itself(site: PostureSite) -> None:
    site.hold()
    assert site.settle() == ["create geo", "update global", "update security_level"]
    assert site.state() == IN
    for _scheduled in range(2):
        site.service.clock.advance(hours=2)
        run = site.run()
        assert (result_of(run)["changed"], site.state()) == (False, IN)
        assert "berlin: The posture under_attack holds until 2027-01-29T09:00:00+00:00 (INC-7)." in run.output
        assert "[WARNING]" not in run.output
    site.service.clock.advance(hours=2)
    predicted = " ".join(site.run("--check").output.split())
    path = "baseline_postures.under_attack.security_level"
    ended = "which ended at 2027-01-29T09:00:00+00:00."
    assert f"berlin: Security level is as {path} says, {ended}" in predicted
    assert site.settle() == ["delete geo", "update global", "update security_level"]
    assert site.state() == OUT
    again = site.run()
    assert (result_of(again)["changed"], "posture" in again.output) == (False, False)
    site.forget()
    assert result_of(site.run())["changed"] is False


def test_a_checkout_without_the_file_says_what_it_takes_back(site: PostureSite) -> None:
    site.hold()
    site.run()
    site.forget()
    run = site.run(code=2)
    text = " ".join(run.output.split())
    assert "stops_mitigation" in text and "lowers_sensitivity" in text
    for item, path in {"Custom rule geo": "custom_rules[0]", "SYN flood rule global": "rules[0]"}.items():
        assert (
            f"berlin: {item} is as baseline_postures.under_attack.{path} says, which does not hold by the file of postures here."
            in text
        )
    assert site.state() == IN
    site.run("-e", yaml.safe_dump({"baseline_accept_risks": WAY}, default_flow_style=True, width=1000).strip())
    assert site.state() == ("monitoring", "low", ["geo", "office"], "medium")  # what a posture alone names stays


def test_a_run_says_what_the_way_back_lacks(site: PostureSite) -> None:
    site.hold()
    lacking = {"under_attack": {**UNDER_ATTACK, "accept_risks": ["skips_monitoring", "stops_mitigation"]}}
    extra = yaml.safe_dump({"baseline_postures": lacking}, default_flow_style=True, width=1000).strip()
    for _run in range(2):
        text = " ".join(site.run("-e", extra).output.split())
        assert "berlin: No run would take the posture back, since it would be refused: The plan has risks" in text
        add = (
            "[{code: lowers_sensitivity, resource: syn_flood_rule, entries: [syn_flood global]},"
            " {code: lowers_sensitivity, resource: security_level, entries: [security_level]}]"
        )
        assert f"If this is meant, add baseline_posture.accept_risks: {add}." in text
    assert site.state() == IN


def report(site: PostureSite, *arguments: str) -> tuple[dict[str, Any], dict[str, str]]:
    """The record of the host, and the files of the report."""
    folder = site.folder / "report"
    site.playbook("report", "-e", f"report_directory={folder}", *arguments)
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("report.*")}
    (record,) = json.loads(texts["report.json"])["hosts"]
    return record, texts


def test_the_report_shows_a_posture_and_what_is_overdue(site: PostureSite) -> None:
    site.hold(since="2027-01-29T03:00:00Z")
    site.run()
    record, texts = report(site)
    held = {"name": "under_attack", "until": "2027-01-29T09:00:00+00:00", "reason": "INC-7"}
    assert record["postures"] == [{**held, "since": "2027-01-29T03:00:00+00:00"}]
    assert (record["status"], record["overdue"], record["operations"]) == ("in_order", [], [])
    badge = "posture under_attack since 2027-01-29 03:00 UTC until 2027-01-29 09:00 UTC (INC-7)"
    assert f"in order, {badge}" in texts["report.md"].replace("\\", "")
    assert f'<span class="badge pending">{badge}</span>' in texts["report.html"]
    assert 'edgeops_protection_host_posture_end_timestamp_seconds{host="berlin"} 1801213200' in texts["report.prom"]
    site.service.clock.advance(hours=7)
    record, texts = report(site)
    assert record["overdue"] == [
        f"{item} is as baseline_postures.under_attack.{path} says, which ended at 2027-01-29T09:00:00+00:00."
        for item, path in {
            "SYN flood rule global": "rules[0]",
            "Security level": "security_level",
            "Custom rule geo": "custom_rules[0]",
        }.items()
    ]
    softened = "The custom rule geo leaves requests challenged (managed_challenge) that are blocked under the baseline"
    assert (record["status"], record["reasons"][1:4]) == ("weakened", record["overdue"])
    assert record["reasons"][0].startswith(softened)
    assert 'edgeops_protection_host_overdue{host="berlin"} 3' in texts["report.prom"]
    record, _texts = report(site, "-e", '{"baseline_posture": null}')
    assert (record["postures"], len(record["overdue"])) == ([], 3)


def test_an_export_says_that_it_has_the_values_of_a_posture(site: PostureSite) -> None:
    site.hold()
    site.run()
    exported = site.folder / "exported"
    run = site.playbook("export", "-e", f"export_directory={exported}")
    assert "berlin: The file has the values of postures as well, if they are in force." in run.output
    assert "ref: geo" in (exported / "berlin" / "protection.yml").read_text(encoding="utf-8")


def test_an_approval_and_a_restore_stand_beside_a_posture(site: PostureSite) -> None:
    site.hold()
    _record, _texts = report(site)
    plans = site.folder / "report" / "plans" / "berlin.json"
    snapshots = f"baseline_snapshot_directory={site.folder / 'snapshots'}"
    site.run("-e", f"baseline_expected_plan={plans}", "-e", snapshots)
    assert site.state() == IN
    site.service.clock.advance(hours=7)
    refused = site.run("-e", f"baseline_expected_plan={plans}", code=2)
    assert "is not the approved one" in " ".join(refused.output.split()) or "approve" in refused.output
    restore = (
        "-e",
        "restore_before=latest",
        "-e",
        snapshots,
        "-e",
        yaml.safe_dump({"restore_accept_risks": WAY}, default_flow_style=True),
    )
    site.playbook("restore", *restore)
    assert site.state() == OUT


def test_a_run_that_is_refused_says_where_its_risks_are_accepted(site: PostureSite) -> None:
    bare = {"under_attack": {**UNDER_ATTACK, "accept_risks": WAY[1:]}}
    extra = yaml.safe_dump({"baseline_postures": bare}, default_flow_style=True, width=1000).strip()
    site.hold()
    refused = " ".join(site.run("-e", extra, code=2).output.split())
    assert (
        "add baseline_posture.accept_risks: [{code: skips_monitoring, resource: syn_flood_rule, entries: [syn_flood global]}]"
        in refused
    )
    site.hold(
        accept_risks=[{"code": "skips_monitoring", "resource": "syn_flood_rule", "entries": ["syn_flood global"]}]
    )
    site.run("-e", extra)
    assert site.state() == IN


def test_check_inventory_finds_a_mistake_in_a_posture_that_does_not_hold(site: PostureSite) -> None:
    risks = ["stops_mitigatoin", {"cod": "weakens_zone"}]
    wrong = {**UNDER_ATTACK, "custom_rules": [{**GEO, "expression": "ip.src eq"}], "accept_risks": risks}
    extra = yaml.safe_dump({"baseline_postures": {"a": UNDER_ATTACK, "b": wrong}}, default_flow_style=True, width=1000)
    run = site.playbook("check_inventory", "-e", extra.strip(), code=2)
    (failed,) = [task for task in run.tasks if task.outcome == "failed"]
    # The other hosts of the inventory are checked as well.
    first, second, third = map(without_places, failed.result["hosts"]["berlin"]["problems"])
    assert first.startswith("baseline_postures.b.accept_risks[0]: 'stops_mitigatoin' is none of ")
    assert first.endswith("(did you mean stops_mitigation?).")
    assert second == "baseline_postures.b.accept_risks[1].cod: there is no such field (did you mean code?)."
    assert third.startswith("baseline_postures.b.custom_rules[0].expression: ")
    extra = yaml.safe_dump(
        {"baseline_postures": {"b": {**UNDER_ATTACK, "accept_risks": risks}}}, default_flow_style=True
    )
    predicted = site.playbook("baseline", "--check", "-e", extra.strip(), code=2)
    (message,) = [task.result["msg"] for task in predicted.tasks if task.outcome == "failed"]
    assert without_places(message) == f"2 errors: (1) {first[:-1]}; (2) {second}"


def test_a_zone_alone_has_postures(service: LocalService, tmp_path: Path) -> None:
    """Its first module takes a list that a clock has no use for; the posture has templates."""
    limit = {
        "characteristics": ["cf.colo.id", "ip.src"],
        "period": 60,
        "requests_per_period": 5,
        "mitigation_timeout": 60,
    }
    login = {"ref": "login", "action": "block", "expression": 'http.request.uri.path eq "/login"', "ratelimit": limit}
    night = {
        "security_level": "high",
        "rate_limit_rules": [login],
        "enabled": True,
        "accept_risks": [*WAY, "weakens_rate_limits", "empties_list"],
    }
    posture = {"name": "night", "until": "{{ end }}", "reason": "{{ 'INC-' ~ 9 }}"}
    zone = {"edge_zone_id": ZONE, "baseline_security_level": "medium", "baseline_postures": {"night": night}}
    inventory = write_inventory(tmp_path, service, {"zones": {"shop": {**zone, "baseline_posture": posture}}})
    for end, level, refs in (("2027-01-29T09:00:00Z", "high", ["login"]), ("2027-01-29T03:00:00Z", "medium", [])):
        ansible_playbook("-i", inventory, "-e", f"end={end}", "playbooks/baseline.yml").done()
        rules = [rule["ref"] for rule in service.zone(ZONE).rules_of("rate_limit_rules")]
        assert (service.zone(ZONE).declared["security_level"]["value"], rules) == (level, refs)


def test_a_zone_alone_with_its_rulesets_has_postures(service: LocalService, tmp_path: Path) -> None:
    """Cloudflare's time comes with what the host has, also where that is read as files have it."""
    blocks = {"ref": "a", "action": "block", "expression": "ip.src eq 192.0.2.1"}
    zone = {
        "edge_zone_id": ZONE,
        "baseline_custom_rulesets": [{"name": "Bots", "rules": [blocks], "deploy": {"expression": "true"}}],
        "baseline_posture": {"until": HELD["until"], "reason": "INC-7", "custom_rules": [{"ref": "geo", **GEO}]},
    }
    inventory = write_inventory(tmp_path, service, {"zones": {"shop": zone}})
    for changed in (True, False):
        run = ansible_playbook("-i", inventory, "playbooks/baseline.yml").done()
        assert result_of(run)["changed"] is changed
