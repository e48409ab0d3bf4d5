# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random zones and tasks for them: shared filters, priorities, positions, rules of somebody else, and expressions that
every request matches, or nearly; Network Firewalls, and overrides of managed DDoS rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from hypothesis import strategies as st

from tests.evidence.models.plan_model import Item
from tests.evidence.models.random_plans import FLAGS, ONE_IN_MANY, PERCENTAGES, TEXTS, limited, named_once, some
from tests.evidence.models.zone_model import KEYS, L4, L7, LEVELS, Managed

RuleOf = Callable[[str], st.SearchStrategy[Item]]  # of a ref

SOME_REQUESTS = st.sampled_from(
    [
        "ssl", "cf.client.bot", "ip.src in {192.0.2.0/24}", " ip.src  in {192.0.2.0/24}",
        "ip.src in{ 192.0.2.0/24 }", "ip.src in {0.0.0.0/1 128.0.0.0/2 ::/0}",
        'http.host contains "."', 'http.host ne "a.example"',
    ]
)  # fmt: skip
ALL_OF_THEM = st.sampled_from(
    [
        "true",
        "ip.src in {0.0.0.0/1 128.0.0.0/1 ::/0}",
        "ip.src in {::/0} or ip.src in {0.0.0.0/0}",
        'http.host ne "a.example" or http.host ne "b.example"',
        "ssl xor not ssl",
    ]
)


@st.composite
def every_request(draw: st.DrawFn) -> str:
    """An expression that every request matches."""
    whole, part = draw(ALL_OF_THEM), draw(SOME_REQUESTS)
    return draw(st.sampled_from([whole, whole, f"{part} or not {part}", f"({whole}) and (ssl or not ssl)"]))


@st.composite
def combinations(draw: st.DrawFn) -> str:
    """An expression that looks like one that every request matches, and may be, or that none does."""
    whole, one, other = draw(ALL_OF_THEM), draw(SOME_REQUESTS), draw(SOME_REQUESTS)
    alike = [f"{one} or not {other}", f"{one} xor {other}", f"({whole}) and {one}", f"not ({whole})"]
    return draw(st.sampled_from([*alike, f"{one} and not {one}"]))


EXPRESSIONS = st.one_of(SOME_REQUESTS, every_request(), every_request(), combinations())

RULE_IDS = [digit * 32 for digit in "1234"]
FILTER_IDS = [digit * 32 for digit in "ab"]
ENFORCING = ["block", "challenge", "js_challenge", "managed_challenge"]
ACTIONS = st.sampled_from(["allow", *ENFORCING, "bypass", "allow", "log", "bypass"])
PRODUCTS = st.lists(st.sampled_from(["waf", "bic", "hot"]), unique=True)
NOTES = {"description": TEXTS, "ref": TEXTS}


@st.composite
def firewalls(draw: st.DrawFn) -> list[Item]:
    """Four rules that share two filters."""
    filter_ = some({"expression": EXPRESSIONS}, {"paused": FLAGS, **NOTES})
    filters = [{"id": identity, **draw(filter_)} for identity in FILTER_IDS]
    chosen = [0, 1, *(draw(st.integers(0, 1)) for dummy in RULE_IDS[2:])]
    fields = some({"action": ACTIONS, "priority": st.sampled_from([None, 0, 7, 9])}, {"paused": FLAGS, **NOTES})
    rules = [
        {"id": identity, **draw(fields), "filter": filters[index]}
        for identity, index in zip(RULE_IDS, chosen, strict=True)
    ]
    return [{**rule, "products": ["waf", "bic"]} if rule["action"] == "bypass" else rule for rule in rules]


@st.composite
def firewall_rules(draw: st.DrawFn) -> Item:
    """A rule of a task, which says something of a rule or of its filter; now and then what its action does not have."""
    fields = {
        "filter": some({"expression": EXPRESSIONS}, {"paused": FLAGS, **NOTES}),
        "action": ACTIONS,
        "paused": FLAGS,
        "priority": st.sampled_from(["", 0, 7, "7"]),
        "other": st.fixed_dictionaries({"id": st.sampled_from(FILTER_IDS)}),
    }
    named = draw(st.lists(st.sampled_from(sorted(fields)), min_size=1, max_size=2, unique=True))
    rule = {"id": draw(st.sampled_from(RULE_IDS)), **draw(some({name: fields[name] for name in named}, NOTES))}
    if "other" in rule:
        rule["filter"] = {**rule.get("filter", {}), **rule.pop("other")}
    if draw(ONE_IN_MANY) or (rule.get("action") == "bypass" and draw(FLAGS)):
        rule["products"] = draw(PRODUCTS)
    return {**rule, "id": "5" * 32} if draw(ONE_IN_MANY) else {**rule, "modified_on": "2026-03-01T10:00:00Z"}


FIREWALL_TASKS = st.builds(
    lambda rules, limits: {"rules": rules, **limits},
    named_once(firewall_rules(), lambda rule: rule["id"], 3),
    limited({"max_weakened_percent": PERCENTAGES}),
)

REFS = ("a", "b", "c", "da", "dB", "e")
PATTERNS = {"d*": ("da", "dB"), "[ab]": ("a", "b"), "?B": ("dB",), "e": ("e",), "D*": (), "z-*": ()}
RESPONSE = {"response": {"status_code": 403, "content": "no", "content_type": "text/plain"}}
SKIPS = st.sampled_from(
    [
        {"ruleset": "current"},
        {"phase": "current"},
        {"products": ["waf", "bic"]},
        {"products": ["bic", "waf"]},
        {"products": ["waf"]},
        {"phases": ["http_ratelimit"], "products": ["waf"]},
    ]
)
POSITIONS = st.one_of(
    st.sampled_from(["first", "last"]),
    st.tuples(st.sampled_from(["before", "after"]), st.sampled_from(REFS)).map(" ".join),
)
CUSTOM_ACTIONS = st.sampled_from(["skip", "block", "skip", "challenge", "skip", "managed_challenge", "log"])
LIMITS = ("max_weakened_percent", "max_deletions_percent")
ONE_IN_FEW = st.sampled_from([False] * 5 + [True])
CUSTOM_FIELDS = {"description": TEXTS, "enabled": st.sampled_from([True, True, False]), "version": st.just("7")}
SOME_REFS = st.lists(st.sampled_from(REFS), unique=True)
MANY_REFS = st.permutations(REFS).flatmap(lambda refs: st.integers(2, len(refs)).map(lambda count: refs[:count]))


@st.composite
def new_rule(draw: st.DrawFn, ref: str) -> Item:
    """A rule as it may exist: a skip says what, and only a skip is logged."""
    rule = draw(some({"ref": st.just(ref), "action": CUSTOM_ACTIONS, "expression": EXPRESSIONS}, CUSTOM_FIELDS))
    if rule["action"] == "skip":
        rule["action_parameters"] = draw(SKIPS)
        if draw(FLAGS):
            rule["logging"] = {"enabled": draw(FLAGS)}
    elif rule["action"] == "block" and draw(FLAGS):
        rule["action_parameters"] = RESPONSE
    return rule


@st.composite
def changed_rule(draw: st.DrawFn, ref: str) -> Item:
    """What a task says of an existing rule, or of one that it expects there; it may not fit."""
    fields = {**CUSTOM_FIELDS, "expression": EXPRESSIONS, "action": CUSTOM_ACTIONS}
    rule = draw(some({"ref": st.just(ref)}, fields))
    if rule.get("action") == "skip" or draw(ONE_IN_MANY):
        rule["action_parameters"] = draw(SKIPS)
    return {**rule, "action_parameters": draw(st.sampled_from([RESPONSE, {}]))} if draw(ONE_IN_MANY) else rule


PACKETS = st.sampled_from(
    [
        "ip.src in {192.0.2.0/24}",
        " ip.src  in {192.0.2.0/24}",
        "ip.src in {0.0.0.0/1 128.0.0.0/2 ::/0}",
        "not ip.src in {192.0.2.0/24}",
        "ip.src in {0.0.0.0/0} or ip.src in {::/0}",
        "ip.src in {0.0.0.0/1 128.0.0.0/1 ::/0}",
        "ip.src in {192.0.2.0/24} or not ip.src in {192.0.2.0/24}",
        "ip.src in {192.0.2.0/24} and not ip.src in {192.0.2.0/24}",
    ]
)
PACKET_ACTIONS = st.sampled_from(["block", "skip", "block", "skip", "log"])
CURRENT = {"ruleset": "current"}


@st.composite
def new_packet_rule(draw: st.DrawFn, ref: str, exists: bool = False) -> Item:
    """A Network Firewall rule as it may exist, or as a task has it."""
    rule = draw(some({"ref": st.just(ref), "action": PACKET_ACTIONS, "expression": PACKETS}, CUSTOM_FIELDS))
    if rule["action"] == "skip" and (exists or draw(FLAGS)):
        rule["action_parameters"] = CURRENT
    if rule["action"] == "skip" and draw(FLAGS):
        rule["logging"] = {"enabled": draw(FLAGS)}
    return rule


@st.composite
def changed_packet_rule(draw: st.DrawFn, ref: str) -> Item:
    """What a task says of a Network Firewall rule that it expects there; it may not fit."""
    rule = draw(some({"ref": st.just(ref)}, {**CUSTOM_FIELDS, "expression": PACKETS, "action": PACKET_ACTIONS}))
    return {**rule, "action_parameters": draw(st.sampled_from([CURRENT, {}]))} if draw(ONE_IN_FEW) else rule


DESTINATIONS = st.sampled_from(
    [
        "ip.dst in {203.0.113.0/24}",
        " ip.dst  in {203.0.113.0/24}",
        "ip.dst in {203.0.113.53}",
        "true",
        "udp.dstport in {53}",
    ]
)
REQUESTS = st.sampled_from(["ssl", " ssl", 'http.host eq "a.example"', "true", "not ssl"])
SENSITIVITIES = st.sampled_from(LEVELS)


EXPRESSIONS_OF = {L4.id: DESTINATIONS, L7.id: REQUESTS}
OF_OTHERS = {"score_per_period": 40.0}  # what nobody but its author says of a rule


@dataclass(frozen=True)
class Overrides:
    """Overrides of a managed ruleset, with these expressions."""

    managed: Managed
    expressions: st.SearchStrategy[str]

    @property
    def levels(self) -> dict[str, st.SearchStrategy[str]]:
        return {"action": st.sampled_from(self.managed.actions), "sensitivity": SENSITIVITIES}


@st.composite
def level(draw: st.DrawFn, kind: Overrides, name: str, value: str) -> Item:
    """What an override says of a category or of a managed rule, which is not nothing."""
    chosen = draw(st.lists(st.sampled_from(sorted(kind.levels)), min_size=1, unique=True))
    return {KEYS[name]: value, **draw(st.fixed_dictionaries({field: kind.levels[field] for field in chosen}))}


@st.composite
def levels(draw: st.DrawFn, kind: Overrides, name: str, unknown: str = "") -> list[Item]:
    values = draw(st.lists(st.sampled_from(kind.managed.existing[name]), max_size=3, unique=True))
    values += [unknown] if unknown and draw(ONE_IN_MANY) else []
    return [draw(level(kind, name, value)) for value in values]


@st.composite
def overrides(draw: st.DrawFn, kind: Overrides, ref: str, is_new: bool = True) -> Item:
    """An override of a task, in the words of the module."""
    fields = {
        "action": st.sampled_from(["default", *kind.managed.actions]),
        "sensitivity": SENSITIVITIES,
        "categories": levels(kind, "categories", "no such category"),
        "rules": levels(kind, "rules", "f" * 32),
    }
    chosen = draw(st.lists(st.sampled_from(sorted(fields)), min_size=is_new, max_size=3, unique=True))
    own = {name: fields[name] for name in chosen}
    expression = {"expression": kind.expressions}
    required = {"ref": st.just(ref), **own, **(expression if is_new else {})}
    return draw(some(required, {**CUSTOM_FIELDS, **({} if is_new else expression)}))


@st.composite
def existing_override(draw: st.DrawFn, kind: Overrides, ref: str) -> Item:
    """An override as the service has it, or now and then a rule of its phase that is none."""
    rule = draw(some({"ref": st.just(ref), "expression": kind.expressions}, CUSTOM_FIELDS))
    if draw(ONE_IN_FEW):
        return {**rule, **OF_OTHERS, "action": "log"}
    said: Item = {"sensitivity_level": draw(SENSITIVITIES)} if draw(FLAGS) else {"action": draw(kind.levels["action"])}
    for name in KEYS:
        entries = draw(levels(kind, name)) if draw(FLAGS) else []
        renamed = [
            {("sensitivity_level" if key == "sensitivity" else key): entry[key] for key in entry} for entry in entries
        ]
        said.update({name: renamed} if renamed else {})
    return {**rule, "action": "execute", "action_parameters": {"id": kind.managed.id, "overrides": said}}


@st.composite
def existing_rule(draw: st.DrawFn, ref: str, new: RuleOf = new_rule) -> Item:
    """A rule as it exists, now and then with a field that the collection does not know."""
    return {**draw(new(ref)), **draw(st.sampled_from([{}, {}, OF_OTHERS]))}


def custom_plans() -> st.SearchStrategy[tuple[list[Item], Item]]:
    return ordered_plans(existing_rule, new_rule, changed_rule)


def packet_plans() -> st.SearchStrategy[tuple[list[Item], Item]]:
    existing = partial(existing_rule, new=partial(new_packet_rule, exists=True))
    return ordered_plans(existing, new_packet_rule, changed_packet_rule)


def overrides_of_account() -> st.SearchStrategy[list[Item]]:
    """HTTP overrides of an account, or more often none."""
    kind = Overrides(L7, EXPRESSIONS_OF[L7.id])
    some_of_them = st.tuples(*(existing_override(kind, ref) for ref in ("x", "y")))
    return st.just([]) | some_of_them.map(list)


def override_plans(managed: Managed) -> st.SearchStrategy[tuple[list[Item], Item]]:
    kind = Overrides(managed, EXPRESSIONS_OF[managed.id])
    new, changed = (partial(overrides, kind, is_new=is_new) for is_new in (True, False))
    return ordered_plans(partial(existing_override, kind), new, changed, ["max_deletions_percent"])


@st.composite
def ordered_plans(
    draw: st.DrawFn, existing_rule: RuleOf, new: RuleOf, changed: RuleOf, limits: Sequence[str] = LIMITS
) -> tuple[list[Item], Item]:
    """An ordered list, and a task for it; with few positions, and patterns that seldom match its own rules."""
    existing = [draw(existing_rule(ref)) for ref in draw(st.just([]) | MANY_REFS | MANY_REFS)]
    known = [rule["ref"] for rule in existing]
    state, purge = draw(st.sampled_from([("present", False), ("present", True), ("absent", False)]))
    ignore = draw(st.lists(st.sampled_from(sorted(PATTERNS)), min_size=draw(FLAGS), max_size=2))
    others = {ref for pattern in ignore for ref in PATTERNS[pattern]}
    # A list with a purge may say where rules of others stand.
    refs = [ref for ref in draw(SOME_REFS) if ref not in others or draw(FLAGS if purge else ONE_IN_MANY)]
    if not purge and not refs:
        refs = ["c"]
    standing = {ref: purge and ref in others and not draw(ONE_IN_MANY) for ref in refs}
    described = {ref: changed(ref) if ref in known or draw(ONE_IN_MANY) else new(ref) for ref in refs}
    rules: list[Item] = [{"ref": ref} if standing[ref] else draw(described[ref]) for ref in refs]
    chosen = draw(st.lists(st.none() | POSITIONS, min_size=1, max_size=2))
    for rule in rules:
        if not purge or draw(ONE_IN_MANY):
            rule["position"] = draw(st.sampled_from(chosen))
    percentages = dict.fromkeys(limits, PERCENTAGES)
    return existing, {"rules": rules, "state": state, "purge": purge, "ignore": ignore, **draw(limited(percentages))}
