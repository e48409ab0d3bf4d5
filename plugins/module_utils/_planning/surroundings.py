# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All that decides about a plan, as it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._guard.facts import Facts
from .._plan.plan import Plan

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    from .._traffic.ask import AccountTraffic
    from .rule_evidence import RuleEvidence


class Surroundings(NamedTuple):
    """All that decides about a plan: its draft with the whole existing state, the traffic and what
    rules have logged if the task asks for it, and the facts on which the guard checks it."""

    draft: Plan
    traffic: AccountTraffic | None = None
    facts: Facts = Facts()
    rule_evidence: RuleEvidence | None = None

    def complete(self, plan: Plan) -> Plan:
        """The plan, with the existing state as the draft has it: all that was read."""
        from .way import with_rulesets_after  # loaded by the tasks of which something waits

        draft = self.draft
        completed = plan._replace(before=draft.before, unread=draft.unread, contents=draft.contents)
        return with_rulesets_after(completed)
