# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The protection of an account that one state has and another lacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .._values.address_set import Ranges, difference, intersection
from .coverage import Coverage
from .modes import TrafficPart, no_longer_mitigated


@dataclass(frozen=True)
class AccountLosses:
    """The protection of an account that it has in one state and lacks in another."""

    was: Coverage
    becomes: Coverage

    @property
    def is_switched_off(self) -> bool:
        """True if TCP protection is on only in the first state."""
        return bool(self.was.enabled) and self.becomes.enabled is False

    @cached_property
    def unprotected(self) -> Ranges:
        """The addresses that are protected only in the first state."""
        return difference(self.was.protected, self.becomes.protected)

    @cached_property
    def passing(self) -> Ranges:
        """The sources that the allowlist lets pass only in the second state."""
        return difference(self.becomes.bypassing, self.was.bypassing)

    def unmitigated(self, kind: str) -> list[TrafficPart]:
        """The traffic to addresses protected in both states that a component mitigates only in the
        first one."""
        was, becomes = (one.by_kind.get(kind) for one in (self.was, self.becomes))
        space = intersection(self.was.protected, self.becomes.protected)
        return no_longer_mitigated(was, becomes, space) if was and becomes else []
