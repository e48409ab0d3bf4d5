# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The README and the list behind it name what there is; its numbers stand on the pages that it names; pages stay short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.support.ansible_run import REPOSITORY
from tests.support.documents import Page, read_page, rows

README = read_page(REPOSITORY / "README.md")
PLUGINS = read_page(REPOSITORY / "plugins" / "README.md")
REASONS = re.findall(r"(?ms)^\d\. \*\*.*?(?=^\d\. |^!)", README.text)
READ_IN_TWO_MINUTES = 700  # words, without examples
MOST_PAGES = 50  # in docs; one that is new takes the place of another, or is a section
WORDS_OF_PAGES = 50_000  # of all of them
NUMBER = re.compile(r"\d[\d,.]*\d")


def listed(page: Page, heading: str) -> dict[str, str]:
    """The last cell of each row of a table, by the first cell."""
    return {row[0]: row[-1] for row in rows(page, heading)}


def summary(path: Path) -> str:
    match = re.search(r"^ *short_description: (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert match, path
    return match[1]


def test_the_roles_are_those_that_there_are() -> None:
    files = (REPOSITORY / "roles").glob("*/meta/argument_specs.yml")
    assert listed(PLUGINS, "role") == {path.parts[-3]: summary(path) for path in files}


def test_the_playbooks_are_those_that_there_are() -> None:
    assert listed(README, "playbook").keys() == {path.stem for path in (REPOSITORY / "playbooks").glob("*.yml")}


def test_the_plugins_are_those_that_there_are() -> None:
    plugins = REPOSITORY / "plugins"
    files = [*plugins.glob("filter/*.yml"), *plugins.glob("inventory/*.py"), *plugins.glob("lookup/*.py")]
    summaries = {path.stem: summary(path) for path in files}
    assert listed(PLUGINS, "plugin") == {name: text for name, text in summaries.items() if not is_internal(text)}


def is_internal(text: str) -> bool:
    """Whether the summary of a plugin says that playbooks of the collection alone use it."""
    return text.startswith("(internal)")


def test_one_module_and_one_lookup_are_internal() -> None:
    plugins = REPOSITORY / "plugins"
    files = [*plugins.glob("modules/*.py"), *plugins.glob("*/*.yml"), *plugins.glob("lookup/*.py")]
    assert {str(path.relative_to(plugins)) for path in files if is_internal(summary(path))} == {
        "modules/host.py",
        "lookup/hosts.py",
    }


def test_nothing_that_a_module_writes_is_said_to_be_out_of_reach() -> None:
    disclaimed = README.text.partition("It does not manage")[2].partition("\n\n")[0]
    written = {path.stem.replace("_", " ") for path in (REPOSITORY / "plugins/modules").glob("*.py")}
    assert "DNS records" in disclaimed
    assert not [name for name in written if re.search(rf"(?:write|,) {name}(?! of an account)", disclaimed)]


def test_the_readme_is_read_in_two_minutes() -> None:
    prose = re.sub(r"(?ms)^```.*?^```$", "", README.text)
    assert len(prose.split()) <= READ_IN_TWO_MINUTES


def test_a_fact_that_a_page_gains_takes_the_place_of_another_one() -> None:
    pages = [*(REPOSITORY / "docs").glob("*.md")]
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= WORDS_OF_PAGES
    assert len(pages) <= MOST_PAGES


@pytest.mark.parametrize("reason", REASONS, ids=range(1, len(REASONS) + 1))
def test_the_numbers_of_a_reason_stand_on_the_page_that_it_names(reason: str) -> None:
    (page,) = set(re.findall(r"\((docs/(?:evidence|performance)\.md)\)", reason))
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    numbers = set(NUMBER.findall(reason.partition("**")[2]))
    assert len(REASONS) == 3 and numbers
    assert {number for number in numbers if number not in text} == set()
    commands = re.findall(r"`make (\w+)`", reason)
    assert commands and all(f"make {command}" in text for command in commands)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_contributors_find_the_commands_of_the_tests(page: str) -> None:
    """The page names them, and what they need; the Makefile has each."""
    text = " ".join((REPOSITORY / page).read_text(encoding="utf-8").split())
    targets = {"make demo", "make test", "make e2e"}
    assert {f"`{target}`" for target in targets if f"`{target}`" not in text} == set()
    assert "git, make and Python 3.11 or newer" in text and "`.venv`" in text
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert {
        target for target in targets if target.removeprefix("make ") not in re.findall(r"[\w-]+", makefile)
    } == set()


def test_the_variables_that_matter_are_variables_of_the_role() -> None:
    folder = REPOSITORY / "roles" / "baseline"
    options = yaml.safe_load((folder / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))
    text = (folder / "README.md").read_text(encoding="utf-8").partition("## The variables that matter")[2]
    names = set(re.findall(r"(?m)`(baseline_\w+)`", "".join(re.findall(r"(?m)^\| `[^|]*", text))))
    assert names and names <= options["argument_specs"]["main"]["options"].keys()
