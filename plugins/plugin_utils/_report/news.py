# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The news of a report: what somebody should hear of it, and the state to keep, so that nothing is
told twice.

A host is new if it was well, or stands worse, or has another reason; a host of which nothing is
known is new once. It is told again while it lasts, and once more when it is over. What Cloudflare
has changed is told once, also if several reports were made since the last message; so is a watched
change that was set back or waits for its end.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from ...module_utils._text import capitalised, excerpt, first_sentences, left_out, sentence, visible
from ...module_utils._timestamps import to_the_minute
from .._baseline.approval import REPORT_FILE
from .document import host_record
from .files import other_reasons, read_report_file
from .overview import contacts, why
from .record import LABELS, FormerMoves, HostRecord, Report, moved_lines, severity, was_read
from .results import unread_host

MAX_HOSTS = 30  # hosts of a message; a chat takes a few thousand characters
MAX_REASON = 300  # characters
MOVED = "moved"  # by Cloudflare
WATCHED = "watched"  # changes that were set back, or have not come to their end
FOUND = "found"  # objects that no baseline names, of a host that is told of for nothing else
NAMES_OF_CHANGES = {
    "new": "New",
    "again": "Still",
    FOUND: "Found",
    "over": "Over",
    MOVED: "Changed by Cloudflare",
    WATCHED: "Watched change",
}
MAX_OBJECTS = 3  # of a host are told in words
GONE = "It is no longer in the report."
WHOLE_REPORT = "(report)"  # told of as of a host that could not be read, if it is too old
USUAL_AGE = timedelta(days=1)  # and as long as one message is enough
Told = Mapping[str, Any]  # of a host: its status and reasons, since when, and when it was told
News = Mapping[str, Any]  # of a host: what is told of it


class NewsTerms(NamedTuple):
    """The statuses that are told of, now, and how long one message about a host is enough."""

    statuses: Sequence[str]
    now: datetime
    again: timedelta


def read_news(directory: Path, state_file: Path, terms: NewsTerms) -> dict[str, Any]:
    """The news of the report in a directory; raises ValueError for what is neither a report nor a
    state."""
    try:
        report = read_report_file(str(directory / REPORT_FILE), terms.now.isoformat())
    except (OSError, ValueError) as exc:
        raise ValueError(f"There is no report to tell of: {exc}.") from None
    try:
        state = json.loads(state_file.read_text("utf-8")) if state_file.exists() else {}
        news = news_of(report, state, terms)
    except (AttributeError, LookupError, OSError, TypeError, ValueError) as exc:
        raise ValueError(
            f"{state_file} cannot be read: {exc}. Remove it to tell everything again."
        ) from None
    return {**news, "state_file": str(state_file)}


def news_of(report: Report, state: Mapping[str, Any], terms: NewsTerms) -> dict[str, Any]:
    """The hosts to tell of, in words too, and the state to keep afterwards."""
    told_before: Mapping[str, Told] = state.get("hosts", {})
    unmanaged_before: Mapping[str, Sequence[str]] = state.get("unmanaged", {})
    told_hosts: dict[str, Told] = {}
    unmanaged: dict[str, Sequence[str]] = {}
    news: list[News] = []
    records = [*report["hosts"], *_too_old(report, terms)]
    for record in records:
        host = record["host"]
        told = told_before.get(host, {})
        objects, before = _unmanaged(record), unmanaged_before.get(host, [])
        new_objects = [objects[name] for name in objects if name not in before]
        unmanaged[host] = [*objects] if was_read(record) else before
        what = _what(record, told, terms) or (FOUND if new_objects else "")
        since = told.get("since", record["generated"])
        if record["status"] in terms.statuses:
            told_at = _told_at(what, told, terms.now)
            told_hosts[host] = _told_of_host(record, since, told_at)
        if what:
            news.append(_news_of_host(record, what, told, since, new_objects))
    news += _news_of_all_moves(report, state.get(MOVED, {}))
    news += _news_of_all_watches(report, state.get(WATCHED, {}))
    gone = told_before.keys() - {record["host"] for record in records}
    news += [_news_of_gone(host) for host in sorted(gone)]
    return {
        "hosts": news,
        "title": _title(news),
        "lines": _lines(news),
        "left": len(told_hosts),
        "state": {
            **state,
            "hosts": told_hosts,
            "unmanaged": unmanaged,
            MOVED: _made_of_moves(report),
            WATCHED: _watched_sentences(report, state.get(WATCHED, {})),
        },
    }


def _news_of_all_moves(report: Report, told_before: Mapping[str, Sequence[str]]) -> Iterator[News]:
    """The changes that Cloudflare has made, of this report and earlier ones, that were not told
    yet; `told_before` are, by host, the moments at which reports with told changes were made."""
    for record in report["hosts"]:
        for moves in _all_moves(record):
            if moves["generated"] not in told_before.get(record["host"], ()):
                texts = moved_lines(moves["moved"])
                yield from _news_of_sentences(record, MOVED, texts, moves["generated"])


def _all_moves(record: HostRecord) -> list[FormerMoves]:
    """The changes by Cloudflare in the record of a host, report by report."""
    moves = list(record.get("former_moves") or ())
    if record["moved"]:
        moves.append(FormerMoves(generated=record["generated"], moved=record["moved"]))
    return moves


def _made_of_moves(report: Report) -> dict[str, Sequence[str]]:
    """By host, the moments at which the reports were made that have changes by Cloudflare."""
    made = {
        record["host"]: [moves["generated"] for moves in _all_moves(record)]
        for record in report["hosts"]
    }
    return {host: moments for host, moments in made.items() if moments}


def _news_of_all_watches(
    report: Report, told_before: Mapping[str, Sequence[str]]
) -> Iterator[News]:
    """The watched changes that were set back or wait for their end, and were not told yet."""
    for record in report["hosts"]:
        told = told_before.get(record["host"], ())
        texts = [text for text in _of_watches(record) if text not in told]
        yield from _news_of_sentences(record, WATCHED, texts, record["generated"])


def _of_watches(record: HostRecord) -> list[str]:
    """The sentences on the watched changes of a host."""
    return [*record["watched"], *record["not_set_back"]]


def _watched_sentences(
    report: Report, told_before: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """The sentences on watched changes by host; of a host that was not read, those of before."""
    sentences: dict[str, Sequence[str]] = {}
    for record in report["hosts"]:
        host = record["host"]
        known = _of_watches(record) if was_read(record) else told_before.get(host, ())
        if known:
            sentences[host] = known
    return sentences


def _news_of_sentences(
    record: HostRecord, what: str, texts: Iterable[str], since: str
) -> Iterator[News]:
    """The news of a host that is told in these sentences, each by itself."""
    for text in texts:
        news = _news(record["host"], what, excerpt(text, MAX_REASON), since=since)
        yield {**news, **contacts(record)}


def _unmanaged(record: HostRecord) -> dict[str, str]:
    """The objects of a host that no baseline names and nobody accepts, in words, with who changed
    them last if the audit log was read; by a name that stays."""
    changes = record["changes"] or ()
    authors = {(change["resource"], change["key"]): change["text"] for change in changes}
    objects = [obj for obj in record["unmanaged"] if not obj["accepted"]]
    texts = {}
    for obj in objects:
        subject = f"{capitalised(obj['title'])} {obj['key']}."
        text = authors.get((obj["resource"], obj["key"])) or subject
        texts[f"{obj['resource']} {obj['key']}"] = excerpt(text, MAX_REASON)
    return texts


def _told_of_host(record: HostRecord, since: str, told_at: str) -> Told:
    return {"status": record["status"], "reasons": why(record), "since": since, "told": told_at}


def _told_at(what: str, told: Told, now: datetime) -> str:
    """The moment at which a host was told of; objects alone are no message on its status."""
    is_told = what and not (what == FOUND and told)
    return now.isoformat(timespec="seconds") if is_told else str(told["told"])


def _news_of_gone(host: str) -> News:
    """That a host is no longer in the report, or that a report is no longer too old."""
    reason = "" if host == WHOLE_REPORT else GONE
    return _news(host, "over", reason)


def _title(news: Sequence[News]) -> str:
    counts = Counter(host_news["what"] for host_news in news)
    texts = [
        f"{counts[what]} {name[:1].lower()}{name[1:]}"
        for what, name in NAMES_OF_CHANGES.items()
        if counts[what]
    ]
    return f"Protection: {', '.join(texts) or 'nothing new'}."


def _lines(news: Sequence[News]) -> list[str]:
    lines = [_line(host_news) for host_news in news[:MAX_HOSTS]]
    uncounted = left_out(len(news), MAX_HOSTS, "host", "hosts")
    if uncounted:
        lines.append(sentence(uncounted))
    return lines


def _too_old(report: Report, terms: NewsTerms) -> list[HostRecord]:
    """A record that stands for a report which nobody has made anew; none if the report is new."""
    made = report["generated"]
    if datetime.fromisoformat(made) + terms.again + USUAL_AGE > terms.now:
        return []
    moment = to_the_minute(made)
    reason = f"Nobody has made a report since {moment}, so that nothing newer is known."
    return [host_record(unread_host(WHOLE_REPORT, reason), made)]


def _what(record: HostRecord, told: Told, terms: NewsTerms) -> str:
    """Return why somebody should hear of a host; an empty text if nobody should."""
    status = record["status"]
    if status not in terms.statuses:
        return "over" if told else ""
    if not told or severity(status) > severity(told["status"]):
        return "new"
    if status != "unknown" and other_reasons(why(record), told["reasons"]):
        return "new"
    is_due = datetime.fromisoformat(told["told"]) + terms.again <= terms.now
    return "again" if is_due else ""


def _news_of_host(
    record: HostRecord, what: str, told: Told, since: str, new_objects: Sequence[str]
) -> News:
    """A host with its first reason, one that is new if there is one."""
    reason = ""
    if what != "over":
        new_reasons = other_reasons(record["reasons"], told.get("reasons", ()))
        reasons = [*new_reasons, *record["reasons"], ""]
        reason = excerpt(reasons[0], MAX_REASON)
    fields = {"status": record["status"], "since": since, "unmanaged": new_objects}
    news = _news(record["host"], what, reason, **fields)
    return {**news, **contacts(record)}


def _news(host: str, what: str, reason: str, **fields: Any) -> News:
    """The news of a host; the fields that it does not have are empty."""
    empty: News = {"status": None, "since": None, "unmanaged": []}
    return {"host": host, "what": what, "reason": reason, **empty, **fields}


def _line(host_news: News) -> str:
    """A host in a line."""
    what, status = host_news["what"], host_news["status"]
    verdict = f" is {LABELS[status]}." if status else "."
    line = f"{NAMES_OF_CHANGES[what]}: {host_news['host']}{verdict}"
    if host_news["reason"]:
        line = f"{line} {host_news['reason']}"
    if host_news["unmanaged"]:
        objects = first_sentences(host_news["unmanaged"], MAX_OBJECTS, "object", "objects")
        line = f"{line} Exists, and no baseline names it: {objects}"
    remarks = [f"since {to_the_minute(host_news['since'])}"] if what == "again" else []
    remarks += [": ".join(contact) for contact in contacts(host_news).items()]
    if remarks:
        line = f"{line} ({'; '.join(remarks)})"
    return visible(line)
