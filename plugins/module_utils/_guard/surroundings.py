# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What decides about a plan beside the objects of its own resources: lists that rules name, rules
that name its lists, and overrides that it hides."""

from __future__ import annotations

from dataclasses import replace
from typing import AbstractSet, Any, Mapping, Sequence

from .._api.client import Client
from .._api.neighbours import account_of, read_ip_lists
from .._errors import ProtectionError, ServiceError
from .._expressions.grammar import lists_in
from .._plan.plan import Plan
from .._protection.overrides import weakenings
from .._schema.lists import CONTENTS, LISTS, REFERENCES, contents_of, items_of, references
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.overrides import HIDDEN, L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT, strengthens
from .._schema.owners import ZONE_OWNER
from .._schema.registry import EVALUATION
from .._schema.resource import Object, State
from .._schema.zone import CUSTOM_RULES
from .._text import Message, first_few

FIRST = (
    "The zone gets its first HTTP DDoS override. From then on, overrides of its account for these"
    " rules are not applied in the zone"
)


LAST = (
    "The zone loses its last HTTP DDoS override. From then on, overrides of its account for these"
    " rules are applied in the zone"
)


def read_hidden_overrides(plan: Plan, client: Client) -> State:
    """The overrides of the account that a plan with the first overrides of a zone hides, or that
    are applied once the last one is gone, or why they are not known; nothing for any other plan."""
    plural = L7_OVERRIDES.plural
    if not plan.operations or plural not in plan.before:
        return {}
    if bool(plan.before[plural]) is bool(plan.after()[plural]):
        return {}
    try:
        overrides = account_of(client).read(L7_OVERRIDES_OF_ACCOUNT)
    except ProtectionError as exc:
        return {HIDDEN: [{"overrides": [], "unknown": exc.message}]}
    return {HIDDEN: [{"overrides": overrides, "unknown": ""}]}


def hidden_overrides(plan: Plan) -> str:
    """A warning for a plan that hides overrides of an account, or has them applied, without the
    risk weakens_ddos_rules, or may do so; empty for any other."""
    for hidden in plan.before.get(HIDDEN, ()):
        existing = plan.before[L7_OVERRIDES.plural]
        moment = LAST if existing else FIRST
        if hidden["unknown"]:
            return Message(f"{moment}. Whether there are any is not known: ", hidden["unknown"])
        overrides = hidden["overrides"]
        worse = weakenings(L7_OVERRIDES_OF_ACCOUNT, existing, overrides) if existing else ()
        if overrides and not worse and (existing or not any(map(strengthens, overrides))):
            return f"{moment}: {first_few(map(L7_OVERRIDES_OF_ACCOUNT.label_of, overrides))}."
    return ""


def with_named_lists(plan: Plan, known: Mapping[str, Any], client: Client) -> Plan:
    """The plan with the contents of the lists that its rules refer to, before it and after it.

    `known` has, by name, the networks of a list as they are planned, or a dictionary with those
    `before` and `after`; all others are as the account has them. Of a list that cannot be read, the
    plan says why.
    """
    if not any(resource.plural in plan.before for resource, _in_order in EVALUATION):
        return plan
    needed = {"before": names_in(plan.before), "after": names_in(plan.after())}
    networks = {side: _contents(names, known, side) for side, names in needed.items()}
    unread = [
        name for side, names in needed.items() for name in names if name not in networks[side]
    ]
    if not any(needed.values()):
        return plan
    existing = _read(list(unread), client) if unread else []
    before, after = (
        [*networks[side].values(), *(obj for obj in existing if obj["name"] not in networks[side])]
        for side in needed
    )
    changed = {CONTENTS: after} if _by_name(after) != _by_name(before) else {}
    return replace(plan, before={**plan.before, CONTENTS: before}, alongside=changed)


def _by_name(contents: Sequence[Object]) -> dict[str, Object]:
    return {obj["name"]: obj for obj in contents}


def _contents(names: Sequence[str], known: Mapping[str, Any], side: str) -> dict[str, Object]:
    """The contents of lists on one side of a plan, as far as they are known without reading."""
    listed = {
        name: known[name].get(side) if isinstance(known[name], Mapping) else known[name]
        for name in names
        if name in known and (isinstance(known[name], Mapping) or side == "after")
    }
    return {name: contents_of(name, networks or []) for name, networks in listed.items()}


def names_in(state: State) -> list[str]:
    """The names of the lists that the rules of a state refer to."""
    rules = [
        rule
        for resource, in_order in EVALUATION
        if resource.plural in state
        for rule in in_order(state[resource.plural])
    ]
    return list(dict.fromkeys(name for rule in rules for name in lists_in(rule.expression)))


def _read(names: Sequence[str], client: Client) -> list[Object]:
    try:
        lists = read_ip_lists(account_of(client), frozenset(names))
    except ProtectionError as exc:
        return [contents_of(name, None, exc.message) for name in names]
    return [
        contents_of(LISTS.label_of(obj), [item.get("ip") for item in obj["items"]]) for obj in lists
    ]


def unread_lists(plan: Plan) -> str:
    """A warning where the plan changes rules that refer to lists which cannot be read."""
    unknown = {
        str(obj["name"]): obj["unknown"]
        for obj in plan.alongside.get(CONTENTS) or plan.before.get(CONTENTS, ())
        if obj["networks"] is None
    }
    changed = [str((item.planned or {}).get("expression") or "") for item in plan.operations]
    named = [name for text in changed for name in lists_in(text) if name in unknown]
    if not named:
        return ""
    lists = first_few(dict.fromkeys(named))
    return Message(f"What the lists {lists} hold is not known: ", unknown[named[0]])


UNREAD = "rules that cannot be read"  # in a state: their titles, and why


def with_referring_rules(
    plan: Plan, judged: AbstractSet[str], zone_id: str | None, client: Client
) -> Plan:
    """The plan with the rules of the account's Network Firewall, and with the custom rules of a
    zone, if rules refer to lists whose items it changes, or that are `judged`."""
    concerned = {LISTS.label_of(obj) for obj in _concerned(plan, judged) if is_referred_to(obj)}
    if not concerned:
        return plan
    readings = [(NETWORK_FIREWALL_RULES, client)]
    if zone_id:
        readings.append((CUSTOM_RULES, client.within({ZONE_OWNER.option: zone_id})))
    rules: dict[str, Any] = {}
    for resource, reader in readings:
        try:
            rules[resource.plural] = reader.read(resource)
        except ServiceError as exc:
            unread = {"title": f"{resource.title}s", "reason": exc.message}
            rules[UNREAD] = [*rules.get(UNREAD, ()), unread]
    if UNREAD not in rules and concerned.isdisjoint(names_in(rules)):
        return plan
    return replace(plan, before={**plan.before, **rules})


def is_referred_to(obj: Object) -> bool:
    """Whether rules refer to a list, or may do so where Cloudflare does not count them."""
    return REFERENCES not in obj or references(obj) > 0


def _concerned(plan: Plan, judged: AbstractSet[str]) -> list[Object]:
    """The lists of the account that are checked, or whose addresses the plan changes."""
    changed = {
        item.resource.within
        for item in plan.operations
        if item.resource.parent is LISTS and item.action != "update"
    }
    lists = plan.before.get(LISTS.plural, ())
    return [obj for obj in lists if LISTS.label_of(obj) in changed | judged]


def unread_rules(plan: Plan) -> str:
    """A warning where the plan changes lists to which rules may refer that cannot be read."""
    unread = plan.before.get(UNREAD, ())
    concerned = [obj for obj in _concerned(plan, frozenset()) if is_referred_to(obj)]
    if not unread or not concerned:
        return ""
    lists = first_few(LISTS.label_of(obj) for obj in concerned)
    titles = " and ".join(item["title"] for item in unread)
    what = f"Whether {titles} would let more pass, or stop more, with the new items of {lists}"
    return Message(f"{what} is not known: ", unread[0]["reason"])


def contents_of_plan(plan: Plan) -> dict[str, dict[str, list[Any]]]:
    """By name: the networks of the lists of a plan, `before` it and `after` it."""
    names = [LISTS.label_of(obj) for obj in plan.before.get(LISTS.plural, ())]
    if not names:
        return {}
    after = plan.after()
    return {
        name: {
            side: [item.get("ip") for item in state[items_of(name).plural]]
            for side, state in (("before", plan.before), ("after", after))
        }
        for name in names
        if items_of(name).plural in plan.before
    }


def with_background(
    plan: Plan, options: Mapping[str, Any], judged: AbstractSet[str], client: Client
) -> Plan:
    """The plan, whose state has all that decides about it; a task knows lists by the option
    `ip_lists`, and the zone of their rules by `rules_of_zone`. `judged` are lists by name."""
    plan = with_referring_rules(plan, judged, options.get("rules_of_zone"), client)
    lists = {**contents_of_plan(plan), **(options.get("ip_lists") or {})}
    plan = with_named_lists(plan, lists, client)
    hidden = read_hidden_overrides(plan, client)
    return replace(plan, before={**plan.before, **hidden}) if hidden else plan


def background_warnings(plan: Plan) -> list[str]:
    """What a plan changes beside its objects, or may change, since not all is known."""
    return [*filter(None, (hidden_overrides(plan), unread_lists(plan), unread_rules(plan)))]
