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

from ...module_utils._arguments import TEXTS, Argument, Arguments
from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import OWNERS, State
from ...module_utils._specs.host import RESTORED
from ...module_utils._specs.whole_state import all_inside, collections_of
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
from .describe import IGNORE_IDS, exclusive_entries, purge_of
from .snapshot import NamedKeys

MAX_NAMED = 10  # differences in a message
STATE = frozenset(VARIABLE_OF.values())
IGNORED = {
    f"{VARIABLE_OF[plural]}_ignore": resource
    for plural, resource in BY_PLURAL.items()
    if resource.has_patterns
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


def differences_in(result: Mapping[str, Any]) -> list[str]:
    """The differences that the prediction of one more restore shows, a text for each object."""
    texts = [str(result["msg"])] if result.get("failed") else []
    for one in result.get("operations") or ():
        fields = [
            f"{name} is {one['before'].get(name)!r} instead of {value!r}"
            for name, value in one["fields"].items()
        ]
        words = {"create": " is missing", "delete": " is there in addition"}
        rest = words.get(one["action"]) or f": {'; '.join(fields)}"
        texts.append(f"{one['resource'].replace('_', ' ')} {one['key']}{rest}")
    return texts


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

    def part(
        self,
        host: str,
        values: Mapping[str, Any],
        accept_risks: Sequence[Any] = (),
        objects: Sequence[str] = (),
        fields: Sequence[str] = (),
        validates: bool = False,
    ) -> Part:
        """Return what makes the host as the file says; without these objects, named by id or by
        name, and these fields. If it `validates`, Cloudflare checks rules before the first write,
        which a token that only reads may not ask for."""
        ignored = {
            name: [*(values.get(name) or []), *self.ignore.get(name, [])]
            for name in (IGNORE_IDS, *IGNORED)
        }
        described: Mapping[str, Any] = {name: value for name, value in ignored.items() if value}
        if self.objects is None:
            described = _exclusive(self.variables, self.incomplete, ignored)
        how = {
            f"{PREFIX}staged_rollout": False,  # each mode as it was
            f"{PREFIX}accept_risks": list(accept_risks),
            f"{PREFIX}validate": validates,
        }
        others = [owner for name, owner in OWNERS.items() if name not in self.owners]
        left_out = tuple(option for owner in others for option in owner.options)
        kept = {
            name: value
            for name, value in values.items()
            if name not in (IGNORE_IDS, *IGNORED) and not name.endswith(left_out)
        }
        part = host_part(host, {**kept, **how, **described}).named(NAMES)
        if self.objects is not None:
            left = {"leave_objects": list(objects), "leave_fields": list(fields)}
            part.options[RESTORED] = {"objects": self.objects, "named": self.named, **left}
        return part

    def check_owners(self, host: str, owners: Mapping[str, str]) -> None:
        """Raises ValueError unless the file is about these accounts and zones."""
        for name, kind in (("account_id", "account"), ("zone_id", "zone")):
            if name in owners and self.owners.get(name, "").lower() != owners[name].lower():
                raise ValueError(
                    f"{self.name} is of another {kind}: that of the file is"
                    f" {self.owners.get(name) or 'not named'}, and that of {host} is"
                    f" {owners[name]}. Use --limit, or the file of this host."
                )

    def unmet(self, host: str, again: Mapping[str, Any]) -> dict[str, Any]:
        """The part of a result that says what differs, by the prediction of one more restore;
        empty if nothing does."""
        differences = differences_in(again)
        if not differences:
            return {}
        first = first_joined(differences, "; ", MAX_NAMED)
        message = (
            f"{host} is not what {self.name} says, though the changes were made: {first}."
            " Look at differences in the result, and restore again."
        )
        return {"failed": True, "msg": message, "differences": differences}


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
    objects = read[SNAPSHOT] or {}
    collections = collections_of(objects)
    known = {one.plural for one in (*collections, *all_inside(collections, objects))}
    for plural in objects:
        if plural not in known:
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
