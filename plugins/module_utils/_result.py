# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results of a plan: the operations, the diff, the coverage and the risks, and the
sentences about them; and the output of a module, without secrets."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from typing import Any, Iterable, Iterator, Mapping, Sequence, TypedDict

from ._api.responses import swapped_ids
from ._api.settings import known_secrets
from ._apply.executor import BrokenOff
from ._context import TASK, Context
from ._errors import OptionError, Place, ProtectionError, ServiceError, as_one
from ._guard.check import Checked
from ._plan.desired import Desired
from ._plan.plan import Operation, Plan, with_along
from ._protection.coverage import Coverage
from ._protection.summary import compare_coverage, diff_facts
from ._schema.resource import NO_ITEMS, Object, Resource, State, Values, last_or, without
from ._text import (
    Message,
    Names,
    Option,
    Texts,
    capitalised,
    excerpt,
    first_few,
    first_sentences,
    joined,
    left_out,
    plural,
    redact,
    redact_text,
    sentence,
    visible,
    with_names,
)
from ._timestamps import write_timestamp


class OperationRecord(TypedDict):
    """An operation as results show it: `fields` holds the values that are sent, `before` those
    that change, as they are."""

    action: str
    resource: str
    key: str
    fields: Values
    before: Values


class Diff(TypedDict):
    """The managed fields of the objects concerned, by collection and then by key."""

    before: dict[str, Any]
    after: dict[str, Any]


def operation_records(operations: Iterable[Operation]) -> list[OperationRecord]:
    """Operations in the shape that results carry; equal values that follow each other are there
    once."""
    records: list[OperationRecord] = []
    before: Values = NO_ITEMS
    for operation in operations:
        before = last_or(before, operation.before)
        records.append(
            OperationRecord(
                action=operation.action,
                resource=operation.resource.name,
                key=operation.label,
                fields=operation.fields,
                before=before,
            )
        )
    return records


class Expired(TypedDict):
    """An object that counts as absent since `expires`, a timestamp in UTC."""

    resource: str
    key: str
    expires: str


def expired_records(desired: Iterable[Desired]) -> list[Expired]:
    """Expired entries, in the order of the task."""
    return [
        Expired(
            resource=item.resource.name,
            key=item.resource.label_of(item.objects[key]),
            expires=write_timestamp(expires),
        )
        for item in desired
        for key, expires in item.expires.items()
        if key in item.expired
    ]


def expiry_warnings(desired: Iterable[Desired], plan: Plan) -> list[str]:
    """Warnings for expired entries that do not exist, and for entries whose expiry is not known."""
    deleted = {item.target for item in plan.operations if item.action == "delete"}
    warnings: list[str] = []
    for item in desired:
        for key, expires in item.expires.items():
            option, until = item.paths[key].at("expires"), write_timestamp(expires)
            what = item.resource.named(item.objects[key])
            if key in item.undecided:
                text = (
                    f": whether {what} expired ({until}) is not known, since Cloudflare does not"
                    " tell its time. An existing one stays, and a new one is not created."
                )
                warnings.append(Message(option, text))
            elif key in item.expired and (item.resource.plural, key) not in deleted:
                text = (
                    f": {what} expired at {until} and does not exist. Remove the entry, or"
                    " give it a later expires."
                )
                warnings.append(Message(option, text))
    return warnings


def make_diff(operations: Iterable[Operation]) -> Diff:
    """The objects concerned before and after, sorted by key; one that changes twice, before the
    first change."""
    diff = Diff(before={}, after={})
    ordered = sorted(with_along(operations), key=attrgetter("order"))
    for _object, changes in groupby(ordered, attrgetter("resource.plural", "label", "identity")):
        first, *others = changes
        _enter(diff["before"], first, first.existing)
        _enter(diff["after"], first, [first, *others][-1].planned)
    return diff


def add_orders(diff: Diff, resources: Sequence[Resource], before: State, after: State) -> Diff:
    """The diff, and with it the keys of each ordered list whose order changes."""
    for resource in resources:
        if resource.is_ordered:
            was, becomes = (
                [resource.label_of(item) for item in state[resource.plural]]
                for state in (before, after)
            )
            if was != becomes:
                name = f"{resource.plural}_order"
                diff["before"][name], diff["after"][name] = was, becomes
    return diff


def add_to_diff(diff: Diff, name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Diff:
    """The diff with one more section; of what is equal on both sides, nothing, and no empty list,
    which would read as if something became empty."""
    changed = [key for key in before if before[key] != after[key]]
    for side, values in ((diff["before"], before), (diff["after"], after)):
        section = {key: values[key] for key in changed if values[key] != []}
        side.update({name: section} if section else {})
    return diff


def _enter(side: dict[str, Any], operation: Operation, obj: Object | None) -> None:
    if obj is None:
        return
    collection = side.setdefault(operation.resource.plural, {})
    undeclared = {name: obj[name] for name in operation.undeclared if name in obj}
    managed: Values = {**operation.resource.managed(obj), **undeclared}
    managed = obj if managed == obj else managed  # so that a long list is not there twice
    if not operation.resource.key:
        collection.update(managed)
    elif operation.label in collection:  # a duplicate, which only its id tells from the other
        collection[f"{operation.label} (id {obj.get('id')})"] = managed
    else:
        collection[operation.label] = managed


def protection_results(checked: Checked, diff: Diff, state: State) -> dict[str, Any]:
    """The results on protection: diff and risks; and coverage, where the whole account was read.

    `state` is the state after the plan.
    """
    records = [item.record() for item in checked.refused or checked.risks]
    risks = {"risks": records} if records else {}
    if not checked.knows_account:
        return {"diff": diff, **risks}
    before = checked.before
    after = Coverage({**before.state, **state}) if checked.plan.operations else before
    facts = diff_facts(before, after), diff_facts(after, before)
    return {
        "diff": add_to_diff(diff, "coverage", *facts),
        "coverage": compare_coverage(before, after, checked.described),
        **risks,
    }


def plan_details(checked: Checked) -> dict[str, Any]:
    """A plan as the details of a failure that comes before its first write."""
    plan = checked.plan
    return {
        "operations": operation_records(plan.operations),
        **protection_results(checked, make_diff(plan.operations), plan.after()),
        **checked.expected,
        **checked.backtest,
        "plan_id": checked.plan_id,
    }


def plan_warnings(checked: Checked) -> list[str]:
    """The accepted risks, acceptances that expired, what is probably a mistake, and what of the
    protection is not understood."""
    undecided = first_sentences(checked.after.undecided) if checked.knows_account else ""
    accepted = [
        Message(f"Accepted {item.code}: ", item.message)
        + (f" Reason: {item.reason}" if item.reason else "")
        for item in checked.risks
    ]
    unknown = [*filter(None, [undecided]), *checked.unknown]
    return [*accepted, *checked.expired_acceptances, *_unusual_objects(checked.plan), *unknown]


def ineffective_warnings(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence on each of some objects that cannot work."""
    if not records:
        return []
    from ._schema.registry import title_of_resource  # loaded for objects that cannot work

    texts = [
        f"The {title_of_resource(one['resource'])} {one['key']} cannot work: {one['reason']}."
        for one in records[:MOST_WARNED]
    ]
    more = left_out(len(records), MOST_WARNED)
    return [*texts, f"{capitalised(more)} cannot work; ineffective has all."] if more else texts


MOST_WARNED = 3


def with_options(result: dict[str, Any], desired: Iterable[Desired]) -> dict[str, Any]:
    """The result, whose risks and objects that cannot work say by which option the task names
    them; None for what it does not name."""
    findings = {name: result[name] for name in ("ineffective", "risks") if result.get(name)}
    options: dict[tuple[str, str], Option] = {}
    for item in desired if findings else ():
        for key, path in item.paths.items():
            label = item.resource.label_of(item.objects[key])
            options[item.resource.name, label] = options["", label] = path
    for name, records in findings.items():
        findings[name] = named = []
        for one in records:
            keys = one["entries"] if name == "risks" else [one["key"]]
            paths = [options.get((one.get("resource", ""), key)) for key in keys]
            option = next(filter(None, paths), None)
            named.append({**one, "option": Message(option) if option else None})
    return {**result, **findings}


def _unusual_objects(plan: Plan) -> list[str]:
    """Objects that the plan creates or changes, and that are probably a mistake."""
    planned = ((item, item.planned) for item in plan.operations)
    odd = [(item, item.resource.semantics.unusual(obj)) for item, obj in planned if obj]
    named = [f"{item.resource.title} {item.label} {reason}" for item, reason in odd if reason]
    return [f"Is this meant? {capitalised(first_few(named))}."] if named else []


def standing_warnings(
    checked: Checked, codes: Sequence[str], waiting: Sequence[str] = ()
) -> list[str]:
    """Warnings of acceptances that stay, such as in an inventory: they accept what nobody has seen
    yet.

    `codes` are the risks that such a plan can have, and no other plan of the host; a list of a role
    also accepts risks of other plans. `waiting` are those that a staged rollout avoids by waiting.
    """
    return [
        Message(item.option, f": {item.code} meets nothing in this plan, ", *reason)
        for item in checked.unmet
        if item.code in codes
        for reason in [WAITS if item.code in waiting else STANDS]
    ]


STANDS = (
    "and would let any such risk through later; remove it, or accept the risk with a dictionary"
    " that has networks, entries or expires.",
)
WAITS = (
    "since the staged rollout waits until it is no risk. To mitigate now, set ",
    Option("staged_rollout"),
    " to false for this run, and accept skips_monitoring, and drops_traffic if there is evidence"
    " to wait for.",
)


@contextmanager
def progress_in_failures() -> Iterator[None]:
    """Raise the failure of a plan that is not applied to its end, in place of BrokenOff."""
    try:
        yield
    except BrokenOff as exc:
        raise failure_of(exc) from exc.cause


def failure_of(broken: BrokenOff) -> ProtectionError:
    """The reason why a plan was not applied to its end, with `done`, `left` and `unknown`, which
    add up to `operations`."""
    operations = broken.done + broken.unknown + broken.left
    return broken.cause.extended(
        _progress(len(broken.done), len(broken.left), len(broken.unknown)),
        changed=bool(broken.done),
        diff=make_diff(operations),
        operations=operation_records(operations),
        done=operation_records(broken.done),
        left=operation_records(broken.left),
        unknown=operation_records(broken.unknown),
    )


def _progress(done: int, left: int, unknown: int) -> str:
    """The progress: `300 of 601 operations are done, 1 is left; whether 300 others were applied
    is not known.`"""
    if not done and not unknown:
        return ""
    parts = []
    if done or left:
        operations = plural(done + left + unknown, "operation", "operations")
        rest = f", {plural(left, 'is', 'are')} left" if left else ""
        parts.append(f"{done} of {operations} {'is' if done == 1 else 'are'} done{rest}")
    if unknown:
        nouns = ("other was", "others were") if parts else ("operation was", "operations were")
        parts.append(f"whether {plural(unknown, *nouns)} applied is not known")
    advice = (
        "Run the task again when the cause is gone: it reads first, and does only what is left."
    )
    return f"{sentence('; '.join(parts))} {advice}"


def readable_failure(details: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a failure without what fills screens: all of the coverage but its summary,
    and the sentences of risks, which the message has. Ansible leaves the diff of a failure out of
    its output by itself."""
    readable = dict(details)
    if "risks" in readable:
        readable["risks"] = [without(item, "message") for item in readable["risks"]]
    if "coverage" in readable:
        readable["coverage"] = {"after": {"summary": readable["coverage"]["after"]["summary"]}}
    return readable


MAX_MESSAGE = 50_000  # characters; Cloudflare's own text has no limit


class Output:
    """The output of a module with these options: with these names of the options, and without
    secrets."""

    def __init__(self, options: Mapping[str, Any], names: Names) -> None:
        self._options = options
        self._names = names
        self._secrets = known_secrets(options, os.environ)
        self._hidden_in = re.compile("|".join(map(re.escape, self._secrets)) or "(?!)").search

    def message(self, message: str) -> str:
        """A message that people can read, and that controls no terminal."""
        return visible(excerpt(self._read(message), MAX_MESSAGE))

    def details(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """Results, also with messages in them."""
        readable: dict[str, Any] = Texts(self._read).read(details)
        return readable

    def failure(self, exc: ProtectionError) -> dict[str, Any]:
        """The result of a module that failed."""
        message = joined(" ", filter(None, (exc.message, _swapped_ids(exc, self._options))))
        return {**self.details(exc.details), "failed": True, "msg": self.message(message)}

    def _read(self, text: str) -> str:
        if text.__class__ is str and not self._hidden_in(text):  # as all in a long list
            return text
        return redact_text(with_names(text, self._names), self._secrets)


def _swapped_ids(exc: ProtectionError, options: Mapping[str, Any]) -> str:
    named = {name for values in (options, os.environ) for name in values if values[name]}
    return swapped_ids(exc.codes, named) if isinstance(exc, ServiceError) else ""


def without_secrets(value: Any, options: Mapping[str, Any], names: bool = True) -> Any:
    """The value without the secrets of these options and of the environment; see redact."""
    return redact(value, known_secrets(options, os.environ), names)


def option_failure(
    values: Mapping[str, Any],
    errors: Sequence[OptionError],
    context: Context = TASK,
    place: Place = lambda _option: "",
) -> dict[str, Any]:
    """The failure of a module because of errors in its options, of which it has these values."""
    return Output(values, context.names).failure(as_one(errors).placed(place))
