# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tries mutants: forks a process for each, which runs tests until one fails. Works on the folder that it is started in;
`make mutants` makes a copy.

To import the collection and to collect its tests takes longer than to run some. So pytest collects all of them once, and the
child exchanges the code of the functions that the mutant changes. If the mutant changes what the import runs, and no test
fails, another child starts pytest. `cosmic-ray exec` starts pytest for each mutant. mutmut forks as well, but it names a
mutant by its number in a function, so that each change of the function would lose the explanations in survivors.txt.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import NoReturn, TypeAlias

import coverage
import pytest
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator

from .choice import APART, SLOW, Mutant, Tests, mutants_of
from .report import FUNCTIONAL, UNIT, line_of

OPTIONS = ("-x", "-p", "no:terminal", "-p", "_hypothesis_pytestplugin", "--basetemp=.tmp")
SECONDS_OF_WORK = 10  # of the processor, several times what a test takes; a mutant that loops for ever ends here
SECONDS_OF_SUITE = 60
SECONDS = 300  # on the clock; a mutant that waits for ever ends here
FUNCTION = 0x1  # the flag of code that has fast locals, unlike that of modules and classes

Exchanged: TypeAlias = "list[tuple[FunctionType, CodeType]]"


class Trials:
    """A plugin of pytest, which tries mutants with the collected tests, instead of running the tests."""

    def __init__(self, files: list[str], measured: str, folder: str) -> None:
        self._files = files
        self._measured = coverage.CoverageData(measured)
        self._measured.read()
        self._folder = Path(folder)
        self._items: dict[str, pytest.Item] = {}
        self._sound: set[str] = set()  # tests that passed without a mutant
        self._place = mmap.mmap(-1, 4)  # of the test that the child runs
        self._left: list[tuple[Mutant, list[list[str]]]] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each mutant; those that need another import are left."""
        self._items = {item.nodeid: item for item in session.items}
        for file in self._files:  # some are imported only when a task needs them
            import_module(f"ansible_collections.edgeops.protection.plugins.{file[:-3].replace('/', '.')}")
        gc.collect()
        live = [item for item in gc.get_objects() if isinstance(item, FunctionType)]
        gc.freeze()  # so that no child copies what it never changes
        for file in self._files:
            tests, functions = Tests(file, self._items, self._measured), functions_of(file, live)
            for mutant in mutants_of(file):
                self._try(mutant, tests, functions)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Nothing matters after the first failure, and only children run tests."""
        if report.failed:
            os._exit(1)

    def _try(self, mutant: Mutant, tests: Tests, functions: dict[CodeType, list[FunctionType]]) -> None:
        with use_mutation(mutant.path, get_operator(mutant.operator)(), mutant.occurrence) as (before, after):
            try:
                exchanged = exchange(functions, before, after)
            except SyntaxError:
                return
            kills = self._kills(tests.of(mutant), exchanged) if exchanged else []
            is_decided = len(kills) == 2 if APART else bool(kills)
            if is_decided or (exchanged and not tests.imports(mutant)):
                self._record(mutant, before, after, kills)
            else:
                self._left.append((mutant, tests.suites()))

    def try_left(self) -> None:
        """Try the mutants that change what the import runs."""
        failing: dict[str, str] = {}
        for mutant, suites in self._left:
            for suite in suites:
                if str(suite) not in failing and failing.setdefault(str(suite), anew(suite)):
                    print(f"{suite} fails without any change, and is not used.", file=sys.stderr)
            sound = [suite for suite in suites if not failing[str(suite)]]
            with use_mutation(mutant.path, get_operator(mutant.operator)(), mutant.occurrence) as (before, after):
                self._record(mutant, before, after, kills_anew(sound))

    def _record(self, mutant: Mutant, before: str, after: str, kills: list[str]) -> None:
        result = {"mutant": line_of(mutant.file, before, after), "how": kills[0] if kills else "", "kills": kills}
        with open(self._folder / f"{mutant.file.replace('/', '.')}.jsonl", "a", encoding="utf-8") as results:
            print(json.dumps(result), file=results)

    def _kills(self, names: list[str], exchanged: Exchanged) -> list[str]:
        """How tests noticed the mutant: the first of all, or the first of each kind if they are tried apart."""
        if not APART:
            groups = [names]
        else:
            groups = [[name for name in names if name.startswith(folder)] for folder in (UNIT, FUNCTIONAL)]
        return list(filter(None, (self._noticed(group, exchanged) for group in groups)))

    def _noticed(self, names: list[str], exchanged: Exchanged) -> str:
        """How a test noticed the mutant. A test that fails without it, too, is used no more."""
        names = [name for name in names if name in self._items]
        names.sort(key=lambda name: hasattr(getattr(self._items[name], "obj", None), "hypothesis"))  # which take long
        while how := self._failure(names, exchanged):
            name = names[int.from_bytes(self._place[:])]
            if name in self._sound or not self._failure([name], []):
                self._sound.add(name)
                return f"{how} {name}"
            names.remove(name)
            del self._items[name]
            print(f"{name} fails without any change, and is not used.", file=sys.stderr)
        return ""

    def _failure(self, names: list[str], exchanged: Exchanged) -> str:
        def run() -> int:
            for function, code in exchanged:
                function.__code__ = code
            for place, name in enumerate(names):
                self._place[:] = place.to_bytes(4)
                limit(SECONDS_OF_WORK)
                item = self._items[name]
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            return 0

        return in_child(run)


def functions_of(file: str, live: list[FunctionType]) -> dict[CodeType, list[FunctionType]]:
    """The functions of a file of plugins/, methods and closures too, by their code."""
    found: dict[CodeType, list[FunctionType]] = {}
    for function in live:
        if function.__code__.co_filename.endswith(f"plugins/{file}"):
            found.setdefault(function.__code__, []).append(function)
    return found


def exchange(functions: dict[CodeType, list[FunctionType]], before: str, after: str) -> Exchanged:
    """The functions that a change concerns, each with its new code; nothing if it concerns more than functions. Raises
    SyntaxError for what is no program."""
    old, new = (list(_codes(compile(text, "", "exec", dont_inherit=True))) for text in (before, after))
    pairs = list(zip(old, new, strict=False))
    changed = [(then, now) for then, now in pairs if _plain(then) != _plain(now)]
    exchanged = [(function, now) for then, now in changed for function in functions.get(then, ())]
    covered = {code for function, _code in exchanged for code in _codes(function.__code__)}
    is_whole = len(old) == len(new) and all(
        then in covered for then, now in pairs if _plain(_alone(then)) != _plain(_alone(now))
    )
    fits = all(function.__code__.co_freevars == code.co_freevars for function, code in exchanged)
    return exchanged if is_whole and fits else []


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _plain(code: CodeType) -> CodeType:
    """A code without the numbers of its lines, since a change may join some."""
    inner = tuple(_plain(item) if isinstance(item, CodeType) else item for item in code.co_consts)
    return code.replace(co_firstlineno=1, co_linetable=b"", co_consts=inner)


def _alone(code: CodeType) -> CodeType:
    """A code without the functions and classes in it."""
    return code.replace(co_consts=tuple(None if isinstance(item, CodeType) else item for item in code.co_consts))


def anew(suite: list[str]) -> str:
    """How tests failed in a pytest of their own; empty if they passed. What Python compiled before is right for ever, and
    a mutant never is, so that it is not kept."""

    def run() -> NoReturn:
        limit(SECONDS_OF_SUITE)
        os.execv(sys.executable, [sys.executable, "-B", "-m", "pytest", *OPTIONS, *suite])

    return in_child(run)


def kills_anew(suites: list[list[str]]) -> list[str]:
    """How suites failed: the first of all, or the first of each kind if they are tried apart."""
    kills: dict[str, str] = {}  # by the kind of the tests
    for suite in suites:
        kind = FUNCTIONAL if APART and suite[0].startswith(FUNCTIONAL) else UNIT
        how = "" if kind in kills else anew(suite)
        if how:
            kills[kind] = f"{how} {suite[0]}"
    return list(kills.values())


def in_child(run: Callable[[], int]) -> str:
    """How a function failed in a process of its own; empty if it gave 0."""
    child = os.fork()
    if not child:
        try:
            os._exit(run())
        finally:
            os._exit(9)
    _child, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return f"status {os.WEXITSTATUS(status)}" if status else ""


def limit(seconds: int) -> None:
    """End this process if it works longer, or if nothing happens at all."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(SECONDS)


def main(folder: str, measured: str, *files: str) -> int:
    """Try the mutants of these files of plugins/, and write what became of them into files of the folder.

    measured: the file in which coverage says of each line which tests run it.
    """
    if Path(folder) not in Path.cwd().parents:
        print("This changes files; make mutants starts it in a copy.", file=sys.stderr)
        return 1
    warnings.simplefilter("ignore")  # of the compiler, about what no person would write
    trials = Trials(list(files), measured, folder)
    if status := pytest.main([*OPTIONS, UNIT, FUNCTIONAL, *(f"--ignore={path}" for path in SLOW)], plugins=[trials]):
        return int(status)
    trials.try_left()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
