# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Snapshots: written before the first write of a host and only then, and restored by the playbook restore."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import Run, ansible_playbook
from tests.support.host_parts import read_back
from tests.support.inventories import write_inventory

ACCOUNT, ZONE = "a" * 32, "b" * 32
HOST: dict[str, Any] = {
    "edge_account_id": ACCOUNT,
    "edge_zone_id": ZONE,
    "baseline_prefixes": [{"prefix": "192.0.2.0/24", "comment": "new"}],
    "baseline_custom_rules": [{"ref": "office", "action": "block", "expression": "ip.src eq 192.0.2.1"}],
}

RISKS = ["empties_list", "disables_protection", "weakens_zone"]


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.account(ACCOUNT).seed(
        prefixes=[{"prefix": "192.0.2.0/24", "comment": "{{ old }}"}, {"prefix": "203.0.113.x/24"}]
    )
    service.zone(ZONE).seed(custom_rules=[{"ref": "login", "action": "log", "expression": "true"}])
    return service


def run(playbook: str, service: LocalService, folder: Path, *options: str, **host: Any) -> Run:
    inventory = write_inventory(folder, service, {"accounts": {"lima": {**HOST, **host}}})
    return ansible_playbook("-i", inventory, *options, f"playbooks/{playbook}.yml")


def result(finished: Run) -> dict[str, Any]:
    (task,) = finished.of()
    return dict(task.result)


def state(service: LocalService) -> tuple[Any, ...]:
    prefixes = [(item["prefix"], item["comment"]) for item in service.account(ACCOUNT).prefixes]
    return prefixes, [rule["ref"] for rule in service.zone(ZONE).custom_rules]


def test_a_host_is_snapshotted_before_its_first_write_and_restored(service: LocalService, tmp_path: Path) -> None:
    snapshots = tmp_path / "snapshots"
    host = {"baseline_snapshot_directory": str(snapshots)}
    before = state(service)
    assert run("baseline", service, tmp_path, "--check", **host).code == 0
    assert not snapshots.exists()
    done = result(run("baseline", service, tmp_path, **host))
    assert done["changed"] is True, done.get("msg", done)
    (file,) = (snapshots / "lima").iterdir()
    assert (done["snapshot"], stat.S_IMODE(file.stat().st_mode)) == (str(file), 0o600)
    text = file.read_text(encoding="utf-8")
    assert service.token not in text
    assert 'comment: !unsafe "{{ old }}"' in text
    after = state(service)
    again = result(run("baseline", service, tmp_path, **host))
    assert (again["changed"], "snapshot" in again) == (False, False)
    assert list((snapshots / "lima").iterdir()) == [file]

    refused = run("restore", service, tmp_path, "-e", f"restore_file={file}", **{**host, "edge_zone_id": "c" * 32})
    assert f"{file} is of another zone" in result(refused)["msg"]
    service.zone("d" * 32).seed(name="shop.example", custom_rules=[])
    by_name = {**host, "edge_zone_id": "", "edge_zone_name": "shop.example"}
    refused = run("restore", service, tmp_path, "-e", f"restore_file={file}", **by_name)
    assert f"{file} is of another zone" in result(refused)["msg"]
    assert state(service) == after
    partly = json.dumps({"restore_file": str(file), "restore_accept_risks": RISKS[:2]})
    assert "weakens_zone" in result(run("restore", service, tmp_path, "-e", partly, **host))["msg"]
    assert state(service) == after
    accepted = json.dumps({"restore_file": str(file), "restore_accept_risks": RISKS})
    restored = run("restore", service, tmp_path, "-e", accepted, **host).done()
    assert (
        "Revert the commit that it undoes" in result(restored)["msg"] and "lima: A restore changes" in restored.output
    )
    assert state(service) == before
    files = sorted((snapshots / "lima").iterdir())
    assert len(files) == 2  # a restore is a change like any other
    first, second = (read_back(path.read_text(encoding="utf-8"))["baseline_source"] for path in files)
    assert first["named"] == second["named"]  # so that it is undone within the same limits

    once_more = result(run("baseline", service, tmp_path, **host, baseline_snapshot_keep=2))
    assert once_more["deleted_snapshots"] == [str(files[0])]
    assert sorted((snapshots / "lima").iterdir()) == [files[1], Path(once_more["snapshot"])]


def test_a_restore_says_what_to_do_about_an_expectation_that_the_undone_change_brought(
    service: LocalService, tmp_path: Path
) -> None:
    service.zone(ZONE).seed(name="shop.example", account_id=ACCOUNT)
    request = {"source": "192.0.2.1", "host": "shop.example", "path": "/"}
    host: dict[str, Any] = {
        "baseline_snapshot_directory": str(tmp_path / "snapshots"),
        "baseline_expectations": [{"description": "the office", "request": request, "expect": "blocked"}],
    }
    assert run("baseline", service, tmp_path, **host).code == 0
    options: dict[str, Any] = {"restore_before": "latest", "restore_accept_risks": RISKS}
    refused = run("restore", service, tmp_path, "-e", json.dumps(options), **host)
    assert "If the change that you undo brought them, revert its commit first" in result(refused)["msg"]
    without = json.dumps({**options, "baseline_expectations": []})
    assert run("restore", service, tmp_path, "-e", without, **host).code == 0


def test_a_dry_run_of_a_restore_needs_a_token_that_only_reads(service: LocalService, tmp_path: Path) -> None:
    """Also for a rule with a field that the collection does not know, which the service checks in the run."""
    check = {"username_expression": "http.request.body.raw", "password_expression": "http.request.body.raw"}
    leaked = {"ref": "leaked", "action": "block", "expression": "true", "exposed_credential_check": check}
    zone = service.zone(ZONE).seed(custom_rules=[leaked])
    purge = {"baseline_snapshot_directory": str(tmp_path / "snapshots"), "baseline_purge": ["custom_rules"]}
    assert run("baseline", service, tmp_path, **purge, baseline_accept_risks=["weakens_zone"]).code == 0
    (file,) = (tmp_path / "snapshots" / "lima").iterdir()
    reading = service.add_token("reading-token", protection="read", firewall="read", waf="read")
    accepted = json.dumps({"restore_file": str(file), "restore_accept_risks": [*RISKS, "blocks_everything"]})
    service.calls.clear()
    predicted = result(run("restore", service, tmp_path, "--check", "-e", accepted, edge_api_token=reading))
    assert predicted["changed"] is True, predicted["msg"]
    assert {call.method for call in service.calls} == {"GET"}
    service.calls.clear()
    refused = result(run("restore", service, tmp_path, "-e", accepted, edge_api_token=reading))
    assert "403" in refused["msg"]
    assert [(call.method, call.query) for call in service.calls if call.method != "GET"] == [
        ("PUT", {"dry_run": "true"})
    ]  # before any write
    restored = result(run("restore", service, tmp_path, "-e", accepted))
    assert restored["plan_id"] == predicted["plan_id"]
    assert zone.custom_rules[-1]["exposed_credential_check"] == check


def test_a_restore_fails_if_something_is_not_as_it_was(service: LocalService, tmp_path: Path) -> None:
    """Somebody else changes the account while the restore writes."""
    assert run("baseline", service, tmp_path, baseline_snapshot_directory=str(tmp_path / "snapshots")).code == 0
    (file,) = (tmp_path / "snapshots" / "lima").iterdir()
    account = service.account(ACCOUNT)

    def change() -> None:
        if service.writes:
            account.prefixes[0]["comment"] = "by hand"

    service.calls.clear()
    service.misbehave("meanwhile", path="/prefixes$", method="GET", times=9, action=change)
    accepted = json.dumps({"restore_file": str(file), "restore_accept_risks": RISKS})
    restored = run("restore", service, tmp_path, "-e", accepted)
    assert restored.code == 2
    failed = result(restored)
    assert f"lima is not what {file} says, though the changes were made: prefix 192.0.2.0/24" in failed["msg"]
    (difference,) = failed["differences"]
    assert difference.endswith("comment is 'by hand' instead of '{{ old }}'")
    assert failed["changed"] is True


def test_a_directory_that_cannot_be_written_stops_the_run_before_any_write(
    service: LocalService, tmp_path: Path
) -> None:
    (tmp_path / "snapshots").write_text("a file", encoding="utf-8")
    directory = {"baseline_snapshot_directory": str(tmp_path / "snapshots")}
    predicted = run("baseline", service, tmp_path, "--check", **directory)
    finished = run("baseline", service, tmp_path, **directory)
    failed = result(finished)
    assert predicted.code == finished.code == 2
    assert result(predicted)["msg"] == failed["msg"]
    assert failed["msg"].startswith("baseline_snapshot_directory: there is no snapshot (")
    assert failed["msg"].endswith("Nothing was changed.")
    assert (failed["changed"], service.writes) == (False, [])


def test_a_mistake_in_a_file_is_told_with_its_name(service: LocalService, tmp_path: Path) -> None:
    file = tmp_path / "file.yml"
    wrong = {"baseline_source": {"account_id": ACCOUNT}, "baseline_prefixes": [{"prefix": "x"}], "baseline_rules": 5}
    file.write_text(json.dumps(wrong), encoding="utf-8")
    message = result(run("restore", service, tmp_path, "-e", f"restore_file={file}"))["msg"]
    assert message.startswith(f"2 errors: (1) {file}: baseline_rules: 5 is a number; ")
    assert f"(2) {file}: baseline_prefixes[0].prefix: 'x' is not a network" in message


def test_another_file_is_no_file_to_restore(service: LocalService, tmp_path: Path) -> None:
    finished = run("restore", service, tmp_path, "-e", f"restore_file={tmp_path / 'file.yml'}")
    assert "cannot be read" in result(finished)["msg"]
    assert service.writes == []


def test_a_restore_takes_one_file_or_one_of_each_host(service: LocalService, tmp_path: Path) -> None:
    for options, words in (
        ({}, "There is no file to restore; set restore_before"),
        ({"restore_file": "x", "restore_before": "latest"}, "restore_file and restore_before exclude each other"),
        ({"restore_file": "x", "restore_since": "latest"}, "restore_file and restore_since exclude each other"),
        ({"restore_before": "latest"}, "lima has no directory of snapshots"),
    ):
        assert words in result(run("restore", service, tmp_path, "-e", json.dumps(options)))["msg"]
    assert service.calls == []


def test_an_export_can_be_restored(service: LocalService, tmp_path: Path) -> None:
    before = state(service)
    run("export", service, tmp_path, "-e", f"export_directory={tmp_path}").done()
    assert run("baseline", service, tmp_path).code == 0
    file = json.dumps({"restore_file": str(tmp_path / "lima" / "protection.yml"), "restore_accept_risks": RISKS})
    run("restore", service, tmp_path, "-e", file).done()
    assert state(service) == before


def test_a_template_names_the_file_of_each_host(service: LocalService, tmp_path: Path) -> None:
    accounts = {"lima": "d" * 32, "oslo": "c" * 32}
    prefixes = [{"prefix": "192.0.2.0/24"}]
    for account in accounts.values():
        service.account(account).seed(prefixes=prefixes)
    hosts = {name: {"edge_account_id": account} for name, account in accounts.items()}
    inventory = write_inventory(tmp_path, service, {"accounts": hosts})

    def play(playbook: str, file: str = "") -> Run:
        options = {"export_directory": str(tmp_path), "export_purge": True, "restore_file": f"{tmp_path}/{file}"}
        options["restore_accept_risks"] = ["unprotects_addresses", "mass_deletion"]
        return ansible_playbook("-i", inventory, "-e", json.dumps(options), f"playbooks/{playbook}.yml")

    play("export").done()
    for account in accounts.values():
        service.account(account).seed(prefixes=[{"prefix": "203.0.113.0/24"}])
    alone = play("restore", "oslo/protection.yml")
    assert "is of another account" in alone.output and "Use --limit, or the file of this host." in alone.output
    numbers = [len(service.account(account).prefixes) for account in accounts.values()]
    run = play("restore", "{{ inventory_hostname }}/protection.yml").done()
    assert "2 hosts: 1 in order, 1 changed, 0 refused, 0 not reached." in run.output, run.output
    assert (numbers, [len(service.account(account).prefixes) for account in accounts.values()]) == ([2, 1], [1, 1])
