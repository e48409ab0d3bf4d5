# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings: permissions and products of a host, and whether the assumptions of the collection hold
in its answers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Tuple

import yaml

from ...module_utils._api.responses import MAINTENANCE_MODE
from ...module_utils._api.settings import BOUNDS
from ...module_utils._budget.budget import LIMIT
from ...module_utils._schema.neighbours import AUDIT_LOG, ZONE
from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import TIMES_OF_CLOUDFLARE, Field, Object, Paged, Resource
from ...module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES, QUOTAS
from ...module_utils._text import first_few, plural
from ...module_utils._timestamps import CLOCK_SKEW, read_timestamp
from ...module_utils._traffic.answers import Unanswered, read_answer
from ...module_utils._traffic.queries import NODES, TrafficNode
from ...module_utils._values.kinds import AN_EXPRESSION
from .answers import ANALYTICS, HostAnswer, is_written, shown_name

ONLY_WRITES = "Only a write shows it, and the doctor does not write."
NO_PRODUCT = 8888
REFUSED = (401, 403)
JSON_TYPES: Mapping[str, type] = {"bool": bool, "str": str, "int": int, "dict": dict, "list": list}
MEMBERS: Mapping[str, tuple[type, ...]] = {  # that every envelope has
    "success": (bool,),
    "errors": (list,),
    "messages": (list, type(None)),
    "result": (object,),
}
POLICY = re.compile(r"\bq=([0-9]{1,9})\b[^,]*?\bw=([1-9][0-9]{0,8})\b")
OF_A_RULE = {"ref", "version", "last_updated"}  # of any ruleset
ALWAYS: Mapping[str, set[str]] = {
    FIREWALL_RULES.name: {"action", "filter"},
    CUSTOM_RULES.name: {*OF_A_RULE, "action", "expression"},
}
TIMES = frozenset([*TIMES_OF_CLOUDFLARE, "last_updated"])


class Assumption(NamedTuple):
    """Something that the collection takes for granted; see assumptions.yml."""

    name: str
    statement: str
    otherwise: str
    source: str = ""
    shown_by_writes: bool = False


@lru_cache(maxsize=None)
def assumptions() -> Sequence[Assumption]:
    """All assumptions, in the order of the page that lists them."""
    text = Path(__file__).with_name("assumptions.yml").read_text(encoding="utf-8")
    return [Assumption(**item) for item in yaml.safe_load(text)]


class Diagnosis(NamedTuple):
    """A permission or a product, and whether answers show that it is there; None if that is not
    known. `needed_for` are the titles of the resources concerned."""

    name: str
    available: bool | None
    reason: str = ""
    needed_for: Sequence[str] = ()


Checks = Iterator[Tuple[str, str]]  # names of assumptions, and the problem if one does not hold


def permissions_of(answers: Sequence[HostAnswer]) -> list[Diagnosis]:
    """Each permission that reads of these resources need, and then each to write them."""
    reads: dict[str, list[HostAnswer]] = defaultdict(list)
    writes: dict[str, dict[str, None]] = defaultdict(dict)
    for answer in answers:
        permission = answer.resource.permission._replace(token_only=False)
        reads[permission.describe("GET")].append(answer)
        if is_written(answer.resource):
            writes[permission.describe("PUT")][answer.about] = None
    return [
        *(_permission(name, items) for name, items in reads.items()),
        *(Diagnosis(name, None, ONLY_WRITES, list(titles)) for name, titles in writes.items()),
    ]


def _permission(name: str, answers: Sequence[HostAnswer]) -> Diagnosis:
    """Granted if any read succeeds; not known if a read is refused for the product alone."""
    refused = [
        answer for answer in answers if answer.status in REFUSED and NO_PRODUCT not in answer.codes
    ]
    titles = list(dict.fromkeys(answer.about for answer in answers))
    return _available(name, answers, refused)._replace(needed_for=titles)


def _available(
    name: str, answers: Sequence[HostAnswer], without: Sequence[HostAnswer]
) -> Diagnosis:
    """The finding that any success shows, or otherwise any of the answers that say no."""
    if any(answer.is_success for answer in answers):
        return Diagnosis(name, True)
    return Diagnosis(name, False if without else None, (without or answers)[0].reason)


def products_of(answers: Sequence[HostAnswer]) -> list[Diagnosis]:
    """Each product that an account or zone may have."""
    of_product = defaultdict(list)
    others: list[Diagnosis] = []
    for answer in answers:
        resource = answer.resource
        if resource.product:
            of_product[resource.product].append(answer)
        if resource is ANALYTICS:
            others += [_analytics(answer, node) for node in NODES]
        elif resource is FIREWALL_RULES:
            is_retired = answer.status == 410 or MAINTENANCE_MODE in answer.codes
            without = [answer] if is_retired else []
            others.append(_available("the API of firewall rules", [answer], without))
        elif resource is ZONE:
            others.append(_plan(answer))
    products = [
        _available(name, items, [item for item in items if NO_PRODUCT in item.codes])
        for name, items in of_product.items()
    ]
    return [*products, *others]


def _plan(answer: HostAnswer) -> Diagnosis:
    plan = answer.objects[0].get("plan") if answer.objects else None
    name = plan.get("legacy_id") if isinstance(plan, Mapping) else None
    quota = QUOTAS.get(str(name))
    if answer.is_success and quota:
        most = ", ".join(f"{BY_PLURAL[name].titles}: {quota.rules[name]:,}" for name in quota.rules)
        return Diagnosis(f"the plan {quota.title} ({most})", True)
    problem = f"the plan is {shown_name(name)}" if name else "the zone does not say its plan"
    return Diagnosis("a known plan", None, problem if answer.is_success else answer.reason)


def _analytics(answer: HostAnswer, node: TrafficNode) -> Diagnosis:
    name = f"analytics of {node.product}"
    try:
        settings = read_answer(answer.response, ()).settings if answer.response else {}
    except Unanswered:
        settings = {}
    enabled = settings[node.name].enabled if node.name in settings else None
    if enabled is not None:
        return Diagnosis(name, enabled, "" if enabled else "the account's settings say so")
    unsaid = "the settings of the account do not say it"
    return Diagnosis(name, None, unsaid if answer.is_success else answer.reason)


def observe(answer: HostAnswer) -> Checks:
    """Each assumption that an answer is about, with the problem if it does not hold there."""
    if answer.status is not None:
        yield "date", _clock_problem(answer.seconds_ahead)
        if answer.resource is not ANALYTICS:  # which have neither
            yield from _rate_limit(answer)
            yield "envelope", _envelope_problem(answer)
    if answer.is_success:
        yield from _of_success(answer)


def _of_success(answer: HostAnswer) -> Checks:
    resource = answer.resource
    if resource is ANALYTICS:
        unknown = [node.product for node in NODES if _analytics(answer, node).available is None]
        yield "analytics", f"no settings for {' and '.join(unknown)}" if unknown else ""
    elif isinstance(resource.listing, Paged) and resource is not AUDIT_LOG:
        yield "totals", _total_problem(answer)
    if answer.objects:
        yield from _declared_objects(answer)
        if resource is ZONE:
            yield "plans", _plan(answer).reason


def _envelope_problem(answer: HostAnswer) -> str:
    envelope = answer.envelope
    if not envelope:
        return f"HTTP {answer.status}, {answer.problem or 'the document is no object'}"
    return first_few(
        f"{name} is a {type(envelope[name]).__name__}" if name in envelope else f"no {name}"
        for name, kinds in MEMBERS.items()
        if name not in envelope or not isinstance(envelope[name], kinds)
    )


def _clock_problem(seconds_ahead: float | None) -> str:
    if seconds_ahead is None:
        return "the header Date is missing, or cannot be read"
    is_near = abs(seconds_ahead) <= CLOCK_SKEW.total_seconds()
    return "" if is_near else f"the clocks differ by about {abs(seconds_ahead):.0f} s"


def _rate_limit(answer: HostAnswer) -> Checks:
    headers = {name: answer.header(name) for name in ("Ratelimit", "Ratelimit-Policy")}
    limit, policy = (value or "" for value in headers.values())
    lacking = " and ".join(f"no {name}" for name, value in headers.items() if value is None)
    is_readable = LIMIT.search(limit) and POLICY.search(policy)
    yield (
        "rate_limit_headers",
        lacking or ("" if is_readable else "the headers have an unknown form"),
    )
    budget, period = BOUNDS["call_budget"][1], BOUNDS["call_budget_period"][1]
    for calls, seconds in POLICY.findall(policy):
        is_enough = int(calls) / int(seconds) * period >= budget
        problem = f"Ratelimit-Policy allows {calls} calls in {seconds} s"
        yield "rate_limit", "" if is_enough else problem


def _total_problem(answer: HostAnswer) -> str:
    info, length = answer.envelope.get("result_info"), len(answer.objects)
    total = info.get("total_count") if isinstance(info, Mapping) else None
    if not isinstance(total, int) or isinstance(total, bool):
        return "no total_count"
    return f"total_count is {total}, and the page has {length} objects" if total < length else ""


def _declared_objects(answer: HostAnswer) -> Checks:
    """Objects against the declaration of their resource, with the number of those that differ."""
    resource = answer.resource
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    keys = set()
    for item in answer.objects:
        known = resource.shape.read(item) if resource.shape else item
        for name, problem in _object_problems(resource, known):
            counts[name][problem] += 1
        if resource.key and "id" not in resource.key:
            key = repr(resource.key_of(known))
            counts["keys"][f"the same {' and '.join(resource.key)}" if key in keys else ""] += 1
            keys.add(key)
    of_all = plural(len(answer.objects), "object", "objects")
    for name, counted in counts.items():
        problems = (
            f"{text} in {count} of {of_all}" for text, count in sorted(counted.items()) if text
        )
        yield name, first_few(problems)


def _object_problems(resource: Resource, item: Object) -> Checks:
    """The assumptions that one object is about, each with its problem."""
    if resource.key:
        yield "ids", "" if isinstance(item.get("id"), str) and item["id"] else "no id"
    if is_written(resource):
        names = {field.name for field in resource.fields}
        yield from _undeclared(item, {*names, *resource.assigned, *resource.read_only})
    for name in _always(resource):
        yield "fields_present", "" if name in item else f"no {name}"
    for field in resource.fields:
        yield from _field_problems(resource, field, item)
    for name in TIMES & {*resource.read_only} & {*item}:
        is_readable = item[name] is None or read_timestamp(item[name])
        yield "times", "" if is_readable else f"an unreadable {name}"


def _always(resource: Resource) -> set[str]:
    """The fields that every object has, beside its id."""
    if not is_written(resource):
        return {*resource.key} - {"id"}
    if resource.name in ALWAYS or resource.is_ordered:
        return ALWAYS.get(resource.name, OF_A_RULE)
    fields = [field.name for field in resource.fields if field.absent_default is None]
    return {*fields, *resource.read_only} - {"id"}


def _undeclared(item: Mapping[str, Any], known: set[str], within: str = "") -> Checks:
    yield "fields_known", ""
    for name in {*item} - known:
        yield "fields_known", f"unknown field {within}{shown_name(name)}"


def _field_problems(resource: Resource, field: Field, item: Object) -> Checks:
    value, option = item.get(field.name), field.value.option
    if value is None:
        return
    expected = JSON_TYPES.get(str(option["type"]))
    if (expected and not isinstance(value, expected)) or (expected is int and value is True):
        yield "types", f"{field.name} is a {type(value).__name__}"
        return
    yield "types", ""
    if field.fields:
        read_only = resource.nested.read_only if resource.nested else ()
        names = {inner.name for inner in field.fields}
        yield from _undeclared(value, {*names, *read_only}, f"{field.name}.")
        for inner in field.fields:
            yield from _field_problems(resource, inner, value)
    elif isinstance(value, Mapping):
        yield from _undeclared(value, {*(option.get("options") or value)}, f"{field.name}.")
    elif field.name == resource.address_field:
        yield "networks", f"{field.name} is not a network" if _is_odd(field, value) else ""
    elif field.value.holds == AN_EXPRESSION:
        yield "expressions", "an expression that cannot be read" if _is_odd(field, value) else ""
    known = {str(choice).casefold() for choice in option.get("choices") or ()}
    for word in value if isinstance(value, list) else [value]:
        is_odd = known and str(word).casefold() not in known
        yield "words", f"{field.name} is {shown_name(word)}" if is_odd else ""


def _is_odd(field: Field, value: Any) -> bool:
    """True if a task could not ask for this value, or would be warned of it."""
    try:
        return bool(field.value.examine(field.value.parse(value)))
    except ValueError:
        return True
