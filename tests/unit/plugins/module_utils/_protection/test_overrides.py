# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where overrides let more of an attack pass than other overrides do."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.looser_rules import loosened
from ansible_collections.edgeops.protection.plugins.module_utils._protection.modes import Loss
from ansible_collections.edgeops.protection.plugins.module_utils._protection.overrides import (
    OverridesInForce,
    losses_between,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.ddos_overrides import (
    L4_OVERRIDES,
    L7_OVERRIDES,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.managed_rules import MANAGED_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import networks

from tests.support.changes import weaker_in

NET, WIDER = "ip.dst in {192.0.2.0/24}", "ip.dst in {192.0.2.0/23}"
ALL = ["0.0.0.0/0", "::/0"]
OWN = ", whose own action may stop less"


def losses(resource: Resource, before: Any, after: Any, managed: Any = ()) -> list[Loss]:
    return losses_between(OverridesInForce(resource, before), OverridesInForce(resource, after), managed)


def one(ref: str = "a", expression: str = "true", **values: Any) -> dict[str, Any]:
    return {"ref": ref, "expression": expression, **values}


def test_a_version_of_its_own_changes_no_word_about_an_override() -> None:
    """A run shows what Cloudflare answers, and check mode what exists."""
    strict, plain = one("strict", action="block"), one("plain", action="log")
    existing = {L7_OVERRIDES.plural: [plain, strict]}
    records = [
        weaker_in(existing, {L7_OVERRIDES.plural: [strict, {**plain, **more}]})
        for more in ({}, {"version": "2", "last_updated": "2026-11-21T10:00:00Z"})
    ]
    assert records[0] == records[1]
    assert records[0][0]["reason"].endswith("where the baseline has strict decide")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([], [one(action="log")], [("a", "sets the action log for all managed rules", ALL)]),
        ([one(action="log")], [one(action="log")], []),
        ([one(action="log")], [one("b", action="log")], []),
        ([], [one(action="block")], []),
        ([], [one(sensitivity="default")], []),
        ([], [one(action="log", enabled=False)], []),
        ([one(action="log", enabled=False)], [one(action="log")], [("a", "sets the action log for all managed rules", ALL)]),
        ([], [one(expression=NET, sensitivity="eoff")], [("a", "sets the sensitivity eoff for all managed rules", ["192.0.2.0/24"])]),
        ([one(expression=NET, sensitivity="eoff")], [one(expression=WIDER, sensitivity="eoff")],
         [("a", "sets the sensitivity eoff for all managed rules", ["192.0.3.0/24"])]),
        ([one(expression=WIDER, sensitivity="eoff")], [one(expression=NET, sensitivity="eoff")], []),
        ([one(sensitivity="low")], [one(sensitivity="eoff")], [("a", "sets the sensitivity eoff for all managed rules", ALL)]),
        ([one(sensitivity="eoff")], [one(sensitivity="low")], []),
        ([one(action="log")], [one(sensitivity="low")], []),
        ([one(sensitivity="low")], [one(action="log")], [("a", "sets the action log for all managed rules", ALL)]),
        ([one(sensitivity="eoff")], [one(action="log")], [("a", "sets the action log for all managed rules", ALL)]),
        ([one(sensitivity="low")], [one(sensitivity="low", categories=[{"category": "dns", "sensitivity": "eoff"}])],
         [("a", "sets the sensitivity eoff for category dns", ALL)]),
        ([one(sensitivity="low", rules=[{"id": "1", "sensitivity": "default"}])], [one(sensitivity="low")],
         [("a", "sets the sensitivity low for rule 1", ALL)]),
        ([one("s", NET, sensitivity="medium"), one(sensitivity="eoff")], [one(sensitivity="eoff")],
         [("a", "sets the sensitivity eoff for all managed rules", ["192.0.2.0/24"])]),
        ([one("s", NET, sensitivity="medium"), one(sensitivity="eoff")], [one(sensitivity="eoff"), one("s", NET, sensitivity="medium")],
         [("a", "sets the sensitivity eoff for all managed rules", ["192.0.2.0/24"])]),
        ([one("s", rules=[{"id": "1", "action": "block"}]), one(action="block")], [one("s", rules=[{"id": "1", "action": "block"}]), one(action="log")],
         [("a", "sets the action log for all managed rules", ALL)]),
        ([one(action="block")], [one("s", sensitivity="default"), one(action="log")],
         [("s", f"sets no action for all managed rules{OWN}", ALL)]),
        ([one(expression=NET, action="block")], [], [("a", f"no longer decides on all managed rules{OWN}", ["192.0.2.0/24"])]),
        ([one(expression=WIDER, action="block")], [one(expression=NET, action="block")],
         [("a", f"no longer decides on all managed rules{OWN}", ["192.0.3.0/24"])]),
        ([one(categories=[{"category": "dns", "action": "block"}])], [one(categories=[{"category": "dns", "action": "block"}], enabled=False)],
         [("a", f"no longer decides on category dns{OWN}", ALL)]),
        ([one(action="block", sensitivity="eoff")], [], []),
        ([one(action="log")], [], []),
        ([one(sensitivity="default")], [], []),
        ([], [one("s", action="default", categories=[{"category": "dns", "sensitivity": "default"}]), one(sensitivity="eoff")],
         [("a", "sets the sensitivity eoff for all managed rules", ALL)]),
        ([one(expression="tcp.dstport eq 53", action="log")], [one(expression="tcp.dstport in {53 54}", action="log")],
         [("a", "sets the action log for all managed rules", ALL)]),
        ([one(expression="tcp.dstport in {53 54}", action="log")], [one(expression="tcp.dstport eq 53", action="log")], []),
        ([one(expression="udp.dstport eq 53", action="log")], [one(expression="udp.dstport eq 53", action="log"), one("b", "ip.ttl lt 3", action="log")],
         [("b", "sets the action log for all managed rules", [])]),
        ([one("s", f"{NET} and tcp.dstport eq 53", action="block"), one(sensitivity="eoff")], [one(sensitivity="eoff")],
         [("a", "sets the sensitivity eoff for all managed rules", ["192.0.2.0/24"])]),
        ([one(sensitivity="eoff")], [one("s", f"{NET} and tcp.dstport eq 53", action="block"), one(sensitivity="eoff")], []),
    ],
)  # fmt: skip
def test_an_override_weakens_if_it_lets_more_pass(before: Any, after: Any, expected: Any) -> None:
    found = losses(L4_OVERRIDES, before, after)
    assert [(item.label, item.reason, networks(list(item.ranges))) for item in found] == expected


def test_networks_are_those_of_all_managed_rules_of_which_more_passes() -> None:
    syn = one("syn", NET, categories=[{"category": "syn", "sensitivity": "default"}])
    new = one("new", "ip.dst in {192.0.2.0/24 203.0.113.0/24}", sensitivity="eoff")
    (found,) = losses(L4_OVERRIDES, [syn], [syn, new])
    assert found.reason == "sets the sensitivity eoff for all managed rules"
    assert networks(list(found.ranges)) == ["192.0.2.0/24", "203.0.113.0/24"]


def test_networks_are_those_of_which_some_traffic_passes() -> None:
    new = one("new", f"{NET} or (ip.dst in {{203.0.113.0/24}} and tcp.dstport eq 53)", sensitivity="eoff")
    (found,) = losses(L4_OVERRIDES, [], [new])
    assert networks(list(found.ranges)) == ["192.0.2.0/24", "203.0.113.0/24"]


def test_requests_are_known_by_their_expressions_alone() -> None:
    bots = one(expression='http.user_agent contains "bot"', action="log")
    assert [item.label for item in losses(L7_OVERRIDES, [], [bots])] == ["a"]
    assert losses(L7_OVERRIDES, [one("all", action="log")], [one("all", action="log"), bots]) == []


BOTS, CRAWLERS = 'http.user_agent contains "bot"', 'http.user_agent contains "crawler"'
STRICT, WEAK = one("strict", BOTS, action="block"), one("weak", 'http.host eq "a.example"', sensitivity="eoff")
EVERY = one("every", sensitivity="eoff")


@pytest.mark.parametrize(
    ("before", "after", "weaker"),
    [
        ([STRICT, WEAK], [WEAK], ["weak", "strict"]),
        ([STRICT, EVERY], [EVERY], ["every"]),
        ([STRICT, WEAK], [WEAK, STRICT], ["weak"]),
        ([STRICT, WEAK], [{**STRICT, "enabled": False}, WEAK], ["weak", "strict"]),
        ([STRICT, WEAK], [{**STRICT, "expression": f"({BOTS}) and ssl"}, WEAK], ["weak", "strict"]),
        ([STRICT, WEAK], [{**STRICT, "expression": f"({BOTS}) or ({CRAWLERS})"}, WEAK], []),
        ([STRICT, WEAK], [STRICT, WEAK], []),
        ([WEAK], [STRICT, WEAK], []),
        ([WEAK, STRICT], [WEAK], ["strict"]),
        ([one("log", BOTS, action="log"), one("every", action="log")], [one("every", action="log")], []),
    ],
)
def test_what_a_stronger_override_decides_first_counts(before: Any, after: Any, weaker: list[str]) -> None:
    assert [item.label for item in losses(L7_OVERRIDES, before, after)] == weaker


GENERIC = [{"id": "R", "categories": ["generic", "udp"]}, {"id": "S", "categories": ["tcp"]}]
BLOCK_GENERIC = one("strict", categories=[{"category": "generic", "action": "block"}])
LOG_R = one("one", rules=[{"id": "R", "action": "log"}])
BLOCK_R = one("strict", rules=[{"id": "R", "action": "block"}])
LOG_GENERIC = one("calm", categories=[{"category": "generic", "action": "log"}])
LOG_UDP = one("calm", categories=[{"category": "udp", "action": "log"}])
BOTH = [{"category": "generic", "action": "log"}, {"category": "udp", "action": "block"}]


@pytest.mark.parametrize(
    ("before", "after", "managed", "expected"),
    [
        ([BLOCK_GENERIC, LOG_R], [LOG_R], GENERIC, [("one", "sets the action log for rule R", True)]),
        ([BLOCK_GENERIC, LOG_R], [LOG_R], [],
         [("strict", f"no longer decides on category generic{OWN}", False), ("one", "sets the action log for rule R", False)]),
        ([BLOCK_GENERIC, LOG_R], [LOG_R], GENERIC[1:], []),
        ([BLOCK_R, LOG_GENERIC], [LOG_GENERIC], GENERIC, [("calm", "sets the action log for rule R", True)]),
        ([BLOCK_R, LOG_GENERIC], [{**BLOCK_R, "enabled": False}, LOG_GENERIC], GENERIC, [("calm", "sets the action log for rule R", True)]),
        ([BLOCK_GENERIC, LOG_UDP], [LOG_UDP], GENERIC, [("calm", "sets the action log for category udp", True)]),
        ([BLOCK_GENERIC, LOG_UDP], [LOG_UDP], GENERIC[1:], []),
        ([one(categories=BOTH)], [one(categories=BOTH[::-1])], GENERIC, [("a", "sets the action log for category generic", True)]),
        ([one(categories=BOTH[::-1])], [one(categories=BOTH)], GENERIC, []),
        ([], [LOG_R], [], [("one", "sets the action log for rule R", True)]),
    ],
)  # fmt: skip
def test_a_rule_comes_before_its_categories_and_the_last_category_counts(
    before: Any, after: Any, managed: Any, expected: Any
) -> None:
    found = losses(L4_OVERRIDES, before, after, managed)
    assert [(item.label, item.reason, item.certain) for item in found] == expected


@pytest.mark.parametrize(
    ("before", "after", "weaker"),
    [
        ([one(action="block")], [one(action="managed_challenge")], ["sets only a challenge for all managed rules"]),
        ([one(action="block")], [one(action="challenge")], ["sets only a challenge for all managed rules"]),
        ([one(action="block")], [one("b", 'http.host eq "a"', action="challenge"), one(action="block")],
         ["sets only a challenge for all managed rules"]),
        ([one(action="managed_challenge")], [one(action="challenge")], []),
        ([one(action="challenge")], [one(action="block")], []),
        ([one(action="block", sensitivity="eoff")], [one(action="challenge")], []),
        ([], [one(action="challenge")], []),
    ],
)  # fmt: skip
def test_a_challenge_stops_less_than_a_block(before: Any, after: Any, weaker: list[str]) -> None:
    assert [item.reason for item in losses(L7_OVERRIDES, before, after)] == weaker


def test_an_override_that_nothing_reaches_weakens_nothing() -> None:
    front = [one("a", "ssl", sensitivity="medium"), one("all", sensitivity="default")]
    low, off = one("last", sensitivity="low"), one("last", sensitivity="eoff")
    assert losses(L7_OVERRIDES, [*front, low], [*front, off]) == []


def managed_rule(action: str) -> dict[str, Any]:
    return {"id": "R", "action": action, "categories": ["generic"]}


@pytest.mark.parametrize(
    ("was", "own", "is_weaker"),
    [
        ("block", "block", False),
        ("block", "managed_challenge", True),
        ("block", "ddos_dynamic", True),
        ("challenge", "managed_challenge", False),
        ("challenge", "block", False),
        ("challenge", "log", True),
        ("log", "log", False),
    ],
)
def test_what_no_override_sets_is_up_to_the_own_action_of_a_managed_rule(was: str, own: str, is_weaker: bool) -> None:
    found = losses(L7_OVERRIDES, [one(action=was)], [], [managed_rule(own)])
    assert [item.certain for item in found] == ([False] if is_weaker else [])


@pytest.mark.parametrize(("was", "becomes", "is_certain"), [(25, 26, [True]), (26, 25, []), (25, None, [False])])
def test_a_score_that_is_higher_by_one_weakens_for_sure(was: int, becomes: int | None, is_certain: list[bool]) -> None:
    scores = [{"id": "R", "score_threshold": score} for score in (was, becomes)]
    rules = [{"action": "execute", "action_parameters": {"id": "M", "overrides": {"rules": [item]}}} for item in scores]
    found = loosened(MANAGED_RULES, *rules)
    assert [found[1] for found in [found] if found] == is_certain


@pytest.mark.parametrize(
    ("was", "becomes", "is_certain"), [({}, "block", []), ("block", {}, [False]), ("block", "log", [True])]
)
def test_no_action_of_the_vendor_stops_more_than_a_block(was: Any, becomes: Any, is_certain: list[bool]) -> None:
    actions = [{"action": action} if action else {} for action in (was, becomes)]
    rules = [{"action": "execute", "action_parameters": {"id": "M", "overrides": action}} for action in actions]
    found = loosened(MANAGED_RULES, *rules)
    assert [found[1] for found in [found] if found] == is_certain
