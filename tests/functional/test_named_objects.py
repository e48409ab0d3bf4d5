# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role describes an object that it names with the defaults of its switches: a value by hand that protects less is
set back, and one that protects more stays; a module alone leaves alone what its task leaves out."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import export_state, export_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import L4, L7
from tests.functional.idempotence_cases import override as override_of
from tests.support.baseline_runs import applied
from tests.support.host_parts import RISKS, host, read_back, run_module
from tests.support.module_run import ACCOUNT, AREA_B, ZONE, Modules

ROLE = Context(is_role=True)
GENERATED = "2026-11-21T10:00:00+00:00"
ENABLED = {"scope": "global", "name": "global", "mode": "enabled"}
HALF = {"prefix": "192.0.2.0/25"}
WHOLE = {"prefix": "192.0.2.0/24"}
PORT = {"expression": "tcp.dstport eq 80"}


@dataclass(frozen=True)
class Case:
    """An object as somebody left it by hand, its entry in the baseline, and the fields that the role sets back."""

    name: str
    module: str
    option: str
    existing: Mapping[str, Any]
    entry: Mapping[str, Any]
    fields: Mapping[str, Any] | None  # None: it stays
    status: str = "weakened"

    @property
    def changes(self) -> bool:
        return self.fields is not None


def of_account(
    name: str, option: str, existing: Mapping[str, Any], entry: Mapping[str, Any], fields: Any, status: str = "weakened"
) -> Case:
    return Case(name, "account_protection", option, existing, entry, fields, status)


REF = {"ref": "login"}
BLOCK = {**REF, "action": "block", "expression": "ip.src eq 192.0.2.1"}
CONDITION = {"exposed_credential_check": {"username_expression": "a", "password_expression": "b"}}
SKIP = {**BLOCK, "action": "skip", "action_parameters": {"ruleset": "current"}}
FILTER_ID, RULE_ID = "a" * 32, "b" * 32
FIREWALL: dict[str, Any] = {
    "id": RULE_ID,
    "action": "block",
    "paused": False,
    "filter": {"id": FILTER_ID, "expression": "ip.src eq 192.0.2.1", "paused": False},
}
ENTRY = {"id": RULE_ID}
PAUSED = {**FIREWALL["filter"], "paused": True}
OVERRIDE = {**REF, "expression": "true"}
CATEGORY = [{"category": "botnets", "action": "log"}]


def override(**overrides: Any) -> dict[str, Any]:
    return {**OVERRIDE, **overrides}


def cases_of_rules(module: str) -> list[Case]:
    return [
        Case("a block is off", module, "rules", {**BLOCK, "enabled": False}, BLOCK, {"enabled": True}),
        Case("only its ref is named", module, "rules", {**BLOCK, "enabled": False}, REF, {"enabled": True}),
        Case("a block has a condition", module, "rules", {**BLOCK, **CONDITION}, BLOCK, {"exposed_credential_check": None}),
        Case("a block has a field of the future", module, "rules", {**BLOCK, "future": 1}, BLOCK, {"future": None}),
        Case("its condition is named", module, "rules", {**BLOCK, **CONDITION}, {**BLOCK, "api_fields": CONDITION}, None),
        Case("a block is off and has a condition", module, "rules", {**BLOCK, **CONDITION, "enabled": False}, BLOCK,
             {"enabled": True, "exposed_credential_check": None}),
        Case("a skip has a condition", module, "rules", {**SKIP, **CONDITION}, SKIP, None),
        Case("a skip is off", module, "rules", {**SKIP, "enabled": False}, SKIP, None),
        Case("a log is off", module, "rules", {**BLOCK, "action": "log", "enabled": False}, REF, None),
    ]  # fmt: skip


def cases_of_overrides(module: str) -> list[Case]:
    def case(name: str, existing: Mapping[str, Any], entry: Mapping[str, Any], fields: Any) -> Case:
        return Case(name, module, "overrides", existing, entry, fields)

    block = override(action="block")
    return [
        case("it only logs", override(action="log", sensitivity="default"), override(sensitivity="default"), {"action": "default"}),
        case("it only logs, and has nothing else", override(action="log"), OVERRIDE, {"action": "default"}),
        case("it is less sensitive", override(action="block", sensitivity="low"), block, {"sensitivity": None}),
        case("it logs a category", override(action="block", categories=CATEGORY), block, {"categories": []}),
        case("it only logs, and all is spelt out", override(action="log", categories=CATEGORY),
             override(action="default", categories=[]), {"action": "default", "categories": []}),
        case("it has the default sensitivity", override(sensitivity="default", categories=CATEGORY), override(categories=CATEGORY), None),
        case("it blocks", override(action="block", sensitivity="low"), override(sensitivity="low"), None),
        case("it has what is not known", override(action="block", future=1), block, {"action_parameters": None}),
        case("it has an action that is not known", override(action="pass"), OVERRIDE, {"action": "default"}),
        case("a category has an action that is not known", override(action="block", categories=[{"category": "botnets", "action": "pass"}]),
             block, {"categories": []}),
        case("what is not known is named", override(action="block", future=1),
             {**block, "api_fields": {"action_parameters": {"overrides": {"future": 1}}}}, None),
        case("it is off", override(action="block", enabled=False), block, {"enabled": True}),
        case("a weak one is off", override(sensitivity="low", enabled=False), override(sensitivity="low"), None),
    ]  # fmt: skip


CASES = [
    of_account("a prefix is excluded", "prefixes", {**HALF, "excluded": True}, HALF, {"excluded": False}),
    of_account("an exclusion is protected", "prefixes", HALF, {**HALF, "excluded": True}, {"excluded": True}, "drift"),
    of_account("an allowlist entry is off", "allowlist", {**HALF, "enabled": False}, HALF, None),
    of_account("a rule is disabled", "rules", {**ENABLED, "mode": "disabled"}, {"scope": "global"}, {"mode": "monitoring"}, "unprotected"),
    of_account("a rule mitigates", "rules", ENABLED, {"scope": "global"}, None),
    of_account("a filter is disabled", "filters", {**PORT, "mode": "disabled"}, PORT, {"mode": "monitoring"}, "drift"),
    of_account("a filter mitigates", "filters", {**PORT, "mode": "enabled"}, PORT, None),
    of_account("a mode is not known", "rules", {**ENABLED, "mode": "perhaps"}, {"scope": "global"}, None, "unknown"),
    *cases_of_rules("custom_rules"),
    *cases_of_rules("network_firewall_rules"),
    Case("a rule is paused", "firewall_rules", "rules", {**FIREWALL, "paused": True}, ENTRY, {"paused": False}),
    Case("a filter is paused", "firewall_rules", "rules", {**FIREWALL, "filter": PAUSED}, ENTRY, {"filter": {"paused": False}}),
    Case(
        "both are paused", "firewall_rules", "rules", {**FIREWALL, "paused": True, "filter": PAUSED}, ENTRY,
        {"paused": False, "filter": {"paused": False}},
    ),
    Case("an allow is paused", "firewall_rules", "rules", {**FIREWALL, "action": "allow", "paused": True}, ENTRY, None),
    Case("it is paused in the baseline", "firewall_rules", "rules", {**FIREWALL, "filter": PAUSED}, {**ENTRY, "paused": True}, {"paused": True}, "drift"),
    *cases_of_overrides("ddos_l4_overrides"),
    *cases_of_overrides("ddos_l7_overrides"),
]  # fmt: skip


def raw_override(fields: Mapping[str, Any], module: str) -> dict[str, Any]:
    """An override as Cloudflare has it."""
    names = {"sensitivity": "sensitivity_level"}
    own = {names.get(name, name): fields[name] for name in fields.keys() - {"ref", "expression", "enabled"}}
    managed = L4 if module == "ddos_l4_overrides" else L7
    return {**override_of(fields["ref"], fields["expression"], managed, **own), "enabled": fields.get("enabled", True)}


def seeded(service: LocalService, case: Case) -> None:
    account, zone = service.account(ACCOUNT), service.zone(ZONE)
    existing: Any = copy.deepcopy(dict(case.existing))
    kinds: dict[str, Any] = {kind: {"rules": [ENABLED]} for kind in ("syn_flood", "out_of_state_tcp")}
    if case.option == "overrides":
        existing = raw_override(existing, case.module)
    if case.module != "account_protection":
        name = "rules" if case.module == "firewall_rules" else case.module
        (zone if case.module in AREA_B else account).seed(**{name: [existing]})
    elif case.option in ("rules", "filters"):
        syn_flood = {"rules": [ENABLED], case.option: [existing]}
        account.seed(enabled=True, prefixes=[WHOLE], **{**kinds, "syn_flood": syn_flood})
    else:
        account.seed(
            enabled=True,
            **{"prefixes": [WHOLE], case.option: [*([WHOLE] if case.option == "prefixes" else []), existing]},
            **kinds,
        )


def options(case: Case) -> dict[str, Any]:
    of_a_kind = case.module == "account_protection" and case.option in ("rules", "filters")
    entry = {**({"kind": "syn_flood"} if of_a_kind else {}), **case.entry}
    beside: Sequence[Mapping[str, Any]] = [WHOLE] if case.option == "prefixes" else []
    return {case.option: [*beside, entry], "accept_risks": RISKS}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.module}: {case.name}")
def test_the_role_sets_back_what_protects_less(case: Case, service: LocalService, modules: Modules) -> None:
    seeded(service, case)
    predicted = modules.run(case.module, check=True, context=ROLE, **options(case))
    assert not predicted.get("failed"), predicted
    assert [item["fields"] for item in predicted["operations"]] == ([case.fields] if case.changes else [])
    record = host_record(host_results("lima", {}, {case.module: predicted}), GENERATED)
    assert case.changes or case.status != "weakened" or record["status"] in ("in_order", "unprotected", "unknown"), (
        record["reasons"]
    )
    assert not case.changes or record["status"] == case.status, record["reasons"]
    done = modules.run(case.module, context=ROLE, **options(case))
    for name in ("operations", "plan_id", "diff", "changed"):
        assert done.get(name) == predicted.get(name)
    assert modules.run(case.module, context=ROLE, **options(case))["changed"] is False


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.module}: {case.name}")
def test_a_module_alone_leaves_alone_what_is_left_out(case: Case, service: LocalService, modules: Modules) -> None:
    seeded(service, case)
    result = modules.done(case.module, **options(case))
    named = {name: case.fields[name] for name in (case.fields or {}) if name in case.entry and case.fields}
    assert [item["fields"] for item in result["operations"]] == ([named] if named else [])


def test_an_export_keeps_what_was_done_by_hand(service: LocalService) -> None:
    service.account(ACCOUNT).seed(enabled=True, prefixes=[WHOLE, {**HALF, "excluded": True}])
    service.zone(ZONE).seed(custom_rules=[{**BLOCK, **CONDITION}, {**BLOCK, "ref": "off", "enabled": False}])
    part = host_part("lima", {**host(service), "baseline_custom_rules": []})
    export = export_state(read_part(part, run_module).objects, purge=False)
    applied(service, {**read_back(export_text(export, {})), "baseline_rules": []})
    assert service.writes == []


BEHIND = {**SKIP, "ref": "behind", "expression": "true"}
LOGGED = {**BLOCK, "ref": "logged", "action": "log"}


@pytest.mark.parametrize("module", ["custom_rules", "network_firewall_rules"])
@pytest.mark.parametrize(
    ("existing", "entries", "order"),
    [
        ([BEHIND, BLOCK], [BLOCK, BEHIND], ["login", "behind"]),
        ([BEHIND], [BLOCK, BEHIND], ["login", "behind"]),
        ([BLOCK, BEHIND], [BEHIND, BLOCK], ["login", "behind"]),
        ([BEHIND, {**SKIP, "ref": "other"}, BLOCK], [BLOCK, BEHIND], ["login", "other", "behind"]),
        ([BEHIND, BLOCK], [BLOCK, {**BEHIND, "position": "first"}], ["behind", "login"]),
        ([BEHIND, BLOCK], [BLOCK, {**BEHIND, "position": "after login"}], ["login", "behind"]),
        ([BEHIND, BLOCK], [BLOCK, {**BEHIND, "position": "last"}], ["login", "behind"]),
        ([BEHIND, BLOCK], [BEHIND, {**BLOCK, "position": "first"}], ["login", "behind"]),
        ([BEHIND, BLOCK], [BEHIND, {**BLOCK, "position": "before behind"}], ["login", "behind"]),
        ([BEHIND, BLOCK], [{**BEHIND, "position": "after login"}, BLOCK], ["login", "behind"]),
        (
            [BEHIND, BLOCK],
            [{**BEHIND, "position": "after login"}, {**BLOCK, "position": "after behind"}],
            ["behind", "login"],
        ),
        ([BEHIND, BLOCK], [{**BEHIND, "position": "after login"}], ["login", "behind"]),
        ([BEHIND, BLOCK], [BLOCK, {**BEHIND, "position": "after gone"}], ["login", "behind"]),
        (
            [BEHIND, LOGGED, BLOCK],
            [LOGGED, {**BLOCK, "position": "first"}, {**BEHIND, "position": "last"}],
            ["login", "logged", "behind"],
        ),
        ([BLOCK, BEHIND], [BEHIND, {**BLOCK, "position": "after behind"}], ["login", "behind"]),
    ],
)
def test_a_skip_that_moved_before_the_blocks_of_the_baseline_moves_back(
    existing: Any, entries: Any, order: list[str], module: str, service: LocalService, modules: Modules
) -> None:
    account, zone = service.account(ACCOUNT), service.zone(ZONE)
    (zone if module in AREA_B else account).seed(**{module: copy.deepcopy(existing)})
    given = {"rules": entries, "accept_risks": RISKS}
    predicted = modules.run(module, check=True, context=ROLE, **given)
    done = modules.run(module, context=ROLE, **given)
    assert done["operations"] == predicted["operations"] and done["plan_id"] == predicted["plan_id"]
    listed = zone.custom_rules if module in AREA_B else account.rules_of(module)
    assert [rule["ref"] for rule in listed] == order
    changes = order != [rule["ref"] for rule in existing]
    record = host_record(host_results("lima", {}, {module: predicted}), GENERATED)
    assert record["status"] == ("weakened" if changes else "in_order"), record["reasons"]
    assert modules.run(module, context=ROLE, **given)["changed"] is False


@pytest.mark.parametrize("module", ["custom_rules", "network_firewall_rules"])
def test_a_block_of_everything_without_its_condition_is_a_risk(
    module: str, service: LocalService, modules: Modules
) -> None:
    owner = service.zone(ZONE) if module == "custom_rules" else service.account(ACCOUNT)
    owner.seed(**{module: [{**BLOCK, "expression": "true", **CONDITION}]})
    refused = modules.failed(module, check=True, context=ROLE, rules=[REF])
    assert [risk["code"] for risk in refused["risks"]] == ["blocks_everything"]
    assert "no longer limited by the field exposed_credential_check" in refused["msg"]


@pytest.mark.parametrize(
    ("other", "entry"),
    [({"action": "allow"}, {}), ({"action": "block"}, {"filter": {"id": FILTER_ID, "paused": True}})],
)
def test_a_shared_filter_stays_paused_if_another_rule_needs_it_so(
    other: dict[str, Any], entry: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    second = {**FIREWALL, **other, "id": "c" * 32, "filter": PAUSED}
    service.zone(ZONE).seed(rules=[{**FIREWALL, "filter": PAUSED}, second])
    done = modules.done("firewall_rules", context=ROLE, rules=[ENTRY, {"id": "c" * 32, **entry}])
    assert done["changed"] is False


def test_a_shared_filter_and_its_rules_are_on_again_after_one_run(service: LocalService, modules: Modules) -> None:
    paused = {**FIREWALL, "paused": True, "filter": PAUSED}
    zone = service.zone(ZONE).seed(rules=[paused, {**paused, "id": "c" * 32}])
    rules = [ENTRY, {"id": "c" * 32, "filter": {"expression": "ip.src eq 192.0.2.9"}}]
    given: Any = {"rules": rules, "accept_risks": RISKS}
    assert modules.done("firewall_rules", context=ROLE, **given)["changed"]
    assert not any(rule["paused"] or rule["filter"]["paused"] for rule in zone.rules)
    assert modules.done("firewall_rules", context=ROLE, **given)["changed"] is False


CALM = {"ref": "calm", "expression": "true", "sensitivity": "low"}
STRICT = {"ref": "strict", "expression": "ip.dst in {192.0.2.0/24}", "action": "block"}
FORM = {**STRICT, "expression": 'http.request.uri.path eq "/form"'}


@pytest.mark.parametrize(("module", "strict"), [("ddos_l4_overrides", STRICT), ("ddos_l7_overrides", FORM)])
@pytest.mark.parametrize(
    ("existing", "entries", "order"),
    [
        (["calm", "strict"], ["strict", "calm"], ["strict", "calm"]),
        (["calm"], ["strict", "calm"], ["strict", "calm"]),
        (["strict", "calm"], ["calm", "strict"], ["strict", "calm"]),
        (["logged", "calm"], ["calm", "logged"], ["calm", "logged"]),
        (["calm", "strict"], ["strict", "calm last"], ["strict", "calm"]),
        (["calm", "strict"], ["strict", "calm after strict"], ["strict", "calm"]),
        (["calm", "strict"], ["calm", "strict first"], ["strict", "calm"]),
        (["strict", "calm"], ["strict", "calm first"], ["strict", "calm"]),
    ],
)
def test_an_override_that_moved_before_a_stricter_one_moves_back(
    existing: list[str],
    entries: list[str],
    order: list[str],
    module: str,
    strict: Mapping[str, Any],
    service: LocalService,
    modules: Modules,
) -> None:
    account, zone = service.account(ACCOUNT), service.zone(ZONE)
    owner: Any = zone if module in AREA_B else account
    overrides = {"calm": CALM, "strict": strict, "logged": {**strict, "ref": "logged", "action": "log"}}
    owner.seed(**{module: [raw_override(overrides[ref], module) for ref in existing]})
    given: dict[str, Any] = {"overrides": [], "accept_risks": RISKS}
    for ref, _space, position in (entry.partition(" ") for entry in entries):
        given["overrides"].append({**overrides[ref], **({"position": position} if position else {})})
    predicted = modules.run(module, check=True, context=ROLE, **given)
    done = modules.run(module, context=ROLE, **given)
    assert done["operations"] == predicted["operations"] and done["plan_id"] == predicted["plan_id"]
    assert [rule["ref"] for rule in owner.rules_of(module)] == order
    record = host_record(host_results("lima", {}, {module: predicted}), GENERATED)
    assert record["status"] == ("weakened" if order != existing else "in_order"), record["reasons"]
    assert modules.run(module, context=ROLE, **given)["changed"] is False


def test_no_two_overrides_count_on_each_other(service: LocalService, modules: Modules) -> None:
    """The first one is off, which the second one as it is described would make up for, and the second one is weaker."""
    entries = [override(ref=ref, action="block") for ref in ("first", "second")]
    existing = [{**entries[0], "enabled": False}, {**entries[1], "sensitivity": "low"}]
    account = service.account(ACCOUNT)
    account.seed(ddos_l4_overrides=[raw_override(one, "ddos_l4_overrides") for one in existing])
    modules.done("ddos_l4_overrides", context=ROLE, overrides=entries, accept_risks=RISKS)
    assert "low" not in str(account.rules_of("ddos_l4_overrides"))
