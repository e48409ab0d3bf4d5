# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The benchmark measures what it says, and its page holds what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.evidence.benchmark import commits, peer, plays, pure
from tests.evidence.benchmark.__main__ import chosen, every_case
from tests.evidence.benchmark.accounts import in_order, prefixes
from tests.evidence.benchmark.cases import all_cases
from tests.evidence.benchmark.measure import EMPTY, MIB, Case, Measured, Row, Taken, Way, measured
from tests.evidence.benchmark.page import DETAILS, DOCS, PAGE, machine, page, work
from tests.evidence.benchmark.processes import Failure
from tests.evidence.benchmark.serving import Serving
from tests.evidence.benchmark.ways import Limit, Ways, Work, constant
from tests.support.documents import read_page, rows


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    folder = tmp_path_factory.mktemp("benchmark")
    with Serving(folder) as serving:
        yield Ways(serving, folder)


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    """All of them, of which none is run."""
    ways = Ways(Serving(tmp_path), tmp_path)
    return [*all_cases(ways), *peer.cases(ways.serving, tmp_path, "octorules"), *commits.cases(ways, ways)]


def taking(*seconds: float, parts: int = 1, in_play: bool = False) -> Way:
    """A way that takes so long in one round after the other."""
    left = iter(seconds)
    return Way(lambda: Taken(next(left), peak=int(MIB * 100)), parts, in_play)


def test_a_ratio_is_the_median_of_shares_without_the_start_of_a_play() -> None:
    ways = {
        EMPTY: taking(1, 1, 9),
        "work": taking(3, 5, 3, parts=2, in_play=True),
        "other": taking(5, 5, 5, parts=2, in_play=True),
    }
    (line,) = measured(Case("case", ways, [Row("work", "other", 0.5)]), 3)
    assert list(line.values) == [0.5, 1.0, 0.5]
    assert (line.median, line.met, line.seconds) == (0.5, True, (1.0, 2.0))


def test_the_order_is_turned_in_every_other_round() -> None:
    ran: list[str] = []

    def way(name: str) -> Way:
        def run() -> Taken:
            ran.append(name)
            return Taken(1)

        return Way(run)

    measured(Case("case", {"a": way("a"), "b": way("b")}, []), 3)
    assert ran == ["a", "b", "b", "a", "a", "b"]


def test_a_scaled_alternative_counts_as_often_as_it_says() -> None:
    (line,) = measured(Case("case", {"work": constant(1), "loop": constant(5)}, [Row("work", "loop", 1, times=10)]), 1)
    assert line.median == 0.02
    assert line.seconds == (1, 50)
    assert "| work | 10 x loop | 0.02 | 0.02 to 0.02 | 1 | yes | 1 and 50 |" in page(DETAILS, [line], 1, "")


def test_the_table_has_the_limits_and_whether_they_are_met() -> None:
    kept = Measured(Row("work", "other", 0.3), [0.1, 0.25, 2.0], (0.5, 2))
    missed = Measured(Row("work", "third", 0.01), [1, 12.4, 13])
    much = Measured(Row("work", "other", 250.0, unit="MiB"), [300.2, 300.2, 299])
    later = Measured(Row("work", "other", 3.0, unit="s"), [2.04, 4, -1])
    lines = page(DETAILS, [kept, missed, much, later], 5, "").splitlines()
    assert [line for line in lines if line.startswith("| work")][1:] == [
        "| work | other | 0.25 | 0.1 to 2 | 0.3 | yes | 0.5 and 2 |",
        "| work | third | 12 | 1 to 13 | 0.01 | no | 0 and 0 |",
        "| work, peak memory | other | +300 MiB | +299 MiB to +300 MiB | +250 MiB | no | 0 and 0 |",
        "| work | other | +2.0 s | -1.0 s to +4.0 s | +3 s | yes | 0 and 0 |",
    ]
    assert any("2 of 4 are met." in line for line in lines)


def test_added_time_is_in_seconds() -> None:
    (line,) = measured(Case("case", {"work": constant(5), "file": constant(3)}, [Row("work", "file", 3, unit="s")]), 1)
    assert line.values == [2]


def test_the_time_of_the_processors_is_that_of_the_same_runs() -> None:
    ways = {"work": Way(lambda: Taken(5, processor=8)), "other": Way(lambda: Taken(10, processor=4))}
    rows = [Row("work", "other", 1), Row("work", "other", 1, of_processors=True)]
    clock, processors = measured(Case("case", ways, rows), 1)
    assert (clock.median, clock.seconds) == (0.5, (5, 10))
    assert (processors.median, processors.seconds) == (2, (8, 4))
    assert "| work, processors' time | other | 2 | 2 to 2 | 1 | no | 8 and 4 |" in page(DETAILS, [processors], 1, "")


def test_long_cases_have_fewer_rounds() -> None:
    (line,) = measured(Case("case", {"work": constant(5), "file": constant(3)}, [Row("work", "file", 3)], rounds=2), 5)
    assert len(line.values) == 2


def test_memory_is_the_difference_of_the_largest_processes() -> None:
    row = Row("work", "other", 1, unit="MiB")
    assert row.value({"work": Taken(1, 300 * MIB), "other": Taken(1, 50 * MIB)}) == 250


@pytest.mark.parametrize(("name", "chief"), [(PAGE, True), (DETAILS, False)])
def test_the_written_pages_have_the_headings_and_the_rows_of_today(name: str, chief: bool, cases: list[Case]) -> None:
    made = page(name, [Measured(Row("work", "other", 0.3, chief=True), [0.1])], 5, machine())
    assert "| work | other | 0.1 |" in made
    written = (DOCS / name).read_text(encoding="utf-8")
    headings = [text for text in made.splitlines() if text.startswith("#")]
    assert headings == [text for text in written.splitlines() if text.startswith("#")]
    measured = [work(Measured(row, [0.0])) for case in cases for row in case.rows if row.chief or not chief]
    assert {row[0] for row in rows(read_page(DOCS / name), "work")} == set(measured)


def test_the_short_page_has_five_rows_as_the_details_have_them(cases: list[Case]) -> None:
    short, details = ((DOCS / name).read_text(encoding="utf-8") for name in (PAGE, DETAILS))
    table = [line.split(" | ")[:3] for line in short.splitlines() if line.startswith("| ")][1:]
    assert len(table) == 5
    assert [row for row in table if " | ".join(row) not in details] == []


def test_the_details_say_how_they_were_measured() -> None:
    made = page(DETAILS, [Measured(Row("work", "other", 0.3), [0.1])], 5, machine())
    assert "median of 5 rounds" in made and "ansible-core" in made


def test_every_line_is_of_ways_that_are_run(cases: list[Case]) -> None:
    for case in cases:
        assert {name for row in case.rows for name in (row.work, row.against)} | {EMPTY} >= case.ways.keys()
        assert {name for row in case.rows for name in (row.work, row.against)} <= case.ways.keys()


def test_cases_that_cannot_be_measured_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: list[Case]
) -> None:
    ways = Ways(Serving(tmp_path), tmp_path)
    monkeypatch.setattr(commits, "COMMIT", "nowhere")
    alone, lacking = every_case(ways, None)
    assert lacking == ["octorules, which --octorules names", "the commit nowhere, which a shallow clone lacks"]
    monkeypatch.setattr(commits, "COMMIT", "HEAD")
    every, lacking = every_case(ways, "octorules")
    assert lacking == []
    assert [case.name for case in every] == [case.name for case in cases] != [case.name for case in alone]


def test_cases_are_chosen_by_name(cases: list[Case]) -> None:
    assert [case.name for case in chosen(cases, ["planning"], quick=False)] == ["planning"]
    assert 0 < len(chosen(cases, [], quick=True)) < len(chosen(cases, [], quick=False)) == len(cases)
    with pytest.raises(Failure, match="no case nonsense"):
        chosen(cases, ["nonsense"], quick=False)


@pytest.mark.parametrize(
    ("what", "size"), [("plan", 1_000), ("loads", 1_000), ("html", 6), ("json", 6), ("rules", 9), ("expectations", 9)]
)
def test_pure_functions_give_the_right_result(what: str, size: int) -> None:
    assert pure.work(what, size)()


def test_a_case_runs_and_does_its_work(ways: Ways) -> None:
    account = in_order()
    case = Case(
        "cheap",
        {
            "work": ways.copies(plays.noop, Work(account)),
            "script": ways.script(prefixes(3), Work({}, after=3)),
        },
        [Row("work", "script", 1)],
    )
    (line,) = measured(case, 1)
    assert line.median > 0
    assert len(line.values) == 1


def test_runs_under_a_limit_are_not_refused(ways: Ways) -> None:
    limit = Limit(9, 0.5)
    budget = {"call_budget": limit.calls, "call_budget_period": limit.seconds}
    seven_calls = {"gather_subset": ["status", "prefixes", "allowlist", "rules", "filters"]}
    tasks = plays.module("protection_info", **seven_calls, **budget)
    run, least = ways.limited(tasks, Work(in_order(), parts=2), forks=2, limit=limit, runs=2)
    taken = run.run()
    assert taken.seconds >= least.run().seconds == (4 * 7 - 1) // limit.calls * limit.seconds
    run, least = ways.limited(
        plays.module("protection_info", call_budget=0), Work(in_order(), parts=2), forks=2, limit=limit
    )
    with pytest.raises(Failure, match="refused"):
        run.run()


def test_the_inventory_is_that_of_a_file(ways: Ways) -> None:
    measured_inventory, file = ways.inventory(accounts=3, zones=4, latency=0.0)
    assert measured_inventory.run().seconds > 0
    assert file.run().seconds > 0
    static = json.loads((ways.scratch / "static.json").read_text())["all"]["children"]
    assert len(static["zones"]["hosts"]) == 4


def test_work_that_was_not_done_is_not_measured(ways: Ways) -> None:
    with pytest.raises(Failure, match=r"\[1\] objects instead of 2 each"):
        ways.script(prefixes(1), Work({}, after=2)).run()
    with pytest.raises(Failure, match="nothing was to do"):
        ways.script(prefixes(1), Work({})).run()
