# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Zones with firewall rules, and requests that meet them, for hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from tests.support.requests_evaluator import PRECEDENCE, Request

NETWORKS = ["192.0.2.0/24", "192.0.2.0/28", "198.51.100.7", "2001:db8::/32", "192.0.2.3..192.0.2.9"]
TEXTS = {
    "http.request.uri.path": ["/", "/login", "/admin/x"],
    "http.host": ["example.com", "a  b"],
    "http.request.method": ["GET", "POST"],
    "http.user_agent": ["", 'say "bot"'],
}
PRODUCTS = ["zoneLockdown", "uaBlock", "bic", "hot", "securityLevel", "rateLimit", "waf"]


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def on_text(name: str) -> st.SearchStrategy[str]:
    values = st.sampled_from(TEXTS[name]).map(quoted)
    single = st.builds(
        lambda operator, value: f"{name} {operator} {value}",
        st.sampled_from(["eq", "==", "ne", "!=", "contains", "matches", "~"]),
        values,
    )
    several = st.lists(values, min_size=1, max_size=2).map(lambda members: f"{name} in {{{' '.join(members)}}}")
    return single | several


ON_ADDRESS = st.lists(st.sampled_from(NETWORKS), min_size=1, max_size=2).map(
    lambda members: f"ip.src in {{{' '.join(members)}}}"
)
COMPARISON = st.one_of(ON_ADDRESS, *map(on_text, TEXTS))
EXPRESSION = st.recursive(
    COMPARISON,
    lambda parts: st.one_of(
        parts.map(lambda part: f"not ({part})"),
        st.builds(lambda one, joint, other: f"({one} {joint} {other})", parts, st.sampled_from(["and", "or"]), parts),
    ),
    max_leaves=3,
)
SPACED = st.sampled_from([lambda text: text, lambda text: f" {text}\n", lambda text: text.replace(" {", "  {")])
REQUEST = st.builds(
    Request,
    path=st.sampled_from(TEXTS["http.request.uri.path"]),
    host=st.sampled_from(TEXTS["http.host"]),
    method=st.sampled_from(TEXTS["http.request.method"]),
    user_agent=st.sampled_from(TEXTS["http.user_agent"]),
    source=st.sampled_from(["192.0.2.5", "192.0.2.99", "198.51.100.7", "203.0.113.1", "2001:db8::1"]),
)
REQUESTS = st.lists(REQUEST, min_size=1, max_size=8, unique=True)


def rule_of(expressions: Sequence[str], odd: bool) -> st.SearchStrategy[dict[str, Any]]:
    """A rule without an id. An odd one may have an unknown action, products or a deleted filter."""
    products = st.lists(st.sampled_from([*PRODUCTS, "rain"] if odd else PRODUCTS), min_size=0 if odd else 1, max_size=2)
    expression = st.builds(lambda space, text: space(text), SPACED, st.sampled_from(expressions))
    condition: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
        {"id": st.just("f"), "expression": expression, "paused": st.sampled_from([False, False, False, True])}
    )
    if odd:
        condition |= st.just({"id": "f", "deleted": True})
    actions = st.sampled_from([*PRECEDENCE, *(["simulate"] if odd else [])])
    rule = st.fixed_dictionaries(
        {"action": actions, "filter": condition, "products": products},
        optional={
            "priority": st.sampled_from([None, 0, 1, 1, 2, 3]),
            "paused": st.sampled_from([False, False, False, True]),
            "ref": st.sampled_from(["", "x", "y", "r1"]),
            "description": st.text(max_size=3),
        },
    )
    return rule.map(without_idle_products)


def without_idle_products(rule: dict[str, Any]) -> dict[str, Any]:
    return rule if rule["action"] == "bypass" else {name: value for name, value in rule.items() if name != "products"}


def pair_of(expressions: Sequence[str], odd: bool) -> st.SearchStrategy[list[dict[str, Any]]]:
    """A bypass, something or nothing, and an allow, often so that the first and the last belong together."""
    rule = rule_of(expressions, odd)
    like_first = st.sampled_from([True, True, True, False])
    return st.builds(paired, rule, st.lists(rule, max_size=1), rule, like_first, st.integers(0, 3))


def paired(
    first: dict[str, Any], between: list[dict[str, Any]], last: dict[str, Any], like_first: bool, priority: int
) -> list[dict[str, Any]]:
    expression = (first if like_first else last)["filter"].get("expression", 'http.host eq "deleted"')
    bypass = {**first, "action": "bypass", "products": first.get("products", ["hot"])}
    allow = {**last, "action": "allow", "filter": {**last["filter"], "expression": expression}}
    rules = [bypass, *between, without_idle_products(allow)]
    return [{**rule, "priority": priority + rank} for rank, rule in enumerate(rules)]


@st.composite
def zones(draw: st.DrawFn, odd: bool = False) -> list[dict[str, Any]]:
    """The firewall rules of a zone, of which several have the same expression."""
    expressions = draw(st.lists(EXPRESSION, min_size=1, max_size=3))
    single = rule_of(expressions, odd).map(lambda rule: [rule])
    parts = draw(st.lists(single | pair_of(expressions, odd), max_size=4))
    rules = draw(st.permutations([rule for part in parts for rule in part]))
    return [{"id": f"r{number}", **rule} for number, rule in enumerate(rules)]


def rule(id_: str, action: str, expression: str = 'http.host eq "example.com"', **fields: Any) -> dict[str, Any]:
    return {"id": id_, "action": action, "filter": {"id": "f", "expression": expression}, **fields}


MANY = settings(max_examples=max(100, settings().max_examples))  # pairs and ties need some luck
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([*PRECEDENCE, "waf"]),
    lambda parts: st.lists(parts, max_size=2) | st.dictionaries(st.text(max_size=3), parts, max_size=2),
    max_leaves=3,
)
CONDITION = st.fixed_dictionaries({}, optional=dict.fromkeys(("id", "expression", "paused", "deleted"), ANYTHING))
ODD_RULE = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", "c", "d"])},
    optional={
        "filter": CONDITION | ANYTHING,
        "action": st.sampled_from(PRECEDENCE) | ANYTHING,
        "products": st.lists(ANYTHING | st.sampled_from(PRODUCTS), max_size=3) | ANYTHING,
        **dict.fromkeys(("priority", "paused", "description"), ANYTHING),
        "ref": st.sampled_from(["a", "b", "x"]) | ANYTHING,
        "surplus": ANYTHING,
    },
)
