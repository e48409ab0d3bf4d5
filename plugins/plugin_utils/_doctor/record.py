# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the doctor says of a host: a record, and the lines of it that a person reads."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, TypedDict

from ansible.release import __version__ as ansible_version
from ansible_collections.edgeops.protection.plugins.module_utils._api.session import VERSION
from ansible_collections.edgeops.protection.plugins.module_utils._text import first_few, plural

from .access import Finding, observe_analytics, permissions_of, products_of, reason_of
from .assumptions import ASSUMPTIONS, BY_NAME, ONLY_WRITES, Assumption
from .objects import observe_objects
from .observations import Observation, observe_answers
from .reads import Answer, first_answers, shown_name, title_of

UNSEEN = "No answer shows it."
NO_ANSWER = "No answer came"
PERMISSION_WORDS = {True: "granted", False: "refused", None: "not known"}
PRODUCT_WORDS = {True: "available", False: "not available", None: "not known"}


class FindingRecord(TypedDict):
    """A permission or a product; `available` is null if that is not known."""

    name: str
    available: bool | None
    reason: str
    needed_for: list[str]


class AnswerRecord(TypedDict):
    """What a read brought; `objects` is null if it failed."""

    resource: str
    status: int | None
    objects: int | None
    reason: str


class ClockRecord(TypedDict):
    """How far Cloudflare's clock is ahead of this machine's; null if it is not known."""

    seconds_ahead: float | None
    reason: str


class AssumptionRecord(TypedDict):
    """Whether an assumption holds on this host; `holds` is null if no answer shows it."""

    name: str
    holds: bool | None
    answers: int
    reasons: list[str]


class Record(TypedDict):
    """What the doctor says of a host."""

    host: str
    checked: str
    calls: int
    permissions: list[FindingRecord]
    products: list[FindingRecord]
    clock: ClockRecord
    rate_limit: dict[str, str | None]
    answers: list[AnswerRecord]
    assumptions: list[AssumptionRecord]


def record_of(host: str, checked: str, answers: Sequence[Answer], calls: int) -> Record:
    """The record of a host, by all answers about its account and its zone."""
    observations = [
        *observe_answers(answers),
        *observe_analytics(answers),
        *(
            item
            for answer in first_answers(answers)
            if answer.is_success
            for item in observe_objects(answer)
        ),
    ]
    return Record(
        host=host,
        checked=checked,
        calls=calls,
        permissions=[_finding(item) for item in permissions_of(answers)],
        products=[_finding(item) for item in products_of(answers)],
        clock=_clock(answers),
        rate_limit={name: _header(answers, name) for name in ("Ratelimit", "Ratelimit-Policy")},
        answers=[_answer(answer) for answer in first_answers(answers)],
        assumptions=[_verdict(assumption, observations) for assumption in ASSUMPTIONS],
    )


def _finding(finding: Finding) -> FindingRecord:
    return FindingRecord(
        name=finding.name,
        available=finding.is_there,
        reason=finding.reason,
        needed_for=list(finding.needed_for),
    )


def _answer(answer: Answer) -> AnswerRecord:
    return AnswerRecord(
        resource=title_of(answer.read.resource),
        status=answer.status,
        objects=len(answer.objects) if answer.is_success else None,
        reason="" if answer.is_success else reason_of(answer),
    )


def _clock(answers: Sequence[Answer]) -> ClockRecord:
    seconds = [answer.seconds_ahead for answer in answers if answer.seconds_ahead is not None]
    if seconds:
        return ClockRecord(seconds_ahead=round(median(seconds), 1), reason="")
    return ClockRecord(seconds_ahead=None, reason="no answer has a header Date that can be read")


def _header(answers: Sequence[Answer], name: str) -> str | None:
    values = (answer.header(name) for answer in answers)
    return next((value[:100] for value in values if value), None)


def _verdict(assumption: Assumption, observations: Iterable[Observation]) -> AssumptionRecord:
    own = [item for item in observations if item.assumption == assumption.name]
    reasons = _reasons(own)
    if not own:
        reasons = [ONLY_WRITES if assumption.shown_by_writes else UNSEEN]
    return AssumptionRecord(
        name=assumption.name,
        holds=all(item.holds for item in own) if own else None,
        answers=len(own),
        reasons=reasons,
    )


def _reasons(observations: Iterable[Observation]) -> list[str]:
    """Each problem once, with the resources that it is about."""
    about: dict[str, dict[str, None]] = {}
    for item in observations:
        if not item.holds:
            about.setdefault(item.problem, {})[item.about] = None
    return [f"{first_few(titles)}: {problem}" for problem, titles in about.items()]


def failures(record: Record, kind: str) -> list[str]:
    """What a run that fails on this kind says of a host: deviation, or unknown."""
    if kind == "deviation":
        odd = [item["name"] for item in record["assumptions"] if item["holds"] is False]
        return [f"assumptions that do not hold: {', '.join(odd)}"] if odd else []
    unread = [item["resource"] for item in record["answers"] if item["objects"] is None]
    return [f"not read: {', '.join(unread)}"] if unread else []


def lines_of(record: Record) -> Iterator[str]:
    """The record for people."""
    yield f"{record['host']}: {plural(record['calls'], 'call', 'calls')}, all of them reads."
    unread = [answer for answer in record["answers"] if answer["objects"] is None]
    elsewhere = {answer["reason"] for answer in unread}  # which have lines of their own
    for finding in record["permissions"]:
        yield f"  permission {_of_finding(finding, PERMISSION_WORDS, elsewhere)}"
    for finding in record["products"]:
        yield f"  product {_of_finding(finding, PRODUCT_WORDS, elsewhere)}"
    yield f"  clock: {_of_clock(record['clock'])}"
    yield from _of_unread(unread)
    yield from _of_assumptions(record)


def _of_unread(answers: Sequence[AnswerRecord]) -> Iterator[str]:
    """A line for each kind of failure, with the words of its first answer."""
    by_kind: dict[str, list[AnswerRecord]] = {}
    for answer in answers:
        by_kind.setdefault(short(answer["reason"]), []).append(answer)
    for failed in by_kind.values():
        names = first_few(dict.fromkeys(answer["resource"] for answer in failed))
        yield f"  not read: {names}. {_ended(failed[0]['reason'])}"


def short(reason: str) -> str:
    """The kind of a failure: status and codes, or that no answer came."""
    return reason.partition(":")[0] if reason.startswith("HTTP ") else NO_ANSWER


def _ended(text: str) -> str:
    return text if text.endswith(("?", ".")) else f"{text}."


def _of_finding(
    finding: FindingRecord, words: Mapping[bool | None, str], elsewhere: Collection[str]
) -> str:
    reason, needed_for = finding["reason"], first_few(finding["needed_for"])
    if reason in elsewhere:
        reason = short(reason)
    explained = (
        f"{words[finding['available']]}. {reason}" if reason else words[finding["available"]]
    )
    needed = f" Needed for {needed_for}." if needed_for and finding["available"] is False else ""
    return f"{finding['name']}: {_ended(explained)}{needed}"


def _of_clock(clock: ClockRecord) -> str:
    seconds = clock["seconds_ahead"]
    if seconds is None:
        return f"not known, since {clock['reason']}."
    where = "ahead of" if seconds >= 0 else "behind"
    return f"Cloudflare's is {abs(seconds):g} s {where} this machine's."


def _of_assumptions(record: Record) -> Iterator[str]:
    def with_verdict(verdict: bool | None) -> list[AssumptionRecord]:
        return [item for item in record["assumptions"] if item["holds"] is verdict]

    for item in with_verdict(False):
        assumption = BY_NAME[item["name"]]
        yield f"  DOES NOT HOLD {item['name']}: {assumption.statement}"
        yield from (f"    - {reason}" for reason in item["reasons"])
        yield f"    What goes wrong: {assumption.otherwise}"
    unknown = with_verdict(None)
    unseen = [item["name"] for item in unknown if not BY_NAME[item["name"]].shown_by_writes]
    if unseen:
        yield f"  not known, since no answer shows it: {', '.join(unseen)}."
    yield (
        f"  assumptions that hold: {len(with_verdict(True))}; that do not:"
        f" {len(with_verdict(False))}; not known: {len(unseen)}; shown by writes only:"
        f" {len(unknown) - len(unseen)}."
    )


FORMAT = 1
HEADERS = ("Content-Type", "Ratelimit", "Ratelimit-Policy", "Retry-After", "Server")
MAX_HEADER = 100  # characters
MAX_DEPTH = 12
MAX_NAMES = 60  # of one object


def bundle_text(
    record: Record, answers: Sequence[Answer], owners: Mapping[str, str], salt: bytes
) -> str:
    """The text of the file."""
    document = {
        "format": FORMAT,
        "versions": {
            "edgeops.protection": VERSION,
            "ansible-core": ansible_version,
            "python": platform.python_version(),
        },
        **{name: hashed(identity, salt) for name, identity in owners.items()},
        **record,
        "host": hashed(record["host"], salt),
        "shapes": [_shape_of_answer(answer, owners, salt) for answer in answers],
    }
    return json.dumps(document, indent=2, sort_keys=False) + "\n"


def hashed(identity: str, salt: bytes) -> str:
    """An id that nobody can read or guess."""
    return hashlib.sha256(salt + identity.encode()).hexdigest()[:16]


def _shape_of_answer(answer: Answer, owners: Mapping[str, str], salt: bytes) -> dict[str, Any]:
    path = answer.read.request.path
    for identity in owners.values():
        path = path.replace(identity, hashed(identity, salt))
    headers = {name: answer.header(name) for name in HEADERS}
    return {
        "request": f"{answer.read.request.method} {path}",
        "part": answer.read.part,
        "status": answer.status,
        "codes": answer.codes,
        "headers": {name: value[:MAX_HEADER] for name, value in headers.items() if value},
        "shape": shape_of(answer.document),
    }


def shape_of(value: Any, depth: int = 0) -> Any:
    """The names and types of a document: a list has the shape of all its items, no value is
    kept."""
    if depth > MAX_DEPTH:
        return "..."
    if isinstance(value, Mapping):
        names = list(value)[:MAX_NAMES]
        return {shown_name(name): shape_of(value[name], depth + 1) for name in names}
    if isinstance(value, list):
        shape: Any = None
        for item in value:
            shape = merged(shape, shape_of(item, depth + 1))
        return [] if shape is None else [shape]
    return "null" if value is None else type(value).__name__


def merged(one: Any, other: Any) -> Any:
    """One shape of two: objects have the names of both, and other shapes stand beside each
    other."""
    if one is None or one == other:
        return other
    if isinstance(one, dict) and isinstance(other, dict):
        names = dict.fromkeys([*one, *other])
        return {
            name: merged(one[name], other[name])
            if name in one and name in other
            else _optional(one.get(name, other.get(name)))
            for name in names
        }
    if isinstance(one, list) and isinstance(other, list):
        items = [*one, *other]
        return [merged(items[0], items[-1])] if items else []
    words = dict.fromkeys([*_words(one), *_words(other)])
    return " or ".join(words)


def _optional(shape: Any) -> Any:
    return f"{shape} or absent" if isinstance(shape, str) and "absent" not in shape else shape


def _words(shape: Any) -> list[str]:
    if isinstance(shape, str):
        return shape.split(" or ")
    return ["dict" if isinstance(shape, dict) else "list"]
