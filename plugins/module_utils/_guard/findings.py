# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The findings of a run beside its plan: expectations that hold or do not, a backtest, and objects
that protect less than described, or that cannot work."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, AbstractSet, Any, Mapping, NamedTuple, Sequence

from .._api.client import Client
from .._context import Context
from .._plan.desired import Desired
from .._plan.plan import Plan
from .._schema.resource import ZONE_OPTION, State
from .._text import first_few
from .risks.base import Entry, Found, entries_of
from .terms import Terms

if TYPE_CHECKING:  # loaded by the tasks that ask for it: Ansible compiles it in every run
    from .._protection.backtest import Backtest, BacktestRecord
    from .._protection.ineffective import IneffectiveRecord


class Findings(NamedTuple):
    """The findings of one run, as far as its task asks for them, on plans that have all that these
    depend on."""

    terms: Terms
    context: Context
    client: Client
    desired: Sequence[Desired]

    def completed(
        self, plan: Plan, desired: Sequence[Desired], lists: AbstractSet[str] = frozenset()
    ) -> Plan:
        """The plan with the collections on which its risks depend."""
        if not self.terms.of_rules:
            return plan
        from .needs import completed

        expects = bool(self.terms.expectations)
        decides = bool(plan.operations or expects or lists or self.context.reports)
        evaluates = expects or bool(self.terms.backtest and plan.operations)
        named = {item.resource.plural: item.entries.keys() for item in desired}
        return completed(plan, self.client, self.context, lists, named, evaluates, decides)

    def ineffective(self, plan: Plan) -> Sequence[IneffectiveRecord] | None:
        """The objects that cannot work; None for a task that has none."""
        is_report = self.context.reports
        if not is_report and not any(item.resource.key for item in self.desired):
            return None
        from .._protection.ineffective import ineffective_in  # loaded for collections

        state = plan.before if is_report else {**plan.before, **plan.after()}
        return ineffective_in(state, self.desired, is_report, self.client.read)

    def compared(self, plan: Plan, before: State, after: State) -> dict[str, Any]:
        """The result on what protects less before a plan than after it, and, for the report of a
        role, on what is not known."""
        if not self.terms.of_rules:
            return {}
        from .._protection.worse import weaker_records
        from .needs import unread_of

        unread = unread_of(plan) if self.context.is_role else ()
        results = {"weaker": weaker_records(before, after), "unread": unread}
        return {name: result for name, result in results.items() if result}

    def expected(self, before: State, after: State) -> dict[str, Any]:
        """The results of what the task expects of a state, compared with an earlier one."""
        if not self.terms.expectations:
            return {}
        from .._protection.expected import expectation_results  # loaded if a task asks for it

        return expectation_results(self.terms.expectations, before, after)

    def unmet(self, expected: Mapping[str, Any], plan: Plan) -> str:
        """The refusal of a plan after which some expectations do not hold; empty if all do."""
        if not expected:
            return ""
        from .._protection.expected import unmet_expectations

        return unmet_expectations(self.terms.expectations, expected, plan)


def backtested(
    plan: Plan, client: Client, hours: float, most: float, file: str | None
) -> tuple[Mapping[str, Any], Found]:
    """The result of the backtest of a plan against the requests of some hours, or of a file, and
    the risk that it finds: that more than so many percent would be stopped."""
    from .._protection.backtest import Backtest, of_analytics, of_file  # loaded if a task asks

    backtest = Backtest(plan.before, plan.after())
    if file:
        record = of_file(backtest, file)
    else:
        zone_id = client.owner.get(ZONE_OPTION)
        record = of_analytics(backtest, client.ask, zone_id, client.now, hours)
    return {"backtest": record}, _finding(plan, backtest, record, most)


def _finding(plan: Plan, backtest: Backtest, record: BacktestRecord, most: float) -> Found:
    """The risk that a backtest finds."""
    of, reasons = backtest.requests, list(record["unknown"])
    if 100 * of["may_block"] > Fraction(str(most)) * of["passing"]:
        newly, undecided = record["newly_blocked"], record["undecided"]
        rules = [f"{one['ref']} {one['percent']:g} %" for one in record["rules"] if one["requests"]]
        by = f" ({first_few(rules)})" if rules else ""
        share = f"Of the requests that pass today, {newly['percent'] or 0:g} %"
        reasons.append(
            f"{share} would be blocked or challenged{by}, and at most {most:g} % may be."
        )
        if undecided["requests"]:
            without, percent = first_few(undecided["fields"]), undecided["percent"] or 0
            reasons.append(f"Of {percent:g} % it is not known, without {without}.")
    if not reasons:
        return None
    from .._schema.custom_rules import CUSTOM_RULES

    stopping = [tried.ending.rule for tried in backtest.tried if tried.may_stop]
    entries = [Entry(CUSTOM_RULES, rule.key, rule.entry) for rule in stopping]
    return " ".join(reasons), [], entries or entries_of(plan.operations)
