# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare many expressions, requests and rule sets with the vendor's parser and engine, and with a prover, plans with a model
of the docs, and plans and states with themselves after an approval, an export or a restore, and write the table of
docs/evidence.md.

    python -m tests.evidence.engine.evidence [times]

Each comparison runs `times` times (2,000 unless told otherwise), always on the same random cases. Plans are other ones
in each run, some 3,800; so are approvals, exports and restores, 1,000 of each.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest

from tests.evidence.engine.comparisons import ENGINE, PARSER, Counts, chains_decide_as_link_by_link
from tests.support.documents import with_table

PAGE = Path(__file__).parents[3] / "docs" / "evidence.md"
TIMES = 2000
MORE: Mapping[object, int] = {chains_decide_as_link_by_link: 5}  # times as many
OF_HOLES = "The report finds each change by hand that takes protection away, and blames no other"
OF_WIDTH = "A rule counts as everything exactly if all plain traffic from half of a family matches it"
OF_TRAFFIC = "Changed managed rules and DDoS overrides treat a request less strictly exactly if the difference tells it"
OF_INEFFECTIVE = "Each claim that a rule cannot work is true, none is missing, and it names the fewest rules"
OF_NAMED = "A change by hand is set back as far as it protects less, and no further"
OF_EVIDENCE = "A rule is enabled exactly if all that it would drop was watched and is allowed, or accepted by name"
OF_PLANS = "Check mode predicts a task, which does what the docs say, and doing it again changes nothing"
OF_APPROVALS = "A plan over a changed state does what was approved, or is refused"
OF_EXPORTS = "Applying an export changes nothing, and brings an empty account and zone to all that it describes"
OF_RESTORES = "A restore brings back what a run changed, but for objects that it names"
OF_WATCHES = "A watched change stays, or goes, at the question at which single minutes of traffic decide it"
OF_KILLS = "Wherever a run with a watched change is killed, the next run lets it stay or sets it back"
PLANS = [f"tests/evidence/models/test_random_{name}.py" for name in ("plans", "rules", "lists")]
EVIDENCE = [f"tests/evidence/models/test_random_{name}.py" for name in ("evidence", "widened")]
WATCHED = "tests/e2e/test_watched_changes.py"
STATES = ["tests/evidence/models/test_random_states.py", "-k"]
# By sentence: with what plans and states are compared, the name under which tests count them, and these tests.
OF_MODELS: Mapping[str, tuple[str, str, Sequence[str]]] = {
    OF_PLANS: ("model", "plans", PLANS),
    OF_HOLES: ("model", "holes", ["tests/evidence/models/test_random_holes.py"]),
    OF_WIDTH: ("model", "width", ["tests/evidence/models/test_random_width.py"]),
    OF_INEFFECTIVE: ("model", "ineffective", ["tests/evidence/models/test_random_ineffective.py"]),
    OF_TRAFFIC: ("model", "traffic", ["tests/evidence/models/test_random_traffic.py"]),
    OF_NAMED: ("model", "named", ["tests/evidence/models/test_random_named.py"]),
    OF_EVIDENCE: ("model", "evidence", EVIDENCE),
    OF_WATCHES: ("model", "watches", ["tests/evidence/models/test_random_watches.py"]),
    OF_KILLS: ("itself", "kills", [WATCHED, "-k", "wherever"]),
    OF_APPROVALS: ("itself", "approvals", ["tests/evidence/models/test_random_approvals.py"]),
    OF_EXPORTS: ("itself", "exports", [*STATES, "export"]),
    OF_RESTORES: ("itself", "restores", [*STATES, "restore"]),
}
HEAD = "| what is compared | with | how many | differences |"


def run(comparison: Callable[[Random, Counts], None], times: int) -> Counts:
    """A comparison on the cases of the first `times` seeds."""
    counts = Counts()
    for seed in range(times):
        comparison(Random(seed), counts)
    return counts


def row(comparison: Callable[[Random, Counts], None], program: str, times: int) -> Sequence[str]:
    """A row of the table: the sentence of the comparison, and its counts."""
    return _row(str(comparison.__doc__).strip().rstrip("."), program, run(comparison, times))


def _row(sentence: str, program: str, counts: Counts) -> Sequence[str]:
    for difference in counts.differences[:10]:
        print(difference, file=sys.stderr)
    numbers = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in sorted(counts.counted.items()))
    return sentence, program, numbers, str(len(counts.differences))


class Outcomes:
    """A plugin of pytest that counts what became of random cases, by the name of their property."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.counts = Counts()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.counts.differences.append(report.longreprtext)
        for name, outcomes in report.user_properties if report.when == "teardown" else ():
            if name == self.name and isinstance(outcomes, Mapping):
                self.counts.count(**outcomes)


def row_of_model(sentence: str) -> Sequence[str]:
    """The row of random cases of `make plans`."""
    os.environ.update(HYPOTHESIS_PROFILE="plans", EVERY_ROW="1")
    program, name, tests = OF_MODELS[sentence]
    outcomes = Outcomes(name)
    in_parallel = ["-n", "2", "--dist", "worksteal"]  # those for accounts take as long as all others
    status = pytest.main(["-q", "--no-summary", *in_parallel, *tests], [outcomes])
    if status and not outcomes.counts.differences:
        outcomes.counts.differences.append(f"The {name} were not compared: {status!r}.")
    return _row(sentence, program, outcomes.counts)


def main(times: int) -> int:
    """Write the table of the page; 1 where something differed."""
    rows = [row(item, "parser", times) for item in PARSER] + [
        row(item, "engine", times * MORE.get(item, 1)) for item in ENGINE
    ]
    from tests.evidence.engine.prover import PROVER  # `make comparisons` alone installs it

    rows += [row(item, "prover", times) for item in PROVER]
    rows += map(row_of_model, OF_MODELS)
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), HEAD, rows), encoding="utf-8")
    print(*(" | ".join(cells) for cells in rows), sep="\n")
    return 0 if all(cells[-1] == "0" for cells in rows) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else TIMES))
