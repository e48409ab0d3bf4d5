# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of an inventory: Ansible reads them for a host or a group, or somebody hears that nobody does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible_collections.edgeops.protection.plugins.plugin_utils._inventory.variable_files import InventoryFiles
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import ENCODER

GROUPS = {"all": ["shop.example", "blog.example"], "ungrouped": [], "zones": ["shop.example", "blog.example"]}
HOSTS = {"inventory/hosts.yml": "---\nzones:\n  hosts: {shop.example: {}, blog.example: {}}\n"}
RULE = "---\na: 1\n"
# The files, and what is said of them: the reason and the file.
UNREAD: Mapping[str, tuple[list[str], list[tuple[str, str]]]] = {
    "all are read": (
        [
            *("host_vars/shop.example.yml", "host_vars/blog.example/main.yaml", "host_vars/blog.example/sub/more.json"),
            *("group_vars/zones", "group_vars/all.yml", "host_vars/.protection.schema.json", "host_vars/README.md"),
            "host_vars/shop.example.yml~",
        ],
        [],
    ),
    "a host that is misspelt": (
        ["host_vars/shpo.example.yml"],
        [("the inventory has no host shpo.example (did you mean shop.example?)", "host_vars/shpo.example.yml")],
    ),
    "a group that is misspelt, as a folder": (
        ["group_vars/zone/main.yml"],
        [("the inventory has no group zone (did you mean zones?)", "group_vars/zone/main.yml")],
    ),
    "a host that is gone": (["host_vars/berlin.yml"], [("the inventory has no host berlin", "host_vars/berlin.yml")]),
    "another ending": (
        ["group_vars/zones.yml.txt", "group_vars/all/more.yml.bak"],
        [
            ("Ansible reads no file that ends in .bak", "group_vars/all/more.yml.bak"),
            ("Ansible reads no file that ends in .txt", "group_vars/zones.yml.txt"),
        ],
    ),
    "a file beside the folder of its host": (
        ["host_vars/shop.example/main.yml", "host_vars/shop.example.yml"],
        [("Ansible reads inventory/host_vars/shop.example/main.yml in its place", "host_vars/shop.example.yml")],
    ),
    "a file with another ending of YAML": (
        ["group_vars/zones.yml", "group_vars/zones.yaml"],
        [("Ansible reads inventory/group_vars/zones.yml in its place", "group_vars/zones.yaml")],
    ),
    "a group among hosts": (
        ["host_vars/zones.yml"],
        [("zones is a group (did you mean group_vars?)", "host_vars/zones.yml")],
    ),
    "a folder that is misspelt": (
        ["hosts_vars/shop.example.yml"],
        [("nobody reads this folder (did you mean host_vars?)", "hosts_vars")],
    ),
}


def inventory_files(folder: Path, files: Mapping[str, str], *sources: str) -> InventoryFiles:
    for name, text in {**HOSTS, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    paths = [str(folder / source) for source in sources or ["inventory"]]
    return InventoryFiles(DataLoader(), paths, GROUPS)


@pytest.mark.parametrize("name", UNREAD)
@pytest.mark.parametrize("source", ["inventory", "inventory/hosts.yml"])
def test_a_file_that_nobody_reads_is_told(
    name: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paths, expected = UNREAD[name]
    files = inventory_files(tmp_path, {f"inventory/{path}": RULE for path in paths}, source)
    assert not files.errors()
    doubts = files.doubts()
    assert [(doubt.problem.rpartition("file: ")[2], doubt.place) for doubt in doubts] == [
        (reason, f"inventory/{path}:1") for reason, path in expected
    ]


# A file, the line of its mistake, and the words of Ansible.
WRONG: Mapping[str, tuple[str, int, str]] = {
    "a colon": ('---\nrules:\n  - {ref: a, expression: f(x, "/a")}\n', 3, "Colons in unquoted values"),
    "a tab": ("---\na:\n\tb: 1\n", 3, "Tabs"),
    "a date that does not exist": ("---\na: 2027-02-30\n", 1, "day is out of range for month"),
    "braces without quotes": ("---\na: {{ b }}\n", 2, "missing quotes around a template"),
    "a bracket": ("---\na: [1\n", 3, "expected ',' or ']'"),
}
WORDS_OF_OLDER_ANSIBLE = {  # of ansible-core before 2.19, if they differ
    "a colon": "expected ',' or '}'",
    "a tab": "found character that cannot start any token",
    "braces without quotes": "found unacceptable key",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_of_yaml_has_its_file_and_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text, line, words = WRONG[name]
    words = words if ENCODER else WORDS_OF_OLDER_ANSIBLE.get(name, words)
    of_host, of_group = "inventory/host_vars/shop.example.yml", "inventory/group_vars/zones/more.yml"
    files = inventory_files(tmp_path, {of_host: text, of_group: text})
    errors = files.errors()
    assert [error.place for error in errors] == [f"{of_host}:{line}", f"{of_group}:{line}"]
    assert all(words in error.problem for error in errors)
    assert [error.place for error in files.errors_of("blog.example")] == [f"{of_group}:{line}"]


@pytest.mark.parametrize(
    ("sources", "files", "expected"),
    [
        (["inventory", "more.yml"], {}, ["there is no inventory more.yml"]),
        (["inventory", "a,b"], {}, []),
        (["inventory"], {"inventory/edgeops.yml": "plugin: edgeops.protection.accounts\n"}, []),
        (
            ["inventory"],
            {"inventory/edgeops.yml": "plugn: edgeops.protection.accounts\n"},
            ["there is no such key plugn (did you mean plugin?) (inventory/edgeops.yml:1)"],
        ),
    ],
)
def test_a_source_that_lists_no_host_is_an_error(
    sources: list[str], files: dict[str, str], expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [error.message for error in inventory_files(tmp_path, files, *sources).errors()] == expected
