# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic that a change treats differently, as results and sentences show it."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple, Sequence, TypedDict

from .._text import first_few, plural, sentence

NOTHING_DIFFERS = "No {} is treated differently."
UNKNOWN_TRAFFIC = "it is not known whether more traffic passes"
PASSING, PASSES = "passing", "passes"  # traffic that nothing stops: what it is, and what it does


class Source(NamedTuple):
    """An object to which a rule belongs, as results name it: the name of its resource, its key in
    words, and its title."""

    resource: str
    key: str
    title: str


class Treatments(NamedTuple):
    """The treatments of some traffic by two states, such as "blocked" by the first one, and
    "passes" by the second one."""

    what: str
    afterwards: str


class TrafficChange(NamedTuple):
    """Traffic that two states treat differently, in words and with an `example` (None: none was
    found); `sources` are the changed objects that cause it.

    It is `certain` if the example proves it. `treatments` are those from the first state to the
    second, `reverse` those from the second to the first. `addresses` is the number of source
    addresses, None if it cannot be counted. If it `is_softer`, a challenge replaces a block, and
    nothing else is weaker. `skipped` names what it skips in one state only, as a skip names it;
    empty if the change is another one.
    """

    treatments: Treatments
    reverse: Treatments
    family: str
    kind: str
    traffic: str
    example: Mapping[str, Any] | None
    addresses: int | None
    sources: Sequence[Source]
    certain: bool
    is_softer: bool = False
    skipped: str = ""

    @property
    def what(self) -> str:
        """The treatment by the first state, such as "blocked"."""
        return self.treatments.what

    @property
    def afterwards(self) -> str:
        """The treatment by the second state, such as "passes"."""
        return self.treatments.afterwards

    @property
    def reversed(self) -> TrafficChange:
        """The change from the second state to the first one."""
        return self._replace(treatments=self.reverse, reverse=self.treatments)

    def record(self) -> TrafficChangeRecord:
        """The change as results show it."""
        return TrafficChangeRecord(
            what=self.what,
            now=self.afterwards,
            traffic=self.traffic,
            example=dict(self.example) if self.example else None,
            addresses=self.addresses,
            keys=[KeyRecord(resource=one.resource, key=one.key) for one in self.sources],
            certain=self.certain,
            kind=self.kind,
            mark=self.family,
            softer=self.is_softer,
        )

    @property
    def sentence(self) -> str:
        """A sentence on the change, with its example."""
        return change_in_words(self.record(), [source.title for source in self.sources])

    @property
    def predicate(self) -> str:
        """A predicate that says what an existing object does to the traffic, unlike the
        baseline."""
        made = _made(f"{self.kind}s", self.afterwards, self.certain)
        return f"{made} that {_are(self.what)} under the baseline: {self.traffic}"


def _treated(now: str, verb: str) -> str:
    """The treatment after a change, as a predicate for several requests."""
    if now == PASSES:
        return f"{verb}pass"
    if now.startswith("is "):
        return f"{verb}be {now[3:]}" if verb else f"are {now[3:]}"
    return f"{verb}{now.replace('skips', 'skip', 1)}"


def _made(nouns: str, now: str, certain: bool) -> str:
    """The predicate of an object because of which requests or packets are treated as `now` says."""
    is_left = now.startswith("is ")
    verb = "leave" if is_left else "let"
    treated = now[3:] if is_left else _treated(now, "")
    return f"{f'{verb}s' if certain else f'may {verb}'} {nouns} {treated}"


def _are(what: str) -> str:
    """The treatment before a change, as a predicate for several requests."""
    if what == PASSING:
        return "pass"
    return what.replace("skips", "skip", 1) if what.startswith("skips") else f"are {what}"


class KeyRecord(TypedDict):
    """A changed object that causes a change, as results show it."""

    resource: str
    key: str


class TrafficChangeRecord(TypedDict):
    """Traffic that is treated differently, as results show it."""

    what: str
    now: str
    traffic: str
    example: dict[str, Any] | None
    addresses: int | None
    keys: list[KeyRecord]
    certain: bool
    kind: str
    mark: str
    softer: bool


def change_in_words(change: TrafficChangeRecord, reasons: Sequence[str]) -> str:
    """A sentence on a plan's change of traffic, with its example, and with the objects in
    `reasons`."""
    verb = "" if change["certain"] else "may "
    shown = change["traffic"]
    if change["example"]:
        more = (change["addresses"] or 1) - 1
        others = f" and {plural(more, 'more address', 'more addresses')}" if more else ""
        shown = f"{example_in_words(change['kind'], change['example'])}{others}"
    treated = _treated(change["now"], verb)
    today = f"{_are(change['what'])} today"
    return f"{change['kind']}s {treated} that {today}: {shown} ({first_few(reasons)})"


def unknown_in_words(reason: str) -> str:
    """A sentence on what is not known of a plan's traffic, for a reason."""
    return sentence(f"{UNKNOWN_TRAFFIC}: {reason}")


class TrafficChangesRecord(TypedDict):
    """The traffic that a plan treats differently, as results show it."""

    known: bool
    unknown: list[str]
    passes: list[TrafficChangeRecord]
    stopped: list[TrafficChangeRecord]


class NotCompared(NamedTuple):
    """Objects whose traffic could not be compared, and the reason as a clause."""

    reason: str
    sources: Sequence[Source]


class TrafficChanges(NamedTuple):
    """The changes after which traffic `passes`, those after which it is `stopped`, and the objects
    `not_compared`, because of which there may be further changes."""

    passes: Sequence[TrafficChange] = ()
    stopped: Sequence[TrafficChange] = ()
    not_compared: Sequence[NotCompared] = ()

    @property
    def known(self) -> bool:
        """Return whether all objects could be compared."""
        return not self.not_compared

    @property
    def unknown(self) -> list[str]:
        """The reasons why more traffic may be treated differently."""
        return list(dict.fromkeys(part.reason for part in self.not_compared))

    @property
    def reversed(self) -> TrafficChanges:
        """The changes from the second state to the first one."""
        return self._replace(
            passes=[change.reversed for change in self.stopped],
            stopped=[change.reversed for change in self.passes],
        )

    def without_comparison(self, parts: Iterable[NotCompared]) -> TrafficChanges:
        """These changes, with `parts` added to the objects that are not compared."""
        return self._replace(not_compared=[*self.not_compared, *parts])

    def record(self) -> TrafficChangesRecord:
        """The changes as results show them."""
        return TrafficChangesRecord(
            known=self.known,
            unknown=self.unknown,
            passes=[change.record() for change in self.passes],
            stopped=[change.record() for change in self.stopped],
        )

    def sentences(self, kind: str = "request") -> list[str]:
        """A sentence for each change, those after which traffic passes first; if there is no
        change, a sentence that says so."""
        changes = sorted(self.passes, key=_rank_of_change)
        told = [sentence(change.sentence) for change in (*changes, *self.stopped)]
        unknown = [*map(unknown_in_words, self.unknown)]
        if not told and not unknown:
            return [NOTHING_DIFFERS.format(kind)]
        return [*told, *unknown]


def _rank_of_change(change: TrafficChange) -> tuple[bool, bool]:
    """A sort key: changes after which traffic passes come first, and certain ones before the
    others."""
    return change.afterwards != PASSES, not change.certain


NO_CHANGES = TrafficChanges()


def example_in_words(kind: str, example: Mapping[str, Any]) -> str:
    """A request or packet in a line."""
    if kind == "packet":
        return _packet_in_words(example)
    scheme, query = example.get("scheme", "https"), example.get("query")
    path = f"{example.get('path', '/')}{f'?{query}' if query else ''}"
    where = f"{example.get('method', 'GET')} {scheme}://{example.get('host', '')}{path}"
    shown = {"method", "scheme", "host", "path", "query", "source"}
    others = [f"{key} {value}" for key, value in example.items() if key not in shown and value]
    with_others = f" with {first_few(others)}" if others else ""
    return f"{where} from {example.get('source')}{with_others}"


def _packet_in_words(example: Mapping[str, Any]) -> str:
    fields = example.get("fields") or {}
    protocol = str(example.get("protocol") or fields.get("ip.proto") or "").upper()
    port = example.get("destination_port")
    target = f"{example.get('destination')}{f' port {port}' if port is not None else ''}"
    return f"{protocol} from {example.get('source')} to {target}".strip()
