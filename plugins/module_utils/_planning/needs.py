# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The collections that decide about a plan beside its own, in one table: which ones a plan needs,
how they are read, and the sentence if one cannot be read.

Requests to a zone meet rules beside those of its entry point, too: the custom rules of its account,
which count for zones of the plan Enterprise alone, and the rulesets that rules execute. A ruleset
that cannot be read stands in a state as its reason.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import AbstractSet, Callable, Mapping, Sequence, Tuple

from .._api.client import Client
from .._context import Context
from .._errors import ProtectionError
from .._plan.plan import Plan
from .._protection.ordinary_traffic import (
    OWNER_NAMES,
    depends_on_owner,
    owner_names_in,
    wide_groups,
)
from .._protection.overrides import managed_rules, override_losses
from .._protection.rules_in_force import (
    ZoneRule,
    contents_in,
    listed,
    lists_named_in,
    phase_of,
    rules_in_force,
    spelt_out,
)
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.ddos_overrides import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT, levels_of
from .._schema.lists import LISTS, REFERENCES, items_of, uses_of
from .._schema.registry import DECIDING, EVALUATION, evaluated_as
from .._schema.resource import NO_ITEMS, Key, Object, Resource, State
from .._text import first_few
from .way import Asked, read_names, with_way

REFERRING = [one for one in DECIDING if one.phase]  # the rules that lists may change


Reading = Tuple[str, Callable[[], Sequence[Object]]]  # after what is not known if it fails
Readings = Mapping[str, Reading]  # by the plural of a collection
Need = Callable[[Plan, Asked], Readings]  # raises no error: a reading does


def completed(
    plan: Plan,
    client: Client,
    context: Context,
    judged: AbstractSet[str] = frozenset(),
    named: Mapping[str, AbstractSet[Key]] = NO_ITEMS,
    evaluates: bool = False,
    decides: bool = True,
) -> Plan:
    """The plan, whose state has all that decides about it, as far as it can be read. If the caller
    `evaluates`, requests meet the rules; see Asked for the others."""
    asked = Asked(client, context, judged, named, decides)
    plan = with_way(plan, asked, evaluates)
    for need in NEEDS_OF_RULES:
        plan = _completed_by(plan, need(plan, asked))
    plan = with_way(plan, asked, False)  # of custom rules read just now
    for need in FURTHER_NEEDS:
        plan = _completed_by(plan, need(plan, asked))
    return plan


def _completed_by(plan: Plan, readings: Readings) -> Plan:
    before, unread = dict(plan.before), dict(plan.unread)
    for name, (doubt, read) in readings.items():
        if name in before:
            continue
        try:
            before[name] = read()
        except ProtectionError as exc:
            unread[name] = {**unread.get(name, {}), doubt: exc.message}
    return plan._replace(before=before, unread=unread)


def _states(plan: Plan) -> Sequence[State]:
    return (plan.before, plan.after()) if plan.operations else (plan.before,)


def _skipped_rules(plan: Plan, asked: Asked) -> Readings:
    """The rules of phases that rules of the plan skip, and the custom rules if these may skip rules
    of the plan."""
    doubt = "Whether custom rules skip other rules that would stop requests is not known"
    own = [one for one in _beside_skips(plan) if one.owner in asked.client.owner]
    return {one.plural: (doubt, partial(asked.client.read, one)) for one in own}


def _beside_skips(plan: Plan) -> list[Resource]:
    states = _states(plan)
    known = [one for one in EVALUATION if one.phase and one.plural in plan.before]
    rules = chain(*(rules_in_force(state, one) for one in known for state in states))
    skipped = {name for rule in rules if rule.lets_pass for name in rule.skips}
    needed = [one for one in EVALUATION if one.phase and phase_of(one) in skipped]
    later = [one.plural for one in known if one not in DECIDING]
    if any(state[name] for name in later for state in states):
        needed.append(CUSTOM_RULES)
    return needed


def _referring_rules(plan: Plan, asked: Asked) -> Readings:
    """The rules of the owners if some refer to lists that are judged, or whose items change."""
    if not _referred_lists(plan, asked.judged):
        return {}
    lists = first_few(_referred_lists(plan))
    doubt = f"would let more pass, or stop more, with the new items of {lists} is not known"
    return {
        one.plural: (lists and f"Whether {one.titles} {doubt}", partial(asked.client.read, one))
        for one in REFERRING
        if one.owner in asked.client.owner
    }


def _referred_lists(plan: Plan, judged: AbstractSet[str] = frozenset()) -> list[str]:
    """Names of the lists that are judged, or whose addresses the plan changes, and to which rules
    refer; or may do so, if Cloudflare does not count them."""
    concerned = judged | {
        item.resource.parent_name or item.label
        for item in plan.operations
        if item.action != "update" and (item.resource is LISTS or item.resource.parent is LISTS)
    }
    lists = [obj for obj in plan.before.get(LISTS.plural, ()) if LISTS.label_of(obj) in concerned]
    return [LISTS.label_of(obj) for obj in lists if REFERENCES not in obj or uses_of(obj) > 0]


def _lists(plan: Plan, asked: Asked) -> Readings:
    """The lists of the account if rules refer to some whose items are not known."""
    if not asked.decides or not _unknown_lists(*_states(plan)):
        return {}
    names = first_few(_lists_of_changes(plan))
    doubt = names and f"The items of the lists {names} are not known"
    return {LISTS.plural: (doubt, lambda: asked.account.read(LISTS))}


def _items(plan: Plan, asked: Asked) -> Readings:
    """The items of the lists to which rules refer."""
    if not asked.decides or LISTS.plural not in plan.before:
        return {}
    there = {items.parent_name: items for items in LISTS.contents_in(plan.before)}
    changed = _lists_of_changes(plan)
    return {
        there[name].plural: (
            f"The items of the list {name} are not known" if name in changed else "",
            partial(asked.account.read, there[name]),
        )
        for name in _unknown_lists(*_states(plan))
        if name in there
    }


def _unknown_lists(*states: State) -> list[str]:
    """The names of the lists to which rules of a state refer, and whose items it does not have."""
    named = dict.fromkeys(name for state in states for name in lists_named_in(state))
    return [name for name in named if items_of(name).plural not in states[0]]


def _lists_of_changes(plan: Plan) -> list[str]:
    """The names of the lists to which changed rules refer, or all rules if a plan changes none."""
    if not plan.operations:
        return lists_named_in(plan.before)
    rules = [(evaluated_as(one.resource).plural, one.planned) for one in plan.operations]
    named = [lists_named_in({plural: [rule]}) for plural, rule in rules if rule]
    return [*dict.fromkeys(chain(*named))]


def _overrides_of_account(plan: Plan, asked: Asked) -> Readings:
    """The overrides of the account that the first ones of a zone hide, or that are applied once the
    last one is gone, or that are judged."""
    sides = [bool(state.get(L7_OVERRIDES.plural)) for state in (plan.before, plan.after())]
    hidden = L7_OVERRIDES_OF_ACCOUNT
    is_needed = asked.decides and (hidden.plural in asked.judged or sides[0] is not sides[1])
    doubt = (
        "Overrides of its account for HTTP DDoS rules are applied in a zone without its own."
        " Whether there are any is not known"
    )
    return {hidden.plural: (doubt, lambda: asked.account.read(hidden))} if is_needed else {}


def _catalogues(plan: Plan, asked: Asked) -> Readings:
    """The managed rules that changed overrides are about, if these name categories or rules that
    may be about the same one, or no longer decide."""
    doubt = "The categories of the managed DDoS rules are not known, so that any may be in any"
    return {
        resource.catalogue_object().plural: (doubt, partial(_read_catalogue, resource, plan, asked))
        for resource in plan.resources.values()
        if resource.catalogue and asked.decides and _is_unclear(resource, plan)
    }


def _is_unclear(resource: Resource, plan: Plan) -> bool:
    states, plurals = _states(plan), (resource.plural, L7_OVERRIDES_OF_ACCOUNT.plural)
    objects = [obj for state in states for name in plurals for obj in state.get(name, ())]
    names = {name for obj in objects for name in levels_of(obj)} - {""}
    changes = override_losses(resource, plan.before, plan.after())
    return len(names) > 1 or not all(item.certain for item in changes)


def _read_catalogue(resource: Resource, plan: Plan, asked: Asked) -> Sequence[Object]:
    """The managed rules; raises ProtectionError, also if they have another form."""
    catalogue = resource.catalogue_object()
    objects = asked.client.read(catalogue)
    try:
        managed_rules(resource, {**plan.before, catalogue.plural: objects})
    except ValueError as exc:
        raise ProtectionError(f"{exc}.") from exc
    return objects


def _own_names(plan: Plan, asked: Asked) -> Readings:
    """The name of the zone, or the prefixes of the account, if it depends on them which rules all
    ordinary traffic matches."""
    states = [(state, contents_in(state)) for state in _states(plan)]
    readings: dict[str, Reading] = {}
    for resource in DECIDING:
        owner = OWNER_NAMES[resource.traffic]
        is_elsewhere = owner.resource.owner not in asked.client.owner
        if is_elsewhere or owner_names_in(resource, plan.before) is not None:
            continue
        in_force = [
            (rule, contents)
            for state, contents in states
            for rule in rules_in_force(state, resource)
        ]
        if not plan.operations and all(
            _names_origin(resource, rule, asked) for rule, _in in in_force
        ):
            continue  # only what nobody names is judged
        rules = {
            (rule.action, rule.expression, rule.active): spelt_out(rule, contents)
            for rule, contents in in_force
        }
        wide = chain(*wide_groups(resource, rules.values()))
        if any(depends_on_owner(resource, one) for one in wide):
            doubt = f"A rule may match everything, since {owner.words} not known"
            read = partial(read_names, owner.resource, asked.client)
            readings[owner.resource.plural] = doubt if plan.operations else "", read
    return readings


def _names_origin(resource: Resource, rule: ZoneRule, asked: Asked) -> bool:
    """Return whether the task names the object by which a rule is there."""
    whose, obj = listed(resource, rule)
    return whose.key_of(obj) in asked.named.get(whose.plural, ())


# In the order in which they are read: what the rules of a plan meet comes before what they name.
NEEDS_OF_RULES: Sequence[Need] = (_skipped_rules, _referring_rules)
FURTHER_NEEDS: Sequence[Need] = (_lists, _items, _overrides_of_account, _catalogues, _own_names)
