# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Unit tests are one to one with the files of module_utils and plugin_utils: every file has its tests, and every test
file its file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FILES, TESTS = ROOT / "plugins", ROOT / "tests" / "unit" / "plugins"
PROPERTIES = {"module_utils/_plan/test_properties.py"}  # properties of several files together
# The formats of the report have one test file: what it imports, shows one report.
TOGETHER = {"plugin_utils/_report/test_pages.py"}


def paths(folder: Path, application: str) -> set[str]:
    files = (folder / application).rglob("*.py")
    return {str(path.relative_to(folder)) for path in files if path.name != "__init__.py"}


def file_of_tests(path: str) -> str:
    return str(Path(path).with_name("test_" + Path(path).name.lstrip("_")))


def imported(test: str) -> set[str]:
    """The files that a test file of several files imports, from the folder that it is for."""
    folder = Path(test).parent
    text = (TESTS / test).read_text(encoding="utf-8")
    names = re.findall(rf"^from [\w.]+\.{folder.name}\.(\w+) import", text, re.MULTILINE)
    return {str(folder / f"{name}.py") for name in names}


@pytest.mark.parametrize("application", ["module_utils", "plugin_utils"])
def test_every_file_has_one_test_file_and_there_is_no_other(application: str) -> None:
    files, tests = paths(FILES, application), paths(TESTS, application)
    together = {file for test in TOGETHER & tests for file in imported(test)}
    expected = {file_of_tests(path) for path in files}
    assert tests - PROPERTIES - TOGETHER <= expected
    assert expected - tests <= {file_of_tests(path) for path in together}
    assert tests >= {path for path in PROPERTIES | TOGETHER if path.startswith(application)}


def test_no_test_file_imports_another() -> None:
    tests = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")}
    assert [
        str(path) for path, text in tests.items() if re.search(r"^from tests\.[\w.]*\btest_", text, re.MULTILINE)
    ] == []
