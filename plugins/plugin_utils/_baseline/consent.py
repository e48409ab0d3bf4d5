# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the entries of the report's variables have in common: each says why something is meant to be
so, and may expire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import parse_expiry


class Consent(NamedTuple):
    """Why something is meant to be so, and from when on it no longer is; None for never."""

    reason: str
    expires: datetime | None = None


def is_in_force(consent: Consent, now: datetime | None) -> bool:
    """Whether a consent holds at a moment."""
    return consent.expires is None or now is None or now < consent.expires


def parse_entries(
    variable: str, entries: Any, needed: Sequence[str], others: Sequence[str] = ()
) -> Iterator[tuple[str, Mapping[str, Any], Consent]]:
    """The name of each entry of a variable for messages, the entry, and its consent; raises
    ValueError."""
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        raise ValueError(f"{variable} is not a list.")
    for index, entry in enumerate(entries):
        name = f"{variable}[{index}]"
        fields = entry.keys() if isinstance(entry, Mapping) else frozenset()
        if not {*needed, "reason"} <= fields <= {*needed, *others, "reason", "expires"}:
            must, may = ", ".join(needed), ", ".join([*others, "expires"])
            raise ValueError(f"{name} needs {must} and reason, and takes {may} beside them.")
        yield name, entry, _parse(name, entry)


def _parse(name: str, entry: Mapping[str, Any]) -> Consent:
    reason = str(entry["reason"] or "").strip()
    if not reason:
        raise ValueError(f"{name}.reason is empty; say why this is meant.")
    try:
        expires = parse_expiry(str(entry["expires"])) if entry.get("expires") else None
    except ValueError as exc:
        raise ValueError(f"{name}.expires: {exc}.") from exc
    return Consent(reason, expires)
