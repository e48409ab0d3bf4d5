# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of a host: what it is to hold is read first, and written once it is known what the group
of the host has in common."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ...module_utils._schema.resource import OWNER_OPTIONS
from ...module_utils._text import first_few, plural
from .._baseline.host_task import HostTask
from .._baseline.variables import INVENTORY, POSTURE, POSTURES_FILE
from .._files import require_writable, write_private
from .._variables import plain
from .describe import (
    SCHEMA,
    VARIABLES,
    Export,
    connection_of,
    diff_of,
    export_state,
    export_text,
    exported_resources,
    notes_on_unread,
    path_of,
    read_earlier_export,
    sealed,
)
from .host_state import HostState, read_host
from .shared_file import Member, SharedFile, require_in_group, shared_path, variables_left
from .undescribed import Undescribed

OF_POSTURES = "The file has the values of postures as well, if they are in force."
SCHEMA_FILE = Path(__file__).parents[3] / "roles" / "export" / "files" / "variables.schema.json"


class Draft(NamedTuple):
    """All that is to be written for a host: its options, the path and the former text of its file,
    the variables, and the state that they describe. `shared_path` is None without a group."""

    task: HostTask
    options: Mapping[str, Any]
    path: Path
    before: str | None
    export: Export
    state: HostState
    warnings: Sequence[str]
    shared_path: Path | None

    def member(self, above: Collection[str]) -> Member:
        """The host as a member of its group; the inventory sets the variables `above` where they
        hide those of the file of the group."""
        names = {name: str(self.options[name] or "") for name in OWNER_OPTIONS}
        return Member(
            host=self.task.host,
            group=self.options["group"],
            path=self.shared_path or self.path,
            owners=self.state.owners,
            identities=[*filter(None, names.values()), *self.state.owners.values()],
            variables=self.export.variables,
            above=above,
            overwrites=self.options["overwrite"],
        )


def draft_of(task: HostTask, groups: Mapping[str, Sequence[str]]) -> Draft:
    """Read a host; `groups` has the hosts of each group. Raises OSError and ValueError."""
    task.require_control_node()
    options = _options_of(task)
    group, path_of_group = options["group"], None
    if group:
        require_in_group(task.host, group, groups)
        path_of_group = shared_path(options["directory"], group)
    path = path_of(options["directory"], task.host)
    before = read_earlier_export(path, options["overwrite"])
    require_writable(path.parent)
    resources = exported_resources(task.host, options)
    run_module = task.runner().run_module
    connection = connection_of(options)
    state = read_host(resources, connection, run_module, in_part=True)
    has_no_product = bool(state.lacking) and not (state.objects or state.unread)
    export = Export() if has_no_product else export_state(state.objects, options["purge"])
    warnings = list(export.notes)
    undescribed = Undescribed(connection, options["skip"], run_module)
    export.notes += [*notes_on_unread(state), *undescribed.notes(state)]  # in the file alone
    if task.entries(task.values((POSTURE, POSTURES_FILE))):
        warnings.append(OF_POSTURES)
    return Draft(task, options, path, before, export, state, warnings, path_of_group)


def _options_of(task: HostTask) -> dict[str, Any]:
    """The options of a host, by the variables of the role; raises ValueError."""
    # The defaults of the role would hide what is undefined in the inventory.
    _values, unread = task.read(INVENTORY.values())
    # A text that a template made is none that a file could have.
    options: dict[str, Any] = plain(
        task.options(VARIABLES, "export_", check=lambda _read, _given: unread)
    )
    return options


def write_draft(
    draft: Draft, member: Member | None, shared: SharedFile | None, check_mode: bool
) -> dict[str, Any]:
    """Write the file of a host and the schema, unless in check mode; returns the result of the
    host. Raises OSError and ValueError."""
    task, path, before = draft.task, draft.path, draft.before
    text = sealed(_file_text(draft, member, shared))
    if text != before and not check_mode:
        write_private(path, text)
    schema_changed = _write_schema(path.parents[1] / SCHEMA, check_mode)
    verb = "would have" if check_mode and text != before else "has"
    count = plural(sum(map(len, draft.state.objects.values())), "object", "objects")
    unread = draft.state.unread
    not_read = f" Not read, as the file says: {first_few(unread)}." if unread else ""
    task.tell(f"{path} {verb} {count}.{not_read}")
    result: dict[str, Any] = {
        "changed": text != before or schema_changed,
        "path": str(path),
        "diff": [diff_of(path, before, text)],
    }
    if draft.warnings:
        result["warnings"] = [f"{task.host}: {text}" for text in draft.warnings]
    return result


def _file_text(draft: Draft, member: Member | None, shared: SharedFile | None) -> str:
    """The text of the file of a host, without what the file of its group has."""
    export, owners = draft.export, draft.state.owners
    if not (member and shared):
        return export_text(export, owners)
    variables = variables_left(member, shared.variables)
    if variables == export.variables:
        return export_text(export, owners)
    place = shared.path.relative_to(draft.path.parents[2])
    note = f"{place} has what the hosts of the group {shared.group} have in common."
    with_note = replace(export, variables=variables, notes=[*export.notes, note])
    return export_text(with_note, owners, shared.group)


def _write_schema(path: Path, check_mode: bool) -> bool:
    """Write the schema of the variables unless it is there; returns whether it changes."""
    schema = SCHEMA_FILE.read_text(encoding="utf-8")
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == schema:
        return False
    if not check_mode:
        write_private(path, schema)
    return True
