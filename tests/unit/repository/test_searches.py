# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whoever searches the pages finds the one that is about it: its title, a heading or its beginning has the words."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Mapping

import pytest

from tests.support.ansible_run import REPOSITORY
from tests.support.documents import read_page

SEARCHES: Mapping[str, str] = {
    "dry run": "check_mode",
    "drift": "check_mode",
    "idempotent": "whole_lists",
    "rollback": "undo",
    "revert": "undo",
    "backup": "undo",
    "restore": "undo",
    "undo": "undo",
    "approve": "approve",
    "pull request": "approve",
    "merge request": "approve",
    "expire": "whole_lists",
    "temporary": "whole_lists",
    "terraform": "terraform",
    "dashboard": "terraform",
    "state file": "terraform",
    "lock": "terraform",
    "rate limit": "rate_limit",
    "429": "rate_limit",
    "too many requests": "rate_limit",
    "allowlist": "whole_lists",
    "whitelist": "whole_lists",
    "monitor": "rollout",
    "enable": "rollout",
    "import": "adopt",
    "export": "adopt",
    "token": "credentials",
    "permission": "credentials",
    "pre-commit": "check_inventory",
    "schema": "check_inventory",
    "validate": "check_inventory",
    "awx": "automation_platform",
    "alert": "report",
    "slack": "notify",
    "teams": "notify",
    "pagerduty": "notify",
    "webhook": "notify",
    "notification": "notify",
    "netbox": "ipam",
    "nautobot": "ipam",
    "ipam": "ipam",
    "upgrade": "versions",
    "cheat sheet": "README",
    "phase": "terraform",
    "unit test": "expectations",
    "emergency": "attack",
    "incident": "attack",
    "under attack": "attack",
    "mitigate now": "attack",
}
BEGINNING = 900  # characters of a page, without its title


def prominent(name: str) -> str:
    """The title, the headings and the beginning of a page, without its examples, in lower case."""
    page = read_page(REPOSITORY / "docs" / f"{name}.md")
    prose = re.sub(r"(?ms)^```.*?^```$", "", page.text)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return " ".join([*headings, prose.partition("\n")[2][:BEGINNING]]).lower()


@pytest.mark.parametrize(("query", "page"), SEARCHES.items())
def test_a_search_finds_the_page_that_is_about_it(query: str, page: str) -> None:
    text = prominent(page)
    assert all(re.search(rf"\b{re.escape(word)}", text) for word in query.split())


def test_a_number_that_people_search_is_an_entry_of_the_index_for_its_page() -> None:
    """The search of the site takes no numbers, and finds these by the entries alone."""
    configuration = (REPOSITORY / "docs" / "site" / "conf.py").read_text(encoding="utf-8")
    (entries,) = re.findall(r"^ENTRIES = (.*)$", configuration, re.MULTILINE)
    by_page = literal_eval(entries)
    for query, page in SEARCHES.items():
        if query.isdigit():
            assert query in by_page[f"docs/{page}"]
