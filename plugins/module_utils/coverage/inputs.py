# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An account as results show it, or as variables wish for it, read back into collections."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ..schema.account import ALLOWLIST, FILTERS, KINDS, PREFIXES, RULES, STATUS
from ..schema.resource import Resource, State

LISTS: Mapping[str, tuple[Resource, ...]] = {
    "prefixes": (PREFIXES,),
    "allowlist": (ALLOWLIST,),
    "rules": RULES,
    "filters": FILTERS,
}


def read_account(told: Any) -> State:
    """The collections that are told of; those that are not stay unknown. Raises ValueError.

    Takes the result of protection_info or account_protection, or {enabled, prefixes, allowlist, rules, filters} as
    account_protection takes them, where what an entry leaves out is as in a new object.
    """
    if not isinstance(told, Mapping):
        raise ValueError("it takes the result of protection_info, or a dictionary with prefixes, rules and so on")
    told = told.get("protection", told)
    state = _status(told)
    for name, resources in LISTS.items():
        if told.get(name) is None:
            continue
        entries = _entries(name, told[name])
        for resource in resources:
            state[resource.plural] = [
                {**resource.defaults(), **entry} for entry in entries if entry.get("kind") in (None, resource.kind)
            ]
    if not state:
        raise ValueError(f"it says nothing of {', '.join(['status', *LISTS])}")
    return state


def _status(told: Mapping[str, Any]) -> dict[str, Any]:
    status = told.get("status")
    if isinstance(status, Mapping):
        return {STATUS.plural: [status]}
    return {} if told.get("enabled") is None else {STATUS.plural: [{"enabled": told["enabled"]}]}


def _entries(name: str, told: Any) -> Sequence[Mapping[str, Any]]:
    if not isinstance(told, Sequence) or isinstance(told, str) or not all(isinstance(item, Mapping) for item in told):
        raise ValueError(f"{name} is not a list of dictionaries")
    if name in ("rules", "filters"):
        for position, item in enumerate(told):
            if item.get("kind") not in KINDS:
                raise ValueError(f"{name}[{position}].kind is not one of {', '.join(KINDS)}")
    return [{field: value for field, value in item.items() if value is not None} for item in told]
