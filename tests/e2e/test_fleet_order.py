# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An account and its zones in one run of the playbook baseline: lists are made before the rules that refer to them, and
removed after these, whatever a commit changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook
from tests.support.inventories import write_inventory
from tests.support.module_run import ACCOUNT

REPORT = REPOSITORY / "playbooks" / "report.yml"
PLAYBOOK = REPOSITORY / "playbooks" / "baseline.yml"
OFFICE, SHOP = "192.0.2.1", "192.0.2.2"
COMPARED = ("operations", "plan_id", "changed")


def a_list(name: str, *addresses: str) -> dict[str, Any]:
    return {"name": name, "items": [{"ip": address} for address in addresses], "purge": True}


def block(*names: str) -> list[dict[str, Any]]:
    """The rules of a zone, of which one refers to these lists, if there are any."""
    terms = [f"ip.src in ${name}" for name in names]
    listed = {"ref": "listed", "action": "block", "expression": " or ".join(terms)}
    rules = [{"ref": "admin", "action": "block", "expression": "ip.src eq 198.51.100.1"}]
    return [*rules, listed] if names else rules


class Commit(NamedTuple):
    """The lists of an account, and those to which the rule of each zone refers, before a commit and after it."""

    lists: Sequence[Mapping[str, Any]]
    zones: Sequence[Sequence[str]]
    lists_after: Sequence[Mapping[str, Any]]
    zones_after: Sequence[Sequence[str]]
    account_type: str = "enterprise"


OTHERS = [a_list(f"other{number}", OFFICE) for number in range(9)]
BOTH = a_list("both", OFFICE, SHOP)
COMMITS: Mapping[str, Commit] = {
    "split": Commit([BOTH], [["both"]] * 6, [a_list("office", OFFICE), a_list("shop", SHOP)], [["office", "shop"]] * 6),
    "split off": Commit([BOTH], [["both"]] * 2, [a_list("both", OFFICE), a_list("shop", SHOP)], [["both", "shop"]] * 2),
    "merge": Commit([a_list("office", OFFICE), a_list("shop", SHOP)], [["office", "shop"]] * 2, [BOTH], [["both"]] * 2),
    "rename": Commit([BOTH], [["both"]] * 2, [a_list("listed", OFFICE, SHOP)], [["listed"]] * 2),
    "create": Commit([], [[]] * 2, [BOTH], [["both"], []]),
    "delete": Commit([BOTH], [["both"]] * 2, [], [[]] * 2),
    "empty": Commit([BOTH], [["both"]] * 2, [a_list("both")], [[]] * 2),
    "exchange": Commit([BOTH, a_list("new")], [["both"], []], [a_list("new", SHOP)], [[], ["new"]]),
    "where only one zone makes room": Commit(
        [BOTH, *OTHERS], [["both"], []], [a_list("new", SHOP), *OTHERS], [[], ["new"]], "standard"
    ),
}


def zone_id(number: int) -> str:
    return f"{number:x}" * 32


def write_hosts(folder: Path, service: LocalService, commit: Commit, **account: Any) -> Path:
    """Write the inventory after a commit."""
    lists = {"edge_account_id": ACCOUNT, "baseline_ip_lists": list(commit.lists_after), "baseline_purge": ["ip_lists"]}
    zones = {
        f"zone{number}": {
            "edge_zone_id": zone_id(number),
            "baseline_custom_rules": block(*names),
            "baseline_purge": True,
        }
        for number, names in enumerate(commit.zones_after, start=1)
    }
    accepted = ["empties_list", "weakens_zone"]
    groups = {"accounts": {"lima": {**lists, **account}}, "zones": zones}
    return write_inventory(folder, service, groups, baseline_accept_risks=accepted)


def seed(service: LocalService, commit: Commit) -> None:
    account = service.account(ACCOUNT)
    lists = [{"name": listed["name"], "items": listed["items"]} for listed in commit.lists]
    account.seed(type=commit.account_type, lists=lists)
    for number, names in enumerate(commit.zones, start=1):
        service.zone(zone_id(number)).seed(account_id=ACCOUNT, custom_rules=block(*names))


def play(inventory: Path, *arguments: str) -> Run:
    return ansible_playbook("-i", inventory, *arguments, PLAYBOOK)


@contextmanager
def no_writes(service: LocalService) -> Iterator[None]:
    """Fail if something was written."""
    writes = len(service.writes)
    yield
    assert len(service.writes) == writes


def predicted(run: Run) -> Mapping[str, Any]:
    """The results of all hosts in the task that predicts them."""
    (task,) = [task for task in run.tasks if "remaining" in task.result]
    hosts: Mapping[str, Any] = task.result["hosts"]
    return hosts


def results(run: Run) -> dict[str, Mapping[str, Any]]:
    """The last result of each host that got a task."""
    return {task.host: task.result for task in run.of() if "remaining" not in task.result}


def contents(service: LocalService) -> dict[str, set[str]]:
    return {each["name"]: {item["ip"] for item in each["items"]} for each in service.account(ACCOUNT).ip_lists.lists}


def contents_of(lists: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    return {listed["name"]: {item["ip"] for item in listed["items"]} for listed in lists}


@pytest.mark.parametrize("name", COMMITS)
def test_a_commit_is_one_run(name: str, tmp_path: Path, service: LocalService) -> None:
    commit = COMMITS[name]
    seed(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    plan = predicted(play(inventory, "--check").done())
    assert not service.writes
    done = results(play(inventory).done())
    for host, result in done.items():
        assert {key: result.get(key) for key in COMPARED} == {key: plan[host].get(key) for key in COMPARED}, host
    assert {host for host in plan if plan[host]["changed"]} == done.keys()
    assert contents(service) == contents_of(commit.lists_after)
    with no_writes(service):
        again = predicted(play(inventory).done())
    assert not any(result["changed"] for result in again.values())


RENAME = COMMITS["rename"]
ROOM = COMMITS["where only one zone makes room"]
NO_ROOM = "Rules still refer to both, which the plan removes. Make room by another object, or make it two runs,"


FILLED = ROOM._replace(
    lists=[BOTH, a_list("kept"), *OTHERS[1:]],
    lists_after=[a_list("kept", OFFICE), a_list("new", SHOP), *OTHERS[1:]],
    zones_after=[["kept"], ["new"]],
)
MERGED = ROOM._replace(
    lists=[a_list("both", SHOP), a_list("kept", OFFICE), *OTHERS[1:]],
    zones=[["kept", "both"], []],
    lists_after=[a_list("kept", OFFICE, SHOP), a_list("new", SHOP), *OTHERS[1:]],
    zones_after=[["kept"], ["new"]],
)
CASES_WITHOUT_ROOM: Mapping[str, Commit] = {
    "a zone needs both lists": ROOM._replace(zones_after=[["new"], []]),
    "a zone needs what a list gets": FILLED,
    "a zone counts on what its list gets": MERGED,
    "the zone is refused": ROOM,
    "the zone is outside": ROOM,
}


@pytest.mark.parametrize("case", CASES_WITHOUT_ROOM)
def test_an_account_without_room_is_refused_before_it_writes(case: str, tmp_path: Path, service: LocalService) -> None:
    commit = CASES_WITHOUT_ROOM[case]
    inventory = refused_zone(tmp_path, service, commit)
    options: Sequence[str] = ()
    if case != "the zone is refused":
        (tmp_path / "host_vars" / "zone1.yml").unlink()
    if case == "the zone is outside":
        options = ("--limit", "lima,zone2")
    plan, done = predicted(play(inventory, "--check", *options)), results(play(inventory, *options))
    assert plan["lima"]["msg"] == done["lima"]["msg"] and NO_ROOM in done["lima"]["msg"]
    assert {name: plan[name]["changed"] for name in done} == {name: done[name]["changed"] for name in done}
    assert contents(service) == contents_of(commit.lists) and not done["lima"]["changed"]
    assert not service.writes


def test_an_account_makes_nothing_if_its_zone_makes_no_room(tmp_path: Path, service: LocalService) -> None:
    seed(service, ROOM)
    inventory = write_hosts(tmp_path, service, ROOM)
    service.misbehave("status", status=403, method="DELETE", path=f"/zones/{zone_id(1)}/rulesets")
    run = play(inventory)
    assert run.code == 2 and NO_ROOM in results(run)["lima"]["msg"]
    assert contents(service) == contents_of(ROOM.lists)
    service.faults.clear()
    play(inventory).done()
    assert contents(service) == contents_of(ROOM.lists_after)


GROWN = Commit([a_list("listed", OFFICE), a_list("both", SHOP)], [["both"]] * 2, RENAME.lists_after, [["listed"]] * 2)


@pytest.mark.parametrize("commit", [RENAME, GROWN], ids=["a new list", "a list that grows"])
def test_zones_wait_for_a_list_whose_items_were_not_written(
    commit: Commit, tmp_path: Path, service: LocalService
) -> None:
    seed(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    _contents, rules_before = state_of(service, commit)
    service.misbehave("status", status=400, method="(POST|PUT)", path="/items$")
    run = play(inventory)
    done = results(run)
    assert run.code == 2 and "400" in done["lima"]["msg"], run.output
    for zone in ("zone1", "zone2"):
        assert done[zone]["msg"].startswith(
            "Rules of this zone refer to lists which its account makes or changes first"
        )
    assert state_of(service, commit)[1] == rules_before
    service.faults.clear()
    play(inventory).done()
    assert contents(service) == contents_of(commit.lists_after)


def refused_zone(tmp_path: Path, service: LocalService, commit: Commit, **variables: Any) -> Path:
    """Seed a commit; the inventory, in which the plan of zone1 is refused."""
    seed(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    host_variables = tmp_path / "host_vars"
    host_variables.mkdir()
    refusal = {"baseline_expectations": [{"description": "guest", "request": GUEST, "expect": "blocked"}], **variables}
    (host_variables / "zone1.yml").write_text(yaml.safe_dump(refusal), encoding="utf-8")
    return inventory


GUEST = {"source": "203.0.113.9", "method": "GET", "host": "shop.example", "path": "/"}


@pytest.mark.parametrize("name", ["rename", "split off"])
def test_what_a_refused_zone_refers_to_stays(name: str, tmp_path: Path, service: LocalService) -> None:
    commit = COMMITS[name]
    inventory = refused_zone(tmp_path, service, commit)
    check = play(inventory, "--check")
    plan = predicted(check)
    run = play(inventory)
    done = results(run)
    left_out = [{"host": "zone1", "resource": "ip_list", "key": "both"}]
    for account in (plan["lima"], done["lima"]):
        assert account["left_out"] == left_out, account
        assert "zone1, which failed, refer to them" in account["msg"]
    assert done["lima"]["operations"] == plan["lima"]["operations"] and done["lima"]["changed"]
    assert done["zone2"]["changed"] and not done["zone1"]["changed"]
    assert contents(service)["both"] == {OFFICE, SHOP}
    assert contents(service).keys() == {"both", *contents_of(commit.lists_after)}
    assert check.code == run.code == 2
    last_line = "3 hosts: 0 in order, 1 {}changed, 2 refused, 0 not reached."
    assert last_line.replace("{}changed", "would change") in check.output
    assert last_line.format("") in run.output
    (tmp_path / "host_vars" / "zone1.yml").unlink()
    play(inventory).done()
    assert contents(service) == contents_of(commit.lists_after)


def test_plans_that_were_approved_together_are_applied_together(tmp_path: Path, service: LocalService) -> None:
    commit = COMMITS["split off"]
    seed(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    host_variables = tmp_path / "host_vars"
    host_variables.mkdir()
    for host, result in predicted(play(inventory, "--check").done()).items():
        approval = {"baseline_expected_plan": result["plan_id"]}
        (host_variables / f"{host}.yml").write_text(yaml.safe_dump(approval), encoding="utf-8")
    play(inventory).done()
    assert contents(service) == contents_of(commit.lists_after)


def test_a_limited_run_keeps_what_zones_outside_refer_to(tmp_path: Path, service: LocalService) -> None:
    seed(service, RENAME)
    inventory = write_hosts(tmp_path, service, RENAME)
    limited = ("--limit", "lima,zone1")
    plan, run = predicted(play(inventory, "--check", *limited)), play(inventory, *limited)
    left_out = [{"host": "", "resource": "ip_list", "key": "both"}]
    assert plan["lima"]["left_out"] == results(run)["lima"]["left_out"] == left_out
    assert run.code == 2 and results(run)["zone1"]["changed"]
    assert contents(service).keys() == {"both", "listed"}
    play(inventory).done()
    assert contents(service).keys() == {"listed"}


SPLIT_OFF = COMMITS["split off"]


@pytest.mark.parametrize("skip", [0, 1], ids=["never", "only once"])
def test_what_an_unread_zone_may_refer_to_stays(skip: int, tmp_path: Path, service: LocalService) -> None:
    seed(service, SPLIT_OFF)
    inventory = write_hosts(tmp_path, service, SPLIT_OFF)
    rules = f"/zones/{zone_id(1)}/rulesets"
    service.misbehave("status", status=403, method="GET", path=rules, skip=skip)
    plan = predicted(play(inventory, "--check"))
    service.faults.clear()
    service.misbehave("status", status=403, method="GET", path=rules, skip=skip)
    run = play(inventory)
    done = results(run)
    left_out = [{"host": "zone1", "resource": "ip_list", "key": "both"}]
    assert plan["lima"]["left_out"] == done["lima"]["left_out"] == left_out
    assert done["lima"]["operations"] == plan["lima"]["operations"]
    assert done["zone2"]["changed"] and run.code == 2
    with no_writes(service):
        again = play(inventory)  # no other zone has changes, so that the account waits for none
    assert results(again)["lima"]["left_out"] == left_out and again.code == 2
    assert contents(service)["both"] == {OFFICE, SHOP}
    service.faults.clear()
    play(inventory).done()
    assert contents(service) == contents_of(SPLIT_OFF.lists_after)


def test_an_unread_zone_keeps_no_list_whose_rules_are_all_known(tmp_path: Path, service: LocalService) -> None:
    commit = SPLIT_OFF._replace(zones=[[], ["both"]], zones_after=[[], ["both", "shop"]])
    seed(service, commit)
    service.misbehave("status", status=403, method="GET", path=f"/zones/{zone_id(1)}/rulesets")
    run = play(write_hosts(tmp_path, service, commit))
    assert run.code == 2 and not results(run)["lima"].get("failed")
    assert contents(service) == contents_of(commit.lists_after)


def test_a_limited_run_keeps_the_items_of_what_zones_outside_refer_to(tmp_path: Path, service: LocalService) -> None:
    seed(service, SPLIT_OFF)
    inventory = write_hosts(tmp_path, service, SPLIT_OFF)
    limited = ("--limit", "lima,zone1")
    plan, run = predicted(play(inventory, "--check", *limited)), play(inventory, *limited)
    left_out = [{"host": "", "resource": "ip_list", "key": "both"}]
    assert plan["lima"]["left_out"] == results(run)["lima"]["left_out"] == left_out
    assert results(run)["lima"]["operations"] == plan["lima"]["operations"]
    with no_writes(service):
        again = play(inventory, *limited)
    assert results(again)["lima"]["left_out"] == left_out and run.code == again.code == 2
    assert contents(service)["both"] == {OFFICE, SHOP}
    play(inventory).done()
    assert contents(service) == contents_of(SPLIT_OFF.lists_after)


@pytest.mark.parametrize("name", ["rename", "split off"])
def test_a_run_of_the_account_alone_makes_lists_and_keeps_what_zones_outside_refer_to(
    name: str, tmp_path: Path, service: LocalService
) -> None:
    commit = COMMITS[name]
    seed(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    limited = ("--limit", "lima")
    check = results(play(inventory, "--check", *limited))["lima"]
    assert not service.writes
    run = play(inventory, *limited)
    done = results(run)["lima"]
    left_out = [{"host": "", "resource": "ip_list", "key": "both"}]
    assert check["left_out"] == done["left_out"] == left_out and run.code == 2
    assert check["operations"] == done["operations"] and done["changed"]
    assert contents(service) == {**contents_of(commit.lists_after), **contents_of(commit.lists)}
    with no_writes(service):
        again = results(play(inventory, *limited))["lima"]
    assert again["left_out"] == left_out and not again["changed"]
    play(inventory).done()
    assert contents(service) == contents_of(commit.lists_after)


def test_a_run_of_the_account_alone_removes_what_no_zone_refers_to(tmp_path: Path, service: LocalService) -> None:
    commit = Commit([BOTH, a_list("old", OFFICE)], [["both"]] * 2, [BOTH], [["both"]] * 2)
    seed(service, commit)
    play(write_hosts(tmp_path, service, commit), "--limit", "lima").done()
    assert contents(service) == contents_of(commit.lists_after)


def test_a_limited_run_with_all_zones_of_a_list_is_whole(tmp_path: Path, service: LocalService) -> None:
    commit = SPLIT_OFF._replace(zones=[["both"], []], zones_after=[["both", "shop"], []])
    seed(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    play(inventory, "--limit", "lima,zone1").done()
    assert contents(service) == contents_of(commit.lists_after)


@pytest.mark.parametrize("name", ["split off", "where only one zone makes room"])
def test_a_report_has_the_plans_of_the_run(name: str, tmp_path: Path, service: LocalService) -> None:
    commit = COMMITS[name]
    seed(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    directory = tmp_path / "report"
    ansible_playbook("-i", inventory, "-e", f"report_directory={directory}", REPORT).done()
    plans = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (directory / "plans").iterdir()}
    check = predicted(play(inventory, "--check").done())
    for host, result in check.items():
        assert (plans[host]["plan_id"], plans[host]["operations"]) == (result["plan_id"], result["operations"])
    records = json.loads((directory / "report.json").read_text(encoding="utf-8"))["hosts"]
    refused = {record["host"]: [risk["code"] for risk in record["risks"] if not risk["accepted"]] for record in records}
    assert not any(refused.values()), refused


def test_an_account_that_is_refused_writes_nothing_and_neither_do_zones_that_need_it(
    tmp_path: Path, service: LocalService
) -> None:
    names, later = [f"old{number}" for number in range(5)], [f"new{number}" for number in range(5)]
    lists, lists_after = ([a_list(name, OFFICE) for name in part] for part in (names, later))
    commit = Commit(lists, [names] * 2, lists_after, [later] * 2)
    seed(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    plan = predicted(play(inventory, "--check"))
    for options in (("--check",), ()):
        run = play(inventory, *options)
        assert run.code == 2 and "0 in order, 0 " in run.output and not service.writes, run.output
        assert "mass_deletion" in results(run)["lima"]["msg"]
        for zone in ("zone1", "zone2"):
            assert plan[zone]["msg"] == predicted(run)[zone]["msg"] and "$new0" in plan[zone]["msg"]
    write_hosts(tmp_path, service, commit, baseline_accept_risks=["mass_deletion", "empties_list"])
    play(inventory).done()
    assert contents(service) == contents_of(lists_after)


def test_a_limit_without_the_account_names_it(tmp_path: Path, service: LocalService) -> None:
    seed(service, RENAME)
    inventory = write_hosts(tmp_path, service, RENAME)
    for limited in ("zone1", "zone1,zone2", "zones"):
        run = play(inventory, "--limit", limited)
        message = results(run)["zone1"]["msg"]
        assert "The host lima describes the list listed, and is not in this run" in message
        assert results(run)["zone1"]["lacking"] == [{"resource": "ip_list", "key": "listed"}]
        assert run.code == 2
    assert not service.writes


RESTORE = REPOSITORY / "playbooks" / "restore.yml"


def state_of(service: LocalService, commit: Commit) -> tuple[Any, ...]:
    """The contents of lists, and the expressions of each zone."""
    numbers = range(1, len(commit.zones) + 1)
    rules = [[rule["expression"] for rule in service.zone(zone_id(number)).custom_rules] for number in numbers]
    return contents(service), rules


@pytest.mark.parametrize("name", COMMITS)
def test_a_restore_undoes_a_commit_in_one_run(name: str, tmp_path: Path, service: LocalService) -> None:
    commit = COMMITS[name]
    seed(service, commit)
    before = state_of(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    snapshots = ("-e", f"baseline_snapshot_directory={tmp_path}/snapshots")
    changed = results(play(inventory, *snapshots).done()).keys()
    accepted = (*ACCEPTED_IN_RESTORE, "--limit", ",".join(changed))
    to_moment = ("-e", f"restore_before={datetime.now(UTC).isoformat()}")

    def restore(*options: str) -> Run:
        return ansible_playbook("-i", inventory, *snapshots, *accepted, *options, RESTORE).done()

    with no_writes(service):
        plan = predicted(restore("-e", "restore_before=latest", "--check"))
    done = results(restore("-e", "restore_before=latest"))
    assert state_of(service, commit) == before
    assert done.keys() == changed
    for host, result in done.items():
        assert {key: result.get(key) for key in COMPARED} == {key: plan[host].get(key) for key in COMPARED}, host
    with no_writes(service):
        again = predicted(restore(*to_moment))
    assert not any(result["changed"] for result in again.values())


LEFT_OUT = [("a zone is refused", "zone1"), ("a zone is not read", "zone1"), ("a zone is outside", "")]


@pytest.mark.parametrize(("case", "user"), LEFT_OUT, ids=[case for case, _user in LEFT_OUT])
def test_a_report_says_which_list_stays_and_whose_rules_refer_to_it(
    case: str, user: str, tmp_path: Path, service: LocalService
) -> None:
    inventory = refused_zone(tmp_path, service, RENAME)
    options: Sequence[str] = ()
    if case != "a zone is refused":
        (tmp_path / "host_vars" / "zone1.yml").write_text("{}\n", encoding="utf-8")
    if case == "a zone is not read":
        service.misbehave("status", status=403, path=f"zones/{zone_id(1)}/rulesets")
    if case == "a zone is outside":
        options = ("--limit", "lima,zone2")
    left_out = results(play(inventory, *options))["lima"]["left_out"]
    assert left_out == [{"host": user, "resource": "ip_list", "key": "both"}]
    ansible_playbook("-i", inventory, *options, "-e", f"report_directory={tmp_path}", REPORT).done()
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    (record,) = (record for record in report["hosts"] if record["host"] == "lima")
    line = f"A run removes nothing of the list both, since rules of {user or 'others'} refer to it, or may do."
    assert (record["left_out"], line in record["reasons"]) == (left_out, True)
    for name in ("report.md", "report.html"):
        assert line in (tmp_path / name).read_text(encoding="utf-8"), name


ALONE = {
    "zone1": "Restore the host lima in the same run, which has the lists of the account, and which --limit leaves out.",
    "lima": "Cloudflare deletes no list that rules refer to: listed (2 rules refer to it). Change these rules first,",
}


@pytest.mark.parametrize("host", ALONE)
def test_a_restore_of_a_part_says_what_to_restore_as_well(host: str, tmp_path: Path, service: LocalService) -> None:
    seed(service, RENAME)
    inventory = write_hosts(tmp_path, service, RENAME)
    snapshots = ("-e", f"baseline_snapshot_directory={tmp_path}/snapshots")
    play(inventory, *snapshots).done()
    options = (
        *snapshots,
        "-e",
        "restore_before=latest",
        "-e",
        "{restore_accept_risks: [empties_list]}",
        "--limit",
        host,
    )
    with no_writes(service):
        message = results(ansible_playbook("-i", inventory, *options, RESTORE))[host]["msg"]
    assert ALONE[host] in message and "add restore_accept_risks" not in message


ACCEPTED_IN_RESTORE = ("-e", "{restore_accept_risks: [empties_list, weakens_zone]}")
BAD = a_list("bad", OFFICE)
WRONG = a_list("bad", OFFICE, SHOP)
ONLY_SOME: Mapping[str, Commit] = {
    "the list alone": Commit([BAD], [["bad"]] * 3, [WRONG], [["bad"]] * 3),
    "the list and one zone": Commit([BAD], [[], ["bad"], ["bad"]], [WRONG], [["bad"]] * 3),
    "a new list and one zone": Commit([BAD], [["bad"], [], []], [BAD, a_list("new", SHOP)], [["bad", "new"], [], []]),
}


@pytest.mark.parametrize("name", ONLY_SOME)
def test_a_restore_of_all_hosts_undoes_a_run_that_changed_some(
    name: str, tmp_path: Path, service: LocalService
) -> None:
    commit = ONLY_SOME[name]
    seed(service, commit)
    before = state_of(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    snapshots = ("-e", f"baseline_snapshot_directory={tmp_path}/snapshots")
    changed = results(play(inventory, *snapshots).done()).keys()
    moment = ("-e", f"restore_before={datetime.now(UTC).isoformat()}", *ACCEPTED_IN_RESTORE)

    def restore(*options: str) -> Run:
        return ansible_playbook("-i", inventory, *snapshots, *moment, *options, RESTORE)

    check = restore("--check")
    plan = predicted(check)
    run = restore()
    assert state_of(service, commit) == before
    assert check.code == run.code == 2 and "which failed" not in run.output
    done = {host: result for host, result in results(run).items() if result["changed"]}
    assert done.keys() == changed
    for host, result in done.items():
        assert {key: result.get(key) for key in COMPARED} == {key: plan[host].get(key) for key in COMPARED}, host
    with no_writes(service):
        assert not any(result["changed"] for result in predicted(restore()).values())


def test_a_restore_leaves_what_a_zone_without_a_snapshot_expects(tmp_path: Path, service: LocalService) -> None:
    commit = ONLY_SOME["the list alone"]
    seed(service, commit)
    inventory = write_hosts(tmp_path, service, commit)
    snapshots = ("-e", f"baseline_snapshot_directory={tmp_path}/snapshots")
    play(inventory, *snapshots).done()
    (tmp_path / "host_vars").mkdir()
    expected = {"description": "shop", "request": {**GUEST, "source": SHOP}, "expect": "blocked"}
    expectations = yaml.safe_dump({"baseline_expectations": [expected]})
    (tmp_path / "host_vars" / "zone1.yml").write_text(expectations, encoding="utf-8")
    run = ansible_playbook("-i", inventory, *snapshots, "-e", "restore_before=latest", *ACCEPTED_IN_RESTORE, RESTORE)
    done = results(run)
    assert "rules of zone1, which failed" in done["lima"]["msg"] and "restore_file=" in done["lima"]["msg"]
    assert "no snapshot" in done["zone1"]["msg"] and "1 expectation is not met" in done["zone1"]["msg"]
    assert contents(service) == contents_of([WRONG])
