# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The benchmark measures what it says, and its page holds what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.evidence.benchmark import commits, items, peer, plays, pure, tokens
from tests.evidence.benchmark.accounts import in_order, prefixes
from tests.evidence.benchmark.cases import all_cases
from tests.evidence.benchmark.measure import EMPTY, MIB, Case, Measured, Row, Taken, Way, measured
from tests.evidence.benchmark.page import DETAILS, PAGE, details, machine, with_chief_lines, work
from tests.evidence.benchmark.peer import Fleet
from tests.evidence.benchmark.processes import Failure
from tests.evidence.benchmark.serving import Serving
from tests.evidence.benchmark.ways import PLAYBOOK, Ways, Work
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
    of_fleets = [*tokens.cases(ways.serving, tmp_path), *peer.cases(ways.serving, tmp_path, "octorules")]
    then = [*commits.cases(ways, ways), commits.role_then(ways, ()), commits.host_then(ways, ())]
    return [*all_cases(ways), *of_fleets, *then]


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


def test_the_table_has_the_limits_and_whether_they_are_met() -> None:
    kept = Measured(Row("work", "other", 0.3), [0.1, 0.25, 2.0], (0.5, 2))
    missed = Measured(Row("work", "third", 0.01), [1, 12.4, 13])
    much = Measured(Row("work", "other", 250.0, unit="MiB"), [300.2, 300.2, 299])
    later = Measured(Row("work", "other", 3.0, unit="s"), [2.04, 4, -1])
    lines = details([kept, missed, much, later], 5, "").splitlines()
    assert [line for line in lines if line.startswith("| work")][1:] == [
        "| work | other | 0.25 | 0.1 to 2 | 0.3 | yes | 0.5 and 2 |",
        "| work | third | 12 | 1 to 13 | 0.01 | no | 0 and 0 |",
        "| work, peak memory | other | +300 MiB | +299 MiB to +300 MiB | +250 MiB | no | 0 and 0 |",
        "| work | other | +2.0 s | -1.0 s to +4.0 s | +3 s | yes | 0 and 0 |",
    ]
    assert any("2 of 4 are met." in line for line in lines)


def test_the_written_details_have_the_headings_and_the_rows_of_today(cases: list[Case]) -> None:
    made = details([Measured(Row("work", "other", 0.3), [0.1])], 5, machine())
    assert "| work | other | 0.1 |" in made
    written = DETAILS.read_text(encoding="utf-8")
    headings = [text for text in made.splitlines() if text.startswith("#")]
    assert headings == [text for text in written.splitlines() if text.startswith("#")]
    assert {row[0] for row in rows(read_page(DETAILS), "work")} == names(row for case in cases for row in case.rows)


def names(lines: Iterable[Row]) -> set[str]:
    return {work(Measured(row, [0.0])) for row in lines}


def test_the_page_has_the_chief_rows_as_the_details_have_them_unfavourable_ones_too(cases: list[Case]) -> None:
    shown = rows(read_page(PAGE), "work")
    chief = [row for case in cases for row in case.rows if row.chief]
    assert len(shown) == len(chief) == 27 and {row[0] for row in shown} == names(chief)
    every = rows(read_page(DETAILS), "work")
    met = {(*line[:3], line[-1]): line[-2] for line in every}
    assert {met[tuple(row)] for row in shown} == {"yes", "no"}


def test_the_table_of_the_page_is_replaced() -> None:
    text = PAGE.read_text(encoding="utf-8")
    kept = Measured(Row("work", "other", 0.3, chief=True), [0.1], (0.5, 2))
    much = Measured(Row("work", "other", 250.0, unit="MiB", chief=True), [300.2])
    made = with_chief_lines(text, [kept, much, Measured(Row("rest", "other", 0.3), [0.1])])
    lines = ["| work | other | 0.1 | 0.5 and 2 |", "| work, peak memory | other | +300 MiB | 0 and 0 |"]
    assert [line for line in made.splitlines() if line.startswith(("| work,", "| work | other", "| rest"))] == lines
    assert made.partition("\n\nA ratio")[2] == text.partition("\n\nA ratio")[2] != ""


@pytest.mark.parametrize(
    ("what", "size"),
    [
        *[("plan", 1_000), ("loads", 1_000), ("html", 6), ("json", 6)],
        *[("rules", 9), ("expectations", 9), ("traffic", 9), ("backtest", 400), ("rows", 400)],
    ],
)
def test_pure_functions_give_the_right_result(what: str, size: int) -> None:
    assert pure.work(what, size)()


@pytest.mark.parametrize("what", [*items.CHANGED, *items.BESIDE, "items_bare_new", "items_bare_all"])
def test_long_lists_give_the_right_result(what: str) -> None:
    assert items.work(what, 1_000)()


def test_a_case_runs_and_does_its_work(ways: Ways) -> None:
    account = in_order()
    case = Case(
        "cheap",
        {"work": ways.copies(plays.noop, Work(account)), "script": ways.script(prefixes(3), Work({}, after=3))},
        [Row("work", "script", 1)],
    )
    (line,) = measured(case, 1)
    assert line.median > 0
    assert len(line.values) == 1


def test_work_that_was_not_done_is_not_measured(ways: Ways) -> None:
    with pytest.raises(Failure, match=r"\[1\] objects instead of 2 each"):
        ways.script(prefixes(1), Work({}, after=2)).run()
    with pytest.raises(Failure, match="nothing was to do"):
        ways.script(prefixes(1), Work({})).run()


@pytest.fixture
def fleet(ways: Ways) -> Fleet:
    return Fleet(ways.serving, ways.scratch, 2)


def test_every_way_finds_the_zones_as_they_are(fleet: Fleet, ways: Ways) -> None:
    assert [run().calls for run in (fleet.role, fleet.baseline, fleet.report)] == [4, 4, 4]  # the rules, and the zone
    different = Fleet(ways.serving, ways.scratch, 2, different=1, own_rules=True)
    assert [run().calls for run in (different.baseline, different.report)] == [4, 4]


def test_a_token_makes_no_more_calls_than_its_budget(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "ACCOUNTS", 2)
    monkeypatch.setattr(tokens, "ZONES", 4)
    assert tokens.TokenFleet(ways.serving, ways.scratch, 2).baseline().calls == 2 * 7 + 4 * 2


def test_zones_that_were_not_read_are_not_measured(fleet: Fleet) -> None:
    with pytest.raises(Failure, match="did not find the zones as they are"):
        fleet.taken(["echo", "No changes"], "No changes detected.")
    with pytest.raises(Failure, match="read 0 of 2 zones"):
        fleet.taken(["echo", "No changes detected."], "No changes detected.")


def test_hosts_with_lists_rulesets_and_zones_are_in_order(ways: Ways) -> None:
    assert commits.in_check_mode(ways, 2, (PLAYBOOK,)).processor > 0


def test_a_task_is_compared_with_that_of_a_commit(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "PARTS", 1)
    for case in commits.cases(ways, commits.older(ways, "HEAD"), "HEAD"):
        assert set(case.ways) == {case.rows[0].work, "the same at HEAD"}
        assert all(way.run().peak > 0 for way in case.ways.values())
