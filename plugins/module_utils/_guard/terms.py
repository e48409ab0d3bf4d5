# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The terms on which a task takes a plan: limits, acceptances, approval, evidence, backtest and
expectations."""

from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Sequence, TypedDict

from .._errors import OptionError, OptionProblems
from .._plan.rollout import EvidenceLimits
from .._protection.expectation import Expectation
from .._schema.resource import OptionSpec
from .._text import Option
from .acceptance import Acceptance
from .risks.declaration import Limits, Risk

HIGHEST_HOURS = 24 * 90  # which no account keeps its analytics for


class NumberBounds(NamedTuple):
    """The bounds of a number, and a text for messages on the values that it may have."""

    fits: Callable[[float], bool]
    words: str


PERCENTAGE = NumberBounds(lambda value: 0 <= value <= 100, "between 0 and 100")
BOUNDS_OF_TERMS: Mapping[str, NumberBounds] = {
    "hours": NumberBounds(
        lambda value: 0 < value <= HIGHEST_HOURS, f"above 0 and at most {HIGHEST_HOURS}"
    ),
    "max_would_drop_percent": PERCENTAGE,
    "max_blocked_percent": PERCENTAGE,
    "max_would_drop_packets": NumberBounds(lambda value: value >= 0, "0 or more"),
}


def _read_numbers(options: Mapping[str, Any], spec: OptionSpec) -> list[Any]:
    """The values of an option that is a dictionary of numbers, in the order of its argument spec;
    empty if the option is not set. Raises OptionError for numbers out of bounds.
    """
    ((name, argument),) = spec.items()
    numbers = options.get(name)
    if numbers is None:
        return []
    problems = OptionProblems()
    for suboption, number in numbers.items():
        bounds = BOUNDS_OF_TERMS.get(suboption)
        if bounds and number is not None and not bounds.fits(number):
            problem = f"{number:g} is not {bounds.words}"
            problems.add(OptionError(Option(name, suboption), problem))
    problems.raise_any()
    return [numbers.get(suboption) for suboption in argument["options"]]


ROLLOUT_EVIDENCE: OptionSpec = {
    "rollout_evidence": {
        "type": "dict",
        "options": {
            "hours": {"type": "float", "default": 24.0},
            "max_would_drop_percent": {"type": "float", "default": 0.1},
            "max_would_drop_packets": {"type": "int"},
        },
    }
}


def parse_evidence(options: Mapping[str, Any]) -> EvidenceLimits | None:
    """The evidence limits that the task sets, None if it sets none; raises OptionError."""
    numbers = _read_numbers(options, ROLLOUT_EVIDENCE)
    return EvidenceLimits(*numbers) if numbers else None


BACKTEST: OptionSpec = {
    "backtest": {
        "type": "dict",
        "options": {
            "hours": {"type": "float", "default": 24.0},
            "max_blocked_percent": {"type": "float", "default": 0.1},
            "file": {"type": "path"},
        },
    }
}


class BacktestTerms(NamedTuple):
    """The terms of a backtest: the hours to look back or a file of requests, and the largest
    percentage of them that may be newly blocked."""

    hours: float
    max_percent: float
    file: str | None


def parse_backtest(options: Mapping[str, Any]) -> BacktestTerms | None:
    """The terms of the backtest that the task asks for, None if it asks for none; raises
    OptionError.
    """
    numbers = _read_numbers(options, BACKTEST)
    return BacktestTerms(*numbers) if numbers else None


MEASURE: OptionSpec = {
    "measure": {"type": "bool", "default": False},
    "measure_hours": {"type": "float", "default": 24.0},
}


def parse_measure(options: Mapping[str, Any]) -> float | None:
    """The hours for which the task measures its rate limits, None if it does not; raises
    OptionError.
    """
    if not options.get("measure"):
        return None
    hours: float = options["measure_hours"]
    bounds = BOUNDS_OF_TERMS["hours"]
    if not bounds.fits(hours):
        raise OptionError(Option("measure_hours"), f"{hours:g} is not {bounds.words}")
    return hours


class Pending(TypedDict):
    """A rule or filter that is to be enabled, or a rule that logs and is to get the action that
    `mode` names, and the `reason` why that is not so yet: `time`, `evidence` or `unknown`.

    `not_before` is None as long as it is not known since when the object monitors.
    `would_drop_percent` and `would_drop_packets` are None if the traffic was not asked for, or is
    not known; `networks` are those concerned.
    """

    resource: str
    key: str
    mode: str
    reason: str
    not_before: str | None
    would_drop_percent: float | None
    would_drop_packets: int | None
    networks: list[str]
    advice: list[str]
    message: str


class Terms(NamedTuple):
    """The terms on which a task accepts a plan: limits of risks, accepted risks, the approved plan,
    expectations, evidence and stages of a rollout, the risks that its plans can have, whether they
    are plans of rules, lists or overrides (`of_rules`), a backtest, the hours for which rate limits
    are measured, and whether a plan contains only changes that are due by time.
    """

    limits: Limits
    accepted: Sequence[Acceptance] = ()
    approved: str | None = None
    evidence: EvidenceLimits | None = None
    expectations: Sequence[Expectation] = ()
    is_staged: bool = False
    risks: Sequence[Risk] = ()
    of_rules: bool = False
    backtest: BacktestTerms | None = None
    measured_hours: float | None = None
    only_time: bool = False
