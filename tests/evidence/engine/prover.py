# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules as formulas for the prover Z3, which decides about all requests what the collection claims about them.

It is told of the comparisons that it can express: texts that are equal, contain, start or end with something, IPv4 networks
as vectors of bits, numbers and flags. `make comparisons` installs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from ipaddress import IPv4Network
from random import Random
from typing import Any

import z3
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import (
    Combination,
    Comparison,
    Constant,
    Negation,
    Token,
    Tree,
    parse,
    text_of,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference
from ansible_collections.edgeops.protection.plugins.module_utils._protection.traffic_changes import TrafficChange

from tests.evidence.engine import chains, generators
from tests.evidence.engine.comparisons import Counts

MILLISECONDS = 2000  # for one question; what takes longer is not decided
TEXTS: Mapping[str, Sequence[str]] = {
    "http.request.uri.path": ("/", "/login", "/log", "/admin/x", "/admin"),
    "http.host": ("example.com", "www.example.com", "shop.example"),
    "http.request.method": ("GET", "POST"),
    "http.user_agent": ("", "bot", "a bot", "curl/8.0"),
}
NETWORKS = ("192.0.2.0/24", "192.0.2.0/25", "192.0.2.7/32", "192.0.2.128/25", "198.51.100.0/24", "0.0.0.0/0")
OF_TEXTS = {name: z3.String(name) for name in TEXTS}
SOURCE, IS_IPV6 = z3.BitVec("ip.src", 32), z3.Bool("IPv6")
NETWORK_NUMBER, SSL = z3.Int("ip.src.asnum"), z3.Bool("ssl")
POSSIBLE = z3.And(
    z3.PrefixOf(z3.StringVal("/"), OF_TEXTS["http.request.uri.path"]), NETWORK_NUMBER >= 0, NETWORK_NUMBER < 1 << 32
)
STRENGTHS = {"skip": 0, "managed_challenge": 1, "js_challenge": 1, "block": 2}


def provable_atom(random: Random) -> str:
    """A comparison that the prover can express."""
    kind = random.randrange(8)
    if kind == 0:
        return f"ip.src in {{{' '.join(random.choices(NETWORKS, k=random.randint(1, 3)))}}}"
    if kind == 1:
        return f"ip.src {random.choice(['eq', 'ne'])} {random.choice(['192.0.2.7', '198.51.100.1'])}"
    if kind == 2:
        return random.choice(["ssl", "not ssl", "ip.src.asnum eq 64500", "ip.src.asnum in {64496..64511}"])
    field = random.choice(list(TEXTS))
    text = generators.quoted(random.choice(TEXTS[field]))
    if kind == 3:
        return f"{field} in {{{text} {generators.quoted(random.choice(TEXTS[field]))}}}"
    if kind == 4:
        return f"{random.choice(['starts_with', 'ends_with'])}({field}, {text})"
    return f"{field} {random.choice(['eq', 'ne', 'contains'])} {text}"


def formula(tree: Tree) -> Any:
    """An expression as a formula about one request."""
    if isinstance(tree, Constant):
        return z3.BoolVal(tree.value)
    if isinstance(tree, Negation):
        return z3.Not(formula(tree.part))
    if isinstance(tree, Combination):
        parts = [formula(part) for part in tree.parts]
        if tree.operator != "xor":
            return z3.And(parts) if tree.operator == "and" else z3.Or(parts)
        combined = parts[0]
        for part in parts[1:]:
            combined = z3.Xor(combined, part)
        return combined
    return _compared(tree)


def _compared(leaf: Comparison) -> Any:
    if leaf.field == "ssl":
        return SSL
    if not leaf.operator:
        function, _parenthesis, field, _comma, text, _end = leaf.field.split(" ", 5)
        affix = z3.StringVal(text.strip('"'))
        return (z3.PrefixOf if function == "starts_with" else z3.SuffixOf)(affix, OF_TEXTS[field])
    met = z3.Or([_equals(leaf, operand) for operand in leaf.operands])
    return z3.Not(met) if leaf.operator == "ne" else met


def _equals(leaf: Comparison, operand: Token) -> Any:
    """A comparison to one of its values."""
    if leaf.field == "ip.src":
        network = IPv4Network(operand.text)
        first, last = int(network.network_address), int(network.broadcast_address)
        return z3.And(z3.Not(IS_IPV6), z3.UGE(SOURCE, first), z3.ULE(SOURCE, last))
    if leaf.field == "ip.src.asnum":
        first_number, _dots, last_number = operand.text.partition("..")
        low, high = int(first_number), int(last_number or first_number)
        return z3.And(low <= NETWORK_NUMBER, high >= NETWORK_NUMBER)
    text = z3.StringVal(text_of(operand).decode())
    if leaf.operator == "contains":
        return z3.Contains(OF_TEXTS[leaf.field], text)
    return OF_TEXTS[leaf.field] == text


def strength(rules: Sequence[Mapping[str, Any]]) -> Any:
    """How strictly a request is treated: the first rule that it matches and that is no log decides."""
    treated: Any = z3.IntVal(0)
    for rule in reversed(rules):
        is_plain = "ruleset" in rule.get("action_parameters", {"ruleset": "current"})  # it skips no product
        if rule["enabled"] and rule["action"] != "log" and is_plain:
            treated = z3.If(formula(parse(rule["expression"])), STRENGTHS[rule["action"]], treated)
    return treated


class SymbolicWay:
    """All requests on their way through a chain: how strictly each is treated, as a formula. It follows
    docs/expectations.md link by link, as `chains.Links` does for one request."""

    def __init__(self, chain: chains.Chain) -> None:
        self.chain = chain
        self.rulesets = {ruleset["id"]: ruleset["rules"] for ruleset in chain["executed_rulesets"]}
        self.passing: Any = z3.BoolVal(True)  # requests that nothing has decided about
        self.strength: Any = z3.IntVal(0)
        self.skipping: dict[tuple[str, str], Any] = {}  # requests that skip a rule of a ruleset, or a whole ruleset

    def treated(self) -> Any:
        for name in ("account_custom_rules", "custom_rules"):
            self.skipping = {}
            self.through(self.chain[name], z3.BoolVal(True), name)
        return self.strength

    def through(self, rules: Sequence[Mapping[str, Any]], here: Any, entry: str, within: str = "") -> None:
        for rule in filter(lambda candidate: candidate["enabled"], rules):
            parameters = rule.get("action_parameters", {})
            skipped = [self._skipping(within, rule["id"]), self._skipping(parameters.get("id", "none"), "")]
            is_met = formula(parse(chains.spelt_out(rule["expression"], self.chain)))
            met = z3.And(self.passing, here, z3.Not(z3.Or(skipped)), is_met)
            if rule["action"] == "execute":
                self.through(self.rulesets[parameters["id"]], met, entry, parameters["id"])
            elif rule["action"] == "skip":
                here = self._skipped(parameters, met, here, entry == "custom_rules" and not within)
            elif rule["action"] != "log":
                self.strength = z3.If(met, STRENGTHS[rule["action"]], self.strength)
                self.passing = z3.And(self.passing, z3.Not(met))

    def _skipping(self, ruleset: str, rule: str) -> Any:
        return self.skipping.get((ruleset, rule), z3.BoolVal(False))

    def _skipped(self, parameters: Mapping[str, Any], met: Any, here: Any, is_last: bool) -> Any:
        """The requests that are still in the ruleset behind a skip."""
        targets = [(ruleset, "") for ruleset in parameters.get("rulesets", [])]
        for ruleset, rules in parameters.get("rules", {}).items():
            targets += [(ruleset, rule) for rule in rules]
        for target in targets:
            self.skipping[target] = z3.Or(self._skipping(*target), met)
        if "phase" in parameters or ("ruleset" in parameters and is_last):
            self.passing = z3.And(self.passing, z3.Not(met))
        return z3.And(here, z3.Not(met)) if "ruleset" in parameters else here


def exists(condition: Any) -> bool | None:
    """Whether there is a request that meets a condition; None if that takes too long."""
    solver = z3.Solver()
    solver.set("timeout", MILLISECONDS)
    solver.add(POSSIBLE, condition)
    answer = solver.check()
    return None if answer == z3.unknown else bool(answer == z3.sat)


def differences_are_proven(random: Random, counts: Counts) -> None:
    """Rules that change treat no request differently exactly if that can be proven, and else some request as it is told."""
    before = generators.custom_rules(random, provable_atom)
    after = generators.changed_rules(random, before, provable_atom)
    _compare(({"custom_rules": before}, {"custom_rules": after}), (strength(before), strength(after)), counts)


def differences_of_chains_are_proven(random: Random, counts: Counts) -> None:
    """Rules of account, zone and rulesets, and lists, that change treat no request differently exactly if that can be proven."""
    states = chains.pair(random, provable_atom)
    _compare(states, (SymbolicWay(states[0]).treated(), SymbolicWay(states[1]).treated()), counts)


def _compare(states: tuple[chains.Chain, chains.Chain], strengths: tuple[Any, Any], counts: Counts) -> None:
    changes = traffic_difference(*states)
    counts.count(pairs=1)
    was, becomes = strengths
    for condition, told in ((becomes < was, changes.passes), (becomes > was, changes.stopped)):
        _check(exists(condition), told, changes.known, counts, f"{states}: {changes}")


def _check(is_real: bool | None, told: Sequence[TrafficChange], known: bool, counts: Counts, case: str) -> None:
    stopping = [change for change in told if change.family == "stopped"]
    if is_real is None or not known:
        counts.count(undecided=1)
    elif stopping:
        is_certain = any(change.certain for change in stopping)
        counts.count(**{("differences_with_an_example" if is_certain else "differences_that_may_be"): 1})
        counts.check(is_real or not is_certain, f"no request: {case}")
    else:
        counts.count(proven_alike=1)
        counts.check(not is_real, f"a request: {case}")


PROVER: tuple[Callable[[Random, Counts], None], ...] = (differences_are_proven, differences_of_chains_are_proven)
