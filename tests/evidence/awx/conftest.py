# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A controller in memory, set up by the playbook of extensions/awx once for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.ansible_run import Run

from .controller import Controller
from .running import set_up


@pytest.fixture(scope="session")
def controller() -> Iterator[Controller]:
    with Controller() as running:
        running.add("notification_templates", {"name": "chat"})
        yield running


@pytest.fixture(scope="session")
def first(controller: Controller) -> Run:
    return set_up(controller).done()
