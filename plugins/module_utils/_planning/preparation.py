# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prepares a plan for the guard: from the existing state, in numbered steps, of which only two
read."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, NamedTuple, Sequence

from .._api.client import Client
from .._guard.comparison import expected_results, rule_warnings
from .._guard.facts import Facts
from .._plan.plan import Plan, unread_nested
from .._plan.rollout import Planned
from .._schema.resource import NO_ITEMS, Object, State
from .._specs.task import Task
from .planner import Planner, Situation
from .reading import SurroundingsReader
from .stages import Rollout, stages_of

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    from .._traffic.ask import AccountTraffic


class Prepared(NamedTuple):
    """A plan, and the facts on which the guard checks it; later plans of the run also use the
    `traffic` that was read for it.
    """

    planned: Planned
    facts: Facts
    traffic: AccountTraffic | None = None


class Preparation(NamedTuple):
    """Prepares the plans of one task."""

    task: Task
    client: Client
    planner: Planner

    @classmethod
    def of_task(cls, task: Task, client: Client) -> Preparation:
        """The preparation of a task; Cloudflare's time must be known from an earlier answer."""
        rollout = Rollout(task.terms, client.now, datetime.now(timezone.utc))
        stages = stages_of(task.desired)
        if stages:
            from .zone import stages_that_log  # loaded by the tasks with such rules

            that_log = stages_that_log(stages, client, task.context)
            tested = {target: stages[target] for target in stages if target not in that_log}
            rollout = rollout._replace(stages=that_log, tested=tested)
        return cls(task, client, Planner.of_task(task.context, rollout, task.desired))

    @property
    def rollout(self) -> Rollout:
        """The rollout that the task asks for."""
        return self.planner.rollout

    def prepared(
        self, existing: State, traffic: AccountTraffic | None = None, begun: Plan | None = None
    ) -> Prepared:
        """The plan of the task for this existing state, or the rest of a plan that was `begun`;
        raises PlanError and ServiceError."""
        return self._on(existing)._prepared(existing, traffic, begun)

    def _on(self, existing: State) -> Preparation:
        """The preparation with the rules that go through no stages, since they take the place of
        existing ones."""
        rollout = self.rollout
        if not (rollout.stages or rollout.tested):
            return self
        from .renamed_rules import rules_in_place_of_others  # loaded by the tasks with such rules

        desired = self._situation(existing).desired
        at_once = rollout.at_once | rules_in_place_of_others(existing, desired)
        return self._replace(
            planner=self.planner._replace(rollout=rollout._replace(at_once=at_once))
        )

    def _prepared(
        self, existing: State, traffic: AccountTraffic | None, begun: Plan | None
    ) -> Prepared:
        # 1. Read the nested objects that the task names.
        nested = self._read_nested(existing)
        # 2. Draft: as desired, as described, and not too early.
        situation = self._situation(existing, nested, begun)
        draft = self.planner.draft(situation)
        # 3. Read all that decides about the draft.
        surroundings = self._reader.read(draft.plan, traffic)
        # 4. Plan: not against the traffic, and complete.
        planned = self.planner.in_turn(self.planner.plan(situation, draft, surroundings))
        # 5. Evaluate what the task expects, and what the plan changes beside its objects.
        facts = self._evaluated(surroundings.facts, planned.plan, planned.goal)
        return Prepared(planned, facts, surroundings.traffic)

    def prepared_second(self, planned: Planned, second: Plan) -> Prepared:
        """A second plan, about objects that others wrote while the first plan was applied."""
        surroundings = self._reader.read_for_second(second)
        plan = surroundings.draft
        facts = self._evaluated(surroundings.facts, plan, plan)
        return Prepared(planned._replace(plan=plan), facts)

    def state_after(self, existing: State, begun: Plan) -> State:
        """The state to which the task changes the state `existing`, after a plan was `begun`; reads
        nothing, and raises PlanError.
        """
        planner = self._on(existing).planner
        draft = planner.draft(self._situation(existing, begun=begun))
        return planner.in_turn(draft).plan.after()

    @property
    def _reader(self) -> SurroundingsReader:
        task = self.task
        lists_unmanaged = task.spec.lists_unmanaged
        terms, context = task.terms, task.context
        return SurroundingsReader(
            self.client, context, terms, self.rollout, task.desired, lists_unmanaged
        )

    def _situation(
        self, existing: State, nested: State = NO_ITEMS, begun: Plan | None = None
    ) -> Situation:
        desired = self.task.spec.settled(self.task.desired, existing)
        return Situation(existing, desired, nested, self.task.contents_in(existing), begun)

    def _read_nested(self, existing: State) -> State:
        """The nested objects that a task names and that no existing object has, by collection."""
        nested: dict[str, Sequence[Object]] = {}
        for desired in self.task.desired:
            resource = desired.resource
            if not resource.nested:
                continue
            values = desired.objects.values()
            ids = unread_nested(resource, values, existing[resource.plural])
            answers = self.client.read_each([resource.nested_object(name) for name in ids])
            if ids:
                nested[resource.plural] = [obj for (obj,) in answers]
        return nested

    def _evaluated(self, facts: Facts, plan: Plan, goal: Plan) -> Facts:
        """The facts, completed with those that follow from the plan; the task expects something of
        its `goal`. Raises ServiceError."""
        terms = self.task.terms
        before, after = map(self.task.with_missing, (goal.before, goal.after()))
        expected = expected_results(terms.expectations, before, after, goal.contents)
        warnings = rule_warnings(plan, facts.look_up) if terms.of_rules else ()
        backtested = self._reader.backtested(plan)
        return facts._replace(expected=expected, warnings=warnings, backtested=backtested)
