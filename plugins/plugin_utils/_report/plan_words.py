# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans in words, for the plan page, a terminal and SARIF: the first line, and each part with its
lines, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...module_utils._protection.traffic_changes import (
    UNKNOWN_TRAFFIC,
    TrafficChangeRecord,
    change_in_words,
    unknown_in_words,
)
from ...module_utils._protection.walk import CHECKED, COUNTED, OVERRIDDEN, SKIPPED, STOPPED
from ...module_utils._schema.account import decided_with
from ...module_utils._schema.registry import BY_NAME, title_of_object
from ...module_utils._text import capitalised, excerpt, plural, sentence
from ...module_utils._timestamps import to_the_minute
from .overview import Code, Piece, operation_pieces
from .plan_document import (
    NoLongerDescribed,
    PlanDocument,
    PlannedRisk,
    PlanOfHosts,
    alike_change,
    is_refused,
    number_of_hosts,
    opens,
    protects_less,
)
from .record import MAX_CHARS, WORDS_OF_MET, Expected, ineffective_text, values_by_key

NO_TRAFFIC_DIFFERS: Final = "No request and no packet is treated differently."
# Clauses on requests, by the mark that they lose: one for certain changes, one for others.
WEAKER_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    SKIPPED: ("skip what they meet today", "may skip what they meet today"),
    COUNTED: ("are limited less", "may be limited less"),
    CHECKED: ("meet fewer or weaker managed rules", "may meet fewer or weaker managed rules"),
    OVERRIDDEN: ("meet weaker managed DDoS rules", "may meet weaker managed DDoS rules"),
    STOPPED: ("are challenged that are blocked today", "may be challenged that are blocked today"),
}
BY_HAND_OR_PENDING: Final = (
    "A run of the base branch would make these changes as well: somebody changed the objects by"
    " hand, or the base branch has not been applied yet."
)
OF_WHOLE_RUN: Final = (
    "This is the effect of the whole run, with the changes that stand below as changed by hand."
)
PROTECTS_LESS: Final = "less of an attack is stopped"
OTHERWISE: Final = ("are treated less strictly", "may be treated less strictly")


RANK_OF_ATTACKS = 2  # behind changes by which requests pass, or may


class Line(NamedTuple):
    """A line of a part: words and data, the hosts that have it, and a remark behind them."""

    pieces: Sequence[Piece]
    hosts: Sequence[str] = ()
    remark: str = ""
    acceptances: Sequence[str] = ()  # to copy, each in YAML, that accept what is refused


class Part(NamedTuple):
    """A part of the page with its lines."""

    title: str
    lines: Sequence[Line]
    begins_with_hosts: bool = False


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
        if protects_less(plan):
            ranked += [(RANK_OF_ATTACKS, PROTECTS_LESS, host) for host in plan["hosts"]]
        traffic = plan["traffic_changes"]
        for change in traffic["passes"] if traffic else ():
            for host in plan["hosts"]:
                ranked.append((_rank_of_record(change), _change_clause(change), host))
        if traffic and not traffic["known"]:
            for host in plan["hosts"]:
                ranked.append((len(WEAKER_WORDS) + 5, UNKNOWN_TRAFFIC, host))
    pairs = [(clause, host) for _rank, clause, host in sorted(ranked, key=lambda item: item[0])]
    return [*values_by_key(dict.fromkeys(pairs)).items()]


def _rank_of_record(change: TrafficChangeRecord) -> int:
    """The rank of a change, 0 for the worst: certain changes by which traffic passes, then
    uncertain ones, then changes by which traffic is treated less strictly otherwise.
    """
    if opens(change):
        return 0 if change["certain"] else 1
    marks = [*WEAKER_WORDS]
    return (
        RANK_OF_ATTACKS
        + 1
        + (marks.index(change["mark"]) if change["mark"] in marks else len(marks))
    )


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
    return len(_shared(_refused_lines(refused))), number_of_hosts(refused)


def plan_parts(document: PlanDocument) -> Iterator[Part]:
    """The parts of the page, each with its lines; a part may have none."""
    changes = document["changes"]
    yield traffic_part(document)
    unplanned = [*_unplanned_lines(document)]
    yield Part("Refused", [*_shared(_refused_lines(changes)), *unplanned])
    yield Part("Accepted", _shared(_accepted_lines(changes)))
    yield operations_part(document)
    yield Part("Cannot work then", _shared(_ineffective_lines(changes)))
    yield Part("No longer described", [*map(_missing_line, document["no_longer_described"])])
    yield Part("Changed by hand", [*_by_hand_lines(document)])


def traffic_part(document: PlanDocument) -> Part:
    """The changes of traffic, the worst first."""
    return Part("What becomes of traffic", [*_traffic_lines(document)], begins_with_hosts=True)


def operations_part(document: PlanDocument) -> Part:
    """The changes that a run makes."""
    return Part("Operations", _shared(_operation_lines(document["changes"])))


def _shared(lines: Iterable[Line]) -> list[Line]:
    """The lines; those with equal words are joined, and those of most hosts come first."""
    hosts_by_line: dict[Line, dict[str, None]] = {}
    for line in lines:
        without_hosts = line._replace(pieces=tuple(line.pieces), hosts=())
        hosts_by_line.setdefault(without_hosts, {}).update(dict.fromkeys(line.hosts))
    groups = sorted(hosts_by_line.items(), key=lambda group: -len(group[1]))
    return [line._replace(hosts=[*hosts]) for line, hosts in groups]


def _traffic_lines(document: PlanDocument) -> Iterator[Line]:
    """A line for each change of traffic: first changes by which traffic passes, then those by which
    it is treated less strictly otherwise, then those by which it is stopped, then what is not
    known.
    """
    firsts: dict[str, Line] = {}
    ranks: dict[str, int] = {}
    for plan in document["changes"]:
        for rank, change in _ranked_changes(plan):
            text = alike_change(change)
            first = firsts.get(text) or Line([change_sentence(change)])
            hosts = dict.fromkeys([*first.hosts, *plan["hosts"]])
            firsts[text] = first._replace(hosts=[*hosts])
            ranks[text] = rank
    yield from (firsts[text] for text in sorted(firsts, key=lambda name: ranks[name]))
    unknown = _shared(_unknown_lines(document))
    yield from unknown
    if not firsts and not unknown and _are_all_compared(document):
        yield Line([NO_TRAFFIC_DIFFERS])
    elif document["by_hand"]:
        yield Line([OF_WHOLE_RUN])


def _are_all_compared(document: PlanDocument) -> bool:
    """Return whether hosts change whose rules were compared, and only objects of which that tells
    everything: not the protection of an account, and no level."""
    changing = [plan for plan in document["changes"] if plan["operations"]]
    if any(plan["traffic_changes"] is None for plan in changing):
        return False
    names = {obj["resource"] for plan in changing for obj in plan["operations"]}
    resources = [BY_NAME[name] for name in names if name in BY_NAME]
    is_untold = any(decided_with(resource) or resource.levels for resource in resources)
    return bool(resources) and not is_untold


def change_sentence(change: TrafficChangeRecord) -> str:
    """A sentence on traffic that a plan treats differently, and the objects that are the reason."""
    reasons = [title_of_object(obj["resource"], obj["key"]) for obj in change["keys"]]
    return excerpt(sentence(change_in_words(change, reasons)), MAX_CHARS)


def _ranked_changes(plan: PlanOfHosts) -> Iterator[tuple[int, TrafficChangeRecord]]:
    """The traffic changes of a plan, each with its rank; 0 is the worst."""
    traffic = plan["traffic_changes"]
    for change in traffic["passes"] if traffic else ():
        yield _rank_of_record(change), change
    for change in traffic["stopped"] if traffic else ():
        yield len(WEAKER_WORDS) + 4, change


def _unknown_lines(document: PlanDocument) -> Iterator[Line]:
    for plan in document["changes"]:
        traffic = plan["traffic_changes"]
        for reason in traffic["unknown"] if traffic else ():
            yield Line([unknown_in_words(reason)], plan["hosts"])


def _refused_lines(changes: Iterable[PlanOfHosts]) -> Iterator[Line]:
    """A line for each risk that makes a run refuse a plan, with the acceptance that would allow it,
    and for each expectation that fails.
    """
    for plan in changes:
        for risk in plan["risks"]:
            if not risk["accepted"]:
                yield _refused_risk(risk, plan["hosts"])
        for expectation in plan["expectations"]:
            yield Line([expectation_words(expectation)], plan["hosts"])


def _refused_risk(risk: PlannedRisk, hosts: Sequence[str]) -> Line:
    message = excerpt(risk["message"], MAX_CHARS)
    return Line([Code(risk["code"]), f": {message}"], hosts, acceptances=tuple(risk["accept"]))


def expectation_words(expectation: Expected) -> str:
    """An expectation that a plan leaves unmet or undecided, in words, with the reasons."""
    text = f"{expectation['description']}: expected {expectation['expected']}"
    verdict = f"{WORDS_OF_MET[expectation['planned']]} after the run"
    reasons = " ".join(expectation["reasons"])
    return excerpt(f"expectation {text}, {verdict} {reasons}".rstrip(), MAX_CHARS)


def _unplanned_lines(document: PlanDocument) -> Iterator[Line]:
    for part in document["unplanned"]:
        reason = excerpt(" ".join(part["reasons"]), MAX_CHARS)
        yield Line([f"cannot be planned: {reason}"], part["hosts"])


def _accepted_lines(changes: Iterable[PlanOfHosts]) -> Iterator[Line]:
    for plan in changes:
        for risk in plan["risks"]:
            if risk["accepted"]:
                until = f"until {to_the_minute(risk['expires'])}" if risk["expires"] else "for ever"
                why = risk["reason"] or "no reason is given"
                text = excerpt(f"{risk['message']} Accepted {until}: {why}.", MAX_CHARS)
                yield Line([Code(risk["code"]), f": {text}"], plan["hosts"])


def _operation_lines(changes: Iterable[PlanOfHosts]) -> Iterator[Line]:
    for plan in changes:
        for operation in plan["operations"]:
            yield Line([*operation_pieces(operation)], plan["hosts"])


def _ineffective_lines(changes: Iterable[PlanOfHosts]) -> Iterator[Line]:
    for plan in changes:
        for finding in plan["ineffective"]:
            yield Line([ineffective_text(finding)], plan["hosts"])


def _missing_line(part: NoLongerDescribed) -> Line:
    pieces: list[Piece] = [f"{capitalised(part['title'])} ", Code(part["key"])]
    if part["resource"] is None:
        return Line([*pieces, ": nothing compares it from now on"])
    return Line(
        [
            *pieces,
            ": it stays as it is; if somebody changes or deletes it later, no report says so",
        ],
        part["hosts"],
    )


def _by_hand_lines(document: PlanDocument) -> Iterator[Line]:
    """The changes by hand, with who made them and when, as far as that is known."""
    for reason in document["unknown_base"]:
        yield Line([reason])
    if document["by_hand"]:
        yield Line([BY_HAND_OR_PENDING])
    for part in document["by_hand"]:
        who = " ".join(change["text"] for change in part["changed"])
        yield Line([*operation_pieces(part["operation"])], part["hosts"], who)
