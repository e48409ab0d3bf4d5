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
from typing import Any, Final, NamedTuple, TypeVar

from ...module_utils._protection.backtest import BacktestRecord
from ...module_utils._schema.registry import BY_NAME, title_of_resource
from ...module_utils._text import capitalised, excerpt, first_few, plural, sentence, visible
from ...module_utils._timestamps import to_the_minute
from .._variables import CONTACTS, by_path
from .coverage import (
    CLASS_LABELS,
    CLASSES,
    FAMILY_TITLES,
    AddressClass,
    AddressCounts,
    amount,
    component_title,
    mitigated_shares,
)
from .record import (
    LABELS,
    MAX_CHARS,
    AcceptedRisk,
    Difference,
    HostChange,
    HostRecord,
    HostTraffic,
    Report,
    SeenTraffic,
    Status,
    Totals,
    values_by_key,
)

REMEDIES: Final[Mapping[Status, str]] = {  # of hosts that are not in order
    "unknown": "Correct what the message names, and run the report again.",
    "unprotected": (
        "Run the baseline if it protects more; if not, correct it, or accept the status"
        " (report_accepted)."
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
    """The fields of an operation that say something: no empty value of a new object, not its key
    again, and of an inner object that is sent whole those that differ, or go."""
    before, sent = by_path(operation["before"]), by_path(operation["fields"])
    changes = [
        FieldChange(path, value_text(before[path]) if path in before else None, value_text(value))
        for path, value in sent.items()
        if path in before or (value not in ("", None) and value != operation["key"])
        if path not in before or value != before[path]
    ]
    resource = BY_NAME.get(operation.get("resource", ""))
    # Of these only the part that differs is sent, and the rest stays.
    nested = {item.name for item in resource.fields if item.fields} if resource else set()
    return changes + [
        FieldChange(path, value_text(value), "none")
        for path, value in before.items()
        if path not in sent and value not in (None, {})
        if path.partition(".")[0] in operation["fields"].keys() - nested
    ]


class OperationTexts(NamedTuple):
    """An operation; the name is empty for an object that there is once."""

    action: str
    sign: str
    title: str
    name: str
    fields: list[FieldChange]


def operation_texts(operation: Difference) -> OperationTexts:
    """An operation with its sign, the object, and its fields."""
    action, resource = operation["action"], BY_NAME.get(operation["resource"])
    name = "" if resource and not resource.key else value_text(operation["name"])
    title, fields = capitalised(operation["title"]), field_changes(operation)
    return OperationTexts(action, ACTION_SIGNS[action], title, name, fields)


def value_text(value: Any) -> str:
    """A value of a field as people read it; characters that control text are escaped."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if 0 < len(text) <= MAX_CHARS and text.isprintable():
        return text
    return (visible(text) if len(text) <= MAX_CHARS else excerpt(visible(text), MAX_CHARS)) or '""'


UNITS = {"day": timedelta(days=1), "hour": timedelta(hours=1), "minute": timedelta(minutes=1)}


def contacts(record: Mapping[str, Any]) -> dict[str, str]:
    """The owner and the runbook of a host, as far as it has them."""
    return {name: record[name] for name in CONTACTS if record.get(name)}


def why(record: HostRecord) -> list[str]:
    """The reasons but for pending steps, which come last, name times and have a part of their
    own."""
    return record["reasons"][: -len(record["pending"]) or None]


def ages(report: Report) -> list[str]:
    """A sentence on each part of a report that was read at several times, with the number of its
    hosts and their age, the oldest first; hosts of the same minute are one part."""
    made = datetime.fromisoformat(report["generated"])
    moments = [_read_aside(record, made) or made for record in report["hosts"]]
    parts = values_by_key((to_the_minute(read.isoformat()), read) for read in moments)
    ordered = sorted(parts.values(), key=min)
    return [_age(min(part), len(part), made) for part in ordered] if len(parts) > 1 else []


def _age(read: datetime, hosts: int, made: datetime) -> str:
    """Such as `2 hosts were read 2026-11-21 10:00 UTC, 3 hours before this report`."""
    verb = "was" if hosts == 1 else "were"
    # The clock of another machine may be ahead.
    side = "before" if read < made else "after"
    long = "" if read == made else f", {_duration(abs(made - read))} {side} this report"
    return f"{plural(hosts, 'host', 'hosts')} {verb} read {to_the_minute(read.isoformat())}{long}"


def as_of(record: HostRecord, report: Report) -> str:
    """The moment at which a host was read; empty if the report was made within its minute."""
    made = datetime.fromisoformat(report["generated"])
    read = _read_aside(record, made)
    if read is None or read > made:
        return ""
    return f"as of {to_the_minute(record['generated'])}, {_duration(made - read)} ago"


def _read_aside(record: HostRecord, made: datetime) -> datetime | None:
    """The moment at which a host was read, if it is a minute or more from that of the report."""
    read = datetime.fromisoformat(record["generated"])
    return read if abs(made - read) >= UNITS["minute"] else None


def until(end: str, report: Report) -> str:
    """A moment, and how long it is until then if it lies ahead of the report."""
    left = datetime.fromisoformat(end) - datetime.fromisoformat(report["generated"])
    return to_the_minute(end) + (f" (in {_duration(left)})" if left > timedelta() else "")


def _duration(duration: timedelta) -> str:
    """The largest unit of a duration, rounded down: an hour and a half is one hour."""
    for name, unit in UNITS.items():
        if duration >= unit:
            return plural(int(duration / unit), name, f"{name}s")
    return "less than a minute"


FEWEST = 3  # hosts share a change; of fewer each shows its own


class SharedOperation(NamedTuple):
    """An operation, the hosts on which a run would make exactly it, and its anchor."""

    operation: Difference
    hosts: Sequence[str]
    anchor: str


Shared = TypeVar("Shared", bound=Hashable)


def shared_by_hosts(pairs: Iterable[tuple[Shared, str]]) -> list[tuple[Shared, list[str]]]:
    """Things that several hosts share, out of pairs with a host; those of most hosts first."""
    hosts = values_by_key(dict.fromkeys(pairs))
    several = [item for item in hosts.items() if len(item[1]) >= FEWEST]
    return sorted(several, key=lambda item: -len(item[1]))


def shared_operations(records: Iterable[HostRecord]) -> dict[str, SharedOperation]:
    """The operations that several hosts have, by what they do."""
    every = [(item, record["host"]) for record in records for item in record["operations"]]
    signed = [(signature(operation), operation, host) for operation, host in every]
    operations = {key: operation for key, operation, _host in reversed(signed)}
    shared = shared_by_hosts((key, host) for key, _operation, host in signed)
    return {
        key: SharedOperation(operations[key], hosts, f"change-{position}")
        for position, (key, hosts) in enumerate(shared)
    }


def shared_reasons(records: Iterable[HostRecord]) -> list[tuple[tuple[Status, str], list[str]]]:
    """The reasons that several hosts share, each with the status that it gives them."""
    return shared_by_hosts(
        ((record["status"], reason), record["host"])
        for record in records
        for reason in record["reasons"]
    )


def signature(operation: Difference) -> str:
    """A text for an operation without its host: operations with equal texts do the same."""
    return json.dumps(operation, sort_keys=True)


def by_hosts(lines: Mapping[str, Sequence[str]]) -> list[tuple[Sequence[str], list[str]]]:
    """Lines by host as lines by the hosts that have them, those of most hosts first."""
    pairs = ((line, host) for host, own in lines.items() for line in dict.fromkeys(own))
    hosts = values_by_key(pairs)
    sections = values_by_key((tuple(names), line) for line, names in hosts.items())
    return sorted(sections.items(), key=lambda section: -len(section[0]))


MAX_ROWS = 200  # of a list are shown; report.json has all
MAX_OPEN = 10  # rows do not push the hosts away, so that the part is open
MAX_LINKS = 30  # hosts that a row names


def anchor(host: str) -> str:
    """The anchor of a host, of letters that need no escape in an address; hosts have one each."""
    return "host-" + re.sub(
        r"[^A-Za-z0-9_.-]",
        lambda match: "".join(f"~{byte:02x}" for byte in match.group().encode("utf-8", "replace")),
        host,
    )


def status_change(item: HostChange) -> str:
    """The status of a host before and now."""
    statuses = (item["before"], item["now"])
    before, now = (LABELS[status] if status else "not in the report" for status in statuses)
    return now if now == before else f"{before} \u2192 {now}"


def changed_reasons(item: HostChange) -> str:
    """The reasons of a host that are new, and those that are gone."""
    gone = [f"No longer: {reason}" for reason in item["gone"]]
    number = len(item["differences"])
    more = [f"{plural(number, 'new difference', 'new differences')}."] if number else []
    return " ".join([*item["new"], *more, *gone])


def ends(records: Iterable[HostRecord]) -> list[tuple[tuple[str, str, str], list[str]]]:
    """The moment, the title and the key of all that ends soon, in order, with its hosts."""
    hosts = values_by_key(
        ((item["expires"], item["title"], item["key"]), record["host"])
        for record in records
        for item in record["expiring"]
    )
    return sorted(hosts.items())


def risks_by_scope(records: Iterable[HostRecord]) -> dict[tuple[str, ...], list[str]]:
    """The accepted risks in force with their scope, each with all hosts that accept it so."""
    return values_by_key(
        ((item["code"], *_scope(item)), record["host"])
        for record in records
        for item in record["accepted_risks"]
    )


def _scope(item: AcceptedRisk) -> tuple[str, str, str]:
    """The bounds of an accepted risk, its end, and its reason."""
    resource = title_of_resource(item["resource"]) if item["resource"] else ""
    entries = [f"{resource} {entry}" for entry in item["entries"]] or [resource]
    bound = ", ".join(filter(None, [*item["networks"], *entries])) or "all"
    until = to_the_minute(item["expires"]) if item["expires"] else "for ever"
    return bound, until, item["reason"] or "none given"


def group_names(records: Sequence[HostRecord]) -> list[tuple[str, int]]:
    """The groups of the inventory that some of the hosts are in, and how many."""
    numbers = Counter(name for record in records for name in record["groups"])
    return sorted((name, number) for name, number in numbers.items() if number < len(records))


def of_all(number: int, whole: int, noun: str, verb: str) -> str:
    """Such as `1 of 2 accounts mitigates`, `no zone enforces` or `all 3 zones enforce`."""
    if not number or whole == 1:
        return f"{'the' if number else 'no'} {noun} {verb}s"
    if number == whole:
        return f"all {whole:,} {noun}s {verb}"
    return f"{number:,} of {whole:,} {noun}s {verb}{'s' if number == 1 else ''}"


def protection(totals: Totals) -> str:
    """A sentence on whether attacks are mitigated; empty if neither account nor zone was read."""
    shares = [text for _number, _whole, text in mitigated_shares(totals["addresses"])]
    texts = [f"attacks are mitigated for {' and '.join(shares)}"] if shares else []
    if idle := totals["accounts"] - totals["mitigating"]:
        texts.append(f"{of_all(idle, totals['accounts'], 'account', 'mitigate')} nothing")
    if totals["zones"]:
        enforcing = of_all(totals["enforcing"], totals["zones"], "zone", "enforce")
        texts.append(f"{enforcing} rules")
    return sentence("; ".join(texts)) if texts else ""


def lead(totals: Totals) -> str:
    """The report in a sentence or two: first if attacks are mitigated, then what differs."""
    return f"{protection(totals)} {_unlike_baselines(totals)}".lstrip()


def _unlike_baselines(totals: Totals) -> str:
    worst = [
        (totals["statuses"][name], LABELS[name]) for name in ("unknown", "unprotected", "weakened")
    ]
    named = [
        f"{count:,} {'is' if count == 1 else 'are'} {label}" for count, label in worst if count
    ]
    if named:
        return capitalised(", ".join(named)) + "."
    if totals["statuses"]["in_order"] == totals["hosts"]:
        return "All match their baselines." if totals["hosts"] else "There is no host."
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
    for family, title in FAMILY_TITLES.items():
        numbers = addresses[family]
        present = [name for name in CLASSES if numbers[name]]
        words = [f"{amount(family, numbers[name])} {CLASS_LABELS[name]}" for name in present]
        if present:
            yield Bar(title, {SIGNS[name]: numbers[name] for name in present}, ", ".join(words))


FEW = 5  # networks of a component are shown to people
NARROWEST = 0.6  # percent of the bar: a share that is not zero can be seen


class BarPart(NamedTuple):
    """A part of a bar: its class in the style sheet, and how people call it."""

    sign: str
    words: str


# The keys are the labels of the metric.
PACKET_ACTIONS: Final[Mapping[str, BarPart]] = {
    "passed": BarPart("m", "passed"),
    "would_drop": BarPart("n", "would have been dropped"),
    "dropped": BarPart("x", "dropped"),
}
# Of the requests that a planned rule stops or may stop.
REQUEST_EFFECTS: Final[Mapping[str, BarPart]] = {
    "already": BarPart("x", "blocked already"),
    "requests": BarPart("n", "newly blocked or challenged"),
    "undecided": BarPart("u", "not known"),
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


def traffic_in_words(seen: SeenTraffic) -> str:
    """The traffic of a component, in a sentence or two."""
    numbers = ", ".join(_packet_numbers(seen, *PACKET_ACTIONS))
    sums = f"packets: {numbers}{_would_drop_share(seen)}." if numbers else ""
    unknown = " ".join(["Not all is known." if sums else "Not known.", *seen["unknown"]])
    return " ".join(filter(None, [sums, "" if seen["known"] else unknown]))


def networks_in_words(seen: SeenTraffic) -> Iterator[str]:
    """The networks that lost most, or would have, a sentence each."""
    for network in seen["networks"][:FEW]:
        numbers = ", ".join(_packet_numbers(network, "would_drop", "dropped"))
        yield f"{network['network']}: {numbers}{_would_drop_share(network)}"
    more = len(seen["networks"]) + seen["more_networks"] - FEW
    if more > 0:
        yield f"{plural(more, 'more network', 'more networks')} in report.json"


class ComponentTexts(NamedTuple):
    """The traffic of a component: its title, a sentence, its shares by class of the style sheet,
    and lines on networks and advice."""

    title: str
    words: str
    shares: Mapping[str, float]
    lines: list[str]


def component_texts(traffic: HostTraffic) -> Iterator[ComponentTexts]:
    """The texts of each component."""
    for name, seen in traffic["components"].items():
        lines = [*networks_in_words(seen), *seen["advice"]]
        title = capitalised(component_title(name))
        yield ComponentTexts(title, traffic_in_words(seen), _packet_shares(seen), lines)


def _packet_shares(seen: Mapping[str, Any]) -> dict[str, float]:
    """The percents of the packets; one that is not zero is wide enough to be seen."""
    numbers = {part.sign: seen[f"{name}_packets"] or 0 for name, part in PACKET_ACTIONS.items()}
    whole = sum(numbers.values())
    return {
        sign: max(NARROWEST, 100 * number / whole) for sign, number in numbers.items() if number
    }


def has_losses(traffic: HostTraffic | None) -> bool:
    """Return whether packets were dropped, would have been, or are not known."""
    seen = traffic["components"].values() if traffic else ()
    return any(
        not one["known"] or one["dropped_packets"] or one["would_drop_packets"] for one in seen
    )


def traffic_lines(traffic: HostTraffic | None) -> Iterator[str]:
    """The same in lines of text."""
    if traffic is not None:
        for texts in component_texts(traffic):
            yield f"{texts.title} in {period(traffic)}: {texts.words}"
            yield from texts.lines


def backtest_in_words(backtest: BacktestRecord) -> str:
    """A backtest in a sentence or two."""
    if backtest["requests"] is None:
        return " ".join(["Not known.", *backtest["unknown"]])
    numbers: Mapping[str, Any] = backtest
    named = {"newly_blocked": "newly be blocked or challenged", "newly_passed": "newly pass"}
    shares = {  # of what passes today, which may be nothing
        name: "" if numbers[name]["percent"] is None else f" ({numbers[name]['percent']:g} %)"
        for name in named
    }
    parts = [
        f"{numbers[name]['requests']:,}{shares[name]} would {words}"
        for name, words in named.items()
        if numbers[name]["requests"]
    ]
    if backtest["undecided"]["requests"]:
        fields = first_few(backtest["undecided"]["fields"])
        parts.append(f"{backtest['undecided']['requests']:,} are not known, without {fields}")
    whole = f"Of {backtest['requests']:,} requests, {', '.join(parts) or 'none changes'}."
    unknown = ["Not all is known.", *backtest["unknown"]] if backtest["unknown"] else []
    return " ".join([whole, *unknown])


def rule_texts(backtest: BacktestRecord) -> Iterator[ComponentTexts]:
    """The texts of each rule that would stop requests, or may."""
    idle = "stops none of them" if backtest["known"] else "not known"
    for rule in backtest["rules"]:
        numbers: Mapping[str, Any] = rule
        parts = [(part, numbers[name]) for name, part in REQUEST_EFFECTS.items() if numbers[name]]
        words = [f"{number:,} {part.words}" for part, number in parts]
        lines = [
            f"{', '.join(f'{name} {value}' for name, value in one.items() if name != 'requests')}:"
            f" {one['requests']:,}"
            for one in rule["examples"]
        ]
        shares = {part.sign: number for part, number in parts}
        yield ComponentTexts(rule["ref"], ", ".join(words) or idle, shares, lines)


def backtest_lines(backtest: BacktestRecord | None) -> Iterator[str]:
    """The same in lines of text."""
    if backtest is not None:
        yield backtest_in_words(backtest)
        for texts in rule_texts(backtest):
            yield "; ".join([f"{texts.title}: {texts.words}", *texts.lines])
