# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role export that runs once: it writes what the hosts of a group share, and the
rest of each host."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible import context
from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.export_file import (
    SHARED,
    VARIABLES,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.shared import (
    ExportFile,
    HostExport,
    files_of,
    host_exports,
    path_of,
    require_whole,
    schema_files,
    set_elsewhere,
    shared_variables,
    write_files,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._plain import plain
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import require_valid

SCHEMA = Path(__file__).parents[2] / "docs" / "variables.schema.json"
RESULT = "export_result"  # what the task of each host registers


class ActionModule(ActionBase):  # type: ignore[misc]
    """Writes the files of the groups that hosts of the play name, and of these hosts."""

    _supports_check_mode = True
    _supports_async = False
    TRANSFERS_FILES = False

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        variables = task_vars or {}
        try:
            require_valid(VARIABLES, {f"export_{k}": item for k, item in self._task.args.items()})
            _result, options = self.validate_argument_spec(SHARED)
            exports = host_exports(_results(variables))
            groups = sorted({item.group for item in exports})
            files: list[ExportFile] = []
            for group in groups:
                own = [item for item in exports if item.group == group]
                files += self._files(group, own, options, variables)
            files += schema_files(_directories(options, files), SCHEMA.read_text(encoding="utf-8"))
            if not self._task.check_mode:
                write_files(files)
        except OSError as exc:
            place = exc.filename or options["group_directory"]
            message = f"{place}: {exc.strerror}. The export is not complete; export again."
            return {"failed": True, "msg": message}
        except (AnsibleError, ValueError) as exc:
            return {"failed": True, "changed": False, "msg": str(exc)}
        changed = [file for file in files if file.changes]
        return {
            "changed": bool(changed),
            "paths": [str(file.path) for file in files],
            "diff": [file.diff for file in changed],
        }

    def _files(
        self,
        group: str,
        exports: Sequence[HostExport],
        options: Mapping[str, Any],
        variables: Mapping[str, Any],
    ) -> list[ExportFile]:
        """The files of a group and its hosts; raises ValueError, OSError and AnsibleError."""
        require_whole(group, exports, plain(list(variables["groups"][group])))
        folder = path_of(options["group_directory"], group).parent
        hosts = {
            path_of(options["directory"], item.host).parent: plain(
                list(variables["hostvars"][item.host]["group_names"])
            )
            for item in exports
        }
        sources = context.CLIARGS.get("inventory") or ()
        elsewhere = set_elsewhere(self._loader, sources, folder, hosts)
        shared = shared_variables(exports, elsewhere)
        directories = (options["directory"], options["group_directory"])
        return files_of(exports, shared, *directories, options["overwrite"])


def _directories(options: Mapping[str, Any], files: Sequence[ExportFile]) -> list[str]:
    """The directories that have exported files; hosts outside of groups have theirs already."""
    of_groups = {str(file.path.parents[1]) for file in files}
    group_directory = str(Path.cwd() / os.path.expanduser(options["group_directory"]))
    has_group = group_directory in of_groups
    return [options["directory"], *([options["group_directory"]] if has_group else [])]


def _results(variables: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The result of each host of the play; of one that has none, an empty one."""
    hostvars = variables["hostvars"]
    hosts = plain(list(variables["ansible_play_hosts_all"]))
    return {host: plain(hostvars[host].get(RESULT) or {}) for host in hosts}
