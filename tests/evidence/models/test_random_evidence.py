# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random histories of accounts against a small model of docs/rollout.md, which goes by single halves of networks, data
centers, regions and ports: may a rule or filter be enabled, and why not? `make plans` compares 3,000."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evidence.models.evidence_model import HALVES, SWITCHED, Asked, after_task, decision, halves_in
from tests.evidence.models.plan_model import Item
from tests.evidence.models.random_plans import plans
from tests.fake_service import LocalService
from tests.support.host_parts import RISKS
from tests.support.module_run import ACCOUNT, Modules

ACCEPTED = [code for code in RISKS if code != "skips_monitoring"]
FEW, RARELY = st.sampled_from([False, False, False, True]), st.sampled_from([False] * 24 + [True])
AGES = st.sampled_from(
    [(30, 30), (30, 30), (30, 30), (30, 30), (1, 1), (30, 1)]
)  # hours since it was created, and changed
MODES = st.sampled_from(["monitoring", "disabled", "enabled", "disabled"])
SOME_HALVES = st.sampled_from([*HALVES, *list(HALVES)[:2] * 3])
DECIDERS = {
    "global": {"scope": "global", "name": "global"},
    "center": {"scope": "datacenter", "name": "AMS"},
    "region": {"scope": "region", "name": "WEUR"},
    "half": {"expression": "ip.dst in {203.0.113.128/25}"},
    "port": {"expression": "ip.dst in {198.51.100.0/24} and tcp.dstport eq 80"},
}
MORE = ["203.0.113.0/24", "203.0.113.128/25", "192.0.2.0/24", "198.51.100.128/25"]
KIND = "out_of_state_tcp"


@st.composite
def flows(draw: st.DrawFn, half: str) -> Item:
    """Packets to half of a network."""
    more: Item = {"ipDestinationSubnet": "nowhere"} if draw(RARELY) else {}
    if draw(FEW):
        more["hours_ago"] = draw(st.sampled_from([25, 20]))
    return {
        "ipDestinationAddress": HALVES[half],
        "coloCode": draw(st.sampled_from(["FRA", "AMS"])),
        "mitigationReason": draw(st.sampled_from(["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "CHALLENGE_NEEDED", "NEW"])),
        "verdict": "maybe" if draw(RARELY) else draw(st.sampled_from(["drop", "drop", "drop", "pass"])),
        "outcome": draw(st.sampled_from(["pass", "pass", "pass", "drop"])),
        "packets": draw(st.sampled_from([1, 9, 120, 3000])),
        **more,
    }


@st.composite
def accounts(draw: st.DrawFn) -> Item:
    """An account in which rules have monitored, and its traffic; most of its networks are busy."""
    networks = ["198.51.100.0/24", *draw(st.lists(st.sampled_from(MORE), max_size=2, unique=True))]
    prefixes: list[Item] = []
    for network in networks:
        created, changed = draw(AGES)
        excluded = bool(prefixes) and draw(FEW)
        prefixes.append({"prefix": network, "excluded": excluded, "created": created, "changed": changed})
    chosen = ["global", *draw(st.sets(st.sampled_from(["center", "region", "half", "port"]), max_size=2))]
    deciders = {name: {**DECIDERS[name], "mode": draw(MODES), "changed": 30} for name in chosen}
    busy: list[Item] = []
    for address in HALVES.values():
        interval = draw(st.sampled_from([1] * 18 + [500, 0]))
        centers = {"FRA": 9000, "AMS": 400} if interval else {}
        seen = {"ipDestinationAddress": address, "sampleInterval": interval}
        busy += [{**seen, "coloCode": code, "packets": packets} for code, packets in centers.items()]
    extra = draw(st.lists(SOME_HALVES.flatmap(flows), max_size=3))
    sources = [{"prefix": "10.0.0.1/32"}] if draw(FEW) else []
    return {
        "enabled": not draw(RARELY),
        "prefixes": prefixes,
        "deciders": deciders,
        "allowlist": sources,
        "traffic": busy + extra,
    }


@st.composite
def histories(draw: st.DrawFn) -> tuple[Item, Asked, list[str] | None, Item]:
    """An account, a task that would enable something, networks that it accepts, and what happens after it."""
    state = draw(accounts())
    name = draw(st.sampled_from([*state["deciders"]]))
    state["deciders"][name] |= {"mode": "monitoring", "changed": draw(st.sampled_from([30] * 8 + [2]))}
    brings = draw(st.sampled_from(["", "", "prefix", "include", "allowlist", "filters", "rules", "filters", "rules"]))
    limits = {
        "max_would_drop_percent": draw(st.sampled_from([0, 0.1, 0.1, 1, 5])),
        "max_would_drop_packets": draw(st.sampled_from([None, None, 0, 100])),
    }
    accepted = draw(st.none() | st.none() | st.sets(st.sampled_from([*HALVES]), min_size=1, max_size=4).map(sorted))
    later: Item = draw(st.sampled_from([{}, {"prefix": True}, {"flow": draw(SOME_HALVES.flatmap(flows))}]))
    return state, Asked(name, brings, limits), accepted, later


@pytest.fixture
def outcomes(record_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """How many were enabled, and why the others were not; none of these may be rare."""
    counted: Counter[str] = Counter()
    yield counted
    record_property("evidence", dict(counted))
    shares = {"enabled": 4, "evidence": 20, "unknown": 8, "accepted": 10, "not covered": 20, "brought": 40, "young": 10}
    assert all(counted[end] >= counted["histories"] // share for end, share in shares.items()), counted


def hold(service: LocalService, state: Item) -> None:
    service.reset()
    now = service.clock.now()

    def dated(item: Item) -> Item:
        own = {name: value for name, value in item.items() if name not in ("created", "changed")}
        created, changed = item.get("created") or item["changed"], item["changed"]
        times = {"created_on": now - timedelta(hours=created), "modified_on": now - timedelta(hours=changed)}
        return {**own, **times}

    deciders = [dated(item) for item in state["deciders"].values()]
    own = {
        "rules": [item for item in deciders if "scope" in item],
        "filters": [item for item in deciders if "scope" not in item],
    }
    service.account(ACCOUNT).seed(
        enabled=state["enabled"], prefixes=map(dated, state["prefixes"]), allowlist=state["allowlist"],
        syn_flood={"rules": [{"scope": "global", "mode": "monitoring"}]}, out_of_state_tcp=own, traffic=deepcopy(state["traffic"]),
    )  # fmt: skip


def options(asked: Asked, state: Item) -> Item:
    """The task: what it enables, and what else it brings."""
    wanted = {"kind": KIND, **DECIDERS[asked.name], "mode": "enabled"}
    task: Item = {"rules" if "scope" in wanted else "filters": [wanted]}
    if asked.brings == "prefix":
        task["prefixes"] = [{"prefix": SWITCHED}]
    elif asked.brings == "include":
        task["prefixes"] = [
            {"prefix": item["prefix"], "excluded": False} for item in state["prefixes"] if item["excluded"]
        ]
    elif asked.brings:
        others = [{"kind": "syn_flood", "scope": "global"}] if asked.brings == "rules" else []
        task |= {asked.brings: [*task.get(asked.brings, []), *others], "purge": [asked.brings]}
    return {**task, "staged_rollout": True, "rollout_evidence": asked.limits}


def enabled(service: LocalService, name: str) -> bool:
    account = service.account(ACCOUNT)
    every = [*account.rules[KIND], *account.filters[KIND]]
    return any(item["mode"] == "enabled" and DECIDERS[name].items() <= item.items() for item in every)


def check(
    state: Item,
    asked: Asked,
    accepted: list[str] | None,
    service: LocalService,
    modules: Modules,
    outcomes: Counter[str],
) -> list[str]:
    """The networks that the result asks to accept; none if the rule is enabled."""
    bound: list[Any] = [{"code": "drops_traffic", "networks": accepted}] if accepted else []
    task = {**options(asked, state), "accept_risks": [*ACCEPTED, *bound]}
    predicted, result = (modules.done("account_protection", dry, **task) for dry in (True, False))
    assert predicted["operations"] == result["operations"]
    reason, concerned, why = decision(state, asked)
    covered = bool(concerned) and concerned <= halves_in(accepted or [])
    expected = not reason or (reason != "time" and covered)
    pending = [item for item in result.get("pending", ()) if item["mode"] == "enabled"]
    assert enabled(service, asked.name) is expected, (reason, concerned, why, pending, state, asked, accepted)
    outcomes.update(["enabled" if expected else reason, *why])
    if expected:
        outcomes["accepted"] += bool(reason)
        return []
    (one,) = pending
    assert (one["reason"], halves_in(one["networks"])) == (reason, concerned), (one, why, state, asked)
    outcomes["not covered"] += bool(accepted and concerned)
    networks: list[str] = one["networks"]
    return networks


@given(history=histories())
@plans(5)
def test_nothing_is_enabled_against_the_traffic_or_without_it(
    history: tuple[Item, Asked, list[str] | None, Item], service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    state, asked, accepted, later = history
    hold(service, state)
    outcomes["histories"] += 1
    networks = check(state, asked, accepted, service, modules, outcomes)
    state = after_task(state, asked)
    if not networks:
        return
    if "flow" in later:
        state["traffic"].append(later["flow"])
        service.account(ACCOUNT).seed(traffic=[dict(later["flow"])])
    elif later and SWITCHED not in [item["prefix"] for item in state["prefixes"]]:
        state["prefixes"].append({"prefix": SWITCHED, "excluded": False, "created": 0, "changed": 0})
        service.account(ACCOUNT).seed(prefixes=[{"prefix": SWITCHED}])
    check(state, asked._replace(brings=""), networks, service, modules, outcomes)
