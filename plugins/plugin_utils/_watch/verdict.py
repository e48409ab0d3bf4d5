# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The verdict of a watch: whether a change stopped too much, by the samples of the analytics so
far. Pure functions: they know no client and no clock.

Not known counts as too much. The time of a watch passes as far as the analytics cover it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from ...module_utils._text import plural
from ...module_utils._timestamps import read_timestamp, to_the_minute, write_timestamp
from ...module_utils._traffic.pieces import HOUR
from ...module_utils._traffic.queries import FEWEST_SAMPLES, percentage, too_few
from ...module_utils._traffic.watched import THE_ZONE, WatchSample
from .._baseline.watch_terms import WatchTerms

WITHIN, EXCEEDED, NOT_KNOWN, GOES_ON = "within", "exceeded", "not known", "goes on"
SILENT_SAMPLES = 2  # so many samples in succession without an answer are no slip of the service


class WatchedObject(NamedTuple):
    """A changed object. `rule` is the id by which events name it; None if other rules of the zone
    may stop more because of it, so that all of them count. `source` are the samples that show what
    it stops: those of the zone, or of packets to the account."""

    resource: str
    key: str
    rule: str | None = None
    source: str = THE_ZONE


class RuleFigures(NamedTuple):
    """The requests that an object stopped, or others because of it, beyond the average of the hour
    before; `percent` is their share of all requests, None if there are none, and `examples` are
    frequent ones. `stopping` are the ids of the rules that did, as far as events name them, the one
    with the most requests first."""

    watched: WatchedObject
    stopped: int
    percent: float | None
    stopping: Sequence[str] = ()
    examples: Sequence[Mapping[str, Any]] = ()


class WatchVerdict(NamedTuple):
    """The verdict on a watch so far, with its figures and, for NOT_KNOWN, the reasons."""

    outcome: str
    covered_until: datetime | None = None
    requests: int = 0
    stopped: int = 0
    figures: Sequence[RuleFigures] = ()
    unknown: Sequence[str] = ()
    source: str = THE_ZONE

    @property
    def noun(self) -> str:
        """The word for what may be stopped."""
        return "requests" if self.source == THE_ZONE else "packets"

    @property
    def figures_of_source(self) -> list[RuleFigures]:
        """The figures of the objects that the numbers of this verdict count."""
        return [item for item in self.figures if item.watched.source == self.source]

    @property
    def percent(self) -> float | None:
        """The share of the requests that all objects stopped; None if there are no requests."""
        return percentage(self.stopped, self.requests)

    def with_examples(self, by_rule: Mapping[str, Sequence[Mapping[str, Any]]]) -> WatchVerdict:
        """The verdict with requests that its rules stopped, by the ids of the rules."""
        figures: list[RuleFigures] = []
        for of_object in self.figures:
            examples: list[Mapping[str, Any]] = []
            for rule in of_object.stopping:
                examples += by_rule.get(rule, ())
            figures.append(of_object._replace(examples=examples))
        return self._replace(figures=figures)

    def record(self) -> dict[str, Any]:
        """The verdict in the form of results."""
        covered = self.covered_until
        return {
            "covered_until": write_timestamp(covered) if covered else None,
            "known": self.outcome != NOT_KNOWN,
            "unknown": list(self.unknown),
            "of": self.noun,
            "requests": self.requests,
            "stopped": self.stopped,
            "rules": [_figures_record(figures) for figures in self.figures],
        }


def _figures_record(figures: RuleFigures) -> dict[str, Any]:
    return {
        "resource": figures.watched.resource,
        "key": figures.watched.key,
        "all_rules": figures.watched.rule is None,
        "stopped": figures.stopped,
        "stopped_by": list(figures.stopping),
        "percent": figures.percent,
        "examples": [dict(example) for example in figures.examples],
    }


BY_URGENCY = (EXCEEDED, NOT_KNOWN, GOES_ON, WITHIN)


def judge_sources(
    terms: WatchTerms,
    objects: Sequence[WatchedObject],
    since: datetime,
    samples: Sequence[Mapping[str, WatchSample]],
) -> WatchVerdict:
    """The verdict on a change by the samples so far, oldest first, each by its source: that on the
    worst source, with the figures of all."""
    verdicts: list[WatchVerdict] = []
    figures: list[RuleFigures] = []
    for source in dict.fromkeys(watched.source for watched in objects):
        shown = [watched for watched in objects if watched.source == source]
        of_source = [sample[source] for sample in samples]
        verdict = judge_watch(terms, shown, since, of_source, source)
        verdicts.append(verdict)
        figures += verdict.figures
    worst = min(verdicts, key=_by_urgency)
    return worst._replace(figures=figures)


def _by_urgency(verdict: WatchVerdict) -> tuple[int, float]:
    return BY_URGENCY.index(verdict.outcome), -(verdict.percent or 0)


def judge_watch(
    terms: WatchTerms,
    objects: Sequence[WatchedObject],
    since: datetime,
    samples: Sequence[WatchSample],
    source: str = THE_ZONE,
) -> WatchVerdict:
    """The verdict on a change that was written at `since`, by the samples so far of one source,
    oldest first."""
    answered = [sample for sample in samples if not sample["unknown"]]
    figures = WatchVerdict(GOES_ON, source=source)
    if answered:
        figures = _figures(objects, since, answered[-1])._replace(source=source)
        if _exceeds_terms(terms, figures, answered[-1]):
            return figures._replace(outcome=EXCEEDED)
    unknown = _why_not_known(terms, since, samples, figures)
    if unknown:
        return figures._replace(outcome=NOT_KNOWN, unknown=unknown)
    covered = figures.covered_until
    if covered is None or covered < since + terms.length + terms.margin:
        return figures
    if samples[-1]["unknown"]:
        return figures
    if answered[-1]["samples"] < FEWEST_SAMPLES:
        reason = too_few(answered[-1]["samples"], figures.noun)
        return figures._replace(outcome=NOT_KNOWN, unknown=[reason])
    return figures._replace(outcome=WITHIN)


def _figures(
    objects: Sequence[WatchedObject], since: datetime, sample: WatchSample
) -> WatchVerdict:
    """The figures of a sample, without an outcome."""
    covered = read_timestamp(sample["covered_until"])
    length = max(timedelta(), covered - since) if covered else timedelta()
    requests = sample["requests"]
    excess = {
        rule["rule"]: max(0, round(rule["stopped"] - rule["hour_before"] * length / HOUR))
        for rule in sample["rules"]
    }
    figures: list[RuleFigures] = []
    for watched in objects:
        by_rule = _stopped_by(watched, excess)
        stopped, stopping = sum(by_rule.values()), [rule for rule in by_rule if rule]
        figures.append(RuleFigures(watched, stopped, percentage(stopped, requests), stopping))
    return WatchVerdict(GOES_ON, covered, requests, _stopped_in_all(figures), figures)


def _stopped_by(watched: WatchedObject, excess: Mapping[str, int]) -> dict[str, int]:
    """The numbers of requests that an object stopped, by the rules that did, the highest first."""
    of_object = [rule for rule in excess if watched.rule in (None, rule) and excess[rule]]
    of_object.sort(key=lambda rule: -excess[rule])
    return {rule: excess[rule] for rule in of_object}


def _stopped_in_all(figures: Sequence[RuleFigures]) -> int:
    """The requests that all objects stopped; if all rules of the zone count, no rule counts
    twice."""
    of_zone = [one.stopped for one in figures if one.watched.rule is None]
    if of_zone:
        return max(of_zone)
    by_rule = {one.watched.rule: one.stopped for one in figures}
    return sum(by_rule.values())


def _exceeds_terms(terms: WatchTerms, verdict: WatchVerdict, sample: WatchSample) -> bool:
    """Return whether the figures are above a limit; a share of few samples says nothing yet."""
    if verdict.stopped > terms.max_stopped_requests:
        return True
    if sample["samples"] < FEWEST_SAMPLES:
        return False
    share = Fraction(str(terms.max_stopped_percent)) / 100
    return verdict.stopped > share * verdict.requests


def _why_not_known(
    terms: WatchTerms, since: datetime, samples: Sequence[WatchSample], verdict: WatchVerdict
) -> list[str]:
    """The reasons why nothing can be said any more; none as long as an answer may still come."""
    latest = samples[-SILENT_SAMPLES:]
    if len(latest) == SILENT_SAMPLES and all(sample["unknown"] for sample in latest):
        return list(latest[-1]["unknown"])
    now = read_timestamp(samples[-1]["now"]) if samples else None
    if now is None:
        return []
    covered = max(since, verdict.covered_until or since)
    if now - covered <= terms.longest_delay:
        return []
    minutes = plural(int((now - covered).total_seconds() // 60), "minute", "minutes")
    if verdict.covered_until is None:
        missing = "request to the zone" if verdict.source == THE_ZONE else "packet to the account"
        return [f"The analytics have shown no {missing} for {minutes}."]
    moment = to_the_minute(write_timestamp(covered))
    return [f"The analytics cover the time until {moment}, {minutes} ago."]
