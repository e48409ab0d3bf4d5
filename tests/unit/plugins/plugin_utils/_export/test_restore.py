# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._text import Advice, Option
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part, described_by
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.recovery import Restoration
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.restore import (
    OF_INVENTORY,
    StateFile,
    difference_message,
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


def restored(document: Any, accept_risks: list[Any] | None = None) -> Restoration:
    return read_file(document, "file.yml").restoration("lima", HOST, {}, accept_risks or [])


def part_of(restoration: Restoration) -> Part:
    assert restoration.part
    return restoration.part


def modules_of(part: Part) -> list[str]:
    return [*dict.fromkeys(item.module for item in described_by(part))]


def test_a_file_is_restored_exactly_with_the_credentials_and_limits_of_the_host() -> None:
    part = part_of(restored(FILE, ["empties_list"]))
    options = part.options
    assert options["prefixes"] == FILE["baseline_prefixes"]
    assert (options["enabled"], options["purge"]) == (True, [*LISTS, "custom_rules"])
    assert (options["staged_rollout"], options["accept_risks"]) == (False, ["empties_list"])
    assert (options["timeout"], options["limits"]) == (5.0, {"max_deletions_percent": 10})
    assert options["custom_rules"] == [{"ref": "a"}]
    assert (options["api_token"], part.names["accept_risks"]) == ("token", "restore_accept_risks")


def test_objects_of_others_stay_theirs() -> None:
    options = part_of(restored(FILE)).options
    assert (options["ignore_ids"], options["custom_rules_ignore"]) == (["p9", "p1"], ["tf_*", "x"])


def test_objects_that_a_file_cannot_describe_are_not_purged() -> None:
    source = {**SOURCE, "incomplete": ["allowlist", "custom_rules"]}
    options = part_of(restored({**FILE, "baseline_source": source})).options
    assert options["purge"] == ["prefixes", "rules", "filters"]


@pytest.mark.parametrize(
    ("kept", "modules"),
    [
        (["baseline_enabled", *(f"baseline_{name}" for name in LISTS)], ["account_protection"]),
        (["baseline_custom_rules"], ["custom_rules"]),
        (["baseline_allowlist"], ["account_protection"]),
    ],
)
def test_only_what_a_file_describes_is_restored(kept: list[str], modules: list[str]) -> None:
    assert modules_of(part_of(restored({name: FILE[name] for name in ("baseline_source", *kept)}))) == modules


def test_a_snapshot_is_read_with_all_of_its_resources() -> None:
    snapshot = {"dns_rules": [], "prefixes": [], "custom_rules": [RULE]}
    part = read_file({"baseline_source": SOURCE, "baseline_snapshot": snapshot}, "file.yml").part("lima", HOST)
    assert (part.options["dns_rules"], modules_of(part)) == ([], ["account_protection", "custom_rules"])


def test_a_snapshot_comes_back_and_what_differs_is_told() -> None:
    snapshot = {"custom_rules": [{**RULE, "exposed_credential_check": {"x": 1}}]}
    file = read_file({"baseline_source": SOURCE, "baseline_snapshot": snapshot}, "file.yml")
    restoration = file.restoration("lima", HOST, {"custom_rules": [{**RULE, "future": 2}]}, [])
    assert part_of(restoration).options["custom_rules"] == [
        {
            "ref": "a",
            "action": "log",
            "expression": "true",
            "api_fields": {"future": None, "exposed_credential_check": {"x": 1}},
        }
    ]
    assert restoration.unmet({"custom_rules": [{**RULE, "future": 2}]}) == [
        "custom rule a (id 1): exposed_credential_check is None instead of {'x': 1}",
        "custom rule a (id 1): future is 2 instead of None",
    ]
    assert restoration.unmet({"custom_rules": snapshot["custom_rules"]}) == []


@pytest.mark.parametrize("validates", [True, False])
@pytest.mark.parametrize("from_export", [True, False])
def test_a_dry_run_asks_the_service_for_no_validation(validates: bool, from_export: bool) -> None:
    content: dict[str, Any] = {"baseline_snapshot": {"custom_rules": [{**RULE, "future": 1}]}}
    if from_export:
        content = {"baseline_custom_rules": [{"ref": "a", "api_fields": {"future": 1}}]}
    file = read_file({"baseline_source": SOURCE, **content}, "file.yml")
    part = part_of(file.restoration("lima", HOST, {"custom_rules": []}, validates=validates))
    assert part.options.get("validate", False) is validates


def test_a_restore_advises_no_staged_rollout() -> None:
    part = part_of(restored({"baseline_source": SOURCE, "baseline_rules": []}))
    assert Advice("; let ", Option("staged_rollout"), " do it").name(part.names) == ""


@pytest.mark.parametrize("exists", [["f1", "f2"], ["f2"], []])
def test_a_duplicate_is_named_once_and_the_other_one_comes_back(exists: list[str]) -> None:
    """The one that still exists, since a module updates it."""
    filters = [{"id": name, "expression": "tcp.dstport eq 80", "mode": "enabled"} for name in ("f1", "f2")]
    current = {"syn_flood_filters": [{**item, "mode": "disabled"} for item in filters if item["id"] in exists]}
    file = read_file({"baseline_source": SOURCE, "baseline_snapshot": {"syn_flood_filters": filters}}, "file.yml")
    (refusal,) = file.restoration("lima", HOST, current).refused
    named = "f1" if exists == ["f2"] else "f2"
    assert f"(id {named}) cannot be brought back: it is a duplicate" in refusal.sentence
    rest = file.restoration("lima", HOST, current, objects=[named])
    rest.require_complete()
    assert [item["mode"] for item in part_of(rest).options["filters"]] == ["enabled"]


def test_an_object_that_cannot_come_back_is_named() -> None:
    prefix = {"id": "p1", "prefix": "203.0.113/24", "comment": "", "excluded": False}
    file = read_file({"baseline_source": SOURCE, "baseline_snapshot": {"prefixes": [prefix]}}, "file.yml")
    file.restoration("lima", HOST, {"prefixes": [prefix]}).require_complete()
    with pytest.raises(ValueError, match=r"The prefix 203.0.113/24 \(id p1\) cannot be brought back: .* Nothing was"):
        file.restoration("lima", HOST, {"prefixes": []}).require_complete()
    file.restoration("lima", HOST, {"prefixes": []}, objects=["p1"]).require_complete()


def test_objects_with_one_unknown_field_are_named_in_one_sentence() -> None:
    prefixes = [
        {"id": f"x{number}", "prefix": f"203.0.{number}.0/24", "comment": "", "excluded": False, "tags": ["a"]}
        for number in range(47)
    ]
    file = read_file({"baseline_source": SOURCE, "baseline_snapshot": {"prefixes": prefixes}}, "file.yml")
    with pytest.raises(
        ValueError, match=r"47 objects cannot be brought back: no option sets its tags\. They are: "
    ) as error:
        file.restoration("lima", HOST, {"prefixes": []}).require_complete()
    assert str(error.value).count("cannot be brought back") == 1 and "and 37 more. Nothing was" in str(error.value)


def test_differences_are_named_in_a_sentence() -> None:
    message = difference_message("file.yml", "lima", [f"prefix {number} is missing" for number in range(12)])
    assert message.startswith("lima is not what file.yml says, though the changes were made: prefix 0 is missing; ")
    assert "; and 2 more. Look at differences" in message


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


@pytest.mark.parametrize("owners", [{"zone_id": "c" * 32}, {"zone_id": ZONE_ID, "account_id": "c" * 32}])
def test_a_file_of_another_owner_is_refused(owners: dict[str, str]) -> None:
    file = StateFile("file.yml", SOURCE)
    file.check_owners("lima", {"zone_id": ZONE_ID.upper(), "account_id": ACCOUNT_ID})
    with pytest.raises(ValueError, match=f"is of another .* that of lima is {'c' * 32}. Use --limit"):
        file.check_owners("lima", owners)
    with pytest.raises(ValueError, match="that of the file is not named"):
        StateFile("file.yml", {}).check_owners("lima", owners)
