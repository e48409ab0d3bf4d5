# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What decides about a plan beside the objects of its own resources: lists that rules name, rules
that name its lists, and overrides that it hides."""

from __future__ import annotations

from dataclasses import replace
from typing import AbstractSet, Any, Mapping

from .._api.client import Client
from .._plan.plan import Plan
from .hidden import hidden_overrides, read_hidden_overrides
from .named_lists import unread_lists, with_named_lists
from .referring_rules import contents_of_plan, unread_rules, with_referring_rules


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
