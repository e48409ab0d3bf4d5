# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of a group has what all its hosts have in common, and the file of a host the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import EXPORT_NAME, sealed
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.shared_file import (
    GroupMistake,
    Member,
    SharedFile,
    common_variables,
    kept_file,
    require_in_group,
    sentence_on,
    shared_path,
    variables_left,
    whole_file,
    write_shared,
)

SHOP, BLOG = "1" * 32, "2" * 32
ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
RULES = {"baseline_custom_rules": [ADMIN]}
HIGH = {"baseline_security_level": "high"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "group_vars").mkdir()
    return tmp_path


def member(zone_id: str = SHOP, owner: str = "zone_id", **values: Any) -> Member:
    path = Path("group_vars", "shops.yml").absolute()
    fields: dict[str, Any] = {"host": zone_id[0], "variables": RULES, **values}
    return Member(group="shops", path=path, owners={owner: zone_id}, identities=[zone_id], **fields)


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        (RULES, RULES, RULES),
        ({**RULES, **HIGH}, RULES, RULES),
        (RULES, {"baseline_custom_rules": []}, {}),
        # Other types are other values.
        (
            {"baseline_custom_rules": [{**ADMIN, "enabled": True}]},
            {"baseline_custom_rules": [{**ADMIN, "enabled": 1}]},
            {},
        ),
        # A rule of one zone, and what is no variable of a baseline.
        *[({"baseline_custom_rules": [{**ADMIN, "description": zone}]},) * 2 + ({},) for zone in (SHOP, BLOG)],
        *[({name: "same"},) * 2 + ({},) for name in ("baseline_source", "edge_zone_id")],
    ],
)
def test_hosts_have_in_common_what_all_of_them_have(
    first: dict[str, Any], second: dict[str, Any], common: dict[str, Any]
) -> None:
    members = [member(SHOP, variables=first), member(BLOG, variables=second)]
    assert common_variables(members) == common
    assert common_variables(members[:1]) == {}


@pytest.mark.parametrize(
    ("variables", "above", "left"),
    [
        ({**RULES, **HIGH}, [], HIGH),
        (RULES, ["baseline_custom_rules"], RULES),
        (HIGH, [], {**HIGH, "baseline_custom_rules": None}),
        ({"baseline_custom_rules": []}, [], {"baseline_custom_rules": []}),
    ],
)
def test_a_host_keeps_what_its_group_does_not_say(
    variables: dict[str, Any], above: list[str], left: dict[str, Any]
) -> None:
    assert variables_left(member(variables=variables, above=above), RULES) == left


def test_a_file_of_a_group_is_written_once_and_says_so(folder: Path) -> None:
    members = [member(SHOP), member(BLOG)]
    file = whole_file(members)
    assert sentence_on(file, check_mode=True).endswith(
        "would have 1 variable that 2 hosts of the group shops have in common."
    )
    assert write_shared(file, check_mode=True)["after"] and not file.path.exists()
    assert write_shared(file, check_mode=False)["after"] == file.path.read_text(encoding="utf-8")
    again = whole_file(members)
    assert (write_shared(again, check_mode=False), again.is_written) == ({}, False)
    assert "has 1 variable" in sentence_on(again, check_mode=True)
    file.path.write_text(f"{file.text}# mine\n", encoding="utf-8")
    with pytest.raises(GroupMistake, match="was edited since its export. Nothing was written."):
        whole_file(members)
    assert whole_file([member._replace(overwrites=True) for member in members]).is_written


def test_a_file_stays_if_hosts_of_the_group_were_not_read(folder: Path) -> None:
    file = kept_file([member()], ["blog"], {**RULES, "mine": 1})
    assert (dict(file.variables), write_shared(file, check_mode=False)) == (RULES, {})
    sentence = "is not written, since this run did not read all hosts of the group shops: blog may need another value."
    assert sentence in sentence_on(file, check_mode=False)
    file.path.touch()
    assert "stays as it is" in sentence_on(file, check_mode=False)


def test_accounts_and_zones_share_nothing() -> None:
    with pytest.raises(GroupMistake, match="2 is an account: they share no variables"):
        whole_file([member(SHOP), member(BLOG, owner="account_id")])


def test_a_host_is_in_its_group() -> None:
    groups = {"shops": ["shop"], "blogs": ["blog"], "all": ["shop", "blog"]}
    require_in_group("shop", "shops", groups)
    with pytest.raises(GroupMistake, match=r"shop is not in the group shop \(export_group\).*did you mean shops"):
        require_in_group("shop", "shop", groups)


def test_the_file_is_in_the_folder_of_the_group_if_there_is_one(folder: Path) -> None:
    assert shared_path("host_vars", "shops") == folder / "group_vars" / "shops.yml"
    (folder / "group_vars" / "shops").mkdir()
    path = shared_path("host_vars", "shops")
    assert path == folder / "group_vars" / "shops" / EXPORT_NAME
    assert "=../../host_vars/" in SharedFile(path, "shops", RULES, ["shop"]).text


@pytest.mark.parametrize(
    ("directory", "files", "mistake"),
    [
        ("exported", [], "Set export_directory to a folder of that name, such as exported/host_vars"),
        ("host_vars", ["shops.yml"], "shops.yml is not an export. Nothing was written. Move it to .*shops/main.yml"),
        ("host_vars", [f"shops/{EXPORT_NAME}"], "is not an export. Nothing was written. Give it another name."),
        ("host_vars", ["shops.yml", "shops/main.yml"], "which Ansible does not read beside the folder"),
    ],
)
def test_a_file_that_people_wrote_stays(folder: Path, directory: str, files: list[str], mistake: str) -> None:
    for name in files:
        path = folder / "group_vars" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine: 1\n", encoding="utf-8")
    with pytest.raises(GroupMistake, match=mistake):
        shared_path(directory, "shops")


def test_an_edited_export_is_still_one(folder: Path) -> None:
    path = folder / "group_vars" / "shops.yml"
    path.write_text(sealed("# About\nmine: 1\n") + "more: 1\n", encoding="utf-8")
    assert shared_path("host_vars", "shops") == path
