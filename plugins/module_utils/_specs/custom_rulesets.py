# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module of a custom ruleset with its rules and the rule that deploys it, and the rulesets of a
host."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Callable, Mapping, Sequence

from .._errors import OptionError, OptionProblems, parsed
from .._guard.risks.rules import risks_of_rules
from .._guard.terms import BACKTEST
from .._plan.desired import (
    Desired,
    DesiredObject,
    Entries,
    Position,
    Presence,
    desired_rules,
    numbered,
    parse_desired,
    parse_position,
)
from .._schema.custom_rules import CUSTOM_RULES, ENTRY_POINTS
from .._schema.custom_rulesets import CUSTOM_RULESETS, DEPLOYMENT_OPTIONS, rules_of_ruleset
from .._schema.resource import (
    ACCOUNT_OPTION,
    EXPIRES,
    OWNER_OPTIONS,
    OWNERS,
    ZONE_OPTION,
    Key,
    OptionSpec,
    Resource,
    State,
    Values,
    id_of_new,
)
from .._schema.rulesets import EXECUTE
from .._text import Message, Option
from .base import CommonOptions, ModuleSpec, Options, list_option
from .deployments import converged_rulesets
from .holders import Holders

# A message takes a text in its place for the first one.
OF_A_DEPLOYMENT: OptionSpec = {
    "expression": DEPLOYMENT_OPTIONS["expression"],
    **DEPLOYMENT_OPTIONS,
    **CommonOptions.POSITION,
}
OF_A_RULESET: OptionSpec = {
    "name": {"type": "str", "required": True},
    "description": {"type": "str"},
    "rules": list_option(rules_of_ruleset(ZONE_OPTION, "")),
    "deploy": {"type": "dict", "options": OF_A_DEPLOYMENT},
    **EXPIRES,
    **CommonOptions.PURGE,
    **CommonOptions.IGNORE,
}


class CustomRulesets(Holders):
    """The module custom_ruleset, and the rulesets of a host, with their rules and deployments.

    The rules that deploy rulesets name them by `id_of_new` until the existing state is known.
    """

    owner = ZONE_OPTION
    option, contents, words = "rulesets", "rules", ("ruleset", "rule")
    object_options, task_options = OF_A_RULESET, BACKTEST
    risks = risks_of_rules(CUSTOM_RULES)
    returns_owner = True
    lists_unmanaged = True

    def __init__(self, several: bool = False) -> None:
        super().__init__(several)
        if not several:
            owner_options: OptionSpec = {name: {"type": "str"} for name in OWNER_OPTIONS}
            self.options = {**owner_options, **self.options}

    @property
    def holders(self) -> Resource:
        return CUSTOM_RULESETS[self.owner]

    def owned(self, options: Options, environment: Mapping[str, str]) -> ModuleSpec:
        owners = [owner for owner in OWNERS.values() if any(map(options.get, owner.options))]
        if not owners:
            owners = [owner for owner in OWNERS.values() if environment.get(owner.variable)]
        if len(owners) > 1:
            reason = "; a ruleset is of one of them. Leave out the other one"
            problem = Message("it stands beside ", Option(ZONE_OPTION), reason)
            raise OptionError(Option(ACCOUNT_OPTION), problem)
        spec = copy(self)
        spec.owner = owners[0].option if owners else ZONE_OPTION
        return spec

    def desired_contents(self, path: Option, entry: Options, absent: bool) -> Sequence[Desired]:
        problems = OptionProblems()
        name = ""
        with problems.collected():
            name = self.parsed_name(path.at("name"), entry["name"])
        desired = desired_rules(
            rules_of_ruleset(self.owner, name),
            entries=numbered("rules", entry["rules"] or (), path),
            absent=absent,
            purge=entry["purge"],
            path=path,
            ignore=entry.get("ignore") or (),
            problems=problems,
        )
        return (desired,)

    def desired_deployments(self, entries: Entries) -> Sequence[Desired]:
        entry_point = ENTRY_POINTS[self.owner]
        completions: dict[Key, Callable[[DesiredObject], DesiredObject]] = {}
        rules: list[tuple[Option, Values]] = []
        for path, entry in entries:
            deploy = entry.get("deploy")
            if deploy is None:
                continue
            path_of_deploy = path.at("deploy")
            name = self.parsed_name(path.at("name"), entry["name"])
            ref = self.parsed_name(path_of_deploy.at("ref"), deploy["ref"] or name)
            rule = {**deploy, "ref": ref}
            position = _parsed_position(path_of_deploy.at("position"), rule.pop("position"))
            is_gone = all(value is None for value in deploy.values())
            completions[entry_point.key_of(rule)] = partial(_executing, name, position, is_gone)
            rules.append((path_of_deploy, rule))
        desired = parse_desired(entry_point, rules)
        deployments = {key: completions[key](rule) for key, rule in desired.entries.items()}
        return (replace(desired, entries=deployments),)

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        return converged_rulesets(desired, state)


def _parsed_position(option: Option, text: Any) -> Position | None:
    return None if text is None else parsed(option, parse_position, text)


def _executing(
    name: str, position: Position | None, is_gone: bool, rule: DesiredObject
) -> DesiredObject:
    """The desired deployment of the ruleset with this name: the rule of the task, completed so that
    it executes the ruleset.
    """
    values = {**rule.values, "action": EXECUTE, "action_parameters": {"id": id_of_new(name)}}
    presence = Presence.ABSENT if is_gone else rule.presence
    return rule._replace(values=values, position=position, presence=presence)


CUSTOM_RULESET_SPECS: Mapping[str, ModuleSpec] = {"custom_ruleset": CustomRulesets()}
