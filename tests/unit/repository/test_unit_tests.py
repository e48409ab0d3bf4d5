# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Unit tests are one to one with the files of module_utils: every file has its tests, and every test file its file."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
FILES = ROOT / "plugins" / "module_utils"
TESTS = ROOT / "tests" / "unit" / "plugins" / "module_utils"
PROPERTIES = {"_plan/test_properties.py"}  # properties of several files together


def paths(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*.py") if path.name != "__init__.py"}


def test_every_file_of_module_utils_has_one_test_file_and_there_is_no_other() -> None:
    expected = {str(Path(path).with_name("test_" + Path(path).name.lstrip("_"))) for path in paths(FILES)}
    assert paths(TESTS) - PROPERTIES == expected
    assert paths(TESTS) >= PROPERTIES


def test_no_test_file_imports_another() -> None:
    tests = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")}
    assert [
        str(path) for path, text in tests.items() if re.search(r"^from tests\.[\w.]*\btest_", text, re.MULTILINE)
    ] == []
