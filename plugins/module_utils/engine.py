# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way of the data through a module: options, wishes, read, plan, judge, apply, result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Mapping, Sequence

from .apply import rehearse
from .carry_out import Applied, carry_out
from .client import Client
from .connection import Connection
from .declaration import Resource, State
from .errors import PlanError, ProtectionError
from .judgement import Judgement, concerns_protection
from .ladder import Ladder
from .limits import read_limits
from .outcome import described, diff, with_order
from .plan import Plan
from .reconcile import as_wished, make_plan
from .resources import ACCOUNT
from .side_by_side import side_by_side
from .view import View
from .wishes import Wishes

Warn = Callable[[str], None]


def perform(
    view: View, options: Mapping[str, Any], connection: Connection, foretell: bool, warn: Warn, verbose: bool = False
) -> dict[str, Any]:
    """The result of a module call; raises ProtectionError. What is wrong with the options shows before any request.

    A verbose result tells how many calls were made.
    """
    wishes = view.wishes(options) if view.wishes else None
    limits = read_limits(options)
    reads = view.reads(options)
    with connection.client() as client:
        try:
            state = read_state(client, reads)
            if wishes is None:
                result = {"changed": False, **view.shows(options, state)}
            else:
                ladder = Ladder(client.now, limits.monitoring) if options.get("ladder") else None
                result = Undertaking(view, options, wishes, client, ladder).bring_into_line(state, foretell, warn)
        except ProtectionError as exc:
            exc.details.update({"calls": client.calls} if verbose else {})
            raise
        return {**result, "calls": client.calls} if verbose else result


def read_state(client: Client, resources: Sequence[Resource]) -> State:
    """One complete listing of each collection, read side by side."""
    return dict(zip([resource.plural for resource in resources], side_by_side(client.read, resources)))


class Undertaking:
    """What a module that writes is about to do: its wishes, planned against a state, judged and carried out."""

    def __init__(
        self, view: View, options: Mapping[str, Any], wishes: Sequence[Wishes], client: Client, ladder: Ladder | None
    ) -> None:
        self.view = view
        self.options = options
        self.wishes = wishes
        self.client = client
        self.ladder = ladder

    def plan(self, live: State) -> Plan:
        """The plan; where it concerns the protection of an account, it starts from the account's whole state."""
        plan = make_plan(live, self.wishes, self.ladder.step if self.ladder else as_wished)
        if self.view.place == "account_id" and concerns_protection(plan):
            missing = [resource for resource in ACCOUNT if resource.plural not in live]
            return replace(plan, before={**read_state(self.client, missing), **live})
        return plan

    def judge(self, plan: Plan) -> Judgement:
        """The judgement over a plan; raises PlanError."""
        return Judgement(plan, read_limits(self.options), self.client.now)

    def plan_again(self) -> Plan:
        """The plan for what is left when something came in between, judged as the first one was."""
        plan = self.plan(read_state(self.client, self.view.reads(self.options)))
        self.judge(plan)
        return plan

    def foretell(self, plan: Plan) -> Applied:
        """What would be applied; where the task asks for that, the service checks it first."""
        if self.options.get("validate"):
            rehearse(plan, self.client)
        return Applied(plan.operations, plan.after())

    def diff(self, plan: Plan, applied: Applied) -> dict[str, Any]:
        """What differs in the objects concerned, and in the order of a list."""
        return with_order(diff(applied.operations), self.view.reads(self.options), plan.before, applied.state)

    def bring_into_line(self, state: State, foretell: bool, warn: Warn) -> dict[str, Any]:
        """The result; where it is only foretold, the same without the writing."""
        try:
            plan = self.plan(state)
            judgement = self.judge(plan)
        except PlanError as exc:
            exc.message += " Nothing was changed."
            raise
        for text in judgement.warnings:
            warn(text)
        applied = self.foretell(plan) if foretell else carry_out(plan, self.plan_again, self.client, warn)
        pending = self.ladder.pending(plan, self.wishes) if self.ladder else []
        return {
            "changed": bool(applied.operations),
            "operations": described(applied.operations),
            **judgement.shown(self.diff(plan, applied), applied.state),
            **({"pending": self.view.pending(pending)} if pending else {}),
            **self.view.shows(self.options, applied.state),
        }
