# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Declarations: what they say of objects, and that none contradicts itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES, RULES, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import WHOLE_LISTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import (
    BY_NAME,
    READ_ONLY,
    title_of_object,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    Field,
    Nested,
    Resource,
    Single,
    Write,
    options_of,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import SECURITY_LEVEL
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import NETWORK, TEXT

PATCH = Write("PATCH", by_id=True)
CONTRADICTIONS: list[tuple[Resource, dict[str, Any], str]] = [
    (PREFIXES, {"fields": (*PREFIXES.fields, Field("comment", TEXT))}, "a field is declared twice"),
    (PREFIXES, {"key": ("network",)}, "network is not a field of it"),
    (PREFIXES, {"nested": Nested("filter", "filters", PATCH)}, "filter is not a field of it"),
    (STATUS, {"create": PATCH}, "it is created or deleted and has no key"),
    (STATUS, {"delete": PATCH}, "it is created or deleted and has no key"),
    (PREFIXES, {"path": "zones/{zone_id}/prefixes"}, "its path lacks {account_id}"),
    (PREFIXES, {"owner": "zone_id"}, "its path lacks {zone_id}"),
    (PREFIXES, {"fields": (Field("prefix", NETWORK, default="10.0.0.0/8"), *PREFIXES.fields[1:])}, "a field of its key has a default of its own"),
    (PREFIXES, {"listing": Single()}, "a single object has no key, and a collection has one"),
    (CUSTOM_RULES, {"update": PATCH}, "an ordered list is replaced by one call"),
    (FIREWALL_RULES, {"listing": CUSTOM_RULES.listing, "update": Write("PUT")}, "it is a list in an object and has nested objects"),
]  # fmt: skip


def contradictions(resource: Resource) -> list[str]:
    names = [item.name for item in resource.fields]
    unknown = {*resource.key, *([resource.nested.field] if resource.nested else [])} - set(names)
    keys = [item for item in resource.fields if item.name in resource.key]
    checks = {
        "a field is declared twice": len(set(names)) < len(names),
        f"{', '.join(sorted(unknown))} is not a field of it": unknown,
        "it is created or deleted and has no key": not resource.key and (resource.create or resource.delete),
        "a single object has no key, and a collection has one": bool(resource.key)
        == isinstance(resource.listing, Single),
        f"its path lacks {{{resource.owner}}}": resource.owner and f"{{{resource.owner}}}" not in resource.path,
        "a field of its key has a default of its own": any(item.default is not None for item in keys),
        "an ordered list is replaced by one call": resource.is_ordered
        and (not resource.update or resource.update.by_id),
        "it is a list in an object and has nested objects": resource.is_ordered and resource.nested,
    }
    return [problem for problem, applies in checks.items() if applies]


@pytest.mark.parametrize("resource", [*BY_NAME.values(), *READ_ONLY, WHOLE_LISTS], ids=lambda item: item.name)
def test_no_declaration_contradicts_itself(resource: Resource) -> None:
    assert contradictions(resource) == []


@pytest.mark.parametrize(("resource", "change", "problem"), CONTRADICTIONS)
def test_a_declaration_that_contradicts_itself_is_found(
    resource: Resource, change: dict[str, Any], problem: str
) -> None:
    assert problem in contradictions(replace(resource, **change))


def test_keys_are_normalised_and_labels_are_as_people_write_them() -> None:
    assert PREFIXES.key_of({"prefix": "10.0.0.7/24"}) == PREFIXES.key_of({"prefix": "10.0.0.0/24"})
    assert PREFIXES.label_of({"prefix": "10.0.0.7/24"}) == "10.0.0.7/24"
    assert RULES[0].label_of({"scope": "global", "name": "global"}) == "global"
    assert RULES[0].label_of({"scope": "region", "name": "WEUR"}) == "region WEUR"
    assert (STATUS.key_of({"enabled": True}), STATUS.label_of({"enabled": True})) == ((), STATUS.name)


def test_results_and_diffs_show_the_declared_fields_of_nested_objects_too() -> None:
    rule = {"x": 1, "filter": {"y": 2, "expression": "true", "id": "f"}, "id": "r"}
    assert FIREWALL_RULES.declared_values(rule) == {"id": "r", "filter": {"id": "f", "expression": "true"}}
    assert FIREWALL_RULES.declared_values({"filter": None}) == {"filter": None}


def test_options_come_from_the_declaration() -> None:
    spec = options_of(FIREWALL_RULES.fields)
    assert spec["id"] == {"type": "str", "required": True}
    assert spec["filter"]["options"]["paused"] == {"type": "bool"}
    assert "required" not in options_of(STATUS.fields)["enabled"]


GLOBAL = {"scope": "global", "name": "GLOBAL"}
ENTRIES: list[tuple[Resource, dict[str, Any], str, tuple[str, ...]]] = [
    (RULES[0], GLOBAL, "syn_flood global", ("syn_flood global", "SYN_FLOOD Global", "syn_flood global Global")),
    (RULES[0], {"scope": "region", "name": "WEUR"}, "syn_flood region WEUR", ("syn_flood  region weur",)),
    (RULES[0], {"scope": "region", "name": "a b"}, "syn_flood region a b", ()),
    (PREFIXES, {"prefix": "192.0.2.0/24"}, "192.0.2.0/24", ("192.0.2.9/24",)),
    (CUSTOM_RULES, {"ref": "Log in"}, "Log in", ()),
    (STATUS, {"enabled": True}, "tcp_protection_status", ()),
]


@pytest.mark.parametrize(("resource", "obj", "entry", "others"), ENTRIES, ids=[row[2] for row in ENTRIES])
def test_an_entry_names_one_key_however_it_is_written(
    resource: Resource, obj: dict[str, Any], entry: str, others: tuple[str, ...]
) -> None:
    assert resource.entry_of(obj) == entry
    assert {resource.key_of_entry(text) for text in (entry, *others)} == {resource.key_of(obj)}


@pytest.mark.parametrize("entry", ["", "global", "dns global", "syn_flood", "syn_flood ", "tcp_protection"])
def test_another_entry_names_no_key_of_a_resource(entry: str) -> None:
    assert RULES[0].key_of_entry(entry) is None
    assert STATUS.key_of_entry(entry) is None


def test_a_ref_is_named_in_its_own_case() -> None:
    assert (
        CUSTOM_RULES.key_of_entry("login") != CUSTOM_RULES.key_of_entry("Login") != CUSTOM_RULES.key_of_entry("Login ")
    )


def test_a_renamed_field_has_its_own_name_in_both_directions_and_other_fields_stay() -> None:
    shape = SECURITY_LEVEL.shape
    assert shape and shape.from_api({"id": "x", "value": "low", "future": 1}) == {
        "id": "x",
        "level": "low",
        "future": 1,
    }
    assert shape.to_api({"level": "low", "future": 1}) == {"value": "low", "future": 1}
    assert (STATUS.shape, PREFIXES.shape) == (None, None)


def test_an_object_is_named_by_its_key_unless_there_is_one_only() -> None:
    assert SECURITY_LEVEL.title_of({"level": "low"}) == "security level"
    assert PREFIXES.title_of({"prefix": "192.0.2.0/24"}) == "prefix 192.0.2.0/24"
    assert ([field.name for field in SECURITY_LEVEL.levels], STATUS.levels) == (["level"], ())


@pytest.mark.parametrize(
    ("resource", "key", "title"),
    [
        ("custom_rule", "admin", "custom rule admin"),
        ("custom_ruleset_rule", "admin of the ruleset Bots", "rule admin of the ruleset Bots"),
        ("custom_ruleset_rule", "a of the ruleset Bots of the account", "rule a of the ruleset Bots of the account"),
        ("unheard_of", "admin", "unheard_of admin"),
    ],
)
def test_an_object_of_a_result_has_a_title_with_its_key(resource: str, key: str, title: str) -> None:
    assert title_of_object(resource, key) == title
