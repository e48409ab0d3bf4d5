# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks that the variables of a host accept, and what in them ends within two weeks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.acceptance import (
    Acceptance,
    parse_acceptances,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import CODES
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import (
    parse_expiry,
    write_timestamp,
)
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import networks

from .._baseline.unmanaged import Accepted
from .._baseline.variables import Part
from .acknowledged import Acknowledgement
from .record import AcceptedRisk, Deadline

SOON = timedelta(days=14)
RISKS = "accept_risks"
TITLES = {"prefixes": "protected prefix", "allowlist": "allowlist entry"}


def accepted_risks(parts: Sequence[Part], now: datetime) -> list[AcceptedRisk]:
    """The risks that a host accepts at this moment."""
    in_force = (item for item in _acceptances(parts) if not item.has_expired(now))
    return [
        AcceptedRisk(
            code=item.code,
            networks=networks(item.networks or []),
            entries=sorted(item.entries or ()),
            reason=item.reason,
            expires=write_timestamp(item.expires) if item.expires else None,
        )
        for item in in_force
    ]


def expiring(
    parts: Sequence[Part],
    accepted: Iterable[Accepted],
    now: datetime,
    acknowledged: Iterable[Acknowledgement] = (),
) -> list[Deadline]:
    """What ends within two weeks, the first end first: entries, accepted risks and objects,
    acknowledged states."""
    ends = [
        *_entries(parts),
        *(("accepted risk", item.code, item.expires) for item in _acceptances(parts)),
        *(
            (f"accepted {item.resource}", ", ".join(item.keys), item.consent.expires)
            for item in accepted
        ),
        *(
            (
                "acknowledged state",
                " ".join([item.state, *networks(item.networks)]),
                item.consent.expires,
            )
            for item in acknowledged
        ),
    ]
    soon = [(end, title, key) for title, key, end in ends if end and now < end <= now + SOON]
    return [
        Deadline(title=title, key=key, expires=write_timestamp(end))
        for end, title, key in sorted(soon)
    ]


def _acceptances(parts: Sequence[Part]) -> list[Acceptance]:
    """The acceptances of a host, which all of its parts share."""
    elements: Sequence[Any] = next(
        (part.options[RISKS] for part in parts if part.options.get(RISKS)), []
    )
    try:
        return list(parse_acceptances(RISKS, elements, CODES))
    except OptionError:  # with which the modules fail, so that the host is unknown
        return []


def _entries(parts: Sequence[Part]) -> Iterator[tuple[str, str, datetime | None]]:
    """The entries of lists that have an end, with it."""
    for part in parts:
        for name in TITLES:
            for entry in part.options.get(name) or ():
                if isinstance(entry, Mapping) and entry.get("expires"):
                    yield TITLES[name], str(entry.get("prefix")), _moment(entry["expires"])


def _moment(expires: Any) -> datetime | None:
    """When an entry ends; None for what the module refuses."""
    try:
        return parse_expiry(str(expires))
    except ValueError:
        return None
