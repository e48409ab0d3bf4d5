# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The diff of a result as text. Ansible shows the diff of a task that changed something; that of a
task that refused its plan the actions show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import unified_diff
from typing import Any

import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._text import visible

from ._plain import plain

Result = Mapping[str, Any]


def failure_diff(results: Iterable[Result]) -> str:
    """What the failed task would change, or has changed, by the results of its modules."""
    return "\n".join(line for result in results for line in _lines(result.get("diff")))


def _lines(diff: Any) -> Iterator[str]:
    if isinstance(diff, Mapping):
        before, after = (_text(diff.get(side)) for side in ("before", "after"))
        lines = unified_diff(before, after, "before", "after", lineterm="")
        yield from map(visible, lines)


def _text(state: Any) -> list[str]:
    return yaml.safe_dump(plain(state), allow_unicode=True).splitlines() if state else []
