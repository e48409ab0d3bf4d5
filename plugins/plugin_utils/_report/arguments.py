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
from typing import Any

from ...module_utils._arguments import Arguments
from ...module_utils._errors import OptionError
from ...module_utils._guard.acceptance import Acceptance
from ...module_utils._schema.registry import MANAGED
from ...module_utils._specs.host import option_of
from ...module_utils._specs.info import check_hours
from ...module_utils._timestamps import parse_expiry, write_timestamp
from ...module_utils._values.address_set import networks
from .._baseline.posture import Posture
from .._baseline.unmanaged import ACCEPTED, ENTRIES, Accepted
from .._baseline.variables import OF_HOST, Part, read_acceptances
from .._variables import declared_in, errors_of
from .record import AcceptedRisk, Deadline

REPORT_VARIABLES: Arguments = declared_in("report")
OF_TASK = ("directory", "previous", "fail_on", "mode")  # that writes the report
REPORT_OPTIONS: Arguments = {
    name: REPORT_VARIABLES[name] for name in (f"report_{option}" for option in OF_TASK)
}
LOG_HOURS, REPORTED_HITS = "report_changes_hours", "report_hits_hours"
ANNOUNCED = "report_announced"
OF_REPORTED_HOST: Arguments = {**OF_HOST, **REPORT_VARIABLES, ACCEPTED: ENTRIES}


def file_mode(digits: Any) -> int:
    """The permissions of a file; raises ValueError for a number, whose digits YAML has read as
    octal already, or not."""
    if not isinstance(digits, str) or not re.fullmatch("[0-7]{3,4}", digits):
        raise ValueError(
            f"report_mode: {digits} is not text of octal digits such as '0600'; put them in quotes."
        )
    return int(digits, 8)


def check_report(values: Mapping[str, Any], _given: Container[str]) -> Iterator[OptionError]:
    """The errors in variables of the report whose type alone is right."""
    if values.get("report_mode") is not None:
        yield from errors_of(partial(file_mode, values["report_mode"]))
    for name in (LOG_HOURS, REPORTED_HITS):
        yield from errors_of(partial(check_hours, float(values.get(name) or 0), name))


SOON = timedelta(days=14)
ACCEPTED_OPTION = "accept_risks"


def accepted_risks(part: Part, now: datetime) -> list[AcceptedRisk]:
    """The risks that a host accepts at this moment."""
    return [
        AcceptedRisk(
            code=item.code,
            networks=networks(item.networks or []),
            resource=item.resource,
            entries=sorted(item.entries or ()),
            reason=item.reason,
            expires=write_timestamp(item.expires) if item.expires else None,
        )
        for item in _acceptances(part)
        if not item.has_expired(now)
    ]


def expiring(
    part: Part, accepted: Iterable[Accepted], now: datetime, postures: Iterable[Posture] = ()
) -> list[Deadline]:
    """All that ends within two weeks, the first end first: entries, accepted risks and objects,
    accepted statuses, the postures."""
    ends = [*_ends_of_entries(part)]
    ends += [(posture.until, "posture", posture.name or posture.place) for posture in postures]
    ends += [(item.expires, "accepted risk", item.code) for item in _acceptances(part)]
    for item in accepted:
        of_status = " ".join([item.status or "", *networks(item.networks)])
        key = of_status if item.status else ", ".join(item.keys)
        ends.append((item.expires, f"accepted {item.resource or 'status'}", key))
    soon = [(end, title, key) for end, title, key in ends if end and now < end <= now + SOON]
    return [
        Deadline(title=title, key=key, expires=write_timestamp(end))
        for end, title, key in sorted(soon)
    ]


def _acceptances(part: Part) -> Sequence[Acceptance]:
    """The acceptances of a host."""
    try:
        return read_acceptances(ACCEPTED_OPTION, part.options.get(ACCEPTED_OPTION))
    except OptionError:  # with which the modules fail, so that the host is unknown
        return []


def _ends_of_entries(part: Part) -> Iterator[tuple[datetime | None, str, str]]:
    """The ends of entries of lists."""
    for item in (item for item in MANAGED if item.resource.may_expire):
        for entry in part.options.get(option_of(item)) or ():
            if _may_end(item.resource.kind, entry):
                key = item.resource.entry_of({"name": entry.get("scope"), **entry})
                with suppress(ValueError):  # the module refuses such an entry
                    yield parse_expiry(str(entry["expires"])), item.resource.title, key


def _may_end(kind: str | None, entry: Any) -> bool:
    """True for an entry of this kind with an end."""
    if not isinstance(entry, Mapping) or not entry.get("expires"):
        return False
    return bool(entry.get("kind", kind) == kind)
