# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes a file in each way that cosmic-ray knows, one at a time, and runs the tests: first those of the file, which
notice most mutants, then those of its package, then functional tests that run the changed line. Works on the folder that
it is started in; `make mutants` makes a copy.

Starting pytest takes longer than the tests. So the tests run once in this process, which imports what they need; for
each mutant the process forks, and the child forgets the collection and its tests, and imports them anew.
`cosmic-ray exec` starts pytest for each mutant. mutmut forks as well, but it names a mutant by its number in a function,
so that each change of the function would lose the explanations in survivors.txt.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from itertools import chain, islice, zip_longest
from pathlib import Path
from zlib import crc32

import coverage
import pytest
from cosmic_ray.commands import init
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkerOutcome, WorkResult

TESTS = "tests/unit/plugins"
MOST_FUNCTIONAL = 40  # tests for a line, spread over their files; a tenth of a second each
OURS = ("ansible_collections.edgeops", "tests.", "conftest")
SECONDS_OF_WORK = 20  # of the processor, several times what the tests take; a mutant that loops for ever ends here
SECONDS = 600  # on the clock; a mutant that waits for ever ends here
NEAR = (-3, 10)  # lines before and behind a changed one, of which the tests of the rarest notice most
LEFT_OUT = (
    # With `from __future__ import annotations`, the unions of annotations are never evaluated, and there are no others.
    "core/ReplaceBinaryOperator_BitOr_",
    # What is compared are literals and members of enumerations, of which there is one each.
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in ("Eq_Is", "Is_Eq", "NotEq_IsNot", "IsNot_NotEq")),
)
ONE_IN = int(os.environ.get("ONE_IN", "1"))


def main(file: str, session: str, measured: str) -> int:
    """Try each mutant of a file of plugins/, and write what became of it into cosmic-ray's session.

    measured: the file in which coverage says of each line which functional tests run it.
    """
    if Path(session).parent not in Path.cwd().parents:
        print("This changes files; make mutants starts it in a copy.", file=sys.stderr)
        return 1
    package = f"{TESTS}/{Path(file).parent}"
    own = f"{package}/test_{Path(file).name.lstrip('_')}"
    suites = (own, package) if Path(own).exists() else (package,)
    for tests in suites:
        if _run(tests):
            print(f"{tests} fails without any change.", file=sys.stderr)
            return 1
    sys.dont_write_bytecode = True  # what is compiled now is right for ever; a mutant never is
    lines = tests_of_lines(measured, f"plugins/{file}")
    with use_db(session, WorkDB.Mode.create) as database:
        init([Path("plugins", file)], database, {})
        for item in database.work_items:
            (mutation,) = item.mutations
            functional = lines.get(mutation.start_pos[0], ())
            database.set_result(item.job_id, _result(mutation, [[suite] for suite in suites] + [list(functional)]))
    return 0


def tests_of_lines(measured: str, file: str) -> dict[int, tuple[str, ...]]:
    """For each line of a file, at most MOST_FUNCTIONAL of the functional tests that run it, as pytest names them; those
    that also run a line near it that few run come first."""
    data = coverage.CoverageData(measured)
    data.read()
    (path,) = [path for path in data.measured_files() if path.endswith(file)] or [""]
    lines = {
        line: {name for name in (context.rpartition("|")[0] for context in contexts) if name}
        for line, contexts in (data.contexts_by_lineno(path) if path else {}).items()
    }
    found: dict[int, tuple[str, ...]] = {}
    for line, own in lines.items():
        near = sorted((lines.get(line + away, set()) & own for away in range(*NEAR)), key=len)
        ordered = dict.fromkeys(chain.from_iterable(map(_spread, near)))
        found[line] = tuple(islice(ordered, MOST_FUNCTIONAL))
    return found


def _spread(tests: set[str]) -> tuple[str, ...]:
    """Tests of as many files as there are, the first ones of each file before its second ones."""
    files: dict[str, list[str]] = {}
    for test in sorted(tests):
        files.setdefault(test.partition("::")[0], []).append(test)
    turns = zip_longest(*files.values())
    return tuple(islice(filter(None, chain.from_iterable(turns)), MOST_FUNCTIONAL))


def _result(mutation: MutationSpec, suites: list[list[str]]) -> WorkResult:
    if mutation.operator_name.startswith(LEFT_OUT) or not _is_drawn(mutation):
        return WorkResult(worker_outcome=WorkerOutcome.SKIPPED)
    operator = get_operator(mutation.operator_name)(**mutation.operator_args)
    with use_mutation(mutation.module_path, operator, mutation.occurrence) as (before, after):
        how = next(filter(None, (_noticed(suite) for suite in suites if suite)), "")
    return WorkResult(
        worker_outcome=WorkerOutcome.NORMAL,
        test_outcome=TestOutcome.KILLED if how else TestOutcome.SURVIVED,
        output=how,
        diff=_changed_lines(before, after),
    )


def _is_drawn(mutation: MutationSpec) -> bool:
    """Whether a mutant is one of the sample, which is the same in every run."""
    name = f"{mutation.module_path} {mutation.operator_name} {mutation.operator_args} {mutation.occurrence}"
    return crc32(name.encode()) % ONE_IN == 0


def _changed_lines(before: str, after: str) -> str:
    """The lines that differ, in the form of a diff; a mutant changes neighbouring lines alone."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return "\n".join([f"-{line}" for line in old] + [f"+{line}" for line in new])


def _noticed(tests: list[str]) -> str:
    """How the tests, in a process of their own, noticed the mutant; empty where they passed."""
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_OF_WORK, SECONDS_OF_WORK))
        for name in [name for name in sys.modules if name.startswith(OURS)]:
            del sys.modules[name]
        os._exit(_run(*tests))
    _child, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return f"status {os.WEXITSTATUS(status)}" if status else ""


def _run(*tests: str) -> int:
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    return int(pytest.main(["-x", "-q", "-p", "_hypothesis_pytestplugin", *tests]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
