# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The record of the report, declared once: docs/report.schema.json, earlier reports, the columns of
Markdown, the numbers of the page and the metrics follow from it.

A key may carry how the formats show it: `Column`, `Metric`, `Counted`, `HostLines`; a text is its
description in the schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    TypedDict,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from ...module_utils._guard.finding import RiskRecord
from ...module_utils._guard.terms import Pending
from ...module_utils._protection.backtest import BacktestRecord
from ...module_utils._protection.ineffective import IneffectiveRecord
from ...module_utils._protection.traffic_changes import (
    TrafficChangeRecord,
    TrafficChangesRecord,
    example_in_words,
)
from ...module_utils._protection.unmanaged import UnmanagedInResult
from ...module_utils._schema.registry import title_of_object
from ...module_utils._text import MAX_NAMES, capitalised, excerpt, first_few, first_joined, plural
from ...module_utils._timestamps import to_the_minute
from ...module_utils._traffic.evidence import ComponentTraffic
from ...module_utils._values import address_set
from .._baseline.unmanaged import AcceptableStatus
from .coverage import AddressCounts, CoverageRecord, PrefixRecord, mitigated_shares

REPORT_VERSION: Final = 1

# From the worst to the best.
Status = Literal["unknown", "unprotected", "weakened", "drift", "pending", "in_order"]
Entitlement = Literal["entitled", "not entitled", "not known"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
LABELS: Final[Mapping[str, str]] = {name: name.replace("_", " ") for name in STATUSES}

MAX_LINE: Final = 200  # characters of a posture are shown beside a status
MAX_CHARS: Final = 600  # characters of a value or a line are shown


class Column(NamedTuple):
    """A column of the hosts in Markdown: its title, and the text of a cell of a record."""

    title: str
    cell: Callable[[Any], str]
    is_number: bool = False


class Metric(NamedTuple):
    """A metric of each host: its name after `host_`, its help, and its number; no sample if the key
    is None."""

    name: str
    help: str
    value: Callable[[Any], float]


class Counted(NamedTuple):
    """A list whose length is among the totals of the report, with the singular and plural of its
    noun.
    """

    noun: str
    nouns: str


class HostLines(NamedTuple):
    """A list of lines in the details of a host on the page, if there are any."""

    title: str
    lines: Callable[[Any], Iterable[str]]


def severity(status: Status) -> int:
    """The severity of a status: 0 for a host in order, and higher the worse the status is."""
    return len(STATUSES) - 1 - STATUSES.index(status)


SEVERITIES: Final = ", ".join(f"{severity(name)} {name}" for name in reversed(STATUSES))


def seconds(timestamp: str) -> float:
    """The POSIX time of a timestamp with an offset."""
    return datetime.fromisoformat(timestamp).timestamp()


Grouping = TypeVar("Grouping")
Grouped = TypeVar("Grouped")


def values_by_key(pairs: Iterable[tuple[Grouping, Grouped]]) -> dict[Grouping, list[Grouped]]:
    """The values of pairs by their keys, in their order."""
    values: dict[Grouping, list[Grouped]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    return values


def misfit_of(exc: Exception) -> str:
    """A text on how a JSON value differs from the shape that its reader expects, by the
    exception.
    """
    return f"{exc} is missing" if isinstance(exc, KeyError) else str(exc)


def was_read(record: Mapping[str, Any]) -> bool:
    """Return whether a host was read; of a host that was not, no numbers are known."""
    return record["plan_id"] is not None


def is_idle(record: Mapping[str, Any]) -> bool:
    """Return whether a host matches its baseline, and mitigates nothing; of a zone alone, no rule
    blocks or challenges."""
    mitigates = record["enforces"] if record["mitigates"] is None else record["mitigates"]
    return record["status"] == "in_order" and mitigates is False


def unaccepted(unmanaged: Sequence[Unmanaged]) -> list[Unmanaged]:
    """The objects that nobody accepts and that take protection away, may take it away, or act on
    all plain traffic.
    """
    return [obj for obj in unmanaged if _is_hole(obj)]


def harmless(unmanaged: Sequence[Unmanaged]) -> list[Unmanaged]:
    """The objects that nobody accepts and that take no protection away."""
    return [obj for obj in unmanaged if not obj["reason"] and not obj["accepted"]]


def _is_hole(obj: Unmanaged) -> bool:
    return bool(obj["reason"]) and not obj["accepted"]


def count_refused(risks: Sequence[HostRisk]) -> int:
    """The number of risks that make a run refuse the plan."""
    return sum(1 for risk in risks if not risk["accepted"])


class Difference(TypedDict):
    """An operation that a run would make."""

    action: Literal["create", "update", "delete"]
    resource: str
    title: Annotated[str, "the resource in words"]
    key: str
    name: Annotated[str, "the key, or what people call the object"]
    fields: Annotated[dict[str, Any], "the values of the baseline"]
    before: Annotated[dict[str, Any], "the values that an update or a delete finds"]


PLACE_IN_WORDS = (
    "the file and the line that name the object, or else its variable; null if none does"
)


class HostRisk(RiskRecord):
    """A risk of the plan."""

    accepted: Annotated[bool, "false if a run refuses the plan"]
    place: Annotated[str | None, PLACE_IN_WORDS]


class Unmanaged(UnmanagedInResult):
    """An object that exists, and that the baseline does not name."""

    title: Annotated[str, "the resource in words"]
    accepted: Annotated[str | None, "why it is accepted, null if it is not"]


class LeftOut(TypedDict):
    """A list of which a run removes nothing, since rules of a host refer to it, or may do."""

    host: Annotated[str, "empty for hosts that the report does not read"]
    resource: str
    key: str


def left_out_lines(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """A sentence on each list of which a run removes nothing."""
    pairs = ((item["key"], item["host"]) for item in left_out)
    for name, hosts in values_by_key(pairs).items():
        users = first_few([host for host in hosts if host]) or "others"
        yield (
            f"A run removes nothing of the list {name}, since rules of {users} refer to it, or may"
            " do."
        )


def unmanaged_text(obj: Unmanaged) -> str:
    """A text on an object: what protection it takes away, since when, and why that is accepted."""
    details = [obj["reason"] or "takes no protection away"]
    if obj["since"]:
        details.append(f"since {to_the_minute(obj['since'])}")
    if obj["accepted"]:
        details.append(f"accepted: {obj['accepted']}")
    subject = f"{capitalised(obj['title'])} {obj['key']}"
    return excerpt(f"{subject}: {'; '.join(details)}", MAX_CHARS)


def _unmanaged_lines(objects: Sequence[Unmanaged]) -> list[str]:
    """A line for each object; objects that nobody accepts come first."""
    holes_first = sorted(objects, key=lambda obj: not _is_hole(obj))
    return [unmanaged_text(obj) for obj in holes_first]


class Ineffective(IneffectiveRecord):
    """An object that exists and cannot work, as far as that is proven."""

    title: Annotated[str, "the resource in words"]
    advice: Annotated[str, "what to do"]
    accepted: Annotated[str | None, "why it is accepted, null if it is not"]
    place: Annotated[str | None, PLACE_IN_WORDS]


ADVICE_ON_INEFFECTIVE: Final[Mapping[str, str]] = {
    "never": "Correct its expression, or remove it.",
    "shadowed": "Move it in front of them, or remove it.",
    "duplicate": "Remove it.",
    "unreachable": "Name the sources that the internet sees, or remove it.",
    "outside": "Protect the network, or remove it.",
    "covered": "Remove it.",
}
ADVICE_ON_LEFT_OVERS: Final = "Remove {}, which no baseline names, or this one."
ADVICE_ON_EMPTY_LISTS: Final = "Fill the list, or remove the rule."


def advice_on_ineffective(record: IneffectiveRecord, unmanaged: Container[str]) -> str:
    """The advice on an object that cannot work; one that is never met `by` lists waits for
    their items, and one that is a duplicate of an `unmanaged` object is not the one to remove."""
    if record["kind"] == "never" and record["by"]:
        return ADVICE_ON_EMPTY_LISTS
    if record["kind"] == "duplicate" and all(name in unmanaged for name in record["by"]):
        return ADVICE_ON_LEFT_OVERS.format(first_few(record["by"]))
    return ADVICE_ON_INEFFECTIVE[record["kind"]]


def ineffective_text(finding: Ineffective) -> str:
    """A text on an object that cannot work: the reason, what to do, and why it is accepted."""
    end = f"Accepted: {finding['accepted']}" if finding["accepted"] else finding["advice"]
    subject = f"{capitalised(finding['title'])} {finding['key']}"
    return excerpt(f"{subject}: {finding['reason']}. {end}", MAX_CHARS)


def ineffective_lines(findings: Sequence[Ineffective]) -> list[str]:
    """A line for each object that cannot work; objects that nobody accepts come first."""
    accepted_last = sorted(findings, key=lambda finding: bool(finding["accepted"]))
    return [ineffective_text(finding) for finding in accepted_last]


class LastChange(TypedDict):
    """The last change of an object that differs from the baseline, or takes protection away."""

    resource: str
    key: str
    text: Annotated[str, "who changed it, or that the log does not say, in a sentence"]
    by: Annotated[str | None, "null if it is not known"]
    how: Annotated[str | None, "such as the dashboard, or an API token with its name"]
    at: str | None


def change_lines(changes: Sequence[LastChange] | None) -> list[str]:
    """A sentence on each of the last changes."""
    return [excerpt(change["text"], MAX_CHARS) for change in changes or ()]


class Unused(TypedDict):
    """A rule of the baseline that no request has matched."""

    ref: str
    since: Annotated[str, "the beginning of the data, or the rule's last change if that is later"]


def unused_lines(rules: Sequence[Unused] | None) -> list[str]:
    """A sentence on each rule that no request has matched."""
    return [
        excerpt(f"Nothing has matched {rule['ref']} since {rule['since']}.", MAX_CHARS)
        for rule in rules or ()
    ]


class Withdrawn(TypedDict):
    """A network for which attacks would be mitigated, and which is not announced."""

    network: str
    since: Annotated[str | None, "a timestamp, null if Cloudflare does not say it"]


def withdrawn_words(withdrawn: Sequence[Withdrawn]) -> str:
    """A clause such as `256 addresses are not announced (192.0.2.0/24, since 2026-02-20)`."""
    ranges = address_set.ranges_of(part["network"] for part in withdrawn)
    number = address_set.count(ranges)
    has_ipv6 = any(end >= address_set.IPV6 for _start, end in ranges)
    subject = address_set.counted(ranges) if has_ipv6 else plural(number, "address", "addresses")
    networks = []
    for part in withdrawn:
        since = f", since {part['since'].partition('T')[0]}" if part["since"] else ""
        networks.append(f"{part['network']}{since}")
    verb = "is" if number == 1 else "are"
    return f"{subject} {verb} not announced ({first_joined(networks, '; ', MAX_NAMES)})"


class Announced(TypedDict):
    """The announced networks of an account."""

    networks: Annotated[list[str], "the announced networks"]
    unprotected: Annotated[list[str], "those of them that are neither protected nor excluded"]
    not_known: Annotated[list[str], "networks of which it is not known whether they are announced"]
    unclear: Annotated[
        list[str], "all networks of which it is not known, also those that are protected"
    ]
    withdrawn: Annotated[
        list[Withdrawn], "networks for which attacks are mitigated, and that are not announced"
    ]


class ManagedRule(TypedDict):
    """A managed rule, with the settings that Cloudflare gives it; null for one that it does not
    say."""

    id: str
    name: Annotated[str, "its description"]
    action: str | None
    enabled: bool | None
    sensitivity: str | None


class ManagedRuleset(TypedDict):
    """A managed ruleset that rules of the host execute, as it was read last."""

    id: str
    name: str
    version: str
    content: Annotated[str, "a hash of its rules"]
    rules: Annotated[
        list[ManagedRule] | None, "null if another host in the report has the same content"
    ]


class Moved(TypedDict):
    """A setting that Cloudflare has changed since the former report."""

    kind: Literal["managed_rule", "ruleset", "announcement"]
    id: Annotated[str, "the id of the rule or the ruleset, or the network"]
    name: str
    field: Annotated[
        str, "action, enabled, sensitivity or rule (it is new, or gone); version; announced"
    ]
    before: Annotated[Any, "null if it was not there"]
    now: Annotated[Any, "null if it is not there any more"]
    overridden: Annotated[Any, "the value that overrides of the host set; null if none does"]


class FormerMoves(TypedDict):
    """The settings that Cloudflare had changed before an earlier report."""

    generated: Annotated[str, "when that report was made"]
    moved: list[Moved]


def moved_lines(moved: Sequence[Moved] | None) -> Iterator[str]:
    """A sentence on each setting that Cloudflare has changed."""
    for move in moved or ():
        yield excerpt(f"{_words_of_move(move)}.", MAX_CHARS)


def _words_of_move(move: Moved) -> str:
    name, before, now = move["name"], move["before"], move["now"]
    if move["kind"] == "announcement":
        return f"{name} is announced" if now else f"{name} is not announced any more"
    if move["kind"] == "ruleset":
        return f"The managed ruleset {name} has the version {now}, before {before}"
    subject = f"The managed rule {name} ({move['id']})"
    if now is None and move["field"] == "rule":
        return f"{subject} is gone; its action was {before}"
    change = f"has {move['field']} {_as_setting(now)}, before {_as_setting(before)}"
    if move["field"] == "rule":
        change = f"is new, with the action {now}"
    if move["overridden"] is None:
        return f"{subject} {change}; no override sets it"
    return f"{subject} {change}; an override sets {_as_setting(move['overridden'])}"


def _as_setting(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


class AcceptedStatus(TypedDict):
    """A status that would make the host red, but that its variables accept as intended."""

    status: AcceptableStatus
    text: Annotated[str, "the status in a sentence"]
    networks: Annotated[list[str], "the addresses that it concerns, as far as it concerns some"]
    reason: str
    expires: Annotated[str | None, "from when on it counts again, null for never"]


def accepted_lines(statuses: Sequence[AcceptedStatus]) -> Iterator[str]:
    """The statuses that are accepted, with their reason, and until when."""
    for status in statuses:
        until = f", until {status['expires']}" if status["expires"] else ""
        yield excerpt(f"{status['text']} Accepted: {status['reason']}{until}", MAX_CHARS)


class Expected(TypedDict):
    """An expectation of a request or packet, in the existing state and after a run."""

    description: str
    expected: Annotated[str, "the outcome in words"]
    actual: Annotated[str, "the outcome now, in words"]
    met: Annotated[bool | None, "whether it holds now, null if that is undecided"]
    planned: Annotated[bool | None, "whether it holds after a run, null if that is undecided"]
    reasons: Annotated[list[str], "what is not known after a run"]
    place: Annotated[str | None, PLACE_IN_WORDS]


WORDS_OF_MET: Final[Mapping[bool | None, str]] = {False: "unmet", None: "undecided", True: "met"}


def expected_lines(expectations: Sequence[Expected]) -> Iterator[str]:
    """A line on each expectation; unmet expectations come first."""
    for expectation in sorted(expectations, key=_rank_of_expectation):
        yield excerpt("; ".join(_clauses_of_expectation(expectation)), MAX_CHARS)


def _rank_of_expectation(expectation: Expected) -> int:
    return list(WORDS_OF_MET).index(expectation["met"])


def _clauses_of_expectation(expectation: Expected) -> Iterator[str]:
    now, planned = expectation["met"], expectation["planned"]
    outcome = f"expected {expectation['expected']}, now {expectation['actual']}"
    yield f"{WORDS_OF_MET[now]}: {expectation['description']}: {outcome}"
    if planned is not now:
        yield f"{WORDS_OF_MET[planned]} after a run"
    if None in (now, planned):
        yield from filter(None, expectation["reasons"])


def traffic_change_lines(changes: TrafficChangesRecord | None) -> Iterator[str]:
    """A line on each kind of traffic that is treated otherwise than described; traffic that passes
    comes first.
    """
    if changes is None:
        return
    for change in (*changes["passes"], *changes["stopped"]):
        yield excerpt(_traffic_line(change), MAX_CHARS)
    for reason in changes["unknown"]:
        line = f"It is not known whether more is treated otherwise: {reason}."
        yield excerpt(line, MAX_CHARS)


def _traffic_line(change: TrafficChangeRecord) -> str:
    proven = "" if change["certain"] else "perhaps "
    treated = f"{change['what']} under the baseline, {proven}{change['now']} today"
    example, shown = change["example"], ""
    if example:
        kind = "packet" if "destination" in example else "request"
        shown = f", such as {example_in_words(kind, example)}"
    titles = first_few(title_of_object(key["resource"], key["key"]) for key in change["keys"])
    return f"{capitalised(change['traffic'])}: {treated}{shown} ({titles})."


class SeenTraffic(ComponentTraffic):
    """The traffic that a component saw, as estimated from samples; `networks` are those that lost
    packets or would have, the ones that would lose most first.
    """

    more_networks: Annotated[int, "how many such networks are left out"]


class HostTraffic(TypedDict):
    """The traffic of an account."""

    since: str
    until: str
    known: Annotated[bool, "whether all of it is known"]
    unknown: Annotated[list[str], "what is not known, and why"]
    components: dict[str, SeenTraffic]


class PostureRecord(TypedDict):
    """A posture of a host: values that hold until a time."""

    name: Annotated[str | None, "null if the host has the values themselves"]
    until: Annotated[str, "the moment from which the baseline alone counts"]
    reason: str | None
    since: Annotated[str | None, "null if nobody said it"]


def with_postures(text: str, postures: Sequence[PostureRecord]) -> str:
    """The text on a host, followed by its postures."""
    lines = [excerpt(_posture_line(posture), MAX_LINE) for posture in postures]
    return ", ".join(filter(None, [text, *lines]))


def _posture_line(posture: PostureRecord) -> str:
    since = f" since {to_the_minute(posture['since'])}" if posture["since"] else ""
    reason = f" ({posture['reason']})" if posture["reason"] else ""
    subject = f"posture {posture['name']}" if posture["name"] else "a posture"
    return f"{subject}{since} until {to_the_minute(posture['until'])}{reason}"


def _end_of_posture(posture: PostureRecord) -> float:
    return seconds(posture["until"])


class AcceptedRisk(TypedDict):
    """A risk that the variables of a host accept, for some networks and entries or for all."""

    code: str
    networks: list[str]
    resource: Annotated[str | None, "the resource of the entries, null for all"]
    entries: list[str]
    reason: str | None
    expires: Annotated[str | None, "the moment from which it does not count"]


class Deadline(TypedDict):
    """Something that ends within two weeks, such as an entry of the allowlist."""

    title: Annotated[str, "the kind of thing in words"]
    key: str
    expires: Annotated[str, "the moment from which it does not count"]


def mitigation(record: Mapping[str, Any]) -> str:
    """A text on what a host mitigates: for how many protected addresses, which prefixes are
    withdrawn, and whether rules of the zone block or challenge. Empty if nothing is known.
    """
    texts = []
    if record["mitigates"] is not None:
        texts.append(_extent_of_mitigation(record) if record["mitigates"] else "nothing")
    withdrawn = (record["announced"] or {}).get("withdrawn")
    if withdrawn:
        texts.append(withdrawn_words(withdrawn))
    if record["enforces"] is not None:
        texts.append("by rules of the zone" if record["enforces"] else "nothing by rules")
    return ", ".join(texts)


def _extent_of_mitigation(record: Mapping[str, Any]) -> str:
    """A text on the addresses for which a host mitigates attacks, by the first family that is not
    wholly mitigated.
    """
    addresses = record["coverage"]["addresses"] if record["coverage"] else None
    shares = mitigated_shares(addresses) if addresses else ()
    for share in shares:
        if share.covered < share.protected:
            return f"in full for {share.words}" if share.covered else "in part"
    return "attacks on all protected addresses"


class ChangedKey(TypedDict):
    """An object that a run changes."""

    resource: str
    key: str


class ChangedPlace(ChangedKey):
    """An object that a run changes, and where it is named."""

    place: Annotated[str | None, PLACE_IN_WORDS]


class PlannedRecord(TypedDict):
    """The outcome of a run, for those who review the plan."""

    traffic_changes: Annotated[
        TrafficChangesRecord | None, "what a run would do to traffic; null without rules"
    ]
    ineffective: Annotated[list[Ineffective], "objects that cannot work after a run"]
    exempting: Annotated[
        list[ChangedKey],
        "changed objects that exempt traffic: skips, exceptions, allowlist entries, overrides",
    ]
    changed: Annotated[list[ChangedPlace], "the objects of the operations"]
    described: Annotated[dict[str, list[str]], "the keys that the baseline names, by resource"]


class HostRecord(TypedDict):
    """The state of a host compared with its baseline."""

    host: Annotated[str, Column("host", lambda record: record["host"])]
    status: Annotated[
        Status,
        Column("status", lambda host: with_postures(LABELS[host["status"]], host["postures"])),
        Metric("severity", f"Status of a host: {SEVERITIES}.", severity),
    ]
    reasons: Annotated[list[str], Column("why", lambda record: (*record["reasons"], "")[0])]
    place: Annotated[str | None, "file and line of a mistake, if one keeps it from being read"]
    mitigates: Annotated[
        bool | None,
        "null if it is not known",
        Column("mitigates", mitigation),
        Metric("mitigates", "Whether a host mitigates anything.", float),
    ]
    enforces: Annotated[
        bool | None,
        "whether a rule of the zone blocks or challenges, null if no rules of a zone were read",
        Metric("enforces", "Whether a rule of a zone blocks or challenges.", float),
    ]
    not_served: Annotated[
        str | None,
        "why Cloudflare does not serve the zone, in a sentence; null if it does, or there is none",
    ]
    products: Annotated[
        dict[str, Entitlement] | None,
        "by product, whether the account has it; null if the host has no account, or was not read",
    ]
    gone: Annotated[bool | None, "true if the inventory does not have the host any more, or null"]
    generated: Annotated[
        str,
        "when the host was read, a timestamp with an offset",
        Metric("read_timestamp_seconds", "When a host was read.", seconds),
    ]
    groups: Annotated[list[str], "the groups of the inventory that the host is in"]
    owner: Annotated[str | None, "whom a finding is for (edge_owner)"]
    runbook: Annotated[str | None, "how to go on, such as a link (edge_runbook)"]
    base_url: Annotated[str, "of the API that has the account and the zone"]
    account_id: str | None
    zone_id: str | None
    plan_id: Annotated[
        str | None,
        "that of its plan; empty if there is nothing to do, null if the host could not be read",
    ]
    operations: Annotated[
        list[Difference],
        Column("differences", lambda record: f"{len(record['operations']):,}", True),
        Metric("operations", "Differences from the baseline.", len),
        Counted("difference", "differences"),
    ]
    traffic_changes: Annotated[
        TrafficChangesRecord | None,
        "the requests and packets that a run would treat otherwise, null if the host has no rules;"
        " what passes by objects that no baseline names is in the reasons alone",
        HostLines("Treated otherwise than by the baseline", traffic_change_lines),
    ]
    risks: Annotated[
        list[HostRisk],
        Metric("refused_risks", "Risks that a run refuses.", count_refused),
        Counted("risk", "risks"),
    ]
    postures: Annotated[
        list[PostureRecord],
        "those that hold",
        Metric(
            "posture_end_timestamp_seconds",
            "The end of the last posture that holds, 0 if none does.",
            lambda postures: max(map(_end_of_posture, postures), default=0),
        ),
    ]
    overdue: Annotated[
        list[str],
        "what a posture has set that does not hold, and that is still in force",
        Metric("overdue", "Settings of postures that do not hold, still in force.", len),
    ]
    watched: Annotated[
        list[str],
        "watched changes that have not come to their end, or that were set back and are described",
    ]
    not_set_back: Annotated[
        list[str],
        "watched changes that are in force though their time is over, or though they stopped too"
        " much",
    ]
    coverage: CoverageRecord | None
    prefixes: list[PrefixRecord]
    accepted_risks: list[AcceptedRisk]
    expiring: list[Deadline]
    traffic: Annotated[HostTraffic | None, "null if nobody asked for it (report_traffic_hours)"]
    backtest: Annotated[BacktestRecord | None, "null if nobody asked for it (baseline_backtest)"]
    pending: Annotated[
        list[Pending],
        Column("pending", lambda record: f"{len(record['pending']):,}", True),
        Metric("pending", "Steps that wait for their time.", len),
        Counted("pending step", "pending steps"),
        HostLines("Pending steps", lambda steps: (step["message"] for step in steps)),
    ]
    unmanaged: Annotated[
        list[Unmanaged],
        Metric("unmanaged", "Objects that no baseline names.", len),
        Metric(
            "holes",
            "Objects that no baseline names, and that take protection away.",
            lambda objects: sum(hole["weakens"] is not False for hole in unaccepted(objects)),
        ),
        Counted("object that no baseline names", "objects that no baseline names"),
        HostLines("Exists, and no baseline names it", _unmanaged_lines),
    ]
    left_out: Annotated[
        list[LeftOut],
        "the lists of which a run removes nothing, since rules of hosts refer to them, or may do",
        Metric("left_out", "Lists that stay, since rules of other hosts may refer to them.", len),
        HostLines("Stays", left_out_lines),
    ]
    ineffective: Annotated[
        list[Ineffective],
        Metric(
            "ineffective",
            "Objects that exist and cannot work.",
            lambda findings: sum(not finding["accepted"] for finding in findings),
        ),
        HostLines("Cannot work", ineffective_lines),
    ]
    changes: Annotated[
        list[LastChange] | None,
        "null if the audit log was not asked for",
        HostLines("Who changed it last", change_lines),
    ]
    accepted_statuses: Annotated[
        list[AcceptedStatus],
        Metric("accepted_statuses", "Statuses without protection that are accepted.", len),
        Counted("accepted status", "accepted statuses"),
        HostLines("Accepted", accepted_lines),
    ]
    expectations: Annotated[
        list[Expected],
        Metric(
            "unmet_expectations",
            "Expectations that do not hold.",
            lambda expectations: sum(expectation["met"] is False for expectation in expectations),
        ),
        HostLines("Expectations", expected_lines),
    ]
    announced: Annotated[
        Announced | None,
        "null if it was not read",
        Metric(
            "unprotected_announced",
            "Announced networks without protection.",
            lambda record: len(record["unprotected"]),
        ),
    ]
    unused: Annotated[
        list[Unused] | None,
        "null if nobody asked for it (report_hits_hours), or nothing could be read",
        Metric("unused_rules", "Rules of the baseline that no request has matched.", len),
        HostLines("Rules that nothing matches", unused_lines),
    ]
    unknown_hits: Annotated[
        list[str],
        "what is not known of the hits of rules, and why",
        HostLines("Hits that are not known", lambda lines: lines),
    ]
    managed_rulesets: Annotated[
        list[ManagedRuleset] | None,
        "those to compare with in the next report, null if nobody asked for it (report_moved)",
    ]
    moved: Annotated[
        list[Moved] | None,
        "null if nobody asked for it (report_moved)",
        Metric("moved", "Settings that Cloudflare has changed since the former report.", len),
        HostLines("Changed by Cloudflare", moved_lines),
    ]
    former_moves: Annotated[
        list[FormerMoves],
        "those of earlier reports, so that notify loses none of a report that it did not see",
    ]
    unknown_moves: Annotated[
        list[str],
        "what cannot be compared with the former report, and why",
        HostLines("Changes by Cloudflare that are not known", lambda lines: lines),
    ]
    planned: Annotated[PlannedRecord | None, "null if the host could not be read"]
    not_evaluated: Annotated[
        list[str] | None,
        "phases beside the Network Firewall that have rules, or why these are not known; null if"
        " the baseline does not name the Network Firewall",
        Metric("not_evaluated", "Phases with rules that nothing evaluates; 1 if not known.", len),
        HostLines("Not evaluated", lambda lines: lines or ()),
    ]


def nothing_known(host: str) -> HostRecord:
    """The record of a host of which nothing is known: its lists are empty, and its other values
    null.
    """
    nothing: dict[str, Any] = dict.fromkeys(HostRecord.__annotations__)
    nothing.update({name: [] for name in LISTED_IN_RECORDS})
    return cast(HostRecord, {**nothing, "host": host, "status": "unknown", "base_url": ""})


class Totals(TypedDict):
    """The numbers of a report."""

    hosts: int
    statuses: dict[Status, int]
    accounts: Annotated[int, "those of which it is known whether they mitigate"]
    mitigating: Annotated[int, "those that mitigate anything at all"]
    zones: Annotated[int, "those of which rules were read"]
    enforcing: Annotated[int, "those of which a rule blocks or challenges"]
    operations: int
    risks: int
    pending: int
    unmanaged: int
    accepted_statuses: int
    addresses: AddressCounts
    withdrawn: Annotated[
        list[Withdrawn], "networks for which attacks are mitigated, and that are not announced"
    ]


class HostChange(TypedDict):
    """A host whose state differs from the one in an earlier report; a status is null if that report
    does not have the host.
    """

    host: str
    before: Status | None
    now: Status | None
    new: Annotated[list[str], "reasons that the earlier report does not have"]
    gone: Annotated[list[str], "reasons that only the earlier report has"]
    differences: Annotated[list[Difference], "those that the earlier report does not have"]


class ComparedReport(TypedDict):
    """The changes since an earlier report."""

    generated: Annotated[str, "when the earlier report was made"]
    hosts: list[HostChange]


class Report(TypedDict):
    """The content of report.json: the state of accounts and zones against their baselines."""

    version: Literal[1]
    generated: Annotated[str, "when the report was made, a timestamp with an offset"]
    totals: Totals
    previous: Annotated[ComparedReport | None, "null if no earlier report was given"]
    shared_owners: Annotated[list[str], "hosts that are one account or one zone, a sentence each"]
    hosts: Annotated[list[HostRecord], "the worst status first"]


Shown = TypeVar("Shown", Column, Metric, Counted, HostLines)


def shown_as(kind: type[Shown]) -> Iterator[tuple[str, Shown]]:
    """The keys of a host that are shown so, in their order, and how."""
    for key, annotation in METADATA:
        if isinstance(annotation, kind):
            yield key, annotation


LISTED_IN_RECORDS: Final = [
    name for name, hint in get_type_hints(HostRecord).items() if get_origin(hint) is list
]


def _metadata() -> Iterator[tuple[str, Any]]:
    """The annotations of the keys of a host, in their order."""
    for key, hint in get_type_hints(HostRecord, include_extras=True).items():
        for annotation in getattr(hint, "__metadata__", ()):
            yield key, annotation


METADATA: Final[Sequence[tuple[str, Any]]] = [*_metadata()]
