# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The announced networks of an account that no prefix names, neither a protected nor an excluded
one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    Ranges,
    difference,
    networks,
    range_of,
    union,
)

from .record import Announced

SUBSETS = ["prefixes", "announced"]  # of protection_info


def announced_record(result: Mapping[str, Any]) -> Announced:
    """The announced networks, out of the result of protection_info.

    Networks that other accounts use are theirs to protect. A network that is malformed, or of which
    Cloudflare does not say whether it is announced, is not known.
    """
    prefixes: Sequence[Mapping[str, Any]] = result["announced"]
    parts = [part for prefix in prefixes for part in prefix["networks"]]
    delegated = _ranges(text for prefix in prefixes for text in prefix["delegated"])
    named = _ranges(entry.get("prefix") for entry in result["prefixes"])
    announced = _with(parts, True)
    missing = difference(difference(announced, delegated), named)
    unclear = difference(difference(_with(parts, None), delegated), named)
    malformed = [str(part["prefix"]) for part in parts if range_of(part["prefix"]) is None]
    return Announced(
        networks=networks(announced),
        unprotected=networks(missing),
        not_known=[*networks(difference(unclear, announced)), *malformed],
    )


def _with(parts: Iterable[Mapping[str, Any]], announced: bool | None) -> Ranges:
    return _ranges(part["prefix"] for part in parts if part["announced"] is announced)


def _ranges(texts: Iterable[Any]) -> Ranges:
    return union(filter(None, map(range_of, texts)))
