# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every package of module_utils and plugin_utils has unit tests, in a folder of its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FILES, TESTS = ROOT / "plugins", ROOT / "tests" / "unit" / "plugins"


def packages(folder: Path) -> set[str]:
    return {str(path.parent.relative_to(folder)) for path in folder.rglob("*.py")}


@pytest.mark.parametrize("application", ["module_utils", "plugin_utils"])
def test_every_package_has_tests_and_there_are_no_others(application: str) -> None:
    assert packages(FILES / application) == packages(TESTS / application)


def test_no_test_file_imports_another() -> None:
    tests = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")}
    assert [
        str(path) for path, text in tests.items() if re.search(r"^from tests\.[\w.]*\btest_", text, re.MULTILINE)
    ] == []
