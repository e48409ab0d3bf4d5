# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Wrong values of variables, through the playbooks: each host says which of its own is wrong, and asks nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import MAX_ERRORS
from ansible_collections.edgeops.protection.plugins.plugin_utils._attack.options import ATTACK
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    BASELINE as BASELINE_VARIABLES,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import INVENTORY
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.doctor import DOCTOR
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import VARIABLES as EXPORT
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.state_file import RESTORE
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.arguments import REPORT_OPTIONS
from ansible_collections.edgeops.protection.plugins.plugin_utils._tasks.check import EVALUATE, NOTIFY
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import ENCODER

from tests.fake_service import LocalService
from tests.support.ansible_run import PLACE, REPOSITORY, Run, ansible_playbook, without_places
from tests.support.inventories import write_inventory

ACCOUNT, ZONE = "a" * 32, "b" * 32
MANY = [{"prefx": f"192.0.{number}.0/24"} for number in range(200)]

PREFX = "prefx: there is no such field (did you mean prefix?)"

BASELINE: dict[str, tuple[dict[str, Any], str]] = {
    "kind": (
        {"baseline_prefixes": {"prefix": "192.0.2.0/24"}},
        "baseline_prefixes: it is a dictionary; write [{prefix: ...}].",
    ),
    "unknown": (
        {"baseline_rules": [{"kind": "syn_flood", "scope": "global", "moed": "enabled"}]},
        "baseline_rules[0].moed: there is no such field (did you mean mode?).",
    ),
    "choice": (
        {"baseline_rules": [{"kind": "syn_flood", "scope": "global", "mode": "enable"}]},
        "baseline_rules[0].mode: 'enable' is none of enabled, monitoring, disabled (did you mean enabled?).",
    ),
    "nested": (
        {"baseline_custom_rules": [{"ref": "a", "action_parameters": {"response": {"status_code": "no"}}}]},
        "4 errors: (1) baseline_custom_rules[0].action_parameters.response.status_code: 'no' is a text; write a whole number;"
        " (2) baseline_custom_rules[0].action_parameters.response.content: it is missing; write a text;"
        " (3) baseline_custom_rules[0].action_parameters.response.content_type: it is missing; write one of application/json, text/html, text/plain,"
        " text/xml;"
        " (4) nested has baseline_custom_rules, but no zone: set edge_zone_id (baseline_zone_id), or edge_zone_name"
        " (baseline_zone_name).",
    ),
    "unused": (  # the host is no zone with firewall rules, and the variable wrong all the same
        {"baseline_purge": ["custom_rule"]},
        "baseline_purge[0]: 'custom_rule' is none of prefixes, allowlist, rules, filters, dns_rules, ip_lists,"
        " network_firewall_rules, ddos_l4_overrides, custom_rulesets, custom_rules, rate_limit_rules, managed_rules,"
        " ddos_l7_overrides (did you mean custom_rules?).",
    ),
    "misspelt": (
        {"baseline_custom_rule": [], "basline_prefixes": [], "baseline_mine": 1, "baseline_retries": "no"},
        "3 errors: (1) baseline_custom_rule: there is no such variable (did you mean baseline_custom_rules?);"
        " (2) basline_prefixes: there is no such variable (did you mean baseline_prefixes?);"
        " (3) baseline_retries: 'no' is a text; write a whole number.",
    ),
    "booleans": (
        {
            "baseline_snapshot_keep": True,
            "baseline_snapshot_directory": True,
            "baseline_retries": True,
            "baseline_rules": [{"kind": "syn_flood", "scope": "region", "name": False}],
        },
        "4 errors: (1) baseline_rules[0].name: False is a boolean; put it in quotes;"
        " (2) baseline_retries: True is a boolean; write a whole number;"
        " (3) baseline_snapshot_directory: True is a boolean; put it in quotes;"
        " (4) baseline_snapshot_keep: True is a boolean; write a whole number.",
    ),
    "inventory": ({"edge_zone_id": [ZONE]}, "edge_zone_id: it is a list; write a text."),
    "many": (
        {"baseline_prefixes": MANY},
        f"200 errors: {'; '.join(f'({number + 1}) baseline_prefixes[{number}].{PREFX}' for number in range(50))}; and 150 more.",
    ),
    "zone": (  # of which the host has none
        {"baseline_custom_rules": [{"ref": "a", "action": "blok"}], "baseline_prefixes": [{"prefix": "192.0.2.0/33"}]},
        "3 errors: (1) baseline_custom_rules[0].action: 'blok' is none of block, challenge, js_challenge, managed_challenge,"
        " log, skip (did you mean block?);"
        " (2) zone has baseline_custom_rules, but no zone: set edge_zone_id (baseline_zone_id), or edge_zone_name"
        " (baseline_zone_name); (3) baseline_prefixes[0].prefix: '192.0.2.0/33' is not a network: /33 is too long for IPv4.",
    ),
    "postures": (  # no wrong one hides another
        {
            "baseline_postures": {
                "dawn": {"rules": [{"kind": "syn_flood", "scope": "global", "moed": "enabled"}]},
                "dusk": {"prefixes": [{"prefix": "192.0.2.0/33"}]},
            },
            "baseline_posture": [{"name": "dwan", "until": "2999-01-01"}, {"name": "dusk", "until": "soon"}],
        },
        "4 errors: (1) baseline_postures.dawn.rules[0].moed: there is no such field (did you mean mode?);"
        " (2) baseline_posture[0].name: no posture is called dwan; the postures are dusk;"
        " (3) baseline_posture[1].until: 'soon' is neither a date such as 2027-01-31 nor a time such as"
        " 2027-01-31T18:00:00+01:00; (4) baseline_postures.dusk.prefixes[0].prefix: '192.0.2.0/33' is not a network: /33 is"
        " too long for IPv4.",
    ),
    "expectations": (
        {"baseline_expectations": {"expect": "blocked"}, "baseline_prefixes": [{"prefix": "192.0.2.0/33"}]},
        "2 errors: (1) baseline_expectations: it is a dictionary; write [{expect: ...}];"
        " (2) baseline_prefixes[0].prefix: '192.0.2.0/33' is not a network: /33 is too long for IPv4.",
    ),
    "undefined": (
        {"baseline_prefixes": [{"prefix": "{{ no_such_variable }}"}, {"prefix": "192.0.2.0/33"}], "baseline_rules": 5},
        "3 errors: (1) baseline_prefixes[0].prefix: ",
    ),
}


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.account(ACCOUNT).seed(enabled=True)
    service.zone(ZONE).seed(custom_rules=[])
    return service


def run_playbook(
    name: str, folder: Path, service: LocalService, hosts: Mapping[str, Any], of_play: Mapping[str, Any] | None = None
) -> Run:
    """Run a playbook for these hosts, with variables of the command line."""
    inventory = write_inventory(folder, service, {"accounts": hosts, "zones": {}})
    extra = ("-e", json.dumps(of_play or {}))
    return ansible_playbook("-i", inventory, *extra, REPOSITORY / "playbooks" / f"{name}.yml")


def messages(run: Run) -> dict[str, str]:
    """The message of each host that failed, in a task of its own or in one for all, without places."""
    failed = [task for task in run.tasks if task.outcome == "failed"]
    results = [task.result.get("hosts") or {task.host: task.result} for task in failed]
    return {host: without_places(str(result["msg"])) for hosts in results for host, result in hosts.items()}


def test_each_host_says_which_variable_of_the_baseline_is_wrong(service: LocalService, tmp_path: Path) -> None:
    hosts = {name: {"edge_account_id": ACCOUNT, **variables} for name, (variables, _text) in BASELINE.items()}
    run = run_playbook("baseline", tmp_path, service, hosts)
    failures = messages(run)
    assert failures.keys() == BASELINE.keys()
    undefined = failures.pop("undefined")
    assert undefined.startswith(BASELINE["undefined"][1]) and undefined.endswith(
        "(2) baseline_rules: 5 is a number; write [{kind: ..., scope: ...}];"
        " (3) baseline_prefixes[1].prefix: '192.0.2.0/33' is not a network: /33 is too long for IPv4."
    )
    assert "'no_such_variable' is undefined" in undefined  # in the words of ansible-core
    assert failures == {name: text for name, (_variables, text) in BASELINE.items() if name in failures}
    assert service.calls == []


def test_the_report_says_of_each_host_why_it_is_unknown(service: LocalService, tmp_path: Path) -> None:
    hosts = {
        **{
            name: {"edge_account_id": ACCOUNT, **BASELINE[name][0]}
            for name in ("choice", "misspelt", "unused", "undefined")
        },
        "hours": {"edge_account_id": ACCOUNT, "report_traffic_hours": "all"},
        "log": {"edge_account_id": ACCOUNT, "report_changes_hours": -5},
        "hits": {"edge_account_id": ACCOUNT, "report_hits_hours": -1},
        "accepted": {"edge_account_id": ACCOUNT, "report_accepted": [{"resource": "x", "key": "y"}]},
        "right": {"edge_account_id": ACCOUNT},
    }
    run_playbook("report", tmp_path, service, hosts, {"report_directory": str(tmp_path / "report")}).done()
    records = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))["hosts"]
    unknown = [record for record in records if record["status"] == "unknown"]
    reasons = {record["host"]: without_places(" ".join(record["reasons"])) for record in unknown}
    assert reasons.keys() == hosts.keys() - {"right"}
    for name in ("choice", "misspelt", "unused", "undefined"):
        assert BASELINE[name][1] in reasons[name]
    assert "report_traffic_hours: 'all' is a text; write a number." in reasons["hours"]
    assert reasons["log"].startswith("report_changes_hours: -5 is not from 0 to 13392 (18 months)")
    assert reasons["hits"].startswith("report_hits_hours: -1 is not from 0 to 13392 (18 months)")
    assert "report_accepted[0].key: there is no such field (did you mean keys?)" in reasons["accepted"]
    assert "report_accepted[0].reason: it is missing; write a text" in reasons["accepted"]
    assert service.calls != []


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        (
            {"report_fail_on": ["drfit"]},
            "report_fail_on[0]: 'drfit' is none of unknown, unprotected, weakened, drift, ",
        ),
        ({"report_fail_on": {"a": 1}}, "report_fail_on: it is a dictionary; write a list of unknown, "),
        ({"report_directory": ["a"]}, "report_directory: it is a list; write a path."),
        ({"report_traffic_hours": "yes"}, "report_traffic_hours: 'yes' is a text; write a number."),
        ({"report_hits_hours": -1}, "report_hits_hours: -1 is not from 0 to 13392 (18 months)"),
        ({"report_mode": 0o644}, "report_mode: 420 is not text of octal digits such as '0600'; put them in quotes."),
    ],
)
def test_a_wrong_variable_of_the_report_stops_it_before_it_reads_a_host(
    variables: dict[str, Any], text: str, service: LocalService, tmp_path: Path
) -> None:
    of_play = {"report_directory": str(tmp_path / "report"), **variables}
    run = run_playbook("report", tmp_path, service, {"lima": {"edge_account_id": ACCOUNT}}, of_play)
    assert text in messages(run)["lima"]
    assert service.calls == []
    assert not (tmp_path / "report").exists()


def test_the_export_says_which_variable_is_wrong(service: LocalService, tmp_path: Path) -> None:
    wrong: dict[str, tuple[dict[str, Any], str]] = {
        "purge": ({"export_purge": "perhaps"}, "export_purge: 'perhaps' is a text; write true or false."),
        "directory": ({"export_directory": {"a": 1}}, "export_directory: it is a dictionary; write a text."),
        "number": ({"export_timeout": "long"}, "export_timeout: 'long' is a text; write a number."),
    }
    hosts = {name: {"edge_account_id": ACCOUNT, **variables} for name, (variables, _text) in wrong.items()}
    run = run_playbook("export", tmp_path, service, hosts)
    assert messages(run) == {name: text for name, (_variables, text) in wrong.items()}
    assert service.calls == []


def test_the_restore_says_which_variable_is_wrong(service: LocalService, tmp_path: Path) -> None:
    wrong: dict[str, tuple[dict[str, Any], str]] = {
        "kind": ({"restore_file": ["a"]}, "restore_file: it is a list; write a text."),
        "name": (
            {"restore_befor": "latest", "restore_leave_fields": {"a": 1}},
            "2 errors: (1) restore_befor: there is no such variable (did you mean restore_before?);"
            " (2) restore_leave_fields: it is a dictionary; write a list.",
        ),
    }
    hosts = {name: {"edge_account_id": ACCOUNT, **variables} for name, (variables, _text) in wrong.items()}
    run = run_playbook("restore", tmp_path, service, hosts)
    assert messages(run) == {name: text for name, (_variables, text) in wrong.items()}
    assert service.calls == []


def test_both_hosts_that_are_one_account_fail_with_all_that_is_wrong(service: LocalService, tmp_path: Path) -> None:
    hosts = {
        "lima": {"edge_account_id": ACCOUNT, "baseline_enabled": "perhaps"},
        "oslo": {"baseline_account_id": ACCOUNT.upper()},
        "rome": {"edge_account_id": "c" * 32},
    }
    run = run_playbook("check_inventory", tmp_path, service, hosts)
    failures = messages(run)
    message = without_places(run.tasks[0].result["msg"])
    assert message.startswith(f"2 of 3 hosts failed. lima: {failures['lima']}")
    assert failures.keys() == {"lima", "oslo"}
    assert f"lima and oslo are one: both have baseline_account_id {ACCOUNT.upper()}" in failures["oslo"]
    assert "baseline_enabled" in failures["lima"]
    assert f"oslo and lima are one: both have edge_account_id {ACCOUNT}" in failures["lima"]


def test_independent_mistakes_of_a_host_are_told_in_one_round(service: LocalService, tmp_path: Path) -> None:
    wrong_networks = [{"ref": ref, "action": "block", "expression": "ip.src in {300.1.1.1}"} for ref in "ab"]
    lima = {
        "baseline_security_level": "mdium",
        "baseline_posture": {"name": "under_atack", "until": "2999-01-01"},
        "baseline_rate_limit_rules": [{"ref": "a", "actoin": "block"}],
        "baseline_purge": ["rate_limit_rules"],
        "baseline_custom_rulesets": [{"name": "A", "rules": wrong_networks, "deploy": {"expression": "("}}],
        "baseline_limits": {"max_deletions_percent": 300},
        "report_fail_on": "drfit",
        "baselin_prefixes": [],
        "attack_hour": 4,
        "doctor_fail_on": ["unkown"],
        "notify_timeout": "long",
        "restore_befor": "latest",
        "attack_reason": "",  # as a survey leaves it
    }
    run = run_playbook(
        "check_inventory",
        tmp_path,
        service,
        {"lima": {"edge_zone_id": ZONE, **lima}, "oslo": {"edge_zone_id": "c" * 32}},
    )
    starts = (
        "baseline_security_level: 'mdium' is none of ",
        "baseline_rate_limit_rules[0].actoin: there is no such field (did you mean action?)",
        "baseline_posture.name: no posture is called under_atack",
        "baseline_limits.max_deletions_percent: ",
        "baseline_custom_rulesets[0].rules[0].expression: ",
        "baseline_custom_rulesets[0].rules[1].expression: ",
        "baseline_custom_rulesets[0].deploy.expression: ",
        "report_fail_on",
        "baselin_prefixes: there is no such variable (did you mean baseline_prefixes?)",
        "attack_hour: there is no such variable (did you mean attack_hours?)",
        "doctor_fail_on[0]: 'unkown' is none of deviation, unknown (did you mean unknown?)",
        "notify_timeout: 'long' is a text; write a whole number",
        "restore_befor: there is no such variable (did you mean restore_before?)",
    )
    (task,) = [task for task in run.tasks if task.outcome == "failed"]
    problems = sorted(task.result["hosts"]["lima"]["problems"])
    assert len(problems) == len(starts), problems
    for problem, start in zip(problems, sorted(starts), strict=True):
        assert problem.startswith(start) and problem.endswith(".")
    assert "(rule b of the ruleset A)" in " ".join(problems)


def test_a_baseline_tells_of_a_zone_that_one_host_names_by_its_domain(service: LocalService, tmp_path: Path) -> None:
    service.zone(ZONE).seed(name="shop.example")
    rules: dict[str, Any] = {"baseline_custom_rules": []}
    hosts = {"lima": {"edge_zone_name": "shop.example", **rules}, "oslo": {"edge_zone_id": ZONE, **rules}}
    run = run_playbook("baseline", tmp_path, service, hosts).done()
    assert f"both have edge_zone_id {ZONE}" in " ".join(run.output.split())


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        (
            {"evaluate_reqest": {"uri": "/"}},
            "2 errors: (1) evaluate_reqest: there is no such variable (did you mean evaluate_request?);"
            " (2) evaluate_request: it meets the rules of a zone; set edge_zone_id or edge_zone_name for this host.",
        ),
        (
            {
                "evaluate_packet": {"destination": "203.0.113", "prt": 1},
                "evaluate_reqest": {},
                "evaluate_network_firewall": "maybe",
            },
            "5 errors: (1) evaluate_reqest: there is no such variable (did you mean evaluate_request?);"
            " (2) evaluate_network_firewall: 'maybe' is a text; write true or false;"
            " (3) evaluate_packet.",
        ),
        (
            {"evaluate_request": '{"uri": "/"}'},
            '(1) evaluate_request: \'{"uri": "/"}\' is a text that holds JSON; write {key: ...};',
        ),
        (
            {"evaluate_request": {"uri": "/"}},
            "evaluate_request: it meets the rules of a zone; set edge_zone_id or edge_zone_name for this host.",
        ),
        (
            {"evaluate_packet": {"destination": "203.0.113.1"}, "edge_account_id": "abc"},
            "edge_account_id: 'abc' is not an id, which has 32 hexadecimal digits.",
        ),
        ({"evaluate_every": "ssl and not ssl"}, "(1) evaluate_every: nothing matches the expression"),
        ({"evaluate_every": "ssl"}, "evaluate_every: it meets the rules of a zone;"),
        ({}, "Nothing says what to evaluate. Set evaluate_request, evaluate_packet or evaluate_every."),
    ],
)
def test_a_wrong_question_is_told_once(
    variables: dict[str, Any], text: str, service: LocalService, tmp_path: Path
) -> None:
    run = run_playbook("evaluate", tmp_path, service, {"frankfurt": {"edge_account_id": ACCOUNT}}, variables)
    failures = messages(run)
    assert run.code == 2 and failures["frankfurt"].count(text) == 1, failures


@pytest.mark.parametrize(
    "owner", [{"edge_zone_name": "shop.example"}, {"edge_zone_id": ZONE, "edge_zone_name": "none"}]
)
def test_a_question_takes_a_zone_by_its_domain_unless_it_has_an_id(
    owner: dict[str, Any], service: LocalService, tmp_path: Path
) -> None:
    rules = [{"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}]
    service.zone(ZONE).seed(name="shop.example", plan="business", custom_rules=rules)
    run = run_playbook("evaluate", tmp_path, service, {"shop": owner}, {"evaluate_request": {"uri": "/admin"}}).done()
    assert any("'actual': 'blocked'" in str(task.result.get("msg")) for task in run.tasks)


# By playbook: variables of which one is misspelt, and the whole message.
MISSPELT: dict[str, tuple[dict[str, Any], str]] = {
    "attack": ({"attack_posture": "a", "attack_huors": 4}, "attack_hours"),
    "report": ({"report_fial_on": ["drift"]}, "report_fail_on"),
    "export": ({"export_purg": True}, "export_purge"),
    "doctor": ({"doctor_fail_no": ["unknown"]}, "doctor_fail_on"),
    "check_inventory": ({"check_sarfi": "a.sarif"}, "check_sarif"),
    "restore": ({"restore_befor": "latest"}, "restore_before"),
    "evaluate": ({"evaluate_packt": {}}, "evaluate_packet"),
    "notify": ({"notify_urls": "https://example.com"}, "notify_url"),
}


@pytest.mark.parametrize("is_prefix", [False, True])
@pytest.mark.parametrize("playbook", MISSPELT)
def test_a_misspelt_variable_of_a_playbook_stops_it(
    playbook: str, is_prefix: bool, service: LocalService, tmp_path: Path
) -> None:
    variables, meant = MISSPELT[playbook]
    name = f"{meant[:2]}{meant[3:]}" if is_prefix else next(name for name in variables if name != "attack_posture")
    of_play = {
        "report_directory": str(tmp_path / "report"),
        name: variables.get(name),
        "target": "all",
        f"{playbook}_mine": 1,
    }
    run = run_playbook(playbook, tmp_path, service, {"lima": {"edge_account_id": ACCOUNT}}, of_play)
    assert f"{name}: there is no such variable (did you mean {meant}?)" in " ".join(messages(run).values())
    assert "mine" not in str(messages(run)) and run.code == 2
    assert service.calls == []


# By playbook: the variables of its own. All but two read those of the inventory as well.
READ: dict[str, Iterable[str]] = {
    "attack": ATTACK,
    "baseline": BASELINE_VARIABLES,
    "check_inventory": ["check_sarif"],
    "doctor": DOCTOR,
    "evaluate": EVALUATE,
    "export": EXPORT,
    "notify": (*NOTIFY, "report_directory"),
    "report": REPORT_OPTIONS,
    "restore": RESTORE,
}


@pytest.mark.parametrize("playbook", READ)
def test_a_playbook_refuses_each_variable_that_is_an_undefined_template(
    playbook: str, service: LocalService, tmp_path: Path
) -> None:
    report = tmp_path / "report" / "report.json"  # it says why a host is unknown
    of_inventory = [] if playbook in ("check_inventory", "notify") else list(INVENTORY.values())
    own = list(READ[playbook])
    parts = [own[first : first + MAX_ERRORS] for first in range(0, len(own), MAX_ERRORS)]
    for names in filter(None, (*parts, of_inventory)):
        undefined = dict.fromkeys(names, "{{ nosuch }}")
        of_play = {"target": "all", "report_directory": str(report.parent), **undefined}
        run = run_playbook(playbook, tmp_path, service, {"lima": {}}, of_play)
        text = str(messages(run)) + (report.read_text(encoding="utf-8") if report.exists() else "")
        told = [name for name in names if re.search(rf"\b{name}: [^;]*'nosuch' is undefined", text)]
        assert told == names
    assert service.calls == []


# By playbook: variables of its own and of the host, each with a mistake, and the beginning of each sentence.
BOTH: dict[str, tuple[dict[str, Any], list[str]]] = {
    "doctor": (
        {
            "doctor_fail_on": ["unkown"],
            "baseline_timeout": 0,
            "baseline_retries": "many",
            "edge_base_url": "http://192.0.2.1",
        },
        [
            "doctor_fail_on[0]: 'unkown'",
            "edge_base_url: it must be https",
            "baseline_timeout: 0 is no number of at least 0.1",
            "baseline_retries: 'many' is a text",
        ],
    ),
    "attack": (
        {
            "attack_block": {"networks": ["192.0.2.7", "198.51.100.0/24"]},
            "attack_hours": 0,
            "attack_all": True,
            "baseline_prefixes": [{"prefix": "192.0.2.0/24"}],
            "baseline_allowlist": [{"prefix": "198.51.100.7"}, "x"],
        },
        [
            "attack_hours: 0 is less than a minute",
            "attack_block.networks[0]: 192.0.2.7 has addresses of 192.0.2.0/24, your own in baseline_prefixes",
            "attack_block.networks[1]: 198.51.100.0/24 has addresses of 198.51.100.7, your own in baseline_allowlist",
            "baseline_allowlist[1]: 'x' is a text; write {prefix: x}",
        ],
    ),
    "evaluate": (
        {"evaluate_packet": {"destination": "{{ nosuch }}", "prt": 1}, "evaluate_network_firewall": "maybe"},
        [
            "evaluate_packet.destination: 'nosuch' is undefined",
            "evaluate_network_firewall: 'maybe' is a text",
            "evaluate_packet.prt: there is no such field",
        ],
    ),
    "export": (
        {"export_purge": "{{ nosuch }}", "export_timeout": "long", "edge_zone_id": "{{ nosuch }}"},
        [
            "export_purge: 'nosuch' is undefined",
            "export_timeout: 'long' is a text",
            "edge_zone_id: 'nosuch' is undefined",
        ],
    ),
    "restore": (
        {"restore_leave_fields": ["a", "{{ nosuch }}"], "restore_before": "often"},
        ["restore_leave_fields[1]: 'nosuch' is undefined", "restore_before: 'often'"],
    ),
    "check_inventory": (
        {"check_sarif": "{{ nosuch }}", "check_sarfi": "x"},
        ["check_sarif: 'nosuch' is undefined", "check_sarfi: there is no such variable (did you mean check_sarif?)"],
    ),
}


@pytest.mark.parametrize("playbook", BOTH)
def test_mistakes_of_a_playbook_and_of_the_host_are_told_together(
    playbook: str, service: LocalService, tmp_path: Path
) -> None:
    variables, starts = BOTH[playbook]
    run = run_playbook(playbook, tmp_path, service, {"lima": {"edge_account_id": ACCOUNT, **variables}})
    message = messages(run)["lima"]
    assert message.startswith(f"{len(starts)} errors: ")
    assert all(f") {start}" in message for start in starts), message
    assert service.calls == []


PLACES = """\
accounts:
  hosts:
    lima:
      ansible_connection: local
      edge_account_id: {account}
      edge_api_token: {token}
      edge_base_url: {url}
      baseline_enabled: perhaps
      baseline_prefixes:
        - 192.0.2.0/24
        - prefix: x
        - prefx: 203.0.113.0/24
      baseline_allowlist: "{{{{ known }}}}"
      known:
        - prefix: 300.1.1.1
      baseline_rules:
        - {{kind: syn_flood, scope: global, mode: off}}
      baseline_source: {{account_id: cccc, zone_id: dddd, incomplete: [rules]}}
"""
PLACED = [
    ("baseline_enabled: 'perhaps' is a text; write true or false", "hosts.yml:8"),
    ("baseline_source.account_id: the export is of another account: that of the file is cccc, and that of lima", ":18"),
    ("baseline_rules[0].mode: False is none of enabled, monitoring, disabled", "hosts.yml:17"),
    ("baseline_prefixes[0]: '192.0.2.0/24' is a text; write {prefix: 192.0.2.0/24}", "hosts.yml:10"),
    ("baseline_prefixes[2].prefx: there is no such field (did you mean prefix?)", "hosts.yml:12"),
    ("baseline_timeout: 'long' is a text; write a number", "on the command line"),
    ("baseline_prefixes[1].prefix: 'x' is not a network", "hosts.yml:11"),
    ("baseline_allowlist[0].prefix: '300.1.1.1' is not a network", "hosts.yml:13"),  # of the template
]


@pytest.mark.parametrize("playbook", ["baseline", "check_inventory", "report"])
def test_each_mistake_names_the_file_and_the_line_of_its_value(
    playbook: str, service: LocalService, tmp_path: Path
) -> None:
    """Before 2.19 ansible-core knows none of them, so that no message names one."""
    inventory = tmp_path / "hosts.yml"
    text = PLACES.format(account=ACCOUNT, token=service.token, url=service.base_url)
    inventory.write_text(text, encoding="utf-8")
    extra = ("-e", json.dumps({"baseline_timeout": "long", "report_directory": str(tmp_path)}))
    run = ansible_playbook("-i", inventory, *extra, REPOSITORY / "playbooks" / f"{playbook}.yml", directory=tmp_path)
    printed = str([task.result for task in run.tasks])
    if playbook == "report":
        printed = (tmp_path / "report.json").read_text(encoding="utf-8")
    for problem, place in PLACED:
        told = printed.replace("\\'", "'").partition(problem)[2]
        found = PLACE.search(told)
        assert (found and found[1].endswith(place)) if ENCODER else (told and not found), problem
    assert service.token not in printed
    assert service.calls == []


def test_a_key_that_occurs_twice_ends_the_run_with_the_configuration_of_the_example(
    service: LocalService, tmp_path: Path
) -> None:
    inventory = write_inventory(tmp_path, service, {"accounts": {"lima": {"edge_account_id": ACCOUNT}}})
    (tmp_path / "host_vars").mkdir()
    prefixes = "baseline_prefixes: []\n"
    (tmp_path / "host_vars" / "lima.yml").write_text(2 * prefixes, encoding="utf-8")
    example = {"ANSIBLE_CONFIG": str(REPOSITORY / "examples" / "ansible.cfg")}
    check = REPOSITORY / "playbooks" / "check_inventory.yml"
    run = ansible_playbook("-i", inventory, check, environment=example)
    assert run.code and re.search("duplicate (mapping|dict) key", run.output), run.output
    (tmp_path / "host_vars" / "lima.yml").write_text(prefixes, encoding="utf-8")
    run = ansible_playbook("-i", inventory, check, environment=example).done()
    assert "1 host was checked; none has a mistake." in run.output


@pytest.mark.parametrize("template", ["{{ shared + nosuch }}", "{{ shared + inner }}", "{{ nosuch + shared }}"])
def test_an_undefined_name_inside_of_an_expression_is_named(
    template: str, service: LocalService, tmp_path: Path
) -> None:
    variables = {
        "shared": [{"prefix": "192.0.2.0/24"}],
        "inner": "{{ shared + nosuch }}",
        "baseline_prefixes": template,
    }
    run = run_playbook("baseline", tmp_path, service, {"lima": {"edge_account_id": ACCOUNT}}, variables)
    assert "baseline_prefixes: 'nosuch' is undefined" in " ".join(messages(run).values())
    assert service.calls == []
