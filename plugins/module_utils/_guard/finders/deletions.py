# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of deletions, which plans for any list can have, and of lists that rules refer to."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Iterator, Mapping, NamedTuple, Sequence

from ..._plan.plan import Operation, Plan, with_along
from ..._schema.lists import LISTS, uses_of
from ..._schema.resource import Object
from ..._text import capitalised, first_few, plural
from ..._values.address_set import range_of, union
from ..finding import FinderAnswer, entries_of, entry_of
from ..risks.declaration import Limits
from ..risks.deletions import EMPTIES_LIST, MASS_DELETION, MAX_DELETIONS, REMOVES_REFERENCED_LIST
from .base import Change, by_risk, finds

FEWEST_MASS_DELETION = 5


class Deletions(NamedTuple):
    """The deletions from one list, and the number of its objects before and after them."""

    operations: Sequence[Operation]
    before: int
    after: int

    @property
    def title(self) -> str:
        """The name of the list at the beginning of a sentence."""
        return capitalised(self.operations[0].resource.titles)


@finds(MASS_DELETION)
def mass_deletion(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a large part of a list is deleted at once."""
    most = limits[MAX_DELETIONS]
    concerned: list[Deletions] = []
    reasons: list[str] = []
    for deletions in _deletions(change):
        number = len(deletions.operations)
        if number >= FEWEST_MASS_DELETION and number * 100 > deletions.before * most:
            concerned.append(deletions)
            share = f"{number} of {deletions.before} would be deleted"
            reasons.append(f"{deletions.title}: {share}, which is more than {most} %")
    return _of_deletions(concerned, reasons)


@finds(EMPTIES_LIST)
def empties_list(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a list becomes empty, although the task does not name all objects to delete."""
    concerned: list[Deletions] = []
    reasons: list[str] = []
    for deletions in _deletions(change):
        names_each = all(operation.named for operation in deletions.operations)
        if not deletions.after and not names_each:
            concerned.append(deletions)
            reasons.append(f"{deletions.title}: none of {deletions.before} would be left")
    return _of_deletions(concerned, reasons)


def _deletions(change: Change) -> Iterator[Deletions]:
    """The deletions of each list; those that lower no protection do not count."""
    before, after = change.before.state, change.after.state
    by_list: dict[str, list[Operation]] = {}
    for operation in change.plan.operations:
        if operation.action != "delete" or _protects_nobody(operation):
            continue
        deletions = by_list.setdefault(operation.resource.plural, [])
        deletions.append(operation)
    for collection, operations in by_list.items():
        number_before = len(before[collection])
        number_after = len(after[collection])
        yield Deletions(operations, number_before, number_after)


def _protects_nobody(operation: Operation) -> bool:
    return operation.resource.semantics.protects_nobody(operation.existing or {})


def _of_deletions(concerned: Sequence[Deletions], reasons: Sequence[str]) -> FinderAnswer:
    if not concerned:
        return None
    operations: list[Operation] = []
    for deletions in concerned:
        operations += deletions.operations
    ranges = [range_of(operation.address) for operation in operations]
    message = f"{'; '.join(reasons)}."
    return message, union(filter(None, ranges)), entries_of(operations)


@finds(REMOVES_REFERENCED_LIST)
def removes_referenced_list(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that a list to which a rule refers loses all its items."""
    used = used_lists(change.plan, _emptied_lists(change))
    if not used:
        return None
    message = f"Lists that rules refer to would be empty: {used_in_words(used)}."
    return message, [], [entry_of(LISTS, use.obj) for use in used]


class UsedList(NamedTuple):
    """A list, and the number of rules that refer to it after a plan."""

    obj: Object
    uses: int


def used_lists(plan: Plan, lists: Iterable[Object]) -> list[UsedList]:
    """Those of some lists to which rules refer both before and after a plan."""
    found: list[UsedList] = []
    candidates = list(lists)
    changes = reference_changes(plan) if candidates else {}
    for obj in candidates:
        name = LISTS.label_of(obj)
        uses = uses_of(obj) - plan.freed.get(name, 0)
        uses_after = uses + changes.get(name, 0)
        if uses and uses_after > 0:
            found.append(UsedList(obj, uses_after))
    return found


def used_in_words(used: Sequence[UsedList]) -> str:
    """The names of lists, with the numbers of the rules that refer to them."""
    texts = []
    for obj, uses in used:
        texts.append(f"{LISTS.label_of(obj)} ({plural(uses, 'rule refers', 'rules refer')} to it)")
    return first_few(texts)


def _emptied_lists(change: Change) -> Iterator[Object]:
    before, after = change.plan.before, change.after.state
    plurals: dict[str, str] = {}  # of the items that go, by the name of their list
    for operation in change.plan.operations:
        items = operation.resource
        if operation.action == "delete" and items.parent is LISTS:
            plurals[items.parent_name] = items.plural
    for obj in before.get(LISTS.plural, ()):
        plural_of_items = plurals.get(LISTS.label_of(obj))
        if plural_of_items and not after[plural_of_items]:
            yield obj


def reference_changes(plan: Plan) -> Mapping[str, int]:
    """The change in the number of rules that refer to a list (negative: fewer rules), by list, that
    the operations of a plan make."""
    from ..._protection.rules_in_force import lists_named_in  # loads all kinds of rules
    from ..._schema.registry import evaluated_as  # loads all kinds of rules

    changes: Counter[str] = Counter()
    for operation in with_along(plan.operations):
        rules = evaluated_as(operation.resource)
        if not rules.traffic and not rules.is_ordered:
            continue
        for rule, number in ((operation.existing, -1), (operation.planned, 1)):
            names = lists_named_in({rules.plural: [rule]}) if rule else ()
            for name in names:
                changes[name] += number
    return changes


DELETION_FINDERS = by_risk(mass_deletion, empties_list, removes_referenced_list)
