# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The task of the playbook notify that compares a report with what was told before."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from ...module_utils._arguments import TEXTS, Arguments
from .._action import CollectionAction
from .._baseline.host_task import HostTask
from .._report.news import NewsTerms, read_news
from .._variables import read_variables

TOLD = ["unknown", "unprotected", "weakened", "drift"]  # that are told of by default
NEWS: Arguments = {
    "report_directory": {"type": "path", "default": "report"},
    "notify_state": {"type": "path"},
    "notify_again_days": {"type": "float", "default": 1.0},
    "notify_statuses": {**TEXTS, "choices": [*TOLD, "pending"], "default": TOLD},
}
STATE_FILE = "notified.json"  # beside the report


class NewsAction(CollectionAction):
    """Reads a report, and what was told before."""

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return {"changed": False, "news": _news_of_run(HostTask(self.calls(variables)))}
        except ValueError as exc:
            return {"failed": True, "changed": False, "msg": str(exc)}


def _news_of_run(task: HostTask) -> dict[str, Any]:
    """The news, by the variables of the playbook; raises ValueError."""
    values = task.values(NEWS)
    set_values = {name: value for name, value in values.items() if value not in (None, "", [])}
    options = read_variables(NEWS, set_values)
    directory = Path(options["report_directory"]).absolute()
    state_file = Path(options["notify_state"] or directory / STATE_FILE).absolute()
    again = timedelta(days=options["notify_again_days"])
    terms = NewsTerms(options["notify_statuses"], datetime.now(timezone.utc), again)
    return read_news(directory, state_file, terms)
