# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the playbook doctor: it reads what a host has, and says what of it the collection
does not expect."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime, timezone
from functools import partial
from typing import Any

from ..module_utils._api.settings import known_secrets
from ..module_utils._text import redact
from ..module_utils._timestamps import write_timestamp
from ..plugin_utils._action import say
from ..plugin_utils._baseline.fleet import FleetAction
from ..plugin_utils._baseline.host_task import HostTask
from ..plugin_utils._baseline.variables import OF_CONNECTION, host_part
from ..plugin_utils._doctor.answers import examine_host
from ..plugin_utils._doctor.doctor import DOCTOR, bundle_text, failures, lines_of, record_of
from ..plugin_utils._files import host_folder, write_private
from ..plugin_utils._variables import all_read
from ..plugin_utils._worker import prepare_workers

prepare_workers()

BUNDLE = "bundle.json"
CLOCK = partial(datetime.now, timezone.utc)


class ActionModule(FleetAction):
    """Reads hosts, whether the play runs in check mode or not, and writes a file about each."""

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self.results(variables, self._examined)
        except ValueError as exc:
            return {"failed": True, "changed": False, "msg": str(exc)}

    def _examined(self, task: HostTask) -> dict[str, Any]:
        """The result of the task; raises OSError and ValueError."""
        options: dict[str, Any] = {}
        all_read(
            task.require_control_node,
            lambda: options.update(task.options(DOCTOR, "doctor_", self._task.args)),
            lambda: task.require_right(OF_CONNECTION),
        )
        part = host_part(task.host, task.values(OF_CONNECTION))
        known = known_secrets(part.options, os.environ)
        examination = examine_host(part, task.warn, CLOCK, task.screen("doctor"))
        record = redact(record_of(task.host, write_timestamp(CLOCK()), examination), known)
        path = host_folder(options["directory"], task.host) / BUNDLE
        lines = [*lines_of(record)]
        if not self._task.check_mode:
            write_private(path, redact(bundle_text(record, examination.answers), known))
            lines.append(f"  {path.absolute()}")
        say(self._display, "\n".join(lines))
        result = {"changed": False, "path": str(path), "warnings": task.misspelt_variables()}
        reasons = [reason for kind in options["fail_on"] for reason in failures(record, kind)]
        if not reasons:
            return {**result, "doctor": record}
        message = f"{task.host}: {'; '.join(reasons)}. Nothing was changed."
        return {**result, "failed": True, "msg": message}
