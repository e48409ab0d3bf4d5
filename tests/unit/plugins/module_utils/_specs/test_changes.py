# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option that asks for the audit log."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import changes_of, check_changes


@pytest.mark.parametrize("hours", [-1, 13393])
def test_hours_that_no_log_has_are_refused(hours: float) -> None:
    with pytest.raises(OptionError, match="is not from 0 to 13392"):
        check_changes({"changes_hours": hours})


def test_no_hours_ask_for_nothing() -> None:
    nobody: Any = None
    check_changes({"changes_hours": 0.0})
    assert changes_of({"changes_hours": 0.0}, nobody) == {}
