# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A rule that nobody names is a hole if traffic passes by it that the named rules stop: by a table of rules beside
others."""

from __future__ import annotations

from typing import Any, Dict, Tuple

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import (
    Desired,
    DesiredObject,
    parse_desired,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection import holes as module
from ansible_collections.edgeops.protection.plugins.module_utils._protection.all_unmanaged import (
    unmanaged_lists,
    unnamed_rulesets,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.unmanaged import unmanaged_records
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rulesets import CUSTOM_RULESETS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import LISTS, items_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.managed_rules import MANAGED_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.rate_limits import RATE_LIMIT_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

Rule = Dict[str, Any]  # at run time, also by Python 3.8
Told = Tuple[str, Any, str]
ZONE = [{"name": "shop.example", "plan": {"legacy_id": "enterprise"}}]
ADMIN, OTHER = 'http.request.uri.path eq "/admin"', 'http.request.uri.path eq "/other"'
RULESET, MANAGED = "a" * 32, "b" * 32
SOFTER = (
    "leaves requests challenged (managed_challenge) that are blocked under the baseline: every request to path /admin"
)
BY_WALL = "lets requests pass that custom rule wall would stop"
INNER = "executes the rule inner of the ruleset Office, which"


def rule(ref: str, action: str, expression: str = ADMIN, **values: Any) -> Rule:
    return {"ref": ref, "action": action, "expression": expression, "enabled": True, **values}


def skip(expression: str = ADMIN, ref: str = "hand", **parameters: Any) -> Rule:
    return rule(ref, "skip", expression, action_parameters=parameters or {"ruleset": "current"})


def execute(expression: str = "true", ref: str = "hand", identity: str = RULESET, **parameters: Any) -> Rule:
    return rule(ref, "execute", expression, action_parameters={"id": identity, **parameters})


def ruleset(*rules: Rule) -> dict[str, Any]:
    return {"executed_rulesets": [{"id": RULESET, "name": "Office", "kind": "custom", "rules": list(rules)}]}


WALL = rule("wall", "block")
LIMIT = rule("limit", "block", ratelimit={"characteristics": ["ip.src"], "period": 60, "requests_per_period": 5})
CHALLENGE = rule("hand", "managed_challenge")
DEPLOYED = execute(ref="owasp", identity=MANAGED)


def told(state: dict[str, Any], named: list[tuple[Resource, list[Rule]]]) -> list[Told]:
    """What the records of a state say of the objects that a task does not name, if they say anything."""
    desired = [Desired(one, {one.key_of(obj): DesiredObject(obj) for obj in rules}) for one, rules in named]
    records = unmanaged_records(desired, {"zone": ZONE, **state})
    return [(one["key"], one["weakens"], one["reason"]) for one in records if one["reason"]]


BESIDE_A_BLOCK: dict[str, tuple[dict[str, Any], list[Told]]] = {
    "a challenge in front of a block": ({"custom_rules": [CHALLENGE, WALL]}, [("hand", True, SOFTER)]),
    "a challenge behind a block": ({"custom_rules": [WALL, CHALLENGE]}, []),
    "a challenge of other requests": ({"custom_rules": [rule("hand", "challenge", OTHER), WALL]}, []),
    "a challenge that is off": ({"custom_rules": [{**CHALLENGE, "enabled": False}, WALL]}, []),
    "a challenge with a field that is not known": (
        {"custom_rules": [{**CHALLENGE, "until": "dawn"}, WALL]},
        [("hand", None, f'{SOFTER.replace("leaves", "may leave")} that meet field until "dawn"')],
    ),
    "a challenge in a ruleset": (
        {"custom_rules": [execute(), WALL], **ruleset(rule("inner", "managed_challenge"))},
        [("hand", True, f"{INNER} {SOFTER}")],
    ),
    "a challenge of the account": (
        {"account_custom_rules": [CHALLENGE], "custom_rules": [WALL]},
        [("hand", True, SOFTER)],
    ),
    "a challenge in a ruleset of the account": (
        {
            "account_custom_rules": [execute('cf.zone.plan eq "ENT"')],
            "custom_rules": [WALL],
            **ruleset(rule("inner", "managed_challenge")),
        },
        [("inner of the ruleset Office", True, SOFTER)],
    ),
    "a skip of nothing with a field that is not known": (
        {"custom_rules": [WALL, {**skip(OTHER), "until": "dawn"}]},
        [("hand", None, "may let requests pass, since the field until is not understood")],
    ),
    "a log in front of a block": ({"custom_rules": [rule("hand", "log"), WALL]}, []),
    "a block in front of a block": ({"custom_rules": [rule("hand", "block"), WALL]}, []),
    "a skip in front of a block": ({"custom_rules": [skip(), WALL]}, [("hand", True, BY_WALL)]),
    "a skip behind a block of the same": ({"custom_rules": [WALL, skip(), rule("late", "block", OTHER)]}, []),
    "a skip behind a wider block of the baseline": (
        {"custom_rules": [rule("early", "block", "true"), skip(), WALL]},
        [],
    ),
    "a skip behind another one by hand": (
        {"custom_rules": [skip(), skip(ref="again"), WALL]},
        [("hand", True, BY_WALL), ("again", True, BY_WALL)],
    ),
    "a skip behind a block by hand": ({"custom_rules": [rule("first", "block"), skip(), WALL]}, []),
    "a log in front of a skip": ({"custom_rules": [rule("log", "log"), skip(), WALL]}, [("hand", True, BY_WALL)]),
    "a skip of products behind a block": ({"custom_rules": [WALL, skip(products=["uaBlock"])]}, []),
    "a skip in a ruleset behind a block": (
        {"custom_rules": [WALL, execute()], **ruleset(skip(ref="inner", products=["uaBlock"]))},
        [],
    ),
}


@pytest.mark.parametrize(("state", "expected"), BESIDE_A_BLOCK.values(), ids=BESIDE_A_BLOCK)
def test_a_rule_beside_those_of_a_baseline(state: dict[str, Any], expected: list[Told]) -> None:
    named = [WALL, rule("early", "block"), rule("late", "block")]
    assert told(state, [(CUSTOM_RULES, named)]) == expected


BY_LIMIT = "lets requests pass that rate limiting rule limit would stop"
WITHOUT_CUSTOM_RULES: dict[str, tuple[dict[str, Any], list[Told]]] = {
    **{
        f"a skip of {product}": (
            {"custom_rules": [skip(products=[product])]},
            [("hand", None, f"may skip products {product} for requests")],
        )
        for product in ("securityLevel", "uaBlock", "zoneLockdown", "bic", "hot", "waf", "rateLimit")
    },
    "a skip of all for all": (
        {"custom_rules": [skip("true", products=["uaBlock"])]},
        [("hand", True, "skips products uaBlock for every request")],
    ),
    "a skip of the phase": ({"custom_rules": [skip(phases=["http_ratelimit"])]}, [("hand", True, BY_LIMIT)]),
    "a skip of the phase for other requests": ({"custom_rules": [skip(OTHER, phases=["http_ratelimit"])]}, []),
    "a skip of a phase that is not read": (
        {"custom_rules": [skip(phases=["http_request_sbfm"])]},
        [("hand", None, "may skip phases http_request_sbfm for requests")],
    ),
    "a skip of the account": (
        {"account_custom_rules": [skip(products=["uaBlock"])]},
        [("hand", None, "may skip products uaBlock for requests")],
    ),
    "a skip in a ruleset": (
        {"custom_rules": [execute()], **ruleset(skip(ref="inner", products=["uaBlock"]))},
        [("hand", None, f"{INNER} may skip products uaBlock for requests")],
    ),
    "a skip of the remaining rules": ({"custom_rules": [skip(), rule("late", "block")]}, []),
    "a skip of products behind a block": ({"custom_rules": [rule("first", "block"), skip(products=["uaBlock"])]}, []),
    "a challenge": ({"custom_rules": [CHALLENGE]}, []),
}


@pytest.mark.parametrize(("state", "expected"), WITHOUT_CUSTOM_RULES.values(), ids=WITHOUT_CUSTOM_RULES)
def test_a_skip_in_front_of_the_phases_of_a_baseline(state: dict[str, Any], expected: list[Told]) -> None:
    assert told({**state, "rate_limit_rules": [LIMIT]}, [(RATE_LIMIT_RULES, [LIMIT])]) == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([skip(rulesets=[MANAGED]), DEPLOYED], [("hand", True, "lets requests pass that rule for managed rules owasp would stop")]),
        ([DEPLOYED, skip(rulesets=[MANAGED])], []),
        ([skip(rules={MANAGED: ["c" * 32]}), DEPLOYED], [("hand", True, "lets requests pass that rule for managed rules owasp would stop")]),
        ([DEPLOYED, skip(rules={MANAGED: ["c" * 32]})], []),
        ([execute(identity=MANAGED, overrides={"action": "log"}), DEPLOYED], []),
    ],
)  # fmt: skip
def test_an_exception_beside_the_deployments_of_a_baseline(rules: list[Rule], expected: list[Told]) -> None:
    assert told({"managed_rules": rules}, [(MANAGED_RULES, [DEPLOYED])]) == expected


def test_a_rule_for_packets_in_front_of_one_of_the_baseline() -> None:
    telnet, early = rule("telnet", "block", "tcp.dstport eq 23"), rule("early", "block", "tcp")
    state = {"network_firewall_rules": [early, skip("tcp.dstport eq 23"), telnet]}
    assert told(state, [(NETWORK_FIREWALL_RULES, [early, telnet])]) == []
    (record,) = told(state, [(NETWORK_FIREWALL_RULES, [telnet])])
    assert record[0] == "early"  # it blocks all plain traffic, and so nothing passes by the skip behind it


@pytest.mark.parametrize("most", [0, 9])
def test_many_rules_are_compared_together(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ALONE", most)
    skips = [skip(f'{ADMIN} and http.host eq "{name}"', name) for name in "abc"]
    records = told({"custom_rules": [*skips, WALL]}, [(CUSTOM_RULES, [WALL])])
    assert [record[:2] for record in records] == [(name, True) for name in "abc"]


OFFICE = {"ip_lists": [{"id": "c", "name": "office", "kind": "ip", "num_referencing_filters": 1}]}
ITEMS = items_of("office")
FROM_OFFICE = "ip.src in $office"
BY_A_LIST: dict[str, tuple[list[Rule], bool | None, str]] = {
    "a skip": ([skip(FROM_OFFICE), WALL], None, "may let requests pass that custom rule wall would stop, by the custom rule hand"),
    "a skip of all": ([skip(f"{ADMIN} and {FROM_OFFICE}"), WALL], True, f"{BY_WALL}, by the custom rule hand"),
    "a skip behind the block": ([WALL, skip(f"{ADMIN} and {FROM_OFFICE}")], False, ""),
    "a challenge": (
        [rule("hand", "managed_challenge", FROM_OFFICE), WALL],
        True,
        f"{SOFTER} from 192.0.2.9",
    ),
    "a challenge behind the block": ([WALL, rule("hand", "managed_challenge", f"{ADMIN} and {FROM_OFFICE}")], False, ""),
    "a block": ([rule("hand", "block", FROM_OFFICE)], False, ""),
    "a block of all others": (
        [rule("hand", "block", f"{ADMIN} and not {FROM_OFFICE}")],
        True,
        "makes the custom rule hand stop fewer requests",
    ),
    "a block of all others behind another one": ([WALL, rule("hand", "block", f"{ADMIN} and not {FROM_OFFICE}")], False, ""),
}  # fmt: skip


@pytest.mark.parametrize("names_list", [True, False])
@pytest.mark.parametrize(("rules", "weakens", "reason"), BY_A_LIST.values(), ids=BY_A_LIST)
def test_items_of_a_list_that_a_baseline_does_not_name(
    rules: list[Rule], weakens: bool | None, reason: str, names_list: bool
) -> None:
    state: dict[str, Any] = {"zone": ZONE, **OFFICE, ITEMS.plural: [{"ip": "192.0.2.9"}], "custom_rules": rules}
    named = [(Option(), {"name": "office"})] if names_list else []
    desired = [parse_desired(LISTS, named), *([parse_desired(ITEMS, [])] if names_list else [])]
    records = [(one["weakens"], one["reason"]) for one in unmanaged_lists(desired, state, state)]
    if names_list:
        assert records == ([(weakens, reason)] if reason else [])
    else:
        assert records == [(False, "")], "a list of somebody else is taken as it is"


@pytest.mark.parametrize(
    ("inner", "rules", "expected"),
    [
        (rule("inner", "managed_challenge"), [execute(), WALL], (True, SOFTER)),
        (rule("inner", "managed_challenge"), [WALL, execute()], (False, "")),
        (skip(ref="inner", phase="current"), [execute(), WALL], (True, BY_WALL)),
        (skip(ref="inner", phase="current"), [WALL, execute(), rule("late", "block", OTHER)], (False, "")),
    ],
)
def test_a_ruleset_that_a_baseline_does_not_name(inner: Rule, rules: list[Rule], expected: tuple[bool, str]) -> None:
    resource = CUSTOM_RULESETS["zone_id"]
    state = {"zone": ZONE, "custom_rules": rules, **ruleset(inner)}
    (record,) = unnamed_rulesets(resource, CUSTOM_RULES, state["executed_rulesets"], state)
    assert (record["weakens"], record["reason"]) == expected
