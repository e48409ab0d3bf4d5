# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What Ansible's own documentation shows of the collection leads to files of this repository."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
DOCSITE = ROOT / "docs" / "docsite"
GALAXY = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))
OURS = re.compile(re.escape(GALAXY["repository"]) + r"/blob/main/([\w./-]+)")
FILES = sorted(path for path in DOCSITE.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_links_to_the_repository_lead_to_files(path: Path) -> None:
    links = OURS.findall(path.read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_pages_are_edited_where_the_collection_is() -> None:
    links = yaml.safe_load((DOCSITE / "links.yml").read_text(encoding="utf-8"))
    assert GALAXY["repository"].endswith(links["edit_on_github"]["repository"])
    assert {entry["url"] for entry in links["extra_links"]} > {GALAXY["issues"] + "/new/choose"}


def test_every_page_is_in_a_section() -> None:
    sections = yaml.safe_load((DOCSITE / "extra-docs.yml").read_text(encoding="utf-8"))["sections"]
    listed = [name for section in sections for name in section["toctree"]]
    assert listed == [path.stem for path in sorted((DOCSITE / "rst").glob("*.rst"))]
