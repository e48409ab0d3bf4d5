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

from collections import Counter
from functools import partial
from itertools import chain
from typing import AbstractSet, Callable, Mapping, NamedTuple, Sequence

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
    contents_in,
    expressions_in,
    listed,
    lists_named_in,
    rules_in_force,
    spelt_out,
)
from .._protection.zone_rule import ZoneRule
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.ddos_overrides import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT, levels_of
from .._schema.lists import LISTS, REFERENCES, items_of, uses_of
from .._schema.products import objects_if_entitled
from .._schema.registry import DDOS_OVERRIDES, DECIDING, EVALUATION, evaluated_as
from .._schema.resource import ACCOUNT_OPTION, NO_ITEMS, Key, Object, Resource, State
from .._schema.rulesets import phase_of
from .._schema.zone import SECURITY_LEVEL
from .._text import first_few
from .._values.address_set import Contents
from .way import ReadingContext, read_names, with_way

HOST_FIELD = "http.host"
# Rules that lists may change; and those, with overrides, that seldom name a list.
REFERRING = [resource for resource in DECIDING if resource.phase]
SELDOM_REFERRING = [
    *(resource for resource in EVALUATION if resource.phase and resource not in DECIDING),
    *DDOS_OVERRIDES,
]


class Reading(NamedTuple):
    """A reading of a collection. `doubt` begins the sentence on what is not known if the reading
    fails; an empty one means that no sentence is needed."""

    doubt: str
    read: Callable[[], Sequence[Object]]


Readings = Mapping[str, Reading]  # by the plural of a collection
Need = Callable[[Plan, ReadingContext], Readings]  # raises no error: a reading does


def completed(
    plan: Plan,
    client: Client,
    context: Context,
    weakened: AbstractSet[str] = frozenset(),
    task_keys: Mapping[str, AbstractSet[Key]] = NO_ITEMS,
    evaluates: bool = False,
    decides: bool = True,
    expected_lists: Sequence[str] = (),
) -> Plan:
    """The plan, with a state that has all that decides about the plan, as far as it can be read. If
    the caller `evaluates`, requests meet the rules; see ReadingContext for the other arguments.
    """
    reading_context = ReadingContext(client, context, weakened, task_keys, decides, expected_lists)
    plan = with_way(plan, reading_context, evaluates)
    for need in NEEDS_OF_RULES:
        plan = _with_readings(plan, need(plan, reading_context))
    plan = with_way(plan, reading_context, False)  # of custom rules read just now
    for need in FURTHER_NEEDS:
        plan = _with_readings(plan, need(plan, reading_context))
    contents_by_account = context.fleet.contents
    if not contents_by_account or LISTS.plural not in plan.before:
        return plan
    account_id = reading_context.account.owner[ACCOUNT_OPTION]  # it was read with the lists
    return plan._replace(contents=contents_by_account.get(account_id, NO_ITEMS))


def _with_readings(plan: Plan, readings: Readings) -> Plan:
    before, unread = dict(plan.before), dict(plan.unread)
    for name, reading in readings.items():
        if name in before:
            continue
        try:
            before[name] = objects_if_entitled(reading.read)
        except ProtectionError as exc:
            unread[name] = {**unread.get(name, {}), reading.doubt: exc.message}
    return plan._replace(before=before, unread=unread)


def _states(plan: Plan) -> Sequence[State]:
    return (plan.before, plan.after()) if plan.operations else (plan.before,)


def _skipped_rules(plan: Plan, reading_context: ReadingContext) -> Readings:
    """The readings of the rules that rules of the plan skip, and of the custom rules if these may
    skip rules of the plan.
    """
    doubt = "Whether custom rules skip other rules that would stop requests is not known"
    readings: dict[str, Reading] = {}
    for resource in [*_skipped_by(plan), *_rules_before(plan, reading_context.context.reports)]:
        if resource.owner in reading_context.client.owner:
            readings[resource.plural] = Reading(
                doubt, partial(reading_context.client.read, resource)
            )
    return readings


def _phases_known(plan: Plan) -> list[Resource]:
    """The resources of the phases whose rules the state of a plan has."""
    return [rules for rules in EVALUATION if rules.phase and rules.plural in plan.before]


def _skipped_by(plan: Plan) -> list[Resource]:
    """The resources of the phases that rules of the plan skip."""
    phases: set[str] = set()
    for resource in _phases_known(plan):
        for state in _states(plan):
            for rule in rules_in_force(state, resource):
                phases.update(rule.skips if rule.lets_pass else ())
    return [rules for rules in EVALUATION if rules.phase and phase_of(rules) in phases]


def _rules_before(plan: Plan, is_report: bool) -> list[Resource]:
    """The custom rules, if these come before rules of the plan that they may skip, or, in a report,
    before its security level."""
    if is_report and SECURITY_LEVEL.plural in plan.before:
        return [CUSTOM_RULES]
    for resource in _phases_known(plan):
        if resource not in DECIDING and any(state[resource.plural] for state in _states(plan)):
            return [CUSTOM_RULES]
    return []


def _referring_rules(plan: Plan, reading_context: ReadingContext) -> Readings:
    """The readings of rules that may refer to lists, if rules refer to lists that are weakened or
    whose items change; empty otherwise.
    """
    if not _referred_lists(plan, reading_context.weakened):
        return {}
    return _readings_of(REFERRING, plan, reading_context)


def _rules_seldom_referring(plan: Plan, reading_context: ReadingContext) -> Readings:
    """The readings of the other rules, and of overrides, if more of them refer to such a list than
    the plan knows."""
    known = Counter(chain.from_iterable(one.lists for one in expressions_in(plan.before)))
    names = _referred_lists(plan, reading_context.weakened)
    for obj in plan.before.get(LISTS.plural, ()):
        name = LISTS.label_of(obj)
        if name in names and (REFERENCES not in obj or uses_of(obj) > known[name]):
            return _readings_of(SELDOM_REFERRING, plan, reading_context)
    return {}


def _readings_of(
    referring: Sequence[Resource], plan: Plan, reading_context: ReadingContext
) -> Readings:
    """The readings of rules or overrides that may refer to the changed lists of a plan."""
    readings: dict[str, Reading] = {}
    changed_lists = first_few(_referred_lists(plan))
    doubt = f"would let more pass, or stop more, with the new items of {changed_lists} is not known"
    for rules in referring:
        if rules.owner in reading_context.client.owner:
            sentence = f"Whether {rules.titles} {doubt}" if changed_lists else ""
            read = partial(reading_context.client.read, rules)
            readings[rules.plural] = Reading(sentence, read)
    return readings


def _referred_lists(plan: Plan, weakened: AbstractSet[str] = frozenset()) -> list[str]:
    """The names of lists that are `weakened` or whose items the plan changes, and to which rules
    refer; lists whose references Cloudflare does not count are included.
    """
    names = {*weakened, *_changed_lists(plan)}
    referred: list[str] = []
    for obj in plan.before.get(LISTS.plural, ()):
        is_referred = REFERENCES not in obj or uses_of(obj) > 0
        if LISTS.label_of(obj) in names and is_referred:
            referred.append(LISTS.label_of(obj))
    return referred


def _changed_lists(plan: Plan) -> set[str]:
    """The names of the lists that a plan creates or deletes, or in which it changes items."""
    names: set[str] = set()
    for operation in plan.operations:
        resource = operation.resource
        is_about_list = resource is LISTS or resource.parent is LISTS
        if is_about_list and operation.action != "update":
            names.add(resource.parent_name or operation.label)
    return names


def _lists(plan: Plan, reading_context: ReadingContext) -> Readings:
    """The reading of the account's lists, if rules refer to lists whose items are not known."""
    if not reading_context.decides or not _unknown_lists(plan, reading_context):
        return {}
    names = first_few(_lists_of_changes(plan))
    doubt = f"The items of the lists {names} are not known" if names else ""
    return {LISTS.plural: Reading(doubt, lambda: reading_context.read_of_account(LISTS))}


def _items(plan: Plan, reading_context: ReadingContext) -> Readings:
    """The readings of the items of lists to which rules refer."""
    readings: dict[str, Reading] = {}
    if not reading_context.decides or LISTS.plural not in plan.before:
        return readings
    items_by_list = {items.parent_name: items for items in LISTS.contents_in(plan.before)}
    changed = _lists_of_changes(plan)
    for name in _unknown_lists(plan, reading_context):
        items = items_by_list.get(name)
        if items:
            doubt = f"The items of the list {name} are not known" if name in changed else ""
            readings[items.plural] = Reading(doubt, partial(reading_context.read_of_account, items))
    return readings


def _unknown_lists(plan: Plan, reading_context: ReadingContext) -> list[str]:
    """The names of lists to which rules or expectations refer and whose items are not in the
    state.
    """
    names = dict.fromkeys(reading_context.expected_lists)
    for state in _states(plan):
        names.update(dict.fromkeys(lists_named_in(state)))
    return [name for name in names if items_of(name).plural not in plan.before]


def _lists_of_changes(plan: Plan) -> list[str]:
    """The names of lists to which changed rules refer; if the plan changes no rules, to which any
    rules refer.
    """
    if not plan.operations:
        return lists_named_in(plan.before)
    names: dict[str, None] = {}
    for operation in plan.operations:
        if operation.planned:
            rules = {evaluated_as(operation.resource).plural: [operation.planned]}
            names.update(dict.fromkeys(lists_named_in(rules)))
    return list(names)


def _overrides_of_account(plan: Plan, reading_context: ReadingContext) -> Readings:
    """The reading of the account's overrides, if the plan creates the first overrides of a zone
    (which hide them) or deletes the last ones, or if they may be weakened.
    """
    hidden = L7_OVERRIDES_OF_ACCOUNT
    has_before = bool(plan.before.get(L7_OVERRIDES.plural))
    has_after = bool(plan.after().get(L7_OVERRIDES.plural))
    is_needed = hidden.plural in reading_context.weakened or has_before is not has_after
    if not reading_context.decides or not is_needed:
        return {}
    doubt = (
        "Overrides of its account for HTTP DDoS rules are applied in a zone without its own."
        " Whether there are any is not known"
    )
    return {hidden.plural: Reading(doubt, lambda: reading_context.account.read(hidden))}


def _catalogues(plan: Plan, reading_context: ReadingContext) -> Readings:
    """The readings of the managed rules that changed overrides concern, if only the catalogue shows
    which managed rules these are.
    """
    doubt = "The categories of the managed DDoS rules are not known, so that any may be in any"
    readings: dict[str, Reading] = {}
    for resource in plan.resources.values():
        if resource.catalogue and reading_context.decides and _is_unclear(resource, plan):
            read = partial(_read_catalogue, resource, plan, reading_context)
            readings[resource.catalogue_object().plural] = Reading(doubt, read)
    return readings


def _is_unclear(resource: Resource, plan: Plan) -> bool:
    """Return whether only the catalogue shows which managed rules the overrides concern."""
    levels: set[str] = set()
    for state in _states(plan):
        for plural in (resource.plural, L7_OVERRIDES_OF_ACCOUNT.plural):
            for override in state.get(plural, ()):
                levels.update(levels_of(override))
    losses = override_losses(resource, plan.before, plan.after())
    return len(levels - {""}) > 1 or not all(loss.certain for loss in losses)


def _read_catalogue(
    resource: Resource, plan: Plan, reading_context: ReadingContext
) -> Sequence[Object]:
    """The managed rules; raises ProtectionError if they cannot be read, or have an unexpected
    form.
    """
    catalogue = resource.catalogue_object()
    objects = reading_context.client.read(catalogue)
    try:
        managed_rules(resource, {**plan.before, catalogue.plural: objects})
    except ValueError as exc:
        raise ProtectionError(f"{exc}.") from exc
    return objects


class RuleInForce(NamedTuple):
    """A rule in force, and the contents of the lists of its state."""

    rule: ZoneRule
    contents: Mapping[str, Contents]


def _owner_names(plan: Plan, reading_context: ReadingContext) -> Readings:
    """The reading of the name of the zone, or of the prefixes of the account, if it depends on
    these whether rules match all ordinary traffic.
    """
    readings: dict[str, Reading] = {}
    for resource in DECIDING:
        owner = OWNER_NAMES[resource.traffic]
        is_known = owner_names_in(resource.traffic, plan.before) is not None
        if owner.resource.owner not in reading_context.client.owner or is_known:
            continue
        rules = _rules_in_force(plan, resource)
        is_of_task = all(
            _names_origin(resource, in_force.rule, reading_context) for in_force in rules
        )
        if not plan.operations and is_of_task:
            continue  # only what nobody names is looked at
        doubt = f"A rule may match everything, since {owner.words} not known"
        is_needed = _depend_on_owner(resource, rules)
        if not is_needed and _names_other_hosts(plan, resource):
            doubt = f"A rule may stop nothing that arrives, since {owner.words} not known"
            is_needed = True
        if is_needed:
            read = partial(read_names, owner.resource, reading_context.client)
            readings[owner.resource.plural] = Reading(doubt if plan.operations else "", read)
    return readings


def _names_other_hosts(plan: Plan, resource: Resource) -> bool:
    """Return whether a plan changes the expression of a rule that stops requests into one that
    names hosts.
    """
    for operation in plan.operations:
        existing, planned = operation.existing, operation.planned
        if existing and planned and evaluated_as(operation.resource) is resource:
            (before,), (after,) = (
                rules_in_force({resource.plural: [rule]}, resource) for rule in (existing, planned)
            )
            is_changed = before.enforces and before.expression != after.expression
            if is_changed and HOST_FIELD in after.expression.names:
                return True
    return False


def _rules_in_force(plan: Plan, resource: Resource) -> list[RuleInForce]:
    """The rules of a phase before a plan, and after it."""
    rules: list[RuleInForce] = []
    for state in _states(plan):
        contents = contents_in(state)
        rules += [RuleInForce(rule, contents) for rule in rules_in_force(state, resource)]
    return rules


def _depend_on_owner(resource: Resource, rules: Sequence[RuleInForce]) -> bool:
    """Return whether the names of the owner decide whether rules match all ordinary traffic."""
    distinct: dict[object, ZoneRule] = {}
    for rule, contents in rules:
        distinct[rule.action, rule.expression, rule.active] = spelt_out(rule, contents)
    groups = wide_groups(resource, distinct.values())
    return any(depends_on_owner(resource, rule) for group in groups for rule in group)


def _names_origin(resource: Resource, rule: ZoneRule, reading_context: ReadingContext) -> bool:
    """Return whether the task names the object from which a rule comes."""
    collection, obj = listed(resource, rule)
    return collection.key_of(obj) in reading_context.task_keys.get(collection.plural, ())


# In the order in which they are read: what the rules of a plan meet comes before what they name.
NEEDS_OF_RULES: Sequence[Need] = (_skipped_rules, _referring_rules, _rules_seldom_referring)
FURTHER_NEEDS: Sequence[Need] = (_lists, _items, _overrides_of_account, _catalogues, _owner_names)
