# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`python -m tests.evidence.benchmark`: measure everything and write the pages about it; a part of it is only printed."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from . import commits, peer, tokens
from .cases import all_cases
from .measure import Case, Measured, measured
from .page import details, machine, write
from .processes import Failure
from .serving import Serving
from .ways import Ways

RUNS = 5


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.benchmark", description=__doc__)
    parser.add_argument(
        "--case", action="append", default=[], metavar="NAME", help="only cases that begin so; may be repeated"
    )
    parser.add_argument("--runs", type=int, default=RUNS, help=f"rounds for each case; {RUNS} unless it is said")
    parser.add_argument("--write", action="store_true", help="also write what is measured of these cases alone")
    parser.add_argument("--octorules", metavar="PROGRAM", help="octorules, to be compared with")
    return parser.parse_args(words)


def every_case(ways: Ways, octorules: str | None) -> tuple[list[Case], list[str]]:
    """All cases that can be measured here, and what lacks for the others."""
    cases, lacking = [*all_cases(ways), *tokens.cases(ways.serving, ways.scratch)], []
    if octorules:
        cases += peer.cases(ways.serving, ways.scratch, octorules)
    else:
        lacking.append("octorules, which --octorules names")
    if commits.is_there(commits.COMMIT):
        cases += commits.cases(ways, commits.older(ways, commits.COMMIT))
        before = commits.program_of(commits.BEFORE, ways.scratch)
        cases += [commits.role_then(ways, before), commits.host_then(ways, before)]
    else:
        lacking.append(f"the commit {commits.COMMIT}, which a shallow clone lacks")
    return cases, lacking


def chosen(cases: Sequence[Case], names: Sequence[str]) -> list[Case]:
    """The cases whose names begin as one that is asked for, or all; raises Failure if there are none of a name."""
    unknown = [name for name in names if not any(case.name.startswith(name) for case in cases)]
    if unknown:
        raise Failure(f"There is no case {', '.join(sorted(unknown))}, but {', '.join(case.name for case in cases)}.")
    return [case for case in cases if case.name.startswith(tuple(names) or "")]


def results(cases: Sequence[Case], runs: int) -> list[Measured]:
    """Everything measured; what is being measured, and how long it took, goes to the error output."""
    measurements: list[Measured] = []
    for number, case in enumerate(cases, 1):
        print(f"{number} of {len(cases)}: {case.name} ...", end="", file=sys.stderr, flush=True)
        start = time.monotonic()
        measurements += measured(case, runs)
        print(f" {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    return measurements


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables; 1 if something that is asked for could not be measured."""
    options = arguments(words)
    around = machine()
    try:
        with tempfile.TemporaryDirectory() as folder, Serving(Path(folder)) as serving:
            every, lacking = every_case(Ways(serving, Path(folder)), options.octorules)
            measurements = results(chosen(every, options.case), options.runs)
    except Failure as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    text = details(measurements, options.runs, around)
    print(text.partition("## Ratios")[2].partition("A ratio says")[0])
    for missing in lacking:
        print(f"*** NOT MEASURED: this machine lacks {missing}. ***", file=sys.stderr)
    if options.write or not (options.case or lacking):
        rows = [row for case in every for row in case.rows]
        written = write(measurements, options.runs, around, rows)
        print(f"Written to {' and '.join(map(str, written))}.")
    return int(bool(lacking) and not options.case)


if __name__ == "__main__":
    sys.exit(main())
