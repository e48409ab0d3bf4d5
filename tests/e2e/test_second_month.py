# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The second month, played as its page tells it, section by section: files are edited, commands are typed, and the local
service changes as Cloudflare does in between."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.request import Request, urlopen

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, run_program
from tests.support.documents import FILE, Block, blocks_of, commands_of, read_page, shows
from tests.support.page_project import Project

PAGE = read_page(REPOSITORY / "docs" / "second_month.md")
BERLIN = "023e105f4ecef8ad9ca31a8372d0c353"


class Section(NamedTuple):
    """A section of the page: its heading, and its blocks."""

    heading: str
    blocks: list[Block]


def sections() -> Iterator[Section]:
    for text in re.split(r"^## ", PAGE.text, flags=re.MULTILINE):
        yield Section(text.partition("\n")[0].removeprefix("# "), [*blocks_of(text)])


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
        match command.words:
            case ["mv", *_]:
                assert not run_program([*command.words], project.directory, {}).returncode
                continue
            case ["curl", "-X", method, "--data-binary", file, url]:
                data = (project.directory / file.removeprefix("@")).read_bytes()
                here = url.replace("127.0.0.1:8080", f"127.0.0.1:{project.service.port}")
                with urlopen(Request(here, data=data, method=method)) as answer:
                    assert answer.status == 200
                continue
        run = project.run(command)
        assert shows(command.shown, run.output), f"{command}\n{run.output}"
        assert run.code == 0, run.output


def test_each_change_is_made_and_reported_as_the_page_says(project: Project) -> None:
    for section in sections():
        play(section, project)
    final = project.play("edgeops.protection.report").done()
    assert "\n3 hosts: 3 in order.\n" in final.output


def test_a_list_is_split_in_one_run(project: Project, service: LocalService) -> None:
    first, *others = sections()
    play(first, project)
    play(next(section for section in others if section.heading == "Split a list"), project)
    final = project.play("edgeops.protection.report").done()
    assert "\n4 hosts: 4 in order.\n" in final.output
    assert {item["name"] for item in service.account(BERLIN).document()["lists"]} == {"offices_de", "offices_fr"}
