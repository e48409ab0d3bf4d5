# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a task, checked once: all errors in them are told together, before any request."""

from __future__ import annotations

import os
from copy import copy
from datetime import datetime
from typing import Any, Callable, Mapping, NamedTuple, Sequence

from .._api.settings import Settings, parse_settings
from .._arguments import ReadOptions
from .._context import TASK, Context
from .._errors import OptionError, OptionProblems, as_one
from .._guard.acceptance import parse_acceptances
from .._guard.approval import parse_approval
from .._guard.risks.base import codes_of, parse_limits
from .._guard.terms import Terms, parse_backtest, parse_evidence
from .._plan.desired import Desired, check_values
from .._protection.expectation import Expectation, checked_elsewhere, parse_expectations
from .._schema.resource import Key, Resource, State
from .base import ModuleSpec, Options
from .registry import spec_of_run


class Task(NamedTuple):
    """A task: settings of the connection, resources to read, the desired state, and the terms of
    its plans.

    `warnings` are of values that Cloudflare may refuse, `unchecked` of expectations that this
    module does not check.
    """

    spec: ModuleSpec
    options: Options
    settings: Settings
    reads: Sequence[Resource]
    desired: Sequence[Desired]
    terms: Terms
    warnings: Sequence[str]
    unchecked: Sequence[str] = ()
    context: Context = TASK

    def at(self, now: datetime | None) -> Task:
        """The task at this moment, from which on some of its entries count as absent."""
        return self._replace(desired=[item.at(now) for item in self.desired])

    def own(self) -> Sequence[Desired]:
        """The desired state without the ends of a posture, of which its role tells."""
        return [
            item.only({key for key in item.entries if self._is_own(item, key)})
            if item.expires
            else item
            for item in self.desired
        ]

    def _is_own(self, desired: Desired, key: Key) -> bool:
        return key in desired.undecided or not self.context.brings(desired.entries[key].path)

    def inner(self, state: State) -> Sequence[Resource]:
        """The collections inside of objects of a state, which the task reads as well."""
        every = self.spec.reads(self.options, self.desired, state)
        return [item for item in every if item.parent]

    def written(self, owner: Mapping[str, str]) -> Mapping[str, str]:
        """The ids of the accounts and zones that the task may write to, by option."""
        named = (item for item in self.desired if item.entries or item.exclusive)
        options = {item.resource.owner for item in named} if self.spec.writes else ()
        return {name: owner[name] for name in owner if name in options}

    @property
    def codes(self) -> tuple[str, ...]:
        """The risks that its plans can have."""
        return codes_of(self.spec.risks)


def parse_task(
    spec: ModuleSpec,
    options: Mapping[str, Any],
    environment: Mapping[str, str],
    warn: Callable[[str], None],
    context: Context = TASK,
) -> Task:
    """The task that these options describe; raises OptionError with all that is wrong in them.

    `warn` gets what is odd about the connection; nothing of Cloudflare is asked.
    """
    problems = OptionProblems()
    with problems.collected():
        spec = spec_of_run(spec, options, environment, context.reads)
    with problems.collected():
        settings = parse_settings(options, spec.owners, environment, warn)
    with problems.collected():
        limits = parse_limits(options, spec.risks)
    with problems.collected():
        elements = options.get("accept_risks") or ()
        accepted = parse_acceptances("accept_risks", elements, _codes(spec, elements))
    with problems.collected():
        approval = parse_approval(options)
    spec = copy(spec)
    spec.expectations, unreadable = _parsed_expectations(options)
    with problems.collected():
        desired = spec.desired(options)
        reads = spec.reads(options, desired, {})
        warnings = check_values(desired)
    with problems.collected():
        evidence, backtest = parse_evidence(options), parse_backtest(options)
    with problems.collected():
        unreadable.raise_any()
    problems.raise_any()
    own = [item for item in spec.expectations if item.kind in spec.expects]
    around = bool(options.get("staged_rollout")), spec.risks, spec.of_rules
    terms = Terms(limits, accepted, approval, evidence, own, *around, backtest)
    others = checked_elsewhere(spec.expectations, spec.expects)
    return Task(spec, options, settings, reads, desired, terms, warnings, others, context)


def _codes(spec: ModuleSpec, elements: Sequence[Any]) -> Sequence[str]:
    """The codes that these elements may have; no others are loaded if they are the module's own."""
    own = codes_of(spec.risks)
    if all((item.get("code") if isinstance(item, Mapping) else item) in own for item in elements):
        return own
    from .._guard.risks.registry import CODES

    return CODES


def _parsed_expectations(
    options: Mapping[str, Any],
) -> tuple[Sequence[Expectation], OptionProblems]:
    """The expectations of a task, none if one of them is wrong; and what is wrong."""
    problems = OptionProblems()
    with problems.collected():
        return parse_expectations(options), problems
    return (), problems


def option_errors(
    spec: ModuleSpec, options: ReadOptions, context: Context
) -> Sequence[OptionError]:
    """All that is wrong in the options of a module, for which it asks nobody."""
    try:
        parse_task(spec, options, os.environ, lambda _warning: None, context)
    except OptionError as exc:
        return as_one([*options.errors, *exc.errors]).errors
    return options.errors
