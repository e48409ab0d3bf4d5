# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The terms on which a task takes a plan: its risks, its approval, and evidence and expectations.

An acceptance that is bound to what a reviewer saw does not let anything else through months later.
A task approves one plan by the id that its dry run returned; a plan that does something else is
refused. The ids of two plans are equal exactly if they do the same to equal objects."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import datetime
from itertools import chain, islice
from typing import (
    Any,
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
    TypedDict,
)

from .._arguments import NEEDED, TEXTS, Arguments, read_value
from .._errors import OptionError, OptionProblems, parsed
from .._plan.plan import Operation, Plan, every_value, with_along
from .._protection.expectation import Expectation
from .._schema.lists import contents_of, items_of
from .._schema.resource import Key, Object, OptionSpec, Values
from .._text import Message, Option, joined, plural
from .._timestamps import parse_expiry, write_timestamp
from .._values.address_set import Ranges, difference, range_of, ranges_of, union
from .risks.base import EvidenceLimits, Finding, Limits, Risk

ACCEPTANCE_FIELDS: Arguments = {
    "code": NEEDED,
    "networks": TEXTS,
    "entries": TEXTS,
    "expires": {"type": "str"},
    "reason": {"type": "str"},
}
# Needs no quotes in YAML.
PLAIN = re.compile(r"[A-Za-z][\w.-]*( [A-Za-z][\w.-]*)*|[0-9a-f][0-9a-f.:]*/\d+", re.ASCII)
HAS_RISKS = "The plan has risks that the task does not accept."
TEMPLATE_MARKS = ("{{", "{%", "{#", "#jinja2:")  # Ansible would fill them in
YAML_WORDS = ("true", "false", "yes", "no", "on", "off", "y", "n", "null")


class Acceptance(NamedTuple):
    """One element of accept_risks; `networks`, `entries` and `expires` are None where it is not
    bound to them."""

    option: Option
    code: str
    networks: Ranges | None = None
    entries: frozenset[str] | None = None
    expires: datetime | None = None
    reason: str | None = None

    @property
    def is_unbound(self) -> bool:
        """True if it accepts whatever has the code, for ever."""
        return self.networks is None and self.entries is None and self.expires is None

    def has_expired(self, now: datetime | None) -> bool:
        """True if it no longer counts; so does one that ends while Cloudflare's time is not
        known."""
        return self.expires is not None and (now is None or now >= self.expires)

    def expiry_warning(self, now: datetime | None) -> str:
        """A warning of an acceptance that no longer counts."""
        until = write_timestamp(self.expires) if self.expires else ""
        if now is None:
            reason = "not known, since Cloudflare does not tell its time."
            return Message(self.option, f": whether it expired ({until}) is {reason}")
        rest = f"expired at {until}; remove it, or give it a later expires."
        return Message(self.option, f": the acceptance of {self.code} {rest}")


def parse_acceptances(
    option: str, elements: Iterable[Any], codes: Sequence[str]
) -> tuple[Acceptance, ...]:
    """The elements of accept_risks, each one of these codes or a dictionary with it; raises
    OptionError for malformed ones."""
    problems = OptionProblems()
    acceptances = []
    for position, element in enumerate(elements):
        if element is None:  # which the reader of options has told
            continue
        with problems.collected():
            acceptances.append(_acceptance(Option(option, position), element, codes))
    problems.raise_any()
    return tuple(acceptances)


def _acceptance(option: Option, element: Any, codes: Sequence[str]) -> Acceptance:
    code = {**NEEDED, "choices": codes}
    if isinstance(element, str):
        return Acceptance(option, read_value(option, code, element))
    fields, problems = {**ACCEPTANCE_FIELDS, "code": code}, OptionProblems()
    values = read_value(option, {"type": "dict", "options": fields}, element, problems) or {}
    bound: dict[str, Any] = {}
    for name, read in BOUND_TO.items():
        with problems.collected():
            value = values.get(name)
            bound[name] = None if value is None else read(option.at(name), value)
    problems.raise_any()
    return Acceptance(option, values["code"], reason=values["reason"], **bound)


def _read_networks(option: Option, texts: Sequence[str]) -> Ranges:
    problems = OptionProblems()
    for position, text in enumerate(texts):
        if range_of(text) is None:
            problem = f"'{text}' is neither an address nor a network"
            problems.add(OptionError(option.at(position), problem))
    problems.raise_any()
    return ranges_of(texts)


# How to read what an acceptance is bound to.
BOUND_TO: Mapping[str, Callable[[Option, Any], Any]] = {
    "networks": _read_networks,
    "entries": lambda _option, texts: frozenset(texts),
    "expires": lambda option, text: parsed(option, parse_expiry, text),
}


def accepting(
    finding: Finding, acceptances: Sequence[Acceptance], now: datetime | None
) -> Sequence[Acceptance]:
    """The acceptances that together accept all of a finding; empty if it is not accepted.

    Acceptances add up only where they are bound to the same: networks, entries, both or neither.
    """
    counting = [
        item for item in acceptances if item.code == finding.code and not item.has_expired(now)
    ]
    groups: dict[tuple[bool, bool], list[Acceptance]] = {}
    for item in counting:
        groups.setdefault((item.networks is None, item.entries is None), []).append(item)
    return next((group for group in groups.values() if _cover(group, finding)), [])


def _cover(group: Sequence[Acceptance], finding: Finding) -> bool:
    """True if acceptances that are bound to the same cover all that a finding concerns; keys are
    compared as Cloudflare compares them."""
    if group[0].networks is not None:
        ranges = union(network for item in group for network in item.networks or [])
        if not finding.ranges or difference(list(finding.ranges), ranges):
            return False
    if group[0].entries is None:
        return True
    entries = {entry for item in group for entry in item.entries or ()}
    keys = {
        resource.plural: {resource.key_of_entry(entry) for entry in entries}
        for resource in {item.resource.plural: item.resource for item in finding.entries}.values()
    }
    return bool(finding.entries) and all(
        item.text in entries or item.key in keys[item.resource.plural] for item in finding.entries
    )


def risks_refusal(risks: Iterable[Mapping[str, Any]], option: Option | str) -> Message:
    """The sentences on risks that no task accepts, and one acceptance of all of them for this
    option."""
    listed = list(risks)
    to_copy = ", ".join(dict.fromkeys(map(acceptance_to_copy, listed)))
    sentences = [Message(f"{item['code']}: ", item["message"]) for item in listed]
    add = Message("If this is meant, add ", option, f": [{to_copy}].")
    return joined(" ", [HAS_RISKS, *sentences, add])


def acceptance_to_copy(record: Mapping[str, Any]) -> str:
    """The dictionary that accepts this risk and nothing else, in YAML on one line."""
    networks, entries = record["networks"], list(dict.fromkeys(record["entries"]))
    entries = entries if set(entries) != set(networks) else []
    parts = [f"code: {record['code']}"]
    for name, texts in (("networks", networks), ("entries", entries)):
        parts += [f"{name}: [{', '.join(map(_scalar, texts))}]"] if texts else []
    return "{" + ", ".join(parts) + "}"


def _scalar(text: str) -> str:
    """A text as YAML on one line, which a playbook takes as it is.

    Single quotes read best; characters that nobody can see or type need double quotes.
    """
    if PLAIN.fullmatch(text) and text.lower() not in YAML_WORDS:
        return text
    unsafe = "!unsafe " if any(mark in text for mark in TEMPLATE_MARKS) else ""
    if text.isprintable():
        return unsafe + "'" + text.replace("'", "''") + "'"
    escaped = "".join(  # YAML knows the escapes of Python
        one if one.isprintable() else one.encode("unicode_escape").decode()
        for one in text.replace("\\", r"\\").replace('"', r"\"")
    )
    return f'{unsafe}"{escaped}"'


OPTION = Option("expected_plan")
PLAN_ID = re.compile(r"(?:[0-9a-f]{64})?")


def approval_refusal(approved: str | None, plan: Plan, identity: str, begun: Plan | None) -> str:
    """The reason why this plan, which has this id, must not be applied; empty if it may.

    `approved` is the id of the approved plan, empty where no change is approved, None where any
    plan is. `begun` is the approved plan once it is being applied: what is left of it is approved.
    """
    if approved is None or not plan.operations or identity == approved:
        return ""
    if begun is not None:
        return "" if is_rest_of(plan, begun) else joined(" ", (_LEFT, _REVIEW))
    operations = plural(len(plan.operations), "operation", "operations")
    none = Message("an empty ", OPTION, " approves none")
    approval = Message(OPTION, f" is {approved}") if approved else none
    own = f"it has {operations} and the plan_id {identity}"
    return Message(f"The plan is not the approved one: {own}, and ", approval, ". ", _REVIEW)


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


HIGHEST_HOURS = 24 * 90  # which no account keeps its analytics for
FITTING: Mapping[str, tuple[Callable[[Any], bool], str]] = {  # values, and what they are
    "hours": (lambda value: 0 < value <= HIGHEST_HOURS, f"above 0 and at most {HIGHEST_HOURS}"),
    "max_would_drop_percent": (lambda value: 0 <= value <= 100, "between 0 and 100"),
    "max_blocked_percent": (lambda value: 0 <= value <= 100, "between 0 and 100"),
    "max_would_drop_packets": (lambda value: value >= 0, "0 or more"),
}


def _limits(options: Mapping[str, Any], spec: OptionSpec) -> list[Any]:
    """The values of an option that is a dictionary of limits, in the order of its argument spec;
    none if it is left out. Raises OptionError."""
    ((name, declared),) = spec.items()
    chosen, problems = options.get(name), OptionProblems()
    for limit, value in (chosen or {}).items():
        if limit in FITTING and value is not None and not FITTING[limit][0](value):
            problem = f"{value:g} is not {FITTING[limit][1]}"
            problems.add(OptionError(Option(name, limit), problem))
    problems.raise_any()
    return [] if chosen is None else [*map(chosen.get, declared["options"])]


ROLLOUT_EVIDENCE: OptionSpec = {
    "rollout_evidence": {
        "type": "dict",
        "options": {
            "hours": {"type": "float", "default": 24.0},
            "max_would_drop_percent": {"type": "float", "default": 0.1},
            "max_would_drop_packets": {"type": "int"},
        },
    }
}


def parse_evidence(options: Mapping[str, Any]) -> EvidenceLimits | None:
    """The option as it is set, None if it is left out; raises OptionError."""
    values = _limits(options, ROLLOUT_EVIDENCE)
    return EvidenceLimits(*values) if values else None


BACKTEST: OptionSpec = {
    "backtest": {
        "type": "dict",
        "options": {
            "hours": {"type": "float", "default": 24.0},
            "max_blocked_percent": {"type": "float", "default": 0.1},
            "file": {"type": "path"},
        },
    }
}


class BacktestTerms(NamedTuple):
    """A task asks for the requests of some hours, or of a file, of which so much may be blocked."""

    hours: float
    max_percent: float
    file: str | None


def parse_backtest(options: Mapping[str, Any]) -> BacktestTerms | None:
    """The option as it is set, None if it is left out; raises OptionError."""
    values = _limits(options, BACKTEST)
    return BacktestTerms(*values) if values else None


class Pending(TypedDict):
    """A rule or filter that is to be enabled, and the `reason` why it is not yet: `time`,
    `evidence` or `unknown`.

    `not_before` is None until it is known since when it monitors. `would_drop_percent` and
    `would_drop_packets` are None if the traffic was not asked for, or is not known; `networks` are
    those concerned.
    """

    resource: str
    key: str
    mode: str
    reason: str
    not_before: str | None
    would_drop_percent: float | None
    would_drop_packets: int | None
    networks: list[str]
    advice: list[str]
    message: str


class Terms(NamedTuple):
    """The terms on which a task takes a plan: limits of risks, accepted risks, the approved plan,
    expectations, evidence and stages of a rollout, the risks that its plans can have, whether they
    are plans `of_rules`, lists or overrides, and a backtest."""

    limits: Limits
    accepted: Sequence[Acceptance] = ()
    approved: str | None = None
    evidence: EvidenceLimits | None = None
    expectations: Sequence[Expectation] = ()
    is_staged: bool = False
    risks: Sequence[Risk] = ()
    of_rules: bool = False
    backtest: BacktestTerms | None = None


def plan_id(owner: Mapping[str, str], plan: Plan) -> str:
    """SHA-256, in 64 hexadecimal digits, over the account or zone and the ordered operations; empty
    for an empty plan.

    Each object that changes counts as a whole, before and after, with the fields that the
    collection does not know; so does the order of a list in which order matters. Normalised values
    count, so that spelling makes no difference. Neither do credentials, the base URL, the order of
    a dictionary, the times and versions that Cloudflare sets, and objects that do not change; but
    the contents of lists count that a rule which changes names, as they will be.
    """
    if not plan.operations:
        return ""
    digest, changes = hashlib.sha256(), _object_changes(plan)
    parts = iter(lambda: list(islice(changes, MOST_AT_ONCE)), [])
    for part in chain([dict(owner)], parts, [_orders(plan), _lists_in(plan)]):
        digest.update(CANONICAL.encode(part).encode("utf-8", "backslashreplace") + b"\n")
    return digest.hexdigest()


MOST_AT_ONCE = 100  # changes of objects
CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)


def _lists_in(plan: Plan) -> dict[str, list[Any] | None]:
    """By name, the contents of the lists that the changed rules name; None if they are not
    known."""
    every = with_along(plan.operations)
    changes = [item for item in every if item.resource.is_ordered or item.resource.nested]
    if not changes:
        return {}
    from .._protection.rules_in_force import lists_named_in  # loads all kinds of rules
    from .._schema.registry import evaluated_as  # loads all kinds of rules

    rules: dict[str, list[Object]] = {}
    for item in changes:
        changed = rules.setdefault(evaluated_as(item.resource).plural, [])
        changed += [obj for obj in (item.existing, item.planned) if obj is not None]
    after = plan.after()
    items = {name: after.get(items_of(name).plural) for name in lists_named_in(rules)}
    return {
        name: None if known is None else contents_of(known).written()
        for name, known in items.items()
    }


def is_rest_of(rest: Plan, plan: Plan) -> bool:
    """Return whether `rest` finishes what `plan` began: each of its objects is what `plan` makes of
    it, from values that it had before or has got meanwhile."""
    whole = {change.target: change for change in _object_changes(plan)}
    after = {name: order["after"] for name, order in _orders(plan).items()}
    return all(
        change.target in whole and change.finishes(whole[change.target])
        for change in _object_changes(rest)
    ) and all(after.get(name) == order["after"] for name, order in _orders(rest).items())


class ObjectChange(NamedTuple):
    """Change of one object: its normalised values before and after, None where there is no object.

    `target` tells the object and the action.
    """

    target: tuple[Hashable, ...]
    before: Values | None
    after: Values | None

    def finishes(self, whole: ObjectChange) -> bool:
        """Return whether it ends as `whole` does, and starts from values on the way there."""
        return self.after == whole.after and _is_between(self.before, whole.before, whole.after)


def _is_between(value: Any, before: Any, after: Any) -> bool:
    """Return whether a value is one of two others, or has parts that are each one of theirs."""
    if value in (before, after):
        return True
    if not all(isinstance(item, Mapping) for item in (value, before, after)):
        return False
    return value.keys() <= before.keys() | after.keys() and all(
        _is_between(value.get(name), before.get(name), after.get(name))
        for name in before.keys() | after.keys()
    )


def _object_changes(plan: Plan) -> Iterator[ObjectChange]:
    return map(_object_change, with_along(plan.operations))


def _object_change(operation: Operation) -> ObjectChange:
    resource, existing, planned = operation.resource, operation.existing, operation.planned
    identity = None if existing is None else str(existing.get("id"))
    within = (
        [resource.parent_name] if resource.parent_name else []
    )  # the key of the object around it
    return ObjectChange(
        (operation.action, resource.name, *within, operation.key, identity),
        None if existing is None else every_value(resource, existing),
        # Cloudflare decides on what a new object leaves out.
        None if planned is None else every_value(resource, planned, is_new=existing is None),
    )


def _orders(plan: Plan) -> dict[str, dict[str, Sequence[Key]]]:
    """The keys before and after, by collection, of each list that changes and in which order
    matters."""
    resources = {operation.resource.plural: operation.resource for operation in plan.operations}
    orders: dict[str, dict[str, Sequence[Key]]] = {}
    for name, resource in resources.items():
        before = resource.keys_in_order(plan.before[name])
        if before is not None:
            after = resource.keys_in_order(plan.after()[name])
            orders[name] = {"before": before, "after": after or []}
    return orders
