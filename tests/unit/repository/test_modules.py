# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever belongs to a module beside its specification is there for each, and for no module that is none."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

ROOT = Path(__file__).parents[3]
PLUGINS = "ansible_collections.edgeops.protection.plugins"
# The action keeps the credentials of a module on the control node; without it, ansible-core starts the module as any other.
STUB = """from __future__ import annotations

from ..plugin_utils._action import module_action

ActionModule = module_action(__name__)
"""
MAIN = f"""
from {PLUGINS}.module_utils._module import run_module
from {PLUGINS}.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["{{name}}"])


if __name__ == "__main__":
    main()
"""
ROW = re.compile(r"^\| `(?P<name>\w+)` \| (?P<description>[^|]*) \| [^|]* \|$", re.MULTILINE)


def problems(root: Path) -> Iterator[str]:
    """What is missing or stale beside the specifications of the modules."""
    for name in MODULE_SPECS:
        for folder, text in (("action", STUB), ("modules", MAIN.format(name=name))):
            path = root / "plugins" / folder / f"{name}.py"
            if not path.is_file() or not path.read_text(encoding="utf-8").endswith(text):
                yield f"plugins/{folder}/{name}.py is not as it is for every module"
    runtime = yaml.safe_load((root / "meta" / "runtime.yml").read_text(encoding="utf-8"))
    if runtime["action_groups"] != {"all": sorted(MODULE_SPECS)}:
        yield "meta/runtime.yml has other modules in its action group"
    table = (root / "README.md").read_text(encoding="utf-8").partition("\n## Modules\n")[2].partition("\n## ")[0]
    rows = [(row["name"], row["description"]) for row in ROW.finditer(table)]
    if rows != [(name, short_description(root, name)) for name in sorted(MODULE_SPECS)]:
        yield "README.md has another table of modules"


def short_description(root: Path, name: str) -> str:
    path = root / "plugins" / "modules" / f"{name}.py"
    match = re.search(
        r"^short_description: (.*)$", path.read_text(encoding="utf-8") if path.is_file() else "", re.MULTILINE
    )
    return match[1] if match else ""


def test_all_that_belongs_to_a_module_is_there() -> None:
    assert list(problems(ROOT)) == []


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for folder in ("plugins/action", "plugins/modules", "meta"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "README.md", tmp_path)
    return tmp_path


@pytest.mark.parametrize("folder", ["action", "modules"])
def test_a_missing_file_is_noticed(checkout: Path, folder: str) -> None:
    (checkout / "plugins" / folder / "custom_rules.py").unlink()
    assert f"plugins/{folder}/custom_rules.py is not as it is for every module" in list(problems(checkout))


def test_an_action_of_its_own_is_noticed(checkout: Path) -> None:
    path = checkout / "plugins" / "action" / "allowlist.py"
    path.write_text(path.read_text(encoding="utf-8").replace("_utils._action", "_utils._other"), encoding="utf-8")
    assert list(problems(checkout)) == ["plugins/action/allowlist.py is not as it is for every module"]


@pytest.mark.parametrize("path", ["meta/runtime.yml", "README.md"])
def test_a_module_that_a_list_leaves_out_is_noticed(checkout: Path, path: str) -> None:
    lines = (checkout / path).read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not re.match(r"(\| `|    - )protection_rule\b", line)]
    assert len(kept) == len(lines) - 1
    (checkout / path).write_text("".join(kept), encoding="utf-8")
    assert [problem.partition(" ")[0] for problem in problems(checkout)] == [path]


@pytest.mark.parametrize("path", sorted((ROOT / "plugins" / "action").glob("*.py")), ids=lambda path: path.stem)
def test_every_action_that_calls_modules_prepares_its_workers(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    prepares = text.endswith(STUB) or "\nprepare_workers(" in text
    assert prepares is bool(re.search(r"plugin_utils\.(_action|_baseline\.fleet) import", text))
