# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The declaration of a risk: a code, a sentence, the resources whose plans can have it, and limits.

The codes, the options of the modules, the documentation of these options and the tables of
docs/risks.md follow from it; the guard finds the function for it by its code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

from ..._errors import OptionError, OptionProblems
from ..._schema.resource import OptionSpec, Resource
from ..._text import Option

LIMITS = "limits"  # the option that takes them


def has_modes(resource: Resource) -> bool:
    """Return whether objects of a resource have a mode, such as enabled or monitoring."""
    return bool(resource.mode_field)


class Limit(NamedTuple):
    """A limit beyond which a change is a risk: a number from 0 to `highest`.

    `sentences` are its documentation; tables show the first one.
    """

    name: str
    default: float
    highest: int
    sentences: tuple[str, ...]

    @property
    def option(self) -> dict[str, Any]:
        """The argument spec of the option; its type is that of the default."""
        return {"type": type(self.default).__name__, "default": self.default}


@dataclass(frozen=True)
class Limits:
    """The limits of a task: the values that it sets, and the defaults of all other limits."""

    chosen: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, limit: Limit) -> float:
        return self.chosen.get(limit.name, limit.default)


Concerns = Callable[[Resource], bool]  # whether plans for a resource can have a risk


def any_of(*resources: Resource) -> Concerns:
    """A condition that holds for these resources, by their names; it tells which resources a risk
    concerns.
    """
    names = frozenset(resource.name for resource in resources)
    return lambda resource: resource.name in names


class Risk(NamedTuple):
    """The declaration of a risk that plans can have for the resources that it `concerns`;
    `sentence` says what such a plan would do. `_guard/finders` has the function that finds it."""

    code: str
    sentence: str
    concerns: Concerns
    limits: tuple[Limit, ...] = ()


def concerning(risks: Sequence[Risk], resources: Iterable[Resource]) -> tuple[Risk, ...]:
    """The risks that plans for some of the resources can have, out of `risks`."""
    concerned: dict[Risk, None] = {}
    for resource in resources:
        concerned.update((risk, None) for risk in risks if risk.concerns(resource))
    return tuple(risk for risk in risks if risk in concerned)


def codes_of(risks: Sequence[Risk]) -> tuple[str, ...]:
    """The codes of risks."""
    return tuple(risk.code for risk in risks)


def limits_of(risks: Sequence[Risk]) -> tuple[Limit, ...]:
    """The limits of risks, without repetition, in their order."""
    limits: dict[Limit, None] = {}
    for risk in risks:
        limits.update(dict.fromkeys(risk.limits))
    return tuple(limits)


def risk_options(risks: Sequence[Risk]) -> OptionSpec:
    """The argument spec for a module whose plans can have these risks; accept_risks accepts codes
    and dictionaries.
    """
    spec: OptionSpec = {"accept_risks": {"type": "list", "elements": "raw", "default": []}}
    limits = {limit.name: limit.option for limit in limits_of(risks)}
    if limits:
        spec[LIMITS] = {"type": "dict", "options": limits}
    return spec


def parse_limits(options: Mapping[str, Any], risks: Sequence[Risk]) -> Limits:
    """The limits of these risks that a module's options set; raises OptionError for one out of
    range."""
    numbers = options.get(LIMITS) or {}
    problems = OptionProblems()
    chosen: dict[str, float] = {}
    for limit in limits_of(risks):
        number = numbers.get(limit.name)
        if number is None:
            continue
        chosen[limit.name] = number
        if not 0 <= number <= limit.highest:
            problem = f"{number} is not between 0 and {limit.highest}"
            problems.add(OptionError(Option(LIMITS, limit.name), problem))
    problems.raise_any()
    return Limits(chosen)
