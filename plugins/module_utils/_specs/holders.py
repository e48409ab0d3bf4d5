# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules of objects that hold a list: lists of an account with their items, and custom
rulesets with their rules and the rules that deploy them. They are about one such object, or about
all that the owner should have."""

from __future__ import annotations

import glob
from abc import abstractmethod
from copy import copy
from dataclasses import replace
from functools import partial
from typing import AbstractSet, Any, Callable, Mapping, Sequence

from .._arguments import ArgumentFields, only, unless_wrong
from .._errors import OptionError, OptionProblems, PlanError, parsed
from .._guard.risks.base import risk_options
from .._guard.risks.deletions import DELETION_RISKS, REFERENCED_LIST_RISKS
from .._guard.risks.rulesets import risks_of_rules
from .._guard.terms import BACKTEST
from .._plan.desired import (
    STATE,
    THE_TASK,
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
    raise_any,
)
from .._schema.custom_rules import CUSTOM_RULES, ENTRY_POINTS
from .._schema.custom_rulesets import CUSTOM_RULESETS, DEPLOYMENT_OPTIONS, deploying_rules, rules_of
from .._schema.lists import ANY_ITEM, LIST_KIND, LIST_KINDS, LISTS, items_of, kind_of_item
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.resource import (
    ACCOUNT_OPTION,
    EXPIRES,
    NO_ITEMS,
    OWNER_OPTIONS,
    OWNERS,
    ZONE_OPTION,
    Key,
    Object,
    OptionSpec,
    Resource,
    State,
    Values,
    id_of_new,
)
from .._schema.rulesets import EXECUTE, deployed
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

OF_A_LIST: OptionSpec = {
    **LISTS.field_options,
    "kind": {**LISTS.field_options["kind"], "default": LIST_KIND},
    "items": list_option(replace(items_of(""), fields=ANY_ITEM)),
    **PURGE_OPTION,
}
OF_A_RULESET: OptionSpec = {
    "name": {"type": "str", "required": True},
    "description": {"type": "str"},
    "rules": list_option(rules_of(ZONE_OPTION, "")),
    "deploy": {"type": "dict", "options": {**DEPLOYMENT_OPTIONS, **POSITION_OPTION}},
    **EXPIRES,
    **PURGE_OPTION,
    **IGNORE_OPTION,
}
# With those of the rules that name a list, as far as they are the account's.
LIST_RISKS = tuple(
    dict.fromkeys(
        [*DELETION_RISKS, *REFERENCED_LIST_RISKS, *risks_of_rules(NETWORK_FIREWALL_RULES)]
    )
)
CUSTOM, RULESETS = "custom_rules", "custom_rulesets"  # parts of a host
RULESETS_OF_ZONE = CUSTOM_RULESETS[ZONE_OPTION]
SAME = ("ref", "action", "action_parameters")  # of a deployment that exists


class Holders(ModuleSpec):
    """A module of one object that holds a list, or of `several`; with a purge, of all.

    Desired are the objects, the list in each, and last what is beside them. `option` and `contents`
    are the options of several objects, and of what one holds; `words` name both in sentences,
    `of_one` are the options of one object, and `more` are those of the task.
    """

    of_rules = True
    option = contents = ""
    words = ("", "")
    of_one: OptionSpec
    more: Options = NO_ITEMS

    def __init__(self, several: bool = False) -> None:
        self.several = several
        each = ArgumentFields(self.of_one)
        each.ignored = self.holders.assigned
        entries = {"type": "list", "elements": "dict", "options": each, "required": True}
        of_several = {self.option: entries, **PURGE_OPTION, **IGNORE_OPTION}
        own = of_several if several else {**self.of_one, **STATE_OPTION}
        self.options = {**own, **self.more, **risk_options(self.risks)}

    @property
    @abstractmethod
    def holders(self) -> Resource:
        """The collection of the objects."""

    @abstractmethod
    def held(self, path: Option, entry: Options, absent: bool) -> Sequence[Desired]:
        """The desired list in an object, none if it is left alone; raises OptionError."""

    def beside(self, entries: Entries) -> Sequence[Desired]:
        """The desired state beside the objects; raises OptionError."""
        return ()

    def desired(self, options: Options) -> Sequence[Desired]:
        absent, problems = not self.several and is_absent(options), OptionProblems()
        entries: Entries = [(THE_TASK, options)]
        if self.several:
            entries = numbered(self.option, options[self.option])
        desired: list[Desired] = []
        with problems.collected():
            desired.append(self._without_contents(entries, options, absent, problems))
        for path, entry in entries:
            with problems.collected():
                self._check(path, entry, absent)
            with problems.collected():
                desired += self.held(path, entry, absent)
        with problems.collected():
            desired += self.beside([] if absent else entries)
        raise_any(problems, desired)
        return desired

    def _check(self, path: Option, entry: Options, absent: bool) -> None:
        """Raises OptionError for a purge without a list, and for one that removes nothing."""
        if entry["purge"]:
            check_purge(self.contents, entry[self.contents], absent, path)
        if absent and entry[self.contents] == []:
            holder, held = self.words
            advice = f"it names no {held}. Leave it out to delete the {holder}, or set "
            raise OptionError(path.at(self.contents), Message(advice, STATE, " to present"))

    def _without_contents(
        self, entries: Entries, options: Options, absent: bool, problems: OptionProblems
    ) -> Desired:
        """The desired objects; one of which something is removed stays."""
        resource = self.holders
        stays = absent and unless_wrong(options, self.contents) is not None
        names = [*resource.key, *(item.name for item in resource.fixed)]
        if not absent:
            names = [name for name in self.of_one if name in resource.options]
        fields = [(path, only(entry, names)) for path, entry in entries]
        if not self.several:
            desired = parse_desired(resource, fields, absent and not stays, errors=problems)
            return replace(desired, only_deletes=stays)
        desired = parse_desired(resource, fields, exclusive=options["purge"], errors=problems)
        return parse_ignore(desired, options["ignore"] or ())

    def parsed_name(self, option: Option, text: Any) -> str:
        """The name of an object; raises OptionError."""
        return str(parsed(option, self.holders.field("name").value.parse, text))

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        every = super().reads(options, desired, state)
        holders = desired[0]
        if holders.resource.contents and holders.resource.plural in state:
            existing = holders.among(holders.resource.our_objects_in(state))
            named = (*holders.objects.values(), *existing)  # also those that are not there yet
            every = [*every, *map(holders.resource.contents, named)]
        return [*{one.plural: one for one in every}.values()]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        ours = desired[0].among(self.holders.our_objects_in(state))
        whole = [self.holders.semantics.assembled(obj, state) for obj in ours]
        return {self.option: whole} if self.several else self.of_result(whole)

    def of_result(self, whole: Sequence[dict[str, Any]]) -> ModuleResult:
        """The result of a module of one object."""
        return {self.words[0]: next(iter(whole), None)}


class IpLists(Holders):
    """The module ip_list, and the lists of a host, with their items."""

    option, contents, words = "lists", "items", ("list", "item")
    of_one, risks = OF_A_LIST, LIST_RISKS
    holders = LISTS

    def held(self, path: Option, entry: Options, absent: bool) -> Sequence[Desired]:
        if entry["items"] is None:
            return ()
        kind, problems, name = unless_wrong(entry, "kind"), OptionProblems(), ""
        entries = numbered("items", entry["items"], path)
        others: set[int] = set()
        if kind is None:  # it is wrong
            kind = _kind_of_list(entries[0][1], LIST_KIND) if entries else LIST_KIND
        for index, (option, item) in enumerate(entries):
            if _kind_of_list(item, kind) != kind:
                problems.add(_wrong_kind(option, item, kind, path))
                others.add(index)
        if others:
            entries = [one for index, one in enumerate(entries) if index not in others]
        with problems.collected():
            name = self.parsed_name(path.at("name"), entry["name"])
        resource, purge = items_of(name, kind), entry["purge"]
        desired = parse_desired(resource, entries, absent, purge, problems)
        raise_any(problems, [] if absent else [desired])
        return (desired,)

    def of_result(self, whole: Sequence[dict[str, Any]]) -> ModuleResult:
        shown = {**whole[0]} if whole else {}
        items = shown.pop("items", [])
        return {"list": shown or None, "items": items}


def _kind_of_list(item: Options, kind: str) -> str:
    """The kind of an item, or of its list if it is wrong, so that the rest of it is read."""
    try:
        return kind_of_item(item)
    except OptionError:
        return kind


def _wrong_kind(option: Option, item: Options, kind: str, path: Option) -> OptionError:
    """The error of an item of another kind than its list, or of none or several."""
    own = kind_of_item(item)
    if not own:
        return OptionError(option, f"it needs {kind}, and no other of {', '.join(LIST_KINDS)}")
    problem = Message(f"the list has {LIST_KINDS[kind]}; set ", path.at("kind"), f" to {own}")
    return OptionError(option.at(own), problem)


class CustomRulesets(Holders):
    """The module custom_ruleset, and the rulesets of a host, with their rules and deployments.

    The rules that deploy rulesets name them by `id_of_new` until the existing state is known.
    """

    owner = ZONE_OPTION
    option, contents, words = "rulesets", "rules", ("ruleset", "rule")
    of_one, more, risks = OF_A_RULESET, BACKTEST, risks_of_rules(CUSTOM_RULES)
    returns_owner = True
    lists_unmanaged = True

    def __init__(self, several: bool = False) -> None:
        super().__init__(several)
        if not several:  # of which the task names one
            self.options = {**{name: {"type": "str"} for name in OWNER_OPTIONS}, **self.options}

    @property
    def holders(self) -> Resource:
        return CUSTOM_RULESETS[self.owner]

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

    def held(self, path: Option, entry: Options, absent: bool) -> Sequence[Desired]:
        problems, name = OptionProblems(), ""
        with problems.collected():
            name = self.parsed_name(path.at("name"), entry["name"])
        rules = numbered("rules", entry["rules"] or (), path)
        around = path, entry.get("ignore") or (), problems
        return (desired_rules(rules_of(self.owner, name), rules, absent, entry["purge"], *around),)

    def beside(self, entries: Entries) -> Sequence[Desired]:
        """The desired rules of the entry point, each of which executes a ruleset; raises
        OptionError."""
        entry_point = ENTRY_POINTS[self.owner]
        more: dict[Key, Callable[[DesiredObject], DesiredObject]] = {}
        rules: list[tuple[Option, Values]] = []
        for path, entry in entries:
            deploy = entry.get("deploy")
            if deploy is None:
                continue
            name = self.parsed_name(path.at("name"), entry["name"])
            ref = self.parsed_name(path.at("deploy", "ref"), deploy["ref"] or name)
            rule = {**deploy, "ref": ref}
            place, key = rule.pop("position"), entry_point.key_of(rule)
            position = None
            if place is not None:
                position = parsed(path.at("deploy", "position"), parse_position, place)
            is_gone = all(value is None for value in deploy.values())
            more[key] = partial(_executing, name, position, is_gone)
            rules.append((path.at("deploy"), rule))
        desired = parse_desired(entry_point, rules)
        deployments = {key: more[key](one) for key, one in desired.entries.items()}
        return (replace(desired, entries=deployments),)

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        rulesets, *rules, deployments = desired
        ids: dict[Key, list[str]] = {}
        for obj in rulesets.resource.our_objects_in(state):  # Cloudflare may have a name twice
            ids.setdefault(rulesets.resource.key_of(obj), []).append(str(obj.get("id")))
        gone = {key for key in ids if key in rulesets.expired or rulesets.drops(key)}
        gone |= rulesets.objects.keys() if rulesets.absent else set()
        left_out = gone | rulesets.expired | (rulesets.undecided - ids.keys())
        kept = [
            replace(item, entries={}, exclusive=False)
            if (item.resource.parent_name,) in left_out
            else item
            for item in rules
        ]
        for key in (rulesets.objects.keys() & ids.keys()) - left_out:
            _check_duplicates(str(key[0]), ids[key], state[deployments.resource.plural])
        return (rulesets, *kept, _deployments_by_ids(deployments, state, ids, left_out))


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


def _deployments_by_ids(
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


def beside_deployments(desired: Sequence[Desired], state: State) -> list[Desired]:
    """The desired state, in which an exclusive list of custom rules leaves the rules that deploy
    rulesets of the host; raises PlanError for a rule that is both."""
    described = {
        key
        for item in desired
        if item.resource is CUSTOM_RULES and item.part == RULESETS
        for key in item.objects
    }
    deploying = described.union(
        *(
            deploying_rules(item.among(RULESETS_OF_ZONE.our_objects_in(state)), state)
            for item in desired
            if item.resource is RULESETS_OF_ZONE
        )
    )
    beside: list[Desired] = []
    for item in desired:
        if item.resource is CUSTOM_RULES and item.part == CUSTOM and deploying:
            item = _beside(item, described, deploying)
        beside.append(item)
    return beside


def _beside(desired: Desired, described: AbstractSet[Key], deploying: AbstractSet[Key]) -> Desired:
    """The desired custom rules beside the rules that deploy rulesets; an entry with nothing but
    such a ref says where the deployment stands."""
    own = {
        key
        for key, values in desired.objects.items()
        if desired.absent or key not in described or not values.keys() <= {*CUSTOM_RULES.key}
    }
    both = next((str(key[0]) for key in own if key in described), None)
    if both is not None:
        raise PlanError(
            f"The custom rule {both} is described, and deploys a ruleset. Give the deployment"
            " another ref, in deploy."
        )
    others = sorted(glob.escape(str(key[0])) for key in deploying - own)
    return replace(desired.only(own), ignore=(*desired.ignore, *others))


SPECS: Mapping[str, ModuleSpec] = {"ip_list": IpLists(), "custom_ruleset": CustomRulesets()}
