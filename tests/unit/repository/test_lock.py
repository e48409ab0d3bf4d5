# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lock has a version with hashes for all that tests/requirements asks for: `make lock` writes it anew."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REQUIREMENTS = Path(__file__).parents[2] / "requirements"
LOCK = REQUIREMENTS / "lock.txt"
NOT_LOCKED = {
    LOCK,
    REQUIREMENTS / "octorules.txt",
}  # the second is for an environment of its own, which no change needs


def requirements(path: Path) -> list[Requirement]:
    lines = (line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith("-r ")]


def test_the_lock_has_a_version_with_hashes_of_each_requirement() -> None:
    pins = re.findall(
        r"^([\w.-]+)==(\S+)[^\n]*((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)$",
        LOCK.read_text("utf-8"),
        re.MULTILINE,
    )
    locked = {canonicalize_name(name): version for name, version, _hashes in pins}
    assert len(locked) > 100 and len(pins) == len(re.findall(r"^\S+==", LOCK.read_text("utf-8"), re.MULTILINE))
    required = [item for path in REQUIREMENTS.glob("*.txt") if path not in NOT_LOCKED for item in requirements(path)]
    wrong = [str(item) for item in required if locked.get(canonicalize_name(item.name), "") not in item.specifier]
    assert wrong == []
