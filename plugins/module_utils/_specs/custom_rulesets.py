# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for the custom rulesets of an account or a zone, with the rules that deploy them: one
ruleset, or all that the owner should have."""

from __future__ import annotations

from copy import copy
from typing import Any, Mapping, Sequence

from .._errors import OptionError, OptionProblems, PlanError, parsed
from .._guard.risks.base import risk_options
from .._guard.risks.rulesets import risks_of_rules
from .._guard.rule_plans import SURROUNDINGS
from .._plan.desired import STATE, Desired, Entries, Position, parse_desired, parse_position
from .._protection.holes import unmanaged_records
from .._schema.managed_rules import EXECUTE, deployed
from .._schema.resource import (
    ACCOUNT_OPTION,
    OWNERS,
    ZONE_OPTION,
    Key,
    Object,
    OptionSpec,
    State,
    Values,
    id_of_new,
)
from .._schema.zone import CUSTOM_RULES, CUSTOM_RULESETS, ENTRY_POINTS, own_rulesets, rules_of
from .._text import Message, Option, first_few
from .base import (
    ABSENT,
    EXACT,
    IGNORE_OPTION,
    PRESENT,
    Expectations,
    ModuleResult,
    ModuleSpec,
    Options,
    list_option,
    state_option,
)
from .rulesets import desired_rules

NAME = CUSTOM_RULESETS[ZONE_OPTION].field("name")
POSITION: OptionSpec = {"position": {"type": "str"}}
OF_A_RULESET: OptionSpec = {
    "name": {"type": "str", "required": True},
    "description": {"type": "str"},
    "rules": list_option(rules_of(ZONE_OPTION, ""), POSITION),
    "deploy": {
        "type": "dict",
        "options": {
            "ref": {"type": "str"},
            "expression": {"type": "str"},
            "enabled": {"type": "bool"},
            **POSITION,
        },
    },
    **IGNORE_OPTION,
}
RISKS = risks_of_rules(CUSTOM_RULES)
SHOWN = ("ref", "expression", "enabled")  # of a deployment
SAME = ("ref", "action", "action_parameters")  # of a deployment that exists


class CustomRuleset(ModuleSpec):
    """The module custom_ruleset: one ruleset, its rules and its deployment.

    Desired are the rulesets, the rules of each, and last the rules that deploy them, which name
    their ruleset by `id_of_new` until the existing state is known.
    """

    owner = ZONE_OPTION
    risks = RISKS
    surroundings = SURROUNDINGS
    returns_owner = True

    def __init__(self) -> None:
        states = state_option(PRESENT, ABSENT, EXACT)
        self.options = {**OF_A_RULESET, **states, **risk_options(RISKS)}

    def owned(self, options: Options, environment: Mapping[str, str]) -> ModuleSpec:
        owners = OWNERS.values()
        named = [item for item in owners if any(options.get(name) for name in item.options)]
        named = named or [item for item in owners if environment.get(item.variable)]
        if len(named) > 1:
            both = "; a ruleset is of one of them. Leave out the other one"
            raise OptionError(
                Option(ACCOUNT_OPTION), Message("it stands beside ", Option(ZONE_OPTION), both)
            )
        spec = copy(self)
        spec.owner = named[0].option if named else ZONE_OPTION
        return spec

    def desired(self, options: Options, expectations: Expectations = ()) -> Sequence[Desired]:
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

    def _described(self, entries: Entries, exact: bool) -> Sequence[Desired]:
        """The desired state of rulesets that should be there; raises OptionError."""
        problems = OptionProblems()
        rules: list[Desired] = []
        named = [
            (path, {name: entry[name] for name in ("name", "description")})
            for path, entry in entries
        ]
        with problems.collected():
            rulesets = parse_desired(CUSTOM_RULESETS[self.owner], named)
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
        name = str(parsed(path.at("name"), NAME.value.parse, entry["name"]))
        rules = [(path.at("rules", index), one) for index, one in enumerate(entry["rules"] or ())]
        resource = rules_of(self.owner, name)
        return desired_rules(resource, rules, absent, exact, path, entry.get("ignore") or ())

    def _deployments(self, entries: Entries) -> Desired:
        """The desired rules of the entry point, each of which executes a ruleset; raises
        OptionError."""
        entry_point = ENTRY_POINTS[self.owner]
        names: dict[Key, str] = {}
        positions: dict[Key, Position] = {}
        rules: list[tuple[Option, Values]] = []
        for path, entry in entries:
            deploy = entry["deploy"]
            if deploy is None:
                continue
            name = str(parsed(path.at("name"), NAME.value.parse, entry["name"]))
            rule = {**deploy, "ref": deploy["ref"] or name}
            place, key = rule.pop("position"), entry_point.key_of(rule)
            if place is not None:
                positions[key] = parsed(path.at("deploy", "position"), parse_position, place)
            names[key] = name
            rules.append((path.at("deploy"), rule))
        desired = parse_desired(entry_point, rules)
        executing = {
            key: {**values, "action": EXECUTE, "action_parameters": {"id": id_of_new(names[key])}}
            for key, values in desired.objects.items()
        }
        return desired._replace(objects=executing, positions=positions)

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        rulesets, *rules, deployments = desired
        entry_point, existing = deployments.resource, state[deployments.resource.plural]
        own = {
            id_of_new(rulesets.resource.label_of(obj)): (rulesets.resource.key_of(obj), obj)
            for obj in own_rulesets(state, self.owner)
        }
        by_ruleset: dict[str, list[Object]] = {}
        for rule in existing:
            by_ruleset.setdefault(deployed(rule), []).append(rule)
        objects: dict[Key, Values] = {}
        paths, positions = dict(deployments.paths), dict(deployments.positions)
        for key, values in deployments.objects.items():
            _key, ruleset = own.get(deployed(values), ((), {}))
            now = by_ruleset.get(str(ruleset.get("id")), [])
            same = _deployment(entry_point.label_of(values), values, now, existing)
            kept = entry_point.key_of(same or values)
            objects[kept] = {**values, **{name: same[name] for name in SAME}} if same else values
            paths[kept] = deployments.paths[key]
            positions.update({kept: positions[key]} if key in positions else {})
        gone = {
            entry_point.key_of(rule): {"ref": rule["ref"]}
            for key, obj in own.values()
            if (key in rulesets.objects if rulesets.absent else rulesets.drops(key))
            for rule in by_ruleset.get(str(obj.get("id")), ())
        }
        settled = deployments._replace(
            objects={**objects, **gone}, paths=paths, positions=positions, gone=gone.keys()
        )
        return (rulesets, *rules, settled)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        shown = [self._shown(obj, state) for obj in own_rulesets(state, self.owner)]
        name = NAME.value.parse(options["name"])
        ruleset = next((obj for obj in shown if obj.get("name") == name), None)
        return {"ruleset": ruleset, "unmanaged": self._unmanaged(desired, state)}

    def _shown(self, obj: Object, state: State) -> dict[str, Any]:
        """A ruleset as results have it, with its rules and its deployment."""
        name = CUSTOM_RULESETS[self.owner].label_of(obj)
        ids = (obj.get("id"), id_of_new(name))
        rules = state[ENTRY_POINTS[self.owner].plural]
        deployment = next((rule for rule in rules if deployed(rule) in ids), None)
        deploy = deployment and {name: deployment.get(name) for name in SHOWN}
        obj = {key: obj[key] for key in obj if key not in ("kind", "phase")}  # the same of all
        listed = list(state.get(rules_of(self.owner, name).plural, ()))
        return {**obj, "rules": listed, "deploy": deploy}

    def _unmanaged(self, desired: Sequence[Desired], state: State) -> list[Mapping[str, Any]]:
        """The rules beside those that the task names, each judged in its ruleset alone."""
        return [
            {
                **record,
                "resource": item.resource.name,
                "key": f"{item.resource.within} {record['key']}",
            }
            for item in desired
            if item.resource.parent and not item.absent
            for record in unmanaged_records(
                [item._replace(resource=CUSTOM_RULES)],
                {CUSTOM_RULES.plural: state[item.resource.plural]},
            )
        ]


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


SPECS: Mapping[str, ModuleSpec] = {"custom_ruleset": CustomRuleset()}
