# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role that writes an existing account and zone as variables, run as a user runs it."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from tests.fake_service import LocalService
from tests.fake_service.credentials import AREA_OF_PERMISSION, AREAS, Grant
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook
from tests.support.documents import read_page, rows
from tests.support.inventories import write_inventory

ACCOUNT, ZONE = "a" * 32, "b" * 32


@pytest.fixture
def service(service: LocalService) -> LocalService:
    rules = [{"scope": "global", "name": "global", "mode": "monitoring"}]
    service.account(ACCOUNT).seed(
        enabled=True,
        prefixes=[{"prefix": "192.0.2.0/24", "comment": "{{ lookup('pipe', 'id') }}"}, {"prefix": "203.0.113.x/24"}],
        allowlist=[{"prefix": "198.51.100.7", "comment": "yes"}],
        syn_flood={"rules": rules},
        out_of_state_tcp={"rules": rules},
    )
    service.zone(ZONE).seed(
        custom_rules=[{"ref": "login", "action": "block", "expression": 'http.host eq "{{ x }}"'}],
        rules=[{"action": "block", "filter": {"expression": "ip.src eq 192.0.2.1"}}],
    )
    return service


@pytest.fixture
def inventory(tmp_path: Path, service: LocalService) -> Path:
    groups = {"accounts": {"lima": {"edge_account_id": ACCOUNT}}, "zones": {"lima.example": {"edge_zone_id": ZONE}}}
    return write_inventory(tmp_path, service, groups, export_directory=str(tmp_path / "host_vars"))


def export(inventory: Path, *options: str) -> Run:
    return ansible_playbook("-i", inventory, *options, REPOSITORY / "playbooks" / "export.yml")


def test_accounts_and_zones_become_files_of_variables(inventory: Path, service: LocalService, tmp_path: Path) -> None:
    run = export(inventory).done()
    account, zone = (tmp_path / "host_vars" / host / "protection.yml" for host in ("lima", "lima.example"))
    text = account.read_text(encoding="utf-8")
    assert "comment: !unsafe \"{{ lookup('pipe', 'id') }}\"" in text
    assert "# The prefix 203.0.113.x/24 (id " in text and "baseline_ignore_ids:" in text
    assert "cannot be described" in run.output
    assert f"account_id: {ACCOUNT}" in text
    assert f"lima.example: {zone} has 4 objects." in " ".join(run.output.split())
    assert "baseline_custom_rules:" in zone.read_text(encoding="utf-8")
    assert "baseline_firewall_rules:" in zone.read_text(encoding="utf-8")
    assert service.token not in text
    assert [stat.S_IMODE(path.stat().st_mode) for path in (account, account.parent)] == [0o600, 0o700]
    schema = json.loads((tmp_path / "host_vars" / ".protection.schema.json").read_text(encoding="utf-8"))
    for file in (account, zone):
        variables = yaml.safe_load(file.read_text(encoding="utf-8").replace("!unsafe ", ""))
        assert not [*Draft7Validator(schema).iter_errors(variables)]
    assert not service.writes


def test_a_zone_that_a_host_names_by_its_domain_is_exported_with_its_id(
    inventory: Path, service: LocalService, tmp_path: Path
) -> None:
    service.zone(ZONE).seed(name="shop.example", custom_rulesets=[{"name": "Bots", "rules": []}])
    host = {"edge_account_id": ACCOUNT, "edge_zone_id": "", "edge_zone_name": "shop.example"}
    export(inventory, "--limit", "lima", "-e", json.dumps(host)).done()
    text = (tmp_path / "host_vars" / "lima" / "protection.yml").read_text(encoding="utf-8")
    assert "# The custom ruleset Bots of the zone (0 rules) is left out" in text
    assert f"account_id: {ACCOUNT}\n  zone_id: {ZONE}\n" in text
    assert "baseline_prefixes:" in text and "ref: login" in text


def test_a_second_export_changes_no_file(inventory: Path) -> None:
    export(inventory)
    again = export(inventory).done()
    assert "changed=0" in again.output and "changed=1" not in again.output


def test_the_baseline_with_an_export_changes_nothing(inventory: Path, service: LocalService) -> None:
    del service.account(ACCOUNT).prefixes[1]
    export(inventory)
    run = ansible_playbook("-i", inventory, "--limit", "accounts", REPOSITORY / "playbooks" / "baseline.yml").done()
    assert "changed=0" in run.output
    assert not service.writes


def test_an_export_describes_all_but_what_it_is_to_skip(inventory: Path, tmp_path: Path) -> None:
    path = tmp_path / "host_vars" / "lima.example" / "protection.yml"
    names = ("baseline_firewall_rules:", "baseline_security_level:", "baseline_custom_rules:")
    export(inventory, "--limit", "zones").done()
    assert [name in path.read_text("utf-8") for name in names] == [True, True, True]
    export(inventory, "--limit", "zones", "-e", '{"export_skip": ["firewall_rules", "security_level"]}').done()
    assert [name in path.read_text("utf-8") for name in names] == [False, False, True]


def test_dns_rules_are_described_and_applying_them_changes_nothing(
    inventory: Path, service: LocalService, tmp_path: Path
) -> None:
    del service.account(ACCOUNT).prefixes[1]
    service.account(ACCOUNT).seed(dns_rules=[{"mode": "enabled"}, {"scope": "region", "name": "WEUR"}])
    variables = tmp_path / "host_vars" / "lima" / "protection.yml"
    run = export(inventory, "--limit", "accounts", "-e", '{"export_purge": true}').done()
    assert len(yaml.safe_load(variables.read_text("utf-8").replace("!unsafe", ""))["baseline_dns_rules"]) == 2
    service.calls.clear()
    run = ansible_playbook("-i", inventory, "--limit", "accounts", REPOSITORY / "playbooks" / "baseline.yml").done()
    assert "changed=0" in run.output
    assert [call for call in service.calls if "/advanced_dns_protection/" in call.path]
    assert not service.writes


def test_the_file_of_an_account_without_any_product_says_so(
    inventory: Path, service: LocalService, tmp_path: Path
) -> None:
    lacked = ["lists", "ddos_l4", "ddos_l7", "http_request_firewall_custom"]
    service.account(ACCOUNT).seed(entitled=False, dns_entitled=False, firewall_entitled=False, not_entitled=lacked)
    export(inventory).done()
    text = (tmp_path / "host_vars" / "lima" / "protection.yml").read_text(encoding="utf-8")
    assert f"account_id: {ACCOUNT}" in text and "baseline_" not in text.replace("baseline_source:", "")
    assert "The account has no Advanced TCP Protection" in text and "is not entitled to lists." in text
    assert "changed=0" in export(inventory).done().output
    ansible_playbook("-i", inventory, REPOSITORY / "playbooks" / "baseline.yml", "--check").done()


def test_check_mode_writes_no_file(inventory: Path, tmp_path: Path) -> None:
    assert export(inventory, "--check").code == 0
    assert not (tmp_path / "host_vars").exists()


def test_a_directory_that_cannot_be_written_is_an_error(inventory: Path, tmp_path: Path) -> None:
    (tmp_path / "host_vars").write_text("a file")
    run = export(inventory)
    assert run.code != 0
    assert "host_vars" in run.output


def test_a_file_that_people_edited_is_not_overwritten(inventory: Path, tmp_path: Path) -> None:
    assert export(inventory, "--limit", "accounts").code == 0
    path = tmp_path / "host_vars" / "lima" / "protection.yml"
    path.write_text(path.read_text("utf-8") + "baseline_accept_risks: [mass_deletion]\n", encoding="utf-8")
    edited = path.read_text("utf-8")
    run = export(inventory, "--limit", "accounts")
    assert run.code != 0
    assert "is not an export, or was edited since. Nothing was written." in run.output
    assert path.read_text("utf-8") == edited
    assert export(inventory, "--limit", "accounts", "-e", '{"export_overwrite": true}').code == 0
    assert "baseline_accept_risks" not in path.read_text("utf-8")


def test_objects_made_by_hand_after_an_export_weaken_their_host(
    inventory: Path, service: LocalService, tmp_path: Path
) -> None:
    inventory.write_text(inventory.read_text(encoding="utf-8").replace(ACCOUNT, "c" * 32), encoding="utf-8")
    account, rules = service.account("c" * 32), [{"scope": "global", "name": "global", "mode": "enabled"}]
    account.seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}], allowlist=[{"prefix": "198.51.100.7"}])
    account.seed(syn_flood={"rules": rules}, out_of_state_tcp={"rules": rules})
    export(inventory)
    playbook = str(REPOSITORY / "playbooks" / "report.yml")
    report = ["-i", str(inventory), "-e", f"report_directory={tmp_path}/report", playbook]
    run = ansible_playbook(*report)
    assert "2 hosts: 2 in order." in run.output, run.output
    account.seed(allowlist=[{"prefix": "0.0.0.0/1"}], prefixes=[{"prefix": "192.0.2.128/25", "excluded": True}])
    account.seed(syn_flood={"filters": [{"expression": "tcp.dstport eq 443", "mode": "disabled"}]})
    skip = {"ref": "hack", "action": "skip", "action_parameters": {"ruleset": "current"}, "expression": "true"}
    zone = service.zone(ZONE)
    zone.seed(custom_rules=[skip])
    zone.custom_rules.reverse()
    sentences = (
        "The prefix 192.0.2.128/25 excludes 128 IPv4 addresses (192.0.2.128/25), and no baseline names it.",
        "The SYN flood filter tcp.dstport eq 443 is disabled, so that SYN flood protection mitigates less for 256 IPv4",
        "The custom rule hack lets requests pass that custom rule login would stop, and no baseline names it.",
        "The allowlist entry 0.0.0.0/1 lets",
    )
    run = ansible_playbook(*report)
    assert "2 hosts: 2 weakened." in run.output, run.output
    page = (tmp_path / "report" / "report.json").read_text(encoding="utf-8")
    assert [sentence for sentence in sentences if sentence not in page] == []
    accepted = [{"resource": name, "keys": ["*"], "reason": "a test"} for name in ("allowlist_entry", "prefix")]
    values = json.dumps({"report_accepted": accepted})
    run = ansible_playbook("-i", inventory, "-e", values, REPOSITORY / "playbooks" / "baseline.yml").done()
    text = " ".join(run.output.split())
    assert [sentence in text for sentence in sentences] == [False, True, True, False], run.output
    accepted.append({"resource": "syn_flood_filter", "keys": ["*443"], "reason": "a test"})
    run = ansible_playbook("-e", json.dumps({"report_accepted": accepted}), *report)
    assert "2 hosts: 1 weakened, 1 in order." in run.output, run.output


ADOPT = read_page(REPOSITORY / "docs" / "adopt.md")


def permissions_in(cells: Iterable[str]) -> set[str]:
    """The permissions to read that cells of the page name, with the word for an account or a zone behind each."""
    return {name for cell in cells for name in re.findall(r"([A-Z][\w ]+?) Read \(", cell)}


PERMISSIONS = sorted(permissions_in(cell for row in rows(ADOPT, "of") for cell in row[1:]))
NOT_KNOWN = re.compile(r"# The .* are not known")


def exported_with(permissions: Iterable[str], inventory: Path, service: LocalService) -> str:
    """The files of an export whose token has these permissions to read, and no others."""
    areas = {AREA_OF_PERMISSION[permission] for permission in permissions}
    service.credentials.tokens[service.token] = Grant({area: "read" if area in areas else "none" for area in AREAS})
    export(inventory).done()
    folder = inventory.parent / "host_vars"
    return "".join(path.read_text("utf-8") for path in sorted(folder.glob("*/protection.yml")))


def test_the_permissions_of_the_page_suffice(inventory: Path, service: LocalService) -> None:
    assert not NOT_KNOWN.search(exported_with(PERMISSIONS, inventory, service))


def test_without_a_permission_of_the_page_the_file_says_what_is_not_known(
    inventory: Path, service: LocalService
) -> None:
    for missing in PERMISSIONS:
        text = exported_with({*PERMISSIONS} - {missing}, inventory, service)
        assert NOT_KNOWN.search(text) and f"{missing} Read" in text.replace("\n# ", " "), missing


def test_the_token_of_the_first_hour_with_a_real_account_suffices_for_its_export(
    inventory: Path, service: LocalService
) -> None:
    page = read_page(REPOSITORY / "docs" / "real_account.md")
    names = [row[0].split(", ")[1] for row in rows(page, "permission")]
    areas = {AREA_OF_PERMISSION[name] for name in names}
    service.credentials.tokens[service.token] = Grant({area: "read" if area in areas else "none" for area in AREAS})
    del service.account(ACCOUNT).prefixes[1]
    export(inventory).done()
    run = ansible_playbook("-i", inventory, "--check", REPOSITORY / "playbooks" / "baseline.yml").done()
    assert "changed=1" not in run.output
