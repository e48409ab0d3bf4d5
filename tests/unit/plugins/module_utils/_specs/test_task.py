# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a task, checked once and together."""

from __future__ import annotations

from datetime import datetime, timezone

from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.task import parse_task

from tests.support.connection import CONNECTION


def test_entries_expire_at_the_time_of_the_service() -> None:
    entry = {"prefix": "192.0.2.1", "comment": None, "enabled": None, "expires": "2026-01-01", "state": "present"}
    task = parse_task(MODULE_SPECS["allowlist_entry"], {**CONNECTION, "accept_risks": [], **entry}, {}, print)
    later = task.at(datetime(2026, 2, 1, tzinfo=timezone.utc))
    assert [len(item.at(None).expired) for item in task.desired] == [0]
    assert [len(item.expired) for item in later.desired] == [1]
