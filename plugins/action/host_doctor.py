# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the playbook doctor: it reads what a host has, and says what of it the collection
does not expect."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ansible.module_utils.basic import missing_required_lib
from ansible_collections.edgeops.protection.plugins.module_utils._api.adapters import (
    REQUESTS_IMPORT_ERROR,
)
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import known_secrets
from ansible_collections.edgeops.protection.plugins.module_utils._runner import redact
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import (
    write_timestamp,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._action import CollectionAction
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_task import HostTask
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.misspelt import (
    misspelt_in_playbook,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.examination import (
    OF_CONNECTION,
    examine,
    parts_to_read,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.record import (
    Record,
    bundle_text,
    failures,
    lines_of,
    record_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import host_folder
from ansible_collections.edgeops.protection.plugins.plugin_utils._files import write_private
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import (
    Arguments,
    require_valid,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._worker import prepare_workers

prepare_workers()

NAME = "bundle.json"
ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "directory": {"type": "str", "default": "doctor"},
    "fail_on": {
        "type": "list",
        "elements": "str",
        "choices": ["deviation", "unknown"],
        "default": [],
    },
}
DOCTOR: Arguments = {f"doctor_{name}": argument for name, argument in ARGUMENTS.items()}


class ActionModule(CollectionAction):
    """Reads a host, whether the play runs in check mode or not, and writes one file about it."""

    _supports_async = False

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        task = HostTask(self.calls(task_vars or {}))
        try:
            require_valid(
                DOCTOR, {f"doctor_{name}": self._task.args.get(name) for name in ARGUMENTS}
            )
            _result, options = self.validate_argument_spec(ARGUMENTS)
            task.require_control_node()
            if REQUESTS_IMPORT_ERROR:
                raise ValueError(missing_required_lib("requests"))
            parts = parts_to_read(task.host, task.values(OF_CONNECTION))
            result = self._examined(task, parts, options)
            misspelt = misspelt_in_playbook(task_vars or {}, "doctor", DOCTOR)
            return {**result, "warnings": [*task.misspelt_variables(), *misspelt]}
        except (OSError, ValueError) as exc:
            return {"failed": True, "changed": False, "msg": str(exc)}

    def _examined(
        self, task: HostTask, parts: Sequence[Part], options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The result of the task; raises OSError and ValueError."""
        examination = examine(parts, task.warn, _now)
        checked = write_timestamp(_now())
        known = _secrets(parts)
        record: Record = redact(
            record_of(task.host, checked, examination.answers, examination.calls), known
        )
        text = bundle_text(record, examination.answers, examination.owners, secrets.token_bytes(16))
        path = host_folder(options["directory"], task.host) / NAME
        if not self._task.check_mode:
            write_private(path, redact(text, known))
        for line in lines_of(record):
            self._display.display(line, stderr=True)  # stdout may be read by a program
        outcome = _failure(record, options) or {"doctor": record}
        return {"changed": False, "path": str(path), **outcome}


def _now() -> datetime:
    return datetime.now(timezone.utc)


def _secrets(parts: Sequence[Part]) -> list[str]:
    every = {secret for part in parts for secret in known_secrets(part.options, os.environ)}
    return sorted(every, key=len, reverse=True)


def _failure(record: Record, options: Mapping[str, Any]) -> dict[str, Any]:
    """What fails the host, if the user asks for that; the lines above it tell all of the record."""
    reasons = [reason for kind in options["fail_on"] for reason in failures(record, kind)]
    if not reasons:
        return {}
    return {"failed": True, "msg": f"{record['host']}: {'; '.join(reasons)}. Nothing was changed."}
