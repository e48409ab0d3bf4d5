# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The comparison with octorules measures runs that found every zone in order, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from .measure import Taken
from .peer import AT_MOST, FEW, MANY, Fleet, cases, custom_rules, debug, further_host, rules
from .processes import Failure
from .serving import Serving


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with Serving(tmp_path) as serving:
        yield Fleet(serving, tmp_path, 2)


def test_every_way_finds_the_zones_in_order(fleet: Fleet) -> None:
    runs = (
        fleet.role(),
        fleet.report(),
        fleet.play(custom_rules(), "changed=0", check_mode=True),
        fleet.play(debug(), "ok=1", reads=False),
    )
    assert all(taken.processor > 0 for taken in runs)


def test_work_that_was_not_done_is_not_measured(fleet: Fleet) -> None:
    with pytest.raises(Failure, match="did not find the zones in order"):
        fleet.taken(["echo", "No changes"], "No changes detected.")
    with pytest.raises(Failure, match="read 0 of 2 zones"):
        fleet.taken(["echo", "No changes detected."], "No changes detected.")


def test_both_have_the_same_rules(fleet: Fleet) -> None:
    config = yaml.safe_load(fleet.write_config().read_text(encoding="utf-8"))
    folder = Path(config["providers"]["rules"]["directory"])
    for name in config["zones"]:
        described = yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
        assert described == {"cloudflare": {"waf_custom_rules": rules()}}


def test_a_further_host_is_the_difference_of_two_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serving = Serving(tmp_path)
    processor = {FEW: 2.0, MANY: 2.0 + (MANY - FEW) * 0.5}
    monkeypatch.setattr(Fleet, "__init__", lambda fleet, serving, scratch, count: setattr(fleet, "count", count))
    monkeypatch.setattr(Fleet, "role", lambda fleet: Taken(9.0, processor=processor[vars(fleet)["count"]]))
    case = further_host(serving, tmp_path)
    way = case.ways[case.rows[0].work]
    assert way.share(way.run(), 0.0).seconds == 0.5


def test_the_largest_fleet_is_compared_with_a_smaller_one(tmp_path: Path) -> None:
    every = list(cases(Serving(tmp_path), tmp_path, "octorules"))
    assert [len(case.rows) for case in every] == [4] * (len(AT_MOST) - 1) + [5, 2]
    row = every[-2].rows[-1]
    assert (row.against, row.times) == ("300 zones in order, role baseline in check mode", 1_000 / 300)
