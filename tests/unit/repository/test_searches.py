# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whoever searches the pages finds the one that is about it: its title, a heading or its beginning has the words."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Mapping, Sequence

import pytest

from tests.support.ansible_run import REPOSITORY
from tests.support.documents import read_page

SEARCHES: Mapping[str, Sequence[str]] = {  # by page
    "check_mode": ["dry run", "drift"],
    "whole_lists": ["idempotent", "expire", "temporary", "allowlist", "whitelist", "netbox", "nautobot", "ipam"],
    "undo": ["rollback", "revert", "backup", "restore", "undo"],
    "approve": ["approve", "pull request", "merge request"],
    "terraform": ["terraform", "dashboard", "state file", "lock", "phase"],
    "comparison": ["comparison", "octorules", "terraform", "alchemy", "dashboard", "better"],
    "rate_limit": ["rate limit", "429", "too many requests"],
    "rollout": ["monitor", "enable"],
    "adopt": ["import", "export"],
    "credentials": ["token", "permission"],
    "check_inventory": ["pre-commit", "schema", "validate"],
    "automation_platform": ["awx"],
    "report": ["alert"],
    "notify": ["slack", "teams", "pagerduty", "webhook", "notification"],
    "versions": ["upgrade"],
    "README": ["cheat sheet"],
    "expectations": ["unit test"],
    "attack": ["emergency", "incident", "under attack", "mitigate now"],
}
EACH = [(query, page) for page, queries in SEARCHES.items() for query in queries]
BEGINNING = 900  # characters of a page, without its title


def prominent(name: str) -> str:
    """The title, the headings and the beginning of a page, without its examples, in lower case."""
    page = read_page(REPOSITORY / "docs" / f"{name}.md")
    prose = re.sub(r"(?ms)^```.*?^```$", "", page.text)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return " ".join([*headings, prose.partition("\n")[2][:BEGINNING]]).lower()


@pytest.mark.parametrize(("query", "page"), EACH)
def test_a_search_finds_the_page_that_is_about_it(query: str, page: str) -> None:
    text = prominent(page)
    assert all(re.search(rf"\b{re.escape(word)}", text) for word in query.split())


def test_a_number_that_people_search_is_an_entry_of_the_index_for_its_page() -> None:
    """The search of the site takes no numbers, and finds these by the entries alone."""
    configuration = (REPOSITORY / "docs" / "site" / "conf.py").read_text(encoding="utf-8")
    (entries,) = re.findall(r"^ENTRIES = (.*)$", configuration, re.MULTILINE)
    by_page = literal_eval(entries)
    for query, page in EACH:
        if query.isdigit():
            assert query in by_page[f"docs/{page}"]
