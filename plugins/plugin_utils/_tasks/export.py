# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role export: it writes what an account and its zone hold as variables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...module_utils._text import first_few, plural
from .._baseline.fleet import FleetAction
from .._baseline.host_task import HostTask
from .._baseline.variables import INVENTORY, POSTURE, POSTURES_FILE
from .._export.describe import (
    SCHEMA,
    VARIABLES,
    connection_of,
    export_state,
    export_text,
    exported_resources,
    notes_on_unread,
    path_of,
    read_earlier_export,
    sealed,
)
from .._export.host_state import read_host
from .._export.undescribed import Undescribed
from .._files import require_writable, write_private

OF_POSTURES = "The file has the values of postures as well, if they are in force."
SCHEMA_FILE = Path(__file__).parents[3] / "roles" / "export" / "files" / "variables.schema.json"


class ExportAction(FleetAction):
    """Reads hosts, and writes a file of variables for each, and their schema beside the folders."""

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        check_mode = bool(self._task.check_mode)
        try:
            return self.results(variables, lambda task: _export(task, check_mode))
        except ValueError as exc:
            return {"failed": True, "changed": False, "msg": str(exc)}


def _options_of(task: HostTask) -> dict[str, Any]:
    """The options of a host, by the variables of the role; raises ValueError."""
    # The defaults of the role would hide what is undefined in the inventory.
    _values, unread = task.read(INVENTORY.values())
    return task.options(VARIABLES, "export_", check=lambda _read, _given: unread)


def _export(task: HostTask, check_mode: bool) -> dict[str, Any]:
    """The result of a host; raises OSError and ValueError."""
    task.require_control_node()
    options = _options_of(task)
    path = path_of(options["directory"], task.host)
    before = read_earlier_export(path, options["overwrite"])
    require_writable(path.parent)
    resources = exported_resources(task.host, options)
    run_module = task.runner().run_module
    connection = connection_of(options)
    host = read_host(resources, connection, run_module, in_part=True)
    export = export_state(host.objects, options["purge"])
    notes = list(export.notes)
    undescribed = Undescribed(connection, options["skip"], run_module)
    export.notes += [*notes_on_unread(host), *undescribed.notes(host)]  # in the file alone
    if task.entries(task.values((POSTURE, POSTURES_FILE))):
        notes.append(OF_POSTURES)
    text = sealed(export_text(export, host.owners))
    if text != before and not check_mode:
        write_private(path, text)
    schema_changed = _write_schema(path.parents[1] / SCHEMA, check_mode)
    verb = "would have" if check_mode and text != before else "has"
    count = plural(sum(map(len, host.objects.values())), "object", "objects")
    unread = f" Not read, as the file says: {first_few(host.unread)}." if host.unread else ""
    task.tell(f"{path} {verb} {count}.{unread}")
    headers = {f"{side}_header": str(path) for side in ("before", "after")}
    result: dict[str, Any] = {
        "changed": text != before or schema_changed,
        "path": str(path),
        "diff": [{**headers, "before": before or "", "after": text}],
    }
    if notes:
        result["warnings"] = [f"{task.host}: {note}" for note in notes]
    return result


def _write_schema(path: Path, check_mode: bool) -> bool:
    """Write the schema of the variables unless it is there; returns whether it changes."""
    schema = SCHEMA_FILE.read_text(encoding="utf-8")
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == schema:
        return False
    if not check_mode:
        write_private(path, schema)
    return True
