# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules of an account: what they read, what they desire, and what they return."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import COLLECTIONS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import ModuleSpec
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

from tests.support.coverage_model import account_state

WHOLE, INFO = MODULE_SPECS["account_protection"], MODULE_SPECS["protection_info"]
PREFIX = {"prefix": "192.0.2.0/24"}
REGION = {"kind": "syn_flood", "scope": "region", "name": "WEUR"}
NOTHING: Any = {"enabled": None, "purge": [], **dict.fromkeys(COLLECTIONS)}


def reads(spec: ModuleSpec, options: Any) -> list[str]:
    return [resource.plural for resource in spec.reads(options, spec.desired(options), {})]


@pytest.mark.parametrize(
    ("module", "options", "plurals"),
    [
        ("tcp_protection_status", {"enabled": True}, ["status"]),
        ("protected_prefixes", {"state": "present", "purge": False, "prefixes": []}, ["prefixes"]),
        ("allowlist_entry", {"state": "present", **PREFIX}, ["allowlist"]),
        ("protection_rule", {"state": "present", **REGION}, ["syn_flood_rules"]),
        ("protection_filter", {"state": "present", "kind": "syn_flood", "expression": "tcp"}, ["syn_flood_filters"]),
        ("account_protection", NOTHING, list(account_state())),
        ("account_protection", {**NOTHING, "dns_rules": []}, [*account_state(), "dns_rules"]),
        ("protection_info", {"covers": None, "gather_subset": ["rules"]}, ["syn_flood_rules", "out_of_state_tcp_rules"]),
        ("protection_info", {"covers": None, "gather_subset": ["dns_rules"]}, ["dns_rules"]),
        ("protection_info", {"covers": ["::1"], "gather_subset": ["rules"]}, list(account_state())),
        ("protection_info", {"covers": ["::1"], "gather_subset": ["dns_rules"]}, [*account_state(), "dns_rules"]),
    ],
)  # fmt: skip
def test_a_module_reads_what_its_options_concern(module: str, options: Any, plurals: list[str]) -> None:
    assert sorted(reads(MODULE_SPECS[module], options)) == sorted(plurals)


def test_coverage_is_gathered_if_the_whole_account_was_read() -> None:
    options: Any = {"gather_subset": ["status"], "covers": ["192.0.2.7"]}
    result = INFO.result(options, (), account_state())
    assert list(result) == ["status", "covers", "coverage"]
    assert [item["protected"] for item in result["covers"]] == [True]
    assert list(INFO.result({**options, "covers": None}, (), {"status": [{"enabled": True}]})) == ["status"]
    with pytest.raises(OptionError, match=r"covers\[1\]: '192.0.2/24' is neither an address nor a network"):
        INFO.reads({**options, "covers": ["::1", "192.0.2/24"]}, (), {})
