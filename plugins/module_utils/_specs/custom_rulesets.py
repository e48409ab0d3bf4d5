# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for the custom rulesets of an account or a zone, with the rules that deploy them: one
ruleset, or all that the owner should have."""

from __future__ import annotations

from copy import copy
from typing import AbstractSet, Any, Iterator, Mapping, Sequence

from .._errors import OptionError, OptionProblems, PlanError, parsed
from .._guard.risks.base import risk_options
from .._guard.risks.rulesets import risks_of_rules
from .._guard.rule_plans import SURROUNDINGS
from .._guard.terms import BACKTEST
from .._guard.way import whole_rulesets
from .._plan.desired import (
    STATE,
    Desired,
    Entries,
    Position,
    desired_rules,
    numbered,
    parse_desired,
    parse_ignore,
    parse_position,
)
from .._protection.holes import rules_of_rulesets, unmanaged_records, unnamed_rulesets
from .._schema.managed_rules import EXECUTE, deployed
from .._schema.resource import (
    ACCOUNT_OPTION,
    EXPIRES,
    OWNERS,
    ZONE_OPTION,
    Key,
    Object,
    OptionSpec,
    State,
    Values,
    id_of_new,
)
from .._schema.zone import (
    CUSTOM_RULES,
    CUSTOM_RULES_OF_ACCOUNT,
    CUSTOM_RULESETS,
    DEPLOYMENT_OPTIONS,
    ENTERPRISE_ZONES,
    ENTRY_POINTS,
    EXECUTED_RULESETS,
    own_rulesets,
    rules_of,
    whole_ruleset,
)
from .._text import Message, Option, first_few
from .base import (
    ABSENT,
    EXACT,
    EXACT_OPTIONS,
    IGNORE_OPTION,
    POSITION_OPTION,
    ModuleResult,
    ModuleSpec,
    Options,
    Resources,
    list_option,
)

RULESET_NAME = CUSTOM_RULESETS[ZONE_OPTION].field("name")
OF_A_RULESET: OptionSpec = {
    "name": {"type": "str", "required": True},
    "description": {"type": "str"},
    "rules": list_option(rules_of(ZONE_OPTION, "")),
    "deploy": {"type": "dict", "options": {**DEPLOYMENT_OPTIONS, **POSITION_OPTION}},
    **EXPIRES,
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
    surroundings = SURROUNDINGS
    returns_owner = True

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

    def _described(self, entries: Entries, exact: bool, absent: bool = False) -> Sequence[Desired]:
        """The desired state of rulesets, of absent ones by their names; raises OptionError."""
        problems = OptionProblems()
        rules: list[Desired] = []
        fields = ("name", "description", "expires")
        named = [(path, {name: entry[name] for name in fields}) for path, entry in entries]
        if absent:
            entries = [(path, {"name": one["name"], "rules": None}) for path, one in entries]
        with problems.collected():
            rulesets = parse_desired(CUSTOM_RULESETS[self.owner], named, absent=absent)
        for path, entry in entries:
            with problems.collected():
                rules.append(self._rules(path, entry, exact=exact and entry["rules"] is not None))
        with problems.collected():
            deployments = self._deployments(entries)
        problems.raise_any()
        return (rulesets, *rules, deployments)

    def _rules(
        self, path: Option, entry: Options, absent: bool = False, exact: bool = False
    ) -> Desired:
        name = str(parsed(path.at("name"), RULESET_NAME.value.parse, entry["name"]))
        rules = numbered("rules", entry["rules"] or (), path)
        resource = rules_of(self.owner, name)
        return desired_rules(resource, rules, absent, exact, path, entry.get("ignore") or ())

    def _deployments(self, entries: Entries) -> Desired:
        """The desired rules of the entry point, each of which executes a ruleset; raises
        OptionError."""
        entry_point = ENTRY_POINTS[self.owner]
        names: dict[Key, str] = {}
        gone: set[Key] = set()
        positions: dict[Key, Position] = {}
        rules: list[tuple[Option, Values]] = []
        for path, entry in entries:
            deploy = entry.get("deploy")
            if deploy is None:
                continue
            name = str(parsed(path.at("name"), RULESET_NAME.value.parse, entry["name"]))
            ref = parsed(path.at("deploy", "ref"), RULESET_NAME.value.parse, deploy["ref"] or name)
            rule = {**deploy, "ref": ref}
            place, key = rule.pop("position"), entry_point.key_of(rule)
            if place is not None:
                positions[key] = parsed(path.at("deploy", "position"), parse_position, place)
            names[key] = name
            gone |= set() if any(value is not None for value in deploy.values()) else {key}
            rules.append((path.at("deploy"), rule))
        desired = parse_desired(entry_point, rules)
        executing = {
            key: {**values, "action": EXECUTE, "action_parameters": {"id": id_of_new(names[key])}}
            for key, values in desired.objects.items()
        }
        return desired._replace(objects=executing, positions=positions, gone=gone)

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        rulesets, *rules, deployments = desired
        own = {rulesets.resource.key_of(obj): obj for obj in own_rulesets(state, self.owner)}
        gone = {key for key in own if key in rulesets.expired or rulesets.drops(key)}
        gone |= rulesets.objects.keys() if rulesets.absent else set()
        left_out = gone | rulesets.expired | (rulesets.undecided - own.keys())
        kept = [
            item._replace(objects={}, exclusive=False)
            if (item.resource.within,) in left_out
            else item
            for item in rules
        ]
        ids: dict[Key, list[str]] = {key: [] for key in own}  # Cloudflare may have a name twice
        for obj in own_rulesets(state, self.owner):
            ids[rulesets.resource.key_of(obj)].append(str(obj.get("id")))
        return (rulesets, *kept, _settled(deployments, state, ids, left_out))


def _settled(
    deployments: Desired, state: State, ids: Mapping[Key, Sequence[str]], gone: AbstractSet[Key]
) -> Desired:
    """The desired deployments under the refs of existing ones, by the ids of the rulesets; without
    those of rulesets that are `gone`. Raises PlanError."""
    resource, existing = deployments.resource, state[deployments.resource.plural]
    by_ruleset: dict[str, list[Object]] = {}
    for rule in existing:
        by_ruleset.setdefault(deployed(rule), []).append(rule)
    objects: dict[Key, Values] = {}
    paths, positions = dict(deployments.paths), dict(deployments.positions)
    for key, values in deployments.objects.items():
        name = (deployed(values)[1:-1],)
        gone = gone | {name} if key in deployments.gone else gone
        if name in gone:
            continue
        now = [rule for one in ids.get(name, ()) for rule in by_ruleset.get(one, ())]
        same = _deployment(resource.label_of(values), values, now, existing)
        kept = resource.key_of(same or values)
        objects[kept] = {**values, **{name: same[name] for name in SAME}} if same else values
        paths[kept] = deployments.paths[key]
        positions.update({kept: positions[key]} if key in positions else {})
    removed = {
        resource.key_of(rule): {"ref": rule.get("ref")}
        for name in gone & ids.keys()
        for one in ids[name]
        for rule in by_ruleset.get(one, ())
    }
    return deployments._replace(
        objects={**objects, **removed}, paths=paths, positions=positions, gone=removed.keys()
    )


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
        self.options = {**OF_A_RULESET, **EXACT_OPTIONS, **BACKTEST, **risks}

    def desired(self, options: Options) -> Sequence[Desired]:
        absent, some = options["state"] == ABSENT, options["rules"] is not None
        if absent and options["rules"] == []:
            problem = Message(
                "it names no rule. Leave it out to delete the ruleset, or set ", STATE, " to exact"
            )
            raise OptionError(Option("rules"), problem)
        entries = [(Option(), options)]
        if not absent:
            return self._described(entries, some and options["state"] == EXACT)
        rulesets = parse_desired(
            CUSTOM_RULESETS[self.owner], [(Option(), {"name": options["name"]})], absent=not some
        )
        rules = self._rules(Option(), options, absent=True)
        return (rulesets._replace(only_deletes=some), rules, self._deployments([]))

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        name = RULESET_NAME.value.parse(options["name"])
        own = own_rulesets(state, self.owner)
        shown = (whole_ruleset(obj, self.owner, state) for obj in own if obj.get("name") == name)
        return {"ruleset": next(shown, None), "unmanaged": rules_of_rulesets(desired, state)}


class CustomRulesets(OfRulesets):
    """The module custom_rulesets: rulesets in one plan; with state exact, all of their owner."""

    def __init__(self) -> None:
        ignored: OptionSpec = {name: {"type": "str"} for name in ("id", "version", "last_updated")}
        options = {**ignored, **OF_A_RULESET}
        self.options = {
            "rulesets": {"type": "list", "elements": "dict", "options": options, "required": True},
            **EXACT_OPTIONS,
            **BACKTEST,
            **risk_options(CUSTOM_RULE_RISKS),
        }

    def desired(self, options: Options) -> Sequence[Desired]:
        entries = numbered("rulesets", options["rulesets"])
        absent, exact = options["state"] == ABSENT, options["state"] == EXACT
        rulesets, *others = self._described(entries, exact, absent)
        rulesets = parse_ignore(rulesets._replace(exclusive=exact), options["ignore"])
        return (rulesets, *others)

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        own = own_rulesets(state, self.owner) if desired[0].exclusive else ()
        labels = map(CUSTOM_RULESETS[self.owner].label_of, own)
        more = {one.plural: one for one in (rules_of(self.owner, label) for label in labels)}
        named = {one.plural: one for one in super().reads(options, desired, state)}
        return [*{**more, **named}.values()]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        rulesets, entry_point = desired[0], ENTRY_POINTS[self.owner].plural
        own = own_rulesets(state, self.owner)
        named = [obj for obj in own if rulesets.resource.key_of(obj) in rulesets.objects]
        ours = own if rulesets.exclusive else named
        shown = [whole_ruleset(obj, self.owner, state) for obj in ours]
        others = [obj for obj in own if obj not in named]
        unmanaged = [
            *rules_of_rulesets(desired, state),
            *unnamed_rulesets(rulesets.resource, ENTRY_POINTS[self.owner], others, state),
            *self._rules_beside(desired[-1], named, others, state),
        ]
        executed = state.get(EXECUTED_RULESETS, ())
        chain = {entry_point: state[entry_point], EXECUTED_RULESETS: executed}
        for_role = {"chain": chain} if self.context.is_role else {}
        return {"rulesets": shown, "unmanaged": unmanaged, **for_role}

    def _rules_beside(
        self, deployments: Desired, named: Sequence[Object], others: Sequence[Object], state: State
    ) -> Iterator[Mapping[str, Any]]:
        """The rules of the entry point that take something from the named rulesets, or concern all
        plain traffic; if another module names rules of it, only the deployments of these rulesets
        that do more than execute them."""
        entry_point, of_account = ENTRY_POINTS[self.owner], CUSTOM_RULES_OF_ACCOUNT.plural
        rules = state[entry_point.plural]
        executed = {
            (entry_point.name, entry_point.label_of(rule)): deployed(rule) for rule in rules
        }
        ours, theirs = map(_ids, (named, others))
        has_own_module = self.owner == ZONE_OPTION and CUSTOM_RULES.plural in self.context.modules
        described = {
            entry_point.key_of(rule): rule
            for rule in rules
            if deployed(rule) in ours and [*rule["action_parameters"]] == ["id"]
        }
        whole: State = {
            **state,
            EXECUTED_RULESETS: [
                *state.get(EXECUTED_RULESETS, ()),
                *whole_rulesets(state, self.owner),
            ],
        }
        if self.owner == ACCOUNT_OPTION:  # judged as a zone of the plan Enterprise meets them
            whole = {**whole, CUSTOM_RULES.plural: [*map(_in_enterprise, rules)], of_account: ()}
        beside = deployments._replace(resource=CUSTOM_RULES, objects=described)
        for record in unmanaged_records([beside], whole):
            is_own = record["resource"] == CUSTOM_RULES.name
            target = (entry_point.name if is_own else record["resource"], record["key"])
            identity = executed.get(target, "")
            is_judged = identity in theirs and record["weakens"] is not False
            is_elsewhere = has_own_module and identity not in ours
            if record["reason"] and not is_judged and not is_elsewhere:
                yield {**record, "resource": target[0]}


def _ids(rulesets: Sequence[Object]) -> set[str]:
    """The ids by which rules may execute rulesets, also those that are not yet made."""
    return {str(one) for obj in rulesets for one in (obj.get("id"), id_of_new(str(obj["name"])))}


def _in_enterprise(rule: Object) -> Object:
    expression = str(rule.get("expression") or "").replace(ENTERPRISE_ZONES, "true")
    return {**rule, "expression": expression}


SPECS: Mapping[str, ModuleSpec] = {
    "custom_ruleset": CustomRuleset(),
    "custom_rulesets": CustomRulesets(),
}
