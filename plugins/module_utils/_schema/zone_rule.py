# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A rule as Cloudflare evaluates it, of a zone or of an account."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from .resource import Key

ENFORCING = frozenset({"block", "challenge", "managed_challenge", "js_challenge"})
SKIPPING = frozenset({"skip", "allow", "bypass"})
OF_RULESETS = ENFORCING | {"skip", "log"}

REST_OF_THE_LIST = (  # what a skip of `ruleset` or `phase`, and an allow, skips among others
    "the remaining rules"
)


class ZoneRule(NamedTuple):
    """One rule; `title` names it in sentences.

    `active` says whether requests can meet it, `skips` what a
    request that it matches does not meet. Fields in `conditions` may narrow what it matches.
    `unknown` names its action, and parameters of it, if they are not known.
    """

    key: Key
    entry: str
    title: str
    action: str
    expression: str
    active: bool
    skips: frozenset[str]
    conditions: Sequence[str] = ()
    unknown: Sequence[str] = ()

    @property
    def doubts(self) -> list[str]:
        """All of it that is not understood, for sentences."""
        return [*self.unknown, *(f"the field {name}" for name in self.conditions)]

    @property
    def enforces(self) -> bool:
        """Return whether it blocks or challenges."""
        return self.active and self.action in ENFORCING

    @property
    def lets_pass(self) -> bool:
        """Return whether it takes requests past something."""
        return self.active and self.action in SKIPPING

    @property
    def terminates(self) -> bool:
        """Return whether a request that it matches meets no rule after it; not where the action is
        unknown."""
        return self.enforces or (self.lets_pass and REST_OF_THE_LIST in self.skips)
