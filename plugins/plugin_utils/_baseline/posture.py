# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Postures: values of the baseline that hold until a time. Their entries, in the variables of a
host or in a file, and the prepared postures that entries name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from typing import Any, NamedTuple

from ...module_utils._arguments import Argument, Arguments
from ...module_utils._errors import OptionError
from ...module_utils._schema.resource import Values, without
from ...module_utils._text import Message, Option, did_you_mean, first_few, visible
from ...module_utils._timestamps import write_timestamp
from .._variables import Mistakes, errors_of, expiry_of, require_none, wrong_at
from .variables import (
    OF_A_POSTURE,
    OWNERS_OF,
    POSTURES,
    PREFIX,
    acceptances_in,
    names_owner,
    read_acceptances,
)

# The postures of a host, each with the place that names it.
PostureEntries = Sequence[tuple[Option, Any]]
# Accepted risks, each with its place.
PlacedRisks = Sequence[tuple[Option, Any]]
START_OF_TIME = datetime.min.replace(tzinfo=timezone.utc)  # when every posture holds
FORM = "{{name: {}, until: 2027-01-31T09:00:00Z}}"
POSTURE_TIMES = ("since", "until")
ABOUT: Arguments = {
    **{name: {"type": "str"} for name in ("name", "reason", "since")},
    "until": {"type": "str", "required": True},
}
PREPARED_POSTURE: Argument = {"type": "dict", "options": OF_A_POSTURE}
CHOSEN_POSTURE: Argument = {"type": "dict", "options": {**ABOUT, **OF_A_POSTURE}}
ITEMS, RISKS = "items", "accept_risks"


class Posture(NamedTuple):
    """A posture of a host: a prepared one, or one with values of its own. `place` is the place
    of its entry and `path` that of its values; `risks` are the accepted risks, each with its
    place. The `record` is for results and reports."""

    name: str
    until: datetime
    record: Mapping[str, Any]
    values: Values
    path: Option
    place: Option
    risks: PlacedRisks

    def sentence(self) -> str:
        """The name of the posture and its end, for people."""
        reason = f" ({self.record['reason']})" if self.record["reason"] else ""
        title = f"The posture {self.name or f'in {self.place}'}"
        return f"{title} holds until {self.record['until']}{reason}."


def postures_of(values: Values) -> dict[Option, Values]:
    """The prepared postures by the name of their variable, each reduced to the values that apply
    to this host. Raises Mistakes."""
    prepared = values.get(POSTURES) or {}
    postures = {Option(POSTURES, name): posture for name, posture in prepared.items()}
    errors: list[OptionError] = []
    for path, posture in postures.items():
        errors += wrong_at(path, PREPARED_POSTURE, posture)
    require_none(errors, {}, {})
    return {path: _for_host(posture or {}, values) for path, posture in postures.items()}


def _for_host(posture: Values, values: Values) -> Values:
    """The values of a posture that apply to the host with these variables."""
    for_host = {}
    for option, value in posture.items():
        describes_objects = PREFIX + option in OWNERS_OF
        if describes_objects and not has_objects(values, option):
            continue
        if value not in (None, []):
            for_host[option] = value
    return for_host


def has_objects(values: Values, option: str) -> bool:
    """Return whether an option describes objects of an account or zone that the host has."""
    owners = OWNERS_OF.get(PREFIX + option, ())
    return any(names_owner(values, owner) for owner in owners)


def require_risks(postures: Mapping[Option, Values]) -> None:
    """Raise ValueError for malformed accepted risks of prepared postures, also of postures that
    no entry names."""
    checks = [
        partial(read_acceptances, path.at(RISKS), posture.get(RISKS))
        for path, posture in postures.items()
    ]
    require_none(errors_of(*checks), {}, {})


def read_posture(
    host: str, place: Option, entry: Any, prepared: Mapping[Option, Values], now: datetime
) -> Posture | None:
    """The posture of an entry; None for an ended entry whose prepared posture no longer exists.
    Raises ValueError."""
    fields = _checked_fields(place, entry)
    until = expiry_of(place.at("until"), fields["until"])
    since = expiry_of(place.at("since"), fields["since"]) if "since" in fields else None
    name = fields.get("name")
    values: Values = without(fields, *ABOUT, RISKS)
    if bool(name) is bool(values):
        problem = "it takes until, and a name or the values themselves"
        raise Mistakes([OptionError(place, problem)])
    path = Option(POSTURES, name) if name else place
    if name and path not in prepared:
        if until <= now:
            return None
        names = [prepared_path.path[-1] for prepared_path in prepared]
        raise Mistakes([OptionError(place.at("name"), no_such_posture(name, names))])
    if name:
        values = prepared[path]
    risks = [*_placed_risks(path, values), *_placed_risks(place, fields)]
    values = without(values, RISKS)
    if not values:
        problem = f"the posture {name} has nothing for {host}"
        raise Mistakes([OptionError(place.at("name"), problem)])
    record = {
        "name": name,
        "until": write_timestamp(until),
        "reason": fields.get("reason"),
        "since": write_timestamp(since) if since else None,
    }
    return Posture(name or "", until, record, values=values, path=path, place=place, risks=risks)


def _checked_fields(place: Option, entry: Any) -> dict[str, Any]:
    """The fields of an entry that are set; raises Mistakes for wrong ones."""
    fields = entry or {}
    if not isinstance(fields, Mapping):
        problem = f"it is no posture; write {FORM.format(visible(str(entry)))}"
        raise Mistakes([OptionError(place, problem)])
    errors = wrong_at(place, CHOSEN_POSTURE, fields)
    require_none([*errors, *_wrong_times(place, fields)], {}, {})
    known = {name: value for name, value in fields.items() if value not in (None, [])}
    known.update({name: str(known[name]) for name in ABOUT if name in known})  # also a number
    return known


def _wrong_times(place: Option, fields: Mapping[str, Any]) -> list[OptionError]:
    texts = {name: fields[name] for name in POSTURE_TIMES if isinstance(fields.get(name), str)}
    checks = [partial(expiry_of, place.at(name), text) for name, text in texts.items()]
    return errors_of(*checks)


def _placed_risks(place: Option, values: Values) -> Iterator[tuple[Option, Any]]:
    """The accepted risks in values, each with its place."""
    for index, risk in enumerate(acceptances_in(values.get(RISKS))):
        yield place.at(RISKS, index), risk


def no_such_posture(name: Any, prepared_names: Iterable[Any]) -> Message:
    """The message for a name that no prepared posture has."""
    names = [str(prepared_name) for prepared_name in prepared_names]
    problem = f"no posture is called {name}{did_you_mean(str(name), names)}; "
    if names:
        return Message(problem, f"the postures are {first_few(names)}")
    return Message(problem, Option(POSTURES), " names none")
