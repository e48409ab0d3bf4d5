# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of rules that newly concern all plain traffic.

That every request or packet matches an expression is proven, or it is none of these risks. The
vendor describes the actions on its pages "Actions" (Firewall Rules) and "Custom rules: available
skip options".
"""

from __future__ import annotations

from functools import partial
from typing import Callable, Iterator, Mapping, NamedTuple, Sequence

from ..._protection.losses import overtaken
from ..._protection.ordinary_traffic import (
    WideRule,
    met_plain_traffic_of,
    rules_matching_all_traffic,
    union_of_rules,
    width,
)
from ..._protection.zone_rule import ZoneRule
from ..._schema.registry import DECIDING
from ..._schema.resource import Key, State
from ..._text import first_few, sentence
from ..finding import Entry, FinderAnswer
from ..risks.declaration import Limits
from ..risks.rules import BLOCKS_EVERYTHING, SKIPS_EVERYTHING
from .base import Change, finds
from .changed_rules import Rules, rules_with_changes
from .overriding import blocking_overrides
from .passing import traffic_of

BLOCK = "block"  # the strictest of the actions that enforce


@finds(SKIPS_EVERYTHING)
def skips_everything(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a rule newly makes all plain traffic skip later rules or products."""
    traffic = traffic_of(change)
    if traffic is not None and traffic.known and not traffic.passes:
        return None  # other rules skipped as much, or nothing stands behind

    def grown(was: ZoneRule, becomes: ZoneRule, overtaken_rules: Sequence[ZoneRule]) -> str:
        if not becomes.skips <= was.skips:
            return "skips more"
        return "moved to an earlier place" if overtaken_rules else ""

    return _concerning_everything(change, enforces=False, grown=grown)


@finds(BLOCKS_EVERYTHING)
def blocks_everything(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a rule newly blocks or challenges all plain traffic, or that overrides newly
    set all managed rules, or all of a category, to block for all plain traffic.
    """
    by_overrides = blocking_overrides(change)
    if by_overrides is not None:
        return by_overrides
    traffic = traffic_of(change)
    if traffic is not None and traffic.known and not traffic.stopped:
        return None  # other rules stop it today

    def grown(was: ZoneRule, becomes: ZoneRule, overtaken_rules: Sequence[ZoneRule]) -> str:
        if becomes.action == BLOCK != was.action:
            return f"turned from {was.action} into block"
        passes = any(rule.lets_pass and rule.terminates for rule in overtaken_rules)
        return "moved before a rule that lets requests pass" if passes else ""

    return _concerning_everything(change, enforces=True, grown=grown)


# Says why a rule does more than before; takes it before and after, and the active rules that it
# moves before.
Grown = Callable[[ZoneRule, ZoneRule, Sequence[ZoneRule]], str]


def _concerning_everything(change: Change, enforces: bool, grown: Grown) -> FinderAnswer:
    """The risk of rules that all plain traffic matches and reaches, and that newly do so or do
    more; `grown` returns why a rule that already did so before does more.
    """
    reasons: dict[str, list[str]] = {}
    entries: list[Entry] = []
    for rules in rules_with_changes(change, DECIDING):
        resource = rules.resource
        comparison = WideRules.compared(rules, change.after.state, enforces)
        for wide in comparison.after:
            reason = comparison.reason(wide, grown)
            if not reason or comparison.concerns_no_more(wide):
                continue
            outcome = _effect_on_requests(wide.rule) if enforces else "skip what it skips"
            clause = f"{resource.title} {wide.rule.title} ({reason})"
            if wide.helpers:
                helpers = first_few(helper.title for helper in wide.helpers)
                clause += f" together with {helpers}"
            matches = f"{wide.traffic} matches, and would {outcome}"
            reasons.setdefault(matches, []).append(clause)
            entries.append(Entry(resource, wide.rule.key, wide.rule.entry))
    clauses = [f"{first_few(labels)}: {outcome}" for outcome, labels in reasons.items()]
    return (sentence("; ".join(clauses)), [], entries) if clauses else None


def _effect_on_requests(rule: ZoneRule) -> str:
    return f"be {'blocked' if rule.action == BLOCK else 'challenged'} by it"


class WideRules(NamedTuple):
    """The rules of one resource that all plain traffic matches and reaches, either those that
    enforce or those that do not: `after` a plan, and `before` it by their keys.
    """

    rules: Rules
    state: State
    after: Sequence[WideRule]
    before: Mapping[Key, WideRule]
    shared_before: Sequence[str]

    @classmethod
    def compared(cls, rules: Rules, state: State, enforces: bool) -> WideRules:
        """The wide rules before and after a plan, both found with the names and lists of `state`;
        `enforces` selects rules that enforce, or those that do not.
        """
        resource = rules.resource
        all_after = rules_matching_all_traffic(resource, rules.after, state)
        after = [wide for wide in all_after if wide.rule.enforces is enforces]
        before = rules_matching_all_traffic(resource, rules.before, state) if after else []
        by_key: dict[Key, WideRule] = {}
        shared: list[str] = []
        for wide in before:
            rule = wide.rule
            if rule.enforces is enforces:
                by_key[rule.key] = wide
            if wide.helpers:
                shared.append(wide.traffic)
        return cls(rules, state, after, by_key, shared)

    def concerns_no_more(self, wide: WideRule) -> bool:
        """Return whether all plain traffic of the kinds that a rule matches, with its helpers, was
        stopped as strictly before, or skipped as much, by whatever rules together.
        """
        resource, state = self.rules.resource, self.state
        together = union_of_rules(wide.rule, [wide.rule, *wide.helpers])
        in_front = self.rules.after[: self.rules.after.index(wide.rule)]
        before = [rule for rule in self.rules.before if rule not in in_front]
        effects = [*_as_much(wide.rule)]  # none of a skip in a ruleset that a rule executes
        return bool(effects) and all(
            met_plain_traffic_of(resource, together, before, state, chosen) for chosen in effects
        )

    def reason(self, wide: WideRule, grown: Grown) -> str:
        """The reason why a rule does more to all plain traffic than before; empty if it does
        not.
        """
        rule, helpers = wide.rule, wide.helpers
        rules_before = self.rules.before
        existing = {rule_before.key: rule_before for rule_before in rules_before}
        was = existing.get(rule.key)
        wide_before = self.before.get(rule.key)
        if was and wide_before is not None:
            is_unchanged = rule == was and not helpers
            if not is_unchanged or not wide_before.helpers:
                return self._reason_of_wider(was, rule, grown)
        changed = [helper for helper in helpers if helper != existing.get(helper.key)]
        decides_as_before = _decides_as(was, rule)
        if decides_as_before and (changed or _stops_no_more(rule, rules_before)):
            return ""
        if helpers and wide.traffic in self.shared_before:
            return ""
        is_same = rule.key in self.rules.same
        return _new(was, rule, is_same)

    def _reason_of_wider(self, was: ZoneRule, rule: ZoneRule, grown: Grown) -> str:
        """The reason why a rule that was already wide before does more now; empty if it does not.
        `was` and `rule` are the rule before and after.
        """
        active_before = [existing for existing in self.rules.before if existing.active]
        active_after = [planned for planned in self.rules.after if planned.active]
        passed = overtaken(rule.key, active_before, active_after)
        reason = grown(was, rule, passed) or _freed(was, rule)
        if reason:
            return reason
        newly_matched = rule.expression.without(was.expression)
        difference = rule._replace(expression=newly_matched)
        if width(self.rules.resource, difference, self.state):
            return _widened(rule.key in self.rules.same)
        return ""


def _as_much(rule: ZoneRule) -> Iterator[Callable[[ZoneRule], bool]]:
    """Tests of other rules, one for each effect of a rule on plain traffic: whether they have that
    effect as well.
    """
    if rule.enforces:
        yield lambda other: other.enforces and other.action in (BLOCK, rule.action)
    for name in () if rule.enforces else rule.skips:
        yield partial(_skips, name)


def _skips(name: str, rule: ZoneRule) -> bool:
    return rule.lets_pass and name in rule.skips


def _decides_as(was: ZoneRule | None, rule: ZoneRule) -> bool:
    """True if the rule `was`, which becomes `rule`, changes at most in its texts; False if `was` is
    None (the rule is new).
    """
    if was is None:
        return False
    return was._replace(title=rule.title, entry=rule.entry, obj=rule.obj) == rule


def _stops_no_more(rule: ZoneRule, before: Sequence[ZoneRule]) -> bool:
    """Return whether a rule stops nothing new: every rule in front of it that ends the evaluation
    stops traffic as strictly. `before` are the existing rules, which include this one.
    """
    if not rule.enforces:
        return False
    place = [rule_before.key for rule_before in before].index(rule.key)
    for earlier in before[:place]:
        stops_as_much = earlier.enforces and earlier.action in (BLOCK, rule.action)
        if earlier.terminates and not stops_as_much:
            return False
    return True


def _new(was: ZoneRule | None, becomes: ZoneRule, is_same: bool) -> str:
    """The reason why a rule newly affects plain traffic; `was` and `becomes` are the rule before
    and after, `is_same` says that its text is the same.
    """
    if was is None:
        return "new"
    if not was.active:
        return "enabled"
    if was.action != becomes.action:
        return f"turned from {was.action} into {becomes.action}"
    if was.expression != becomes.expression:
        return _widened(is_same)
    return "no longer behind a rule that ends the evaluation"


def _freed(was: ZoneRule, becomes: ZoneRule) -> str:
    """A clause on the conditions that the rule `was` has and `becomes` lacks; empty if there are
    none.
    """
    fields = [f"the field {name}" for name in was.conditions if name not in becomes.conditions]
    return f"no longer limited by {first_few(fields)}" if fields else ""


def _widened(is_same: bool) -> str:
    return "widened by a list" if is_same else "widened"
