# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists that rules of a plan refer to: a check of the rules needs their items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Sequence

from .._api.client import Client
from .._errors import ProtectionError
from .._expressions.lists import lists_in
from .._neighbours.account import account_of
from .._neighbours.ip_lists import read_ip_lists
from .._plan.plan import Plan
from .._schema.evaluation import EVALUATION
from .._schema.lists import CONTENTS, LISTS, contents_of
from .._schema.resource import Object, State
from .._text import Message, first_few


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
