# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the report on objects that a baseline names, with switches given or left out, after several changes by hand:
random states against a small model of docs/accounts.md. `make plans` compares 3,000."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from itertools import product
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import HostRecord
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.evidence.models import plan_model
from tests.evidence.models.named_model import (
    MANAGED,
    account_after,
    is_lost,
    lets_more_pass,
    overridden,
    rules_after,
    switches_of,
    unpaused,
    with_defaults,
)
from tests.evidence.models.plan_model import Item, Refused, named
from tests.evidence.models.random_accounts import (
    DNS,
    accounts,
    changed,
    hold,
    key_of,
    protects_less,
    record_of,
    task_of,
)
from tests.evidence.models.random_plans import plans
from tests.evidence.models.random_zones import FILTER_IDS, RULE_IDS, Overrides, existing_override, overrides
from tests.evidence.models.traffic_model import custom_in_order, firewall_in_order, is_unprotected
from tests.evidence.models.zone_model import L4, firewall_after, override_after
from tests.fake_service import LocalService
from tests.support.host_parts import RISKS
from tests.support.module_run import ACCOUNT, ZONE, Modules

pytestmark = pytest.mark.ends("weakened", "no less", of="named")

ROLE = Context(is_role=True)
FLAGS = st.booleans()
FEW = st.sampled_from([False, False, False, True])


def converged(modules: Modules, module: str, task: Item) -> HostRecord:
    """The report on a dry run of the role. The run does the same, and the next one nothing."""
    options = {**task, "accept_risks": RISKS}
    predicted = modules.run(module, check=True, context=ROLE, **options)
    assert not predicted.get("failed"), predicted
    done = modules.run(module, context=ROLE, **options)
    for name in ("operations", "plan_id", "diff", "changed"):
        assert done.get(name) == predicted.get(name)
    again = modules.run(module, context=ROLE, **options)
    assert again["changed"] is False, (again["operations"], predicted["operations"])
    return record_of(module, predicted)


def check_status(record: HostRecord, worst: bool, differs: bool, outcomes: Counter[str]) -> None:
    expected = "weakened" if worst else "drift" if differs else "in_order"
    assert record["status"] == expected, (record["status"], record["reasons"])
    outcomes["weakened" if worst else "no less"] += 1


SWITCHES = st.sampled_from(["excluded", "enabled", "mode", "rate_sensitivity", "burst_sensitivity"])


def thinned(items: Sequence[Item], left_out: set[str]) -> list[Item]:
    return [{name: value for name, value in item.items() if name not in left_out} for item in items]


@given(state=accounts(hands=4), left_out=st.lists(st.sets(SWITCHES), min_size=8, max_size=8), off=FEW)
@plans(1.2)
def test_an_account_is_as_its_baseline_describes_it(
    state: tuple[Item, list[Any]],
    left_out: list[set[str]],
    off: bool,
    service: LocalService,
    modules: Modules,
    outcomes: Counter[str],
) -> None:
    baseline, made = state
    existing = {**baseline, "enabled": not off}
    for change in made:
        existing = changed(existing, change)
    entries = deepcopy(baseline)
    places = [(entries, "prefixes"), (entries, "allowlist")]
    places += [(entries[name], kind) for name in ("rules", "filters") for kind in entries[name]]
    for (holder, name), fields in zip(places, left_out, strict=False):
        holder[name] = thinned(holder[name], fields)
    after = account_after(existing, entries)
    hold(service, existing)
    record = converged(modules, "account_protection", task_of(entries, purge=False))
    assert stored(service) == comparable(after), (existing, entries)
    only = {**account_after(existing, entries, alone=True), "enabled": True}
    strange = [change for change in made if change.before is None]
    holes = [protects_less(only, changed(only, change)) for change in strange]
    worst = protects_less(after, existing) or any(holes)
    if is_unprotected(existing):
        assert record["status"] == "unprotected"
        assert bool([text for text in record["reasons"] if "aseline" in text]) >= protects_less(after, existing)
        outcomes["weakened" if worst else "no less"] += 1
    else:
        check_status(record, worst, comparable(after) != comparable(existing), outcomes)


def comparable(state: Item) -> Item:
    lists: Item = {f"{name} {kind}": state[name][kind] for name, kind in product(("rules", "filters"), state["rules"])}
    lists |= {"prefixes": state["prefixes"], "allowlist": state["allowlist"]}
    fields = ("excluded", "enabled", "mode", "rate_sensitivity", "burst_sensitivity", "profile_sensitivity")
    return {
        name: sorted([key_of(item), *(f"{field} {item[field]}" for field in fields if field in item)] for item in items)
        for name, items in {**lists, "on": [{"ref": "on", "enabled": state["enabled"]}]}.items()
        if items
    }


def stored(service: LocalService) -> Item:
    account = service.account(ACCOUNT)
    rules = {**account.rules, **({DNS: account.dns_rules} if account.dns_rules else {})}
    lists = {
        "prefixes": account.prefixes,
        "allowlist": account.allowlist,
        "rules": rules,
        "filters": {DNS: [], **account.filters},
    }
    return comparable({"enabled": account.enabled, **lists})


OF_REQUESTS = [
    'http.host eq "a"', 'http.host eq "b"', 'http.host in {"a" "b"}', "ip.src in {192.0.2.0/24}", "ip.src eq 192.0.2.1",
    'http.host eq "a" and ip.src eq 192.0.2.1',
]  # fmt: skip
OF_PACKETS = [
    "ip.src in {192.0.2.0/24}",
    "ip.src eq 192.0.2.1",
    "ip.src in {192.0.2.0/24 198.51.100.1}",
    "ip.src eq 198.51.100.1",
]
CURRENT = {"ruleset": "current"}
CONDITION: Item = {"username_expression": "a", "password_expression": "b"}
FUTURE = {"future": 1}


def actions(module: str) -> st.SearchStrategy[str]:
    challenge = ["managed_challenge"] if module == "custom_rules" else []
    return st.sampled_from(["block", "skip", *challenge, "block", "log"])


def rule(draw: st.DrawFn, module: str, ref: str) -> Item:
    action = draw(actions(module))
    expression = draw(st.sampled_from(OF_REQUESTS if module == "custom_rules" else OF_PACKETS))
    new = {"ref": ref, "action": action, "expression": expression, "enabled": not draw(FEW)}
    return with_parameters({**new, **({"exposed_credential_check": CONDITION} if draw(FEW) else {})})


def with_parameters(new: Item) -> Item:
    own = {name: value for name, value in new.items() if name != "action_parameters"}
    return {**own, "action_parameters": CURRENT} if new.get("action") == "skip" else own


def by_hand(draw: st.DrawFn, module: str, existing: list[Item]) -> None:
    """One change in the dashboard."""
    index, hand = draw(st.integers(0, len(existing))), draw(st.sampled_from(["hand", "other"]))
    if index == len(existing) or not existing:
        if hand not in [one["ref"] for one in existing]:
            future = draw(st.sampled_from([{}, {}, FUTURE]))
            existing.insert(draw(st.integers(0, len(existing))), {**rule(draw, module, hand), **future})
        return
    changed, new = existing[index], rule(draw, module, "")
    what = draw(st.sampled_from(["gone", "moved", "enabled", "enabled", "action", "expression", "condition", "future"]))
    if what in ("gone", "moved"):
        del existing[index]
    if what == "moved":
        existing.insert(draw(st.integers(0, len(existing))), changed)
    elif what == "enabled":
        changed["enabled"] = not changed["enabled"]
    elif what == "action":
        existing[index] = with_parameters({**changed, "action": new["action"]})
    elif what == "expression":
        changed["expression"] = new["expression"]
    elif what == "condition" and not changed.pop("exposed_credential_check", None):
        changed["exposed_credential_check"] = CONDITION
    elif what == "future":
        changed.update(FUTURE)


@st.composite
def lists(draw: st.DrawFn, module: str) -> tuple[str, list[Item], list[Item]]:
    """The entries of a baseline, and the list after some changes by hand."""
    described = [rule(draw, module, ref) for ref in draw(st.sampled_from(["a", "ab", "abc", "abc"]))]
    existing = deepcopy(described)
    if len(described) > 1 and draw(FEW):  # a skip that moved before a block
        for one, action in zip(described, ("block", "skip"), strict=False):
            one |= {"action": action, "enabled": True}
        described = [with_parameters(one) for one in described]
        existing = deepcopy([described[1], described[0], *described[2:]])
    for _hand in range(draw(st.integers(1, 4))):
        by_hand(draw, module, existing)
    known, entries = [one["ref"] for one in existing], []
    for one in described:
        left_out = draw(
            st.sets(st.sampled_from(["enabled", "enabled", "action", "expression", "exposed_credential_check"]))
        )
        left_out -= set() if one["ref"] in known else {"action", "expression"}
        left_out |= {"action_parameters"} if "action" in left_out else set()
        entry = {name: value for name, value in one.items() if name not in left_out}
        condition = {name: entry.pop(name) for name in ("exposed_credential_check",) if name in entry}
        position = {"position": draw(st.sampled_from(["first", "last"]))} if draw(FEW) and draw(FEW) else {}
        entries.append({**entry, **position, **({"api_fields": condition} if condition else {})})
    return module, entries, existing


@given(case=st.sampled_from(["custom_rules", "network_firewall_rules"]).flatmap(lists))
@plans(2)
def test_rules_are_as_their_baseline_describes_them(
    case: tuple[str, list[Item], list[Item]], service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    module, entries, existing = case
    service.reset()
    owner: Any = service.zone(ZONE) if module == "custom_rules" else service.account(ACCOUNT)
    owner.seed(**{module: deepcopy(existing)})
    after = rules_after(existing, entries)
    record = converged(modules, module, {"rules": entries})
    listed = owner.custom_rules if module == "custom_rules" else owner.rules_of(module)
    assert shown(listed) == shown(after), (existing, entries)
    was, becomes = custom_in_order(after), custom_in_order(existing)
    conditions = [
        {one["ref"]: frozenset({"exposed_credential_check", "future"} & {*one}) for one in some}
        for some in (after, existing)
    ]
    refs = {entry["ref"] for entry in entries}
    strange = [one for one in after if one["ref"] not in refs]
    odd = {one["ref"] for one in after if {*one} & {"future", "exposed_credential_check"}}
    open_ = any(one["enabled"] and one["action"] in ("log", "skip") and one["ref"] in odd for one in strange)
    worst = open_ or is_lost(was, becomes, refs, conditions)  # it may do more than is known
    check_status(record, worst, shown(existing) != shown(after), outcomes)


def shown(rules: Sequence[Item]) -> list[list[Any]]:
    names = ("ref", "action", "expression", "enabled", "exposed_credential_check", "action_parameters", "future")
    return [[one.get(name) for name in names] for one in rules]


@st.composite
def firewalls(draw: st.DrawFn) -> tuple[list[Item], list[Item]]:
    """Entries of a baseline, and three rules that share two filters."""
    texts = st.sampled_from(OF_REQUESTS)
    filters = [{"id": identity, "expression": draw(texts), "paused": draw(FLAGS)} for identity in FILTER_IDS]
    own = st.sampled_from(["block", "allow", "block", "managed_challenge", "log"])
    rules = [
        {"id": identity, "action": draw(own), "priority": draw(st.sampled_from([None, 1, 2])), "paused": draw(FLAGS), "filter": draw(st.sampled_from(filters))}
        for identity in RULE_IDS[:3]
    ]  # fmt: skip
    entries: list[Item] = []
    for one in rules[: draw(st.integers(1, 3))]:
        said: Item = {"action": draw(own), "paused": draw(FLAGS)}
        of_filter = {"paused": draw(FLAGS), "expression": draw(texts), "description": "a"}
        keys, inner = draw(st.sets(st.sampled_from([*said]))), draw(st.sets(st.sampled_from([*of_filter])))
        entry = {"id": one["id"], **{name: said[name] for name in said if name in keys}}
        if draw(FEW) and inner:
            entry["filter"] = {name: of_filter[name] for name in of_filter if name in inner}
        entries.append(entry)
    return entries, rules


@given(case=firewalls())
@plans(1)
def test_firewall_rules_are_as_their_baseline_describes_them(
    case: tuple[list[Item], list[Item]], service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    entries, existing = case
    service.reset()
    zone = service.zone(ZONE).seed(rules=deepcopy(existing))
    try:
        after = unpaused(firewall_after(deepcopy(zone.rules), entries), entries)
    except Refused:
        assume(False)
    was, becomes = firewall_in_order(after), firewall_in_order(deepcopy(zone.rules))
    record = converged(modules, "firewall_rules", {"rules": entries})
    assert plan_model.shown(zone.rules) == plan_model.shown(after)
    worst = is_lost(was, becomes, {entry["id"] for entry in entries})
    check_status(record, worst, bool(record["operations"]), outcomes)
    assert record["operations"] or was == becomes


KIND = Overrides(
    L4, st.sampled_from(["ip.dst in {203.0.113.0/24}", "ip.dst in {203.0.113.53}", "true", "udp.dstport in {53}"])
)


@st.composite
def some_overrides(draw: st.DrawFn) -> tuple[list[Item], list[Item]]:
    """Entries of a baseline that each override something, and the list as it is; each by itself."""
    refs = "abc"[: draw(st.integers(1, 3))]
    existing = [draw(existing_override(KIND, ref)) for ref in refs]
    entries = [draw(overrides(KIND, ref)) for ref in refs]
    left_out = draw(st.sampled_from(["expression", "enabled", ""]))
    return [{name: value for name, value in entry.items() if name != left_out} for entry in entries], existing


@given(case=some_overrides())
@plans(1)
def test_overrides_are_as_their_baseline_describes_them(
    case: tuple[list[Item], list[Item]], service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    entries, existing = case
    assume(all(one["action"] == "execute" for one in existing))
    existing = [{"enabled": True, **one} for one in existing]
    try:
        both = zip(existing, entries, strict=True)
        planned = [override_after(L4, one, named(entry)) for one, entry in both]
    except Refused:
        assume(False)
    described = [with_defaults(one, entry) for one, entry in zip(planned, entries, strict=True)]
    assume(all(map(overridden, described)))
    service.reset()
    account = service.account(ACCOUNT).seed(ddos_l4_overrides=deepcopy(existing))
    record = converged(modules, "ddos_l4_overrides", {"overrides": entries})
    after = account.rules_of("ddos_l4_overrides")
    assert not lets_more_pass(described, after), (described, after)
    for index, entry in enumerate(entries):
        for switch, set_back in switches_of(planned[index], described[index], after[index]):
            assert switch not in entry
            sides = [[*after[:index], one, *described[index + 1 :]] for one in (described[index], set_back)]
            assert lets_more_pass(*sides), (switch, existing, entry, after)
    proven = lets_more_pass(after, existing, MANAGED)
    possible = proven or lets_more_pass(after, existing)
    assert (record["status"] == "weakened") in {proven, possible}, (record["reasons"], existing, after)
    outcomes["weakened" if proven else "no less"] += 1
