# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random states, exported and applied, and random runs, snapshotted and restored: nothing may differ. `make plans` compares
1,000 of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import parts_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import Export, export_state
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.export_file import export_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.restore import StateFile, read_file
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import read_parts, snapshot_text
from hypothesis import given
from hypothesis import strategies as st

from tests.evidence.models.random_plans import plans
from tests.evidence.models.random_states import Item, accounts, comparable, content, custom_rules, hold, spelled
from tests.fake_service import LocalService
from tests.support.host_parts import RISKS, host, read_back, run_module
from tests.support.service_state import collections_of

ID = re.compile(r"\(id ([^)]+)\)|(tcp_protection_status)")
EVERYTHING: Item = {"baseline_dns_rules": [], "baseline_custom_rules": []}
STATES = st.tuples(accounts(odd=True), custom_rules(odd=True))
GOALS = st.tuples(accounts(odd=False), custom_rules(odd=False))
# An export describes such a state in full, and a restore brings it back; of the others both name some objects.
PLAIN_STATES = st.tuples(accounts(odd=False, plain=True), custom_rules(odd=False))


@pytest.fixture
def outcomes(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """How many states or runs came to which end, which docs/evidence.md shows; none of the ends that the mark `ends` names
    may be rare."""
    counted: Counter[str] = Counter()
    yield counted
    ends = request.node.get_closest_marker("ends").args
    record_property(request.node.get_closest_marker("ends").kwargs["of"], dict(counted))
    assert all(counted[end] >= counted.total() // 20 for end in ends), counted


def exported(service: LocalService, purge: bool) -> tuple[Export, Item]:
    """The export of all that the service has, and the variables that its file gives to a play."""
    parts = parts_of("lima", {**host(service), **EVERYTHING})
    state = read_parts(parts, run_module)
    export = export_state(state.objects, purge)
    variables = read_back(export_text(export, state.owners))
    del variables["baseline_source"]
    assert variables == export.variables
    return export, variables


def applied(service: LocalService, variables: Mapping[str, Any]) -> list[Item]:
    """The results of the modules that the role runs for these variables."""
    results = [run_module(part, False) for part in parts_of("lima", {**host(service), **variables})]
    assert not [result for result in results if result.get("failed")], results
    return results


def described(variables: Mapping[str, Any]) -> Item:
    """The variables without those that leave objects alone, with one spelling of each value."""
    kept = {name: value for name, value in variables.items() if not name.endswith(("_ignore", "_ignore_ids"))}
    lists = {name: [spelled(entry) for entry in kept[name]] for name in kept if is_list_of_objects(kept[name])}
    return {**kept, **lists}


def is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


@given(state=st.one_of(PLAIN_STATES, STATES, STATES), purge=st.booleans())
@plans(1.7)
@pytest.mark.ends("described in full", "with notes", of="exports")
def test_applying_an_export_changes_nothing_and_brings_an_empty_account_to_it(
    state: tuple[Item, list[Item]], purge: bool, service: LocalService, outcomes: Counter[str]
) -> None:
    hold(service, *state)
    before = comparable(content(service))
    export, variables = exported(service, purge)
    outcomes["with notes" if export.notes else "described in full"] += 1
    service.calls.clear()
    assert [result["changed"] for result in applied(service, variables)] == [False, False]
    assert not service.writes
    assert comparable(content(service)) == before
    empty: Item = {name: [] for name in collections_of(service) if name != "status"}
    hold(service, {**empty, "enabled": variables.get("baseline_enabled", False)}, [])
    applied(service, variables)
    unknown_status = {} if "baseline_enabled" in variables else {"baseline_enabled": False}
    assert described(exported(service, purge)[1]) == {**described(variables), **unknown_status}


@given(before=st.one_of(PLAIN_STATES, PLAIN_STATES, GOALS, STATES), goal=GOALS)
@plans(1.7)
@pytest.mark.ends("restored", "restored but for objects that were named", of="restores")
def test_a_restore_brings_back_what_a_run_changed_but_for_objects_that_it_names(
    before: tuple[Item, list[Item]], goal: tuple[Item, list[Item]], service: LocalService, outcomes: Counter[str]
) -> None:
    hold(service, *goal)
    run = exported(service, purge=True)[1]
    hold(service, *before)
    expected = content(service)
    parts = parts_of("lima", {**host(service), **run})
    text = snapshot_text(parts, read_parts(parts, run_module))
    for part in parts:
        result = run_module(part, False)
        assert not result.get("failed"), result
    after = content(service)
    file = read_file(read_back(text), "file.yml")
    refusals = restored(service, file)
    if refusals:
        assert content(service) == after
        left = [found.group(1) or found.group(2) for text in refusals for found in ID.finditer(text)]
        again = restored(service, file, left)
        assert again == [], (left, again, file.objects, after)
        assert comparable(content(service), left) == comparable(expected, left)
        outcomes["restored but for objects that were named"] += 1
        return
    outcomes["unchanged" if comparable(after) == comparable(expected) else "restored"] += 1
    assert comparable(content(service)) == comparable(expected)


def restored(service: LocalService, file: StateFile, left: Collection[str] = ()) -> list[str]:
    """Restore a file without the objects with these ids; why it was refused, or nothing."""
    values = {name: value for name, value in host(service).items() if name != "baseline_accept_risks"}
    readers = file.parts("lima", values)
    restoration = file.restoration("lima", values, read_parts(readers, run_module).objects, RISKS, list(left))
    if restoration.refusals:
        return list(restoration.refusals)
    for part in restoration.parts:
        result = run_module(part, False)
        assert not result.get("failed"), result
    assert restoration.unmet(read_parts(readers, run_module).objects) == []
    return []
