# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects that no baseline names, as results list them: which of them weaken a host. And what
the report accepts: some of them, and a status of a host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

from ...module_utils._arguments import Argument, Arguments, read_value
from ...module_utils._errors import OptionError, OptionProblems, parsed
from ...module_utils._schema.account import COMPONENTS
from ...module_utils._schema.registry import BY_NAME, title_of_resource
from ...module_utils._text import Option, OptionStep, plural, sentence
from ...module_utils._timestamps import parse_expiry
from ...module_utils._values.address_set import Ranges, range_of, ranges_of
from .._variables import declared_in, read_variables, require_none
from .key_patterns import matches_key, matches_text

UnmanagedObject = Mapping[str, Any]  # as a result lists it


ACCEPTED = "report_accepted"  # the variable that accepts some, or a status of the host
AcceptableStatus = Literal["protection_off", "no_protected_prefix", "uncovered", "announced"]
PROTECTION_OFF, NO_PREFIX, UNCOVERED, ANNOUNCED = get_args(AcceptableStatus)
OF_NETWORKS = (UNCOVERED, ANNOUNCED)
MAX_SENTENCES = 10  # name an object each


@dataclass(frozen=True)
class Accepted:
    """An acceptance of the report on a host, of objects of a resource whose keys match a pattern or
    of a status for some networks and components. `expires` is None for never."""

    reason: str
    expires: datetime | None = None
    resource: str = ""
    keys: Sequence[str] = ()
    status: AcceptableStatus | None = None
    networks: Ranges = field(default_factory=list)
    components: Sequence[str] = ()

    def holds(self, now: datetime) -> bool:
        """Return whether it has not expired at this moment."""
        return self.expires is None or now < self.expires

    def accepts(self, item: UnmanagedObject, now: datetime) -> bool:
        """Return whether an object is accepted at this moment."""
        if item["resource"] != self.resource or not self.holds(now):
            return False
        return matches_key(self.resource, str(item["key"]), self.keys)


FIELDS: Arguments = declared_in("report")[ACCEPTED]["options"]
ENTRIES: Argument = {"type": "list", "elements": "raw"}  # of objects and statuses
SHARED = ("hosts", "reason", "expires")
OF_OBJECTS = ("resource", "keys", *SHARED)
OF_STATUS = ("status", "networks", "components", *SHARED)
NEEDED = ("resource", "keys", "status", "reason")


def parse_accepted(entries: Any, host: str) -> list[Accepted]:
    """The acceptances of the variable that hold for this host; raises ValueError with all that is
    wrong in the entries."""
    every = read_variables({ACCEPTED: ENTRIES}, {ACCEPTED: entries})[ACCEPTED]
    problems, accepted = OptionProblems(), []
    for position, item in enumerate(every):
        option = Option(ACCEPTED, position)
        with problems.collected():
            entry = read_value(option, _argument_for(item), item, problems)
            if entry is None:
                continue
            for steps, problem in _acceptance_problems(entry):
                problems.add(OptionError(option.at(*steps), problem))
            expires = entry["expires"]
            until = parsed(option.at("expires"), parse_expiry, expires) if expires else None
            is_meant = not entry["hosts"] or matches_text(host, entry["hosts"])
            if is_meant and not problems.errors:
                accepted.append(_accepted(entry, until))
    require_none(problems.errors, {}, {ACCEPTED: entries})
    return accepted


def _argument_for(item: Any) -> Argument:
    """The argument of an entry: the fields of a status if it has one, else those of objects."""
    names = OF_STATUS if isinstance(item, Mapping) and "status" in item else OF_OBJECTS
    fields = {name: {**FIELDS[name], "required": name in NEEDED} for name in names}
    if "resource" in fields:
        fields["resource"]["choices"] = list(BY_NAME)
    return {"type": "dict", "options": fields}


def _acceptance_problems(entry: Mapping[str, Any]) -> Iterator[tuple[Sequence[OptionStep], str]]:
    """The problems of an entry, each with the way to it, beside those of wrong fields."""
    known = {**entry}
    for name in ("keys", "hosts"):
        if known.get(name) == []:
            yield [name], "it is empty"
    if not known.get("reason", "wrong").strip():
        yield ["reason"], "it is empty; say why this is meant"
    status, texts = known.get("status"), known.get("networks") or []
    if status and (status in OF_NETWORKS) is not bool(texts):
        yield [], f"the status {status} {'takes no' if texts else 'needs'} networks"
    for position, text in enumerate(texts):
        if range_of(text) is None:
            yield ["networks", position], f"'{text}' is neither an address nor a network"


def _accepted(entry: Mapping[str, Any], until: datetime | None) -> Accepted:
    reason = entry["reason"].strip()
    if "status" not in entry:
        return Accepted(reason, until, entry["resource"], entry["keys"])
    components = entry["components"] or list(COMPONENTS)
    ranges = ranges_of(entry["networks"] or [])
    status = entry["status"]
    return Accepted(reason, until, status=status, networks=ranges, components=components)


def accepted_reason(
    item: UnmanagedObject, accepted: Iterable[Accepted], now: datetime
) -> str | None:
    """The reason why an object is accepted; None if it is not."""
    return next((entry.reason for entry in accepted if entry.accepts(item, now)), None)


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
