# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields that an expectation gives by their names, beside its keys.

The vendor lists them in "Fields reference" (Rules language) and "Cloudflare Network Firewall
fields". A name that is not known here is most likely misspelt, and an expectation that gives a
field which no rule reads would be undecided for a reason that nobody sees.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import AbstractSet, Any, Mapping, NamedTuple

from .._errors import OptionError, OptionProblems
from .._expressions.grammar import quoted
from .._expressions.literals import Items, Pairs, Value
from .._expressions.request_fields import NEAR, is_known
from .._text import Option

FORMER, PRESENT = "ip.geoip.", "ip.src."  # names of one field: ip.geoip.country, ip.src.country
MOST_NAMES = 3


class FieldNames(NamedTuple):
    """The fields of requests, or of packets: those that are known, and the keys that give some."""

    whose: str
    known: AbstractSet[str]
    keys: Mapping[str, str]


def read_fields(option: Option, value: Any, names: FieldNames) -> dict[str, Value]:
    """Values of fields by their names, former names included; raises OptionError."""
    if not isinstance(value, Mapping):
        raise OptionError(option, f"{value!r} is no dictionary")
    values: dict[str, Value] = {}
    problems = OptionProblems()
    for name, item in value.items():
        with problems.collected():
            _check_name(option, str(name), names)
            others = _other_names(str(name), names)
            for other in others:
                if other in value:
                    raise OptionError(option.at(str(name)), f"it is the field {other}; give either")
            values.update(
                dict.fromkeys([str(name), *others], read_value(option.at(str(name)), item))
            )
    problems.raise_any()
    return values


def _check_name(option: Option, name: str, names: FieldNames) -> None:
    if name in names.keys:
        raise OptionError(option.at(name), f"give it as {names.keys[name]}")
    if not is_known(name, names.known):
        near = get_close_matches(name.lower(), names.known, MOST_NAMES, NEAR)
        hint = f"; the nearest are {', '.join(near)}" if near else ""
        raise OptionError(
            option, f"{quoted(name)} is no field of {names.whose} that this collection knows{hint}"
        )


def _other_names(name: str, names: FieldNames) -> list[str]:
    """The former name of a field, or its present one."""
    pairs = ((FORMER, PRESENT), (PRESENT, FORMER))
    others = [other + name[len(one) :] for one, other in pairs if name.startswith(one)]
    return [other for other in others if other in names.known]


def read_value(option: Option, value: Any) -> Value:
    """A value of any field, by its kind in the options; raises OptionError."""
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return Items(tuple(read_value(option.at(index), item) for index, item in enumerate(value)))
    if isinstance(value, Mapping):
        return Pairs(
            {
                str(name).encode(): read_value(option.at(str(name)), item)
                for name, item in value.items()
            }
        )
    raise OptionError(option, f"{value!r} is no value of a field")
