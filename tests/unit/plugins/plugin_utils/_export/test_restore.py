# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.restore import parts_to_restore

ACCOUNT_ID, ZONE_ID = "a" * 32, "b" * 32
HOST: dict[str, Any] = {
    "edge_account_id": ACCOUNT_ID,
    "edge_zone_id": ZONE_ID,
    "edge_api_token": "token",
    "baseline_timeout": 5.0,
    "baseline_max_deletions_percent": 10,
    "baseline_prefixes": [{"prefix": "198.51.100.0/24"}],  # of the inventory, and no business of a restore
    "baseline_accept_risks": ["mass_deletion"],
    "baseline_custom_rules_ignore": ["*"],
    "baseline_expected_plan": "",
}
FILE: dict[str, Any] = {
    "baseline_source": {"account_id": ACCOUNT_ID, "zone_id": ZONE_ID},
    "baseline_enabled": True,
    "baseline_prefixes": [{"prefix": "192.0.2.0/24"}],
    "baseline_allowlist": [],
    "baseline_rules": [],
    "baseline_filters": [],
    "baseline_purge": [],
    "baseline_custom_rules": [{"ref": "a"}],
    "baseline_custom_rules_state": "present",
}
LISTS = ["prefixes", "allowlist", "rules", "filters"]


def test_a_file_is_restored_exactly_with_the_credentials_and_limits_of_the_host() -> None:
    account, zone = parts_to_restore("lima", HOST, FILE, "file.yml", ["empties_list"])
    assert account.options["prefixes"] == FILE["baseline_prefixes"]
    assert (account.options["enabled"], account.options["purge"]) == (True, LISTS)
    assert (account.options["staged_rollout"], account.options["accept_risks"]) == (False, ["empties_list"])
    assert (account.options["timeout"], account.options["max_deletions_percent"]) == (5.0, 10)
    assert (zone.options["state"], zone.options["rules"]) == ("exact", [{"ref": "a"}])
    assert "ignore" not in zone.options
    assert all(part.options["api_token"] == "token" for part in (account, zone))
    assert all(part.names["accept_risks"] == "restore_accept_risks" for part in (account, zone))


def test_what_a_file_cannot_describe_is_not_purged() -> None:
    source = {**FILE["baseline_source"], "incomplete": ["allowlist", "custom_rules"]}
    account, zone = parts_to_restore("lima", HOST, {**FILE, "baseline_source": source}, "file.yml")
    assert account.options["purge"] == ["prefixes", "rules", "filters"]
    assert zone.options["state"] == "present"


@pytest.mark.parametrize(
    ("kept", "modules"),
    [
        (["baseline_enabled", *(f"baseline_{name}" for name in LISTS)], ["account_protection"]),
        (["baseline_custom_rules"], ["custom_rules"]),
        (["baseline_allowlist"], ["account_protection"]),
    ],
)
def test_only_what_a_file_describes_is_restored(kept: list[str], modules: list[str]) -> None:
    document = {name: FILE[name] for name in ("baseline_source", *kept)}
    parts = parts_to_restore("lima", HOST, document, "file.yml")
    assert [part.module for part in parts] == modules


def source(**owners: Any) -> dict[str, Any]:
    return {**FILE, "baseline_source": {**FILE["baseline_source"], **owners}}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (None, "file.yml is no snapshot and no export: it lacks baseline_source"),
        ([1], "it lacks baseline_source"),
        ({name: FILE[name] for name in FILE if name != "baseline_source"}, "it lacks baseline_source"),
        ({**FILE, "baseline_accept_risks": ["mass_deletion"]}, "it has baseline_accept_risks, which"),
        ({**FILE, "edge_api_token": "x"}, "it has edge_api_token, which"),
        (source(account_id="c" * 32), f"is of another account: that of the file is {'c' * 32}, and that of lima is {ACCOUNT_ID}"),
        (source(account_id=""), "that of the file is not named"),
        (source(zone_id="c" * 32), f"is of another zone: that of the file is {'c' * 32}, and that of lima is {ZONE_ID}"),
        (source(zone_id="", zone_name="one.example"), "that of the file is one.example"),
    ],
)  # fmt: skip
def test_another_file_is_refused(document: Any, words: str) -> None:
    with pytest.raises(ValueError, match="file.yml is") as caught:
        parts_to_restore("lima", HOST, document, "file.yml")
    assert words in str(caught.value)


def test_a_zone_may_be_named_by_its_domain() -> None:
    host = {"edge_zone_name": "One.example", "edge_api_token": "token"}
    document = {
        "baseline_source": {"zone_name": "one.example"},
        "baseline_custom_rules": [],
    }
    (part,) = parts_to_restore("lima", host, document, "file.yml")
    assert part.options["zone_name"] == "One.example"
