# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a task, checked once: all errors in them are told together, before any request."""

from __future__ import annotations

import os
from copy import copy
from datetime import datetime
from typing import AbstractSet, Any, Callable, Mapping, NamedTuple, Sequence

from .._api.settings import Settings, parse_settings
from .._arguments import ReadOptions
from .._context import TASK, UNREAD, Context
from .._errors import OptionError, OptionProblems, as_one
from .._guard.acceptance import parse_acceptances
from .._guard.approval import parse_approval
from .._guard.risks.declaration import Limits, codes_of, parse_limits
from .._guard.terms import Terms, parse_backtest, parse_evidence, parse_measure
from .._plan.desired import Desired, check_values
from .._protection.expectation import Expectation, checked_elsewhere, parse_expectations
from .._schema.products import NOT_ENTITLED, PRODUCT_NAMES, PRODUCTS
from .._schema.resource import NO_ITEMS, Key, Object, Resource, State
from .._text import Message, Option
from .base import ONLY, ONLY_TIME, ModuleSpec, Options
from .registry import spec_of_run

NOTHING_ON: Object = {"enabled": False}  # the status of a product that the account does not have


class Task(NamedTuple):
    """A checked task: the settings of the connection, the resources to read, the desired state, and
    the terms on which its plans are accepted. `warnings` are about values that Cloudflare may
    refuse, `unchecked` about expectations that this module cannot check. `products` say, once a
    host is read, which products its account has, and `unread` which collections Cloudflare refuses
    to show.
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
    products: Mapping[str, str] = NO_ITEMS
    unread: Mapping[str, str] = NO_ITEMS

    def at(self, now: datetime | None) -> Task:
        """The task at this moment, from which on some of its entries count as absent."""
        return self._replace(desired=[collection.at(now) for collection in self.desired])

    def without_products(self, products: AbstractSet[str]) -> Task:
        """The task without the collections of these products, named by their titles."""
        return self._replace(
            reads=[resource for resource in self.reads if resource.product not in products],
            desired=[item for item in self.desired if item.resource.product not in products],
        )

    def with_missing(self, state: State) -> State:
        """The state with empty collections of the products that the account does not have, of which
        nothing is in force."""
        if NOT_ENTITLED not in self.products.values():
            return state
        from .._schema.registry import MANAGED

        missing: dict[str, Sequence[Object]] = {}
        for managed in MANAGED:
            resource = managed.resource
            if self.products.get(PRODUCT_NAMES.get(resource.product, "")) == NOT_ENTITLED:
                missing[resource.plural] = [] if resource.key else [NOTHING_ON]
        return {**missing, **state}

    @property
    def shown_products(self) -> Mapping[str, Any]:
        """The result on the products of the account, and on collections that Cloudflare refuses to
        show; empty for a task without an account, and for one that is not of a role."""
        shown: dict[str, Any] = {PRODUCTS: self.products} if self.products else {}
        return {**shown, UNREAD: self.unread} if self.unread else shown

    def without_posture_ends(self) -> Sequence[Desired]:
        """The desired state without the entries that end with a posture; the role reports their
        ends.
        """
        return [self._without_posture_ends(collection) for collection in self.desired]

    def _without_posture_ends(self, desired: Desired) -> Desired:
        if not desired.expires:
            return desired
        keys = {key for key in desired.entries if not self._ends_with_posture(desired, key)}
        return desired.only(keys)

    def _ends_with_posture(self, desired: Desired, key: Key) -> bool:
        if key in desired.undecided:
            return False
        return self.context.brings(desired.entries[key].path)

    def contents_in(self, state: State) -> Sequence[Resource]:
        """The collections inside of objects of a state, which the task reads as well."""
        resources = self.spec.reads(self.options, self.desired, state)
        return [resource for resource in resources if resource.parent]

    def written(self, owner: Mapping[str, str]) -> Mapping[str, str]:
        """The ids of the accounts and zones that the task may write to, by option."""
        if not self.spec.writes:
            return {}
        options = {
            collection.resource.owner
            for collection in self.desired
            if collection.entries or collection.exclusive
        }
        return {option: owner[option] for option in owner if option in options}

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
    """The task that these options describe; raises OptionError with everything that is wrong in
    them. `warn` is called with doubts about the connection. No request is sent.
    """
    problems = OptionProblems()
    with problems.collected():
        spec = spec_of_run(spec, options, environment, context.reading.collections)
    with problems.collected():
        settings = parse_settings(options, spec.owners, environment, warn)
    spec = copy(spec)
    spec.expectations, wrong_expectations = _parsed_expectations(options)
    terms = _parse_terms(spec, options, problems)
    with problems.collected():
        terms = terms._replace(only_time=_does_only_what_time_does(options, context))
    with problems.collected():
        desired = spec.desired(options)
        reads = spec.reads(options, desired, {})
        warnings = check_values(desired)
    with problems.collected():
        wrong_expectations.raise_any()
    problems.raise_any()
    return Task(
        spec=spec,
        options=options,
        settings=settings,
        reads=reads,
        desired=desired,
        terms=terms,
        warnings=warnings,
        unchecked=checked_elsewhere(spec.expectations, spec.expects),
        context=context,
    )


def _parse_terms(spec: ModuleSpec, options: Options, problems: OptionProblems) -> Terms:
    """The terms of a task, as far as its options are right; errors are added to `problems`."""
    terms = Terms(
        limits=Limits(),
        expectations=[
            expectation for expectation in spec.expectations if expectation.kind in spec.expects
        ],
        is_staged=bool(options.get("staged_rollout")),
        risks=spec.risks,
        of_rules=spec.of_rules,
    )
    with problems.collected():
        terms = terms._replace(limits=parse_limits(options, spec.risks))
    with problems.collected():
        acceptances = options.get("accept_risks") or ()
        option, codes = Option("accept_risks"), _codes(spec, acceptances)
        accepted = parse_acceptances(option, acceptances, codes)
        terms = terms._replace(accepted=accepted)
    with problems.collected():
        terms = terms._replace(approved=parse_approval(options))
    with problems.collected():
        evidence = parse_evidence(options)
        backtest, hours = parse_backtest(options), parse_measure(options)
        return terms._replace(evidence=evidence, backtest=backtest, measured_hours=hours)
    return terms


def _does_only_what_time_does(options: Options, context: Context) -> bool:
    """Return whether the task of a host applies only what the time has brought, such as ends and
    begins. A report shows all differences anyway. Raises OptionError if the task names an approved
    plan as well, since that is about the whole host.
    """
    if options.get(ONLY) != ONLY_TIME or context.reports:
        return False
    if options.get("expected_plan") is not None:
        problem = Message("it goes without ", Option("expected_plan"), ", which is the whole plan")
        raise OptionError(Option(ONLY), problem)
    return True


def _codes(spec: ModuleSpec, acceptances: Sequence[Any]) -> Sequence[str]:
    """The codes of risks that acceptances may name. The codes of other modules are loaded only if
    an acceptance is about none of this module's.
    """
    codes = codes_of(spec.risks)
    if all(_accepted_code(acceptance) in codes for acceptance in acceptances):
        return codes
    from .._guard.risks.registry import CODES

    return CODES


def _accepted_code(acceptance: Any) -> Any:
    return acceptance.get("code") if isinstance(acceptance, Mapping) else acceptance


def _parsed_expectations(
    options: Mapping[str, Any],
) -> tuple[Sequence[Expectation], OptionProblems]:
    """The expectations of a task, none if one of them is wrong; and the problems of wrong ones."""
    problems = OptionProblems()
    with problems.collected():
        return parse_expectations(options), problems
    return (), problems


def option_errors(
    spec: ModuleSpec, options: ReadOptions, context: Context
) -> Sequence[OptionError]:
    """All errors in the options of a module, found without a request."""
    try:
        parse_task(spec, options, os.environ, lambda _warning: None, context)
    except OptionError as exc:
        return as_one([*options.errors, *exc.errors]).errors
    return options.errors
