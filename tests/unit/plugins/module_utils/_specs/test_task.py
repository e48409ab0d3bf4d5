# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a task, checked once and together."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionErrors
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.task import Task, parse_task
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

from tests.support.connection import CONNECTION


def parsed(module: str = "tcp_protection_status", /, **options: Any) -> tuple[Task, list[str]]:
    warnings: list[str] = []
    given = {**CONNECTION, "accept_risks": [], "enabled": True, **options}
    return parse_task(MODULE_SPECS[module], given, {}, warnings.append), warnings


def test_all_errors_in_the_options_are_told_together() -> None:
    with pytest.raises(OptionErrors) as caught:
        parsed(timeout=0, enabled="on", accept_risks=["all"], max_deletions_percent=101)
    assert [error.option for error in caught.value.errors] == [
        Option("timeout"),
        Option("max_deletions_percent"),
        Option("accept_risks", 0),
        Option("enabled"),
    ]


def test_entries_expire_at_the_time_of_the_service() -> None:
    entry = {"prefix": "192.0.2.1", "comment": None, "enabled": None, "expires": "2026-01-01", "state": "present"}
    task, _warnings = parsed("allowlist_entry", **entry)
    later = task.at(datetime(2026, 2, 1, tzinfo=timezone.utc))
    assert [len(item.at(None).expired) for item in task.desired] == [0]
    assert [len(item.expired) for item in later.desired] == [1]
