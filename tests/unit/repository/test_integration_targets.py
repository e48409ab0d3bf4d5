# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ansible-test integration runs every role of the collection in a target, and every module there or in a role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
COLLECTION = "edgeops.protection."
TARGETS = [path.parent for path in sorted((ROOT / "tests/integration/targets").glob("*/aliases"))]
MODULES = sorted(path.stem for path in (ROOT / "plugins/modules").glob("[!_]*.py"))
ROLES = sorted(path.name for path in (ROOT / "roles").iterdir() if path.is_dir())


def tasks_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every mapping within a file of tasks."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from tasks_in(item)


def tasks_of(folders: Iterable[Path]) -> list[dict[str, Any]]:
    """The tasks of targets or roles."""
    files = [path for folder in folders for path in sorted(folder.glob("tasks/*.yml"))]
    return [task for path in files for task in tasks_in(yaml.safe_load(path.read_text(encoding="utf-8")))]


TASKS = tasks_of(TARGETS)
TASKS_OF_ROLES = tasks_of(ROOT / "roles" / role for role in ROLES)


@pytest.mark.parametrize("module", MODULES)
def test_every_module_is_used_in_a_target(module: str) -> None:
    assert any(COLLECTION + module in task for task in TASKS + TASKS_OF_ROLES), (
        f"Add a task with {COLLECTION}{module} to tests/integration/targets/modules/tasks."
    )


@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_used_in_a_target(role: str) -> None:
    roles = [task["ansible.builtin.include_role"]["name"] for task in TASKS if "ansible.builtin.include_role" in task]
    assert COLLECTION + role in roles, f"Add a target tests/integration/targets/{role}_role; export_role is an example."
