# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The record of a host, the lines of it that a person reads, and the bundle for an issue."""

from __future__ import annotations

import hashlib
import json
import platform
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from ansible.release import __version__ as ansible_version

from ...module_utils._api.session import VERSION
from ...module_utils._text import first_few, plural
from .answers import HostAnswer, HostAnswers, shown_name
from .findings import ONLY_WRITES, Assumption, assumptions, observe, permissions_of, products_of

NOT_SHOWN = "No answer shows it."
NO_ANSWER = "No answer came"
PERMISSION_WORDS = {True: "granted", False: "refused", None: "not known"}
PRODUCT_WORDS = {True: "available", False: "not available", None: "not known"}
FORMAT = 2
HEADERS = ("Content-Type", "Ratelimit", "Ratelimit-Policy", "Retry-After", "Server")
MAX_HEADER = 100  # characters
ABSENT = object()

Record = Mapping[str, Any]  # as the result of the action has it


def record_of(host: str, checked: str, examination: HostAnswers) -> Record:
    """The record of a host."""
    answers = examination.answers
    observed = defaultdict(list)
    for answer in answers:
        for name, problem in observe(answer):
            observed[name].append((answer.about, problem))
    return {
        "host": host,
        "checked": checked,
        "calls": examination.calls,
        "permissions": [item._asdict() for item in permissions_of(answers)],
        "products": [item._asdict() for item in products_of(answers)],
        "clock": _clock(answers),
        "rate_limit": {name: _header(answers, name) for name in ("Ratelimit", "Ratelimit-Policy")},
        "answers": list(map(_answer, answers)),
        "assumptions": [_verdict(item, observed[item.name]) for item in assumptions()],
    }


def _answer(answer: HostAnswer) -> dict[str, Any]:
    return {
        "resource": answer.about,
        "status": answer.status,
        "objects": len(answer.objects) if answer.is_success else None,
        "reason": "" if answer.is_success else answer.reason,
    }


def _clock(answers: Sequence[HostAnswer]) -> dict[str, Any]:
    seconds = [answer.seconds_ahead for answer in answers if answer.seconds_ahead is not None]
    if seconds:
        return {"seconds_ahead": round(median(seconds), 1), "reason": ""}
    return {"seconds_ahead": None, "reason": "no answer has a header Date that can be read"}


def _header(answers: Sequence[HostAnswer], name: str) -> str | None:
    values = (answer.header(name) for answer in answers)
    return next((value[:MAX_HEADER] for value in values if value), None)


def _verdict(assumption: Assumption, seen: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The verdict on an assumption, with each problem once and the resources that have it."""
    about: dict[str, list[str]] = defaultdict(list)
    for title, problem in dict.fromkeys(seen):
        if problem:
            about[problem].append(title)
    reasons = [f"{first_few(titles)}: {problem}" for problem, titles in about.items()]
    unseen = ONLY_WRITES if assumption.shown_by_writes else NOT_SHOWN
    return {
        "name": assumption.name,
        "holds": not reasons if seen else None,
        "answers": len(seen),
        "reasons": reasons if seen else [unseen],
    }


def failures(record: Record, kind: str) -> list[str]:
    """The reasons of a run that fails on this kind: deviation, or unknown."""
    if kind == "deviation":
        odd = [item["name"] for item in record["assumptions"] if item["holds"] is False]
        return [f"assumptions that do not hold: {', '.join(odd)}"] if odd else []
    unread = [item["resource"] for item in record["answers"] if item["objects"] is None]
    return [f"not read: {', '.join(unread)}"] if unread else []


def lines_of(record: Record) -> Iterator[str]:
    """The record for people."""
    yield f"{record['host']}: {plural(record['calls'], 'call', 'calls')}, all of them reads."
    unread: dict[str, dict[str, str]] = defaultdict(dict)  # by kind of failure
    for answer in record["answers"]:
        if answer["objects"] is None:
            unread[short(answer["reason"])].setdefault(answer["resource"], answer["reason"])
    elsewhere = {reason for reasons in unread.values() for reason in reasons.values()}
    for kind, words in (("permission", PERMISSION_WORDS), ("product", PRODUCT_WORDS)):
        for finding in record[f"{kind}s"]:
            yield f"  {kind} {_of_finding(finding, words, elsewhere)}"
    yield f"  clock: {_of_clock(record['clock'])}"
    for reasons in unread.values():
        reason, *_others = reasons.values()
        yield f"  not read: {first_few(reasons)}. {_ended(reason)}"
    yield from _of_assumptions(record)


def short(reason: str) -> str:
    """The kind of a failure: status and codes, or that no answer came."""
    return reason.partition(":")[0] if reason.startswith("HTTP ") else NO_ANSWER


def _ended(text: str) -> str:
    return text if text.endswith(("?", ".")) else f"{text}."


def _of_finding(
    finding: Record, words: Mapping[bool | None, str], elsewhere: Collection[str]
) -> str:
    word, reason = words[finding["available"]], finding["reason"]
    if reason in elsewhere:  # a line of its own tells it in full
        reason = short(reason)
    explained = _ended(f"{word}. {reason}" if reason else word)
    needed = ""
    if finding["needed_for"] and finding["available"] is False:
        needed = f" Needed for {first_few(finding['needed_for'])}."
    return f"{finding['name']}: {explained}{needed}"


def _of_clock(clock: Record) -> str:
    seconds = clock["seconds_ahead"]
    if seconds is None:
        return f"not known, since {clock['reason']}."
    where = "ahead of" if seconds >= 0 else "behind"
    return f"Cloudflare's is {abs(seconds):g} s {where} this machine's."


def _of_assumptions(record: Record) -> Iterator[str]:
    by_name = {item.name: item for item in assumptions()}
    verdicts: dict[bool | None, list[Record]] = defaultdict(list)
    for item in record["assumptions"]:
        verdicts[item["holds"]].append(item)
    for item in verdicts[False]:
        yield f"  DOES NOT HOLD {item['name']}: {by_name[item['name']].statement}"
        yield from (f"    - {reason}" for reason in item["reasons"])
        yield f"    What goes wrong: {by_name[item['name']].otherwise}"
    unknown = [item["name"] for item in verdicts[None]]
    unseen = [name for name in unknown if not by_name[name].shown_by_writes]
    if unseen:
        yield f"  not known, since no answer shows it: {', '.join(unseen)}."
    yield (
        f"  assumptions that hold: {len(verdicts[True])}; that do not: {len(verdicts[False])};"
        f" not known: {len(unseen)}; shown by writes only: {len(unknown) - len(unseen)}."
    )


def bundle_text(record: Record, examination: HostAnswers, salt: bytes) -> str:
    """The text of the bundle, with hashed ids."""
    owners = {name: hashed(identity, salt) for name, identity in examination.owners.items()}
    document = {
        "format": FORMAT,
        "versions": {
            "edgeops.protection": VERSION,
            "ansible-core": ansible_version,
            "python": platform.python_version(),
        },
        **owners,
        **record,
        "host": hashed(record["host"], salt),
        "shapes": [
            _shape_of_answer(answer, examination.owners, salt) for answer in examination.answers
        ],
    }
    return json.dumps(document, indent=2, sort_keys=False) + "\n"


def hashed(identity: str, salt: bytes) -> str:
    """An id that nobody can read or guess."""
    return hashlib.sha256(salt + identity.encode()).hexdigest()[:16]


def _shape_of_answer(answer: HostAnswer, owners: Mapping[str, str], salt: bytes) -> dict[str, Any]:
    path = answer.request.path
    for identity in owners.values():
        path = path.replace(identity, hashed(identity, salt))
    headers = {name: answer.header(name) for name in HEADERS}
    return {
        "request": f"{answer.request.method} {path}",
        "status": answer.status,
        "codes": answer.codes,
        "headers": {name: value[:MAX_HEADER] for name, value in headers.items() if value},
        "shape": shape_of([answer.document]),
    }


def shape_of(values: Sequence[Any]) -> Any:
    """The names and types of the values at one place of a document; no value is kept."""
    present = [value for value in values if value is not ABSENT]
    if present and all(isinstance(value, Mapping) for value in present):
        names = dict.fromkeys(name for value in present for name in value)
        return {
            shown_name(name): shape_of([value.get(name, ABSENT) for value in present])
            for name in names
        }
    if present and all(isinstance(value, list) for value in present):
        items = [item for value in present for item in value]
        return [shape_of(items)] if items else []
    kinds = ["null" if value is None else type(value).__name__ for value in present]
    absent = ["absent"] if len(present) < len(values) else []
    return " or ".join(dict.fromkeys([*kinds, *absent]))
