# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Has Cloudflare validate the rules of a plan without applying them, where it can.

Cloudflare refuses a rule that names a list or a ruleset which is not there. If the plan itself
makes it, the rule cannot be validated before the run, and a warning says so.
"""

from __future__ import annotations

from typing import Mapping

from .._api.client import Client
from .._expressions.expression import Expression
from .._plan.plan import Plan
from .._schema.rate_limits import limit_of
from .._schema.resource import Object, id_of_new
from .._schema.rulesets import deployed
from .._text import Warn, first_few
from .executor import Call, plan_calls, write_list

DRY_RUN = {"dry_run": "true"}


def validate(plan: Plan, client: Client, warn: Warn) -> None:
    """Let Cloudflare validate the rules that would be written; raises ServiceError."""
    titles = _titles_of_created(plan)
    for call in plan_calls(plan, most_single=0):
        if call.whole_list is None:
            continue
        ready: list[Object] = []
        waiting: list[Object] = []
        for rule in call.whole_list:
            is_ready = titles.keys().isdisjoint(_names_of_rule(rule))
            (ready if is_ready else waiting).append(rule)
        if waiting:
            warn(_not_validated(call, waiting, titles))
        if ready or not waiting:
            write_list(call, ready, client, DRY_RUN)


def _titles_of_created(plan: Plan) -> dict[str, str]:
    """The titles of the lists and rulesets that the plan creates, by the text that stands for them
    in rules."""
    titles: dict[str, str] = {}
    for operation in plan.operations:
        resource = operation.resource
        if operation.action == "create" and resource.is_referred_to:
            name = operation.label
            written = id_of_new(name) if resource.holds_rules else f"${name}"
            titles[written] = operation.title
    return titles


def _names_of_rule(rule: Object) -> set[str]:
    """The lists that a rule names, each as it stands in an expression, and the id of the ruleset
    that it executes."""
    expressions = (
        Expression.of_object(rule),
        Expression.of_object(limit_of(rule), "counting_expression"),
    )
    names = {f"${name}" for expression in expressions for name in expression.lists}
    return {*names, deployed(rule)}


def _not_validated(call: Call, waiting: list[Object], titles: Mapping[str, str]) -> str:
    """The sentence on rules that cannot be validated before the run."""
    labels = first_few([call.resource.label_of(rule) for rule in waiting])
    missing: dict[str, None] = {}
    for rule in waiting:
        missing.update(dict.fromkeys(name for name in titles if name in _names_of_rule(rule)))
    makes = first_few([titles[name] for name in missing])
    return (
        f"Cloudflare cannot validate the {call.resource.title} {labels} before the run, which makes"
        f" the {makes} first."
    )
