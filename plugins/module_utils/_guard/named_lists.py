# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists that rules of a plan refer to: whoever judges the rules must know what they hold."""

from __future__ import annotations

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


def read_named_lists(plan: Plan, known: Mapping[str, Sequence[Any]], client: Client) -> State:
    """The contents of the lists that rules refer to, before the plan or after it: those that are
    `known`, and others as the account has them. Of a list that cannot be read, why; nothing where
    rules refer to none."""
    if not any(resource.plural in plan.before for resource, _in_order in EVALUATION):
        return {}
    names = list(dict.fromkeys([*_names_in(plan.before), *_names_in(plan.after())]))
    planned = [contents_of(name, known[name]) for name in names if name in known]
    others = [name for name in names if name not in known]
    if not names:
        return {}
    return {CONTENTS: [*planned, *(_read(others, client) if others else [])]}


def _names_in(state: State) -> list[str]:
    rules = [
        rule
        for resource, in_order in EVALUATION
        if resource.plural in state
        for rule in in_order(state[resource.plural])
    ]
    return [name for rule in rules for name in lists_in(rule.expression)]


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
        for obj in plan.before.get(CONTENTS, ())
        if obj["networks"] is None
    }
    changed = [str((item.planned or {}).get("expression") or "") for item in plan.operations]
    named = [name for text in changed for name in lists_in(text) if name in unknown]
    if not named:
        return ""
    lists = first_few(dict.fromkeys(named))
    return Message(f"What the lists {lists} hold is not known: ", unknown[named[0]])
