# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Acceptances of risks: how a task writes them, which risks they accept, and how a refusal prints
them.

An acceptance that is bound to what a reviewer saw does not let anything else through months
later."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .._arguments import NEEDED, TEXTS, Arguments, read_value
from .._errors import OptionError, OptionProblems, parsed
from .._schema.resource import Resource
from .._text import Message, Option, did_you_mean, joined
from .._timestamps import parse_expiry, write_timestamp
from .._values.address_set import Ranges, difference, is_network, ranges_of, union
from .finding import Entry, Finding

ACCEPTANCE_FIELDS: Arguments = {
    "code": NEEDED,
    "networks": TEXTS,
    "resource": {"type": "str"},
    "entries": TEXTS,
    "expires": {"type": "str"},
    "reason": {"type": "str"},
}
# Needs no quotes in YAML.
PLAIN = re.compile(r"[A-Za-z][\w.-]*( [A-Za-z][\w.-]*)*|[0-9a-f][0-9a-f.:]*/\d+", re.ASCII)
HAS_RISKS = "The plan has risks that the task does not accept."
TEMPLATE_MARKS = ("{{", "{%", "{#", "#jinja2:")  # Ansible would fill them in
YAML_WORDS = ("true", "false", "yes", "no", "on", "off", "y", "n", "null")
NO_RESOURCE = (
    "say of which resource these entries are, since another one may have the same keys; the failure"
    " of the task prints it"
)


class Acceptance(NamedTuple):
    """An element of accept_risks. `networks`, `resource`, `entries` and `expires` limit what it
    accepts; each is None if the acceptance is not limited by it.
    """

    option: Option
    code: str
    networks: Ranges | None = None
    entries: frozenset[str] | None = None
    expires: datetime | None = None
    reason: str | None = None
    resource: str | None = None

    @property
    def is_unbound(self) -> bool:
        """Return whether the acceptance accepts all risks with its code, without an end."""
        bounds = (self.networks, self.resource, self.entries, self.expires)
        return all(bound is None for bound in bounds)

    def has_expired(self, now: datetime | None) -> bool:
        """Return whether the acceptance no longer counts at `now`, Cloudflare's time. If that is
        None (not known), an acceptance with an end does not count either.
        """
        return self.expires is not None and (now is None or now >= self.expires)

    def expiry_warning(self, now: datetime | None) -> str:
        """A warning that this acceptance no longer counts."""
        end = write_timestamp(self.expires) if self.expires else ""
        if now is None:
            reason = "not known, since Cloudflare does not tell its time."
            return Message(self.option, f": whether it expired ({end}) is {reason}")
        advice = f"expired at {end}; remove it, or give it a later expires."
        return Message(self.option, f": the acceptance of {self.code} {advice}")


def parse_acceptances(
    option: Option, elements: Iterable[Any], codes: Sequence[str]
) -> tuple[Acceptance, ...]:
    """The acceptances in `elements` of accept_risks: each is one of these `codes`, or a dictionary
    with one; raises OptionError for malformed elements.
    """
    problems = OptionProblems()
    acceptances = []
    for position, element in enumerate(elements):
        if element is None:  # which the reader of options has told
            continue
        with problems.collected():
            acceptances.append(_acceptance(option.at(position), element, codes))
    problems.raise_any()
    return tuple(acceptances)


def _acceptance(option: Option, element: Any, codes: Sequence[str]) -> Acceptance:
    code_argument = {**NEEDED, "choices": codes}
    if isinstance(element, str):
        return Acceptance(option, read_value(option, code_argument, element))
    problems = OptionProblems()
    argument = {"type": "dict", "options": {**ACCEPTANCE_FIELDS, "code": code_argument}}
    values = read_value(option, argument, element, problems) or {}
    if values.get("entries") is not None and values.get("resource") is None:
        problems.add(OptionError(option.at("resource"), NO_RESOURCE))
    bounds: dict[str, Any] = {}
    for name, read in READERS.items():
        with problems.collected():
            value = values.get(name)
            bounds[name] = None if value is None else read(option.at(name), value)
    problems.raise_any()
    return Acceptance(option, values["code"], reason=values["reason"], **bounds)


def _read_networks(option: Option, texts: Sequence[str]) -> Ranges:
    problems = OptionProblems()
    for position, text in enumerate(texts):
        if not is_network(text):
            problem = f"'{text}' is neither an address nor a network"
            problems.add(OptionError(option.at(position), problem))
    problems.raise_any()
    return ranges_of(texts)


def _read_resource(option: Option, name: str) -> str:
    from .._schema.registry import BY_NAME  # loads all kinds of rules

    if name not in BY_NAME:
        problem = f"there is no resource {name}{did_you_mean(name, BY_NAME)}"
        raise OptionError(option, problem)
    return name


# How to read the bounds of an acceptance.
READERS: Mapping[str, Callable[[Option, Any], Any]] = {
    "networks": _read_networks,
    "resource": _read_resource,
    "entries": lambda _option, texts: frozenset(texts),
    "expires": lambda option, text: parsed(option, parse_expiry, text),
}


def accepting(
    finding: Finding, acceptances: Sequence[Acceptance], now: datetime | None
) -> Sequence[Acceptance]:
    """The acceptances that together accept all of a finding; empty if it is not accepted.

    Acceptances add up only if they are limited alike: by networks, entries, both or neither.
    """
    groups: dict[tuple[bool, bool], list[Acceptance]] = {}
    for acceptance in acceptances:
        if acceptance.code == finding.code and not acceptance.has_expired(now):
            bounds = (acceptance.networks is None, acceptance.entries is None)
            groups.setdefault(bounds, []).append(acceptance)
    return next((group for group in groups.values() if _cover(group, finding)), [])


def _cover(group: Sequence[Acceptance], finding: Finding) -> bool:
    """Return whether acceptances that are limited in the same way together cover all that a finding
    concerns: its networks and its objects, resource by resource.
    """
    by_resource = entries_by_resource(finding.entries)
    if not by_resource:
        free = [acceptance for acceptance in group if acceptance.resource is None]
        return _cover_networks(free, finding) and free[0].entries is None
    for resource, entries in by_resource:
        concerned = [
            acceptance for acceptance in group if acceptance.resource in (None, resource.name)
        ]
        if not _cover_networks(concerned, finding):
            return False
        if not _cover_entries(concerned, resource, entries):
            return False
    return True


def entries_by_resource(entries: Iterable[Entry]) -> list[tuple[Resource, list[Entry]]]:
    """The objects that a finding concerns, grouped by resource; resources that have the same name
    in results are one group.
    """
    by_name: dict[str, tuple[Resource, list[Entry]]] = {}
    for entry in entries:
        resource = entry.resource
        _resource, of_resource = by_name.setdefault(resource.name, (resource, []))
        of_resource.append(entry)
    return list(by_name.values())


def _cover_networks(group: Sequence[Acceptance], finding: Finding) -> bool:
    """Return whether there are acceptances in the group, and their networks contain all networks of
    a finding; acceptances that are not limited to networks cover all.
    """
    if not group or group[0].networks is None:
        return bool(group)
    accepted: Ranges = []
    for acceptance in group:
        accepted = union([*accepted, *(acceptance.networks or ())])
    concerned = list(finding.ranges)
    return bool(concerned) and not difference(concerned, accepted)


def _cover_entries(
    group: Sequence[Acceptance], resource: Resource, entries: Iterable[Entry]
) -> bool:
    """Return whether acceptances cover all of these objects; an acceptance without entries
    covers everything. Keys are compared as Cloudflare compares them."""
    texts: set[str] = set()
    for acceptance in group:
        if acceptance.entries is None:
            return True
        texts |= acceptance.entries
    keys = {resource.key_of_entry(text) for text in texts}
    unnamed = [entry for entry in entries if entry.text not in texts]
    return all(entry.key in keys for entry in unnamed)


def risks_refusal(risks: Iterable[Mapping[str, Any]], option: Option | str) -> Message:
    """A message on risks that the task does not accept, with an example of `option` that would
    accept all of them.
    """
    sentences: list[str] = [HAS_RISKS]
    acceptances: list[str] = []
    for record in risks:
        sentences.append(Message(f"{record['code']}: ", record["message"]))
        acceptances += acceptances_to_copy(record)
    to_copy = ", ".join(dict.fromkeys(acceptances))
    advice = Message("If this is meant, add ", option, f": [{to_copy}].")
    return joined(" ", [*sentences, advice])


def acceptances_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The dictionaries that together accept this risk and nothing else: one for each resource whose
    objects the risk concerns."""
    keys: dict[str, dict[str, None]] = {}
    for obj in record["objects"]:
        keys.setdefault(obj["resource"], {})[obj["key"]] = None
    networks = list(record["networks"])
    bounds = {"code": record["code"], **({"networks": networks} if networks else {})}
    if not keys:
        return [bounds]
    acceptances = []
    for resource, texts in keys.items():
        entries = {} if texts.keys() == set(networks) else {"entries": [*texts]}
        acceptances.append({**bounds, "resource": resource, **entries})
    return acceptances


def acceptances_to_copy(record: Mapping[str, Any]) -> list[str]:
    """The acceptances of this risk, each in YAML on one line."""
    return [*map(acceptance_text, acceptances_of(record))]


def acceptance_text(accepted: Any) -> str:
    """An acceptance, a code or a dictionary, in YAML on one line."""
    if isinstance(accepted, Mapping):
        return "{" + ", ".join(_yaml_items(accepted)) + "}"
    return _scalar(str(accepted))


def _yaml_items(bounds: Mapping[str, Any]) -> Iterator[str]:
    for name, value in bounds.items():
        if isinstance(value, (list, tuple)):
            texts = [_scalar(str(text)) for text in value]
            if texts:
                yield f"{name}: [{', '.join(texts)}]"
        elif value is not None:
            yield f"{name}: {_scalar(str(value))}"


def _scalar(text: str) -> str:
    """The text as a YAML scalar on one line, which can be copied into a playbook.

    Single quotes read best; characters that nobody can see or type need double quotes.
    """
    if PLAIN.fullmatch(text) and text.lower() not in YAML_WORDS:
        return text
    unsafe = "!unsafe " if any(mark in text for mark in TEMPLATE_MARKS) else ""
    if text.isprintable():
        return unsafe + "'" + text.replace("'", "''") + "'"
    quoted = text.replace("\\", r"\\").replace('"', r"\"")
    return f'{unsafe}"{"".join(map(_visible_character, quoted))}"'


def _visible_character(character: str) -> str:
    """The character itself if it is visible, or else its escape, which YAML and Python write
    alike.
    """
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode()
