# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The terms of a watch: the variable baseline_watch, which says how long a change is watched, and
how much it may stop."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

from ...module_utils._arguments import Arguments, read_options
from ...module_utils._errors import OptionError
from ...module_utils._schema.resource import fields_in
from ...module_utils._text import Option
from .._variables import require_none

VARIABLE = "baseline_watch"
LONGEST_WATCH = 24 * 60  # minutes


class WatchTerms(NamedTuple):
    """The limits of a watch. It is `manual` if the change stays only if somebody confirms it."""

    minutes: float = 10
    interval_seconds: float = 60
    max_stopped_percent: float = 0.5
    max_stopped_requests: int = 1000
    manual: bool = False

    @property
    def length(self) -> timedelta:
        """The time that the analytics have to cover."""
        return timedelta(minutes=self.minutes)

    @property
    def margin(self) -> timedelta:
        """The time beyond the length after which events of it have come that are later than
        requests."""
        return timedelta(seconds=self.interval_seconds)

    @property
    def longest_delay(self) -> timedelta:
        """The delay of the analytics from which on nothing is known."""
        return 2 * self.length

    def record(self) -> dict[str, Any]:
        """The terms in the form of results."""
        return self._asdict()


WATCH_OPTIONS: Arguments = {
    "minutes": {"type": "float", "default": 10},
    "interval_seconds": {"type": "float", "default": 60},
    "max_stopped_percent": {"type": "float", "default": 0.5},
    "max_stopped_requests": {"type": "int", "default": 1000},
    "manual": {"type": "bool", "default": False},
}


def watch_terms(value: Any, variable: str = VARIABLE) -> WatchTerms | None:
    """The terms in the value of a variable, None if nothing is to be watched; raises Mistakes."""
    if value is None:
        return None
    given = {name: number for name, number in fields_in(value).items() if number is not None}
    terms = WatchTerms(**read_options(WATCH_OPTIONS, given))
    require_none([*_errors_in_terms(terms, variable)], {}, {})
    return terms


def _errors_in_terms(terms: WatchTerms, variable: str) -> Iterator[OptionError]:
    if not 0 < terms.minutes <= LONGEST_WATCH:
        problem = f"{terms.minutes:g} is not a number of minutes up to {LONGEST_WATCH} (a day)"
        yield OptionError(Option(variable, "minutes"), problem)
    if not 0 < terms.interval_seconds <= max(terms.minutes, 0) * 60:
        problem = f"{terms.interval_seconds:g} is not a part of the minutes, in seconds"
        yield OptionError(Option(variable, "interval_seconds"), problem)
    if not 0 <= terms.max_stopped_percent <= 100:
        problem = f"{terms.max_stopped_percent:g} is not from 0 to 100"
        yield OptionError(Option(variable, "max_stopped_percent"), problem)
    if terms.max_stopped_requests < 0:
        problem = f"{terms.max_stopped_requests} is less than 0"
        yield OptionError(Option(variable, "max_stopped_requests"), problem)
