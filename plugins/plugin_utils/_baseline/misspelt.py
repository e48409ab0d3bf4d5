# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Variables that look like those of the roles and playbooks, and are none of them."""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from ...module_utils._specs.host import EXCLUSIVE
from ...module_utils._text import closest
from .._variables import CONTACTS
from .variables import (
    BASELINE,
    FLEET,
    INVENTORY,
    LIMITS,
    PREFIX,
    PURGE,
    REPORT,
    RESULT,
    SNAPSHOT,
    SOURCE,
)

ROLES = Path(__file__).parents[3] / "roles"
TARGET = "target"  # of every playbook: the group of its hosts
OLD_NAMES = {
    **{f"{PREFIX}{name}_state": f"{PURGE}: [{name}]" for name in EXCLUSIVE},
    **{f"{PREFIX}{name}": f"{LIMITS}: {{{name}: ...}}" for name in BASELINE[LIMITS]["options"]},
}
INVENTORY_VARIABLES = frozenset(
    [
        *INVENTORY.values(),
        *CONTACTS.values(),
        "edge_account_name",
        "edge_account_type",
        "edge_zone_account",
        "edge_zone_account_id",
        "edge_zone_plan",
        "edge_zone_status",
    ]
)
ALIKE = 0.83  # of two names of which one may be the other, misspelt


def misspelt_in_host(names: Iterable[str]) -> list[str]:
    """A sentence for each variable of a host that the role baseline or the inventory does not have,
    such as a misspelt one."""
    return _misspelt_in_host(frozenset(names))


@lru_cache(maxsize=256)  # most hosts have the same
def _misspelt_in_host(names: Set[str]) -> list[str]:
    return [
        *_unknown_in_baseline(sorted(names)),
        *misspelt(names, "edge_", INVENTORY_VARIABLES, "the inventory"),
        *misspelt(names, "", [TARGET], "the playbooks"),
    ]


def _unknown_in_baseline(names: Iterable[str]) -> list[str]:
    """A sentence for each name with the prefix of the role, which nobody else has."""
    ours = {name.removeprefix(PREFIX): name for name in sorted(BASELINE)}
    known = {*BASELINE, RESULT, FLEET, SOURCE, SNAPSHOT, REPORT}
    unknown = [name for name in names if name.startswith(PREFIX) and name not in known]
    close = (ours.get(closest(name.removeprefix(PREFIX), ours), "") for name in unknown)
    return [_no_effect(name, "the role baseline", item) for name, item in zip(unknown, close)]


def misspelt(names: Iterable[str], prefix: str, known: Iterable[str], owner: str) -> list[str]:
    """A sentence for each name with this prefix that is close to a known one, and none of them;
    others may be the user's own."""
    ours = sorted(known)
    unknown = [name for name in sorted(names) if name.startswith(prefix) and name not in ours]
    near = (name for name in unknown if any(_is_as_long(name, item) for item in ours))
    meant = ((name, closest(name, ours, ALIKE)) for name in near)
    return [_no_effect(name, owner, close) for name, close in meant if close]


def _is_as_long(name: str, known: str) -> bool:
    """True if two names can be alike by their lengths; a comparison takes far longer."""
    length = len(name) + len(known)
    return 2 * min(len(name), len(known)) >= ALIKE * length


def _no_effect(name: str, owner: str, close: str) -> str:
    if name in OLD_NAMES:
        return f"{name}: write {OLD_NAMES[name]}; {name} has no effect."
    question = f" Did you mean {close}?" if close else ""
    return f"{name} is not a variable of {owner}; it has no effect.{question}"


def defaults_of(role: str) -> dict[str, Any]:
    """The defaults of the variables of a role, none of which is a template."""
    path = ROLES / role / "defaults" / "main.yml"
    defaults: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return defaults


@lru_cache
def declared_in(role: str) -> dict[str, dict[str, Any]]:
    """The variables that the argument specification of a role declares."""
    path = ROLES / role / "meta" / "argument_specs.yml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    declared: dict[str, dict[str, Any]] = document["argument_specs"]["main"]["options"]
    return declared
