# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The texts that the page and its Markdown share. On all hosts together: ages, changes since the
report before, ends, accepted risks, and changes that hosts share. On a host: its traffic, and past
requests.

Not known is never zero: what is not known has a sentence.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypeVar, Union

from ...module_utils._protection.backtest import BacktestRecord
from ...module_utils._schema.registry import BY_NAME, title_of_resource
from ...module_utils._text import capitalised, excerpt, first_few, plural, sentence, visible
from ...module_utils._timestamps import to_the_minute
from .._alike import FEWEST
from .._variables import CONTACTS, by_path
from . import coverage as coverages
from . import record as records
from .coverage import CLASSES, AddressClass, AddressCounts
from .record import MAX_CHARS, Difference, HostChange, HostRecord, Report, Status, Totals

REMEDIES: Final[Mapping[Status, str]] = {  # of hosts that are not in order
    "unknown": "Correct what the message names, and run the report again.",
    "unprotected": (
        "Run the baseline if it protects more, or have Cloudflare serve the zone; if not, correct"
        " the baseline, or accept the status (report_accepted)."
    ),
    "weakened": (
        "Run the baseline. If no baseline names an object, name it, delete it, or accept it"
        " (report_accepted)."
    ),
    "drift": "Run the baseline, or change it to what is meant.",
    "pending": "Wait: a later run takes the step.",
}
ACTION_SIGNS = {"create": "+", "update": "~", "delete": "\u2212"}


class FieldChange(NamedTuple):
    """A field that an operation sets: its path, such as `filter.expression`, and its values;
    `before` is None if the object has no value now."""

    path: str
    before: str | None
    after: str


def field_changes(operation: Mapping[str, Any]) -> list[FieldChange]:
    """The fields that an operation changes. Left out are empty values of a new object, a repetition
    of its key, and unchanged parts of an inner object that is sent whole.
    """
    before, sent = by_path(operation["before"]), by_path(operation["fields"])
    says_nothing = ("", None, operation["key"])
    changes = []
    for path, value in sent.items():
        text = value_text(value)
        if path not in before and value not in says_nothing:
            changes.append(FieldChange(path, None, text))
        if path in before and value != before[path]:
            changes.append(FieldChange(path, value_text(before[path]), text))
    replaced = operation["fields"].keys() - _nested_fields(operation)
    for path, value in before.items():
        is_replaced = path.partition(".")[0] in replaced
        if is_replaced and path not in sent and value not in (None, {}):
            changes.append(FieldChange(path, value_text(value), "none"))
    return changes


def _nested_fields(operation: Mapping[str, Any]) -> set[str]:
    """The names of the fields with an inner object of which an operation sends only the parts that
    differ; the rest of it stays.
    """
    resource = BY_NAME.get(operation.get("resource", ""))
    fields = resource.fields if resource else ()
    return {field.name for field in fields if field.fields}


class OperationTexts(NamedTuple):
    """The texts for an operation; `name` is empty if the owner can have only one such object."""

    action: str
    sign: str
    title: str
    name: str
    fields: list[FieldChange]


def operation_texts(operation: Difference) -> OperationTexts:
    """The texts for an operation: its sign, the object, and its fields."""
    resource = BY_NAME.get(operation["resource"])
    is_single = resource is not None and not resource.key
    action = operation["action"]
    return OperationTexts(
        action=action,
        sign=ACTION_SIGNS[action],
        title=capitalised(operation["title"]),
        name="" if is_single else value_text(operation["name"]),
        fields=field_changes(operation),
    )


class Code(NamedTuple):
    """Data within a line, such as a key, a value or an acceptance to copy."""

    text: str


Piece = Union[str, Code]


def operation_pieces(operation: Difference) -> Iterator[Piece]:
    """An operation in words and data: its sign, its object and its fields."""
    texts = operation_texts(operation)
    yield Code(texts.sign)
    yield f" {texts.title}"
    if texts.name:
        yield from (" ", Code(texts.name))
    for position, field in enumerate(texts.fields):
        yield ", " if position else ": "
        yield from _pieces_of_field(field)


def _pieces_of_field(field: FieldChange) -> Iterator[Piece]:
    yield f"{field.path} "
    if field.before is not None:
        yield from (Code(field.before), " \u2192 ")
    yield Code(field.after)


def value_text(value: Any) -> str:
    """A value of a field as readable text; control characters are escaped, and long texts are
    shortened.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if 0 < len(text) <= MAX_CHARS and text.isprintable():
        return text
    shown = visible(text)
    if len(text) > MAX_CHARS:
        shown = excerpt(shown, MAX_CHARS)
    return shown or '""'


UNITS = {"day": timedelta(days=1), "hour": timedelta(hours=1), "minute": timedelta(minutes=1)}


def contacts(record: Mapping[str, Any]) -> dict[str, str]:
    """The owner and the runbook of a host; those that the host does not have are left out."""
    return {name: record[name] for name in CONTACTS if record.get(name)}


def why(record: HostRecord) -> list[str]:
    """The reasons for the status of a host, except for pending steps, which have a section of their
    own.
    """
    return record["reasons"][: -len(record["pending"]) or None]


def ages(report: Report) -> list[str]:
    """If the hosts of a report were read at different times, a sentence for each time, with the
    number of hosts and their age, oldest first; hosts of the same minute go together. Else empty.
    """
    made = datetime.fromisoformat(report["generated"])
    parts: dict[str, list[datetime]] = {}
    for record in report["hosts"]:
        moment = _read_aside(record, made) or made
        minute = to_the_minute(moment.isoformat())
        parts.setdefault(minute, []).append(moment)
    if len(parts) <= 1:
        return []
    oldest_first = sorted(parts.values(), key=min)
    return [_age(min(moments), len(moments), made) for moments in oldest_first]


def _age(moment: datetime, hosts: int, made: datetime) -> str:
    """A sentence such as `2 hosts were read 2026-11-21 10:00 UTC, 3 hours before this report`."""
    verb = "was" if hosts == 1 else "were"
    minute = to_the_minute(moment.isoformat())
    text = f"{plural(hosts, 'host', 'hosts')} {verb} read {minute}"
    if moment == made:
        return text
    # The clock of another machine may be ahead.
    side = "before" if moment < made else "after"
    return f"{text}, {_duration(abs(made - moment))} {side} this report"


def as_of(record: HostRecord, report: Report) -> str:
    """The moment at which a host was read, and its age, as text; empty if the host was read within
    a minute of the report's time, or later.
    """
    made = datetime.fromisoformat(report["generated"])
    moment = _read_aside(record, made)
    if moment is None or moment > made:
        return ""
    minute = to_the_minute(record["generated"])
    return f"as of {minute}, {_duration(made - moment)} ago"


def _read_aside(record: HostRecord, made: datetime) -> datetime | None:
    """The moment at which a host was read, if it is at least a minute away from `made`, the time of
    the report; None otherwise.
    """
    moment = datetime.fromisoformat(record["generated"])
    return moment if abs(made - moment) >= UNITS["minute"] else None


def until(end: str, report: Report) -> str:
    """The moment `end` as text, with the time from the report until then if it is in the future."""
    ahead = datetime.fromisoformat(end) - datetime.fromisoformat(report["generated"])
    if ahead <= timedelta():
        return to_the_minute(end)
    return f"{to_the_minute(end)} (in {_duration(ahead)})"


def _duration(duration: timedelta) -> str:
    """A duration in its largest unit, rounded down: an hour and a half is `1 hour`."""
    for name, unit in UNITS.items():
        if duration >= unit:
            return plural(int(duration / unit), name, f"{name}s")
    return "less than a minute"


class SharedOperation(NamedTuple):
    """An operation, the hosts on which a run would make exactly this operation, and its anchor."""

    operation: Difference
    hosts: Sequence[str]
    anchor: str


Shared = TypeVar("Shared", bound=Hashable)


def shared_by_hosts(pairs: Iterable[tuple[Shared, str]]) -> list[tuple[Shared, list[str]]]:
    """The things that several hosts share, each with these hosts, from `pairs` of a thing and a
    host; things of most hosts first.
    """
    by_thing = records.values_by_key(dict.fromkeys(pairs))
    shared = [(thing, hosts) for thing, hosts in by_thing.items() if len(hosts) >= FEWEST]
    return sorted(shared, key=lambda thing_and_hosts: -len(thing_and_hosts[1]))


def shared_operations(host_records: Iterable[HostRecord]) -> dict[str, SharedOperation]:
    """The operations that several hosts have in common, by their signature."""
    operations: dict[str, Difference] = {}
    pairs: list[tuple[str, str]] = []
    for record in host_records:
        for operation in record["operations"]:
            key = signature(operation)
            operations.setdefault(key, operation)
            pairs.append((key, record["host"]))
    shared = {}
    for position, (key, hosts) in enumerate(shared_by_hosts(pairs)):
        shared[key] = SharedOperation(operations[key], hosts, f"change-{position}")
    return shared


def shared_reasons(
    host_records: Iterable[HostRecord],
) -> list[tuple[tuple[Status, str], list[str]]]:
    """The reasons that several hosts have in common, each with the status of these hosts, and the
    hosts.
    """
    pairs = []
    for record in host_records:
        for reason in record["reasons"]:
            pairs.append(((record["status"], reason), record["host"]))
    return shared_by_hosts(pairs)


def signature(operation: Difference) -> str:
    """A text for an operation without its host: operations with equal texts do the same."""
    return json.dumps(operation, sort_keys=True)


def by_hosts(lines: Mapping[str, Sequence[str]]) -> list[tuple[Sequence[str], list[str]]]:
    """The lines in groups: each group has the hosts that share its lines, and these lines; groups
    of most hosts first. `lines` has the lines of each host.
    """
    hosts_by_line: dict[str, list[str]] = {}
    for host, lines_of_host in lines.items():
        for line in dict.fromkeys(lines_of_host):
            hosts_by_line.setdefault(line, []).append(host)
    sections: dict[Sequence[str], list[str]] = {}
    for line, hosts in hosts_by_line.items():
        sections.setdefault(tuple(hosts), []).append(line)
    return sorted(sections.items(), key=lambda section: -len(section[0]))


MAX_ROWS = 200  # of a list are shown; report.json has all
MAX_OPEN = 10  # rows do not push the hosts away, so that the part is open
MAX_LINKS = 30  # hosts that a row names


def anchor(host: str) -> str:
    """A unique anchor for a host, made of characters that need no escape in a URL."""
    return "host-" + re.sub(r"[^A-Za-z0-9_.-]", _with_tildes, host)


def _with_tildes(match: re.Match[str]) -> str:
    """Each byte of a letter as two digits behind a tilde."""
    letter = match.group().encode("utf-8", "replace")
    return "".join(f"~{byte:02x}" for byte in letter)


def status_change(change: HostChange) -> str:
    """The status of a host before and now."""
    before, now = _status_in_words(change["before"]), _status_in_words(change["now"])
    return now if now == before else f"{before} \u2192 {now}"


def _status_in_words(status: Status | None) -> str:
    return records.LABELS[status] if status else "not in the report"


def changed_reasons(change: HostChange) -> str:
    """The reasons of a host that are new, and those that are gone."""
    sentences = list(change["new"])
    number = len(change["differences"])
    if number:
        differences = plural(number, "new difference", "new differences")
        sentences.append(f"{differences}.")
    for reason in change["gone"]:
        sentences.append(f"No longer: {reason}")
    return " ".join(sentences)


def deadlines(host_records: Iterable[HostRecord]) -> list[tuple[tuple[str, str, str], list[str]]]:
    """The moment, the title and the key of all that ends soon, in order, with its hosts."""
    hosts: dict[tuple[str, str, str], list[str]] = {}
    for record in host_records:
        for deadline in record["expiring"]:
            end = (deadline["expires"], deadline["title"], deadline["key"])
            hosts.setdefault(end, []).append(record["host"])
    return sorted(hosts.items())


def risks_by_scope(host_records: Iterable[HostRecord]) -> dict[tuple[str, ...], list[str]]:
    """The accepted risks in force with their scope, each with all hosts that accept it so."""
    hosts: dict[tuple[str, ...], list[str]] = {}
    for record in host_records:
        for risk in record["accepted_risks"]:
            hosts.setdefault((risk["code"], *_bounds_of_risk(risk)), []).append(record["host"])
    return hosts


def _bounds_of_risk(risk: records.AcceptedRisk) -> tuple[str, str, str]:
    """The bounds of an accepted risk, its end, and its reason."""
    resource = title_of_resource(risk["resource"]) if risk["resource"] else ""
    entries = [f"{resource} {entry}" for entry in risk["entries"]] or [resource]
    bounds = [*filter(None, [*risk["networks"], *entries])]
    end = to_the_minute(risk["expires"]) if risk["expires"] else "for ever"
    return ", ".join(bounds) or "all", end, risk["reason"] or "none given"


def group_names(host_records: Sequence[HostRecord]) -> list[tuple[str, int]]:
    """The groups of the inventory that some of the hosts are in, and how many."""
    numbers: Counter[str] = Counter()
    for record in host_records:
        numbers.update(record["groups"])
    return sorted((name, number) for name, number in numbers.items() if number < len(host_records))


def of_all(number: int, whole: int, noun: str, verb: str) -> str:
    """Such as `1 of 2 accounts mitigates`, `no zone enforces` or `all 3 zones enforce`."""
    if not number or whole == 1:
        return f"{'the' if number else 'no'} {noun} {verb}s"
    if number == whole:
        return f"all {whole:,} {noun}s {verb}"
    return f"{number:,} of {whole:,} {noun}s {verb}{'s' if number == 1 else ''}"


def protection(totals: Totals) -> str:
    """A sentence on whether attacks are mitigated; empty if neither account nor zone was read."""
    clauses = []
    shares = [share.words for share in coverages.mitigated_shares(totals["addresses"])]
    if shares:
        clauses.append(f"attacks are mitigated for {' and '.join(shares)}")
    if totals["withdrawn"]:
        clauses.append(f"of these, {records.withdrawn_words(totals['withdrawn'])}")
    idle = totals["accounts"] - totals["mitigating"]
    if idle:
        clauses.append(f"{of_all(idle, totals['accounts'], 'account', 'mitigate')} nothing")
    if totals["zones"]:
        enforcing = of_all(totals["enforcing"], totals["zones"], "zone", "enforce")
        clauses.append(f"{enforcing} rules")
    return sentence("; ".join(clauses)) if clauses else ""


WORST: Final[Sequence[Status]] = ("unknown", "unprotected", "weakened")


def lead(totals: Totals) -> str:
    """The report in a sentence or two: first if attacks are mitigated, then what differs."""
    return f"{protection(totals)} {_unlike_baselines(totals)}".lstrip()


def _unlike_baselines(totals: Totals) -> str:
    clauses = []
    for status in WORST:
        number = totals["statuses"][status]
        if number:
            verb = "is" if number == 1 else "are"
            clauses.append(f"{number:,} {verb} {records.LABELS[status]}")
    if clauses:
        return capitalised(", ".join(clauses)) + "."
    if not totals["hosts"]:
        return "There is no host."
    if totals["statuses"]["in_order"] == totals["hosts"]:
        return "All match their baselines."
    later = " once its staged rollout is over" if totals["pending"] else ""
    return f"Every host protects at least what its baseline describes{later}."


SIGNS: Mapping[AddressClass, str] = dict(zip(CLASSES, "cpmunx"))  # of the style sheet


class Bar(NamedTuple):
    """One bar: the family of the addresses, their numbers by class of the style sheet, and the same
    in words."""

    family: str
    shares: Mapping[str, int]
    words: str


def bars(addresses: AddressCounts) -> Iterator[Bar]:
    """A bar for each family that has addresses, such as `240 mitigated, 16 excluded`."""
    for family, title in coverages.FAMILY_TITLES.items():
        numbers = addresses[family]
        shares, words = {}, []
        for name in CLASSES:
            if numbers[name]:
                shares[SIGNS[name]] = numbers[name]
                amount = coverages.amount(family, numbers[name])
                words.append(f"{amount} {coverages.CLASS_LABELS[name]}")
        if shares:
            yield Bar(title, shares, ", ".join(words))


FEW = 5  # networks of a component are shown to people
NARROWEST = 0.6  # percent of the bar: a share that is not zero can be seen


class Legend(NamedTuple):
    """The legend of a share of a bar: its class in the style sheet, and how people call it."""

    sign: str
    words: str


# The keys are the labels of the metric.
PACKET_ACTIONS: Final[Mapping[str, Legend]] = {
    "passed": Legend("m", "passed"),
    "would_drop": Legend("n", "would have been dropped"),
    "dropped": Legend("x", "dropped"),
}
# Of the requests that a planned rule stops or may stop.
REQUEST_EFFECTS: Final[Mapping[str, Legend]] = {
    "already": Legend("x", "blocked already"),
    "requests": Legend("n", "newly blocked or challenged"),
    "undecided": Legend("u", "not known"),
}


def period(traffic: Mapping[str, Any]) -> str:
    """The time that the traffic covers, in words."""
    try:
        span = datetime.fromisoformat(traffic["until"]) - datetime.fromisoformat(traffic["since"])
    except (TypeError, ValueError):  # of a report that others made
        return f"{traffic['since']} to {traffic['until']}"
    return f"{span.total_seconds() / 3600:g} h until {traffic['until']}"


def _packet_numbers(seen: Mapping[str, Any], *actions: str) -> Iterator[str]:
    for action in actions:
        number = seen[f"{action}_packets"]
        if number or (number == 0 and "passed" in actions):
            yield f"{number:,} {PACKET_ACTIONS[action].words}"


def _would_drop_share(seen: Mapping[str, Any]) -> str:
    share = seen["would_drop_percent"]
    return f" ({share:g} % would have been)" if share else ""


def traffic_in_words(seen: records.SeenTraffic) -> str:
    """The traffic of a component, in a sentence or two."""
    sentences = []
    numbers = ", ".join(_packet_numbers(seen, *PACKET_ACTIONS))
    if numbers:
        sentences.append(f"packets: {numbers}{_would_drop_share(seen)}.")
    if not seen["known"]:
        sentences.append("Not all is known." if numbers else "Not known.")
        sentences += seen["unknown"]
    return " ".join(sentences)


def networks_in_words(seen: records.SeenTraffic) -> Iterator[str]:
    """The networks that lost most, or would have, a sentence each."""
    for network in seen["networks"][:FEW]:
        numbers = ", ".join(_packet_numbers(network, "would_drop", "dropped"))
        yield f"{network['network']}: {numbers}{_would_drop_share(network)}"
    hidden = len(seen["networks"]) + seen["more_networks"] - FEW
    if hidden > 0:
        yield f"{plural(hidden, 'more network', 'more networks')} in report.json"


class ComponentTexts(NamedTuple):
    """The traffic of a component: its title, a sentence, its shares by class of the style sheet,
    and lines on networks and advice."""

    title: str
    words: str
    shares: Mapping[str, float]
    lines: list[str]


def component_texts(traffic: records.HostTraffic) -> Iterator[ComponentTexts]:
    """The texts of each component."""
    for name, seen in traffic["components"].items():
        yield ComponentTexts(
            title=capitalised(coverages.component_title(name)),
            words=traffic_in_words(seen),
            shares=_packet_shares(seen),
            lines=[*networks_in_words(seen), *seen["advice"]],
        )


def _packet_shares(seen: Mapping[str, Any]) -> dict[str, float]:
    """The percents of the packets; one that is not zero is wide enough to be seen."""
    numbers = {legend.sign: seen[f"{name}_packets"] or 0 for name, legend in PACKET_ACTIONS.items()}
    total = sum(numbers.values())
    return {
        sign: max(NARROWEST, 100 * number / total) for sign, number in numbers.items() if number
    }


def has_losses(traffic: records.HostTraffic | None) -> bool:
    """Return whether packets were dropped, would have been, or are not known."""
    components = traffic["components"].values() if traffic else ()
    return any(map(_has_loss, components))


def _has_loss(seen: records.SeenTraffic) -> bool:
    is_lossless = seen["known"] and not seen["dropped_packets"] and not seen["would_drop_packets"]
    return not is_lossless


def traffic_lines(traffic: records.HostTraffic | None) -> Iterator[str]:
    """The same in lines of text."""
    if traffic is not None:
        for texts in component_texts(traffic):
            yield f"{texts.title} in {period(traffic)}: {texts.words}"
            yield from texts.lines


# The numbers of past requests by what planned rules change, in words.
BACKTEST_CHANGES = {"newly_blocked": "newly be blocked or challenged", "newly_passed": "newly pass"}


def backtest_in_words(backtest: BacktestRecord) -> str:
    """A backtest in a sentence or two."""
    if backtest["requests"] is None:
        return " ".join(["Not known.", *backtest["unknown"]])
    clauses = [*_changed_requests(backtest)]
    undecided = backtest["undecided"]
    if undecided["requests"]:
        fields = first_few(undecided["fields"])
        clauses.append(f"{undecided['requests']:,} are not known, without {fields}")
    sentences = [f"Of {backtest['requests']:,} requests, {', '.join(clauses) or 'none changes'}."]
    if backtest["unknown"]:
        sentences += ["Not all is known.", *backtest["unknown"]]
    return " ".join(sentences)


def _changed_requests(backtest: Mapping[str, Any]) -> Iterator[str]:
    """The numbers of requests that would newly be stopped, and that would newly pass."""
    for name, words in BACKTEST_CHANGES.items():
        number, percent = backtest[name]["requests"], backtest[name]["percent"]
        # The share is one of what passes today, which may be nothing.
        share = "" if percent is None else f" ({percent:g} %)"
        if number:
            yield f"{number:,}{share} would {words}"


def rule_texts(backtest: BacktestRecord) -> Iterator[ComponentTexts]:
    """The texts of each rule that would stop requests, or may."""
    idle = "stops none of them" if backtest["known"] else "not known"
    for rule in backtest["rules"]:
        numbers: Mapping[str, Any] = rule
        counts_by_sign: dict[str, float] = {}
        words = []
        for name, legend in REQUEST_EFFECTS.items():
            if numbers[name]:
                counts_by_sign[legend.sign] = numbers[name]
                words.append(f"{numbers[name]:,} {legend.words}")
        lines = [_example_line(example) for example in rule["examples"]]
        yield ComponentTexts(rule["ref"], ", ".join(words) or idle, counts_by_sign, lines)


def _example_line(example: Mapping[str, Any]) -> str:
    """Such as `host shop.example, path /: 12`."""
    fields = [f"{name} {value}" for name, value in example.items() if name != "requests"]
    return f"{', '.join(fields)}: {example['requests']:,}"


def backtest_lines(backtest: BacktestRecord | None) -> Iterator[str]:
    """The same in lines of text."""
    if backtest is None:
        return
    yield backtest_in_words(backtest)
    for texts in rule_texts(backtest):
        summary = f"{texts.title}: {texts.words}"
        yield "; ".join([summary, *texts.lines])
