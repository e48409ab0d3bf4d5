# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The vendor's own SDK as an independent client of the rulesets."""

from __future__ import annotations

from typing import Any

import cloudflare
import pytest

from tests.fake_service import LocalService

from .conftest import ACCOUNT, ZONE

L4, L7 = "3b64149bfa6e4220bbbc2bd6db589552", "4d21379b4f9f4bb088e0729962c8b3cf"
MANAGED_RULE = "8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10"
L4_OVERRIDE: Any = {
    "action_parameters": {
        "id": L4,
        "overrides": {
            "sensitivity_level": "medium",
            "categories": [{"category": "dns", "action": "log"}],
            "rules": [{"id": MANAGED_RULE, "sensitivity_level": "eoff"}],
        },
    }
}
L7_OVERRIDE: Any = {"action_parameters": {"id": L7, "overrides": {"action": "managed_challenge"}}}
PHASE: Any = "http_request_firewall_custom"
FOREIGN = {
    "id": "3" * 32,
    "ref": "leaked",
    "action": "log",
    "expression": "true",
    "exposed_credential_check": {"username_expression": "a", "password_expression": "b"},
}
SKIP: Any = {
    "ref": "office",
    "action": "skip",
    "action_parameters": {"ruleset": "current", "products": ["waf"]},
    "expression": "ip.src in {192.0.2.0/24}",
    "description": "Office",
    "enabled": True,
    "logging": {"enabled": False},
}


def test_the_entry_point_is_read_and_updated(service: LocalService, sdk: Any) -> None:
    zone = service.zone(ZONE).seed(custom_rules=[FOREIGN])
    phases = sdk.rulesets.phases
    (foreign,) = phases.get(PHASE, zone_id=ZONE).rules
    assert (foreign.ref, foreign.version, foreign.exposed_credential_check.username_expression) == ("leaked", "1", "a")
    rules = [SKIP, foreign.to_dict(mode="json")]
    assert phases.update(PHASE, zone_id=ZONE, rules=rules, dry_run=True) is None
    assert len(zone.custom_rules) == 1
    phases.update(PHASE, zone_id=ZONE, rules=rules)
    assert zone.custom_rules[0].items() >= SKIP.items()
    ours, carried = phases.get(PHASE, zone_id=ZONE).rules
    assert (ours.ref, ours.action_parameters.products, ours.logging.enabled) == ("office", ["waf"], False)
    assert carried.to_dict() == foreign.to_dict()
    assert service.breaches == []


ACCOUNT_PHASES: list[tuple[Any, Any]] = [
    ("magic_transit", {"ref": "scan", "action": "block", "expression": 'ip.proto eq "udp" and udp.dstport in {53 123}'}),
    ("magic_transit", {"ref": "office", "action": "skip", "action_parameters": {"ruleset": "current"}, "expression": "tcp.flags.syn"}),
    ("ddos_l4", {"ref": "calm", "action": "execute", "expression": "ip.dst in {192.0.2.0/24}", **L4_OVERRIDE}),
    ("ddos_l7", {"ref": "calm", "action": "execute", "expression": "true", **L7_OVERRIDE}),
]  # fmt: skip


@pytest.mark.parametrize(("phase", "rule"), ACCOUNT_PHASES)
def test_entry_points_of_an_account(service: LocalService, sdk: Any, phase: Any, rule: Any) -> None:
    service.account(ACCOUNT)
    rulesets, account = sdk.rulesets, {"account_id": ACCOUNT}
    with pytest.raises(cloudflare.NotFoundError, match="10003"):
        rulesets.phases.get(phase, **account)
    assert rulesets.phases.update(phase, **account, rules=[rule], dry_run=True) is None
    rulesets.phases.update(phase, **account, rules=[rule])
    stored = rulesets.phases.get(phase, **account)
    (read,) = stored.to_dict(mode="json")["rules"]
    assert read.items() >= rule.items() and (stored.kind, stored.phase) == ("root", phase)
    one = {"ruleset_id": stored.id, **account}
    more = rulesets.rules.create(**one, **{**rule, "ref": "other"}, position={"before": ""})["rules"]
    edited = rulesets.rules.edit(more[0]["id"], **one, **{**rule, "ref": "other", "description": "new"})["rules"]
    assert [each["description"] for each in edited] == ["new", ""]
    assert len(rulesets.rules.delete(more[0]["id"], **one)["rules"]) == 1
    assert service.breaches == []


@pytest.mark.parametrize(("ruleset", "phase"), [(L4, "ddos_l4"), (L7, "ddos_l7")])
def test_managed_rules_are_read(service: LocalService, sdk: Any, ruleset: str, phase: str) -> None:
    service.account(ACCOUNT)
    managed = sdk.rulesets.get(ruleset, account_id=ACCOUNT)
    assert (managed.kind, managed.phase) == ("managed", phase)
    assert all(rule.id and rule.action and rule.categories for rule in managed.rules)
    assert ruleset in [each.id for each in sdk.rulesets.list(account_id=ACCOUNT)]
    with pytest.raises(cloudflare.APIStatusError):
        sdk.rulesets.delete(ruleset, account_id=ACCOUNT)
    assert service.breaches == []


OVERRIDES = {"id": L4, "overrides": {"sensitivity_level": "low"}}


@pytest.mark.parametrize(
    ("phase", "rule", "message"),
    [
        ("magic_transit", {"action": "challenge", "expression": "sip"}, "block, skip, log"),
        ("magic_transit", {"action": "block", "expression": 'http.host eq "a"'}, "expression"),
        ("magic_transit", {"action": "skip", "expression": "sip"}, "ruleset 'current'"),
        ("ddos_l4", {"action": "block", "expression": "true"}, "there are only execute"),
        (
            "ddos_l4",
            {"action": "execute", "expression": "true", "action_parameters": {"id": L7}},
            "executes the ruleset",
        ),
        *(
            (
                "ddos_l4",
                {"action": "execute", "expression": "true", "action_parameters": {"id": L4, "overrides": overrides}},
                message,
            )
            for overrides, message in (
                ({}, "overrides something"),
                ({"enabled": False}, "cannot be disabled"),
                ({"action": "challenge"}, "block, log"),
                ({"sensitivity_level": "high"}, "default, medium, low, eoff"),
                ({"categories": [{"category": "dsn", "action": "log"}]}, "dsn.* is not in the ruleset"),
                ({"rules": [{"id": "f" * 32, "action": "log"}]}, "is not in the ruleset"),
                ({"rules": [{"id": MANAGED_RULE, "enabled": False}]}, "cannot be disabled"),
            )
        ),
        (
            "ddos_l4",
            {"action": "execute", "expression": "true or " * 600 + "true", "action_parameters": OVERRIDES},
            "longer than 4000",
        ),
    ],
)
def test_rules_that_a_phase_refuses(service: LocalService, sdk: Any, phase: Any, rule: Any, message: str) -> None:
    service.account(ACCOUNT)
    with pytest.raises(cloudflare.BadRequestError, match=message):
        sdk.rulesets.phases.update(phase, account_id=ACCOUNT, rules=[rule])
    assert service.account(ACCOUNT).entry_points == {}


@pytest.mark.parametrize(
    ("phase", "rule"),
    [
        ("magic_transit", {"action": "block", "expression": "ip.src in $blocked"}),
        ("magic_transit", {"action": "block", "expression": 'ip.src.country eq "DE"'}),
        ("ddos_l4", {"action": "execute", "expression": "true", "action_parameters": {"id": L4, "overrides": {"action": "log"}}}),
    ],
)  # fmt: skip
def test_rules_that_take_a_higher_plan(service: LocalService, sdk: Any, phase: Any, rule: Any) -> None:
    account = service.account(ACCOUNT).seed(advanced=False)
    with pytest.raises(cloudflare.PermissionDeniedError, match="not entitled"):
        sdk.rulesets.phases.update(phase, account_id=ACCOUNT, rules=[rule])
    account.seed(advanced=True)
    sdk.rulesets.phases.update(phase, account_id=ACCOUNT, rules=[rule])


@pytest.mark.parametrize(("phase", "most"), [("magic_transit", 3), ("ddos_l4", 10)])
def test_quotas_of_an_account(service: LocalService, sdk: Any, phase: Any, most: int) -> None:
    service.account(ACCOUNT).seed(most_network_firewall_rules=3)
    rule: Any = next(rule for name, rule in ACCOUNT_PHASES if name == phase)
    rules = [{**rule, "ref": f"r{number}"} for number in range(most + 1)]
    with pytest.raises(cloudflare.BadRequestError, match=f"{most + 1} out of {most}"):
        sdk.rulesets.phases.update(phase, account_id=ACCOUNT, rules=rules)
    sdk.rulesets.phases.update(phase, account_id=ACCOUNT, rules=rules[:most])


@pytest.mark.parametrize("option", ["account_id", "zone_id"])
def test_custom_rulesets_and_their_deployment(service: LocalService, sdk: Any, option: str) -> None:
    store: Any = service.account(ACCOUNT) if option == "account_id" else service.zone(ZONE)
    rulesets, owner = sdk.rulesets, {option: ACCOUNT if option == "account_id" else ZONE}
    phase: Any = "http_request_firewall_custom"
    rule = {"ref": "bots", "action": "block", "expression": 'http.user_agent contains "bot"'}
    new = rulesets.create(**owner, name="Office", kind="custom", phase=phase, rules=[rule])
    made = rulesets.get(new["id"], **owner)
    assert (made.kind, made.name, [each.ref for each in made.rules]) == ("custom", "Office", ["bots"])
    deployed = {"ref": "deploy", "action": "execute", "expression": '(cf.zone.plan eq "ENT")'}
    with pytest.raises(cloudflare.BadRequestError, match="there is no custom ruleset"):
        rulesets.phases.update(phase, **owner, rules=[{**deployed, "action_parameters": {"id": "f" * 32}}])
    deploys = {**deployed, "action_parameters": {"id": made.id}}
    if option == "account_id":
        with pytest.raises(cloudflare.BadRequestError, match="needs cf.zone.plan"):
            rulesets.phases.update(phase, **owner, rules=[{**deploys, "expression": "ssl"}])
        skip = {"action": "skip", "expression": "ssl", "action_parameters": {"phase": "current"}}
        with pytest.raises(cloudflare.BadRequestError, match="no parameter phase"):
            rulesets.phases.update(phase, **owner, rules=[skip])
    rulesets.phases.update(phase, **owner, rules=[deploys])
    with pytest.raises(cloudflare.BadRequestError, match="there are only"):
        rulesets.update(made.id, **owner, rules=[deploys])
    with pytest.raises(cloudflare.BadRequestError, match="is deployed"):
        rulesets.delete(made.id, **owner)
    changed = rulesets.update(made.id, **owner, name="Offices", rules=[rule, {**rule, "ref": "more"}])
    assert (changed["name"], len(changed["rules"])) == ("Offices", 2)
    listed = [each.kind for each in rulesets.list(**owner) if each.phase == phase]
    assert listed == [store.entry_points[phase]["kind"], made.kind]
    rulesets.phases.update(phase, **owner, rules=[])
    rulesets.delete(made.id, **owner)
    assert store.custom_rulesets == [] and service.breaches == []


def test_quotas_of_custom_rulesets(service: LocalService, sdk: Any) -> None:
    service.account(ACCOUNT)
    phase: Any = "http_request_firewall_custom"
    rule = {"action": "block", "expression": "ssl"}
    new: Any = {"account_id": ACCOUNT, "kind": "custom", "phase": phase}
    with pytest.raises(cloudflare.BadRequestError, match="101 out of 100"):
        sdk.rulesets.create(name="Long", rules=[rule] * 101, **new)
    for number in range(10):
        sdk.rulesets.create(name=f"Ruleset {number}", rules=[rule] * 2, **new)
    with pytest.raises(cloudflare.BadRequestError, match="exceeded maximum number of custom rulesets: 10"):
        sdk.rulesets.create(name="One more", rules=[], **new)
