# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the role report: the options of its last task, and variables of each host. And
what the variables of a host accept, and let end within two weeks."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from ansible.module_utils.parsing.convert_bool import boolean

from ...module_utils._arguments import Arguments
from ...module_utils._errors import OptionError
from ...module_utils._guard.acceptance import Acceptance
from ...module_utils._schema.registry import MANAGED
from ...module_utils._specs.host import option_of
from ...module_utils._specs.info import check_hours
from ...module_utils._text import Option
from ...module_utils._timestamps import parse_expiry, write_timestamp
from ...module_utils._values.address_set import networks
from .._baseline.posture import Posture
from .._baseline.unmanaged import ACCEPTED, ENTRIES, Accepted
from .._baseline.variables import OF_HOST, Part, read_acceptances
from .._variables import Mistakes, declared_in, errors_of
from .record import AcceptedRisk, Deadline

REPORT_VARIABLES: Arguments = declared_in("report")
OF_TASK = (
    "directory",
    "previous",
    "plan",
    "plan_base",
    "fail_on",
    "mode",
    "moved",
)  # that writes the report
REPORT_OPTIONS: Arguments = {
    name: REPORT_VARIABLES[name] for name in (f"report_{option}" for option in OF_TASK)
}
LOG_HOURS, REPORTED_HITS = "report_changes_hours", "report_hits_hours"
ANNOUNCED = "report_announced"
REQUIRED = "required"  # networks that are protected are announced as well
OF_REPORTED_HOST: Arguments = {**OF_HOST, **REPORT_VARIABLES, ACCEPTED: ENTRIES}


def file_mode(digits: Any) -> int:
    """The permissions of a file, from digits; YAML may have read them as an octal number
    already. Raises ValueError."""
    if not isinstance(digits, str) or not re.fullmatch("[0-7]{3,4}", digits):
        problem = f"{digits} is not text of octal digits such as '0600'; put them in quotes"
        raise Mistakes([OptionError(Option("report_mode"), problem)])
    return int(digits, 8)


def announced(value: Any) -> bool | str:
    """The reading of announced networks: true, false, or `required` if protected networks have
    to be announced; raises ValueError."""
    if str(value).strip().lower() == REQUIRED:
        return REQUIRED
    try:
        return bool(boolean(value or False))
    except TypeError as exc:
        problem = f"{value} is none of true, false, required"
        raise Mistakes([OptionError(Option(ANNOUNCED), problem)]) from exc


def check_report(values: Mapping[str, Any], _given: Container[str]) -> Iterator[OptionError]:
    """The errors in variables of the report that have the right type and a wrong value."""
    if values.get("report_mode") is not None:
        yield from errors_of(partial(file_mode, values["report_mode"]))
    yield from errors_of(partial(announced, values.get(ANNOUNCED)))
    for name in (LOG_HOURS, REPORTED_HITS):
        yield from errors_of(partial(check_hours, float(values.get(name) or 0), name))


SOON = timedelta(days=14)
ACCEPTED_OPTION = "accept_risks"


def accepted_risks(part: Part, now: datetime) -> list[AcceptedRisk]:
    """The risks that a host accepts at this moment."""
    in_force = [accepted for accepted in _accepted_risks(part) if not accepted.has_expired(now)]
    return [_accepted_risk(accepted) for accepted in in_force]


def _accepted_risk(accepted: Acceptance) -> AcceptedRisk:
    expires = accepted.expires
    return AcceptedRisk(
        code=accepted.code,
        networks=networks(accepted.networks or []),
        resource=accepted.resource,
        entries=sorted(accepted.entries or ()),
        reason=accepted.reason,
        expires=write_timestamp(expires) if expires else None,
    )


class EndOfEntry(NamedTuple):
    """The end of something, with its kind in words and its key; `moment` is None if it never
    ends."""

    moment: datetime | None
    title: str
    key: str


def expiring(
    part: Part, accepted: Iterable[Accepted], now: datetime, postures: Iterable[Posture] = ()
) -> list[Deadline]:
    """Everything that ends within two weeks, in order: entries, accepted risks, accepted objects
    and statuses, and postures."""
    ends = [*_ends_of_entries(part)]
    for posture in postures:
        ends.append(EndOfEntry(posture.until, "posture", posture.name or str(posture.place)))
    for risk in _accepted_risks(part):
        ends.append(EndOfEntry(risk.expires, "accepted risk", risk.code))
    ends += map(_end_of_acceptance, accepted)
    soon = [end for end in ends if end.moment and now < end.moment <= now + SOON]
    return [
        Deadline(title=end.title, key=end.key, expires=write_timestamp(end.moment))
        for end in sorted(soon)
        if end.moment
    ]


def _end_of_acceptance(acceptance: Accepted) -> EndOfEntry:
    """The end of an acceptance of objects, or of a status of some networks."""
    key = ", ".join(acceptance.keys)
    if acceptance.status:
        key = " ".join([acceptance.status, *networks(acceptance.networks)])
    return EndOfEntry(acceptance.expires, f"accepted {acceptance.resource or 'status'}", key)


def _accepted_risks(part: Part) -> Sequence[Acceptance]:
    """The accepted risks of a host."""
    try:
        return read_acceptances(Option(ACCEPTED_OPTION), part.options.get(ACCEPTED_OPTION))
    except OptionError:  # with which the modules fail, so that the host is unknown
        return []


def _ends_of_entries(part: Part) -> Iterator[EndOfEntry]:
    """The ends of entries of lists."""
    for managed in MANAGED:
        resource = managed.resource
        entries = part.options.get(option_of(managed)) if resource.may_expire else None
        for entry in entries or ():
            if _may_end(resource.kind, entry):
                key = resource.entry_of({"name": entry.get("scope"), **entry})
                with suppress(ValueError):  # the module refuses such an entry
                    yield EndOfEntry(parse_expiry(str(entry["expires"])), resource.title, key)


def described_keys(part: Part) -> dict[str, list[str]]:
    """The keys of the objects that the options of a host name, by the name of their resource."""
    keys: dict[str, list[str]] = {}
    for managed in MANAGED:
        resource = managed.resource
        entries = part.options.get(option_of(managed)) if resource.key else None
        for entry in entries or () if isinstance(entries, list) else ():
            if _is_of(resource.kind, entry) and entry.get("state") != "absent":
                named = {"name": entry["scope"], **entry} if "scope" in entry else entry
                label = resource.label_of(named)
                keys.setdefault(resource.name, []).append(label)
    return keys


def _is_of(kind: str | None, entry: Any) -> bool:
    return isinstance(entry, Mapping) and bool(entry.get("kind", kind) == kind)


def _may_end(kind: str | None, entry: Any) -> bool:
    """True for an entry of this kind that has an end."""
    return _is_of(kind, entry) and bool(entry.get("expires"))
