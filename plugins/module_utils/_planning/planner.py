# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes the plan of a run from states that are read: as desired, as described, as the rollout
allows, and complete. Pure: no client, no clock."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, Sequence

from .._context import Context
from .._plan.desired import Desired
from .._plan.plan import Plan
from .._plan.reconcile import Adjust, make_plan
from .._plan.removals import Freed, waits_for_room
from .._plan.rollout import Planned, Target, Verdict, Verdicts
from .._schema.lists import LISTS
from .._schema.resource import NO_ITEMS, Resource, State
from .stages import Rollout, brought_at_once, changes_protection
from .surroundings import Surroundings


class Situation(NamedTuple):
    """The two sides of a plan: the existing state, and the desired state as adapted to it.

    `nested` are, by collection, nested objects that the task names and that no existing object has.
    `inner` are the collections inside of objects, which are deleted with these objects. `begun` is
    the first plan of the run, if this is a later one.
    """

    existing: State
    desired: Sequence[Desired]
    nested: State = NO_ITEMS
    inner: Sequence[Resource] = ()
    begun: Plan | None = None


class Planner(NamedTuple):
    """Makes the plans of one run, for which its task asks for this rollout."""

    context: Context
    rollout: Rollout

    @classmethod
    def of_task(cls, context: Context, rollout: Rollout, desired: Sequence[Desired]) -> Planner:
        """The planner of a task with this desired state."""
        return cls(context, rollout._replace(at_once=brought_at_once(context, desired)))

    def draft(self, situation: Situation, against: Verdicts = NO_ITEMS) -> Planned:
        """The plan by the existing state alone, before anything else is read. For a task that only
        makes changes that are due by time, the plan of these changes. Raises PlanError.
        """
        whole = self._whole_draft(situation, against)
        terms = self.rollout.terms
        if not terms.only_time:
            return whole
        from .due import Due, left_alone  # loaded by the runs that ask for it

        steps = Due(self.context, terms.is_staged, self.rollout.stages)
        due = steps.desired(whole.plan, situation.desired)
        planned = self._whole_draft(situation._replace(desired=due), against)
        return planned._replace(left_alone=left_alone(whole.plan, planned.plan))

    def in_turn(self, planned: Planned) -> Planned:
        """The part of a plan that is made in this turn of the host."""
        fleet = self.context.fleet
        if not fleet.is_ordered:
            return planned
        from .turns import divided  # loaded for fleets

        return divided(planned, fleet, self.context.reports)

    def _whole_draft(self, situation: Situation, against: Verdicts) -> Planned:
        make = partial(
            make_plan,
            situation.existing,
            nested=situation.nested,
            inner=situation.inner,
            begun=situation.begun,
            freed=self._freed,
        )

        def at_stage(adjust: Adjust) -> Plan:
            if not self.context.is_role:
                return make(situation.desired, adjust)
            from .._protection.desired_protection import plan_as_described  # loaded for roles

            return plan_as_described(make, situation.desired, adjust)

        planned = self.rollout.staged(at_stage, against)
        if not waits_for_room(planned.plan.operations, planned.plan.before):
            return planned
        from .room import with_rules_first  # loaded where room is short

        return planned._replace(plan=with_rules_first(planned.plan, self._freed))

    @property
    def _freed(self) -> Freed:
        """The lists to which rules of zones stop referring before this turn."""
        return {LISTS.plural: self.context.fleet.room}

    def plan(self, situation: Situation, draft: Planned, surroundings: Surroundings) -> Planned:
        """The plan by all that decides about it (`surroundings`); it does not enable objects
        against which the traffic speaks.
        """
        planned = draft._replace(plan=surroundings.draft)
        verdicts = self._verdicts(planned.plan, surroundings)
        against = self.rollout.refused(planned.plan, verdicts)
        if against:
            waiting = self.draft(situation, against)
            planned = waiting._replace(plan=surroundings.complete(waiting.plan))
        return planned._replace(verdicts=verdicts, against=against)

    def _verdicts(self, plan: Plan, surroundings: Surroundings) -> Verdicts:
        """The verdicts of the traffic on objects that a plan enables; empty if the task does not
        ask for them.
        """
        question, rule_question = self.rollout.question, self.rollout.rule_question
        evidence = surroundings.rule_evidence
        verdicts: dict[Target, Verdict] = {}
        if question and changes_protection(plan):
            verdicts.update(question.verdicts(plan, surroundings.traffic))
        if rule_question and evidence:
            verdicts.update(rule_question.verdicts(plan, evidence))
        return verdicts
