# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a snapshot or an export makes of a host: the modules to run so that it is again as the file
says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import LISTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.owners import (
    ACCOUNT_OWNER,
    ZONE_OWNER,
)

from .._baseline.variables import CUSTOM as CUSTOM_RULES
from .._baseline.variables import (
    EXPECTED_PLAN,
    INVENTORY,
    NAMES,
    PREFIX,
    READ,
    SOURCE,
    ZONE_VARIABLES,
    Part,
    parts_of,
)
from .._plain import plain

ACCOUNT_STATE = frozenset(f"{PREFIX}{option}" for option in ("enabled", *LISTS))
HOW = frozenset(
    f"{PREFIX}{option}" for option in ("purge", "custom_rules_state")
)  # a restore is exact in any case
IN_A_FILE = ACCOUNT_STATE | HOW | {*ZONE_VARIABLES, SOURCE}
OF_A_ROLLOUT = ("accept_risks", "staged_rollout", "rollout_evidence")  # which a restore is not
ACCEPTED = "restore_accept_risks"  # the variable of the playbook
# What the variables of the inventory say of a host that is restored: where it is and how it is
# reached, and limits.
OF_INVENTORY = tuple(
    name
    for name in READ
    if name not in IN_A_FILE | {*NAMES[CUSTOM_RULES].values()}
    and name not in (*(f"{PREFIX}{option}" for option in OF_A_ROLLOUT), EXPECTED_PLAN)
)


def parts_to_restore(
    host: str,
    variables: Mapping[str, Any],
    document: Any,
    file: str,
    accept_risks: Sequence[Any] = (),
) -> list[Part]:
    """The modules that make a host exactly what the document of a file says.

    `variables` are those of the host, without templates. Raises ValueError for a document that is
    no snapshot and no export, or that is one of another account or zone.
    """
    state = _checked(document, file)
    values = {name: variables[name] for name in OF_INVENTORY if name in variables}
    has_account, has_zone = (
        bool(ACCOUNT_STATE & state.keys()),
        any(name in state for name in ZONE_VARIABLES),
    )
    for present, kind, options in (
        (has_account, ACCOUNT_OWNER.title, ACCOUNT_OWNER.options),
        (has_zone, ZONE_OWNER.title, ZONE_OWNER.options),
    ):
        if present:
            _check_owner(host, values, state[SOURCE], file, kind, options)
        else:
            values = {name: value for name, value in values.items() if not name.endswith(options)}
    incomplete = state[SOURCE].get("incomplete") or []
    values.update(
        {name: state[name] for name in state if name in ACCOUNT_STATE or name in ZONE_VARIABLES}
    )
    values[f"{PREFIX}purge"] = [
        name for name in LISTS if f"{PREFIX}{name}" in state and name not in incomplete
    ]
    values[f"{PREFIX}custom_rules_state"] = "present" if CUSTOM_RULES in incomplete else "exact"
    values[f"{PREFIX}staged_rollout"] = False  # each mode as it was
    values[f"{PREFIX}accept_risks"] = list(accept_risks)
    return [
        replace(part, names={**part.names, "accept_risks": ACCEPTED})
        for part in parts_of(host, values)
    ]


def _checked(document: Any, file: str) -> dict[str, Any]:
    """The variables in the document; raises ValueError where an export would not have written
    them."""
    state = plain(document)
    if not isinstance(state, dict) or not isinstance(state.get(SOURCE), dict):
        raise ValueError(
            f"{file} is no snapshot and no export: it lacks {SOURCE}, which names its account and"
            " zone."
        )
    others = sorted(state.keys() - IN_A_FILE)
    if others:
        raise ValueError(
            f"{file} is no snapshot and no export: it has {', '.join(others)}, which such a file"
            " does not have."
        )
    return state


def _check_owner(
    host: str,
    values: Mapping[str, Any],
    source: Mapping[str, Any],
    file: str,
    kind: str,
    options: Sequence[str],
) -> None:
    """Raises ValueError unless the file and the host name the same account or zone, in one of the
    ways to name it."""
    named = {
        option: values.get(f"{PREFIX}{option}") or values.get(INVENTORY[f"{PREFIX}{option}"])
        for option in options
    }
    common = [option for option in options if named[option] and source.get(option)]
    if any(
        str(named[option]).strip().lower() == str(source[option]).strip().lower()
        for option in common
    ):
        return
    of_file = next((source[option] for option in options if source.get(option)), "not named")
    of_host = next((named[option] for option in options if named[option]), "not named")
    raise ValueError(
        f"{file} is of another {kind}: that of the file is {of_file}, and that of {host} is"
        f" {of_host}. Use --limit, or the file of this host."
    )
