# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects that no baseline names, as results list them: which of them weaken a host, and which
are accepted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from ansible.module_utils.common.validation import check_type_dict, check_type_list

from ...module_utils._schema.registry import BY_NAME, title_of_resource
from ...module_utils._text import plural, sentence
from .._variables import NEEDED, TEXTS, Argument, expiry_of, require_valid

UnmanagedObject = Mapping[str, Any]  # as a result lists it


class Consent(NamedTuple):
    """The reason why something is meant to be so, and from when on it no longer is; None for
    never."""

    reason: str
    expires: datetime | None = None


def is_in_force(consent: Consent, now: datetime | None) -> bool:
    """Return whether a consent holds at a moment."""
    return consent.expires is None or now is None or now < consent.expires


def consents(**fields: Argument) -> Argument:
    """The argument of a variable whose entries have these fields, and say why, and until when."""
    options = {**fields, "reason": NEEDED, "expires": {"type": "str"}}
    return {"type": "list", "elements": "dict", "options": options}


def parse_entries(
    variable: str, argument: Argument, entries: Any
) -> Iterator[tuple[str, Mapping[str, Any], Consent]]:
    """The name of each entry of a variable for messages, the entry, and its consent; raises
    ValueError."""
    require_valid({variable: argument}, {variable: entries})
    for index, element in enumerate(check_type_list(entries)):
        name, entry = f"{variable}[{index}]", check_type_dict(element)
        yield name, entry, _parse_consent(name, entry)


def _parse_consent(name: str, entry: Mapping[str, Any]) -> Consent:
    reason = str(entry["reason"] or "").strip()
    if not reason:
        raise ValueError(f"{name}.reason is empty; say why this is meant.")
    expires = entry.get("expires")
    return Consent(reason, expiry_of(f"{name}.expires", expires) if expires else None)


ACCEPTED_UNMANAGED = "report_accepted_unmanaged"  # the variable that accepts some
MAX_SENTENCES = 10  # name an object each


@dataclass(frozen=True)
class Accepted:
    """Objects that may weaken a host: those of a resource whose keys match a pattern."""

    resource: str
    keys: Sequence[str]
    consent: Consent

    def accepts(self, item: UnmanagedObject, now: datetime | None) -> bool:
        """Return whether an object is accepted at this moment; a `ref` counts letter by letter."""
        resource = BY_NAME.get(self.resource)
        folded = str if resource and resource.is_ordered else str.casefold
        key, patterns = folded(str(item["key"])), [folded(text) for text in self.keys]
        return (
            item["resource"] == self.resource
            and is_in_force(self.consent, now)
            and any(key == pattern or fnmatchcase(key, pattern) for pattern in patterns)
        )


ACCEPTED_ARGUMENT = consents(resource=NEEDED, keys={**TEXTS, "required": True})


def parse_accepted(entries: Any) -> list[Accepted]:
    """The entries of the variable; raises ValueError with what is wrong in one."""
    accepted = []
    for name, entry, consent in parse_entries(ACCEPTED_UNMANAGED, ACCEPTED_ARGUMENT, entries):
        keys = check_type_list(entry["keys"])
        if entry["resource"] not in BY_NAME:
            raise ValueError(f"{name}.resource is not one of {', '.join(BY_NAME)}.")
        if not keys:
            raise ValueError(f"{name}.keys is empty.")
        accepted.append(Accepted(entry["resource"], [str(key) for key in keys], consent))
    return accepted


def accepted_reason(
    item: UnmanagedObject, accepted: Iterable[Accepted], now: datetime | None
) -> str | None:
    """The reason why an object is accepted; None if it is not."""
    return next((entry.consent.reason for entry in accepted if entry.accepts(item, now)), None)


def weakening(items: Iterable[UnmanagedObject], weakens: bool = True) -> list[str]:
    """The objects that weaken a host, or may, a sentence each; the proven ones first. Those of the
    others that do something to all plain traffic, if `weakens` is false."""
    concerned = [item for item in items if (item["weakens"] is not False) is weakens]
    concerned = [item for item in concerned if item["reason"]]
    concerned.sort(key=lambda item: item["weakens"] is None)
    sentences = [
        sentence(f"The {title} {item['key']} {item['reason']}, and no baseline names it")
        for item in concerned[:MAX_SENTENCES]
        for title in [title_of_resource(item["resource"])]
    ]
    more = len(concerned) - MAX_SENTENCES
    if more > 0:
        others = plural(more, "more object", "more objects")
        sentences.append(f"And {others} that no baseline names.")
    return sentences
