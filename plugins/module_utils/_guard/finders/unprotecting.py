# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk that addresses lose their protection."""

from __future__ import annotations

from ..._plan.plan import Operation
from ..._protection.coverage import has_flag
from ..._protection.modes import counted_networks, ranges_of_losses
from ..._schema.account import PREFIXES, SHARING
from ..._values.address_set import Ranges, overlaps
from ..finding import FinderAnswer, entries_of
from ..risks.account import UNPROTECTS_ADDRESSES
from ..risks.declaration import Limits
from .base import Change, finds


@finds(UNPROTECTS_ADDRESSES)
def unprotects_addresses(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that addresses lose their protection."""
    lost = ranges_of_losses(change.losses(PREFIXES))
    if not lost:
        return None
    operations = [operation for operation in change.plan.operations if takes_out(operation, lost)]
    message = (
        f"{counted_networks(lost)} would no longer be protected. {SHARING.format(PREFIXES.titles)}."
    )
    return message, lost, entries_of(operations)


def takes_out(operation: Operation, lost: Ranges) -> bool:
    """Return whether an operation takes some of these addresses out of protection."""
    if operation.resource is not PREFIXES or not overlaps(operation.address, lost):
        return False
    if has_flag(operation.existing or {}, "excluded"):
        return False
    return operation.planned is None or has_flag(operation.planned, "excluded")
