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
from ...module_utils._values.address_set import Ranges, is_network, ranges_of
from .._variables import declared_in, read_variables, require_none
from .key_patterns import matches_key, matches_text

UnmanagedObject = Mapping[str, Any]  # as a result lists it


ACCEPTED = "report_accepted"  # the variable that accepts some, or a status of the host
AcceptableStatus = Literal[
    "protection_off", "no_protected_prefix", "uncovered", "announced", "not_served", "gone"
]
PROTECTION_OFF, NO_PREFIX, UNCOVERED, ANNOUNCED, NOT_SERVED, GONE = get_args(AcceptableStatus)
OF_NETWORKS = (UNCOVERED, ANNOUNCED)
MAX_SENTENCES = 10  # name an object each


@dataclass(frozen=True)
class Accepted:
    """An acceptance in the report on a host: of objects of a resource whose keys match a
    pattern, or of a status for some networks and components. `expires` is None if it never
    expires."""

    reason: str
    expires: datetime | None = None
    resource: str = ""
    keys: Sequence[str] = ()
    status: AcceptableStatus | None = None
    networks: Ranges = field(default_factory=list)
    components: Sequence[str] = ()

    def is_valid(self, now: datetime) -> bool:
        """Return whether the acceptance has not expired at this moment."""
        return self.expires is None or now < self.expires

    def accepts(self, obj: UnmanagedObject, now: datetime) -> bool:
        """Return whether an object is accepted at this moment."""
        if obj["resource"] != self.resource or not self.is_valid(now):
            return False
        return matches_key(self.resource, str(obj["key"]), self.keys)


FIELDS: Arguments = declared_in("report")[ACCEPTED]["options"]
ENTRIES: Argument = {"type": "list", "elements": "raw"}  # of objects and statuses
SHARED = ("hosts", "reason", "expires")
OF_OBJECTS = ("resource", "keys", *SHARED)
OF_STATUS = ("status", "networks", "components", *SHARED)
REQUIRED_FIELDS = ("resource", "keys", "status", "reason")


def parse_accepted(entries: Any, host: str) -> list[Accepted]:
    """The acceptances of the variable that apply to this host; raises ValueError with all errors
    in the entries."""
    variables = read_variables({ACCEPTED: ENTRIES}, {ACCEPTED: entries})
    problems, accepted = OptionProblems(), []
    for position, value in enumerate(variables[ACCEPTED]):
        option = Option(ACCEPTED, position)
        with problems.collected():
            entry = read_value(option, _argument_for(value), value, problems)
            if entry is None:
                continue
            for steps, problem in _acceptance_problems(entry):
                problems.add(OptionError(option.at(*steps), problem))
            until = _expiry(option, entry["expires"])
            is_meant = not entry["hosts"] or matches_text(host, entry["hosts"])
            if is_meant and not problems.errors:
                accepted.append(_accepted(entry, until))
    require_none(problems.errors, {}, {ACCEPTED: entries})
    return accepted


def _expiry(option: Option, expires: Any) -> datetime | None:
    """The end of an acceptance; None if it never expires. Raises OptionError."""
    if not expires:
        return None
    return parsed(option.at("expires"), parse_expiry, expires)


def _argument_for(entry: Any) -> Argument:
    """The argument spec of an entry: for the acceptance of a status if it has one, else for that
    of objects."""
    has_status = isinstance(entry, Mapping) and "status" in entry
    names = OF_STATUS if has_status else OF_OBJECTS
    fields = {name: {**FIELDS[name], "required": name in REQUIRED_FIELDS} for name in names}
    if "resource" in fields:
        fields["resource"]["choices"] = list(BY_NAME)
    return {"type": "dict", "options": fields}


def _acceptance_problems(entry: Mapping[str, Any]) -> Iterator[tuple[Sequence[OptionStep], str]]:
    """The problems of an entry, each with the path to it, other than fields of a wrong form."""
    fields = {**entry}
    for name in ("keys", "hosts"):
        if fields.get(name) == []:
            yield [name], "it is empty"
    if not fields.get("reason", "wrong").strip():
        yield ["reason"], "it is empty; say why this is meant"
    status = fields.get("status")
    networks = fields.get("networks") or []
    if status and networks and status not in OF_NETWORKS:
        yield [], f"the status {status} takes no networks"
    if status and not networks and status in OF_NETWORKS:
        yield [], f"the status {status} needs networks"
    for position, network in enumerate(networks):
        if not is_network(network):
            yield ["networks", position], f"'{network}' is neither an address nor a network"


def _accepted(entry: Mapping[str, Any], until: datetime | None) -> Accepted:
    reason = entry["reason"].strip()
    if "status" not in entry:
        return Accepted(reason, until, entry["resource"], entry["keys"])
    return Accepted(
        reason,
        until,
        status=entry["status"],
        networks=ranges_of(entry["networks"] or []),
        components=entry["components"] or list(COMPONENTS),
    )


def accepted_reason(
    obj: UnmanagedObject, accepted: Iterable[Accepted], now: datetime
) -> str | None:
    """The reason why an object is accepted; None if it is not."""
    reasons = (acceptance.reason for acceptance in accepted if acceptance.accepts(obj, now))
    return next(reasons, None)


def weakening_sentences(objects: Iterable[UnmanagedObject], weakens: bool = True) -> list[str]:
    """A sentence for each object that weakens a host or may weaken it, the proven ones first. If
    `weakens` is false, a sentence for each object that does not weaken it, but affects all plain
    traffic."""
    concerned = [obj for obj in objects if (obj["weakens"] is not False) is weakens]
    concerned = [obj for obj in concerned if obj["reason"]]
    concerned.sort(key=lambda obj: obj["weakens"] is None)
    sentences = [_weakening_sentence(obj) for obj in concerned[:MAX_SENTENCES]]
    excess = len(concerned) - MAX_SENTENCES
    if excess > 0:
        number = plural(excess, "more object", "more objects")
        sentences.append(f"And {number} that no baseline names.")
    return sentences


def _weakening_sentence(obj: UnmanagedObject) -> str:
    title = title_of_resource(obj["resource"])
    return sentence(f"The {title} {obj['key']} {obj['reason']}, and no baseline names it")
