# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What `make release-check` says of a checkout."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.sessions.release import problems, wrong_tag

READY = {
    "galaxy.yml": "version: 1.2.0\nrepository: a\ndocumentation: b\nissues: c\n",
    "plugins/module_utils/_api/session.py": 'VERSION = "1.2.0"\n',
    "plugins/modules/thing.py": "version_added: 1.1.0\n",
    "changelogs/changelog.yaml": "releases: {1.2.0: {changes: {release_summary: More.}}}\n",
    "CHANGELOG.md": "## v1\\.2\\.0\n",
    "meta/runtime.yml": 'requires_ansible: ">=2.16.0"\n',
    "docs/versions.md": "| ansible-core | 2.16 and newer | x |\n",
    "docs/check_inventory.md": "    rev: 1.2.0\n",
    "README.md": "ansible-galaxy collection install edgeops-protection-1.2.0.tar.gz\n",
}


def said_of(files: Mapping[str, str], root: Path) -> list[str]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return list(problems(root))


def test_a_checkout_that_is_ready_has_no_problems(tmp_path: Path) -> None:
    assert said_of(READY, tmp_path) == []


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("galaxy.yml", "version: 1.2.0-dev\n", "galaxy.yml: 1.2.0-dev is not MAJOR.MINOR.PATCH."),
        ("galaxy.yml", "version: 1.2.0\nrepository: a\nissues: c\n", "galaxy.yml lacks documentation."),
        ("plugins/module_utils/_api/session.py", 'VERSION = "1.1.0"\n', "api/session.py has another version than galaxy.yml, 1.2.0."),
        (
            "plugins/modules/thing.py",
            "version_added: 1.10.0\n",
            "plugins/modules/thing.py has version_added 1.10.0, which is later than 1.2.0.",
        ),
        ("changelogs/changelog.yaml", "releases: {1.1.0: {}}\n", "The changelog has no 1.2.0; run antsibull-changelog release."),
        ("changelogs/changelog.yaml", "releases: {1.2.0: {}}\n", "The changelog of 1.2.0 has no release_summary."),
        ("changelogs/fragments/late.yml", "bugfixes: [a]\n", "Fragments are left that no release of the changelog contains: late.yml."),
        ("CHANGELOG.md", "## v1\\.1\\.0\n", "CHANGELOG.md has no section of 1.2.0."),
        ("meta/runtime.yml", "requires_ansible: '2.16'\n", "meta/runtime.yml: requires_ansible is 2.16, and not >=MAJOR.MINOR.0."),
        (
            "docs/versions.md",
            "| ansible-core | 2.17 and newer | x |\n",
            "docs/versions.md names another ansible-core than 2.16 of meta/runtime.yml.",
        ),
        ("README.md", "edgeops-protection-1.1.0.tar.gz\n", "README.md installs another version than 1.2.0."),
        ("docs/check_inventory.md", "rev: 1.1.0\n", "docs/check_inventory.md installs another version than 1.2.0."),
    ],
)  # fmt: skip
def test_each_problem_is_named(name: str, text: str, problem: str, tmp_path: Path) -> None:
    assert said_of({**READY, name: text}, tmp_path) == [problem]


def test_a_tag_is_the_version_without_a_prefix() -> None:
    assert list(wrong_tag("1.2.0", "1.2.0")) == []
    assert list(wrong_tag("1.2.0", "v1.2.0")) == ["The tag is v1.2.0, and galaxy.yml has 1.2.0."]
