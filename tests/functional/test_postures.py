# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Postures in the variables of a host: merged by key, taken back by themselves, and refused where nothing would."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED, Managed
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import SECURITY_LEVEL
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import END_OF_TIME
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.in_force import sentences_on_prepared
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.merged_host import MergedHost
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.posture import START_OF_TIME
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import OF_A_POSTURE, VARIABLE_OF

from tests.fake_service import LocalService
from tests.support.host_parts import host, run_module
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.resource_samples import SAMPLES
from tests.support.service_state import objects_in

UNTIL = "2027-01-29T09:00:00Z"
RULE = {"kind": "syn_flood", "scope": "global"}
OFFICE = {"ref": "office", "action": "block", "expression": "ip.src eq 192.0.2.9"}
SHOP = {"ref": "shop", "action": "block", "expression": "ip.src eq 192.0.2.10"}
GEO = {"ref": "geo", "action": "managed_challenge", "expression": 'ip.src.country eq "XX"'}
IDS = {"edge_account_id": ACCOUNT, "edge_zone_id": ZONE, "edge_api_token": "x" * 40}


def held(values: Mapping[str, Any], holds: bool = True) -> MergedHost:
    """The variables of a host with those of its posture, before or after its end."""
    return merged_at({**IDS, **values}, START_OF_TIME if holds else END_OF_TIME)


def merged_at(values: Mapping[str, Any], now: datetime) -> MergedHost:
    entry = values.get("baseline_posture")
    return MergedHost("lima", values, [(Option("baseline_posture"), entry)] if entry else [], now)


def brought(ours: Mapping[str, Any], theirs: Mapping[str, Any], holds: bool = True) -> dict[str, Any]:
    """The variables of a baseline with the values of a posture."""
    values = held({**ours, "baseline_posture": {"until": UNTIL, **theirs}}, holds).values
    return {name: value for name, value in values.items() if name.startswith("baseline_")}


@pytest.mark.parametrize(
    ("positions", "order"),
    [
        (["first", "first"], ["new0", "new1", "office", "shop"]),
        (["last", "first"], ["new1", "office", "shop", "new0"]),
        (["before shop", "before shop"], ["office", "new0", "new1", "shop"]),
        (["after office", "after office"], ["office", "new0", "new1", "shop"]),
        (["after office", "before new0"], ["office", "new1", "new0", "shop"]),
        ([None, "after new0"], ["office", "shop", "new0", "new1"]),
    ],
)
def test_places_in_an_exclusive_list_are_those_of_the_posture(positions: list[str], order: list[str]) -> None:
    ours = {"baseline_custom_rules": [OFFICE, SHOP], "baseline_purge": ["custom_rules"]}
    theirs = [{**GEO, "ref": f"new{index}", "position": position} for index, position in enumerate(positions)]
    rules = brought(ours, {"custom_rules": theirs})["baseline_custom_rules"]
    assert [rule["ref"] for rule in rules] == order
    assert not [rule for rule in rules if rule.get("position")]


def test_an_entry_of_an_exclusive_list_moves() -> None:
    ours = {"baseline_custom_rules": [OFFICE, SHOP], "baseline_purge": ["custom_rules"]}
    moved = brought(ours, {"custom_rules": [{"ref": "shop", "position": "first"}]})["baseline_custom_rules"]
    assert moved == [SHOP, OFFICE]


@pytest.mark.parametrize("purge", [True, ["custom_rules"]])
def test_a_list_that_a_posture_alone_brings_is_not_exclusive(purge: Any) -> None:
    merged = brought({"baseline_custom_rules": None, "baseline_purge": purge}, {"custom_rules": [GEO]})
    assert merged["baseline_purge"] == []


def test_messages_name_the_variable_of_the_posture() -> None:
    postures = {"a": {"custom_rules": [{**GEO, "expression": "ip.src eq"}]}}
    ours = {"baseline_custom_rules": [OFFICE], "baseline_postures": postures}
    part = held({**ours, "baseline_posture": {"name": "a", "until": UNTIL}}).part()
    message = run_module(part, True)["msg"]
    assert message.startswith("baseline_postures.a.custom_rules[0].expression: ")


def test_a_posture_of_both_kinds_of_hosts_brings_what_is_for_this_one() -> None:
    postures = {"a": {"security_level": "high", "rules": [{**RULE, "mode": "enabled"}]}}
    values = {"baseline_postures": postures, "baseline_posture": {"name": "a", "until": UNTIL}}
    zone = {"edge_zone_id": ZONE, "baseline_security_level": "low", **values}
    assert merged_at(zone, START_OF_TIME).values == {
        "edge_zone_id": ZONE,
        "baseline_security_level": "high",
        "baseline_accept_risks": [],
    }
    with pytest.raises(ValueError, match="the posture a has nothing for lima"):
        merged_at({"edge_zone_id": ZONE, **values, "baseline_postures": {"a": {"enabled": True}}}, START_OF_TIME)


def test_expectations_of_a_posture_are_those_that_count(service: LocalService) -> None:
    request = {"method": "GET", "host": "shop.example", "path": "/", "source": "192.0.2.9"}
    values = {
        **host(service),
        "edge_zone_name": "shop.example",
        "edge_zone_plan": "free",
        "baseline_custom_rules": [],
        "baseline_expectations": [{"request": request, "expect": "allowed"}],
        "baseline_posture": {"until": UNTIL, "custom_rules": [OFFICE]},
    }
    for expect, message in {
        "": "(1) baseline_expectations[0]",
        "allowed": "(1) baseline_posture.expectations[0]",
        "blocked": "",
    }.items():
        values["baseline_posture"] |= {"expectations": [{"request": request, "expect": expect}]} if expect else {}
        result = run_module(merged_at(values, START_OF_TIME).part(), True)
        assert (message in result.get("msg", "")) and bool(result.get("failed")) is bool(message)


MISTAKES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"name": "under_atack"}, "no posture is called under_atack (did you mean under_attack?); the postures are under_attack"),
    ({}, {"name": "under_attack", "until": None}, "baseline_posture.until: it is null; write a text"),
    ({}, {}, "takes until, and a name or the values themselves"),
    ({}, {"custom_rules": []}, "takes until, and a name or the values themselves"),
    ({}, {"name": "under_attack", "security_level": "high"}, "takes until, and a name or the values themselves"),
    ({}, {"name": "under_attack", "until": "9 o'clock"}, "baseline_posture.until: '9 o'clock' is neither a date"),
    ({}, {"name": "under_attack", "until": "2027-01-29 09:00:00"}, "is neither a date such as"),
    ({}, {"name": "under_attack", "since": "today"}, "baseline_posture.since: 'today' is neither a date"),
    ({"baseline_postures": None}, {"name": "night"}, "no posture is called night; baseline_postures names none"),
    ({"baseline_postures": {"a": {"secutiry_level": "high"}}}, {"name": "a"}, "did you mean security_level?"),
    ({"baseline_postures": {"a": {"security_level": "hig"}}}, {"name": "a"}, "'hig' is none of"),
    ({"baseline_postures": {"a": ["x"]}}, {"name": "a"}, "baseline_postures.a: "),
    ({"baseline_postures": {"b": {"purge": []}}}, {"name": "under_attack"}, "baseline_postures.b.purge: there is no such field"),
    ({"baseline_security_level": None}, {"security_level": "high"}, "nothing sets back security level; name it in baseline_security_level as well"),
    ({}, {"enabled": True}, "baseline_posture.enabled: nothing sets back TCP protection status; name it in baseline_enabled as well"),
    (
        {"baseline_rules": [RULE]},
        {"rules": [{**RULE, "mode": "enabled", "rate_sensitivity": "high"}]},
        "nothing sets back mode and rate_sensitivity of SYN flood rule global; name it in baseline_rules as well",
    ),
    (
        {"baseline_firewall_rules": []},
        {"firewall_rules": [{"id": "1" * 32, "paused": True}]},
        f"nothing sets back firewall rule {'1' * 32}; name it in baseline_firewall_rules as well",
    ),
    (
        {"baseline_purge": ["custom_rules"]},
        {"custom_rules": [{**GEO, "position": "after nobody"}]},
        "The position of custom rule geo names the ref nobody, which is not there.",
    ),
    (
        {},
        {"custom_rules": [GEO, {**GEO, "action": "block"}]},
        "baseline_posture.custom_rules[1]: geo is named here and in baseline_posture.custom_rules[0]; keep one of them.",
    ),
    (
        {},
        {"custom_rules": [{"ref": "office", "expires": "2027-01-29"}]},
        "nothing sets back expires of custom rule office; name it in baseline_custom_rules as well.",
    ),
    ({}, {"custom_rules": [{"ref": "office", "position": "first"}]}, "nothing sets back position of custom rule office; name it in"
     " baseline_custom_rules as well."),
    (
        {},
        {"custom_rules": [{"ref": "office", "api_fields": {"new": 1}}]},
        "nothing sets back api_fields of custom rule office; name it in baseline_custom_rules as well",
    ),
]  # fmt: skip
NAMES_ALL = {
    "baseline_custom_rules": [OFFICE],
    "baseline_security_level": "low",
    "baseline_postures": {"under_attack": {"security_level": "high"}},
}


@pytest.mark.parametrize(("ours", "posture", "message"), MISTAKES, ids=lambda item: str(item)[:40])
def test_a_mistake_is_told_before_any_request(ours: dict[str, Any], posture: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared
        held({**NAMES_ALL, **ours, "baseline_posture": {"until": UNTIL, **posture}})
    assert message in str(caught.value)


@pytest.mark.parametrize("place", [Option("baseline_posture"), Option("baseline_posture", 0)])
@pytest.mark.parametrize("name", ["under_attack", 7, True])
def test_a_name_alone_is_told_the_form_of_a_posture(place: Option, name: Any) -> None:
    with pytest.raises(ValueError, match="it is no posture") as caught:
        MergedHost("lima", {**IDS, **NAMES_ALL}, [(place, name)], START_OF_TIME)
    assert str(caught.value) == f"{place}: it is no posture; write {{name: {name}, until: 2027-01-31T09:00:00Z}}."


def test_a_rule_that_is_named_like_a_setting_sets_none() -> None:
    rule = {"ref": "security level", "action": "block", "expression": "ssl"}
    of_rule = held({"baseline_custom_rules": [], "baseline_posture": {"until": UNTIL, "custom_rules": [rule]}})
    of_level = held({**NAMES_ALL, "baseline_posture": {"until": UNTIL, "security_level": "high"}})
    assert (of_rule.sets(SECURITY_LEVEL), of_level.sets(SECURITY_LEVEL)) == (False, True)
    assert "security level" in str(of_rule.titles)


def test_a_reason_may_be_a_number() -> None:
    (posture,) = held(
        {**NAMES_ALL, "baseline_posture": {"name": "under_attack", "until": UNTIL, "reason": 4711}}
    ).postures
    assert (posture.record["name"], posture.record["reason"]) == ("under_attack", "4711")


def test_accepted_risks_may_be_texts_with_commas() -> None:
    ours = {
        "baseline_accept_risks": "stops_mitigation",
        "baseline_postures": {"a": {"security_level": "high", "accept_risks": "weakens_zone"}},
    }
    own = {"name": "a", "until": UNTIL, "accept_risks": "skips_monitoring,lowers_sensitivity"}
    values = held({**ours, "baseline_security_level": "low", "baseline_posture": own}).values
    bound = {"resource": "security_level", "entries": ["security_level"]}
    codes = ["weakens_zone", "skips_monitoring", "lowers_sensitivity"]
    of_posture = [{"code": code, **bound} for code in codes]
    assert values["baseline_accept_risks"] == ["stops_mitigation", *of_posture]


def test_the_risks_of_a_prepared_posture_have_places_of_their_own() -> None:
    risks = ["x", {"cod": 5}, "stops_mitigation"]
    values = {**IDS, "baseline_postures": {"p": {"accept_risks": risks, "security_level": "high"}}}
    values["baseline_security_level"] = "low"
    at = Option("baseline_postures", "p")
    part = MergedHost("lima", values, [(at, {"name": "p", "until": UNTIL})], START_OF_TIME).part()
    bound = {"code": "stops_mitigation", "resource": "security_level", "entries": ["security_level"]}
    assert part.options["accept_risks"] == [*risks[:2], bound]
    names = [part.names[f"accept_risks[{index}]"] for index in range(3)]
    assert names == [f"{at}.accept_risks[{index}]" for index in range(3)]


def test_an_ended_entry_of_a_posture_that_nobody_prepares_any_more_stops_no_run() -> None:
    gone = {"name": "gone", "until": "2026-11-01"}
    values = {**IDS, **NAMES_ALL}
    assert (
        MergedHost("lima", values, [(Option("baseline_posture"), gone)], datetime(2026, 11, 3, tzinfo=UTC)).postures
        == []
    )
    with pytest.raises(ValueError, match="no posture is called gone"):
        MergedHost("lima", values, [(Option("baseline_posture"), gone)], datetime(2026, 10, 3, tzinfo=UTC))


def test_a_mistake_in_a_posture_that_does_not_hold_stops_no_run() -> None:
    postures = {"a": {"security_level": "high"}}
    assert held({"baseline_postures": postures}).values == IDS


RULESETS = {sample.resource.plural: sample for sample in SAMPLES if sample.resource.is_ordered}
SETTINGS_AND_LISTS = {
    sample.resource.plural: sample
    for sample in SAMPLES
    if sample.name in OF_A_POSTURE and sample.resource.plural not in RULESETS
}


def apply(service: LocalService, values: Mapping[str, Any], holds: bool) -> list[dict[str, Any]]:
    """Predict, apply and apply again; the operations."""
    part = held({**host(service), **values}, holds).part()
    predicted, done, again = runs = [run_module(part, check) for check in (True, False, True)]
    assert not [result["msg"] for result in runs if result.get("failed")]
    assert (predicted["operations"], again["operations"]) == (done["operations"], [])
    assert not [result["warnings"] for result in runs if "expired" in str(result.get("warnings"))]
    operations: list[dict[str, Any]] = done["operations"]
    return operations


@pytest.mark.parametrize("purge", [False, True])
@pytest.mark.parametrize("module", RULESETS)
def test_rules_of_a_posture_come_and_go_beside_those_of_others(module: str, purge: bool, service: LocalService) -> None:
    resource = RULESETS[module].resource
    owner = service.account(ACCOUNT) if resource.owner == "account_id" else service.zone(ZONE)
    rule, own = RULESETS[module].another, {**RULESETS[module].existing, "ref": "own"}
    values: dict[str, Any] = {
        f"baseline_{module}": [{**rule, "ref": "others"}, own],
        "baseline_postures": {"a": {module: [{**rule, "position": "first"}, {"ref": "own", "enabled": False}]}},
    }
    apply(service, values, holds=False)
    values[f"baseline_{module}"] = [own]
    values.update({"baseline_purge": True, f"baseline_{module}_ignore": ["others"]} if purge else {})
    assert apply(service, values, holds=False) == []
    during = {**values, "baseline_posture": {"name": "a", "until": UNTIL}}
    apply(service, during, holds=True)
    switched = {rule["ref"]: rule.get("enabled", True) for rule in objects_in(owner, resource)}
    assert switched == {"new": True, "others": True, "own": False}
    apply(service, during, holds=False)
    assert [(rule["ref"], rule.get("enabled", True)) for rule in objects_in(owner, resource)] == [
        ("others", True),
        ("own", True),
    ]


def of_baseline() -> dict[str, Any]:
    """The variables of a baseline with an existing object of each kind."""
    kinds = [sample for sample in SETTINGS_AND_LISTS.values() if sample.another or not sample.resource.key]
    return {f"baseline_{sample.name}": sample.value(sample.existing) for sample in reversed(kinds)}


BASE = of_baseline()


def of_posture(plural: str) -> dict[str, Any]:
    """The values of a posture that changes an object, and adds one where a list can have another."""
    sample = SETTINGS_AND_LISTS[plural]
    return {sample.name: sample.value(*(obj for obj in (sample.changed, sample.another) if obj))}


def test_a_posture_that_is_only_prepared_makes_no_list(service: LocalService) -> None:
    postures = {"a": {"ip_lists": [{"name": "fresh", "items": [{"ip": "192.0.2.1"}]}]}}
    assert apply(service, {"baseline_postures": postures}, holds=False) == []
    during = {"baseline_postures": postures, "baseline_posture": {"name": "a", "until": UNTIL}}
    assert apply(service, during, holds=True)
    assert apply(service, during, holds=False)
    (left,) = service.account(ACCOUNT).ip_lists.lists
    assert (left["name"], left["items"]) == ("fresh", [])


LOGIN = {"ref": "login", "action": "block", "expression": 'http.request.uri.path eq "/login"'}
THEIRS = {**LOGIN, "action": "managed_challenge"}
BY_ANOTHER = [{"ip": "192.0.2.1", "comment": "by another tool"}]
QUIET_DAYS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("no baseline", {}, {"custom_rules": [LOGIN]}),
    ("a baseline of other rules", {"baseline_custom_rules": [GEO]}, {"custom_rules": [LOGIN]}),
    ("nothing to take, and an expectation", {}, {"custom_rules": [{**LOGIN, "position": "first"}], "expectations": []}),
    ("an item of a list that the baseline names", {"baseline_ip_lists": [{"name": "office", "kind": "ip"}]},
     {"ip_lists": [{"name": "office", "items": [{"ip": "192.0.2.1"}]}]}),
    ("an item of a list that nobody names", {}, {"ip_lists": [{"name": "office", "items": [{"ip": "192.0.2.1"}]}]}),
    ("an entry of the allowlist", {}, {"allowlist": [{"prefix": "198.51.100.0/24"}]}),
    ("a purge of rules, and no rules of ours", {"baseline_purge": ["custom_rules"]}, {"custom_rules": [LOGIN]}),
    ("a purge of everything, and no rules of ours", {"baseline_purge": True}, {"custom_rules": [LOGIN]}),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "posture"), [case[1:] for case in QUIET_DAYS], ids=[case[0] for case in QUIET_DAYS])
@pytest.mark.parametrize("theirs", [THEIRS, LOGIN], ids=["another rule", "the same rule"])
def test_a_posture_that_is_only_prepared_deletes_nothing(
    theirs: dict[str, Any], ours: dict[str, Any], posture: dict[str, Any], service: LocalService
) -> None:
    account = service.account(ACCOUNT).seed(
        lists=[{"name": "office", "items": BY_ANOTHER}], allowlist=[{"prefix": "198.51.100.0/24"}]
    )
    zone = service.zone(ZONE).seed(custom_rules=[theirs])
    operations = apply(service, {**ours, "baseline_postures": {"strict_login": posture}}, holds=False)
    assert "delete" not in [operation["action"] for operation in operations]
    assert theirs["ref"] in [rule["ref"] for rule in zone.custom_rules]
    assert [item["ip"] for item in account.ip_lists.lists[0]["items"]] == ["192.0.2.1"]
    assert len(account.allowlist) == 1


ATTACKERS = {"name": "attackers", "items": [{"ip": "192.0.2.1"}, {"ip": "192.0.2.2"}]}


def test_what_is_in_force_without_an_entry_stays_and_is_told(service: LocalService) -> None:
    """Rules, and the items of a list; a list without them is there after each posture."""
    postures = {"strict_login": {"custom_rules": [LOGIN], "ip_lists": [ATTACKERS]}}
    values = {**host(service), "baseline_postures": postures}
    during = {**values, "baseline_posture": {"name": "strict_login", "until": UNTIL}}
    account, zone = service.account(ACCOUNT), service.zone(ZONE)

    def told() -> list[str]:
        merged = held(values)
        unmanaged = run_module(merged.part(), True)["unmanaged"]
        return [*sentences_on_prepared(merged, merged.part(), run_module, unmanaged)]

    apply(service, during, holds=True)
    assert apply(service, values, holds=True) == []
    what = ["Custom rule login", "List item attackers 192.0.2.1", "List item attackers 192.0.2.2"]
    assert [sentence.partition(" is as baseline_postures.strict_login.")[0] for sentence in told()] == what
    assert (len(zone.custom_rules), len(account.ip_lists.lists[0]["items"])) == (1, 2)
    del account.ip_lists.lists[0]["items"][0]
    zone.custom_rules[0]["action"] = "log"
    assert [sentence.partition(" is as ")[0] for sentence in told()] == what[2:]
    apply(service, during, holds=False)
    assert (len(zone.custom_rules), told()) == (0, [])


def test_what_a_posture_alone_prepares_is_read_on_a_quiet_day(service: LocalService) -> None:
    service.account(ACCOUNT), service.zone(ZONE)
    apply(service, {"baseline_postures": {"strict_login": {"custom_rules": [LOGIN]}}}, holds=False)
    assert any("http_request_firewall_custom" in call.path for call in service.calls)


def test_every_resource_has_a_case() -> None:
    taken = {*VARIABLE_OF.values()} - {"baseline_custom_rulesets"}
    assert {f"baseline_{sample.name}" for sample in (*SETTINGS_AND_LISTS.values(), *RULESETS.values())} == taken
    assert {*OF_A_POSTURE} == {name.removeprefix("baseline_") for name in taken} | {"accept_risks", "expectations"}


@pytest.mark.parametrize(
    "plural", [plural for plural, sample in SETTINGS_AND_LISTS.items() if f"baseline_{sample.name}" in BASE]
)
def test_all_else_of_a_posture_comes_and_goes(plural: str, service: LocalService) -> None:
    sample = SETTINGS_AND_LISTS[plural]
    base = {**BASE, f"baseline_{sample.name}": sample.value(sample.existing)}
    apply(service, base, holds=False)
    values = {**base, "baseline_posture": {"until": UNTIL, **of_posture(plural)}, "baseline_staged_rollout": True}
    assert apply(service, values, holds=True)
    assert apply(service, values, holds=False)
    assert apply(service, base, holds=False) == []


def test_a_rule_of_a_posture_waits_for_no_rollout(service: LocalService) -> None:
    service.account(ACCOUNT), service.zone(ZONE)
    theirs = {**of_posture("syn_flood_rules"), **of_posture("syn_flood_filters")}
    staged = {**BASE, "baseline_staged_rollout": True, "baseline_rollout_evidence": {"hours": 24}}
    apply(service, {**staged, "baseline_posture": {"until": UNTIL, **theirs}}, holds=True)
    account = service.account(ACCOUNT)
    assert {item["mode"] for item in (*account.rules["syn_flood"], *account.filters["syn_flood"])} == {"enabled"}
    existing = {**RULE, "mode": "enabled", "rate_sensitivity": "low"}
    values = {**host(service), **staged, "baseline_accept_risks": [], "baseline_rules": [existing]}
    during = {**values, "baseline_posture": {"until": UNTIL, **of_posture("syn_flood_rules")}}
    part = merged_at(during, START_OF_TIME).part()
    service.reset()
    service.account(ACCOUNT), service.zone(ZONE)
    assert [risk["code"] for risk in run_module(part, True)["risks"]] == ["skips_monitoring"]


@pytest.mark.parametrize("item", MANAGED, ids=lambda item: str(item.resource.plural))
def test_whatever_a_host_has_tells_the_time_of_cloudflare(
    item: Managed, service: LocalService, modules: Modules
) -> None:
    owner = {item.resource.owner: {"account_id": ACCOUNT, "zone_id": ZONE}[item.resource.owner]}
    service.account(ACCOUNT)
    service.zone(ZONE)
    context = Context(is_role=True).to_read([item.resource.plural])
    result = modules.done("host", check=True, context=context, **owner)
    assert item.resource.plural in result
    behind = service.clock.now() - datetime.fromisoformat(result["now"])
    assert abs(behind.total_seconds()) < 60


@pytest.mark.parametrize("more", [{}, {"network_firewall_rules": [OFFICE]}], ids=["alone", "with a block"])
@pytest.mark.parametrize("since", [{"since": "2027-01-29T03:00:00Z"}, {}], ids=["by attack", "by hand"])
@pytest.mark.parametrize("is_prepared", [False, True])
def test_values_that_attack_has_added_go_back_without_an_acceptance(
    is_prepared: bool, since: dict[str, Any], more: dict[str, Any], service: LocalService
) -> None:
    """A run ends what they alone have added, also if it is the last rule of a component; others may have been there."""
    account = service.account(ACCOUNT).seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}])
    rules = {"dns_rules": [{"scope": "global", "mode": "enabled"}], **more}
    brought_by = {"name": "a"} if is_prepared else rules
    posture = {"until": UNTIL, "accept_risks": ["skips_monitoring"], **brought_by, **since}
    own: dict[str, Any] = {"baseline_accept_risks": [], "baseline_prefixes": [{"prefix": "192.0.2.0/24"}]}
    if is_prepared:
        own["baseline_postures"] = {"a": rules}
    values = {**host(service), **own, "baseline_posture": posture}
    for moment, number in ((START_OF_TIME, 1), (datetime(2027, 1, 29, 10, tzinfo=UTC), 0)):
        result = run_module(merged_at(values, moment).part(), False)
        if not (since or number):
            assert "The plan has risks" in result["msg"]
            break
        assert result["changed"], result
        assert (len(account.dns_rules), len(account.rules_of("network_firewall_rules"))) == (number, number * len(more))


SKIP_ALL = {"ref": "all", "action": "skip", "action_parameters": {"products": ["bic"]}, "expression": "true"}
OF_ALL = {"code": "skips_everything", "resource": "custom_rule", "entries": ["all"]}
BROAD = [
    "skips_everything",
    {"code": "skips_everything"},
    {"code": "skips_everything", "resource": "custom_rule"},
    {"code": "skips_everything", "reason": "INC-7"},
]


@pytest.mark.parametrize("moment", [START_OF_TIME, datetime(2027, 1, 31, tzinfo=UTC)], ids=["holds", "is over"])
@pytest.mark.parametrize("risk", [*BROAD, OF_ALL], ids=str)
@pytest.mark.parametrize("is_prepared", [True, False])
def test_a_posture_accepts_what_it_changes_and_what_it_names_alone(
    risk: Any, moment: datetime, is_prepared: bool, service: LocalService
) -> None:
    """An acceptance without objects counts for those of the posture; one with objects for these."""
    values = {**host(service), "baseline_accept_risks": [], "baseline_security_level": "medium"}
    posture = {"security_level": "under_attack", "custom_rules": [GEO], "accept_risks": [risk]}
    entry = {"until": UNTIL, **posture}
    if is_prepared:
        values["baseline_postures"] = {"ua": posture}
        entry = {"until": UNTIL, "name": "ua"}
    values.update({"baseline_posture": entry, "baseline_custom_rules": [SKIP_ALL]})
    result = run_module(merged_at(values, moment).part(), True)
    assert bool(result.get("failed")) is (risk != OF_ALL), result
    assert risk == OF_ALL or "skips_everything" in result["msg"]


@pytest.mark.parametrize("risk", [*BROAD, OF_ALL], ids=str)
def test_a_posture_accepts_the_risk_of_its_own_rule(risk: Any, service: LocalService) -> None:
    values = {**host(service), "baseline_accept_risks": []}
    values["baseline_posture"] = {"until": UNTIL, "custom_rules": [SKIP_ALL], "accept_risks": [risk]}
    assert not run_module(merged_at(values, START_OF_TIME).part(), True).get("failed")
