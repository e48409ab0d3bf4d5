# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides that set all managed rules, or those of a category, to block for all plain traffic.

A managed rule that was only logged may match what ordinary clients send, so that such an override
may stop them all. Of managed DDoS rules, the first override that traffic meets decides.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple

from ..._expressions.expression import Expression
from ..._protection.ordinary_traffic import plain_traffic
from ..._protection.override_entries import RULE, entries_by_name
from ..._schema.ddos_overrides import BLOCK
from ..._schema.managed_rules import MANAGED_RULES
from ..._schema.resource import Object, State, fields_in
from ..._schema.rulesets import OVERRIDES, PARAMETERS, deployed
from ..._text import first_few, sentence
from ..finding import Entry, FinderAnswer, entry_of
from .base import Change
from .blocking_in_turn import by_ddos_overrides, managed_rules_in_words


class BlockingOverride(NamedTuple):
    """A rule that deploys a managed ruleset and sets all of its managed rules, or all of a
    category, to block.
    """

    rule: Object
    ruleset: str
    category: str

    @property
    def managed_rules(self) -> tuple[str, str]:
        """A pair that is equal for overrides of the same managed rules."""
        return self.ruleset, self.category

    @property
    def words(self) -> str:
        """A clause on the override and the managed rules that it sets to block."""
        title = f"{MANAGED_RULES.title} {MANAGED_RULES.label_of(self.rule)}"
        category = managed_rules_in_words(self.category)
        return f"{title} sets {category} of the ruleset {self.ruleset} to block"


def blocking_overrides(change: Change) -> FinderAnswer:
    """The risk that overrides newly set all managed rules, or all of a category, to block, and do
    so for all plain traffic.
    """
    return _by_deployments(change) or by_ddos_overrides(change)


def _by_deployments(change: Change) -> FinderAnswer:
    before = {one.managed_rules for one in _blocking(change.before.state)}
    after = _blocking(change.after.state)
    new = [override for override in after if override.managed_rules not in before]
    if not new:
        return None
    words = first_few(dict.fromkeys(override.words for override in new))
    entries: list[Entry] = []
    for override in new:
        entry = entry_of(MANAGED_RULES, override.rule)
        if entry not in entries:
            entries.append(entry)
    message = f"{words} for all plain traffic, whatever each managed rule does by itself"
    return sentence(message), [], entries


def _blocking(state: State) -> Iterator[BlockingOverride]:
    """The overrides of a state that set all managed rules, or all of a category, to block, for all
    plain traffic.
    """
    for rule in state.get(MANAGED_RULES.plural) or ():
        overrides = fields_in(fields_in(rule.get(PARAMETERS)).get(OVERRIDES))
        is_active = MANAGED_RULES.field("enabled").normalised(rule) != "false"
        if is_active and plain_traffic(Expression.of_object(rule), MANAGED_RULES.traffic, False):
            for category in _categories_blocked(overrides):
                yield BlockingOverride(rule, deployed(rule), category)


def _categories_blocked(override: Object) -> list[str]:
    """The categories of managed rules that an override sets to block; the category is an empty text
    if the override sets all managed rules to block.
    """
    categories: list[str] = []
    for name, entries in entries_by_name(override).items():
        for _place, entry in entries:
            is_working = entry.get("enabled") is not False
            if entry.get("action") == BLOCK and is_working and not name.startswith(RULE):
                categories.append(name)
    return categories
