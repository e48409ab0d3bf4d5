# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an account, as a result shows it or as variables describe it, into collections."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .._schema.account import KINDS, LISTS, STATUS
from .._schema.resource import State


def read_account(account: Any) -> State:
    """The collections that `account` contains; others are unknown. Raises ValueError.

    Takes the result of protection_info or account_protection, or {enabled, prefixes, allowlist,
    rules, filters, dns_rules} as account_protection takes them; fields that an entry leaves out
    have the default of a new object.
    """
    if not isinstance(account, Mapping):
        raise ValueError(
            "it takes the result of protection_info, or a dictionary with prefixes, rules and so on"
        )
    account = account.get("protection", account)
    state = _status(account)
    for name, resources in LISTS.items():
        if account.get(name) is None:
            continue
        entries = _entries(name, account[name])
        for resource in resources:
            state[resource.plural] = [
                {**resource.defaults(), **entry}
                for entry in entries
                if entry.get("kind") in (None, resource.kind)
            ]
    if not state:
        raise ValueError(f"it says nothing of {', '.join(['status', *LISTS])}")
    return state


def _status(account: Mapping[str, Any]) -> dict[str, Any]:
    status = account.get("status")
    if isinstance(status, Mapping):
        return {STATUS.plural: [status]}
    return (
        {} if account.get("enabled") is None else {STATUS.plural: [{"enabled": account["enabled"]}]}
    )


def _entries(name: str, entries: Any) -> Sequence[Mapping[str, Any]]:
    if (
        not isinstance(entries, Sequence)
        or isinstance(entries, str)
        or not all(isinstance(item, Mapping) for item in entries)
    ):
        raise ValueError(f"{name} is not a list of dictionaries")
    if len(LISTS[name]) > 1:
        for position, item in enumerate(entries):
            if item.get("kind") not in KINDS:
                raise ValueError(f"{name}[{position}].kind is not one of {', '.join(KINDS)}")
    return [
        {field: value for field, value in item.items() if value is not None} for item in entries
    ]
