# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The prefixes of an account with the mode that they have now, and the one after a run."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._coverage.modes import in_order
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    difference,
    networks,
    range_of,
    union,
)

from .coverage import AccountCoverage
from .record import ModesNow, PrefixRecord


def prefix_records(before: AccountCoverage, after: AccountCoverage) -> list[PrefixRecord]:
    """The prefixes that there are after a run, and then what is protected now only."""
    planned = union(filter(None, map(range_of, after.prefixes)))
    others = networks(difference(before.protected, planned))
    kinds = dict.fromkeys([*before.pieces, *after.pieces])
    return [
        PrefixRecord(
            prefix=prefix,
            components={
                kind: ModesNow(
                    now=in_order(before.modes_of(kind, prefix)),
                    planned=in_order(after.modes_of(kind, prefix)),
                )
                for kind in kinds
            },
        )
        for prefix in (*after.prefixes, *others)
    ]
