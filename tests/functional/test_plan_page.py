# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan page of pull requests over the local service: its first line, its label, and its parts in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import report_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import write_files
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.plan_document import (
    Base,
    PlanDocument,
    plan_document,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.plan_files import plan_files, read_base
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.plan_findings import sarif_of_plans
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.plan_page import LONGEST_PLAN_PAGE, plan_page
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.plan_words import plan_lead
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import HostRecord

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import EXECUTED, L7, override
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.report_schema import validate_plan, validate_sarif
from tests.support.reported_host import NOW, predicted

ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
LOGIN = {"ref": "login", "action": "managed_challenge", "expression": 'http.request.uri.path eq "/login"'}
SHOP = {"ref": "shop", "action": "block", "expression": 'http.request.uri.path eq "/shop"'}
LOG = {**SHOP, "action": "log"}
CURRENT = {"ruleset": "current"}
SKIP = {"ref": "partner", "action": "skip", "expression": "ip.src in {203.0.113.0/24}", "action_parameters": CURRENT}
HALF = "ip.src in {203.0.113.0/25}"
NARROW = {**ADMIN, "expression": f"{ADMIN['expression']} and {HALF}"}
SPLIT = [
    {**ADMIN, "expression": f'{ADMIN["expression"]} and http.request.method eq "GET"'},
    {**ADMIN, "ref": "rest", "expression": f'{ADMIN["expression"]} and http.request.method ne "GET"'},
]
NEVER = {"ref": "never", "action": "block", "expression": 'http.host eq "a.example" and http.host eq "b.example"'}
DEAD = {"ref": "dead", "action": "block", "expression": 'http.request.uri.path eq "/admin" and ip.src eq 192.0.2.7'}
COUNTING: dict[str, Any] = {
    "characteristics": ["ip.src", "cf.colo.id"],
    "period": 60,
    "requests_per_period": 10,
    "mitigation_timeout": 60,
}
LIMIT = {"ref": "often", "action": "block", "expression": LOGIN["expression"], "ratelimit": COUNTING}
LOOSE = {**LIMIT, "ratelimit": {**COUNTING, "requests_per_period": 100}}
NONE, PASSES = "needs approval: none", "needs approval: passes traffic"
REFUSED = "needs approval: refused"
EXEMPT = "needs approval: skip, exception or override changed"
ONE_CHANGES = "1 of 1 host changes."
BLOCKED = "On 1 host requests pass that are blocked today."
CHALLENGED = "On 1 host requests pass that are challenged (managed_challenge) today."
TRAFFIC, OPERATIONS, BY_HAND = "What becomes of traffic", "Operations", "Changed by hand"
MISSING, DEAD_THEN, REFUSED_PART = "No longer described", "Cannot work then", "Refused"
ACCEPTED = "Accepted"
SPLIT_NARROW = [{**rule, "expression": f"{rule['expression']} and {HALF}"} for rule in SPLIT]
SHOP_ADMIN = {**ADMIN, "expression": f"{ADMIN['expression']} or {SHOP['expression']}"}
BAD = {"name": "bad", "items": [{"ip": "203.0.113.7"}, {"ip": "203.0.113.9"}]}
LESS_BAD = {**BAD, "items": [{"ip": "203.0.113.7"}]}
FROM_BAD = {"ref": "bad", "action": "block", "expression": "ip.src in $bad"}
ITEM_LESS = {"baseline_custom_rules": [FROM_BAD], "baseline_ip_lists": [{**LESS_BAD, "purge": True}]}
NO_ITEM_LESS = {**ITEM_LESS, "baseline_ip_lists": [BAD]}
PACKETS = {"ref": "shops", "action": "block", "expression": "ip.src in {192.0.2.0/24}"}
UPLOAD = {"ref": "upload", "action": "block", "expression": "true", "sensitivity": "medium"}
EXISTING_UPLOAD = override("upload", "true", L7, action="block", sensitivity_level="medium")
DEPLOYED = {"ref": "managed", **EXECUTED}
STRICT: dict[str, Any] = {"baseline_accept_risks": []}
EXPECTED = [{"request": {"path": "/admin", "source": "192.0.2.1"}, "expect": "blocked", "description": "admin"}]


NO_VARIABLES: Mapping[str, Any] = {}


class Request(NamedTuple):
    """A pull request: what exists, what the base branch describes, what the branch describes, and what its page says.

    A list has the objects of the collection `of`; `lists` are the lists that exist.
    """

    existing: list[Any]
    base: Any
    branch: Any
    lead: str
    label: str
    parts: list[str]
    variables: Mapping[str, Any] = NO_VARIABLES
    of: str = "custom_rules"
    lists: Sequence[Any] = ()


REQUESTS = {
    "nothing": Request([ADMIN], [ADMIN], [ADMIN], "0 of 1 host changes.", NONE, []),
    "a new block": Request([ADMIN], [ADMIN], [ADMIN, SHOP], ONE_CHANGES, NONE, [TRAFFIC, OPERATIONS]),
    "a rule that logs": Request([ADMIN], [ADMIN], [ADMIN, LOG], ONE_CHANGES, NONE, [TRAFFIC, OPERATIONS]),
    "a rule in two": Request([ADMIN], [ADMIN], SPLIT, ONE_CHANGES, NONE, [TRAFFIC, OPERATIONS]),
    "a narrowed block": Request(
        [ADMIN], [ADMIN], [NARROW], f"{ONE_CHANGES} {BLOCKED}", PASSES, [TRAFFIC, OPERATIONS]
    ),
    "a skip in front": Request(
        [ADMIN], [ADMIN], [{**SKIP, "position": "first"}, ADMIN],
        f"{ONE_CHANGES} {BLOCKED}", PASSES, [TRAFFIC, OPERATIONS],
    ),
    "a skip behind all": Request(
        [ADMIN], [ADMIN], [ADMIN, SKIP], ONE_CHANGES, EXEMPT, [TRAFFIC, OPERATIONS]
    ),
    "a block that logs": Request(
        [SHOP], [SHOP], [LOG], f"{ONE_CHANGES} {BLOCKED}", PASSES, [TRAFFIC, ACCEPTED, OPERATIONS]
    ),
    "a block that is refused to log": Request(
        [SHOP], [SHOP], [LOG], f"{ONE_CHANGES} {BLOCKED} 1 change is refused on 1 host.", PASSES,
        [TRAFFIC, REFUSED_PART, OPERATIONS], STRICT,
    ),
    "a block that challenges": Request(
        [ADMIN], [ADMIN], [{**ADMIN, "action": "managed_challenge"}],
        f"{ONE_CHANGES} On 1 host requests are challenged that are blocked today.", EXEMPT, [TRAFFIC, OPERATIONS],
    ),
    "a challenge that is off": Request(
        [LOGIN], [LOGIN], [{**LOGIN, "enabled": False}], f"{ONE_CHANGES} {CHALLENGED}", PASSES,
        [TRAFFIC, ACCEPTED, OPERATIONS],
    ),
    "a rule that nobody names any more": Request(
        [ADMIN, SHOP], [ADMIN, SHOP], [ADMIN], "0 of 1 host changes.", NONE, [MISSING]
    ),
    "a rule that is purged": Request(
        [ADMIN, SHOP], [ADMIN, SHOP], [ADMIN], f"{ONE_CHANGES} {BLOCKED}", PASSES,
        [TRAFFIC, OPERATIONS], {"baseline_purge": ["custom_rules"]},
    ),
    "a rule that never matches": Request(
        [ADMIN], [ADMIN], [ADMIN, NEVER], ONE_CHANGES, NONE, [TRAFFIC, OPERATIONS, DEAD_THEN]
    ),
    "a rule behind a wider one": Request(
        [ADMIN], [ADMIN], [ADMIN, DEAD], ONE_CHANGES, NONE, [TRAFFIC, OPERATIONS, DEAD_THEN]
    ),
    "drift beside it": Request(
        [NARROW], [ADMIN], [ADMIN, SHOP], f"{ONE_CHANGES} The run would undo 1 change by hand.", NONE,
        [TRAFFIC, OPERATIONS, BY_HAND],
    ),
    "drift alone": Request(
        [NARROW], [ADMIN], [ADMIN], "0 of 1 host changes. The run would undo 1 change by hand.", NONE,
        [TRAFFIC, BY_HAND],
    ),
    "drift that is undone and opens": Request(
        [ADMIN], [NARROW], [NARROW], f"0 of 1 host changes. {BLOCKED} The run would undo 1 change by hand.", PASSES,
        [TRAFFIC, BY_HAND],
    ),
    "a looser rate limit": Request(
        [LIMIT], [LIMIT], [LOOSE], f"{ONE_CHANGES} On 1 host requests are limited less.", EXEMPT,
        [TRAFFIC, ACCEPTED, OPERATIONS], of="rate_limit_rules",
    ),
    "a looser rate limit that is refused": Request(
        [LIMIT], [LIMIT], [LOOSE],
        f"{ONE_CHANGES} On 1 host requests are limited less. 1 change is refused on 1 host.", REFUSED,
        [TRAFFIC, REFUSED_PART, OPERATIONS], STRICT, "rate_limit_rules",
    ),
    "an expectation that fails": Request(
        [ADMIN], [ADMIN], [NARROW], f"{ONE_CHANGES} {BLOCKED} 1 change is refused on 1 host.", PASSES,
        [TRAFFIC, REFUSED_PART, OPERATIONS], {"baseline_expectations": EXPECTED},
    ),
    "a change beside one by hand": Request(
        [{**ADMIN, "enabled": False}], [ADMIN], [SHOP_ADMIN], f"{ONE_CHANGES} The run would undo 1 change by hand.", NONE,
        [TRAFFIC, OPERATIONS, BY_HAND],
    ),
    "a change of what was deleted by hand": Request(
        [], [ADMIN], [SHOP_ADMIN], f"{ONE_CHANGES} The run would undo 1 change by hand.", NONE,
        [TRAFFIC, OPERATIONS, BY_HAND],
    ),
    "another value than the one set by hand": Request(
        [NARROW], [ADMIN], [SHOP_ADMIN], f"{ONE_CHANGES} The run would undo 1 change by hand.", NONE,
        [TRAFFIC, OPERATIONS, BY_HAND],
    ),
    "another ref": Request(
        [ADMIN], [ADMIN], [{**ADMIN, "ref": "office"}], ONE_CHANGES, NONE, [TRAFFIC, OPERATIONS],
        {"baseline_purge": ["custom_rules"]},
    ),
    "a hole by two rules": Request(
        SPLIT, SPLIT, SPLIT_NARROW, f"{ONE_CHANGES} {BLOCKED}", PASSES, [TRAFFIC, OPERATIONS]
    ),
    "a skip from an office to a browser": Request(
        [SKIP, ADMIN], [SKIP, ADMIN], [{**SKIP, "expression": 'http.user_agent contains "Firefox"'}, ADMIN],
        f"{ONE_CHANGES} {BLOCKED}", PASSES, [TRAFFIC, OPERATIONS],
    ),
    "an item that a list of a block loses": Request(
        [FROM_BAD], NO_ITEM_LESS, ITEM_LESS, f"{ONE_CHANGES} {BLOCKED}", PASSES, [TRAFFIC, OPERATIONS], lists=[BAD]
    ),
    "an item that a list of a block gains": Request(
        [FROM_BAD], ITEM_LESS, NO_ITEM_LESS, ONE_CHANGES, NONE, [TRAFFIC, OPERATIONS], lists=[LESS_BAD]
    ),
    "fewer packets": Request(
        [PACKETS], [PACKETS], [{**PACKETS, "expression": "ip.src in {192.0.2.0/25}"}],
        f"{ONE_CHANGES} On 1 host packets pass that are blocked today.", PASSES, [TRAFFIC, OPERATIONS],
        of="network_firewall_rules",
    ),
    "a lower sensitivity": Request(
        [EXISTING_UPLOAD], [UPLOAD], [{**UPLOAD, "sensitivity": "low"}],
        f"{ONE_CHANGES} On 1 host requests meet weaker managed DDoS rules.", EXEMPT, [TRAFFIC, ACCEPTED, OPERATIONS],
        of="ddos_l7_overrides",
    ),
    "an exception from managed rules": Request(
        [DEPLOYED], [DEPLOYED], [{**SKIP, "ref": "spared", "position": "first"}, DEPLOYED],
        f"{ONE_CHANGES} On 1 host requests meet fewer or weaker managed rules.", EXEMPT, [TRAFFIC, ACCEPTED, OPERATIONS],
        of="managed_rules",
    ),
    "a mistake": Request(
        [ADMIN], [ADMIN], [{**ADMIN, "expression": "ip.src eq"}], "0 of 1 host changes. 1 host cannot be planned.",
        REFUSED, [REFUSED_PART],
    ),
}  # fmt: skip


def seed(service: LocalService, request: Request) -> None:
    account, zone = service.account(ACCOUNT).seed(lists=request.lists), service.zone(ZONE).seed(account_id=ACCOUNT)
    owner = account if request.of == "network_firewall_rules" else zone
    owner.seed(**{request.of: request.existing})


def record_of(service: LocalService, request: Request, described: Any) -> HostRecord:
    variables = {f"baseline_{request.of}": described} if isinstance(described, list) else described
    return predicted(service, **variables, **request.variables)


def based_on(*records: HostRecord) -> Base:
    return Base(NOW.isoformat(), {record["host"]: record for record in records})


def document_of(record: HostRecord, *base: HostRecord) -> PlanDocument:
    document = plan_document(NOW.isoformat(), [record], based_on(*base) if base else Base(), {record["host"]})
    validate_plan(document)
    return document


def titles(page: str) -> list[str]:
    return [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")]


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_pull_request_has_its_first_line_its_label_and_its_parts(service: LocalService, request_: Request) -> None:
    seed(service, request_)
    base = record_of(service, request_, request_.base)
    document = document_of(record_of(service, request_, request_.branch), base)
    page = plan_page(document)
    first, _empty, label, *_others = page.splitlines()
    assert (plan_lead(document), label, titles(page)) == (request_.lead, f"Label: {request_.label}", request_.parts)
    assert first.replace("\\", "") == request_.lead
    for word in ("weakened", "drift", "baseline", "in order"):
        assert word not in page.lower().replace("baseline\\_", "").replace("baseline_", "")


@pytest.mark.parametrize("acceptances", [[], ["disables_protection"]], ids=["refused", "accepted"])
def test_less_protection_of_an_account_is_told_and_needs_approval_also_if_it_is_accepted(
    acceptances: list[str], service: LocalService
) -> None:
    service.account(ACCOUNT).seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}])
    variables = {"baseline_prefixes": [{"prefix": "192.0.2.0/24"}], "baseline_accept_risks": acceptances}
    base = predicted(service, baseline_enabled=True, **variables)
    document = document_of(predicted(service, baseline_enabled=False, **variables), base)
    refused = "" if acceptances else " 1 change is refused on 1 host."
    assert plan_lead(document) == f"{ONE_CHANGES} On 1 host less of an attack is stopped.{refused}"
    assert (document["label"], document["passes"]) == (PASSES, 1)
    assert "is treated differently" not in plan_page(document)


def test_an_object_that_both_branches_change_has_the_values_of_each(service: LocalService) -> None:
    service.zone(ZONE).seed(custom_rules=[{**NARROW, "enabled": False}])
    base = predicted(service, baseline_custom_rules=[ADMIN])
    document = document_of(predicted(service, baseline_custom_rules=[SHOP_ADMIN]), base)
    (operation,), (by_hand,) = document["changes"][0]["operations"], document["by_hand"]
    expression = "expression"
    assert (operation["before"], operation["fields"]) == (
        {expression: ADMIN[expression]},
        {expression: SHOP_ADMIN[expression]},
    )
    before = {expression: NARROW[expression], "enabled": False}
    assert by_hand["operation"]["before"] == before
    assert by_hand["operation"]["fields"] == {expression: ADMIN[expression], "enabled": True}


def test_a_change_of_forty_zones_by_a_variable_of_their_group_is_one_line(service: LocalService) -> None:
    service.zone(ZONE).seed(custom_rules=[SHOP])
    base = predicted(service, baseline_custom_rules=[SHOP])
    record = predicted(service, baseline_custom_rules=[LOG], **STRICT)
    hosts: list[Any] = [{**record, "host": f"zone{number}.example"} for number in range(40)]
    formers: list[Any] = [{**base, "host": host["host"]} for host in hosts]
    document = plan_document(NOW.isoformat(), hosts, based_on(*formers), {host["host"] for host in hosts})
    validate_plan(document)
    page = plan_page(document)
    assert plan_lead(document) == (
        "40 of 40 hosts change. On 40 hosts requests pass that are blocked today. 1 change is refused on 40 hosts."
    )
    assert titles(page) == [TRAFFIC, REFUSED_PART, OPERATIONS]
    assert [line.startswith("- ") for line in page.splitlines()].count(True) == 3


PASSING, LOOSENED = ("traffic/passes", "warning"), ("risk/weakens_rate_limits", "error")
FINDINGS: dict[str, list[tuple[str, str]]] = {
    "nothing": [],
    "a new block": [],
    "a narrowed block": [PASSING],
    "a skip in front": [PASSING],
    "a block that logs": [PASSING],
    "a block that is refused to log": [("risk/weakens_zone", "error"), PASSING],
    "a block that challenges": [],
    "a rule that never matches": [("ineffective/never", "warning")],
    "a rule behind a wider one": [("ineffective/shadowed", "warning")],
    "drift beside it": [],
    "a looser rate limit": [],
    "a looser rate limit that is refused": [LOOSENED],
    "an expectation that fails": [("expectation", "error"), PASSING],
    "a hole by two rules": [PASSING],
    "an item that a list of a block loses": [PASSING],
    "fewer packets": [PASSING],
    "a mistake": [("unknown", "error")],
}


@pytest.mark.parametrize("name", FINDINGS)
def test_the_findings_of_a_pull_request_are_those_of_its_page(name: str, service: LocalService) -> None:
    request = REQUESTS[name]
    seed(service, request)
    base = record_of(service, request, request.base)
    record = record_of(service, request, request.branch)
    log = sarif_of_plans([record], based_on(base))
    validate_sarif(log)
    (run,) = log["runs"]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == FINDINGS[name]
    page = plan_page(document_of(record, base)).replace("\\", "").replace("`", "")
    for result in run["results"]:
        assert result["message"]["text"].replace("`", "") in page


def test_equal_findings_of_hosts_with_files_of_their_own_are_at_the_line_of_each(service: LocalService) -> None:
    service.zone(ZONE).seed(custom_rules=[SHOP])
    record: Any = predicted(service, baseline_custom_rules=[LOG])
    records: list[Any] = []
    for host in ("lima", "oslo"):
        changed = [{**item, "place": f"host_vars/{host}.yml:7"} for item in record["planned"]["changed"]]
        records.append({**record, "host": host, "planned": {**record["planned"], "changed": changed}})
    wrong = predicted(service, baseline_custom_rules=[{**ADMIN, "expression": "ip.src eq"}])
    log = sarif_of_plans([*records, wrong], Base())
    validate_sarif(log)
    (run,) = log["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert [place["artifactLocation"]["uri"] for place in places] == [
        "host_vars/lima.yml",
        "host_vars/oslo.yml",
        "inventory",
    ]
    assert [place["region"]["startLine"] for place in places] == [7, 7, 1]
    assert run["results"][-1]["ruleId"] == "unknown"


def test_equal_changes_of_many_hosts_are_said_once_and_the_page_fits_into_a_comment(service: LocalService) -> None:
    service.zone(ZONE).seed(custom_rules=[ADMIN, *({**SHOP, "ref": f"shop{number}"} for number in range(40))])
    record = predicted(service, baseline_custom_rules=[NARROW], baseline_purge=["custom_rules"])
    hosts: list[Any] = [{**record, "host": f"shop{number}.example"} for number in range(1000)]
    for number in range(0, 1000, 2):
        operations = [{**record["operations"][0], "key": f"only{number}", "name": f"{number} {'x' * 300}"}]
        hosts[number] = {**hosts[number], "operations": operations}
    document = plan_document(NOW.isoformat(), hosts, Base(), {host["host"] for host in hosts})
    validate_plan(document)
    page = plan_page(document)
    assert len(page.encode()) <= LONGEST_PLAN_PAGE
    assert plan_lead(document).startswith(
        "1000 of 1000 hosts change. On 1000 hosts requests pass that are blocked today."
    )
    assert page.count("Requests pass that are blocked today: GET https://") <= 2
    assert "500 hosts: shop1" in page
    assert "more lines, in plan.json" in page
    assert titles(page) == [TRAFFIC, ACCEPTED, OPERATIONS, BY_HAND]


def test_a_host_that_cannot_be_planned_has_its_reason_and_one_that_is_gone_is_named(service: LocalService) -> None:
    service.zone(ZONE).seed(custom_rules=[ADMIN])
    record = predicted(service, baseline_custom_rules=[ADMIN])
    wrong = predicted(service, baseline_custom_rules=[{**ADMIN, "expression": "ip.src eq"}])
    gone: Any = {**record, "host": "oslo"}
    page = plan_page(document_of(wrong, record, gone))
    assert page.startswith("0 of 1 host changes. 1 host cannot be planned.\n\nLabel: needs approval: refused\n")
    assert titles(page) == [REFUSED_PART, MISSING]
    assert "- cannot be planned: " in page
    assert "Host `oslo`: nothing compares it from now on" in page


def test_an_acceptance_to_copy_is_on_the_page_and_an_accepted_risk_has_its_reason(service: LocalService) -> None:
    service.zone(ZONE).seed(custom_rules=[SHOP])
    refused = document_of(predicted(service, baseline_custom_rules=[LOG], **STRICT))
    (risk,) = refused["changes"][0]["risks"]
    (acceptance,) = risk["accept"]
    assert f"If this is meant, accept it: `{acceptance}`" in plan_page(refused)
    loaded = {**yaml.safe_load(acceptance), "reason": "OPS-7", "expires": "2027-01-01"}
    accepted = plan_page(document_of(predicted(service, baseline_custom_rules=[LOG], baseline_accept_risks=[loaded])))
    assert "`weakens_zone`" in accepted
    assert "Accepted until 2027-01-02 00:00 UTC: OPS-7." in accepted


@pytest.mark.parametrize("acceptances", [[], ["weakens_zone"]], ids=["refused", "accepted"])
def test_a_risk_of_a_plan_that_fails_an_expectation_is_refused_if_nobody_accepts_it(
    acceptances: list[str], service: LocalService
) -> None:
    service.zone(ZONE).seed(custom_rules=[SHOP])
    variables = {"baseline_accept_risks": acceptances, "baseline_expectations": EXPECTED}
    document = document_of(predicted(service, baseline_custom_rules=[LOG], **variables))
    (risk,) = document["changes"][0]["risks"]
    assert risk["accepted"] is bool(acceptances)
    assert [ACCEPTED in titles(plan_page(document)), risk["code"]] == [bool(acceptances), "weakens_zone"]


def test_without_a_report_of_the_base_branch_the_page_says_so(service: LocalService, tmp_path: Path) -> None:
    service.zone(ZONE).seed(custom_rules=[])
    record = predicted(service, baseline_custom_rules=[ADMIN])
    assert "No report of the base branch was given" in plan_page(document_of(record)).replace("\\", "")
    base = read_base(str(tmp_path), NOW.isoformat())
    document = plan_document(NOW.isoformat(), [record], base, {"lima"})
    assert "cannot be read" in plan_page(document)
    assert (document["base"], document["hosts_changed"]) == (None, 1)


def test_an_object_that_differs_since_somebody_changed_it_is_told_with_who_and_when(service: LocalService) -> None:
    service.zone(ZONE).seed(custom_rules=[NARROW])
    record = predicted(service, baseline_custom_rules=[ADMIN])
    text = "Custom rule admin: changed by ada@example.com with the dashboard at 2026-11-20T08:00:00Z."
    change: Any = {"resource": "custom_rule", "key": "admin", "text": text, "by": "ada", "how": "x", "at": "y"}
    page = plan_page(document_of({**record, "changes": [change]}, record))
    assert "changed by ada" in page.split("## Changed by hand")[1]


def test_the_files_of_a_plan_page_go_with_a_report_that_is_not_asked_for_it(
    service: LocalService, tmp_path: Path
) -> None:
    service.zone(ZONE).seed(custom_rules=[])
    record = predicted(service, baseline_custom_rules=[ADMIN])
    report = report_of([record], NOW.isoformat())
    texts = plan_files(NOW.isoformat(), [record], Base(), {"lima"}).texts
    write_files(report, tmp_path, 0o600, False, texts)
    assert {path.name for path in tmp_path.glob("plan.*")} == {"plan.json", "plan.md", "plan.sarif"}
    write_files(report, tmp_path, 0o600, False)
    assert not [*tmp_path.glob("plan.*")]
