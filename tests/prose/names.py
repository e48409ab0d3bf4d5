# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`python -m tests.prose.names` counts the names of parameters and variables that do not say what they hold, and fails if
their share of all names is another one than names.yml has: a share that rose, or one that fell and is not written down."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import yaml

ROOT: Final = Path(__file__).parents[2]
SETTINGS: Final = Path(__file__).with_name("names.yml")
FOLDERS: Final = ("module_utils", "plugin_utils", "action")
MOST_SHOWN: Final = 20


class Name(NamedTuple):
    """A name that a file binds, and the line."""

    text: str
    line: int


class Share(NamedTuple):
    """The names of a house, and those of them that say nothing, each with its file."""

    names: int
    vague: list[str]

    @property
    def per_thousand(self) -> int:
        return round(1000 * len(self.vague) / self.names)


def bound_names(source: str) -> Iterator[Name]:
    """The parameters and variables that a source binds, without `self` and `cls`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg) and node.arg not in ("self", "cls"):
            yield Name(node.arg, node.lineno)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield Name(node.id, node.lineno)


def share_of(sources: Iterator[tuple[str, str]], vague_words: set[str]) -> Share:
    """The share of vague names in sources, each with the title that the list of them shows."""
    count = 0
    vague: list[str] = []
    for title, source in sources:
        for name in bound_names(source):
            count += 1
            if name.text in vague_words:
                vague.append(f"{title}:{name.line}: {name.text}")
    return Share(count, vague)


def sources_of_plugins() -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for path in sorted((ROOT / "plugins" / folder).rglob("*.py")):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def verdict(share: Share, recorded: int) -> str:
    """The reason why the check fails; empty if the share is the recorded one."""
    if share.per_thousand > recorded:
        return (
            f"{share.per_thousand} of 1,000 names say nothing, and {SETTINGS.name} allows {recorded}."
            " Say what each of the new ones holds."
        )
    if share.per_thousand < recorded:
        return f"Fewer names say nothing than before: write {share.per_thousand} into {SETTINGS.name}."
    return ""


def main() -> int:
    settings = yaml.safe_load(SETTINGS.read_text(encoding="utf-8"))
    share = share_of(sources_of_plugins(), set(settings["vague"].split()))
    reason = verdict(share, settings["per_thousand"])
    if not reason:
        return 0
    print(*share.vague[:MOST_SHOWN], reason, sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
