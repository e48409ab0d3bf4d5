# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What Cloudflare itself changes between two reports: managed rules, their rulesets, announcements. Each change is told once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import report_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import html_page, json_text, read_report
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.markdown import markdown_page
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.moved import FormerReport
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.news import NewsTerms, news_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import HostRecord, moved_lines

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import MANAGED
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.reported_host import NOW, assessed, compared

RULE = "5de7edfa648c4d6891dc3e7f84534ffa"
NIGHT = NOW.isoformat()
NEW_RULE = "0b2b1f2c8f5f4a2f8f9f2f3f4f5f6f7f"
NET, LAB = "192.0.2.0/24", "198.51.100.0/24"
NO_FORMER = "Whether Cloudflare has changed Cloudflare Managed Ruleset is not known"


def deployment(**overrides: Any) -> dict[str, Any]:
    parameters = {"id": MANAGED, **({"overrides": overrides} if overrides else {})}
    return {"ref": "managed", "action": "execute", "expression": "true", "action_parameters": parameters}


def managed_rule(identity: str = RULE, **fields: Any) -> dict[str, Any]:
    defaults = {"action": "log", "enabled": True, "description": "XSS", "categories": ["xss"], "expression": "true"}
    stamps = {"ref": identity, "version": "1", "last_updated": "2026-01-01T00:00:00Z"}
    return {"id": identity, **defaults, **stamps, **fields}


def managed_ruleset(*rules: dict[str, Any], version: str = "12") -> dict[str, Any]:
    return {
        "id": MANAGED,
        "name": "Cloudflare Managed Ruleset",
        "description": "",
        "kind": "managed",
        "phase": "http_request_firewall_managed",
        "version": version,
        "last_updated": "2026-01-01T00:00:00Z",
        "rules": list(rules),
    }


def former_report(*records: HostRecord) -> FormerReport:
    """The report with these records, as the next run reads it."""
    return FormerReport.of_report(read_report("report.json", json_text(report_of(records, NIGHT)), NIGHT))


class Host:
    """A zone that deploys a managed ruleset with some overrides, and its reports, night after night."""

    def __init__(self, service: LocalService, **overrides: Any) -> None:
        self.zone = service.zone(ZONE)
        self.service, self.described = service, [deployment(**overrides)]
        self.zone.seed(managed_rules=self.described)
        self.former: FormerReport = FormerReport({})

    def night(self, *rulesets: dict[str, Any], **variables: Any) -> HostRecord:
        """The record of the next report, with these managed rulesets of the vendor."""
        self.zone.managed_rulesets[:] = rulesets
        values = {"baseline_managed_rules": self.described, "edge_account_id": None, "baseline_prefixes": None}
        record = compared(self.service, self.former, **{**values, **variables})
        assert assessed(record)[0] == "in_order"
        self.former = former_report(record)
        return record


@pytest.mark.parametrize(("overrides", "now", "field", "values", "overridden", "line"), [
    ({}, {"action": "block"}, "action", ("log", "block"), None, "has action block, before log; no override sets it."),
    ({"action": "managed_challenge"}, {"action": "block"}, "action", ("log", "block"), "managed_challenge",
     "has action block, before log; an override sets managed_challenge."),
    ({"categories": [{"category": "xss", "action": "block"}, {"category": "php", "action": "log"}]}, {"action": "challenge"},
     "action", ("log", "challenge"), "block", "has action challenge, before log; an override sets block."),
    ({"categories": [{"category": "xss", "enabled": True}], "rules": [{"id": RULE, "enabled": False}]}, {"enabled": False},
     "enabled", (True, False), False, "has enabled false, before true; an override sets false."),
    ({}, {"sensitivity_level": "low"}, "sensitivity", ("medium", "low"), None,
     "has sensitivity low, before medium; no override sets it."),
])  # fmt: skip
def test_a_setting_that_differs_is_told_once(
    overrides: Any, now: Any, field: str, values: Any, overridden: Any, line: str, service: LocalService
) -> None:
    host = Host(service, **overrides)
    rule = managed_rule(sensitivity_level="medium")
    first = host.night(managed_ruleset(rule))
    assert first["moved"] == [] and first["unknown_moves"][0].startswith(NO_FORMER)
    assert host.night(managed_ruleset(rule))["moved"] == []
    record = host.night(managed_ruleset({**rule, **now}))
    before, after = values
    expected = {"kind": "managed_rule", "id": RULE, "name": "XSS", "field": field, "before": before, "now": after}
    assert record["moved"] == [{**expected, "overridden": overridden}] and not record["unknown_moves"]
    assert [*moved_lines(record["moved"])] == [f"The managed rule XSS ({RULE}) {line}"]
    assert host.night(managed_ruleset({**rule, **now}))["moved"] == []


def test_a_new_version_brings_rules_and_takes_some(service: LocalService) -> None:
    host = Host(service)
    host.night(managed_ruleset(managed_rule()))
    new = managed_rule(NEW_RULE, description="RCE", action="block")
    moved = host.night(managed_ruleset(new, version="13"))["moved"] or []
    assert [(move["kind"], move["field"], move["before"], move["now"]) for move in moved] == [
        ("ruleset", "version", "12", "13"),
        ("managed_rule", "rule", "log", None),
        ("managed_rule", "rule", None, "block"),
    ]
    assert [*moved_lines(moved)] == [
        "The managed ruleset Cloudflare Managed Ruleset has the version 13, before 12.",
        f"The managed rule XSS ({RULE}) is gone; its action was log.",
        f"The managed rule RCE ({NEW_RULE}) is new, with the action block; no override sets it.",
    ]


def test_an_unread_ruleset_is_compared_with_the_one_read_last(service: LocalService) -> None:
    host = Host(service)
    host.night(managed_ruleset(managed_rule()))
    service.misbehave("status", method="GET", path=f"/rulesets/{MANAGED}$", times=9, status=500)
    silent = host.night(managed_ruleset(managed_rule()))
    assert silent["moved"] == [] and silent["unknown_moves"][0].startswith(f"Managed ruleset {MANAGED}: ")
    service.faults.clear()
    record = host.night(managed_ruleset(managed_rule(action="block")))
    assert [move["now"] for move in record["moved"] or ()] == ["block"] and not record["unknown_moves"]


def test_an_unread_host_keeps_what_the_next_report_compares_with(service: LocalService) -> None:
    host = Host(service)
    host.night(managed_ruleset(managed_rule()))
    nothing: Any = {"host": "lima", "managed_rulesets": None, "moved": None, "unknown_moves": []}
    kept = host.former.kept_in(nothing)
    assert kept["managed_rulesets"] == host.former.hosts["lima"]["managed_rulesets"]
    assert kept["unknown_moves"]


def test_equal_rules_of_many_hosts_stand_once_in_the_report(service: LocalService) -> None:
    record = Host(service).night(managed_ruleset(managed_rule()))
    hosts: list[Any] = [{**record, "host": name} for name in ("lima", "quito")]
    report = report_of(hosts, NIGHT)
    rules = [ruleset["rules"] for host in report["hosts"] for ruleset in host["managed_rulesets"] or ()]
    assert rules[0] and rules[1] is None
    former = former_report(*hosts).hosts
    assert former["lima"]["managed_rulesets"] == former["quito"]["managed_rulesets"] == record["managed_rulesets"]


def test_the_rulesets_of_ddos_overrides_are_compared(service: LocalService) -> None:
    overrides = [{"ref": "all", "expression": "true", "action": "log"}]
    parameters = {"id": "4d21379b4f9f4bb088e0729962c8b3cf", "overrides": {"action": "log"}}
    rule = {"ref": "all", "expression": "true", "action": "execute", "action_parameters": parameters}
    service.zone(ZONE).seed(ddos_l7_overrides=[rule])
    values: Any = {"edge_account_id": None, "baseline_prefixes": None, "baseline_ddos_l7_overrides": overrides}
    record = compared(service, FormerReport({}), **values)
    rulesets = record["managed_rulesets"] or []
    assert [ruleset["id"] for ruleset in rulesets] == [parameters["id"]] and rulesets[0]["rules"]


def part(cidr: str, is_announced: bool | None) -> dict[str, Any]:
    return {"cidr": cidr, "on_demand": {"advertised": is_announced, "on_demand_enabled": True}}


def announcing(service: LocalService, **announced: bool | None) -> dict[str, Any]:
    parts = {"net": NET, "lab": LAB}
    account = service.account(ACCOUNT)
    account.onboarded.clear()
    account.seed(onboarded=[
        {"cidr": parts[name], "bgp_prefixes": [part(parts[name], is_announced)]}
        for name, is_announced in announced.items()
    ])  # fmt: skip
    return {"edge_zone_id": None, "baseline_prefixes": [{"prefix": NET}], "report_announced": True}


@pytest.mark.parametrize(("before", "now", "moved", "unknown"), [
    ({"net": True}, {"net": True}, [], []),
    ({"net": True}, {"net": False}, [(NET, False)], []),
    ({"net": False}, {"net": True}, [(NET, True)], []),
    ({"net": True}, {"net": True, "lab": True}, [(LAB, True)], []),
    ({"net": True}, {}, [(NET, False)], []),
    ({"net": True}, {"net": None}, [], [NET]),
    ({"net": None}, {"net": True}, [], [NET]),
])  # fmt: skip
def test_an_announcement_that_began_or_ended(
    before: Any, now: Any, moved: Any, unknown: Any, service: LocalService
) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": NET}])
    values: Any = announcing(service, **before)
    former = former_report(compared(service, FormerReport({}), **values))
    values = announcing(service, **now)
    record = compared(service, former, **values)
    moves = record["moved"] or []
    assert [(move["name"], move["now"]) for move in moves] == moved
    assert [text for text in record["unknown_moves"] if "announcement" in text] == [
        f"Whether the announcement of {network} began or ended is not known." for network in unknown
    ]


def test_a_message_has_each_change_once_and_says_what_overrides_make_of_it(service: LocalService) -> None:
    host = Host(service)
    host.night(managed_ruleset(managed_rule()))
    report: Any = report_of([host.night(managed_ruleset(managed_rule(action="block")))], NIGHT)
    line = f"The managed rule XSS ({RULE}) has action block, before log; no override sets it."
    assert line in markdown_page(report) and line in html_page(report)
    terms = NewsTerms(["weakened"], NOW, timedelta(days=1))
    news = news_of(report, {}, terms)
    assert news["title"] == "Protection: 1 changed by Cloudflare."
    assert news["lines"] == [f"Changed by Cloudflare: lima. {line}"]
    assert (news["left"], [told["what"] for told in news["hosts"]]) == (0, ["moved"])
    assert not news_of(report, news["state"], terms)["hosts"]


def test_moves_are_told_also_if_another_report_came_before_the_message(service: LocalService) -> None:
    host = Host(service)
    host.night(managed_ruleset(managed_rule()))
    moved = managed_ruleset(managed_rule(action="block"))
    second: Any = report_of([host.night(moved)], NIGHT)
    third: Any = report_of([host.night(moved)], NIGHT)
    terms = NewsTerms(["weakened"], NOW, timedelta(days=1))
    assert third["hosts"][0]["moved"] == []
    assert news_of(third, {}, terms)["lines"] == news_of(second, {}, terms)["lines"] != []
    assert not news_of(third, news_of(second, {}, terms)["state"], terms)["hosts"]


def test_a_watched_change_is_told_once(service: LocalService) -> None:
    record: Any = {
        **Host(service).night(managed_ruleset(managed_rule())),
        "watched": ["A change was set back: it stopped 9 of 10."],
    }
    terms = NewsTerms(["weakened"], NOW, timedelta(days=1))
    news = news_of(report_of([record], NIGHT), {}, terms)
    assert news["lines"] == ["Watched change: lima. A change was set back: it stopped 9 of 10."]
    assert not news_of(report_of([record], NIGHT), news["state"], terms)["hosts"]
    over: Any = {**record, "watched": []}
    assert news_of(report_of([over], NIGHT), news["state"], terms)["state"]["watched"] == {}
