# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The mutants of a file, and the tests that may notice each."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from zlib import crc32

from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.plugins import get_operator, operator_names
from coverage import CoverageData

from .report import FUNCTIONAL, UNIT

MOST = {UNIT: 60, FUNCTIONAL: 100}  # tests for a mutant, spread over their files
# The first two start ansible-doc, and the third tries random options.
SLOW = tuple(f"{FUNCTIONAL}/test_{name}.py" for name in ("documentation", "documented_risks", "any_options"))
NEAR = (-3, 10)  # lines before and behind a changed one, of which the tests of the rarest notice most
LEFT_OUT = (
    # With `from __future__ import annotations`, the unions of annotations are never evaluated, and there are no others.
    "core/ReplaceBinaryOperator_BitOr_",
    # What is compared are literals and members of enumerations, of which there is one each.
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in ("Eq_Is", "Is_Eq", "NotEq_IsNot", "IsNot_NotEq")),
)
ONE_IN = int(os.environ.get("ONE_IN", "60"))
APART = os.environ.get("APART") == "1"  # each kind of tests tries each mutant


@dataclass(frozen=True)
class Mutant:
    """One way to change a file of plugins/."""

    file: str
    operator: str
    occurrence: int
    line: int

    @property
    def path(self) -> Path:
        """Where the file is."""
        return Path("plugins", self.file)


def mutants_of(file: str) -> Iterator[Mutant]:
    """The mutants of a file that are to be tried: all, or a sample of which a change of other lines changes nothing."""
    tree = get_ast_from_path(Path("plugins", file))
    lines = Path("plugins", file).read_text(encoding="utf-8").splitlines()
    for name in operator_names():
        if name.startswith(LEFT_OUT) or get_operator(name).arguments():
            continue
        operator = get_operator(name)()
        places = chain.from_iterable(map(operator.mutation_positions, ast_nodes(tree)))
        for occurrence, ((row, column), _end) in enumerate(places):
            text = lines[row - 1]
            if crc32(f"{name} {text[:column].strip()} {text[column:]}".encode()) % ONE_IN == 0:
                yield Mutant(file, name, occurrence, row)


class Tests:
    """The tests that may notice what becomes of a file, by the names that pytest gives them."""

    def __init__(self, file: str, names: Iterable[str], measured: CoverageData) -> None:
        self._package = f"{UNIT}/{Path(file).parent}/"
        self._own = f"{self._package}test_{Path(file).name.lstrip('_')}"
        self._near = sorted(name for name in names if name.startswith(self._package))
        self._near.sort(key=lambda name: not name.startswith(self._own))
        (path,) = [path for path in measured.measured_files() if path.endswith(f"plugins/{file}")] or [""]
        contexts = measured.contexts_by_lineno(path) if path else {}
        known = {"", *names}
        self._lines = {line: {name.rpartition("|")[0] for name in run} & known for line, run in contexts.items()}
        nodes = ast.walk(ast.parse(Path("plugins", file).read_bytes()))
        self._statements = [_lines_of(node) for node in nodes if isinstance(node, ast.stmt)]

    def of(self, mutant: Mutant) -> list[str]:
        """The tests for a mutant of a function, all of which run its statement: first those that also run a line near it
        that few run, then the other ones of its package."""
        run = self._run(mutant)
        near = sorted((self._lines.get(mutant.line + away, set()) & run for away in range(*NEAR)), key=len)
        ordered = [name for tests in [*near, run] for name in sorted(tests)]
        return list(
            dict.fromkeys(
                [*_some(UNIT, ordered), *_some(FUNCTIONAL, ordered), *(name for name in self._near if name in run)]
            )
        )

    def suites(self) -> list[list[str]]:
        """The tests for a mutant that changes what the import runs: those of the file, of its package, and functional ones."""
        own = [self._own] if Path(self._own).exists() else []
        suites = [own, [self._package], list(_some(FUNCTIONAL, sorted(set().union(*self._lines.values()))))]
        return [suite for suite in suites if suite]

    def imports(self, mutant: Mutant) -> bool:
        """Whether the import runs what the mutant changes."""
        return "" in self._run(mutant)

    def _run(self, mutant: Mutant) -> set[str]:
        around = [lines for lines in self._statements if mutant.line in lines]
        return set().union(*(self._lines.get(line, ()) for line in min(around, key=len, default=[mutant.line])))


def _lines_of(statement: ast.stmt) -> range:
    """The lines of a statement, without those of the statements in it."""
    inner = getattr(statement, "body", None)
    return range(statement.lineno, inner[0].lineno if inner else (statement.end_lineno or statement.lineno) + 1)


def _some(suite: str, tests: Iterable[str]) -> Iterator[str]:
    """Tests of a suite, of as many files as there are, the first ones of each file before its second ones."""
    files: dict[str, list[str]] = {}
    for test in dict.fromkeys(tests):
        if test.startswith(suite):
            files.setdefault(test.partition("::")[0], []).append(test)
    return islice(filter(None, chain.from_iterable(zip_longest(*files.values()))), MOST[suite])
