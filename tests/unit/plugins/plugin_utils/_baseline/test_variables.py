# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    BASELINE,
    INVENTORY,
    OF_HOST,
    OPTIONS,
    parts_of,
    without_omitted,
)

from tests.documentation.roles import BASELINE as ROLE

ACCOUNT, ZONE, OTHER = "a" * 32, "b" * 32, "c" * 32
TOKEN = {"edge_api_token": "secret"}
REQUEST, PACKET = {"request": {"path": "/"}}, {"packet": {"destination": "192.0.2.1"}}
RULES = {"baseline_custom_rules": [{"ref": "office"}]}


def parts(**variables: Any) -> dict[str, dict[str, Any]]:
    """The options of each module that a host needs, by module."""
    return {part.module: part.options for part in parts_of("lima", variables)}


def test_every_variable_is_an_option_and_no_option_has_two() -> None:
    for options in OPTIONS.values():
        assert len({*options.values()}) == len(options)
    assert INVENTORY.keys() <= BASELINE.keys()
    specification = yaml.safe_load(ROLE.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"]
    assert OF_HOST["edge_api_token"]["no_log"]
    assert specification.keys() == BASELINE.keys()  # the role documents every variable, and none besides


@pytest.mark.parametrize(
    ("variables", "modules"),
    [
        ({"edge_account_id": ACCOUNT}, ["account_protection"]),
        ({"edge_account_id": ACCOUNT, "edge_zone_id": ZONE}, ["account_protection"]),
        ({"edge_zone_id": ZONE}, []),
        ({"edge_zone_id": ZONE, "baseline_firewall_rules": []}, []),
        ({"edge_zone_id": ZONE, **RULES}, ["custom_rules"]),
        ({"edge_zone_id": ZONE, "baseline_expectations": [REQUEST]}, ["custom_rules"]),
        ({"edge_account_id": ACCOUNT, "edge_zone_id": ZONE, "baseline_expectations": [PACKET]}, ["account_protection"]),
        ({"edge_zone_id": ZONE, "baseline_custom_rules": []}, ["custom_rules"]),
        (
            {"edge_zone_name": "example.com", **RULES, "baseline_firewall_rules": [{}]},
            ["firewall_rules", "custom_rules"],
        ),
        ({"edge_account_id": ACCOUNT, "edge_zone_id": "", "baseline_custom_rules": []}, ["account_protection"]),
        ({"edge_account_id": ACCOUNT, "baseline_ip_lists": []}, ["ip_lists", "account_protection"]),
    ],
)
def test_a_host_needs_the_modules_of_what_it_is(variables: dict[str, Any], modules: list[str]) -> None:
    assert [*parts(**TOKEN, **variables)] == modules


@pytest.mark.parametrize(
    ("variables", "zone"),
    [
        ({"edge_zone_id": ZONE, "edge_zone_name": "example.com"}, {"zone_id": ZONE}),
        ({"edge_zone_id": ZONE, "baseline_zone_name": "example.com"}, {"zone_name": "example.com"}),
        ({"edge_zone_name": "example.com", "baseline_zone_id": ZONE}, {"zone_id": ZONE}),
        ({"edge_zone_id": "", "edge_zone_name": "example.com"}, {"zone_name": "example.com"}),
        ({"baseline_zone_id": "", "edge_zone_id": ZONE}, {"zone_id": ZONE}),
    ],
)
def test_a_zone_is_named_once(variables: dict[str, Any], zone: dict[str, str]) -> None:
    options = parts(**TOKEN, **RULES, **variables)["custom_rules"]
    assert {name: options[name] for name in ("zone_id", "zone_name") if name in options} == zone


def test_messages_name_the_variable_that_takes_effect() -> None:
    variables = {"edge_account_id": ACCOUNT, "edge_api_token": "of the inventory", "baseline_api_token": "of the role"}
    (part,) = parts_of("lima", {**variables, "baseline_retries": 2, "baseline_ca_path": None})
    assert part.options == {"account_id": ACCOUNT, "api_token": "of the role", "retries": 2}
    assert part.context.is_role
    assert {option: part.names[option] for option in ("account_id", "api_token", "expected_plan")} == {
        "account_id": "edge_account_id",
        "api_token": "baseline_api_token",
        "expected_plan": "baseline_expected_plan",
    }


def test_an_acceptance_for_another_module_of_the_host_is_no_warning() -> None:
    owners = {**TOKEN, "edge_account_id": ACCOUNT, "edge_zone_id": ZONE}
    codes = ["mass_deletion", "weakens_zone"]
    (account,) = parts_of("lima", owners)
    assert account.context.standing(codes) == codes
    rules: dict[str, Any] = {"baseline_custom_rules": []}
    account, zone = parts_of("lima", {**owners, **rules})
    assert (account.context.standing(["mass_deletion", "unprotects_addresses"]), zone.context.standing(codes)) == (
        ["unprotects_addresses"],
        ["weakens_zone"],
    )
    *_account, firewall, custom = parts_of("lima", {**owners, **rules, "baseline_firewall_rules": [{}]})
    assert firewall.context.standing(codes) == custom.context.standing(codes) == []


def test_the_rules_of_a_zone_have_names_of_their_own() -> None:
    variables = {**TOKEN, **RULES, "edge_zone_id": ZONE, "baseline_custom_rules_state": "exact"}
    (part,) = (part for part in parts_of("lima", variables) if part.module == "custom_rules")
    assert (part.options["rules"], part.options["state"]) == (RULES["baseline_custom_rules"], "exact")
    assert (part.names["rules"], part.names["state"]) == ("baseline_custom_rules", "baseline_custom_rules_state")


@pytest.mark.parametrize(
    ("variables", "sentences"),
    [
        (TOKEN, ["lima is neither an account nor a zone: set edge_account_id (baseline_account_id), edge_zone_id"]),
        ({**TOKEN, "edge_zone_id": ZONE, "baseline_enabled": False}, ["lima has baseline_enabled, but no account: set"]),
        ({**TOKEN, "edge_account_id": ACCOUNT, **RULES}, ["lima has baseline_custom_rules, but no zone: set edge_zone_id"]),
        ({"edge_account_id": ACCOUNT, "edge_api_key": "key"}, ["lima lacks credentials: set edge_api_token (baseline_"]),
        ({"edge_account_id": ACCOUNT, "edge_api_token": ""}, ["lima lacks credentials"]),
        ({"edge_account_id": ACCOUNT, **RULES}, ["lima has baseline_custom_rules, but no zone", "lima lacks credentials"]),
    ],
)  # fmt: skip
def test_missing_variables_are_told_at_once(variables: dict[str, Any], sentences: list[str]) -> None:
    with pytest.raises(ValueError, match="^lima ") as caught:
        parts(**variables)
    for sentence in sentences:
        assert sentence in str(caught.value)


ZONE_OF_INVENTORY = {
    "edge_zone_id": ZONE,
    "edge_zone_name": "shop.example",
    "edge_zone_plan": "free",
    "edge_zone_account_id": ACCOUNT,
}


@pytest.mark.parametrize(
    ("changes", "known"),
    [
        ({}, {"name": "shop.example", "plan": {"legacy_id": "free"}, "account": {"id": ACCOUNT}}),
        ({"edge_zone_account_id": None}, {"name": "shop.example", "plan": {"legacy_id": "free"}}),
        ({"edge_zone_plan": None}, {}),
        ({"edge_zone_name": None}, {"plan": {"legacy_id": "free"}, "account": {"id": ACCOUNT}}),
        ({"baseline_zone_id": "f" * 32}, {}),  # perhaps another zone than that of the inventory
    ],
)
def test_the_inventory_knows_the_zone(changes: dict[str, Any], known: dict[str, Any]) -> None:
    parts = parts_of("host", {"edge_api_token": "t", "baseline_custom_rules": [], **ZONE_OF_INVENTORY, **changes})
    assert [part.context.zone for part in parts if part.module == "custom_rules"] == [known]


def test_omitted_values_are_left_out_however_deep() -> None:
    described = {
        "baseline_prefixes": [{"prefix": "192.0.2.0/24", "comment": "OMIT"}, "OMIT"],
        "baseline_enabled": "OMIT",
    }
    assert without_omitted(described, "OMIT") == {"baseline_prefixes": [{"prefix": "192.0.2.0/24"}]}
    assert without_omitted(described, object()) is described


def test_both_modules_of_a_host_share_its_expectations() -> None:
    variables = {"edge_account_id": ACCOUNT, "edge_zone_id": ZONE, **TOKEN}
    shared = parts_of("lima", {**variables, "baseline_expectations": [REQUEST, PACKET]})
    assert [(part.module, part.options["expectations"]) for part in shared] == [
        ("account_protection", [REQUEST, PACKET]),
        ("custom_rules", [REQUEST, PACKET]),
    ]
    assert shared[1].options["rules"] == []


@pytest.mark.parametrize(
    ("owner", "entry", "what"), [("edge_zone_id", PACKET, "account"), ("edge_account_id", REQUEST, "zone")]
)
def test_expectations_need_an_owner_to_be_checked_on(owner: str, entry: dict[str, Any], what: str) -> None:
    (kind,) = entry
    with pytest.raises(ValueError, match=f"lima has baseline_expectations of a {kind}, but no {what} to check it on"):
        parts_of("lima", {owner: ACCOUNT, **TOKEN, "baseline_expectations": [entry]})


OFFICES = {"name": "offices", "items": [{"ip": "192.0.2.1"}]}


@pytest.mark.parametrize(
    ("state", "parts"),
    [
        (None, [("ip_lists", None), ("account_protection", None), ("custom_rules", None)]),
        ("present", [("ip_lists", "present"), ("account_protection", None), ("custom_rules", None)]),
        ("absent", [("account_protection", None), ("custom_rules", None), ("ip_lists_deletion", "absent")]),
        ("exact", [("ip_lists", "exact"), ("account_protection", None), ("custom_rules", None), ("ip_lists_deletion", "exact")]),
    ],
)  # fmt: skip
def test_lists_come_before_the_rules_and_go_after_them(state: str | None, parts: list[tuple[str, str | None]]) -> None:
    variables = {"edge_account_id": ACCOUNT, "edge_zone_id": ZONE, **TOKEN, **RULES}
    variables.update({"baseline_ip_lists": [OFFICES], **({"baseline_ip_lists_state": state} if state else {})})
    found = parts_of("lima", variables)
    assert [(part.name, part.options.get("state")) for part in found] == parts
