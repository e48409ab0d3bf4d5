# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Protection that one state has and another one lacks, as one record."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple, Sequence

from .._schema.resource import Key, Object, Resource
from .._values.address_set import Range, Ranges, union

# Of an account: what becomes of its addresses and rules.
SWITCHED_OFF, UNPROTECTED, PASSING = "switched off", "unprotected", "passing"
UNMITIGATED = "unmitigated"
LESS = LESS_SENSITIVE, LESS_SENSITIVE_MONITOR = "less sensitive", "less sensitive while it monitors"


class Loss(NamedTuple):
    """Protection that one state has and another one lacks, by the object with this key and label.

    `reason` is a sentence without its subject; `certain` is false if the loss is not proven. `how`
    says what becomes of a rule that stops traffic, or of an override. `ranges` are the addresses
    concerned, and `others` the objects that decided before, as far as they are told.
    """

    resource: Resource
    key: Key
    label: str
    reason: str
    certain: bool = True
    how: str = ""
    ranges: Sequence[Range] = ()
    others: Sequence[tuple[Key, str]] = ()

    def record(self) -> dict[str, Any]:
        """The loss as results show it."""
        named = {"resource": self.resource.name, "key": self.label}
        return {**named, "certain": self.certain, "reason": self.reason}


def ranges_of_losses(losses: Iterable[Loss], how: str = "") -> Ranges:
    """The addresses of losses, of one kind if it is told."""
    return union(item for loss in losses if how in ("", loss.how) for item in loss.ranges)


def loss_by(resource: Resource, obj: Object, reason: str, certain: bool = True) -> Loss:
    """The loss by an object of a state."""
    return Loss(resource, resource.key_of(obj), resource.label_of(obj), reason, certain)
