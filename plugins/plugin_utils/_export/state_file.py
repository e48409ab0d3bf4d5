# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way back from a file, which is a snapshot or an export: what makes the host as the file says,
and what differs afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._arguments import TEXTS, Argument, Arguments
from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import OWNERS, Object, State
from ...module_utils._specs.base import RESTORED
from ...module_utils._specs.whole_state import all_inside, collections_of
from ...module_utils._text import first_joined
from .._baseline.approval import EXPECTED_PLAN
from .._baseline.variables import (
    OF_HOST,
    POSTURE,
    POSTURES,
    POSTURES_FILE,
    PREFIX,
    PURGE,
    SNAPSHOT,
    SOURCE,
    VARIABLE_OF,
    Part,
    host_part,
    names_owner,
    wrong_owner_in_words,
)
from .._variables import plain, read_variables, require_valid
from .describe import IGNORE_IDS, exclusive_entries, purge_of

# Objects by their keys alone, by the plural of the resource.
NamedKeys = Mapping[str, Sequence[Object]]


MOST_DIFFERENCES = 10  # differences in a message
STATE = frozenset(VARIABLE_OF.values())
IGNORED = {
    f"{VARIABLE_OF[plural]}_ignore": resource
    for plural, resource in BY_PLURAL.items()
    if resource.has_patterns
}
OF_UNMANAGED = (IGNORE_IDS, *IGNORED)  # which name objects that are left alone
# Which are not of a restore, that brings back what was there.
OF_A_ROLLOUT = ("accept_risks", "staged_rollout", "rollout_evidence", "backtest")
# Variables of the playbook in messages, which do not advise a staged rollout.
NAMES = {"accept_risks": "restore_accept_risks", "staged_rollout": ""}
NOT_ASKED = (SOURCE, POSTURES, POSTURE, POSTURES_FILE, EXPECTED_PLAN, f"{PREFIX}validate")
# A restore reads these of the host: its place, how to reach it, limits, and the objects of others.
OF_INVENTORY: Arguments = {
    name: argument
    for name, argument in OF_HOST.items()
    if name not in (*STATE, PURGE, *NOT_ASKED, *(f"{PREFIX}{option}" for option in OF_A_ROLLOUT))
}


def differences_in(result: Mapping[str, Any]) -> list[str]:
    """The differences that the prediction of one more restore shows, a text for each object."""
    texts = [str(result["msg"])] if result.get("failed") else []
    for operation in result.get("operations") or ():
        resource = operation["resource"].replace("_", " ")
        texts.append(f"{resource} {operation['key']}{_fields_that_differ(operation)}")
    return texts


def _fields_that_differ(operation: Mapping[str, Any]) -> str:
    """The difference that an operation would remove, as words that follow the name of its
    object."""
    if operation["action"] == "create":
        return " is missing"
    if operation["action"] == "delete":
        return " is there in addition"
    before = operation["before"]
    values = [
        f"{name} is {before.get(name)!r} instead of {value!r}"
        for name, value in operation["fields"].items()
    ]
    return f": {'; '.join(values)}"


@dataclass(frozen=True)
class StateFile:
    """A snapshot or an export: the ids of its account and zone, and their state, as existing
    objects (`objects`) or as variables. In the collections in `named`, only the objects there
    may be changed."""

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
        """The module call that makes the host as the file describes it, without the objects in
        `objects` (ids or names) and the fields in `fields`. If it `validates`, Cloudflare checks
        rules before the first write, for which a read-only token has no permission."""
        variables = {
            **self._inventory_variables(values),
            f"{PREFIX}staged_rollout": False,  # each mode as it was
            f"{PREFIX}accept_risks": list(accept_risks),
            f"{PREFIX}validate": validates,
            **self._unmanaged_variables(values),
        }
        if self.objects is None:
            variables.update(_exclusive(self.variables, self.incomplete))
        in_file = {name.removeprefix(PREFIX): f"{self.name}: {name}" for name in self.variables}
        part = host_part(host, variables).named({**NAMES, **in_file})
        if self.objects is not None:
            part.options[RESTORED] = {
                "objects": self.objects,
                "named": self.named,
                "leave_objects": list(objects),
                "leave_fields": list(fields),
            }
        return part

    def _inventory_variables(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The variables of the host, without those that name an account or zone which the file
        does not have."""
        foreign: list[str] = []
        for name, owner in OWNERS.items():
            if name not in self.owners:
                foreign += owner.options
        return {
            name: value
            for name, value in values.items()
            if name not in OF_UNMANAGED and not name.endswith(tuple(foreign))
        }

    def _unmanaged_variables(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The variables that name unmanaged objects: those of the host, and those of the file."""
        variables = {}
        for name in OF_UNMANAGED:
            names = [*(values.get(name) or []), *self.ignore.get(name, [])]
            if names:
                variables[name] = names
        return variables

    def check_kind(self, host: str, values: Mapping[str, Any]) -> None:
        """Raises ValueError if the file is of an account and the host is only a zone, or the
        other way round."""
        of_host = [name for name in OWNERS if names_owner(values, name)]
        of_file = [name for name in OWNERS if name in self.owners]
        if of_file and of_host and not set(of_file) & set(of_host):
            kind, host_kind = OWNERS[of_file[0]].with_article, OWNERS[of_host[0]].with_article
            raise ValueError(
                f"{self.name} is of {kind}, and {host} is {host_kind}. Use --limit, or the file of"
                " this host."
            )

    def check_owners(self, host: str, owners: Mapping[str, str]) -> None:
        """Raises ValueError unless the file is of these accounts and zones."""
        for name, kind in (("account_id", "account"), ("zone_id", "zone")):
            file_id, host_id = self.owners.get(name, ""), owners.get(name)
            if host_id is not None and file_id.lower() != host_id.lower():
                problem = wrong_owner_in_words(kind, file_id, host, host_id)
                raise ValueError(f"{self.name} {problem}. Use --limit, or the file of this host.")

    def unmet(self, host: str, prediction: Mapping[str, Any]) -> dict[str, Any]:
        """The part of a result that lists what differs still, by the prediction of another
        restore; empty if nothing differs."""
        differences = differences_in(prediction)
        if not differences:
            return {}
        listed = first_joined(differences, "; ", MOST_DIFFERENCES)
        message = (
            f"{host} is not what {self.name} says, though the changes were made: {listed}."
            " Look at differences in the result, and restore again."
        )
        return {"failed": True, "msg": message, "differences": differences}


OBJECTS: Argument = {"type": "list", "elements": "dict"}
OF_SOURCE: Arguments = {
    "account_id": {"type": "str"},
    "zone_id": {"type": "str"},
    "incomplete": TEXTS,
    "ignore": {"type": "dict", "options": dict.fromkeys(OF_UNMANAGED, TEXTS)},
    "named": {"type": "dict"},
    "group": {"type": "str"},
}
# The variables of the playbook restore.
RESTORE: Arguments = {
    **{f"restore_{name}": {"type": "str", "default": ""} for name in ("file", "before", "since")},
    "restore_accept_risks": {"type": "list", "elements": "raw", "default": []},
    "restore_leave_objects": {**TEXTS, "default": []},
    "restore_leave_fields": {**TEXTS, "default": []},
}
OF_FILE: Arguments = {
    **{name: {"type": "raw"} for name in (*STATE, PURGE, *OF_UNMANAGED)},
    SOURCE: {"type": "dict", "options": OF_SOURCE, "required": True},
    SNAPSHOT: {"type": "dict"},
}


def read_file(document: Any, name: str) -> StateFile:
    """The file in a parsed YAML document; raises ValueError if it is neither an export nor a
    snapshot."""
    content = plain(document)
    try:
        variables = read_variables(OF_FILE, content if isinstance(content, dict) else {})
        source = {name: value for name, value in variables[SOURCE].items() if value}
        objects = variables[SNAPSHOT] or {}
        _require_objects(source.get("named", {}))
        _require_objects(objects)
    except ValueError as exc:
        raise ValueError(f"{name} is neither a snapshot nor an export: {exc}") from None
    if source.get("group"):
        raise ValueError(
            f"{name} leaves out what the hosts of the group {source['group']} have in common."
            " Restore a snapshot, or an export without export_group."
        )
    _require_known(objects, name)
    ignoring = {**source.get("ignore", {}), **content}  # a snapshot, or an export
    return StateFile(
        name,
        owners={owner: source[owner] for owner in ("account_id", "zone_id") if owner in source},
        incomplete=source.get("incomplete", []),
        ignore={
            variable: ignoring[variable] for variable in OF_UNMANAGED if ignoring.get(variable)
        },
        named=source.get("named", {}),
        objects=variables[SNAPSHOT],
        variables={variable: value for variable, value in content.items() if variable in STATE},
    )


def _require_known(objects: State, file_name: str) -> None:
    """Raises ValueError if the file has a collection that this release does not know."""
    collections = collections_of(objects)
    known = {resource.plural for resource in (*collections, *all_inside(collections, objects))}
    for plural in objects:
        if plural not in known:
            raise ValueError(
                f"{file_name} has {plural}, which this release of the collection does not know."
                " Take the release that wrote the file."
            )


def _require_objects(collections: Mapping[str, Any]) -> None:
    """Raises ValueError unless each collection is a list of objects."""
    require_valid(dict.fromkeys(collections, OBJECTS), collections)


def _exclusive(variables: Mapping[str, Any], incomplete: Sequence[str]) -> dict[str, Any]:
    """The variables of an export, with exclusive lists where it describes all their objects."""
    purge = purge_of(variables, incomplete)
    described = {**variables, PURGE: purge}
    for resource in IGNORED.values():
        name = VARIABLE_OF[resource.plural]
        if name.removeprefix(PREFIX) in purge:
            described[name] = exclusive_entries(resource, variables[name])
    return described
