# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The approval of a plan: its id, and whether a plan is the approved one, or finishes it.

A task approves one plan by the id that its dry run returned; a plan that does something else is
refused. The ids of two plans are equal exactly if they do the same to equal objects."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import islice
from typing import AbstractSet, Any, Hashable, Iterator, Mapping, NamedTuple, Sequence

from .._errors import OptionError
from .._plan.plan import Operation, Plan, every_value, with_along
from .._schema.lists import contents_of, items_of
from .._schema.resource import Key, Object, Values, without
from .._text import Message, Option, joined, plural

OPTION = Option("expected_plan")
PLAN_ID = re.compile(r"(?:[0-9a-f]{64})?")


def approval_refusal(approved: str | None, plan: Plan, identity: str, begun: Plan | None) -> str:
    """The reason why this `plan`, whose id is `identity`, must not be applied; empty if it may.

    `approved` is the id of the approved plan: empty if no change is approved, None if any plan is.
    `begun` is the approved plan once it is being applied: its remaining operations are approved.
    """
    if approved is None or not plan.operations or identity == approved:
        return ""
    if begun is not None:
        return "" if is_rest_of(plan, begun) else joined(" ", (_LEFT, _REVIEW))
    operations = plural(len(plan.operations), "operation", "operations")
    approval = Message(OPTION, f" is {approved}")
    if not approved:
        approval = Message("an empty ", OPTION, " approves none")
    about = f"it has {operations} and the plan_id {identity}"
    return Message(f"The plan is not the approved one: {about}, and ", approval, ". ", _REVIEW)


_LEFT = Message(
    "What is left is not a part of the plan that ",
    OPTION,
    " approves, since the existing state is another one now.",
)
_REVIEW = Message(
    "Review the operations, and give their plan_id as ", OPTION, " if they are meant."
)


def parse_approval(options: Mapping[str, Any]) -> str | None:
    """The id of the approved plan; raises OptionError for a text that is not a plan_id."""
    text = options.get("expected_plan")
    if text is None:
        return None
    expected = str(text).strip().lower()
    if not PLAN_ID.fullmatch(expected):
        raise OptionError(
            OPTION,
            f"'{text}' is not a plan_id, which has 64 hexadecimal digits, or is empty for a plan"
            " without operations",
        )
    return expected


def plan_id(owner: Mapping[str, str], plan: Plan) -> str:
    """SHA-256, in 64 hexadecimal digits, over the account or zone and the ordered operations; empty
    for an empty plan.

    Each object that changes counts as a whole, before and after, with the fields that the
    collection does not know; so does the order of a list in which order matters. Values are
    normalised first, so that spelling makes no difference. Lists and rulesets that a changed rule
    refers to count with the contents that they will have after the run of all hosts. Not included
    are credentials, the base URL, the order of a dictionary, times and versions that Cloudflare
    sets, and objects that do not change.
    """
    if not plan.operations:
        return ""
    digest = hashlib.sha256()
    for counted in _pieces_of_plan_id(owner, plan):
        digest.update(CANONICAL.encode(counted).encode("utf-8", "backslashreplace") + b"\n")
    return digest.hexdigest()


MOST_AT_ONCE = 100  # changes of objects
CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)


def _pieces_of_plan_id(owner: Mapping[str, str], plan: Plan) -> Iterator[Any]:
    """All values over which the id of a plan is computed, one by one."""
    yield dict(owner)
    changes = _object_changes(plan)
    while batch := list(islice(changes, MOST_AT_ONCE)):
        yield batch
    yield _orders(plan)
    rules = _lists_of_changed_rules(plan)
    rulesets = _rulesets_executed(rules, plan)
    yield _lists_named(rules, rulesets, plan)
    if rulesets:
        yield rulesets


def _lists_of_changed_rules(plan: Plan) -> dict[str, list[Object]]:
    """The rules that change, each before and after, by the collection in which traffic meets
    them.
    """
    changes = [
        operation
        for operation in with_along(plan.operations)
        if operation.resource.is_ordered or operation.resource.nested
    ]
    if not changes:
        return {}
    from .._schema.registry import evaluated_as  # loads all kinds of rules

    rules: dict[str, list[Object]] = {}
    for operation in changes:
        versions = (operation.existing, operation.planned)
        of_phase = rules.setdefault(evaluated_as(operation.resource).plural, [])
        of_phase += [rule for rule in versions if rule is not None]
    return rules


def _rulesets_executed(
    rules: Mapping[str, Sequence[Object]], plan: Plan
) -> dict[str, list[Values] | None]:
    """The rules of the custom rulesets that changed rules execute, as they will be, by the id of
    the ruleset; None for a ruleset whose rules are not known.
    """
    if not rules:
        return {}
    from .._schema.custom_rules import CUSTOM_RULES, ENTRY_POINTS
    from .._schema.custom_rulesets import EXECUTED_RULESETS
    from .._schema.rulesets import deployed

    identities: dict[str, None] = {}
    for entry_point in ENTRY_POINTS.values():
        identities.update(dict.fromkeys(map(deployed, rules.get(entry_point.plural, ()))))
    identities.pop("", None)
    contents: dict[str, Any] = {}
    for ruleset in plan.after().get(EXECUTED_RULESETS, ()):
        contents[str(ruleset.get("id"))] = ruleset.get("rules")
    executed: dict[str, list[Values] | None] = {}
    for identity in identities:
        inner = contents.get(identity)
        executed[identity] = None
        if inner is not None:
            executed[identity] = [every_value(CUSTOM_RULES, without(rule, "id")) for rule in inner]
    return executed


def _lists_named(
    rules: Mapping[str, Sequence[Object]],
    rulesets: Mapping[str, Sequence[Values] | None],
    plan: Plan,
) -> dict[str, list[Any] | None]:
    """The contents of the lists that changed rules, or `rulesets` executed by them, refer to, by
    the name of the list; None for a list whose contents are not known.
    """
    if not rules:
        return {}
    from .._protection.rules_in_force import lists_named_in  # loads all kinds of rules
    from .._schema.custom_rules import CUSTOM_RULES

    names = [*lists_named_in(rules)]
    for inner in rulesets.values():
        names += lists_named_in({CUSTOM_RULES.plural: inner or ()})
    after = plan.after()
    contents: dict[str, list[Any] | None] = {}
    for name in names:
        items = after.get(items_of(name).plural)
        known = None if items is None else contents_of(items).written()
        contents[name] = plan.contents.get(name, known)
    return contents


def is_rest_of(remaining: Plan, plan: Plan) -> bool:
    """Return whether `remaining` finishes what `plan` began: each object ends as it does in `plan`,
    and starts from values that it had before `plan` or has reached meanwhile.
    """
    approved = {change.target: change for change in _object_changes(plan)}
    for change in _object_changes(remaining):
        if change.target not in approved or not change.finishes(approved[change.target]):
            return False
    orders = _orders(plan)
    for name, order in _orders(remaining).items():
        if name not in orders or orders[name]["after"] != order["after"]:
            return False
    return True


class ObjectChange(NamedTuple):
    """A change of one object: its normalised values before and after, None for no object.

    `target` identifies the object and the action.
    """

    target: tuple[Hashable, ...]
    before: Values | None
    after: Values | None

    def finishes(self, whole: ObjectChange) -> bool:
        """Return whether this change ends as the change `whole` does, and starts from values
        between those at its start and its end.
        """
        before, after = whole.before, whole.after
        return self.after == after and _is_between(self.before, before, after)


def _is_between(value: Any, before: Any, after: Any) -> bool:
    """Return whether a value lies between `before` and `after` in a change: it equals one of them,
    or each of its fields equals that of one of them.
    """
    if value in (before, after):
        return True
    if not all(isinstance(version, Mapping) for version in (value, before, after)):
        return False
    names: AbstractSet[str] = before.keys() | after.keys()
    if not value.keys() <= names:
        return False
    return all(_is_between(value.get(name), before.get(name), after.get(name)) for name in names)


def _object_changes(plan: Plan) -> Iterator[ObjectChange]:
    return map(_object_change, with_along(plan.operations))


def _object_change(operation: Operation) -> ObjectChange:
    resource, existing, planned = operation.resource, operation.existing, operation.planned
    is_new = existing is None
    target: list[Hashable] = [operation.action, resource.name]
    if resource.parent_name:
        target.append(resource.parent_name)
    target += [operation.key, None if existing is None else str(existing.get("id"))]
    before = None if existing is None else every_value(resource, existing)
    after = None
    if planned is not None:  # Cloudflare decides on what a new object leaves out
        after = every_value(resource, planned, is_new=is_new)
    return ObjectChange(tuple(target), before, after)


def _orders(plan: Plan) -> dict[str, dict[str, Sequence[Key]]]:
    """The keys `before` and `after`, by collection, of each list that changes and whose order
    matters.
    """
    resources = {operation.resource.plural: operation.resource for operation in plan.operations}
    orders: dict[str, dict[str, Sequence[Key]]] = {}
    for name, resource in resources.items():
        before = resource.keys_in_order(plan.before[name])
        if before is not None:
            after = resource.keys_in_order(plan.after()[name])
            orders[name] = {"before": before, "after": after or []}
    return orders
