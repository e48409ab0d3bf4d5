# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pages as tests see them: files, task snippets, commands with the output they promise, tables and links.

A YAML block that begins with `# some/path.yml` is that file; all files of a page make one project. A YAML block that
is a list of tasks is a snippet. In a console block `$ ` begins a command, and what follows is its output, in which
`...` stands for whatever is left out. Python blocks run in order, in one namespace. HCL blocks are
parsed. A block that is none of these is
refused, so that nothing on a page goes untested.

sybil and pytest-examples run a block by itself, and prysk a page of commands; here the blocks of a page depend on each
other (files, an inventory, snippets, commands), and share one service.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.support.ansible_run import REPOSITORY

PATHS = tuple(sorted([*REPOSITORY.glob("*.md"), REPOSITORY / "plugins/README.md", *REPOSITORY.glob("docs/*.md")]))
LANGUAGES = ("yaml", "console", "python", "hcl")
FILE = re.compile(r"# ([\w./-]+\.(?:ya?ml|txt))\n")
ASSIGNMENT = re.compile(r"([A-Z_]+)=(.*)")


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` is where it begins."""

    language: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    """A command as a page shows it, and the output that it promises (empty: none is shown)."""

    environment: Mapping[str, str]
    words: Sequence[str]
    shown: str

    def __str__(self) -> str:
        return shlex.join(self.words)

    @property
    def fails(self) -> bool:
        """Whether the page shows it to fail."""
        return "FAILED!" in self.shown


@dataclass(frozen=True)
class Page:
    """A page; its blocks by what is done with them."""

    path: Path
    text: str
    files: Mapping[str, str]
    snippets: Sequence[Any]
    commands: Sequence[Command]
    programs: Sequence[str]
    configurations: Sequence[str]  # of Terraform

    @property
    def name(self) -> str:
        return str(self.path.relative_to(REPOSITORY))

    @property
    def plays(self) -> list[str]:
        """The files that ansible-playbook takes."""
        return [name for name, text in self.files.items() if "/" not in name and isinstance(yaml.safe_load(text), list)]

    @property
    def state(self) -> Mapping[str, Any] | None:
        """What the local service holds when the page begins, where the page says so."""
        return yaml.safe_load(self.files["state.yml"]) if "state.yml" in self.files else None


def read_page(path: Path) -> Page:
    """Raises ValueError for a block that no test would run."""
    text = path.read_text(encoding="utf-8")
    files: dict[str, str] = {}
    snippets: list[Any] = []
    commands: list[Command] = []
    programs: list[str] = []
    configurations: list[str] = []
    for block in blocks_of(text):
        if block.language == "console":
            commands += commands_of(block)
        elif block.language == "python":
            programs.append(block.text)
        elif block.language == "hcl":
            configurations.append(block.text)
        elif block.language == "yaml" and (named := FILE.match(block.text)):
            files[named[1]] = block.text
        elif block.language == "yaml":
            snippets += tasks_of(block)
    return Page(path, text, files, snippets, commands, programs, configurations)


def blocks_of(text: str) -> Iterator[Block]:
    """The fenced blocks; raises ValueError for a fence that is indented, not closed, or of an unknown language."""
    lines = text.splitlines()
    start = 0
    for number, line in enumerate(lines, 1):
        if not line.lstrip().startswith(("```", "~~~")):
            continue
        if not line.startswith("```"):
            raise ValueError(f"line {number}: a fence stands at the beginning of its line, and is ```")
        if not start:
            start = number
            if line[3:] not in LANGUAGES:
                raise ValueError(f"line {number}: no test runs a block of {line[3:] or 'no language'}")
        elif line == "```":
            yield Block(lines[start - 1][3:], "".join(item + "\n" for item in lines[start : number - 1]), start)
            start = 0
    if start:
        raise ValueError(f"line {start}: the block does not end")


def tasks_of(block: Block) -> list[Any]:
    """The tasks of a snippet; raises ValueError where it is something else."""
    tasks = yaml.safe_load(block.text)
    if not isinstance(tasks, list) or not all(isinstance(task, dict) and "name" in task for task in tasks):
        raise ValueError(f"line {block.line}: neither a file, which begins with its path, nor a list of named tasks")
    if any("hosts" in task for task in tasks):
        raise ValueError(f"line {block.line}: a play is a file, which begins with its path")
    return tasks


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block; raises ValueError where output comes before any command."""
    first, *parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    if first or not parts:
        raise ValueError(f"line {block.line}: a console block begins with a command")
    return [_command(part) for part in parts]


def _command(text: str) -> Command:
    typed, _newline, shown = text.partition("\n")
    words = shlex.split(typed)
    environment: dict[str, str] = {}
    while assignment := ASSIGNMENT.fullmatch(words[0]):
        environment[assignment[1]] = assignment[2]
        words = words[1:]
    return Command(environment, words, shown.strip("\n"))


def shows(shown: str, output: str) -> bool:
    """Whether the output holds the lines shown, one after the other, `...` standing for anything left out."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else ".*".join(map(re.escape, line.rstrip().split("..."))) + r"[ ]*\n"
        for line in shown.splitlines()
    )
    return re.search("^" + pattern, output + "\n", re.MULTILINE) is not None


def rows(page: Page, heading: str) -> list[list[str]]:
    """The cells of the table whose header row begins with this word, without header and rule; code marks are dropped."""
    table = re.search(rf"^\| *{re.escape(heading)} *\|.*\n\|[-| :]+\n((?:\|.*\n)+)", page.text, re.MULTILINE)
    if table is None:
        raise ValueError(f"{page.name} has no table of {heading}")
    lines = table[1].splitlines()
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split(" | ")] for line in lines]


def with_table(text: str, head: str, lines: Iterable[Iterable[str]]) -> str:
    """The text of a page with these lines in the table that has this head; raises ValueError if there is none."""
    table = re.search(rf"^{re.escape(head)}\n[-|]+\n((?:\|.*\n)*)", text, re.MULTILINE)
    if table is None:
        raise ValueError(f"no table has the head {head}")
    made = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    return text[: table.start(1)] + made + text[table.end(1) :]


def links(page: Page) -> list[str]:
    """The targets of its links."""
    return re.findall(r"\]\(([^)\s]+)\)", page.text)


def anchors(page: Page) -> set[str]:
    """What a link into the page may name: its headings, as the usual viewers spell them."""
    headings = re.findall(r"^#+ +(.+)$", page.text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
