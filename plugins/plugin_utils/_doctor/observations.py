# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Observations: what one answer says about one assumption; here those that any answer allows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import BOUNDS
from ansible_collections.edgeops.protection.plugins.module_utils._budget.budget import LIMIT
from ansible_collections.edgeops.protection.plugins.module_utils._text import first_few, plural
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import CLOCK_SKEW

from .reads import (
    BEHIND,
    FIRST_TEN,
    NEXT_TEN,
    SMALL_PAGE,
    Answer,
    first_answers,
    is_paged,
    shown_names,
    title_of,
)

MEMBERS = frozenset(["success", "errors", "messages", "result", "result_info"])
NEEDED = ("success", "errors", "messages", "result")
MEMBER_TYPES: Mapping[str, tuple[type, ...]] = {
    "success": (bool,),
    "errors": (list,),
    "messages": (list, type(None)),
}
PAGE_MEMBERS = frozenset(
    ["page", "per_page", "count", "total_count", "total_pages", "cursor", "cursors"]
)
POLICY = re.compile(r"\bq=([0-9]{1,9})\b.*?\bw=([0-9]{1,9})\b")
KNOWN_CODES = frozenset([6003, 6103, 6111, 7000, 7003, 8888, 9109, 10000, 10003, 10020, 971, 10405])


class Observation(NamedTuple):
    """What an answer says about an assumption: whether it holds, or otherwise the `problem`, and
    what the answer is about."""

    assumption: str
    about: str
    problem: str = ""

    @property
    def holds(self) -> bool:
        """Whether the answer is as the assumption says."""
        return not self.problem


def observe_answers(answers: Sequence[Answer]) -> Iterator[Observation]:
    """What envelopes, headers, pages and refusals say."""
    for answer in answers:
        if answer.status is not None:
            yield from _headers(answer)
        if answer.document is not None or answer.status is not None:
            yield from _envelope(answer)
    yield from _codes(answers)
    for answer in first_answers(answers):
        if answer.is_success and is_paged(answer.read.resource):
            yield from _page(answer)
    yield from _pages(answers)


def _about(answer: Answer) -> str:
    return title_of(answer.read.resource)


def _envelope(answer: Answer) -> Iterator[Observation]:
    if answer.read.request.is_query:
        return  # the analytics have no envelope
    if not answer.envelope:
        problem = f"HTTP {answer.status}, {answer.problem or 'the document is no object'}"
        yield Observation("envelope", _about(answer), problem)
        return
    yield Observation("envelope", _about(answer), _envelope_problem(answer.envelope))
    info = answer.envelope.get("result_info")
    unknown = {*answer.envelope} - MEMBERS
    unknown |= ({*info} if isinstance(info, Mapping) else set()) - PAGE_MEMBERS
    names = first_few(shown_names(unknown))
    problem = f"unknown {names}" if unknown else ""
    yield Observation("envelope_members", _about(answer), problem)


def _envelope_problem(envelope: Mapping[str, Any]) -> str:
    lacking = [name for name in NEEDED if name not in envelope]
    odd = [
        f"{name} is a {type(envelope[name]).__name__}"
        for name, kinds in MEMBER_TYPES.items()
        if name in envelope and not isinstance(envelope[name], kinds)
    ]
    return first_few([*(f"no {name}" for name in lacking), *odd])


def _headers(answer: Answer) -> Iterator[Observation]:
    yield Observation("date", _about(answer), _clock_problem(answer.seconds_ahead))
    if answer.read.request.is_query:
        return  # the analytics have a limit of their own
    limit, policy = answer.header("Ratelimit"), answer.header("Ratelimit-Policy")
    headers = {"Ratelimit": limit, "Ratelimit-Policy": policy}
    lacking = [name for name, value in headers.items() if value is None]
    is_readable = bool(LIMIT.search(limit or "") and POLICY.search(policy or ""))
    odd = "" if is_readable else "the headers have an unknown form"
    problem = f"no {' and no '.join(lacking)}" if lacking else odd
    yield Observation("rate_limit_headers", _about(answer), problem)
    yield from _policies(policy or "", _about(answer))


def _clock_problem(seconds_ahead: float | None) -> str:
    if seconds_ahead is None:
        return "the header Date is missing, or cannot be read"
    is_near = abs(seconds_ahead) <= CLOCK_SKEW.total_seconds()
    return "" if is_near else f"the clocks differ by about {abs(seconds_ahead):.0f} s"


def _policies(header: str, about: str) -> Iterator[Observation]:
    budget, period = BOUNDS["call_budget"][1], BOUNDS["call_budget_period"][1]
    for part in header.split(","):
        match = POLICY.search(part)
        if match and int(match[2]):
            calls, seconds = int(match[1]), int(match[2])
            allows = calls / seconds * period >= budget
            problem = "" if allows else f"Ratelimit-Policy allows {calls} calls in {seconds} s"
            yield Observation("rate_limit", about, problem)


def _codes(answers: Sequence[Answer]) -> Iterator[Observation]:
    for answer in answers:
        unknown = sorted({*answer.codes} - KNOWN_CODES)
        codes = first_few(map(str, unknown))
        problem = f"HTTP {answer.status} with the unknown code {codes}" if unknown else ""
        if answer.codes:
            yield Observation("error_codes", _about(answer), problem)


def _page(answer: Answer) -> Iterator[Observation]:
    """What the first page of a list says of the others."""
    info, size = answer.envelope.get("result_info"), answer.read.resource.page_size
    info = info if isinstance(info, Mapping) else {}
    total, length = _number(info.get("total_count")), len(answer.objects)
    per_page = _number(info.get("per_page"))
    problem = ""
    if total is None:
        problem = "no total_count"
    elif total < length:
        problem = f"total_count is {total}, and the page has {length} objects"
    yield Observation("totals", _about(answer), problem)
    if per_page is not None and per_page < size:
        problem = f"pages of {per_page}, and not of {size}"
        yield Observation("page_size", _about(answer), problem)
    elif total is not None:
        is_short = length < min(total, size)
        problem = f"{length} objects on the first page, of {total}" if is_short else ""
        yield Observation("page_size", _about(answer), problem)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _pages(answers: Sequence[Answer]) -> Iterator[Observation]:
    """What further pages say of the lists that they are of."""
    by_list: dict[str, dict[str, Answer]] = {}
    for answer in answers:
        by_list.setdefault(answer.read.request.path, {})[answer.read.part] = answer
    for by_part in by_list.values():
        yield from _further_pages(by_part)


def _further_pages(by_part: Mapping[str, Answer]) -> Iterator[Observation]:
    behind = by_part.get(BEHIND)
    if behind is not None:
        objects = plural(len(behind.objects), "object", "objects")
        problem = f"page 2 of 1 has {objects}" if behind.objects else ""
        problem = problem if behind.is_success else f"page 2 of 1 is HTTP {behind.status}"
        yield Observation("last_page", _about(behind), problem)
    first_ten, next_ten = by_part.get(FIRST_TEN), by_part.get(NEXT_TEN)
    if first_ten is not None and next_ten is not None:
        yield _following(first_ten, next_ten)


def _following(first: Answer, following: Answer) -> Observation:
    """Whether two small pages are parts of one list."""
    ids = [item.get("id") for item in first.objects]
    others = [item.get("id") for item in following.objects]
    both = len({*map(str, ids)} & {*map(str, others)})
    follows = len(ids) == SMALL_PAGE and bool(others) and not both
    problem = f"{len(ids)} objects, then {len(others)}, of which {both} are the same"
    return Observation("pages_follow", _about(first), "" if follows else problem)
