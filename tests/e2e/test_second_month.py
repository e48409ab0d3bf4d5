# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The second month, played as its page tells it, section by section: files are edited, commands are typed, and Cloudflare
changes in between."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, run_program
from tests.support.documents import FILE, Block, blocks_of, commands_of, read_page, shows
from tests.support.page_project import Project

PAGE = read_page(REPOSITORY / "docs" / "second_month.md")
BERLIN, HAMBURG = "023e105f4ecef8ad9ca31a8372d0c353", "7b1d6c0a9e8f4d3c8a2b5e6f70819a2b"
SHOP, BLOG = "5c2a81f0f7ae4b2d9b1e6f3a7d904c11", "372e67954025e0ba6aaa6d586b9e0b59"
MOVED_SHOP = "8f14e45fceea167a5a36dedd4bea2543"
WAF_ALONE = {"entitled": False, "dns_entitled": False, "firewall_entitled": False}
FIRST = "The second month"


class Section(NamedTuple):
    """A section of the page: its heading, and its blocks."""

    heading: str
    blocks: list[Block]


def sections() -> Iterator[Section]:
    for text in re.split(r"^## ", PAGE.text, flags=re.MULTILINE):
        yield Section(text.partition("\n")[0].removeprefix("# "), [*blocks_of(text)])


def prepare(service: LocalService) -> None:
    service.reset()
    for account, name in ((BERLIN, "Berlin"), (HAMBURG, "Hamburg")):
        service.account(account).seed(name=name, **WAF_ALONE)
    service.zone(SHOP).seed(name="shop.example", plan="business", account_id=BERLIN)
    service.zone(BLOG).seed(name="blog.example", plan="pro", account_id=BERLIN)


def move_the_shop(service: LocalService) -> None:
    service.zone(SHOP).seed(status="moved")
    service.zone(MOVED_SHOP).seed(name="shop.example", plan="business", account_id=HAMBURG, status="pending")


def delete_the_blog(service: LocalService) -> None:
    service.zone(MOVED_SHOP).seed(status="active")
    del service.zones[BLOG]


def make_a_token(service: LocalService) -> None:
    service.add_token("another-token-of-the-local-service", waf="none")


# What people do in the dashboard before a section of the page.
IN_THE_DASHBOARD: Mapping[str, Callable[[LocalService], None]] = {
    FIRST: prepare,
    "Move a zone to another account": move_the_shop,
    "Delete a zone": delete_the_blog,
    "Rotate a token": make_a_token,
}


@pytest.fixture
def project(tmp_path: Path, service: LocalService) -> Project:
    directory = tmp_path / "project"
    directory.mkdir()
    return Project(PAGE, directory, service)


def play(section: Section, project: Project) -> None:
    """Write the files of a section and type its commands, in their order."""
    for block in section.blocks:
        if block.language == "yaml":
            name = FILE.match(block.text)
            assert name, block.text
            path = project.directory / name[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        else:
            type_commands(block, project)


def type_commands(block: Block, project: Project) -> None:
    for command in commands_of(block):
        if command.words[0] == "mv":
            assert not run_program([*command.words], project.directory, {}).returncode
            continue
        run = project.run(command)
        assert shows(command.shown, run.output), f"{command}\n{run.output}"
        assert run.code == 0, run.output


def test_each_change_is_made_and_reported_as_the_page_says(project: Project, service: LocalService) -> None:
    headings = []
    for section in sections():
        if section.heading in IN_THE_DASHBOARD:
            IN_THE_DASHBOARD[section.heading](service)
        play(section, project)
        headings.append(section.heading)
    assert {*IN_THE_DASHBOARD} <= {*headings}
    final = project.play("edgeops.protection.report").done()
    assert "\n3 hosts: 3 in order.\n" in final.output


def test_a_list_is_split_in_one_run(project: Project, service: LocalService) -> None:
    first, *others = sections()
    prepare(service)
    play(first, project)
    play(next(section for section in others if section.heading == "Split a list"), project)
    final = project.play("edgeops.protection.report").done()
    assert "\n4 hosts: 4 in order.\n" in final.output
    assert {item["name"] for item in service.account(BERLIN).document()["lists"]} == {"offices_de", "offices_fr"}
