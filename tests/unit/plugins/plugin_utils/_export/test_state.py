# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import ACCOUNT, CUSTOM, Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import (
    merged,
    reader_of,
    resource_of,
    state_of,
)

TOKEN = {"api_token": "x", "account_id": "a" * 32}
OFFICE, RULE = {"id": "1", "prefix": "192.0.2.0/24"}, {"id": "2", "mode": "enabled"}
RESULT: dict[str, Any] = {
    "status": {"enabled": True},
    "prefixes": [OFFICE],
    "allowlist": [],
    "rules": [{"kind": "syn_flood", **RULE}],
    "filters": [],
}


def test_a_reader_has_the_credentials_and_reads_what_its_part_may_change() -> None:
    reader = reader_of(Part(ACCOUNT, {**TOKEN, "prefixes": [OFFICE], "purge": ["prefixes"]}))
    assert reader.module == "protection_info"
    assert reader.options["api_token"] == "x" and "prefixes" in reader.options["gather_subset"]
    assert not {"prefixes", "purge"} & reader.options.keys()
    assert reader_of(Part(CUSTOM, {"zone_id": "b" * 32, "rules": []})) == Part(
        "custom_rules_info", {"zone_id": "b" * 32}
    )


def test_the_objects_of_a_kind_are_as_the_service_has_them() -> None:
    state = state_of(Part(ACCOUNT, TOKEN), RESULT)
    assert (state["prefixes"], state["syn_flood_rules"], state["out_of_state_tcp_rules"]) == ([OFFICE], [RULE], [])
    assert "dns_rules" not in state


def test_the_states_of_the_parts_are_one() -> None:
    zone = state_of(Part(CUSTOM, {"zone_id": "b" * 32}), {"rules": [RULE]})
    assert merged([{"prefixes": [OFFICE]}, zone]) == {"prefixes": [OFFICE], "custom_rules": [RULE]}


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        (None, "is not the result of protection_info"),
        ({**RESULT, "status": None}, "is not the result of protection_info"),
        ({**RESULT, "prefixes": "192.0.2.0/24"}, "prefixes is not a list"),
        ({name: RESULT[name] for name in RESULT if name != "rules"}, "rules is not a list"),
    ],
)
def test_a_state_that_is_not_known_is_refused(result: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        state_of(Part(ACCOUNT, TOKEN), result)


def test_a_resource_of_another_release_is_named() -> None:
    assert resource_of("prefixes").title == "prefix"
    with pytest.raises(ValueError, match="does not know zones"):
        resource_of("zones")
