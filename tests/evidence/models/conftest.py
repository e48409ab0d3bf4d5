# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The local service and the modules that talk to it, as in the functional tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from tests.evidence.models.plan_run import Run
from tests.fake_service import LocalService
from tests.functional.conftest import modules, running_service, service
from tests.support.module_run import Modules

__all__ = ["modules", "running_service", "service"]


ENDS = ("applied", "refused", "unchanged")  # a plan has one of them


@pytest.fixture
def outcomes(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """How many plans of a test were applied, refused, or changed nothing, and how many of those applied had risks, which
    docs/evidence.md shows; and what else they had. The mark `fewest` names the least share of a kind, which is a quarter for those applied:
    what is refused or changes nothing says less. The mark `ends` names other ends, and the row on the page; none may be rare.
    """
    counted: Counter[str] = Counter()
    yield counted
    if mark := request.node.get_closest_marker("ends"):
        record_property(mark.kwargs["of"], dict(counted))
        assert all(counted[end] >= counted.total() // mark.kwargs.get("one_in", 10) for end in mark.args), counted
        return
    ends = {end: counted[end] for end in ENDS}
    record_property("plans", {**ends, "with_risks": counted["with_risks"]})
    shares = {"applied": 1 / 4}
    for mark in request.node.iter_markers("fewest"):
        shares.update(mark.kwargs)
    few = [kind for kind, share in shares.items() if counted[kind] < int(share * sum(ends.values()))]
    assert not few, counted


@pytest.fixture
def run(service: LocalService, modules: Modules, outcomes: Counter[str]) -> Run:
    return Run(service, modules, outcomes)
