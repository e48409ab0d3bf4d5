# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects that no baseline names, as results list them: which of them weaken a host, and which
are accepted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._text import plural, sentence

from .consent import Consent, is_in_force, parse_entries
from .stale_plan import TITLES

ACCEPTED_UNMANAGED = "report_accepted_unmanaged"  # the variable that accepts some
MAX_SENTENCES = 10  # name an object each
ACCESS_RULE = "access_rule"  # a resource that no module writes
KINDS = {**TITLES, ACCESS_RULE: "IP Access rule"}

Unmanaged = Mapping[str, Any]  # a record of a result


@dataclass(frozen=True)
class Accepted:
    """Objects that may weaken a host: those of a resource whose keys match a pattern."""

    resource: str
    keys: Sequence[str]
    consent: Consent

    def accepts(self, item: Unmanaged, now: datetime) -> bool:
        """Whether an object is accepted at this moment."""
        key, patterns = str(item["key"]).casefold(), [text.casefold() for text in self.keys]
        return (
            item["resource"] == self.resource
            and is_in_force(self.consent, now)
            and any(key == pattern or fnmatchcase(key, pattern) for pattern in patterns)
        )


def parse_accepted(entries: Any) -> list[Accepted]:
    """The entries of the variable; raises ValueError with what is wrong in one."""
    parsed = parse_entries(ACCEPTED_UNMANAGED, entries, ("resource", "keys"))
    return [_parse(*item) for item in parsed]


def _parse(name: str, entry: Mapping[str, Any], consent: Consent) -> Accepted:
    keys = entry["keys"]
    if entry["resource"] not in KINDS:
        raise ValueError(f"{name}.resource is not one of {', '.join(KINDS)}.")
    if not isinstance(keys, Sequence) or isinstance(keys, str) or not keys:
        raise ValueError(f"{name}.keys is not a list of keys or patterns.")
    return Accepted(str(entry["resource"]), [str(key) for key in keys], consent)


def accepted_reason(item: Unmanaged, accepted: Iterable[Accepted], now: datetime) -> str | None:
    """Why an object is accepted; None if it is not."""
    return next((entry.consent.reason for entry in accepted if entry.accepts(item, now)), None)


def weakening(items: Iterable[Unmanaged]) -> list[str]:
    """The objects that weaken a host, or may, a sentence each; the proven ones first."""
    concerned = [item for item in items if item["weakens"] is not False]
    concerned.sort(key=lambda item: item["weakens"] is None)
    sentences = [
        sentence(f"The {title_of(item)} {item['key']} {item['reason']}, and no baseline names it")
        for item in concerned[:MAX_SENTENCES]
    ]
    more = len(concerned) - MAX_SENTENCES
    if more > 0:
        others = plural(more, "more object", "more objects")
        sentences.append(f"And {others} that no baseline names.")
    return sentences


def title_of(item: Unmanaged) -> str:
    """The kind of an object in words."""
    return KINDS.get(item["resource"], str(item["resource"]))
