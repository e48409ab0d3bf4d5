# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for the custom rulesets of an account or a zone, with the rules that deploy them: one
ruleset, or all that the owner should have."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from typing import AbstractSet, Any, Callable, Mapping, Sequence

from .._arguments import ArgumentFields, only, unless_wrong
from .._errors import OptionError, OptionProblems, PlanError, parsed
from .._guard.risks.base import risk_options
from .._guard.risks.rulesets import risks_of_rules
from .._guard.terms import BACKTEST
from .._plan.desired import (
    STATE,
    Desired,
    DesiredObject,
    Entries,
    Position,
    Presence,
    check_purge,
    desired_rules,
    numbered,
    parse_desired,
    parse_ignore,
    parse_position,
)
from .._schema.resource import (
    ACCOUNT_OPTION,
    EXPIRES,
    OWNER_OPTIONS,
    OWNERS,
    ZONE_OPTION,
    Key,
    Object,
    OptionSpec,
    State,
    Values,
    id_of_new,
)
from .._schema.rulesets import EXECUTE, deployed
from .._schema.zone import (
    CUSTOM_RULES,
    CUSTOM_RULESETS,
    DEPLOYMENT_OPTIONS,
    ENTRY_POINTS,
    own_rulesets,
    rules_of,
    whole_ruleset,
)
from .._text import Message, Option, first_few
from .base import (
    IGNORE_OPTION,
    POSITION_OPTION,
    PURGE_OPTION,
    STATE_OPTION,
    ModuleResult,
    ModuleSpec,
    Options,
    Resources,
    is_absent,
    list_option,
)

RULESET_NAME = CUSTOM_RULESETS[ZONE_OPTION].field("name")
OF_A_RULESET: OptionSpec = {
    "name": {"type": "str", "required": True},
    "description": {"type": "str"},
    "rules": list_option(rules_of(ZONE_OPTION, "")),
    "deploy": {"type": "dict", "options": {**DEPLOYMENT_OPTIONS, **POSITION_OPTION}},
    **EXPIRES,
    **PURGE_OPTION,
    **IGNORE_OPTION,
}
CUSTOM_RULE_RISKS = risks_of_rules(CUSTOM_RULES)
SAME = ("ref", "action", "action_parameters")  # of a deployment that exists


class OfRulesets(ModuleSpec):
    """A module for rulesets, their rules and their deployments.

    Desired are the rulesets, the rules of each, and last the rules that deploy them, which name
    their ruleset by `id_of_new` until the existing state is known.
    """

    owner = ZONE_OPTION
    risks = CUSTOM_RULE_RISKS
    of_rules = True
    returns_owner = True
    lists_unmanaged = True

    def owned(self, options: Options, environment: Mapping[str, str]) -> ModuleSpec:
        owners = OWNERS.values()
        named = [item for item in owners if any(options.get(name) for name in item.options)]
        named = named or [item for item in owners if environment.get(item.variable)]
        if len(named) > 1:
            both = "; a ruleset is of one of them. Leave out the other one"
            problem = Message("it stands beside ", Option(ZONE_OPTION), both)
            raise OptionError(Option(ACCOUNT_OPTION), problem)
        spec = copy(self)
        spec.owner = named[0].option if named else ZONE_OPTION
        return spec

    def _described(self, entries: Entries) -> Sequence[Desired]:
        """The desired state of rulesets; raises OptionError."""
        problems = OptionProblems()
        rules: list[Desired] = []
        fields = ("name", "description", "expires")
        named = [(path, only(entry, fields)) for path, entry in entries]
        rulesets = parse_desired(CUSTOM_RULESETS[self.owner], named, errors=problems)
        for path, entry in entries:
            with problems.collected():
                rules.append(self._rules(path, entry, purge=entry["purge"]))
        with problems.collected():
            deployments = self._deployments(entries)
        problems.raise_any()
        return (rulesets, *rules, deployments)

    def _rules(
        self, path: Option, entry: Options, absent: bool = False, purge: bool = False
    ) -> Desired:
        problems, name = OptionProblems(), ""
        with problems.collected():
            if purge:
                check_purge("rules", entry["rules"], absent, path)
        with problems.collected():
            name = _parsed_name(path.at("name"), entry["name"])
        rules = numbered("rules", entry["rules"] or (), path)
        around = path, entry.get("ignore") or (), problems
        return desired_rules(rules_of(self.owner, name), rules, absent, purge, *around)

    def _deployments(self, entries: Entries) -> Desired:
        """The desired rules of the entry point, each of which executes a ruleset; raises
        OptionError."""
        entry_point = ENTRY_POINTS[self.owner]
        more: dict[Key, Callable[[DesiredObject], DesiredObject]] = {}
        rules: list[tuple[Option, Values]] = []
        for path, entry in entries:
            deploy = entry.get("deploy")
            if deploy is None:
                continue
            name = _parsed_name(path.at("name"), entry["name"])
            ref = _parsed_name(path.at("deploy", "ref"), deploy["ref"] or name)
            rule = {**deploy, "ref": ref}
            place, key = rule.pop("position"), entry_point.key_of(rule)
            position = None
            if place is not None:
                position = parsed(path.at("deploy", "position"), parse_position, place)
            is_gone = all(value is None for value in deploy.values())
            more[key] = partial(_executing, name, position, is_gone)
            rules.append((path.at("deploy"), rule))
        desired = parse_desired(entry_point, rules)
        return replace(
            desired, entries={key: more[key](one) for key, one in desired.entries.items()}
        )

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        rulesets, *rules, deployments = desired
        own = {rulesets.resource.key_of(obj): obj for obj in own_rulesets(state, self.owner)}
        gone = {key for key in own if key in rulesets.expired or rulesets.drops(key)}
        gone |= rulesets.objects.keys() if rulesets.absent else set()
        left_out = gone | rulesets.expired | (rulesets.undecided - own.keys())
        kept = [
            replace(item, entries={}, exclusive=False)
            if (item.resource.within,) in left_out
            else item
            for item in rules
        ]
        ids: dict[Key, list[str]] = {key: [] for key in own}  # Cloudflare may have a name twice
        for obj in own_rulesets(state, self.owner):
            ids[rulesets.resource.key_of(obj)].append(str(obj.get("id")))
        for key in (rulesets.objects.keys() & own.keys()) - left_out:
            _check_duplicates(str(key[0]), ids[key], state[deployments.resource.plural])
        return (rulesets, *kept, _settled(deployments, state, ids, left_out))


def _parsed_name(option: Option, text: Any) -> str:
    """The name of a ruleset, or the ref of its deployment; raises OptionError."""
    return str(parsed(option, RULESET_NAME.value.parse, text))


def _executing(
    name: str, position: Position | None, is_gone: bool, entry: DesiredObject
) -> DesiredObject:
    """A deployment of the ruleset with this name."""
    values = {**entry.values, "action": EXECUTE, "action_parameters": {"id": id_of_new(name)}}
    presence = Presence.ABSENT if is_gone else entry.presence
    return entry._replace(values=values, position=position, presence=presence)


def _check_duplicates(name: str, ids: Sequence[str], rules: Sequence[Object]) -> None:
    """Raises PlanError if rules execute a ruleset of a name of which there is an older one, with
    these ids; one that no rule executes goes."""
    executing = [str(rule.get("ref")) for rule in rules if deployed(rule) in ids[1:]]
    if executing:
        raise PlanError(
            f"Cloudflare holds custom ruleset {name} more than once (ids {', '.join(ids)}), and a"
            f" rule executes one that is not the oldest: {first_few(executing)}. Delete all but one"
            " of them, or give them other names."
        )


def _settled(
    deployments: Desired, state: State, ids: Mapping[Key, Sequence[str]], gone: AbstractSet[Key]
) -> Desired:
    """The desired deployments under the refs of existing ones, by the ids of the rulesets; without
    those of rulesets that are `gone`. Raises PlanError."""
    resource, existing = deployments.resource, state[deployments.resource.plural]
    by_ruleset: dict[str, list[Object]] = {}
    for rule in existing:
        by_ruleset.setdefault(deployed(rule), []).append(rule)
    entries: dict[Key, DesiredObject] = {}
    for one in deployments.entries.values():
        values = one.values
        name: Key = (deployed(values)[1:-1],)
        gone = gone | {name} if one.presence is Presence.ABSENT else gone
        if name in gone:
            continue
        own_ids = (*ids.get(name, ()), deployed(values))  # which stands for one made meanwhile
        now = [rule for one in own_ids for rule in by_ruleset.get(one, ())]
        same = _deployment(resource.label_of(values), values, now, existing)
        there = {name: same[name] for name in SAME} if same else {}
        entries[resource.key_of(same or values)] = one._replace(values={**values, **there})
    for name in gone & ids.keys():
        for rule in (rule for one in ids[name] for rule in by_ruleset.get(one, ())):
            removed = DesiredObject({"ref": rule.get("ref")}, presence=Presence.ABSENT)
            entries[resource.key_of(rule)] = removed
    return replace(deployments, entries=entries)


def _deployment(
    ref: str, values: Values, now: Sequence[Object], existing: Sequence[Object]
) -> Object | None:
    """The rule that executes a ruleset, None if no rule does; raises PlanError if several do, or
    another rule has the ref of a new one."""
    name = deployed(values)[1:-1]
    if len(now) > 1:
        refs = first_few(str(rule.get("ref")) for rule in now)
        raise PlanError(
            f"The ruleset {name} is executed by more than one rule ({refs}). Keep one of them, or"
            " leave out deploy."
        )
    if not now and any(rule.get("ref") == ref for rule in existing):
        raise PlanError(
            f"The rule {ref} is there, and does not execute the ruleset {name}. Give its deployment"
            " another ref, in deploy."
        )
    return now[0] if now else None


class CustomRuleset(OfRulesets):
    """The module custom_ruleset: one ruleset."""

    def __init__(self) -> None:
        risks = risk_options(CUSTOM_RULE_RISKS)
        owners = {name: {"type": "str"} for name in OWNER_OPTIONS}  # of which the task names one
        self.options = {**owners, **OF_A_RULESET, **STATE_OPTION, **BACKTEST, **risks}

    def desired(self, options: Options) -> Sequence[Desired]:
        absent, some = is_absent(options), unless_wrong(options, "rules") is not None
        if absent and options["rules"] == []:
            advice = "it names no rule. Leave it out to delete the ruleset, or set "
            problem = Message(advice, STATE, " to present")
            raise OptionError(Option("rules"), problem)
        if not absent:
            return self._described([(Option(), options)])
        rules = self._rules(Option(), options, True, options["purge"])
        rulesets = parse_desired(
            CUSTOM_RULESETS[self.owner], [(Option(), {"name": options["name"]})], absent=not some
        )
        return (replace(rulesets, only_deletes=some), rules, self._deployments([]))

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        name = RULESET_NAME.value.parse(options["name"])
        own = own_rulesets(state, self.owner)
        shown = (whole_ruleset(obj, self.owner, state) for obj in own if obj.get("name") == name)
        return {"ruleset": next(shown, None)}


class CustomRulesets(OfRulesets):
    """The module custom_rulesets: rulesets in one plan; with a purge, all of their owner."""

    def __init__(self) -> None:
        options = ArgumentFields(OF_A_RULESET)
        options.ignored = ("id", "version", "last_updated")
        self.options = {
            "rulesets": {"type": "list", "elements": "dict", "options": options, "required": True},
            **PURGE_OPTION,
            **IGNORE_OPTION,
            **BACKTEST,
            **risk_options(CUSTOM_RULE_RISKS),
        }

    def desired(self, options: Options) -> Sequence[Desired]:
        entries = numbered("rulesets", options["rulesets"])
        rulesets, *others = self._described(entries)
        rulesets = replace(rulesets, exclusive=options["purge"])
        rulesets = parse_ignore(rulesets, options["ignore"] or ())
        return (rulesets, *others)

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        own = own_rulesets(state, self.owner) if desired[0].exclusive else ()
        labels = map(CUSTOM_RULESETS[self.owner].label_of, own)
        more = {one.plural: one for one in (rules_of(self.owner, label) for label in labels)}
        named = {one.plural: one for one in super().reads(options, desired, state)}
        return [*{**more, **named}.values()]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        ours = desired[0].among(own_rulesets(state, self.owner))
        return {"rulesets": [whole_ruleset(obj, self.owner, state) for obj in ours]}


SPECS: Mapping[str, ModuleSpec] = {"custom_ruleset": CustomRuleset()}
