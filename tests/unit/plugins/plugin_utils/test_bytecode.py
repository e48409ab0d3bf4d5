# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The import finder stands before that of Ansible, unless the switch of the fast path says otherwise."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "fast_path.md").read_text(encoding="utf-8")
PERFORMANCE = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
FIRST_IMPORT = re.compile(r"^from \.\.(\S+) import (\w+)", re.MULTILINE)
PROGRAM = """
import sys
from ansible.plugins.loader import init_plugin_loader
init_plugin_loader([])
from ansible_collections.edgeops.protection.plugins.plugin_utils import _bytecode
from ansible_collections.edgeops.protection.plugins.plugin_utils import _files
names = [getattr(finder, "__name__", type(finder).__name__) for finder in sys.meta_path]
print("ByFile" in map(str, names) or any(type(finder).__name__ == "ByFile" for finder in sys.meta_path), _files.__name__)
"""


@pytest.mark.parametrize(("value", "is_there"), [("", True), ("1", True), ("0", False), ("no", False)])
def test_the_finder_is_there_unless_it_is_switched_off(value: str, is_there: bool) -> None:
    environment = {"EDGEOPS_PROTECTION_FAST_PATH": value, "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    there, module = run.stdout.split()
    assert (there, module.rpartition(".")[2]) == (str(is_there), "_files")


def test_the_page_is_short_and_its_figures_are_those_that_are_measured() -> None:
    assert len(PAGE.split()) <= 400
    figures = set(re.findall(r"\b\d\.\d+\b(?= of)", PAGE))
    assert len(figures) == 3
    assert figures <= set(re.findall(r"(?<=\| )\d\.\d+(?= \|)", PERFORMANCE))


@pytest.mark.parametrize("kind", ["action", "filter", "inventory", "lookup"])
def test_each_plugin_sets_the_finder_up_before_it_imports_private_modules(kind: str) -> None:
    for path in sorted((ROOT / "plugins" / kind).glob("*.py")):
        first = FIRST_IMPORT.search(path.read_text(encoding="utf-8"))
        assert first and {"_bytecode", "module_action"} & {*first.groups()}, path.name
