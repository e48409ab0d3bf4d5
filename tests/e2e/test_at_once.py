# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two and three playbooks at once, in processes of their own: a handful of what `python -m tests.evidence.at_once` runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evidence.at_once import WAYS, problems
from tests.fake_service import LocalService


@pytest.mark.parametrize("seed", range(len(WAYS)), ids=WAYS)
def test_playbooks_at_once_lose_nothing(seed: int, tmp_path: Path) -> None:
    with LocalService() as service:
        assert list(problems(service, seed, tmp_path)) == []
