# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Look for newer releases of the judges, and show the facts that differ from those of the releases that the tests use.

    python -m tests.judges.releases

writes .cache/judges.md, and the summary of a job of GitHub, and ends with 1 if a fact differs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import distributions, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.judges import cf
from tests.judges.facts import FACTS, facts_of_operations

ROOT = Path(__file__).parents[2]
PAGE = ROOT / ".cache" / "judges.md"


class Release(NamedTuple):
    """A release of a judge, and its facts."""

    version: str
    facts: frozenset[str]


def difference(judge: str, ours: Release, newest: Release) -> Iterator[str]:
    """The lines of a page on a judge: its versions, and each fact that only one of two releases has."""
    yield f"## {judge}: {ours.version}, newest {newest.version}"
    yield ""
    yield from (f"- gone: {fact}" for fact in sorted(ours.facts - newest.facts))
    yield from (f"- new: {fact}" for fact in sorted(newest.facts - ours.facts))
    if ours.facts == newest.facts:
        yield "No fact differs."
    yield ""


def output_of(words: Iterable[str | Path], path: str = "") -> str:
    """What a program prints; with a path that Python searches first."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [path, str(ROOT)]))}
    command = [str(word) for word in words]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def newest_of_npm() -> Release:
    """The newest release of the command line."""
    newest = output_of(["npm", "view", cf.PACKAGE, "version"]).strip()
    with TemporaryDirectory() as folder:
        operations = cf.extracted(cf.fetched(newest, Path(folder)))
    return Release(newest, frozenset(facts_of_operations(operations)))


def newest_of_pypi(judge: str) -> Release:
    """The newest release of a package of Python, beside the one that is installed."""
    with TemporaryDirectory() as folder:
        output_of([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, judge])
        (found,) = [part.version for part in distributions(path=[folder])]
        lines = output_of([sys.executable, "-m", "tests.judges.facts", judge], folder).splitlines()
    return Release(found, frozenset(lines))


def main() -> int:
    """Write the page; 1 if a fact differs."""
    lines, differing = ["# Newer releases of the judges", ""], False
    for judge, facts in FACTS.items():
        is_npm = judge == cf.PACKAGE
        ours = Release(cf.VERSION if is_npm else version(judge), frozenset(facts()))
        newest = newest_of_npm() if is_npm else newest_of_pypi(judge)
        differing = differing or ours.facts != newest.facts
        lines += difference(judge, ours, newest)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join(lines), encoding="utf-8")
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as summary:
            summary.write("\n".join(lines))
    print("\n".join(lines))
    return int(differing)


if __name__ == "__main__":
    sys.exit(main())
