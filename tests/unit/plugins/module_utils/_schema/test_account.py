# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The resources of an account: what identifies them, and the names of rules."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ACCOUNT,
    ALLOWLIST,
    COMPONENTS,
    DNS_RULES,
    FILTERS,
    KINDS,
    LISTS,
    RESOURCES,
    RULES,
    STATUS,
    decided_with,
    filters_of,
    of_kind,
    rules_of,
)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"scope": "global"}, "global"),
        ({"scope": "global", "name": "GLOBAL"}, "global"),
        ({"scope": "region", "name": "weur"}, "weur"),
    ],
)
def test_a_global_rule_is_named_global(values: dict[str, Any], name: str) -> None:
    assert RULES[0].semantics.complete(values)["name"] == name


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"scope": "region"}, "needs the code of its region"),
        ({"scope": "datacenter"}, "needs the code of its datacenter"),
        ({"scope": "global", "name": "WEUR"}, "is called global, not 'WEUR'"),
    ],
)
def test_a_rule_without_its_place_is_refused(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        RULES[0].semantics.complete(values)


def test_every_kind_has_its_rules_and_filters() -> None:
    for kind in KINDS:
        assert (of_kind(RULES, kind).kind, of_kind(FILTERS, kind).kind) == (kind, kind)
    assert [item.name for item in RULES[0].fields if item.name == "mitigation_type"] == ["mitigation_type"]
    assert "mitigation_type" not in [item.name for item in RULES[1].fields]


def test_nothing_of_a_collection_is_deleted_but_by_id() -> None:
    assert all(resource.delete is None or resource.delete.by_id for resource in RESOURCES)


def test_every_component_has_its_rules_and_only_those_of_tcp_have_filters() -> None:
    assert [rules_of(name) for name in COMPONENTS] == [*RULES, DNS_RULES]
    assert [filters_of(name) for name in COMPONENTS] == [*FILTERS, None]
    assert [name for name, details in COMPONENTS.items() if not details.is_switched] == ["dns"]


def test_dns_rules_are_those_of_tcp_with_another_sensitivity() -> None:
    names = [item.name for item in DNS_RULES.fields]
    assert names == [*(item.name for item in RULES[1].fields), "profile_sensitivity"]
    assert DNS_RULES.defaults() == {**RULES[1].defaults(), "profile_sensitivity": "low"}
    assert (DNS_RULES.name, DNS_RULES.plural, DNS_RULES.kind) == ("dns_rule", "dns_rules", None)


def test_only_who_names_dns_rules_reads_them() -> None:
    assert [resource for resource in RESOURCES if resource not in ACCOUNT] == [DNS_RULES]
    assert decided_with(ALLOWLIST) == ACCOUNT
    assert decided_with(DNS_RULES) == RESOURCES
    assert {resource.plural for resources in LISTS.values() for resource in resources} == {
        resource.plural for resource in RESOURCES if resource is not STATUS
    }
