# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Turns a snapshot or an export into a restore: the modules to run so that it is again as the file
says, and the state that they must leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._schema.lists import items_of
from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import API_FIELDS, ZONE_OPTION, Resource, State
from ...module_utils._schema.zone import rules_of
from ...module_utils._specs.arguments import TEXTS, Argument, Arguments
from ...module_utils._text import first_joined
from .._baseline.approval import EXPECTED_PLAN
from .._baseline.variables import (
    OF_HOST,
    PREFIX,
    PURGE,
    SNAPSHOT,
    SOURCE,
    VARIABLE_OF,
    Part,
    host_part,
)
from .._plain import plain
from .._variables import read_variables, require_valid
from .describe import IGNORE_IDS, OPTION_OF, exclusive_entries, export_state, purge_of
from .recovery import MAX_NAMED, Exceptions, Restoration, recover
from .snapshot import NamedKeys

ACCOUNT_STATE = frozenset(
    f"{PREFIX}{option}" for option in ("enabled", *dict.fromkeys(OPTION_OF.values()))
)
BY_VARIABLE = {
    VARIABLE_OF[plural]: item for plural, item in BY_PLURAL.items() if plural not in OPTION_OF
}
ZONE_STATE = frozenset(name for name, item in BY_VARIABLE.items() if item.owner == "zone_id")


def _held(plural: str) -> Resource:
    """A resource by its plural; that of the items of any list, or of the rules of any ruleset."""
    within = items_of("") if plural.startswith(items_of("").plural) else rules_of(ZONE_OPTION, "")
    return BY_PLURAL.get(plural, within)


STATE = frozenset([*ACCOUNT_STATE, *BY_VARIABLE])
IGNORED = {
    f"{name}_ignore": resource for name, resource in BY_VARIABLE.items() if resource.has_patterns
}
HOW = frozenset([PURGE, IGNORE_IDS, *IGNORED])
IN_A_FILE = STATE | HOW | {SOURCE, SNAPSHOT}
# Which are not of a restore, that brings back what was there.
OF_A_ROLLOUT = ("accept_risks", "staged_rollout", "rollout_evidence", "backtest")
# Variables of the playbook in messages, which do not advise a staged rollout.
NAMES = {"accept_risks": "restore_accept_risks", "staged_rollout": ""}
# What the variables of the inventory say of a host that is restored: where it is and how it is
# reached, limits, and what belongs to others.
OF_INVENTORY = tuple(
    name
    for name in OF_HOST
    if (name not in IN_A_FILE or name in (IGNORE_IDS, *IGNORED))
    and name
    not in (f"{PREFIX}validate", *(f"{PREFIX}{option}" for option in OF_A_ROLLOUT), EXPECTED_PLAN)
)


def _has_api_fields(described: Mapping[str, Any]) -> bool:
    """Return whether rules have fields that the collection does not know."""
    lists = [described.get(name) or () for name, item in BY_VARIABLE.items() if item.key]
    return any(API_FIELDS in entry for entries in lists for entry in entries)


def difference_message(file: str, host: str, differences: Sequence[str]) -> str:
    """The failure of a restore that left something different."""
    first = first_joined(differences, "; ", MAX_NAMED)
    return (
        f"{host} is not what {file} says, though the changes were made: {first}."
        " Look at differences in the result, and restore again."
    )


@dataclass(frozen=True)
class StateFile:
    """A snapshot or an export: its account and zone by id, and the state of them, as Cloudflare
    had it (`objects`) or as variables; and the objects that alone its run could change, of the
    collections in `named`."""

    name: str
    owners: Mapping[str, str]
    incomplete: Sequence[str] = ()
    ignore: Mapping[str, Sequence[str]] = field(default_factory=dict)
    named: NamedKeys = field(default_factory=dict)
    objects: State | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)

    def part(self, host: str, values: Mapping[str, Any]) -> Part:
        """The state in the file as a part, with the connection of the host."""
        if self.objects is None:
            return _part(host, values, self.variables)
        every = {VARIABLE_OF[plural]: "" for plural in self.objects}  # described or not, it is read
        return _part(host, values, {**every, **export_state(self.objects).variables})

    def check_owners(self, host: str, owners: Mapping[str, str]) -> None:
        """Raises ValueError unless the file is about these accounts and zones."""
        for name, kind in (("account_id", "account"), ("zone_id", "zone")):
            if name in owners and self.owners.get(name, "").lower() != owners[name].lower():
                raise ValueError(
                    f"{self.name} is of another {kind}: that of the file is"
                    f" {self.owners.get(name) or 'not named'}, and that of {host} is"
                    f" {owners[name]}. Use --limit, or the file of this host."
                )

    def restoration(
        self,
        host: str,
        values: Mapping[str, Any],
        current: State,
        accept_risks: Sequence[Any] = (),
        objects: Sequence[str] = (),
        fields: Sequence[str] = (),
        validates: bool = False,
    ) -> Restoration:
        """Return what makes the host, whose state is `current`, as the file says; without these
        objects, named by id or by name, and these fields. If it `validates`, Cloudflare checks
        fields that the collection does not know before the first write, which a token that only
        reads may not ask for."""
        ignored = {
            name: [*(values.get(name) or []), *self.ignore.get(name, [])]
            for name in (IGNORE_IDS, *IGNORED)
        }
        if self.objects is None:
            recovered = Restoration(_exclusive(self.variables, self.incomplete, ignored))
        else:
            files = {plural: f"{variable}_ignore" for plural, variable in VARIABLE_OF.items()}
            ignore = {one: ignored[name] for one, name in files.items() if name in IGNORED}
            named = {
                plural: frozenset(_held(plural).key_of(entry) for entry in entries)
                for plural, entries in self.named.items()
            }
            exceptions = Exceptions(ignored[IGNORE_IDS], ignore, named, objects, fields)
            recovered = recover(self.objects, current, exceptions)
        how = {
            f"{PREFIX}staged_rollout": False,  # each mode as it was
            f"{PREFIX}accept_risks": list(accept_risks),
            f"{PREFIX}validate": validates and _has_api_fields(recovered.variables),
        }
        recovered.part = _part(host, {**values, **how}, recovered.variables).named(NAMES)
        return recovered


OBJECTS: Argument = {"type": "list", "elements": "dict"}
OF_SOURCE: Arguments = {
    "account_id": {"type": "str"},
    "zone_id": {"type": "str"},
    "incomplete": TEXTS,
    "ignore": {"type": "dict", "options": dict.fromkeys((IGNORE_IDS, *IGNORED), TEXTS)},
    "named": {"type": "dict"},
}
OF_FILE: Arguments = {
    **{name: {"type": "raw"} for name in STATE | HOW},
    SOURCE: {"type": "dict", "options": OF_SOURCE, "required": True},
    SNAPSHOT: {"type": "dict"},
}


def read_file(document: Any, name: str) -> StateFile:
    """The file out of its YAML; raises ValueError if no export and no snapshot would look so."""
    content = plain(document)
    try:
        read = read_variables(OF_FILE, content if isinstance(content, dict) else {})
        source = {key: value for key, value in read[SOURCE].items() if value}
        _require_objects(source.get("named", {}))
        _require_objects(read[SNAPSHOT] or {})
    except ValueError as exc:
        raise ValueError(f"{name} is neither a snapshot nor an export: {exc}") from None
    for plural in read[SNAPSHOT] or ():
        if plural not in BY_PLURAL:
            raise ValueError(
                f"{name} has {plural}, which this release of the collection does not know. Take"
                " the release that wrote the file."
            )
    return StateFile(
        name,
        owners={key: source[key] for key in ("account_id", "zone_id") if key in source},
        incomplete=source.get("incomplete", []),
        ignore={key: patterns for key, patterns in source.get("ignore", {}).items() if patterns},
        named=source.get("named", {}),
        objects=read[SNAPSHOT],
        variables={key: value for key, value in content.items() if key in STATE | HOW},
    )


def _require_objects(collections: Mapping[str, Any]) -> None:
    """Raises ValueError if collections are no lists of objects."""
    require_valid(dict.fromkeys(collections, OBJECTS), collections)


def _exclusive(
    variables: Mapping[str, Any], incomplete: Sequence[str], ignored: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """The variables of an export, with exclusive lists as far as it describes all of them."""
    described = {name: variables[name] for name in variables if name in STATE}
    purge = described[PURGE] = purge_of(described, incomplete)
    described[IGNORE_IDS] = [*ignored[IGNORE_IDS], *(variables.get(IGNORE_IDS) or [])]
    for option, resource in IGNORED.items():
        name = VARIABLE_OF[resource.plural]
        if name in described:
            described[option] = [*ignored[option], *(variables.get(option) or [])]
            if name.removeprefix(PREFIX) in purge:
                described[name] = exclusive_entries(resource, described[name])
    return described


def _part(host: str, values: Mapping[str, Any], described: Mapping[str, Any]) -> Part:
    """A part with these variables; an owner of which they say nothing is left out."""
    left_out = ["account_id"] if ACCOUNT_STATE.isdisjoint(described) else []
    left_out += ["zone_id", "zone_name"] if ZONE_STATE.isdisjoint(described) else []
    kept = {
        name: value
        for name, value in values.items()
        if name not in (IGNORE_IDS, *IGNORED) and not name.endswith(tuple(left_out))
    }
    return host_part(host, {**kept, **described})
