# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random accounts as baselines describe them, and the changes of hands to them; the report on them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.account import ACCOUNT_RISKS
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import codes_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import HostRecord
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results
from hypothesis import strategies as st

from tests.evidence.models.plan_model import Item, position_of
from tests.evidence.models.random_plans import KINDS, LEVELS
from tests.evidence.models.risk_model import lowers
from tests.evidence.models.traffic_model import MET_BY, loses
from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT

NETWORKS = ("192.0.2.0/24", "192.0.2.0/25", "192.0.2.128/25", "198.51.100.0/24", "198.51.100.128/25", "203.0.113.0/24")
SOURCES = ("10.0.0.0/8", "10.0.0.0/16", "203.0.113.9/32", "172.16.0.0/12")
PLACES = (("region", "WEUR"), ("datacenter", "lax"), ("region", "EEUR"))
MODES = st.sampled_from(["enabled", "monitoring", "disabled", "enabled"])
FLAGS = st.booleans()


class Change(NamedTuple):
    """What one hand does: to a list, an object of the baseline (None for a new one), and the object afterwards (None if it
    is gone)."""

    where: tuple[str, ...]
    before: Item | None
    after: Item | None


SENSITIVE = {"rate_sensitivity": LEVELS, "burst_sensitivity": LEVELS}
PROFILED = {**SENSITIVE, "profile_sensitivity": LEVELS | st.just("very_high")}
DNS = "dns"  # the rules of a product of its own, which has no filters


def rules(kind: str, places: Sequence[tuple[str, str]], modes: st.SearchStrategy[str]) -> st.SearchStrategy[Item]:
    levels = st.fixed_dictionaries(PROFILED if kind == DNS else SENSITIVE)
    return st.builds(
        lambda place, mode, own: {"scope": place[0], "name": place[1], "mode": mode, **own},
        st.sampled_from(places),
        modes,
        levels,
    )


def prefixes() -> st.SearchStrategy[Item]:
    return st.builds(
        lambda network, excluded: {"prefix": network, "excluded": excluded}, st.sampled_from(NETWORKS), FLAGS
    )


def entries() -> st.SearchStrategy[Item]:
    return st.builds(lambda source, on: {"prefix": source, "enabled": on}, st.sampled_from(SOURCES), FLAGS)


def filters() -> st.SearchStrategy[Item]:
    return st.builds(lambda text, mode: {"expression": text, "mode": mode}, st.sampled_from(sorted(MET_BY)), MODES)


def objects_of(where: Sequence[str]) -> st.SearchStrategy[Item]:
    if where[0] == "rules":
        return rules(where[1], PLACES, MODES)
    return {"prefixes": prefixes, "allowlist": entries, "filters": filters}[where[0]]()


def key_of(item: Item) -> tuple[str, ...]:
    return tuple(str(item[name]) for name in ("prefix", "expression", "scope", "name", "ref") if name in item)


def some(objects: st.SearchStrategy[Item], most: int) -> st.SearchStrategy[list[Item]]:
    return st.lists(objects, max_size=most, unique_by=key_of)


@st.composite
def baselines(draw: st.DrawFn) -> Item:
    """An account as a baseline describes it; it protects something, and may only monitor."""
    first = {"prefix": draw(st.sampled_from(["192.0.2.0/24", "198.51.100.0/24"])), "excluded": False}
    others = [item for item in draw(some(prefixes(), 2)) if item["prefix"] != first["prefix"]]
    kinds = [*KINDS, *([DNS] if draw(FLAGS) else [])]
    modes = st.sampled_from(["enabled", "enabled", "monitoring"])
    everywhere = {kind: draw(rules(kind, [("global", "global")], modes)) for kind in kinds}
    return {
        "enabled": True,
        "prefixes": [first, *others],
        "allowlist": draw(some(entries(), 1)),
        "rules": {kind: [one, *draw(some(objects_of(("rules", kind)), 1))] for kind, one in everywhere.items()},
        "filters": {kind: draw(some(filters(), 2)) if kind != DNS else [] for kind in kinds},
    }


def list_of(state: Item, where: Sequence[str]) -> list[Item]:
    found: Any = state
    for name in where:
        found = found[name]
    objects: list[Item] = found
    return objects


def lists(state: Item) -> list[tuple[str, ...]]:
    of_kinds = [*(("rules", kind) for kind in state["rules"]), *(("filters", kind) for kind in KINDS)]
    return [("prefixes",), ("allowlist",), *of_kinds]


def option_of(where: Sequence[str]) -> str:
    return "dns_rules" if DNS in where else where[0]


@st.composite
def changes(draw: st.DrawFn, state: Item) -> Change:
    """A change by hand: something new, something else, or something gone."""
    where = draw(st.sampled_from(lists(state)))
    objects, new = list_of(state, where), draw(objects_of(where))
    known = {key_of(item): item for item in objects}
    if key_of(new) not in known and draw(st.integers(0, 2)):
        return Change(where, None, new)
    if not objects:
        return Change(where, None, new)
    before = draw(st.sampled_from(objects))
    flags: Item = {name: not before[name] for name in ("excluded", "enabled") if name in before}
    mode: Item = {"mode": draw(MODES)}
    level = {name: draw(LEVELS) for name in before if name.endswith("_sensitivity")}
    other = {**before, **(flags or draw(st.sampled_from([mode, level or mode])))}
    return Change(where, before, draw(st.sampled_from([other, other, None])))


def changed(state: Item, change: Change) -> Item:
    """A state after a change."""
    after = copy.deepcopy(state)
    objects = list_of(after, change.where)
    objects[:] = [item for item in objects if change.before is None or key_of(item) != key_of(change.before)]
    objects += [change.after] if change.after else []
    return after


@st.composite
def accounts(draw: st.DrawFn, hands: int = 2) -> tuple[Item, list[Change]]:
    """A baseline, and the changes of one or several hands to objects that the others leave alone."""
    baseline, made = draw(baselines()), list[Change]()
    touched = set[tuple[str, ...]]()
    for _hand in range(draw(st.sampled_from([1, 1, 1, hands]))):
        change = draw(changes(baseline))
        keys = {(*change.where, *key_of(item)) for item in (change.before, change.after) if item}
        if keys.isdisjoint(touched):
            touched |= keys
            made.append(change)
    return baseline, made


NOW = datetime(2026, 11, 22, 10, tzinfo=UTC).isoformat()


def hold(service: LocalService, state: Item) -> None:
    service.reset()
    service.switch(checked_against_contract=False)
    lists: Item = {kind: {name: state[name][kind] for name in ("rules", "filters")} for kind in KINDS}
    lists |= {"dns_rules": state["rules"].get(DNS, [])}
    service.account(ACCOUNT).seed(
        enabled=state["enabled"], prefixes=state["prefixes"], allowlist=state["allowlist"], **lists
    )


def task_of(baseline: Item, purge: bool) -> Item:
    """The options of account_protection for a baseline."""
    several = {
        name: [{"kind": kind, **item} for kind in KINDS for item in baseline[name][kind]]
        for name in ("rules", "filters")
    }
    if DNS in baseline["rules"]:
        several["dns_rules"] = baseline["rules"][DNS]
    lists = {**{name: baseline[name] for name in ("prefixes", "allowlist")}, **several}
    purged = [name for name in lists if lists[name]] if purge else []
    return {"enabled": True, **lists, "purge": purged, "accept_risks": list(codes_of(ACCOUNT_RISKS))}


def record_of(module: str, result: Item) -> HostRecord:
    assert not result.get("failed"), result
    return host_record(host_results("lima", {}, {module: result}), NOW)


def protects_less(described: Item, existing: Item) -> bool:
    """Whether a state covers less than described, or has a lower sensitivity somewhere."""
    rules = [(described["rules"][kind], existing["rules"][kind]) for kind in described["rules"]]
    return loses(described, existing) or any(
        lowers(was, is_, {position_of(item) for item in was}) for was, is_ in rules
    )
