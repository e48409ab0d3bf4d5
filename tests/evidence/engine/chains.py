# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random rules of an account and of a zone, with the rulesets that they execute and the lists that they name, and what
becomes of requests under them before and after some changes: judged link by link, by anything that decides single expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from random import Random
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference
from ansible_collections.edgeops.protection.plugins.module_utils._protection.outcomes import Outcome
from ansible_collections.edgeops.protection.plugins.module_utils._protection.traffic_changes import (
    TrafficChange,
    TrafficChanges,
)

from tests.evidence.engine import generators

Chain = Mapping[str, Sequence[Mapping[str, Any]]]
Decisions = Callable[[str, Sequence[Mapping[str, Any]]], list[bool]]  # of an expression on requests
Atom = Callable[[Random], str]
ITEMS = ("192.0.2.0/29", "192.0.2.7", "192.0.2.128/25", "198.51.100.7")
LISTS = ("bad", "office")
STRENGTH = {"allowed": 0, "skipped": 0, "logged": 0, "challenged": 1, "blocked": 2}
USUAL: Mapping[str, Any] = {
    "http.user_agent": "",
    "ip.src.country": "DE",
    "ip.src.asnum": 64500,
    "cf.threat_score": 0,
    "ssl": True,
}


class Links:
    """One request on its way from link to link, in the words of docs/expectations.md; `meets` is what the engine says."""

    def __init__(self, chain: Chain, meets: Callable[[str], bool]) -> None:
        self.rulesets = {ruleset["id"]: ruleset for ruleset in chain["executed_rulesets"]}
        self.meets = meets
        self.logged: str | None = None
        self.skipped_rulesets: list[str] = []
        self.skipped_rules: dict[str, list[str]] = {}

    def outcome(self, chain: Chain) -> Outcome:
        for name, of in (("account_custom_rules", " of the account"), ("custom_rules", "")):
            self.skipped_rulesets, self.skipped_rules = [], {}
            end = self.through(chain[name], of, of)
            if end:
                return end
        return Outcome("logged", self.logged) if self.logged else Outcome("allowed")

    def through(self, rules: Sequence[Mapping[str, Any]], of: str, words: str, within: str = "") -> Outcome | None:
        for rule in rules:
            parameters, name = rule.get("action_parameters", {}), f"{rule['ref']}{words}"
            is_left_out = rule["id"] in self.skipped_rules.get(within, []) or not rule["enabled"]
            if is_left_out or parameters.get("id") in self.skipped_rulesets or not self.meets(rule["expression"]):
                continue
            if rule["action"] == "execute":
                ruleset = self.rulesets[parameters["id"]]
                end = self.through(ruleset["rules"], of, f" of the ruleset {ruleset['name']}{of}", parameters["id"])
                if end:
                    return end
            elif rule["action"] == "log":
                self.logged = self.logged or name
            elif rule["action"] != "skip":
                return Outcome("blocked" if rule["action"] == "block" else "challenged", name)
            else:
                self.skipped_rulesets += parameters.get("rulesets", [])
                for ruleset_id, rule_ids in parameters.get("rules", {}).items():
                    self.skipped_rules.setdefault(ruleset_id, []).extend(rule_ids)
                if "phase" in parameters or ("ruleset" in parameters and not within and not of):
                    return Outcome("skipped", name)
                if "ruleset" in parameters:
                    return None
        return None


def listed_atom(atom: Atom, random: Random) -> str:
    """A comparison, now and then with a list."""
    return f"ip.src in ${random.choice(LISTS)}" if random.random() < 0.2 else atom(random)


def with_lists(random: Random, chain: Chain) -> Chain:
    """The chain with the contents of its lists."""
    contents = {f"items of {name}": _items(random) for name in LISTS}
    return {**chain, **contents}


def _items(random: Random) -> list[dict[str, str]]:
    return [{"ip": item} for item in random.sample(ITEMS, random.randint(0, 3))]


def spelt_out(expression: str, chain: Chain) -> str:
    """An expression with the items of lists in place of their names."""

    def items(match: re.Match[str]) -> str:
        return f"{{{' '.join(item['ip'] for item in chain[f'items of {match[1]}'])}}}"

    return re.sub(r"\$([a-z]+)", items, expression)


def pair(random: Random, atom: Atom) -> tuple[Chain, Chain]:
    """A chain, and the same chain after some changes: of its rules, of those of a ruleset, or of a list."""
    with_list = partial(listed_atom, atom)
    before = with_lists(random, generators.chain(random, with_list))
    after = deepcopy(dict(before))
    for _number in range(random.randint(1, 2)):
        name = random.choice(
            ["account_custom_rules", "custom_rules", "executed_rulesets", f"items of {random.choice(LISTS)}"]
        )
        if name.startswith("items"):
            after[name] = _items(random)
        elif name == "executed_rulesets":
            ruleset = random.choice(after[name])
            after[name] = [
                one | {"rules": _changed(random, one["rules"], with_list)} if one is ruleset else one
                for one in map(dict, after[name])
            ]
        else:
            after[name] = _changed(random, after[name], with_list)
    return before, after


def _changed(random: Random, rules: Sequence[Mapping[str, Any]], atom: Atom) -> list[dict[str, Any]]:
    changed = generators.changed_rules(random, [*map(dict, rules)], atom)
    return [{"id": "9" * 32, **rule} for rule in changed]


def outcomes(chain: Chain, requests: Sequence[Mapping[str, Any]], decisions: Decisions) -> list[Outcome]:
    """What becomes of requests under a chain, link by link."""
    rules = [rule for name in ("account_custom_rules", "custom_rules") for rule in chain[name]]
    rules += [rule for ruleset in chain["executed_rulesets"] for rule in ruleset["rules"]]
    truths = {text: decisions(spelt_out(text, chain), requests) for text in {rule["expression"] for rule in rules}}
    ended = []
    for index in range(len(requests)):
        meets = {expression: decided[index] for expression, decided in truths.items()}
        ended.append(Links(chain, meets.__getitem__).outcome(chain))
    return ended


def sent(example: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """An example by the names of the fields that the engine is told."""
    keys = {"path": "http.request.uri.path", "host": "http.host", "method": "http.request.method", "source": "ip.src"}
    values = {name: example[key] for key, name in keys.items()}
    others = {name: value for name, value in example.get("fields", {}).items() if name in usual}
    agent = {"http.user_agent": example.get("user_agent", "")}
    return {**usual, **values, **agent, "ssl": example.get("scheme", "https") == "https", **others}


def wrongs_of_pair(
    states: tuple[Chain, Chain], requests: Sequence[Mapping[str, Any]], decisions: Decisions
) -> tuple[TrafficChanges, list[str]]:
    """The difference of two chains, and what is wrong in it: requests that it does not tell, and examples that are none."""
    changes = traffic_difference(*states)
    wrongs = []
    for was, becomes in zip(*(outcomes(chain, requests, decisions) for chain in states), strict=True):
        grown = STRENGTH[becomes.word] - STRENGTH[was.word]
        told = changes.stopped if grown > 0 else changes.passes
        if grown and changes.known and not told:
            wrongs.append(f"not told: {was} {becomes}: {states}: {changes}")
    for change in certain_changes(changes):
        request = sent(change.example or {}, requests[0])
        (was,), (becomes,) = (outcomes(chain, [request], decisions) for chain in states)
        grown = STRENGTH[becomes.word] - STRENGTH[was.word]
        is_told = change in (changes.stopped if grown > 0 else changes.passes)
        if not grown or not is_told or was.word != change.what.split()[0].replace("passing", was.word):
            wrongs.append(f"no example: {was} {becomes}: {change}: {states}")
    return changes, wrongs


def certain_changes(changes: TrafficChanges) -> list[TrafficChange]:
    """The changes of what blocks and challenges that an example proves."""
    both = (*changes.passes, *changes.stopped)
    return [change for change in both if change.certain and change.example and change.family == "stopped"]
