# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Follows a written change: asks the analytics at each interval, until the verdict is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from ...module_utils._context import (
    WATCH,
    WATCHED_REQUESTS,
    WATCHED_SINCE,
    WATCHED_SOURCES,
    WATCHED_ZONES,
)
from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import ACCOUNT_OWNER, OWNERS, ZONE_OWNER, Owner, without
from ...module_utils._text import first_few
from ...module_utils._timestamps import read_timestamp
from ...module_utils._traffic.watched import THE_ZONE, WatchSample
from .._baseline.variables import HOST_MODULE, ROLE, Part, RunModule, connection_options
from .._export.host_state import read_host
from .mark import CONFIRMED, MarkFile, WatchMark
from .objects import replaced_objects, titles_of
from .together import WatchedTogether, credentials_in
from .verdict import EXCEEDED, GOES_ON, NOT_KNOWN, WITHIN, WatchVerdict, judge_sources

NOT_CONFIRMED = "nobody confirmed it within {minutes:g} minutes, as manual demands."
REPLACED = "others have deleted or replaced {rules}, so that the events do not show all of it."
LATEST_END = 4  # times the minutes of a watch, after which a clock must be wrong


@dataclass
class Follower:
    """Follows a change with this mark through `run_module`; `sleep` waits for seconds."""

    part: Part
    run_module: RunModule
    file: MarkFile
    mark: WatchMark
    sleep: Callable[[float], None]
    samples: list[Mapping[str, WatchSample]] = field(default_factory=list)

    def verdict(self) -> WatchVerdict:
        """The verdict at the end of the watch; a confirmation by another run ends it well."""
        with self._together.joined() if self._together else nullcontext():
            return self._verdict()

    @cached_property
    def _together(self) -> WatchedTogether | None:
        """The zone among others that the run watches; None if no zone is watched, or if its id is
        not known."""
        zone = self.mark.owners.get(ZONE_OWNER.option)
        if not zone or THE_ZONE not in self.mark.sources:
            return None
        return WatchedTogether(
            credentials=credentials_in(self._connection(ZONE_OWNER, without_owner=True)),
            zone=zone,
            since=self.mark.written,
            interval=self.mark.terms.interval_seconds,
            ask=self._ask_zones,
        )

    def _verdict(self) -> WatchVerdict:
        terms, polls = self.mark.terms, 0
        most_polls = LATEST_END * terms.minutes * 60 / terms.interval_seconds
        while True:
            self.sleep(terms.interval_seconds)
            polls += 1
            self.samples.append(self.sample())
            verdict = judge_sources(terms, self.mark.watched, self.mark.since, self.samples)
            if self._is_confirmed():
                return verdict._replace(outcome=WITHIN, unknown=())
            if terms.manual and verdict.outcome != EXCEEDED:
                verdict = self._by_hand(verdict)
            if verdict.outcome == EXCEEDED:
                return verdict.with_examples(self.examples())
            if verdict.outcome == WITHIN:
                return self._of_same_rules(verdict)
            if verdict.outcome != GOES_ON:
                return verdict
            if polls > most_polls + 1:
                reason = "The clock of Cloudflare does not go on."
                return verdict._replace(outcome=NOT_KNOWN, unknown=[reason])

    def _is_confirmed(self) -> bool:
        mark = self.file.read()
        return mark is not None and mark.status == CONFIRMED

    def _of_same_rules(self, verdict: WatchVerdict) -> WatchVerdict:
        """The verdict on a change within its limits; not known unless events still name its rules
        as when the watch began."""
        try:
            options = connection_options(self.part)
            state = read_host(self.mark.resources, options, self.run_module)
        except ValueError as exc:
            return verdict._replace(outcome=NOT_KNOWN, unknown=[str(exc)])
        change = self.mark.change._replace(after=state.objects)
        replaced = replaced_objects(change, self.mark.watched)
        if not replaced:
            return verdict
        reason = REPLACED.format(rules=first_few(titles_of(replaced)))
        return verdict._replace(outcome=NOT_KNOWN, unknown=[reason])

    def _by_hand(self, verdict: WatchVerdict) -> WatchVerdict:
        """The verdict on a change that stays only if somebody confirms it."""
        now = now_of(self.samples[-1])
        minutes = self.mark.terms.minutes
        if now is None or now - self.mark.since <= self.mark.terms.length:
            return verdict._replace(outcome=GOES_ON, unknown=())
        return verdict._replace(outcome=NOT_KNOWN, unknown=[NOT_CONFIRMED.format(minutes=minutes)])

    def examples(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The most frequent requests that rules stopped, by the ids of the rules."""
        if THE_ZONE not in self.mark.sources:
            return {}
        result = self._read(ZONE_OWNER, {WATCHED_REQUESTS: True})
        return result.get(WATCHED_REQUESTS) or {}

    def _read(self, owner: Owner, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a module that asks the analytics of the zone, or of the account."""
        options = {**self._connection(owner), WATCHED_SINCE: self.mark.written, **asked}
        reads = [name for name in self.mark.collections if BY_PLURAL[name].owner == owner.option]
        part = Part(HOST_MODULE, options, ROLE.to_read(reads[:1]))
        return self.run_module(part, False)

    def _connection(self, owner: Owner, without_owner: bool = False) -> dict[str, Any]:
        """The options that name the zone, or the account, and say how to reach it; with
        `without_owner`, they name neither."""
        options = connection_options(self.part)
        for other in OWNERS.values():
            if other is not owner or without_owner:
                options = without(options, *other.options)
        return options

    def _ask_zones(self, since_by_zone: Mapping[str, str]) -> Mapping[str, WatchSample]:
        """The samples of zones with the moments of their changes; only that of this change if they
        cannot be asked about together."""
        zone_id = self.mark.owners[ZONE_OWNER.option]
        further = without(since_by_zone, zone_id)
        result = self._read(ZONE_OWNER, {WATCHED_ZONES: further} if further else {})
        sample = _samples_in(result, [THE_ZONE])[THE_ZONE]
        return {**result.get(WATCHED_ZONES, {}), zone_id: sample}

    def sample(self) -> dict[str, WatchSample]:
        """The samples of now, by their source; if one cannot be read, it has the reason."""
        samples: dict[str, WatchSample] = {}
        of_account = [source for source in self.mark.sources if source != THE_ZONE]
        if self._together:
            samples[THE_ZONE] = self._together.sample()
        elif THE_ZONE in self.mark.sources:
            samples.update(_samples_in(self._read(ZONE_OWNER, {}), [THE_ZONE]))
        if of_account:
            result = self._read(ACCOUNT_OWNER, {WATCHED_SOURCES: of_account})
            samples.update(_samples_in(result, of_account))
        return samples


def now_of(samples: Mapping[str, WatchSample]) -> datetime | None:
    """The time by Cloudflare's clock of samples; None if no answer tells it."""
    times = [read_timestamp(sample["now"]) for sample in samples.values()]
    return max([moment for moment in times if moment], default=None)


def _samples_in(result: Mapping[str, Any], sources: Sequence[str]) -> dict[str, WatchSample]:
    """The samples in the result of a module."""
    if WATCH in result and not result.get("failed"):
        return {source: result[WATCH][source] for source in sources}
    reason = str(result.get("msg") or "The analytics cannot be read.")
    unread = WatchSample(
        now="", covered_until=None, requests=0, samples=0, rules=[], unknown=[reason]
    )
    return dict.fromkeys(sources, unread)
