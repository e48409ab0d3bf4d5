# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever belongs to a module beside its specification is there for each, and for no module that is none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import OWNERS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE, MODULE_SPECS

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
MODULES = sorted({*MODULE_SPECS} - {HOST_MODULE})  # those that people call
OF_ANY = ("custom_ruleset",)  # whose owner is an account or a zone
GROUPS = {
    "all": MODULES,
    **{
        option.removesuffix("_id"): [
            name for name in MODULES if MODULE_SPECS[name].owner == option and name not in OF_ANY
        ]
        for option in OWNERS
    },
}
ROW = re.compile(r"^\| `(?P<name>\w+)` \| (?P<description>[^|]*) \| [^|]* \|$", re.MULTILINE)


def problems() -> Iterator[str]:
    """What is missing or stale beside the specifications of the modules."""
    for name in MODULES:
        for folder, text in (("action", STUB), ("modules", MAIN.format(name=name))):
            path = ROOT / "plugins" / folder / f"{name}.py"
            if not path.is_file() or not path.read_text(encoding="utf-8").endswith(text):
                yield f"plugins/{folder}/{name}.py is not as it is for every module"
    runtime = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))
    if runtime["action_groups"] != GROUPS:
        yield "meta/runtime.yml has other modules in its action groups"
    table = (
        (ROOT / "plugins" / "README.md")
        .read_text(encoding="utf-8")
        .partition("\n## Modules\n")[2]
        .partition("\n## ")[0]
    )
    rows = [(row["name"], row["description"]) for row in ROW.finditer(table)]
    if rows != [(name, short_description(name)) for name in MODULES]:
        yield "plugins/README.md has another table of modules"


def short_description(name: str) -> str:
    path = ROOT / "plugins" / "modules" / f"{name}.py"
    match = re.search(
        r"^short_description: (.*)$", path.read_text(encoding="utf-8") if path.is_file() else "", re.MULTILINE
    )
    return match[1] if match else ""


def test_all_that_belongs_to_a_module_is_there() -> None:
    assert list(problems()) == []


def test_a_module_has_no_option_that_is_not_about_it() -> None:
    """The pages of half of the modules have at most twenty options; ten are credentials and the connection."""
    paths = (ROOT / "plugins" / "modules").glob("*.py")
    names = [f"edgeops.protection.{path.stem}" for path in paths if path.stem != HOST_MODULE]
    words = [str(Path(sys.executable).with_name("ansible-doc")), "--json", "--type", "module", *names]
    pages = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    options = {name: len(page["doc"].get("options", ())) for name, page in pages.items()}
    assert len(options) == len(names)
    assert options["edgeops.protection.tcp_protection_status"] <= 14
    assert median(options.values()) <= 20, options


def test_the_list_of_modules_reads_as_a_table_of_contents() -> None:
    """`ansible-doc -l` shows 32 characters of each on a narrow terminal, and readers look at the first words."""
    paths = (ROOT / "plugins" / "modules").glob("[a-z]*.py")
    titles = {path.stem: short_description(path.stem) for path in paths}
    beginnings = {" ".join(title.split()[:3]) for title in titles.values()}
    assert len(titles) == len(beginnings) > 20, titles


@pytest.mark.parametrize("path", sorted((ROOT / "plugins" / "action").glob("*.py")), ids=lambda path: path.stem)
def test_every_action_that_calls_modules_prepares_its_workers(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    prepares = text.endswith(STUB) or "\nprepare_workers(" in text
    assert prepares is bool(re.search(r"plugin_utils\.(_action|_tasks\.dispatch) import", text))


@pytest.mark.parametrize("folder", ["doc_fragments", "module_utils", "plugin_utils"])
def test_the_name_of_what_is_private_begins_with_an_underscore(folder: str) -> None:
    names = {path.name for path in (ROOT / "plugins" / folder).glob("*") if path.name != "__pycache__"}
    assert len(names) > 5 and {name for name in names if not name.startswith("_")} == set()
