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
from .peer import OURS, PEER, Fleet, compared, rules, table
from .processes import Failure
from .serving import Serving


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with Serving(tmp_path) as serving:
        yield Fleet(serving, tmp_path, 2)


def test_the_role_and_the_report_find_the_zones_in_order(fleet: Fleet) -> None:
    ways = fleet.ways("octorules")
    assert all(ways[name]().processor > 0 for name in OURS)


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


def test_ratios_are_those_of_a_round() -> None:
    seconds = {PEER: iter((2.0, 4.0, 4.0)), OURS[0]: iter((1.0, 2.0, 8.0))}
    ways = {name: lambda of=values: Taken(next(of), processor=1.0) for name, values in seconds.items()}
    rows = compared(60, ways, 3)
    assert rows == [("60", PEER, "4.00", "1.00", "1.00", "1.00"), ("60", OURS[0], "2.00", "1.00", "0.50", "1.00")]
    assert "| 60 | the role in check mode | 2.00 | 1.00 | 0.50 | 1.00 |" in table(rows)
