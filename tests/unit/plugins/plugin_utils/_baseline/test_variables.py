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
    described_by,
    host_part,
    with_own_purge,
    without_omitted,
    wrong_names,
)

from tests.documentation.roles import BASELINE as ROLE

ACCOUNT, ZONE, OTHER = "a" * 32, "b" * 32, "c" * 32
TOKEN = {"edge_api_token": "secret"}
REQUEST, PACKET = {"request": {"path": "/"}}, {"packet": {"destination": "192.0.2.1"}}
RULES = {"baseline_custom_rules": [{"ref": "office"}]}


def test_the_role_documents_every_variable_and_none_besides() -> None:
    assert INVENTORY.keys() <= BASELINE.keys()
    specification = yaml.safe_load(ROLE.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"]
    assert OF_HOST["edge_api_token"]["no_log"]
    assert specification.keys() == BASELINE.keys()


@pytest.mark.parametrize(
    ("variables", "described"),
    [
        ({"edge_account_id": ACCOUNT}, ["account_protection"]),
        ({"edge_account_id": ACCOUNT, "edge_zone_id": ZONE}, ["account_protection"]),
        ({"edge_zone_id": ZONE}, []),
        ({"edge_zone_id": ZONE, "baseline_firewall_rules": []}, []),
        ({"edge_zone_id": ZONE, **RULES}, ["custom_rules"]),
        ({"edge_zone_id": ZONE, "baseline_expectations": [REQUEST]}, ["custom_rules"]),
        ({"edge_account_id": ACCOUNT, "edge_zone_id": ZONE, "baseline_expectations": [PACKET]}, ["account_protection"]),
        (
            {"edge_account_id": ACCOUNT, "baseline_expectations": [{**PACKET, "expect": "blocked"}]},
            ["account_protection", "network_firewall_rules"],
        ),
        ({"edge_zone_id": ZONE, "baseline_custom_rules": []}, ["custom_rules"]),
        (
            {"edge_zone_name": "example.com", **RULES, "baseline_firewall_rules": [{}]},
            ["firewall_rules", "custom_rules"],
        ),
        ({"edge_account_id": ACCOUNT, "edge_zone_id": "", "baseline_custom_rules": []}, ["account_protection"]),
        ({"edge_account_id": ACCOUNT, "baseline_ip_lists": []}, ["ip_lists", "account_protection"]),
    ],
)
def test_a_host_describes_what_it_is(variables: dict[str, Any], described: list[str]) -> None:
    part = host_part("lima", {**TOKEN, **variables})
    assert [*dict.fromkeys(item.module for item in described_by(part))] == described


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
    options = host_part("lima", {**TOKEN, **RULES, **variables}).options
    assert {name: options[name] for name in ("zone_id", "zone_name") if name in options} == zone


def test_messages_name_the_variable_that_takes_effect() -> None:
    variables = {"edge_account_id": ACCOUNT, "edge_api_token": "of the inventory", "baseline_api_token": "of the role"}
    part = host_part("lima", {**variables, "baseline_retries": 2, "baseline_ca_path": None})
    assert part.options == {"account_id": ACCOUNT, "api_token": "of the role", "retries": 2}
    assert part.context.is_role
    assert {option: part.names[option] for option in ("account_id", "api_token", "expected_plan")} == {
        "account_id": "edge_account_id",
        "api_token": "baseline_api_token",
        "expected_plan": "baseline_expected_plan",
    }


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
    with pytest.raises(ValueError, match=r"^(\d errors: \(1\) )?lima ") as caught:
        host_part("lima", variables)
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
        ({"edge_zone_plan": None}, {"name": "shop.example", "account": {"id": ACCOUNT}}),
        (
            {
                "edge_zone_plan": None,
                "edge_zone_account_id": None,
                "edge_zone_status": "moved",
                "edge_zone_paused": True,
            },
            {"name": "shop.example", "status": "moved", "paused": True},
        ),
        ({"edge_zone_name": None}, {"plan": {"legacy_id": "free"}, "account": {"id": ACCOUNT}}),
        ({"baseline_zone_id": "f" * 32}, {}),  # perhaps another zone than that of the inventory
    ],
)
def test_the_inventory_knows_the_zone(changes: dict[str, Any], known: dict[str, Any]) -> None:
    part = host_part("host", {"edge_api_token": "t", "baseline_custom_rules": [], **ZONE_OF_INVENTORY, **changes})
    assert part.context.host.zone == known


def test_omitted_values_are_left_out_however_deep() -> None:
    described = {
        "baseline_prefixes": [{"prefix": "192.0.2.0/24", "comment": "OMIT"}, "OMIT"],
        "baseline_enabled": "OMIT",
    }
    assert without_omitted(described, "OMIT") == {"baseline_prefixes": [{"prefix": "192.0.2.0/24"}]}
    assert without_omitted(described, object()) is described


@pytest.mark.parametrize(
    ("owner", "entry", "what"), [("edge_zone_id", PACKET, "account"), ("edge_account_id", REQUEST, "zone")]
)
def test_expectations_need_an_owner_to_be_checked_on(owner: str, entry: dict[str, Any], what: str) -> None:
    (kind,) = entry
    with pytest.raises(ValueError, match=f"lima has baseline_expectations of a {kind}, but no {what} to check it on"):
        host_part("lima", {owner: ACCOUNT, **TOKEN, "baseline_expectations": [entry]})


@pytest.mark.parametrize(
    ("purge", "own"),
    [
        (True, ["prefixes", "custom_rules"]),
        ("true", ["prefixes", "custom_rules"]),
        (["custom_rules", "ip_lists"], ["custom_rules"]),
        ("prefixes,filters", ["prefixes"]),
        (False, []),
        (None, None),
        ("custom_rule", "custom_rule"),
    ],
)
def test_a_purge_is_about_the_collections_that_a_host_has(purge: Any, own: Any) -> None:
    values = {"baseline_prefixes": [], "baseline_custom_rules": [], "baseline_filters": None, "baseline_purge": purge}
    assert with_own_purge(values)["baseline_purge"] == own


def test_a_collection_that_is_purged_in_vain_is_named() -> None:
    values = {"baseline_prefixes": [], "baseline_purge": ["prefixes", "custom_rules"]}
    (error,) = wrong_names(values)
    problem = "it names custom_rules, and baseline_custom_rules is not set; nothing of it is removed"
    assert error.message == f"baseline_purge: {problem}"
    assert wrong_names({**values, "baseline_purge": True}) == []
