# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The turns of an account among its zones, in a run of many hosts: what rules of the zones refer to
is made before them, and removed after them. Pure functions."""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterable, Mapping, Sequence

from .._context import FIRST, LATER, STAYING, FleetTurn
from .._guard.approval import plan_id
from .._guard.checked import Checked
from .._guard.finders.deletions import reference_changes
from .._guard.list_uses import new_uses
from .._guard.risks.deletions import REMOVES_REFERENCED_LIST
from .._plan.plan import Operation, Plan
from .._plan.removals import is_removal, split_at_removals
from .._plan.rollout import Planned
from .._protection.expectation import NAME
from .._protection.rules_in_force import IN_ORDER
from .._schema.custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT, ENTRY_POINTS
from .._schema.custom_rulesets import EXECUTED_RULESETS, whole_rulesets
from .._schema.lists import LISTS, REFERENCES, contents_of, items_in, uses_of
from .._schema.registry import EVALUATION, evaluated_as
from .._schema.resource import ACCOUNT_OPTION, ZONE_OPTION, Object, State, id_of_new, is_new
from .._schema.rulesets import PARAMETERS, deployed
from .._text import first_few
from .way import with_rulesets_after
from .zone import account_in


def divided(planned: Planned, fleet: FleetTurn, reports: bool = False) -> Planned:
    """The part of a plan that is made in a turn: in the first one without the removals, in any
    other one without those of lists to which rules of other hosts still refer. In a report, it is
    whole, and `kept` are those that no run would make."""
    plan = planned.plan._replace(freed=fleet.freed)
    _made_before, removals = split_at_removals(plan.operations)
    users = _used_by_others(plan) if fleet.keeps_for_others else fleet.users
    if reports:
        staying = _still_used(removals, plan, users)
        return planned._replace(plan=_as_unused(plan, staying), kept=tuple(staying))
    waiting = removals if fleet.turn == FIRST else _still_used(removals, plan, users)
    if not waiting:
        return planned._replace(plan=plan)
    made = tuple(operation for operation in plan.operations if operation not in waiting)
    kept = () if fleet.turn == FIRST else tuple(waiting)
    part = with_rulesets_after(plan._replace(operations=made, waiting=tuple(waiting)))
    return planned._replace(plan=part, whole=plan, kept=kept)


def _as_unused(plan: Plan, staying: Sequence[Operation]) -> Plan:
    """A plan that nothing refuses for what stays of lists, since no run would remove it."""
    names, freed = {*map(changed_list, staying)}, {**plan.freed}
    for obj in plan.before.get(LISTS.plural, ()) if names else ():
        if LISTS.label_of(obj) in names:
            freed[LISTS.label_of(obj)] = uses_of(obj)
    return plan._replace(freed=freed)


def _still_used(
    removals: Sequence[Operation], plan: Plan, users: Mapping[str, Sequence[str]]
) -> list[Operation]:
    """The removals of lists to which rules refer after the plan, and of items of lists with
    `users`."""
    changes = reference_changes(plan) if removals else {}
    used: list[Operation] = []
    for operation in removals:
        uses = 0
        if operation.resource is LISTS:
            uses = uses_of(operation.existing or {}) - plan.freed.get(operation.label, 0)
        is_used = uses > 0 and uses + changes.get(operation.label, 0) > 0
        if is_used or changed_list(operation) in users:
            used.append(operation)
    return used


def _used_by_others(plan: Plan) -> dict[str, Sequence[str]]:
    """The users of the lists that a plan changes, if only Cloudflare's numbers tell of them."""
    names = {*map(changed_list, plan.operations)} - {""}
    references = _other_references(plan, names)
    return {name: ("",) for name in names if references.get(name, 1) > 0}


def changed_list(operation: Operation) -> str:
    """The name of the list that an operation changes, or in which it changes an item; empty if it
    is about something else."""
    resource = operation.resource
    if resource.parent is LISTS:
        return resource.parent_name
    return operation.label if resource is LISTS else ""


def facts_of(checked: Checked, owner: Mapping[str, str]) -> dict[str, Any]:
    """The facts that other hosts take from the plan of this one: the id of its account, by list how
    many rules of the zone refer to it (`uses`), whether each expectation is met before the plan
    (`met`) and, in a plan with changes, how the number of rules changes (`changes`), the lists on
    which the change may rely (`needs`), and the state of its account before the last turn, with the
    contents of lists after it."""
    plan = checked.planned.whole_plan
    if not plan.operations and ZONE_OPTION not in owner:
        return {}
    facts: dict[str, Any] = {
        "account_id": _account_id(plan, owner),
        "refused": is_refused_otherwise(checked),
    }
    if ZONE_OPTION in owner:
        facts["uses"] = references_in(plan.before, ZONE_OPTION)
        facts["met"] = [record["before"]["met"] for record in checked.expected.get(NAME, ())]
    if not plan.operations:
        return facts
    if ZONE_OPTION in owner:
        facts["changes"] = dict(reference_changes(plan))
        facts["needs"] = _needed_lists(plan)
    if ACCOUNT_OPTION in owner:
        facts.update(_facts_of_account(plan))
    return facts


def _needed_lists(plan: Plan) -> list[str]:
    """The lists on which the change of a zone may rely: those to which its new rules refer, or, if
    it does more than to make rules, those to which any rule refers after it."""
    if all(operation.action == "create" for operation in plan.operations):
        return sorted({use.list_name for use in new_uses(plan.operations)})
    return sorted(references_in(plan.after(), ZONE_OPTION))


def is_refused_otherwise(checked: Checked) -> bool:
    """Return whether a plan is refused for another reason than that rules refer to its lists, which
    those of zones may do no more."""
    codes = {finding.code for finding in checked.refused}
    awaits_zones = checked.lacks_acceptances and codes == {REMOVES_REFERENCED_LIST.code}
    return bool(checked.refusal) and not awaits_zones


def _account_id(plan: Plan, owner: Mapping[str, str]) -> str:
    """The id of the account of a host; empty if it is not known."""
    return owner.get(ACCOUNT_OPTION) or account_in(plan.before)


def references_in(state: State, owner: str) -> dict[str, int]:
    """The number of rules that refer to a list, by list; of those that an owner (`zone_id` or
    `account_id`) has in a state, whether traffic meets them or not."""
    names: Counter[str] = Counter()
    for collection in (*EVALUATION, CUSTOM_RULES_OF_ACCOUNT):
        if collection.owner == owner:
            in_order = IN_ORDER[evaluated_as(collection).plural]
            for rule in in_order(state.get(collection.plural, ())):
                names.update(rule.expression.lists)
    for ruleset in _rulesets_of(state, owner):
        for rule in IN_ORDER[CUSTOM_RULES.plural](ruleset.get("rules") or ()):
            names.update(rule.expression.lists)
    return dict(names)


def _rulesets_of(state: State, owner: str) -> list[Object]:
    """The custom rulesets of an owner whose rules a state has, each once."""
    rulesets = {ruleset["id"]: ruleset for ruleset in whole_rulesets(state, owner)}
    executed_ids = {*map(deployed, state.get(ENTRY_POINTS[owner].plural, ()))}
    for ruleset in state.get(EXECUTED_RULESETS, ()):
        if ruleset["id"] in executed_ids:
            rulesets.setdefault(ruleset["id"], ruleset)
    return [rulesets[identity] for identity in rulesets if not is_new(identity)]


def _facts_of_account(plan: Plan) -> dict[str, Any]:
    made, removals = split_at_removals(plan.operations)
    changed = {changed_list(operation) for operation in plan.operations} - {""}
    others = {operation.resource.phase for operation in made} - {""}
    state, after = plan._replace(operations=tuple(made)).after(), plan.after()
    planned: dict[str, Any] = {}
    contents: dict[str, Any] = {}
    if changed:
        planned = {LISTS.plural: state[LISTS.plural]}
        lists = [obj for obj in LISTS.our_objects_in(state) if LISTS.label_of(obj) in changed]
        for items in map(items_in, lists):
            planned[items.plural] = state.get(items.plural, ())
            contents[items.parent_name] = contents_of(after.get(items.plural, ())).written()
    if CUSTOM_RULES_OF_ACCOUNT.phase in others and CUSTOM_RULES_OF_ACCOUNT.plural in state:
        rules = state[CUSTOM_RULES_OF_ACCOUNT.plural]
        planned[CUSTOM_RULES_OF_ACCOUNT.plural] = [*map(_deploying_of_account, rules)]
        planned[EXECUTED_RULESETS] = [*map(_of_account, whole_rulesets(state, ACCOUNT_OPTION))]
    return {
        "state": planned,
        "contents": contents,
        "references": _other_references(plan, contents),
        "makes": bool(made),
        "removes": bool(removals),
        **_room_in(made, removals, plan.before, after),
    }


def _room_in(
    made: Sequence[Operation], removals: Sequence[Operation], before: State, after: State
) -> dict[str, list[str]]:
    """The lists that a plan makes or changes (`fills`), those that a plan with new lists or items
    removes at its end, or of which it removes items there (`holds_room`), and those of which it
    does so before, since by then rules of zones refer to them no more (`makes_room`). Zones make no
    room if what they stop may be stopped by rules of the account from then on."""
    lists = before.get(LISTS.plural, ())
    used = {LISTS.label_of(obj) for obj in lists if uses_of(obj) > 0}
    creates = any(changed_list(operation) for operation in made if operation.action == "create")
    first = {changed_list(operation) for operation in made if is_removal(operation)}
    fills = filled_lists(made)
    needs = references_in(after, ACCOUNT_OPTION)
    protects = makes_rules(made) or not fills.isdisjoint(needs)
    holds_room = {*map(changed_list, removals)} if creates and not protects else set()
    return {
        "fills": sorted(fills),
        "holds_room": sorted(holds_room - {""}),
        "makes_room": sorted(first & used),
    }


def filled_lists(operations: Iterable[Operation]) -> set[str]:
    """The lists that operations make, or change otherwise than by removals."""
    names = {changed_list(operation) for operation in operations if not is_removal(operation)}
    return names - {""}


def makes_rules(operations: Sequence[Operation]) -> bool:
    """Return whether operations make rules, which may stop what others have stopped; those in a new
    ruleset do so once a rule deploys it."""
    made = [operation for operation in operations if operation.action == "create"]
    new_rulesets = {operation.label for operation in made if operation.resource.holds_rules}
    return any(
        operation.resource.is_ordered and operation.resource.parent_name not in new_rulesets
        for operation in made
    )


def _of_account(obj: Object) -> Object:
    """A ruleset, or the parameters of a rule that deploys it; the id of a new ruleset is unlike
    that of a new ruleset of a zone with the same name."""
    identity = str(obj.get("id"))
    return {**obj, "id": id_of_new(identity)} if is_new(identity) else obj


def _deploying_of_account(rule: Object) -> Object:
    parameters = rule.get(PARAMETERS)
    if not isinstance(parameters, Mapping):
        return rule
    return {**rule, PARAMETERS: _of_account(parameters)}


def _other_references(plan: Plan, names: Iterable[str]) -> dict[str, int]:
    """The number of rules outside of a plan that refer to each of the lists with these names, but
    for lists of which Cloudflare does not count them."""
    lists = {LISTS.label_of(obj): obj for obj in plan.before.get(LISTS.plural, ())}
    known = Counter(references_in(plan.before, ACCOUNT_OPTION))
    known.update(references_in(plan.before, ZONE_OPTION))
    references: dict[str, int] = {}
    for name in names:
        obj = lists.get(name, {REFERENCES: 0})
        if REFERENCES in obj:
            references[name] = uses_of(obj) - known[name]
    return references


def result_of_turn(planned: Planned, owner: Mapping[str, str], fleet: FleetTurn) -> dict[str, Any]:
    """The part of a result about the turns of the host: the plan of its last turn, or the failure
    if lists stay to which rules of other hosts refer."""
    if not planned.whole:
        return {}
    if fleet.turn == FIRST:
        _made, later = split_at_removals(planned.whole.operations)
        plan = planned.plan._replace(before=planned.plan.after(), operations=tuple(later))
        return {LATER: plan_id(owner, with_rulesets_after(plan))}
    records = staying_in(planned.kept, fleet.users)
    return {"failed": True, "msg": _message(records), STAYING: records}


def staying_in(
    kept: Iterable[Operation], users: Mapping[str, Sequence[str]]
) -> list[dict[str, str]]:
    """The lists of which something stays, since rules of these hosts refer to them, or may do:
    `host`, `resource` and `key`."""
    names = dict.fromkeys(map(changed_list, kept))
    return [
        {"host": host, "resource": LISTS.name, "key": name}
        for name in names
        for host in users.get(name, ("",))
    ]


def _message(records: Sequence[Mapping[str, str]]) -> str:
    names = dict.fromkeys(record["key"] for record in records)
    hosts = dict.fromkeys(record["host"] for record in records if record["host"])
    users = f"rules of {first_few(hosts)}, which failed," if hosts else "rules of others"
    return (
        f"Nothing of the lists {first_few(names)} is removed, since {users} refer to them, or may"
        " do. The rest of the plan does not wait for that. Repeat the run when they do not."
    )
