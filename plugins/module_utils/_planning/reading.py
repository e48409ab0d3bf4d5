# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads all that decides about a plan beside the collections of its task, in one step: before the
plan is completed, and before the guard checks it."""

from __future__ import annotations

from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, AbstractSet, Any, Callable, Mapping, NamedTuple, Sequence

from .._api.client import Client
from .._concurrency import concurrently
from .._context import Context
from .._errors import ProtectionError
from .._guard.facts import Backtested, CollectionPlace, Facts, ObjectsOrError, place_of_collection
from .._guard.feasibility import delegations_to_read, onboarded_to_read
from .._guard.terms import BacktestTerms, Terms
from .._plan.desired import Desired
from .._plan.plan import Plan
from .._schema.account import decided_with
from .._schema.resource import ZONE_OPTION, Object, Resource, State
from .stages import Rollout, changes_protection
from .surroundings import Surroundings

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    from .._traffic.ask import AccountTraffic


class SurroundingsReader(NamedTuple):
    """Reads the surroundings of the plans of one task."""

    client: Client
    context: Context
    terms: Terms
    rollout: Rollout
    desired: Sequence[Desired]
    lists_unmanaged: bool

    def read(self, draft: Plan, traffic: AccountTraffic | None = None) -> Surroundings:
        """All that decides about a plan; raises ServiceError if the protection of the account, or
        the traffic, cannot be read, and OptionError for a zone of another account. The `traffic`
        that an earlier plan asked for is not asked for again."""
        plan, traffic = self._with_protection(draft, traffic)
        plan = self._with_rules(self._with_zone(plan))
        facts = self._facts(plan)._replace(
            ineffective=self._ineffective(plan),
            ineffective_afterwards=self._ineffective_afterwards(plan),
            measured=self._measured(plan),
        )
        question = self.rollout.rule_question
        if question is None:
            return Surroundings(plan, traffic, facts)
        return Surroundings(plan, traffic, facts, question.read(plan, self.client))

    def read_for_second(self, second: Plan) -> Surroundings:
        """All that decides about a second plan, on what others wrote meanwhile."""
        plan = self._with_rules(second)
        return Surroundings(plan, facts=self._facts(plan))

    def backtested(self, plan: Plan) -> Backtested | None:
        """The backtest of a plan from which all that waits was taken out; None without a change, or
        if the task does not ask for it. Raises ServiceError."""
        terms = self.rollout.backtest_of(plan)
        if not (terms and plan.operations):
            return None
        return _backtested(plan, self.client, terms)

    def _with_protection(
        self, draft: Plan, traffic: AccountTraffic | None
    ) -> tuple[Plan, AccountTraffic | None]:
        """The plan with all collections that determine who is protected, if it may change that, and
        the traffic, if the task asks whether it speaks against the plan.
        """
        if not changes_protection(draft):
            return draft, traffic
        deciding: dict[str, Resource] = {}
        for changed in draft.resources.values():
            deciding.update({resource.plural: resource for resource in decided_with(changed)})
        unread = [resource for name, resource in deciding.items() if name not in draft.before]
        calls: list[Callable[[], Any]] = [partial(self.client.read, item) for item in unread]
        question = self.rollout.question
        operations = question.open_operations(draft) if question and traffic is None else []
        if question and operations:
            from .evidence import ask  # loaded by the tasks that ask for it

            calls.append(partial(ask, self.client, operations, question))
        answers = list(concurrently(lambda call: call(), calls))
        if operations:
            traffic = answers.pop()
        read = {resource.plural: objects for resource, objects in zip(unread, answers)}
        return draft._replace(before={**read, **draft.before}), traffic

    def _with_zone(self, plan: Plan) -> Plan:
        """The plan with the zone of a host; raises OptionError for a zone of another account."""
        if ZONE_OPTION not in self.client.owner:
            return plan
        from .zone import with_zone  # loaded for zones

        return with_zone(plan, self.client, self.context)

    def _with_rules(self, plan: Plan) -> Plan:
        """The plan with the collections on which the risks of rules, lists and overrides depend."""
        if not self.terms.of_rules:
            return plan
        from .._protection.all_unmanaged import judged_lists
        from .needs import completed

        lists: AbstractSet[str] = frozenset()
        if self.lists_unmanaged:
            lists = judged_lists(self.desired, plan.before)
        expects = bool(self.terms.expectations)
        task_keys = {item.resource.plural: item.entries.keys() for item in self.desired}
        return completed(
            plan,
            self.client,
            self.context,
            lists,
            task_keys,
            evaluates=expects or self._evaluates(plan),
            decides=bool(plan.operations or expects or lists or self._looks_at_all),
            expected_lists=self._expected_lists(),
        )

    def _evaluates(self, plan: Plan) -> bool:
        """Return whether past requests are evaluated for a plan."""
        question = self.rollout.rule_question
        if question and question.asked_of_past_requests(plan):
            return True
        return bool(self.rollout.backtest_of(plan) and plan.operations)

    @property
    def _looks_at_all(self) -> bool:
        """Return whether the task asks about rules that the plan does not change as well."""
        return self.context.reports or self.terms.measured_hours is not None

    def _measured(self, plan: Plan) -> Sequence[Mapping[str, object]] | None:
        """The measurements of the rate limits that the task names, with the planned values; None
        if it does not ask for them.
        """
        hours = self.terms.measured_hours
        if hours is None:
            return None
        from .._protection.measured import Analytics, measured_limits  # loaded if a task asks

        state = {**plan.before, **plan.after()}
        rules: list[Object] = []
        for desired in self.desired:
            resource = desired.resource
            rules += [
                rule for rule in state[resource.plural] if resource.key_of(rule) in desired.entries
            ]
        zone_id = self.client.owner[ZONE_OPTION]
        until = self.client.now or datetime.now(timezone.utc)
        analytics = Analytics(self.client.ask, zone_id, until, hours)
        return [*measured_limits(rules, state, analytics)]

    def _expected_lists(self) -> list[str]:
        """The lists that expectations of all traffic name."""
        names: list[str] = []
        for expectation in self.terms.expectations:
            names += expectation.every.lists if expectation.every is not None else ()
        return names

    def _facts(self, plan: Plan) -> Facts:
        """The facts on which the guard checks a plan, but for its backtest."""
        return Facts(self._collections_of_checks(plan))

    def _collections_of_checks(self, plan: Plan) -> dict[CollectionPlace, ObjectsOrError]:
        """The collections from which checks tell whether the account or zone would reject the
        plan.
        """
        resources = [*onboarded_to_read(plan)]
        if self.terms.of_rules:
            from .._guard.rule_plans import resources_of_checks  # loads all kinds of rules

            resources += resources_of_checks(plan)
        answers = self._answers(resources)
        return {**answers, **self._answers(delegations_to_read(plan, answers))}

    def _answers(self, resources: Sequence[Resource]) -> dict[CollectionPlace, ObjectsOrError]:
        answers = concurrently(self._answer, resources)
        return {
            place_of_collection(resource): answer for resource, answer in zip(resources, answers)
        }

    def _answer(self, resource: Resource) -> ObjectsOrError:
        try:
            if resource.owner != ZONE_OPTION:
                return self.client.read(resource)
            from .way import read_names  # loads all kinds of rules

            return read_names(resource, self.client)
        except ProtectionError as exc:
            return exc

    def _ineffective(self, plan: Plan) -> Sequence[Mapping[str, object]] | None:
        """The objects of the task that cannot work; None for a task without objects that could fail
        to work. The networks that the account may announce are read if objects lie outside of its
        protected networks.
        """
        is_report = self.context.reports
        if not is_report and not any(item.resource.key for item in self.desired):
            return None
        state = plan.before if is_report else {**plan.before, **plan.after()}
        return self._ineffective_in(state)

    def _ineffective_afterwards(self, plan: Plan) -> Sequence[Mapping[str, object]] | None:
        """The objects that cannot work after the plan; None if the plan is not for a report, or
        changes nothing.
        """
        if not self.context.reports or not plan.operations:
            return None
        return self._ineffective_in({**plan.before, **plan.after()})

    def _ineffective_in(self, state: State) -> Sequence[Mapping[str, object]] | None:
        from .._protection.ineffective import ineffective_in  # loaded for collections

        brings = self.context.brings if self.context.postures.entries else None
        return ineffective_in(state, self.desired, self.context.reports, self.client.read, brings)


def _backtested(plan: Plan, client: Client, terms: BacktestTerms) -> Backtested:
    """The backtest of a plan with the requests of the last hours, or of a file."""
    from .._protection.backtest import Backtest
    from .._protection.backtested import of_analytics, of_file

    backtest = Backtest(plan.before, plan.after())
    if terms.file:
        return Backtested(backtest, of_file(backtest, terms.file), terms.max_percent)
    zone_id = client.owner.get(ZONE_OPTION)
    (record,) = of_analytics([backtest], client.ask, zone_id, client.now, terms.hours)
    return Backtested(backtest, record, terms.max_percent)
