# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter coverage: the same answers as the module's, from results and from variables, and sentences for mistakes."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.protection.plugins.filter.coverage import coverage

from tests.fake_service import LocalService
from tests.functional.risk_cases import EXISTING
from tests.support.module_run import ACCOUNT, Modules

ASKED = ["192.0.2.1", "203.0.113.64/27", "2001:db8::/32", "198.51.100.1"]


def test_from_a_result_they_tell_what_the_module_tells(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**EXISTING)
    source = modules.done("protection_info", covers=ASKED)
    bare = {name: value for name, value in source.items() if name not in ("coverage", "covers")}
    assert coverage(bare) == source["coverage"]
    assert coverage(bare, ASKED) == {**source["coverage"], "covers": source["covers"]}
    assert coverage(bare, covers=ASKED[0])["covers"] == source["covers"][:1]


def test_dns_protection_is_a_component_if_its_rules_are_there(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**EXISTING, dns_rules=[{"mode": "enabled"}])
    subsets = ["status", "prefixes", "allowlist", "rules", "filters", "dns_rules"]
    source = modules.done("protection_info", gather_subset=subsets, covers=ASKED)
    bare = {name: value for name, value in source.items() if name not in ("coverage", "covers")}
    assert coverage(bare) == source["coverage"]
    assert coverage(bare, ASKED) == {**source["coverage"], "covers": source["covers"]}
    assert list(source["coverage"]["modes"]) == ["syn_flood", "out_of_state_tcp", "dns"]
    assert list(coverage({**bare, "dns_rules": None})["modes"]) == ["syn_flood", "out_of_state_tcp"]


def test_the_result_of_account_protection_will_do_as_well(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**EXISTING)
    source = modules.done("account_protection", enabled=True)
    assert coverage(source) == source["coverage"]["after"]


def test_variables_are_what_a_new_account_would_become(modules: Modules) -> None:
    desired: dict[str, Any] = {
        "enabled": True,
        "prefixes": [{"prefix": "192.0.2.0/24"}, {"prefix": "192.0.2.64/28", "excluded": True}],
        "allowlist": [{"prefix": "198.51.100.7"}],
        "rules": [{"kind": "syn_flood", "scope": "global"}, {"kind": "out_of_state_tcp", "scope": "global"}],
        "filters": [{"kind": "syn_flood", "expression": "tcp.dstport eq 80", "mode": "disabled"}],
    }
    assert coverage(desired) == modules.done("account_protection", **desired)["coverage"]["after"]


def test_parts_that_variables_lack_are_unknown() -> None:
    source = coverage({"prefixes": [{"prefix": "192.0.2.0/24", "comment": None}]})
    assert source["protected"]["addresses"] == 256
    assert source["effective"] is False
    assert len(source["undecided"]) == 3


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("text", "account: 'text' is a text; write {status: ..., enabled: ..., prefixes: ...}"),
        ({}, "account: it says nothing of status, prefixes, allowlist, rules, filters, dns_rules"),
        ({"prefixes": "192.0.2.0/24"}, "account.prefixes: '192.0.2.0/24' is a text; write [{prefix: ...}]"),
        ({"allowlist": ["192.0.2.0/24"]}, "account.allowlist[0]: '192.0.2.0/24' is a text; write {prefix: ...}"),
        (
            {"rules": [{"scope": "global"}]},
            "account.rules[0].kind: it is missing; write one of syn_flood, out_of_state_tcp",
        ),
        ({"enabled": True, "prefixs": []}, "account.prefixs: there is no such field (did you mean prefixes?)"),
        (
            {
                "prefixes": [{"prefix": "192.0.2.0/24", "exclded": True, "site": "lima"}],
                "rules": [{"knd": "syn_flood"}],
            },
            "2 errors: (1) account.prefixes[0].exclded: there is no such field (did you mean excluded?);"
            " (2) account.rules[0].knd: there is no such field (did you mean kind?)",
        ),
        ({"filters": [{"kind": "dns"}]}, "account.filters[0].kind: 'dns' is none of syn_flood, out_of_state_tcp"),
    ],
)
def test_a_mistake_is_a_sentence(source: Any, message: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        coverage(source)
    assert caught.value.message == f"edgeops.protection.coverage: {message}"


@pytest.mark.parametrize(
    ("addresses", "message"),
    [
        ("203.0.113/24", "covers[0]: '203.0.113/24' is neither an address nor a network"),
        (
            ["x", "192.0.2.1", "y"],
            "2 errors: (1) covers[0]: 'x' is neither an address nor a network;"
            " (2) covers[2]: 'y' is neither an address nor a network",
        ),
        ({"a": 1}, "covers: it is a dictionary; write a list."),
    ],
)
def test_asking_for_what_is_no_address_is_a_sentence(addresses: Any, message: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        coverage({"prefixes": []}, addresses)
    assert caught.value.message == f"edgeops.protection.coverage: {message}"
