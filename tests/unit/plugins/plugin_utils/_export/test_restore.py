# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._text import Advice, Option
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part, described_by
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.state_file import (
    OF_INVENTORY,
    StateFile,
    differences_in,
    read_file,
)

ACCOUNT_ID, ZONE_ID = "a" * 32, "b" * 32
INVENTORY: dict[str, Any] = {
    "edge_account_id": ACCOUNT_ID,
    "edge_zone_id": ZONE_ID,
    "edge_api_token": "token",
    "baseline_timeout": 5.0,
    "baseline_limits": {"max_deletions_percent": 10},
    "baseline_prefixes": [{"prefix": "198.51.100.0/24"}],  # of the inventory, and no business of a restore
    "baseline_accept_risks": ["mass_deletion"],
    "baseline_custom_rules_ignore": ["tf_*"],
    "baseline_ignore_ids": ["p9"],
    "baseline_expected_plan": "",
}
HOST = {name: value for name, value in INVENTORY.items() if name in OF_INVENTORY}
SOURCE = {"account_id": ACCOUNT_ID, "zone_id": ZONE_ID}
FILE: dict[str, Any] = {
    "baseline_source": SOURCE,
    "baseline_enabled": True,
    "baseline_prefixes": [{"prefix": "192.0.2.0/24"}],
    "baseline_allowlist": [],
    "baseline_rules": [],
    "baseline_filters": [],
    "baseline_purge": [],
    "baseline_ignore_ids": ["p1"],
    "baseline_custom_rules": [{"ref": "a"}],
    "baseline_custom_rules_ignore": ["x"],
}
LISTS = ["prefixes", "allowlist", "rules", "filters"]
RULE = {"id": "1", "ref": "a", "action": "log", "expression": "true"}


def restored(document: Any, accept_risks: list[Any] | None = None) -> Part:
    return read_file(document, "file.yml").part("lima", HOST, accept_risks or [])


def modules_of(part: Part) -> list[str]:
    return [*dict.fromkeys(item.module for item in described_by(part))]


def test_a_file_is_restored_exactly_with_the_credentials_and_limits_of_the_host() -> None:
    part = restored(FILE, ["empties_list"])
    options = part.options
    assert options["prefixes"] == FILE["baseline_prefixes"]
    assert (options["enabled"], options["purge"]) == (True, [*LISTS, "custom_rules"])
    assert (options["staged_rollout"], options["accept_risks"]) == (False, ["empties_list"])
    assert (options["timeout"], options["limits"]) == (5.0, {"max_deletions_percent": 10})
    assert options["custom_rules"] == [{"ref": "a"}]
    assert (options["api_token"], part.names["accept_risks"]) == ("token", "restore_accept_risks")


def test_objects_of_others_stay_theirs() -> None:
    options = restored(FILE).options
    assert (options["ignore_ids"], options["custom_rules_ignore"]) == (["p9", "p1"], ["tf_*", "x"])


def test_objects_that_a_file_cannot_describe_are_not_purged() -> None:
    source = {**SOURCE, "incomplete": ["allowlist", "custom_rules"]}
    options = restored({**FILE, "baseline_source": source}).options
    assert options["purge"] == ["prefixes", "rules", "filters"]


@pytest.mark.parametrize(
    ("owner", "kept", "modules"),
    [
        ("account_id", ["baseline_enabled", *(f"baseline_{name}" for name in LISTS)], ["account_protection"]),
        ("account_id", ["baseline_allowlist"], ["account_protection"]),
        ("zone_id", ["baseline_custom_rules"], ["custom_rules"]),
    ],
)
def test_only_what_a_file_describes_is_restored(owner: str, kept: list[str], modules: list[str]) -> None:
    described = {name: FILE[name] for name in kept}
    assert modules_of(restored({"baseline_source": {owner: SOURCE[owner]}, **described})) == modules


def test_a_snapshot_is_restored_with_all_of_its_resources_and_no_variables() -> None:
    snapshot = {"dns_rules": [], "prefixes": [], "custom_rules": [RULE]}
    source = {**SOURCE, "named": {"prefixes": [{"prefix": "192.0.2.0/24"}]}}
    file = read_file({"baseline_source": source, "baseline_snapshot": snapshot}, "file.yml")
    part = file.part("lima", HOST, [], ["p1"], ["tags"])
    assert [item.resource.plural for item in described_by(part)] == ["prefixes", "dns_rules", "custom_rules"]
    assert part.options["restored"] == {
        "objects": snapshot,
        "named": source["named"],
        "leave_objects": ["p1"],
        "leave_fields": ["tags"],
    }
    assert not {"dns_rules", "prefixes", "custom_rules"} & part.options.keys()


@pytest.mark.parametrize("validates", [True, False])
@pytest.mark.parametrize(
    "content", [{"baseline_snapshot": {"custom_rules": [RULE]}}, {"baseline_custom_rules": [{"ref": "a"}]}]
)
def test_a_dry_run_asks_the_service_for_no_validation(validates: bool, content: dict[str, Any]) -> None:
    file = read_file({"baseline_source": SOURCE, **content}, "file.yml")
    assert file.part("lima", HOST, validates=validates).options["validate"] is validates


def test_a_restore_advises_no_staged_rollout() -> None:
    part = restored({"baseline_source": SOURCE, "baseline_rules": []})
    assert Advice("; let ", Option("staged_rollout"), " do it").name(part.names) == ""


def test_differences_are_named_by_one_more_prediction() -> None:
    operations: list[dict[str, Any]] = [
        {"action": "create", "resource": "prefix", "key": "192.0.2.0/24", "fields": {"comment": ""}, "before": {}},
        {"action": "delete", "resource": "custom_rule", "key": "a", "fields": {}, "before": {"ref": "a"}},
        {"action": "update", "resource": "prefix", "key": "x", "fields": {"comment": "b"}, "before": {"comment": "a"}},
    ]
    texts = [
        "prefix 192.0.2.0/24 is missing",
        "custom rule a is there in addition",
        "prefix x: comment is 'a' instead of 'b'",
    ]
    assert differences_in({"operations": operations}) == texts
    file = StateFile("file.yml", SOURCE)
    assert file.unmet("lima", {"operations": []}) == {}
    unmet = file.unmet("lima", {"operations": [operations[0]] * 12})
    assert unmet["msg"].startswith(
        "lima is not what file.yml says, though the changes were made: prefix 192.0.2.0/24 is"
    )
    assert "; and 2 more. Look at differences" in unmet["msg"] and unmet["failed"] is True
    assert file.unmet("lima", {"failed": True, "msg": "It cannot be brought back."})["differences"] == [
        "It cannot be brought back."
    ]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (None, "baseline_source: it is missing; write {account_id: ..., zone_id: ..., incomplete: ...}."),
        ([1], "baseline_source: it is missing"),
        ({name: FILE[name] for name in FILE if name != "baseline_source"}, "baseline_source: it is missing"),
        ({**FILE, "baseline_accept_risks": ["mass_deletion"]}, "baseline_accept_risks: there is no such option"),
        ({**FILE, "edge_api_token": "x"}, "edge_api_token: there is no such option"),
        (
            {**FILE, "baseline_source": {**SOURCE, "incomplete": {}}},
            "baseline_source.incomplete: it is a dictionary; write",
        ),
        (
            {**FILE, "baseline_source": {**SOURCE, "ignore": {"x": 5}}},
            "baseline_source.ignore.x: there is no such field",
        ),
        (
            {**FILE, "baseline_source": {**SOURCE, "named": {"prefixes": [5]}}},
            "prefixes[0]: 5 is a number; write {key: ...}.",
        ),
        (
            {**FILE, "baseline_source": {**SOURCE, "zone_id": [5]}},
            "baseline_source.zone_id: it is a list; write a text.",
        ),
    ],
)
def test_another_file_is_refused(document: Any, words: str) -> None:
    with pytest.raises(ValueError, match=r"file\.yml is neither a snapshot nor an export: ") as caught:
        read_file(document, "file.yml")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("snapshot", "words"),
    [
        ([], "baseline_snapshot: it is a list; write"),
        ({"prefixes": {}}, r"prefixes: it is a dictionary; write \[{key: ...}\]\."),
        ({"prefixes": [5]}, r"prefixes\[0\]: 5 is a number; write {key: ...}\."),
        ({"zones": []}, "has zones, which this release of the collection does not know"),
    ],
)
def test_a_damaged_snapshot_is_refused(snapshot: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_file({"baseline_source": SOURCE, "baseline_snapshot": snapshot}, "file.yml")


@pytest.mark.parametrize(
    ("owners", "own", "words"),
    [
        ("account_id", "edge_zone_name", "file.yml is of an account, and shop is a zone. Use --limit, or the file of"),
        (
            "zone_id",
            "baseline_account_id",
            "file.yml is of a zone, and shop is an account. Use --limit, or the file of",
        ),
    ],
)
def test_a_file_of_an_account_is_none_of_a_zone(owners: str, own: str, words: str) -> None:
    file = StateFile("file.yml", {owners: "c" * 32})
    with pytest.raises(ValueError, match=words):
        file.check_kind("shop", {own: "d" * 32})
    file.check_kind("shop", {own: "d" * 32, f"edge_{owners}": "c" * 32})
    file.check_kind("shop", {})


@pytest.mark.parametrize("owners", [{"zone_id": "c" * 32}, {"zone_id": ZONE_ID, "account_id": "c" * 32}])
def test_a_file_of_another_owner_is_refused(owners: dict[str, str]) -> None:
    file = StateFile("file.yml", SOURCE)
    file.check_owners("lima", {"zone_id": ZONE_ID.upper(), "account_id": ACCOUNT_ID})
    with pytest.raises(ValueError, match=f"is of another .* that of lima is {'c' * 32}. Use --limit"):
        file.check_owners("lima", owners)
    with pytest.raises(ValueError, match="that of the file is not named"):
        StateFile("file.yml", {}).check_owners("lima", owners)
