# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Properties of every existing and every desired state, of every collection."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any, Callable, Dict, Iterator

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import PlanError
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.examination import RULE_EXPRESSION
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._result import make_diff, operation_records
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import (
    CODE,
    FLAG,
    ID,
    NETWORK,
    PRIORITY,
    TEXT,
    Value,
    choice,
    several,
)
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

COLLECTIONS = [resource for resource in ACCOUNT if resource.create]
NETWORKS = st.sampled_from(
    [
        "192.0.2.0/24",
        "192.0.2.9/24",
        "192.0.2.0/28",
        "192.0.2.1",
        "192.0.2.1/32",
        "2001:db8::/32",
        "2001:DB8::/32",
        "::1",
    ]
)
TEXTS = st.sampled_from(["", "a", "b"])
MODES = st.sampled_from(["enabled", "monitoring", "disabled"])
LEVELS = st.sampled_from(["low", "medium", "high"])
IDS = st.sampled_from([digit * 32 for digit in "0123"])
Keep = Callable[[Any], None]
Strategies = Dict[str, "st.SearchStrategy[Any]"]
FILTER = st.fixed_dictionaries(
    {},
    optional={
        "expression": st.sampled_from(["true", "ip.src  eq 192.0.2.1", "ip.src eq 192.0.2.1"]),
        "paused": st.booleans(),
        "description": TEXTS,
    },
)
FIELDS: dict[str, tuple[Strategies, Strategies]] = {
    "prefix": ({"prefix": NETWORKS}, {"comment": TEXTS, "excluded": st.booleans()}),
    "allowlist_entry": ({"prefix": NETWORKS}, {"comment": TEXTS, "enabled": st.booleans()}),
    "syn_flood_rule": (
        {"scope": st.sampled_from(["region", "datacenter"]), "name": st.sampled_from(["WEUR", "weur", "lax"])},
        {
            "mode": MODES,
            "rate_sensitivity": LEVELS,
            "burst_sensitivity": LEVELS,
            "mitigation_type": st.sampled_from(["challenge", "retransmit"]),
        },
    ),
    "out_of_state_tcp_rule": (
        {"scope": st.sampled_from(["region", "datacenter"]), "name": st.sampled_from(["WEUR", "weur", "lax"])},
        {"mode": MODES, "rate_sensitivity": LEVELS, "burst_sensitivity": LEVELS},
    ),
    "syn_flood_filter": ({"expression": st.sampled_from(["tcp.dstport eq 80", "tcp.dstport  eq 80", "x"])}, {"mode": MODES}),
    "out_of_state_tcp_filter": ({"expression": st.sampled_from(["a", "b"])}, {"mode": MODES}),
    "firewall_rule": (
        {"id": IDS},
        {
            "action": st.sampled_from(["log", "block", "allow"]),
            "priority": st.sampled_from(["", 1, "2"]),
            "paused": st.booleans(),
            "description": TEXTS,
            "filter": FILTER,
        },
    ),
}  # fmt: skip


def entries(resource: Resource) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Options of a list of objects, no two of them with one key."""
    required, optional = FIELDS[resource.name]
    return st.lists(st.fixed_dictionaries(required, optional=optional), max_size=4, unique_by=resource.key_of)


@st.composite
def existing(draw: st.DrawFn, resource: Resource) -> list[dict[str, Any]]:
    """Objects as Cloudflare may hold them: with duplicates, malformed, and with fields that nobody declared."""
    required, optional = FIELDS[resource.name]
    objects: list[dict[str, Any]] = draw(st.lists(st.fixed_dictionaries({**required, **optional}), max_size=5))
    if resource is FIREWALL_RULES:
        shared = {"id": "f" * 32, **draw(FILTER)}
        objects = [{**item, "priority": None, "filter": shared} for item in objects]
        return list({item["id"]: item for item in objects}.values())
    if "prefix" in required and draw(st.booleans()):
        objects.append({"prefix": "203.0.113.x/24", "comment": None})
    return [{**item, "id": f"existing-{number}", "x": number} for number, item in enumerate(objects)]


def plan_of(resource: Resource, state: list[dict[str, Any]], desired_entries: list[dict[str, Any]], **how: Any) -> Plan:
    return make_plan({resource.plural: state}, [parse_desired(resource, numbered("entries", desired_entries), **how)])


def attempt(
    resource: Resource, state: list[dict[str, Any]], desired_entries: list[dict[str, Any]], **how: Any
) -> Plan | str:
    """The plan, or the reason for which there is none."""
    try:
        return plan_of(resource, state, desired_entries, **how)
    except PlanError as exc:
        return exc.message


@pytest.fixture
def keep() -> Iterator[Keep]:
    """Drops a case that is False; a property that loses more than two of three cases to this shows too little."""
    kept: list[bool] = []

    def drop_unless(condition: Any) -> None:
        kept.append(bool(condition))
        assume(condition)

    yield drop_unless
    assert sum(kept) >= 10
    assert sum(kept) >= len(kept) / 3


FOR_EACH_CASE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # `keep` counts them all


@FOR_EACH_CASE
@pytest.mark.parametrize("resource", [*COLLECTIONS, FIREWALL_RULES], ids=lambda resource: resource.name)
@given(data=st.data())
def test_the_state_after_a_plan_needs_no_plan(resource: Resource, data: st.DataObject, keep: Keep) -> None:
    state, desired_entries = data.draw(existing(resource)), data.draw(entries(resource))
    how = data.draw(st.sampled_from([{}, {"absent": True}, {"exclusive": True}])) if resource.delete else {}
    made = attempt(resource, state, desired_entries, **how)
    keep(not isinstance(made, str))
    assert not isinstance(made, str)
    after = [{"id": f"new-{number}", **item} for number, item in enumerate(made.after()[resource.plural])]
    again = plan_of(resource, after, desired_entries, **how)
    assert operation_records(again.operations) == []
    assert again.after() == {resource.plural: after}


@FOR_EACH_CASE
@pytest.mark.parametrize("resource", [*COLLECTIONS, FIREWALL_RULES], ids=lambda resource: resource.name)
@given(data=st.data(), seed=st.integers())
def test_the_order_of_the_input_does_not_matter(resource: Resource, data: st.DataObject, seed: int, keep: Keep) -> None:
    state, desired_entries = data.draw(existing(resource)), data.draw(entries(resource))
    how = data.draw(st.sampled_from([{}, {"absent": True}, {"exclusive": True}])) if resource.delete else {}
    shuffled = random.Random(seed)
    other_state, other_entries = (
        shuffled.sample(state, len(state)),
        shuffled.sample(desired_entries, len(desired_entries)),
    )
    one, other = attempt(resource, state, desired_entries, **how), attempt(resource, other_state, other_entries, **how)
    assert isinstance(one, str) is isinstance(other, str)
    keep(not isinstance(one, str))
    assert not isinstance(one, str)
    assert not isinstance(other, str)
    assert operation_records(one.operations) == operation_records(other.operations)
    assert make_diff(one.operations) == make_diff(other.operations)


@FOR_EACH_CASE
@pytest.mark.parametrize("resource", COLLECTIONS, ids=lambda resource: resource.name)
@given(data=st.data())
def test_nothing_is_removed_that_nobody_asked_to_remove(resource: Resource, data: st.DataObject, keep: Keep) -> None:
    state, desired_entries = data.draw(existing(resource)), data.draw(entries(resource))
    how = data.draw(st.sampled_from([{}, {"absent": True}, {"exclusive": True}]))
    made = attempt(resource, state, desired_entries, **how)
    keep(not isinstance(made, str))
    assert not isinstance(made, str)
    named = {resource.key_of(item) for item in parse_desired(resource, numbered("x", desired_entries)).objects.values()}
    kept = {item.get("id") for item in made.after()[resource.plural]}
    for item in state:
        removed = item["id"] not in kept
        if how.get("absent"):
            assert removed == (resource.key_of(item) in named)
        elif not how:
            duplicates = [each for each in state if resource.key_of(each) == resource.key_of(item)]
            assert not removed or (resource.key_of(item) in named and len(duplicates) > 1)
    assert how or {resource.key_of(item) for item in state} <= {
        resource.key_of(item) for item in made.after()[resource.plural]
    }
    if how.get("exclusive"):
        assert {resource.key_of(item) for item in made.after()[resource.plural]} == named
        assert len(made.after()[resource.plural]) == len(named)


VALUES = {
    "network": NETWORK, "text": TEXT, "code": CODE, "flag": FLAG, "expression": RULE_EXPRESSION, "id": ID, "priority": PRIORITY,
    "choice": choice("a", "b"), "several": several("a", "b"),
}  # fmt: skip
ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.lists(st.text()), NETWORKS,
    st.ip_addresses().map(str), st.tuples(st.ip_addresses(v=4), st.integers(0, 33)).map(lambda pair: f"{pair[0]}/{pair[1]}"),
    st.tuples(st.ip_addresses(v=6), st.integers(0, 129)).map(lambda pair: f"{pair[0]}/{pair[1]}"),
)  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
@given(written=ANYTHING, other=ANYTHING)
def test_every_normalised_value_can_be_compared_and_sorted(name: str, written: Any, other: Any) -> None:
    value = VALUES[name]
    normalised: list[Any] = [value.normalise(written), value.normalise(other)]
    assert len(sorted(normalised)) == 2
    assert hash(normalised[0]) == hash(value.normalise(written))


FITTING: Strategies = {
    "network": NETWORKS, "text": TEXTS, "code": st.sampled_from(["WEUR", "weur", "lax"]), "flag": st.booleans(),
    "expression": st.sampled_from(["true", "ip.src  eq 192.0.2.1", 'http.host eq "a  b"']), "id": IDS,
    "priority": st.one_of(st.just(""), st.integers(1, 2**31 - 1), st.integers(1, 99).map(str)), "choice": st.sampled_from(["a", "b"]),
}  # fmt: skip


def check_what_is_read(value: Value, written: Any) -> None:
    sent = value.parse(written)
    if sent is not None:
        assert value.parse(sent) == sent
        assert value.normalise(sent) == value.normalise(written)


@pytest.mark.parametrize("name", FITTING)
@given(data=st.data())
def test_parsing_keeps_the_meaning_and_is_idempotent(name: str, data: st.DataObject) -> None:
    check_what_is_read(VALUES[name], data.draw(FITTING[name]))


@pytest.mark.parametrize("name", FITTING)
@given(written=ANYTHING)
def test_anything_else_is_refused_or_read_in_the_same_way(name: str, written: Any) -> None:
    with suppress(ValueError):
        check_what_is_read(VALUES[name], written)
