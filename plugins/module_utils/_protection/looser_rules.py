# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules that stop less of the traffic that they match than others, by their values: rate limits,
and rules that deploy managed rules.
"""

from __future__ import annotations

from itertools import chain, combinations
from math import inf
from typing import Any, Iterator, Mapping, Sequence, Tuple, Union

from .._expressions.expression import Expression
from .._schema.managed_rules import LEVEL, MANAGED_RULES, THRESHOLD
from .._schema.rate_limits import RATE_LIMIT, RATE_LIMIT_RULES, SCORE, counters, limit_of
from .._schema.resource import LOG, Object, Resource, Values, fields_in, without
from .._schema.rulesets import OVERRIDES, PARAMETERS, deployed
from .._text import first_few
from .override_entries import (
    ManagedRuleNames,
    by_width,
    entries_by_name,
    names_told_apart,
    values_for,
)

Looser = Union[Tuple[str, bool], None]  # a clause without its subject, and whether it is certain


def loosened(resource: Resource, was: Object, becomes: Object) -> Looser:
    """The way in which the rule `becomes` stops less of the traffic that it matches than the rule
    `was`; None if it stops as much."""
    if resource is RATE_LIMIT_RULES:
        return limits_less(was, becomes)
    return deploys_less(was, becomes) if resource is MANAGED_RULES else None


def _number_of_limit(limit: Mapping[str, Any], name: str) -> float:
    value = limit.get(name)
    return value if isinstance(value, (int, float)) else 0


NUMBER_FIELDS = ("period", "requests_per_period", "mitigation_timeout")
WORDS_OF_LIMITS = {"requests_per_period": "{} requests", SCORE: "a score of {}"}


def limits_less(was: Object, becomes: Object) -> Looser:
    """The way in which the rate limit of `becomes` lets more requests pass than that of `was`; None
    if it does not.

    It lets more pass if requests that exceed the limit `was` can stay within it. The requests of a
    period may come all at once, at its beginning.
    """
    limits = one, other = limit_of(was), limit_of(becomes)
    period, shorter = (_number_of_limit(limit, "period") for limit in limits)
    for name, what in WORDS_OF_LIMITS.items():
        most, more = (_number_of_limit(limit, name) for limit in limits)
        if most and shorter and more * -(-period // shorter) > most:
            return f"takes {what.format(more)} in {shorter} s, and not {most} in {period} s", True
    longer, timeout = (_number_of_limit(limit, "mitigation_timeout") for limit in limits)
    both_or_none_block = (was.get("action") == "block") is (becomes.get("action") == "block")
    if timeout < longer and both_or_none_block:
        return f"acts for {timeout} s, and not for {longer} s", True
    coarser, finer = map(counters, limits)
    if coarser < finer:
        return f"counts by {first_few(sorted(finer - coarser))} as well", True
    if not one.get("requests_to_origin") and other.get("requests_to_origin"):
        return "does not count requests that the cache answers", True
    is_alike = _counted_requests(was, other) == _counted_requests(becomes, one)
    if not is_alike or not coarser >= finer:
        return "counts in another way, and may let more requests pass", False
    return None


def _counted_requests(rule: Object, beside: Mapping[str, Any]) -> tuple[Any, ...]:
    """A key for the requests that a rate limit counts, to compare it with the limit `beside`. Its
    own expression is included only if it or `beside` has a counting_expression."""
    limit = limit_of(rule)
    own = limit.get("counting_expression")
    text = own or (rule.get("expression") if beside.get("counting_expression") else "")
    more = {
        name: value if name != SCORE or isinstance(value, str) else bool(value)
        for name, value in sorted(limit.items())
        if name not in RATE_LIMIT.nested_names or (name in NUMBER_FIELDS and isinstance(value, str))
    }
    units = [name for name in WORDS_OF_LIMITS if limit.get(name)]
    return Expression.of(str(text or "")).normalised, more, units


StrengthRange = Tuple[float, float]  # least and greatest strength
STRENGTH: Mapping[Any, StrengthRange] = {LOG: (-1, -1), "block": (2, 2), None: (0, 2)}
STRENGTH_OF_CHALLENGES: StrengthRange = (1, 1)
STRENGTHS_WHEN_OFF: Sequence[StrengthRange] = ((-2, -2), (-1, -1), (-inf, -inf))


def _strengths(settings: Values) -> Sequence[StrengthRange]:
    """The least and greatest strength, in each respect, of managed rules with these values; a value
    that is left out may be any that the vendor sets."""
    enabled, threshold = settings.get("enabled"), settings.get(THRESHOLD)
    if enabled is False:
        return STRENGTHS_WHEN_OFF
    return (
        STRENGTH.get(settings.get("action"), STRENGTH_OF_CHALLENGES),
        (1, 1) if enabled else (0, 1),
        (-threshold, -threshold) if isinstance(threshold, (int, float)) else (-inf, inf),
    )


def _weakens(was: Values, becomes: Values) -> bool | None:
    """Return whether managed rules with the values `becomes` stop less than with `was`; None if
    that depends on values that are not known."""
    strengths = zip(_strengths(was), _strengths(becomes))
    changed = [(before, after) for before, after in strengths if before != after]
    if any(after[1] < before[0] for before, after in changed):
        return True
    names_without_strength = {*was, *becomes} - {*LEVEL, THRESHOLD}
    unknown_differs = any(was.get(name) != becomes.get(name) for name in names_without_strength)
    may_be_weaker = any(after[0] < before[1] for before, after in changed)
    return None if unknown_differs or may_be_weaker else False


def _fewer(names: ManagedRuleNames) -> Iterator[ManagedRuleNames]:
    """All combinations of these names that leave out at least one name."""
    return chain.from_iterable(combinations(names, size) for size in range(len(names)))


def deploys_less(was: Object, becomes: Object) -> Looser:
    """The way in which the rule `becomes` executes less of a managed ruleset than the rule `was`;
    None if it does not."""
    if deployed(was) != deployed(becomes):
        return f"deploys the ruleset {deployed(becomes)} in place of {deployed(was)}", True
    parameters = [fields_in(rule.get(PARAMETERS)) for rule in (was, becomes)]
    overrides = [fields_in(one.get(OVERRIDES)) for one in parameters]
    before, after = map(entries_by_name, overrides)
    weakened = {
        names: _weakens(values_for(before, names), values_for(after, names))
        for names in names_told_apart(overrides)
        if len(names) < 3
    }
    # It is not known if a managed rule has two of the names.
    certain = [names for names in weakened if weakened[names] and len(names) < 2]
    worst = {*certain} or {names for names in weakened if weakened[names] is not False}
    least = [names for names in weakened if names in worst and worst.isdisjoint(_fewer(names))]
    if not least:
        return _deploys_otherwise(*parameters)
    words = [
        " in ".join(f"the {name}" for name in names) or "all its rules"
        for names in sorted(least, key=by_width)
    ]
    verb = "weakens" if certain else "may weaken"
    return f"{verb} {first_few(words)} by its overrides", bool(certain)


HARMLESS = frozenset({"id", OVERRIDES, "matched_data"})  # parameters that change no managed rule
AS_LEFT_OUT = {"version": "latest"}  # values of parameters that mean the same as none


def other_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a deployment that may change its managed rules, beside overrides."""
    return without({**AS_LEFT_OUT, **parameters}, *HARMLESS)


def _deploys_otherwise(was: Mapping[str, Any], becomes: Mapping[str, Any]) -> Looser:
    """The doubt about parameters of a deployment that may change its rules, such as the version of
    the ruleset; None if these are equal."""
    before, after = other_parameters(was), other_parameters(becomes)
    names = sorted({*before, *after})
    changed = [name for name in names if before.get(name) != after.get(name)]
    if not changed:
        return None
    return f"may execute other managed rules, since it has another {first_few(changed)}", False


def only_logs(resource: Resource, rule: Object) -> bool:
    """Return whether a rule executes managed rules, and all of them are off or only log."""
    logging = {**fields_in(rule.get(PARAMETERS)), OVERRIDES: {"action": "log"}}
    return resource is MANAGED_RULES and not deploys_less(rule, {**rule, PARAMETERS: logging})
