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
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ...module_utils._api.responses import MAINTENANCE_MODE
from ...module_utils._api.settings import BOUNDS
from ...module_utils._budget.budget import LIMIT
from ...module_utils._schema.neighbours import ZONE
from ...module_utils._schema.resource import TIMES_OF_CLOUDFLARE, Field, Object, Resource
from ...module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES, QUOTAS
from ...module_utils._text import first_few, plural
from ...module_utils._timestamps import CLOCK_SKEW, read_timestamp
from ...module_utils._traffic.queries import NODES
from ...module_utils._values.kinds import AN_EXPRESSION
from .answers import (
    ANALYTICS,
    BEHIND,
    FIRST_TEN,
    NEXT_TEN,
    SMALL_PAGE,
    HostAnswer,
    first_answers,
    is_paged,
    is_written,
    shown_name,
)

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
PAGE_MEMBERS = {"page", "per_page", "count", "total_count", "total_pages", "cursor", "cursors"}
POLICY = re.compile(r"\bq=([0-9]{1,9})\b.*?\bw=([0-9]{1,9})\b")
KNOWN_CODES = frozenset([6003, 6103, 6111, 7000, 7003, 8888, 9109, 10000, 10003, 10020, 971, 10405])
ALWAYS: Mapping[str, frozenset[str]] = {
    FIREWALL_RULES.name: frozenset(["action", "filter"]),
    CUSTOM_RULES.name: frozenset(["ref", "action", "expression", "version", "last_updated"]),
}
OF_A_RULE = frozenset(["ref", "version", "last_updated"])  # of any ruleset
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
    """A permission, a product or an assumption, and whether answers show that it is there or holds;
    None if that is not known. `about` are the titles of the resources concerned."""

    name: str
    holds: bool | None
    reason: str = ""
    about: Sequence[str] = ()


def _observed(assumption: str, answer: HostAnswer, problem: str) -> Diagnosis:
    return Diagnosis(assumption, not problem, problem, (answer.about,))


def permissions_of(answers: Sequence[HostAnswer]) -> list[Diagnosis]:
    """Each permission that reads of these resources need, and then each to write them."""
    reads, writes = _grouped_by_permission(answers, "GET"), _grouped_by_permission(answers, "PUT")
    managed = {
        name: [answer for answer in items if is_written(answer.read.resource)]
        for name, items in writes.items()
    }
    return [
        *(_permission(name, items) for name, items in reads.items()),
        *(
            Diagnosis(name, None, ONLY_WRITES, _titles(items))
            for name, items in managed.items()
            if items
        ),
    ]


def _grouped_by_permission(
    answers: Sequence[HostAnswer], method: str
) -> dict[str, list[HostAnswer]]:
    grouped = defaultdict(list)
    for answer in first_answers(answers):
        permission = replace(answer.read.resource.permission, token_only=False)
        grouped[permission.describe(method)].append(answer)
    return grouped


def _titles(answers: Sequence[HostAnswer]) -> Sequence[str]:
    return list(dict.fromkeys(answer.about for answer in answers))


def _permission(name: str, answers: Sequence[HostAnswer]) -> Diagnosis:
    """Granted if any read succeeds; not known if a read is refused for the product alone."""
    refused = [
        answer for answer in answers if answer.status in REFUSED and NO_PRODUCT not in answer.codes
    ]
    return _available(name, answers, refused)._replace(about=_titles(answers))


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
    for answer in first_answers(answers):
        resource = answer.read.resource
        if resource.product:
            of_product[resource.product].append(answer)
        if resource is ANALYTICS:
            others += [_analytics(answer, node.product, node.field) for node in NODES]
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
    if not answer.is_success:
        return Diagnosis("a known plan", None, answer.reason)
    name = _plan_name(answer.objects)
    quota = QUOTAS.get(str(name))
    if quota:
        return Diagnosis(f"the plan {quota.title} ({quota.rules:,} custom rules)", True)
    return Diagnosis(
        "a known plan", None, f"it is {shown_name(name)}" if name else "the zone does not say it"
    )


def _plan_name(zones: Sequence[Object]) -> Any:
    plan = zones[0].get("plan") if zones else None
    return plan.get("legacy_id") if isinstance(plan, Mapping) else None


def _node_settings(answer: HostAnswer, field: str) -> Any:
    """The settings of one node of the analytics; None if the answer has none."""
    value: Any = answer.document
    for step in ("data", "viewer", "accounts", 0, "settings", field):
        if step == 0:
            value = value[0] if isinstance(value, list) and value else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _analytics(answer: HostAnswer, product: str, field: str) -> Diagnosis:
    name, settings = f"analytics of {product}", _node_settings(answer, field)
    enabled = settings.get("enabled") if isinstance(settings, Mapping) else None
    if isinstance(enabled, bool):
        return Diagnosis(name, enabled, "" if enabled else "the account's settings say so")
    unsaid = "the settings of the account do not say it"
    return Diagnosis(name, None, unsaid if answer.is_success else answer.reason)


def observe(answers: Sequence[HostAnswer]) -> Iterator[Diagnosis]:
    """Each assumption that an answer is about, with the problem if it does not hold there."""
    for answer in answers:
        if answer.status is not None:
            yield _observed("date", answer, _clock_problem(answer.seconds_ahead))
            if not answer.read.request.is_query:  # the analytics have neither
                yield from _rate_limit(answer)
                yield from _envelope(answer)
        unknown = first_few(map(str, sorted({*answer.codes} - KNOWN_CODES)))
        problem = f"HTTP {answer.status} with the unknown code {unknown}" if unknown else ""
        if answer.codes:
            yield _observed("error_codes", answer, problem)
    yield from _further_pages(answers)
    for answer in first_answers(answers):
        if answer.is_success:
            yield from _of_success(answer)


def _of_success(answer: HostAnswer) -> Iterator[Diagnosis]:
    resource = answer.read.resource
    if is_paged(resource):
        yield from _first_page(answer)
    if resource is ANALYTICS:
        unknown = [node.product for node in NODES if _node_settings(answer, node.field) is None]
        problem = f"no settings for {' and '.join(unknown)}" if unknown else ""
        yield _observed("analytics", answer, problem)
    elif answer.objects:
        yield from _declared_objects(answer)
    if resource is ZONE and answer.objects:
        name = _plan_name(answer.objects)
        problem = f"the plan is {shown_name(name)}" if name else "the zone does not say its plan"
        yield _observed("plans", answer, "" if name in QUOTAS else problem)


def _envelope(answer: HostAnswer) -> Iterator[Diagnosis]:
    envelope = answer.envelope
    if not envelope:
        problem = f"HTTP {answer.status}, {answer.problem or 'the document is no object'}"
        yield _observed("envelope", answer, problem)
        return
    lacking = [f"no {name}" for name in MEMBERS if name not in envelope]
    odd = [
        f"{name} is a {type(envelope[name]).__name__}"
        for name, kinds in MEMBERS.items()
        if name in envelope and not isinstance(envelope[name], kinds)
    ]
    yield _observed("envelope", answer, first_few([*lacking, *odd]))
    info = envelope.get("result_info")
    unknown = {*envelope} - {*MEMBERS, "result_info"}
    unknown |= ({*info} if isinstance(info, Mapping) else set()) - PAGE_MEMBERS
    names = first_few(sorted(map(shown_name, unknown)))
    yield _observed("envelope_members", answer, f"unknown {names}" if unknown else "")


def _clock_problem(seconds_ahead: float | None) -> str:
    if seconds_ahead is None:
        return "the header Date is missing, or cannot be read"
    is_near = abs(seconds_ahead) <= CLOCK_SKEW.total_seconds()
    return "" if is_near else f"the clocks differ by about {abs(seconds_ahead):.0f} s"


def _rate_limit(answer: HostAnswer) -> Iterator[Diagnosis]:
    limit, policy = answer.header("Ratelimit"), answer.header("Ratelimit-Policy")
    headers = {"Ratelimit": limit, "Ratelimit-Policy": policy}
    lacking = " and ".join(f"no {name}" for name, value in headers.items() if value is None)
    is_readable = LIMIT.search(limit or "") and POLICY.search(policy or "")
    odd = "" if is_readable else "the headers have an unknown form"
    yield _observed("rate_limit_headers", answer, lacking or odd)
    budget, period = BOUNDS["call_budget"][1], BOUNDS["call_budget_period"][1]
    for match in filter(None, map(POLICY.search, (policy or "").split(","))):
        calls, seconds = int(match[1]), int(match[2])
        if seconds:
            problem = f"Ratelimit-Policy allows {calls} calls in {seconds} s"
            yield _observed(
                "rate_limit", answer, "" if calls / seconds * period >= budget else problem
            )


def _first_page(answer: HostAnswer) -> Iterator[Diagnosis]:
    """Findings about all pages of a list, by its first one."""
    info, size = answer.envelope.get("result_info"), answer.read.resource.page_size
    info = info if isinstance(info, Mapping) else {}
    total, length = _whole_number(info.get("total_count")), len(answer.objects)
    per_page = _whole_number(info.get("per_page"))
    too_low = f"total_count is {total}, and the page has {length} objects"
    problem = "no total_count" if total is None else too_low if total < length else ""
    yield _observed("totals", answer, problem)
    if per_page is not None and per_page < size:
        yield _observed("page_size", answer, f"pages of {per_page}, and not of {size}")
    elif total is not None:
        problem = f"{length} objects on the first page, of {total}"
        yield _observed("page_size", answer, problem if length < min(total, size) else "")


def _whole_number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _further_pages(answers: Sequence[HostAnswer]) -> Iterator[Diagnosis]:
    """Findings about further pages, list by list."""
    by_list: dict[str, dict[str, HostAnswer]] = defaultdict(dict)
    for answer in answers:
        by_list[answer.read.request.path][answer.read.part] = answer
    for by_part in by_list.values():
        yield from _pages_of_list(by_part)


def _pages_of_list(by_part: Mapping[str, HostAnswer]) -> Iterator[Diagnosis]:
    behind, first, following = map(by_part.get, (BEHIND, FIRST_TEN, NEXT_TEN))
    if behind:
        objects = plural(len(behind.objects), "object", "objects")
        problem = f"page 2 of 1 has {objects}" if behind.objects else ""
        failure = f"page 2 of 1 is HTTP {behind.status}"
        yield _observed("last_page", behind, problem if behind.is_success else failure)
    if first and following:
        ids, others = ([item.get("id") for item in page.objects] for page in (first, following))
        both = len({*map(str, ids)} & {*map(str, others)})
        follows = len(ids) == SMALL_PAGE and others and not both
        problem = f"{len(ids)} objects, then {len(others)}, of which {both} are the same"
        yield _observed("pages_follow", first, "" if follows else problem)


def _declared_objects(answer: HostAnswer) -> Iterator[Diagnosis]:
    """Objects against the declaration of their resource, with the number of those that differ."""
    resource, number = answer.read.resource, len(answer.objects)
    keyed = bool(resource.key and "id" not in resource.key)
    concerned = {
        "fields_present": True,
        "types": True,
        "fields_known": is_written(resource),
        "words": is_written(resource),
        "ids": bool(resource.key),
        "keys": keyed,
        "times": not TIMES.isdisjoint(resource.read_only),
        "networks": bool(resource.address_field),
        "expressions": any(map(_has_expression, resource.fields)),
        "entry_point": bool(resource.is_ordered),
    }
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    keys = set()
    for item in answer.objects:
        shape = resource.document.shape if resource.is_ordered else None
        known = shape.read(item) if shape else item
        for name, problem in _object_problems(resource, known):
            counts[name][problem] += 1
        key = repr(resource.key_of(known)) if keyed else None
        if key in keys:
            counts["keys"][f"the same {' and '.join(resource.key)}"] += 1
        keys.update([key] if key else [])
    of_all = plural(number, "object", "objects")
    for name in (name for name, is_concerned in concerned.items() if is_concerned):
        problems = sorted(counts[name].items())
        summary = first_few(f"{problem} in {count} of {of_all}" for problem, count in problems)
        yield _observed(name, answer, summary if problems else "")


def _object_problems(resource: Resource, item: Object) -> Iterator[tuple[str, str]]:
    """Each problem of one object, after the name of its assumption."""
    if resource.key and not (isinstance(item.get("id"), str) and item["id"]):
        yield "ids", "no id"
    if is_written(resource):
        names = {field.name for field in resource.fields}
        yield from _undeclared(item, {*names, *resource.assigned, *resource.read_only})
    for name in _always(resource) - {*item}:
        yield "fields_present", f"no {name}"
    for field in resource.fields:
        yield from _field_problems(resource, field, item)
    for name in TIMES & {*resource.read_only} & {*item}:
        if read_timestamp(item[name]) is None:
            yield "times", f"an unreadable {name}"
    if resource.is_ordered and not item.get("ref"):
        yield "entry_point", "no ref"


def _always(resource: Resource) -> set[str]:
    """The fields that every object has, beside its id."""
    if not is_written(resource):
        return {*resource.key} - {"id"}
    if resource.name in ALWAYS or resource.is_ordered:
        return {*ALWAYS.get(resource.name, OF_A_RULE)}
    fields = [field.name for field in resource.fields if field.absent_default is None]
    return {*fields, *resource.read_only} - {"id"}


def _undeclared(
    item: Mapping[str, Any], known: set[str], within: str = ""
) -> Iterator[tuple[str, str]]:
    for name in {*item} - known:
        yield "fields_known", f"unknown field {within}{shown_name(name)}"


def _field_problems(resource: Resource, field: Field, item: Object) -> Iterator[tuple[str, str]]:
    value, option = item.get(field.name), field.value.option
    if value is None:
        return
    expected = JSON_TYPES.get(str(option["type"]))
    if (expected and not isinstance(value, expected)) or (expected is int and value is True):
        yield "types", f"{field.name} is a {type(value).__name__}"
        return
    if field.fields:
        read_only = resource.nested.read_only if resource.nested else ()
        names = {inner.name for inner in field.fields}
        yield from _undeclared(value, {*names, *read_only}, f"{field.name}.")
        for inner in field.fields:
            yield from _field_problems(resource, inner, value)
    elif isinstance(value, Mapping):
        yield from _undeclared(value, {*(option.get("options") or value)}, f"{field.name}.")
    elif field.name == resource.address_field and _is_odd(field, value):
        yield "networks", f"{field.name} is not a network"
    elif field.value.holds == AN_EXPRESSION and _is_odd(field, value):
        yield "expressions", "an expression that cannot be read"
    known = {str(choice).casefold() for choice in option.get("choices") or ()}
    for word in value if isinstance(value, list) else [value]:
        if known and str(word).casefold() not in known:
            yield "words", f"{field.name} is {shown_name(word)}"


def _has_expression(field: Field) -> bool:
    return field.value.holds == AN_EXPRESSION or any(map(_has_expression, field.fields))


def _is_odd(field: Field, value: Any) -> bool:
    """True if a task could not ask for this value, or would be warned of it."""
    try:
        return bool(field.value.examine(field.value.parse(value)))
    except ValueError:
        return True
