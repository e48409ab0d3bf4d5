# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The local service that a playbook talks to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fake_service import LocalService


@pytest.fixture
def service() -> Iterator[LocalService]:
    with LocalService() as running:
        yield running
        assert not running.breaches
