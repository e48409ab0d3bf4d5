# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules of rules, such as custom_rules, and of settings and plain lists: one spec for each of
their resources in the registry, and one for firewall rules."""

from __future__ import annotations

from typing import Mapping, Sequence

from .._errors import OptionProblems
from .._guard.risks.account import LOWERS_SENSITIVITY, risks_of_account
from .._guard.risks.declaration import Risk, risk_options
from .._guard.risks.rules import risks_of_rules
from .._guard.terms import BACKTEST, MEASURE
from .._plan.desired import THE_TASK, Desired, check_purge, desired_rules, numbered, parse_desired
from .._protection.expectation import EXPECTATION_OPTIONS, FIREWALL, PACKET, REQUEST
from .._remembered import remembered
from .._schema.firewall_rules import FIREWALL_RULES
from .._schema.rate_limits import RATE_LIMIT_RULES
from .._schema.registry import MANAGED, Managed
from .._schema.resource import ZONE_OPTION, Resource, State
from .base import (
    CommonOptions,
    ModuleResult,
    ModuleSpec,
    Options,
    Setting,
    WholeList,
    WholeSetting,
    is_absent,
    list_option,
)

LEVEL_RISKS = (LOWERS_SENSITIVITY,)
# By the traffic that meets the rules of a ruleset: the kinds of expectations.
EXPECTED_OF: Mapping[str, Sequence[str]] = {
    "request": (REQUEST,),
    "packet": (PACKET, FIREWALL),
    "": (),
}


class OrderedRules(ModuleSpec):
    """A module for the rules of a phase: those that the task names, or with `purge` all rules and
    their order. A task that names no rules reads them, for example for a snapshot.
    """

    returns_owner = True
    lists_unmanaged = True
    of_rules = True

    def __init__(self, managed: Managed) -> None:
        resource = managed.resource
        self._resource = resource
        self._option = managed.option
        self.owner = resource.owner
        self.risks = risks_of_rules(resource)
        self.expects = EXPECTED_OF[resource.traffic] if managed.decide else ()
        self.options = {
            managed.option: list_option(resource, required=True),
            **CommonOptions.STATE,
            **CommonOptions.PURGE,
            **CommonOptions.IGNORE,
            "validate": {"type": "bool", "default": False},
        }
        if self.expects:
            self.options.update(EXPECTATION_OPTIONS)
        if REQUEST in self.expects:
            self.options.update(BACKTEST)
        if self._resource is RATE_LIMIT_RULES:
            self.options.update(MEASURE)
        self.options.update(risk_options(self.risks))

    def desired(self, options: Options) -> Sequence[Desired]:
        desired = _desired_rules(  # remembered by its arguments, which have no names therefore
            self._resource,
            self._option,
            is_absent(options),
            options[self._option],
            options["purge"],
            options["ignore"],
        )
        return (desired,)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        return {self._option: list(state[self._resource.plural])}


@remembered(256)  # lists, which many hosts have in common
def _desired_rules(
    resource: Resource,
    option: str,
    absent: bool,
    rules: Sequence[Options],
    purge: bool,
    ignore: Sequence[str] | None,
) -> Desired:
    problems = OptionProblems()
    with problems.collected():
        if purge:
            check_purge(option, rules, absent=absent)
    return desired_rules(
        resource,
        entries=numbered(option, rules),
        absent=absent,
        purge=purge,
        path=THE_TASK,
        ignore=ignore or (),
        problems=problems,
    )


class FirewallRules(ModuleSpec):
    """The module firewall_rules, which updates existing rules."""

    owner = ZONE_OPTION
    risks = risks_of_rules(FIREWALL_RULES)
    of_rules = True
    lists_unmanaged = True

    def __init__(self) -> None:
        rules = list_option(FIREWALL_RULES, required=True)
        self.options = {"rules": rules, **risk_options(self.risks)}

    def desired(self, options: Options) -> Sequence[Desired]:
        return (parse_desired(FIREWALL_RULES, numbered("rules", options["rules"])),)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        (task_rules,) = desired
        rules = {FIREWALL_RULES.key_of(rule): rule for rule in state[FIREWALL_RULES.plural]}
        return {"rules": [rules[key] for key in task_rules.objects]}


def _risks_of_setting(resource: Resource) -> Sequence[Risk]:
    return LEVEL_RISKS if resource.levels else ()


def _setting(resource: Resource) -> Setting:
    risks = _risks_of_setting(resource)
    return Setting(resource, risks, risks, of_rules=True)


def _plain_list(resource: Resource, option: str) -> WholeList:
    risks = risks_of_account(resource)
    return WholeList(resource, option, risks, risks)


RULESET_SPECS: Mapping[str, ModuleSpec] = {
    "firewall_rules": FirewallRules(),
    **{managed.module: OrderedRules(managed) for managed in MANAGED if managed.resource.is_ordered},
    **{managed.module: _setting(managed.resource) for managed in MANAGED if managed.is_setting},
    **{
        managed.module: _plain_list(managed.resource, managed.option)
        for managed in MANAGED
        if managed.is_list
    },
}


# By module: the settings of which a host has several fields under one option.
WHOLE_SETTINGS: Mapping[str, ModuleSpec] = {
    managed.module: WholeSetting(managed.resource, _risks_of_setting(managed.resource))
    for managed in MANAGED
    if managed.is_setting and managed.resource.is_whole
}
