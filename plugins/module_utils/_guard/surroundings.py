# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Surroundings of a plan: lists that its rules name, rules that name its lists, and overrides that
it hides decide about it too."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import AbstractSet, Any, Iterable, Iterator, Mapping, Sequence

from .._api.client import Client
from .._api.neighbours import account_of, read_items
from .._context import Context
from .._errors import ProtectionError, ServiceError
from .._expressions.grammar import lists_in
from .._plan.plan import Plan
from .._protection.overrides import managed_rules, override_losses
from .._schema.lists import LISTS, REFERENCES, items_of, uses_of
from .._schema.overrides import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT, levels_of
from .._schema.registry import DECIDING, EVALUATION, lists_named_in, phase_of, rules_in_force
from .._schema.resource import ZONE_OWNER, Object
from .._schema.zone import CUSTOM_RULES
from .._text import Message, first_few
from .way import with_own_names, with_read, with_way

REFERRING = [one for one, _read in DECIDING if one.phase]  # the rules that lists may change
UNREAD_OVERRIDES = (
    "Overrides of its account for HTTP DDoS rules are applied in a zone without its own. Whether"
    " there are any is not known: "
)


def with_overrides_of_account(plan: Plan, judged: AbstractSet[str], client: Client) -> Plan:
    """The plan with the overrides of the account that it hides by the first overrides of a zone, or
    that are applied once the last one is gone, or that are `judged`; any other plan as it is."""
    plural, hidden = L7_OVERRIDES.plural, L7_OVERRIDES_OF_ACCOUNT.plural
    sides = [bool(state.get(plural)) for state in (plan.before, plan.after())]
    if hidden not in judged and sides[0] is sides[1]:
        return plan
    return with_read(plan, {hidden: lambda: account_of(client).read(L7_OVERRIDES_OF_ACCOUNT)})


def with_managed_rules(plan: Plan, client: Client) -> Plan:
    """The plan with the managed rules that its overrides are about, if these name categories or
    rules that may be about the same one, or no longer decide."""
    resource = plan.operations[0].resource if plan.operations else None
    if not resource or not resource.catalogue:
        return plan
    states = (plan.before, plan.after())
    objects = [obj for state in states for objects in state.values() for obj in objects]
    names = {name for obj in objects for name in levels_of(obj)} - {""}
    if len(names) < 2 and all(item.certain for item in override_losses(resource, *states)):
        return plan
    catalogue = resource.catalogue_object()
    try:
        before = {**plan.before, catalogue.plural: client.read(catalogue)}
        managed_rules(resource, before)
    except (ServiceError, ValueError) as exc:
        reason = exc.message if isinstance(exc, ServiceError) else f"{exc}."
        return plan._replace(unread={**plan.unread, catalogue.plural: reason})
    return plan._replace(before=before)


def unread_managed_rules(plan: Plan) -> str:
    """A warning where the plan changes overrides of managed rules whose categories are not
    known."""
    changed = [item.resource for item in plan.operations if item.resource.catalogue]
    catalogues = [resource.catalogue_object().plural for resource in changed]
    reasons = [plan.unread[name] for name in catalogues if name in plan.unread]
    what = "The categories of the managed DDoS rules are not known, so that any may be in any: "
    return Message(what, reasons[0]) if reasons else ""


def hidden_overrides(plan: Plan) -> str:
    """A warning for a plan that hides overrides of an account, or has them applied, without the
    risk weakens_ddos_rules; empty for any other."""
    states = (plan.before, plan.after())
    had, has = (bool(state.get(L7_OVERRIDES.plural)) for state in states)
    overrides = plan.before.get(L7_OVERRIDES_OF_ACCOUNT.plural, ())
    if had is has or not overrides or override_losses(L7_OVERRIDES, *states):
        return ""
    moment, what = ("loses its last", "in force") if had else ("gets its first", "hidden")
    labels = first_few(map(L7_OVERRIDES_OF_ACCOUNT.label_of, overrides))
    outcome = f"those of its account are {what} in the zone: {labels}."
    return f"The zone {moment} HTTP DDoS override. From then on, {outcome}"


def unread_overrides(plan: Plan) -> str:
    """A warning where overrides of the account cannot be read."""
    reason = plan.unread.get(L7_OVERRIDES_OF_ACCOUNT.plural)
    return Message(UNREAD_OVERRIDES, reason) if reason else ""


def with_named_lists(plan: Plan, planned: Mapping[str, Any], client: Client) -> Plan:
    """The plan with the items of the lists that its rules refer to, before it and after it.

    `planned` has, by name, the networks of a list as another plan of the same run leaves it, or a
    dictionary with those `before` and `after`; all others are as the account has them. Of a list
    that cannot be read, the plan says why.
    """
    before, after = plan.before, plan.after()
    named = lists_named_in(before), lists_named_in(after)
    known_items = [
        {items_of(name).plural: items for name in names for items in _planned(planned, name, side)}
        for side, names in zip(("before", "after"), named)
    ]
    missing = [
        name
        for names, own, more in zip(named, (before, after), known_items)
        for name in names
        if items_of(name).plural not in {**more, **own}
    ]
    if not missing and not any(known_items):
        return plan
    plan = _with_items(plan, [*dict.fromkeys(missing)], client) if missing else plan
    before = {**known_items[0], **plan.before}
    changed = {name: items for name, items in known_items[1].items() if before.get(name) != items}
    return plan._replace(before=before, alongside={**plan.alongside, **changed})


def _planned(planned: Mapping[str, Any], name: str, side: str) -> Iterator[list[Object]]:
    """The items of a list on one side of a plan, if they are known without reading."""
    networks = planned.get(name)
    if isinstance(networks, Mapping):
        yield _as_items(networks.get(side) or ())
    elif name in planned and side == "after":
        yield _as_items(networks or ())


def _as_items(networks: Iterable[Any]) -> list[Object]:
    return [{"ip": network} for network in networks]


def _with_items(plan: Plan, names: Sequence[str], client: Client) -> Plan:
    """The plan with the items of lists as the account has them, or the reason why they are not
    known, and with the names of all its lists by each name that none of them has."""
    try:
        account = account_of(client)
        lists = account.read(LISTS)
        known = read_items(account, [obj for obj in lists if LISTS.label_of(obj) in names])
    except ProtectionError as exc:
        unread = {items_of(name).plural: exc.message for name in names}
        return plan._replace(unread={**plan.unread, **unread})
    there = [LISTS.label_of(obj) for obj in lists]
    items = {
        items_of(LISTS.label_of(obj)).plural: _as_items(item.get("ip") for item in obj["items"])
        for obj in known
    }
    absent = {name: there for name in names if name not in there}
    return plan._replace(before={**items, **plan.before}, missing=absent)


def unread_lists(plan: Plan) -> str:
    """A warning where the plan changes rules that refer to lists which cannot be read."""
    changed = [str((item.planned or {}).get("expression") or "") for item in plan.operations]
    named = dict.fromkeys(name for text in changed for name in lists_in(text))
    unread = [name for name in named if items_of(name).plural in plan.unread]
    if not unread:
        return ""
    reason = plan.unread[items_of(unread[0]).plural]
    return Message(f"What the lists {first_few(unread)} hold is not known: ", reason)


def with_referring_rules(
    plan: Plan, judged: AbstractSet[str], context: Context, client: Client
) -> Plan:
    """The plan with the rules of the account's Network Firewall, and with the custom rules of a
    zone, if rules refer to lists whose items it changes, or that are `judged`."""
    concerned = frozenset(_referred_lists(plan, judged))
    if not concerned:
        return plan
    zone = {ZONE_OWNER.option: context.zone_id}
    readings = {
        one.plural: partial((client.within(zone) if one.owner in zone else client).read, one)
        for one in REFERRING
        if context.zone_id or one.owner not in zone
    }
    whole = with_way(with_read(plan, readings), context, False, client)
    is_referred_to = not concerned.isdisjoint(lists_named_in(whole.before))
    return whole if whole.unread or is_referred_to else plan


def _referred_lists(plan: Plan, judged: AbstractSet[str] = frozenset()) -> list[str]:
    """Names of the lists that are judged, or whose addresses the plan changes, and to which rules
    refer; or may do so, if Cloudflare does not count them."""
    concerned = judged | {
        item.resource.within or item.label
        for item in plan.operations
        if LISTS in (item.resource, item.resource.parent) and item.action != "update"
    }
    lists = [obj for obj in plan.before.get(LISTS.plural, ()) if LISTS.label_of(obj) in concerned]
    return [LISTS.label_of(obj) for obj in lists if REFERENCES not in obj or uses_of(obj) > 0]


def with_skipped_rules(plan: Plan, context: Context, client: Client) -> Plan:
    """The plan with the rules of phases that its rules skip, and, for rules that others may skip,
    with the custom rules of the zone; another module of the host that writes these judges them."""
    states = (plan.before, plan.after()) if plan.operations else (plan.before,)
    known = [item for item in EVALUATION if item[0].phase and item[0].plural in plan.before]
    rules = chain(*(rules_in_force(state, item[0]) for item in known for state in states))
    skipped = {name for rule in rules if rule.lets_pass for name in rule.skips}
    needed = [one for one, _in_order in EVALUATION if one.phase and phase_of(one) in skipped]
    later = [item[0].plural for item in known if item not in DECIDING]
    has_later = any(state[name] for name in later for state in states)
    if has_later and CUSTOM_RULES.plural not in context.modules:
        needed.append(CUSTOM_RULES)
    lacking = [one for one in needed if one.plural not in plan.before]
    own = [one for one in lacking if one.owner in client.owner]
    return with_read(plan, {one.plural: partial(client.read, one) for one in own})


def with_rules_around(plan: Plan, context: Context, client: Client) -> Plan:
    """The plan with the rules that decide what its rules are worth, and the names of its owner."""
    plan = with_way(with_skipped_rules(plan, context, client), context, False, client)
    return with_own_names(plan, context, client)


def unread_skipped_rules(plan: Plan) -> str:
    """A warning where it is not known which rules custom rules skip."""
    unread = [one.plural for one, _order in EVALUATION if one.phase and one.plural in plan.unread]
    if not unread or LISTS.plural in plan.before:
        return ""
    what = "Whether custom rules skip other rules that would stop requests is not known: "
    return Message(what, plan.unread[unread[0]])


def unread_rules(plan: Plan) -> str:
    """A warning where the plan changes lists to which rules may refer that cannot be read."""
    unread = [resource for resource in REFERRING if resource.plural in plan.unread]
    concerned = _referred_lists(plan)
    if not unread or not concerned:
        return ""
    titles = " and ".join(resource.titles for resource in unread)
    lists = first_few(concerned)
    what = f"Whether {titles} would let more pass, or stop more, with the new items of {lists}"
    return Message(f"{what} is not known: ", plan.unread[unread[0].plural])


def with_surroundings(
    plan: Plan, context: Context, judged: AbstractSet[str], client: Client
) -> Plan:
    """The plan, whose state has all that decides about it. `judged` are lists by name,
    and the overrides of an account by their plural."""
    plan = with_referring_rules(plan, judged, context, client)
    plan = with_named_lists(plan, context.lists, client)
    return with_managed_rules(with_overrides_of_account(plan, judged, client), client)
