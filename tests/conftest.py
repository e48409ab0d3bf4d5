# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How thoroughly hypothesis looks: the same examples in every run, so that a failure is one for everybody."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.sampled_rows import EVERY_ROW

settings.register_profile("quick", max_examples=15, deadline=None, derandomize=True)
settings.register_profile("steady", max_examples=40, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.register_profile("plans", max_examples=600, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady" if EVERY_ROW else "quick"))


@pytest.fixture(scope="session")
def new_home(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes up a folder that nobody has used."""
    parent, numbers = tmp_path_factory.mktemp("homes"), itertools.count()
    return lambda: parent / str(next(numbers))


@pytest.fixture(autouse=True)
def own_home(new_home: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """No test counts the calls of another, or of the user who runs them."""
    monkeypatch.setenv("ANSIBLE_HOME", str(new_home()))
