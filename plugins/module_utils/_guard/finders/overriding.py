# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides that set all managed rules, or those of a category, to block for all plain traffic.

A managed rule that was only logged may match what ordinary clients send, so that such an override
may stop them all.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple

from ..._expressions.expression import Expression
from ..._protection.ordinary_traffic import plain_traffic
from ..._protection.overrides import entries_by_name
from ..._schema.ddos_overrides import BLOCK
from ..._schema.managed_rules import MANAGED_RULES
from ..._schema.resource import Object, State, fields_in
from ..._schema.rulesets import OVERRIDES, PARAMETERS, deployed
from ..._text import first_few, sentence
from ..finding import Entry, FinderAnswer, entry_of
from .base import Change

MANAGED_RULE = "rule "


class BlockingOverride(NamedTuple):
    """A rule that deploys a managed ruleset and sets to block all of its rules, or those of a
    category."""

    rule: Object
    ruleset: str
    category: str

    @property
    def managed_rules(self) -> tuple[str, str]:
        """Equal for overrides of the same managed rules."""
        return self.ruleset, self.category

    @property
    def words(self) -> str:
        """The override, and what it sets to block."""
        title = f"{MANAGED_RULES.title} {MANAGED_RULES.label_of(self.rule)}"
        about = f"the {self.category}" if self.category else "all managed rules"
        return f"{title} sets {about} of the ruleset {self.ruleset} to block"


def blocking_overrides(change: Change) -> FinderAnswer:
    """The risk of overrides that set to block what none sets to block today."""
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
    """The overrides of a state that block for all plain traffic."""
    for rule in state.get(MANAGED_RULES.plural) or ():
        overrides = fields_in(fields_in(rule.get(PARAMETERS)).get(OVERRIDES))
        is_active = MANAGED_RULES.field("enabled").normalised(rule) != "false"
        if is_active and plain_traffic(Expression.of_object(rule), MANAGED_RULES.traffic, False):
            for category in _categories_blocked(overrides):
                yield BlockingOverride(rule, deployed(rule), category)


def _categories_blocked(override: Object) -> list[str]:
    """The categories that an override sets to block, empty for all managed rules."""
    categories: list[str] = []
    for name, entries in entries_by_name(override).items():
        for _place, entry in entries:
            is_working = entry.get("enabled") is not False
            if entry.get("action") == BLOCK and is_working and not name.startswith(MANAGED_RULE):
                categories.append(name)
    return categories
