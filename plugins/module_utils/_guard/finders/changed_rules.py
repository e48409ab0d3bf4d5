# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules that a plan changes, as the finders of risks compare them."""

from __future__ import annotations

from typing import AbstractSet, Iterable, Iterator, NamedTuple, Sequence

from ..._protection.rules_in_force import contents_in, rules_in_force, spelt_out
from ..._protection.zone_rule import ZoneRule
from ..._schema.registry import evaluated_as
from ..._schema.resource import Key, Resource
from .base import Change


class Rules(NamedTuple):
    """The rules of one resource before and after a plan, in the order in which traffic meets them,
    with the addresses of lists filled in; `same` are the keys of rules whose text does not change.
    """

    resource: Resource
    before: Sequence[ZoneRule]
    after: Sequence[ZoneRule]
    same: AbstractSet[Key]


def rules_with_changes(change: Change, resources: Iterable[Resource]) -> Iterator[Rules]:
    """The rules of each of these resources that a plan changes, directly or by the contents of
    lists.
    """
    before, after = change.before.state, change.after.state
    changed = {evaluated_as(resource).plural for resource in change.plan.resources.values()}
    lists_before, lists_after = contents_in(before), contents_in(after)
    if lists_before != lists_after:
        changed.update(before)
    for resource in resources:
        if resource.plural in changed:
            rules_before = rules_in_force(before, resource)
            rules_after = rules_in_force(after, resource)
            yield Rules(
                resource,
                before=[spelt_out(rule, lists_before) for rule in rules_before],
                after=[spelt_out(rule, lists_after) for rule in rules_after],
                same=_keys_with_same_text(rules_before, rules_after),
            )


def _keys_with_same_text(before: Iterable[ZoneRule], after: Iterable[ZoneRule]) -> frozenset[Key]:
    texts_before = {(rule.key, rule.expression) for rule in before}
    return frozenset(rule.key for rule in after if (rule.key, rule.expression) in texts_before)
