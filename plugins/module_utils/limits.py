# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task accepts: the risks that it names, and how much of something is too much."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Mapping

from .errors import OptionError

CODES = (
    "unprotects_addresses",
    "disables_protection",
    "skips_monitoring",
    "broad_allowlist",
    "allowlists_own_prefix",
    "mass_deletion",
    "empties_list",
)
LIST_CODES = ("mass_deletion", "empties_list")  # those that concern any list, of a zone as well


@dataclass(frozen=True)
class Limits:
    """The accepted codes; `max_deletions` is a percentage of a list, `min_monitoring` in hours, widths are lengths."""

    accept_risks: tuple[str, ...] = ()
    max_deletions: int = 30
    min_monitoring: float = 4.0
    widest_allowlist_ipv4: int = 24
    widest_allowlist_ipv6: int = 48
    max_allowlist_entries: int = 200

    @property
    def monitoring(self) -> timedelta:
        """How long a rule or filter monitors before it is enabled."""
        return timedelta(hours=self.min_monitoring)


HIGHEST = {
    "max_deletions": 100,
    "min_monitoring": 24 * 365,
    "widest_allowlist_ipv4": 32,
    "widest_allowlist_ipv6": 128,
    "max_allowlist_entries": 10**6,
}


def limit_options(codes: tuple[str, ...] = CODES) -> dict[str, dict[str, Any]]:
    """The argument spec of a module whose plans can carry these risks."""
    names = HIGHEST if codes == CODES else ["max_deletions"]
    spec: dict[str, dict[str, Any]] = {
        "accept_risks": {"type": "list", "elements": "str", "choices": list(codes), "default": []}
    }
    for name in names:
        default = getattr(Limits, name)
        spec[name] = {"type": type(default).__name__, "default": default}
    return spec


def read_limits(options: Mapping[str, Any]) -> Limits:
    """The limits that a module's options set; raises OptionError for one out of range."""
    given = {name: options[name] for name in HIGHEST if options.get(name) is not None}
    for name, value in given.items():
        if not 0 <= value <= HIGHEST[name]:
            raise OptionError(name, f"{value} is not between 0 and {HIGHEST[name]}")
    return Limits(accept_risks=tuple(options.get("accept_risks") or ()), **given)
