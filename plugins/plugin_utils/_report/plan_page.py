# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan page as Markdown, for the comment of a merge request: what changes, what becomes of
traffic, and what a run refuses, the worst first, in words of plans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...module_utils._protection.traffic_changes import TrafficChangeRecord, change_in_words
from ...module_utils._protection.walk import CHECKED, COUNTED, OVERRIDDEN, SKIPPED, STOPPED
from ...module_utils._schema.registry import title_of_resource
from ...module_utils._text import as_markdown, capitalised, excerpt, left_out, plural, sentence
from ...module_utils._timestamps import to_the_minute
from .markdown import code, counted_names, fitting, line_size, operation_line
from .plan_document import (
    NoLongerDescribed,
    PlanDocument,
    PlannedRisk,
    PlanOfHosts,
    alike_change,
    is_refused,
    number_of_hosts,
    opens,
)
from .record import MAX_CHARS, WORDS_OF_MET, Expected, ineffective_text, values_by_key

LONGEST_PLAN_PAGE = 60_000  # bytes
RESERVED = 300  # bytes for the title of each later part, its first line, and what it leaves out
NO_TRAFFIC_DIFFERS: Final = "No request and no packet is treated differently."
UNKNOWN_TRAFFIC: Final = "it is not known whether more traffic passes"
# Clauses on requests, by the mark that they lose: one for certain changes, one for others.
WEAKER_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    SKIPPED: ("skip what they meet today", "may skip what they meet today"),
    COUNTED: ("are limited less", "may be limited less"),
    CHECKED: ("meet fewer or weaker managed rules", "may meet fewer or weaker managed rules"),
    OVERRIDDEN: ("meet weaker managed DDoS rules", "may meet weaker managed DDoS rules"),
    STOPPED: ("are challenged that are blocked today", "may be challenged that are blocked today"),
}
BY_HAND_OR_PENDING: Final = (
    "- A run of the base branch would make these changes as well: somebody changed the objects by"
    " hand, or the base branch has not been applied yet."
)
OTHERWISE: Final = ("are treated less strictly", "may be treated less strictly")


class Line(NamedTuple):
    """A line of the page: its text without the hosts that have it."""

    text: str
    hosts: Sequence[str]


def plan_lead(document: PlanDocument) -> str:
    """A summary of the plans in one line: how many hosts change, on how many of them traffic
    passes, how many changes are refused, and so on.
    """
    return " ".join(_sentences(document))


def _sentences(document: PlanDocument) -> Iterator[str]:
    changed, hosts = document["hosts_changed"], document["hosts"]
    verb = "changes" if 1 in (changed, hosts) else "change"
    yield f"{changed} of {plural(hosts, 'host', 'hosts')} {verb}."
    for clause, concerned in _weaker_traffic(document["changes"]):
        yield f"On {plural(len(concerned), 'host', 'hosts')} {clause}."
    refusals, refused_hosts = _refusals(document["changes"])
    if refusals:
        verb = "is" if refusals == 1 else "are"
        where = plural(refused_hosts, "host", "hosts")
        yield f"{plural(refusals, 'change', 'changes')} {verb} refused on {where}."
    unplanned = number_of_hosts(document["unplanned"])
    if unplanned:
        yield f"{plural(unplanned, 'host', 'hosts')} cannot be planned."
    by_hand = sum(len(part["hosts"]) for part in document["by_hand"])
    if by_hand:
        yield f"The run would undo {plural(by_hand, 'change', 'changes')} by hand."


def _weaker_traffic(changes: Iterable[PlanOfHosts]) -> list[tuple[str, list[str]]]:
    """Clauses on traffic that is treated less strictly, or for which that is not known, each with
    its hosts; clauses on traffic that passes come first.
    """
    ranked: list[tuple[int, str, str]] = []
    for plan in changes:
        traffic = plan["traffic_changes"]
        for change in traffic["passes"] if traffic else ():
            for host in plan["hosts"]:
                ranked.append((_rank_of_record(change), _change_clause(change), host))
        if traffic and not traffic["known"]:
            for host in plan["hosts"]:
                ranked.append((len(WEAKER_WORDS) + 4, UNKNOWN_TRAFFIC, host))
    pairs = [(clause, host) for _rank, clause, host in sorted(ranked, key=lambda item: item[0])]
    return [*values_by_key(dict.fromkeys(pairs)).items()]


def _rank_of_record(change: TrafficChangeRecord) -> int:
    """The rank of a change, 0 for the worst: certain changes by which traffic passes, then
    uncertain ones, then changes by which traffic is treated less strictly otherwise.
    """
    if opens(change):
        return 0 if change["certain"] else 1
    marks = [*WEAKER_WORDS]
    return 2 + (marks.index(change["mark"]) if change["mark"] in marks else len(marks))


def _change_clause(change: TrafficChangeRecord) -> str:
    """A clause on a change of traffic, such as `requests pass that are blocked today`."""
    verb = "" if change["certain"] else "may "
    if opens(change):
        return f"{change['kind']}s {verb}pass that are {change['what']} today"
    words = WEAKER_WORDS.get(change["mark"], OTHERWISE)
    return f"{change['kind']}s {words[0] if change['certain'] else words[1]}"


def _refusals(changes: Iterable[PlanOfHosts]) -> tuple[int, int]:
    """The number of refused changes (equal changes of several hosts count once), and the number of
    hosts that have them.
    """
    refused = [plan for plan in changes if is_refused(plan)]
    texts = {line.text for line in _refused_lines(refused)}
    return len(texts), number_of_hosts(refused)


def plan_page(document: PlanDocument) -> str:
    """The text of the page, at most LONGEST_PLAN_PAGE bytes; it mentions the number of lines left
    out.
    """
    head = [as_markdown(plan_lead(document)), "", f"Label: {document['label']}"]
    parts = [(title, lines) for title, lines in _titled_parts(document) if lines]
    lines = [*head]
    for position, (title, part_lines) in enumerate(parts):
        later = RESERVED * (len(parts) - position)
        room = LONGEST_PLAN_PAGE - sum(map(line_size, lines)) - later
        lines += ["", f"## {title}", "", *_lines_that_fit(part_lines, room)]
    return "\n".join(lines) + "\n"


def _lines_that_fit(lines: Sequence[str], room: int) -> Iterator[str]:
    """The first lines that fit into `room` bytes, and a line on how many are left out."""
    shown = [*fitting(lines, room)]
    yield from shown
    hidden = left_out(len(lines), len(shown), "line", "lines")
    if hidden:
        yield f"- {hidden}, in plan.json"


def _titled_parts(document: PlanDocument) -> Iterator[tuple[str, list[str]]]:
    """The parts of the page, each with its lines."""
    changes = document["changes"]
    yield "What becomes of traffic", [*_traffic_lines(document)]
    refused = [*_shared(_refused_lines(changes)), *_unplanned_lines(document)]
    yield "Refused", refused
    yield "Accepted", _shared(_accepted_lines(changes))
    yield "Operations", _shared(_operation_lines(changes))
    yield "Cannot work then", _shared(_ineffective_lines(changes))
    missing = [_missing_line(part) for part in document["no_longer_described"]]
    yield "No longer described", missing
    yield "Changed by hand", [*_by_hand_lines(document)]


def _shared(lines: Iterable[Line]) -> list[str]:
    """The text of each line with its hosts, as a list item; lines with equal text are joined, and
    those of most hosts come first.
    """
    hosts_by_text: dict[str, dict[str, None]] = {}
    for line in lines:
        hosts_by_text.setdefault(line.text, {}).update(dict.fromkeys(line.hosts))
    groups = sorted(hosts_by_text.items(), key=lambda group: -len(group[1]))
    return [f"- {text} ({_host_names([*hosts])})" for text, hosts in groups]


def _host_names(hosts: Sequence[str]) -> str:
    return counted_names([*map(as_markdown, hosts)])


def _traffic_lines(document: PlanDocument) -> Iterator[str]:
    """A line for each change of traffic: first changes by which traffic passes, then those by which
    it is treated less strictly otherwise, then those by which it is stopped, then what is not
    known.
    """
    firsts: dict[str, Line] = {}
    ranks: dict[str, int] = {}
    for plan in document["changes"]:
        for rank, change in _ranked_changes(plan):
            text = alike_change(change)
            hosts = [*firsts[text].hosts, *plan["hosts"]] if text in firsts else plan["hosts"]
            first = firsts[text].text if text in firsts else _change_in_words(change)
            firsts[text], ranks[text] = Line(first, hosts), rank
    for text in sorted(firsts, key=lambda name: ranks[name]):
        shown = as_markdown(excerpt(firsts[text].text, MAX_CHARS))
        yield f"- {_host_names(firsts[text].hosts)}: {shown}"
    unknown = [*_unknown_lines(document)]
    yield from unknown
    if not firsts and document["hosts_changed"] and not unknown:
        yield NO_TRAFFIC_DIFFERS


def _change_in_words(change: TrafficChangeRecord) -> str:
    reasons = [f"{title_of_resource(obj['resource'])} {obj['key']}" for obj in change["keys"]]
    return sentence(change_in_words(change, reasons))


def _ranked_changes(plan: PlanOfHosts) -> Iterator[tuple[int, TrafficChangeRecord]]:
    """The traffic changes of a plan, each with its rank; 0 is the worst."""
    traffic = plan["traffic_changes"]
    for change in traffic["passes"] if traffic else ():
        yield _rank_of_record(change), change
    for change in traffic["stopped"] if traffic else ():
        yield len(WEAKER_WORDS) + 3, change


def _unknown_lines(document: PlanDocument) -> Iterator[str]:
    pairs: list[Line] = []
    for plan in document["changes"]:
        traffic = plan["traffic_changes"]
        for reason in traffic["unknown"] if traffic else ():
            pairs.append(
                Line(as_markdown(f"{sentence(UNKNOWN_TRAFFIC)[:-1]}: {reason}."), plan["hosts"])
            )
    yield from _shared(pairs)


def _refused_lines(changes: Iterable[PlanOfHosts]) -> Iterator[Line]:
    """A line for each risk that makes a run refuse a plan, with the acceptance that would allow it,
    and for each expectation that fails.
    """
    for plan in changes:
        for risk in plan["risks"]:
            if not risk["accepted"]:
                yield Line(_refused_risk(risk), plan["hosts"])
        for expectation in plan["expectations"]:
            yield Line(_unmet(expectation), plan["hosts"])


def _refused_risk(risk: PlannedRisk) -> str:
    message = as_markdown(excerpt(risk["message"], MAX_CHARS))
    accept = ", ".join(risk["accept"])
    return f"{code(risk['code'])}: {message} If this is meant, accept it: {code(accept)}"


def _unmet(expectation: Expected) -> str:
    text = f"{expectation['description']}: expected {expectation['expected']}"
    verdict = f"{WORDS_OF_MET[expectation['planned']]} after the run"
    reasons = " ".join(expectation["reasons"])
    return as_markdown(excerpt(f"expectation {text}, {verdict} {reasons}".rstrip(), MAX_CHARS))


def _unplanned_lines(document: PlanDocument) -> Iterator[str]:
    for part in document["unplanned"]:
        reason = as_markdown(excerpt(" ".join(part["reasons"]), MAX_CHARS))
        yield f"- cannot be planned: {reason} ({_host_names(part['hosts'])})"


def _accepted_lines(changes: Iterable[PlanOfHosts]) -> Iterator[Line]:
    for plan in changes:
        for risk in plan["risks"]:
            if risk["accepted"]:
                until = f"until {to_the_minute(risk['expires'])}" if risk["expires"] else "for ever"
                why = risk["reason"] or "no reason is given"
                text = excerpt(f"{risk['message']} Accepted {until}: {why}.", MAX_CHARS)
                yield Line(f"{code(risk['code'])}: {as_markdown(text)}", plan["hosts"])


def _operation_lines(changes: Iterable[PlanOfHosts]) -> Iterator[Line]:
    for plan in changes:
        for operation in plan["operations"]:
            yield Line(operation_line(operation).removeprefix("- "), plan["hosts"])


def _ineffective_lines(changes: Iterable[PlanOfHosts]) -> Iterator[Line]:
    for plan in changes:
        for finding in plan["ineffective"]:
            yield Line(as_markdown(ineffective_text(finding)), plan["hosts"])


def _missing_line(part: NoLongerDescribed) -> str:
    subject = f"{capitalised(part['title'])} {code(part['key'])}"
    if part["resource"] is None:
        return f"- {subject}: nothing compares it from now on"
    return f"- {subject}: it may change or go, and no report says so ({_host_names(part['hosts'])})"


def _by_hand_lines(document: PlanDocument) -> Iterator[str]:
    """The changes by hand, with who made them and when, as far as that is known."""
    for reason in document["unknown_base"]:
        yield f"- {as_markdown(reason)}"
    if document["by_hand"]:
        yield BY_HAND_OR_PENDING
    for part in document["by_hand"]:
        line = operation_line(part["operation"])
        who = " ".join(change["text"] for change in part["changed"])
        yield f"{line} ({_host_names(part['hosts'])}) {as_markdown(who)}".rstrip()
