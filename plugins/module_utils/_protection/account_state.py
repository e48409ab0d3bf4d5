# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of an account out of a result, as filters and playbooks have it."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .._arguments import Arguments, list_of, read_value, result_argument
from .._errors import OptionError
from .._schema.account import COLLECTIONS, STATUS, TCP_KINDS
from .._schema.resource import Object, Resource, State
from .._text import Option

KIND: Arguments = {"kind": {"choices": list(TCP_KINDS), "required": True}}
COLLECTIONS_OF_RESULT: Arguments = {
    name: list_of(
        result_argument(
            [field.name for resource in resources for field in resource.fields],
            **(KIND if len(resources) > 1 else {}),
            **{name: {"type": "raw"} for name in resources[0].key},
        )
    )
    for name, resources in COLLECTIONS.items()
}
OWN_ACCOUNT = result_argument(
    status={"type": "dict"}, enabled={"type": "bool"}, **COLLECTIONS_OF_RESULT
)


def read_account(account: Any) -> State:
    """The collections that `account` contains; others are unknown. Raises OptionError.

    Takes the result of protection_info or account_protection, or {enabled, prefixes, allowlist,
    rules, filters, dns_rules} as account_protection takes them; fields that an entry leaves out
    have the default of a new object.
    """
    if isinstance(account, Mapping):
        account = account.get("protection", account)
    read_value(Option("account"), OWN_ACCOUNT, account)
    enabled = account.get("enabled")
    status = account.get("status") or ({} if enabled is None else {"enabled": enabled})
    state: dict[str, Sequence[Object]] = {STATUS.plural: [status]} if status else {}
    for name, resources in COLLECTIONS.items():
        entries = account.get(name)
        if entries is not None:
            for resource in resources:
                state[resource.plural] = _entries_of_resource(resource, entries)
    if not state:
        names = ", ".join(["status", *COLLECTIONS])
        raise OptionError(Option("account"), f"it says nothing of {names}")
    return state


def _entries_of_resource(resource: Resource, entries: Sequence[Object]) -> list[Object]:
    """The entries that belong to a resource, completed with the defaults of a new object."""
    objects: list[Object] = []
    for entry in entries:
        if entry.get("kind") in (None, resource.kind):
            values = {name: value for name, value in entry.items() if value is not None}
            objects.append({**resource.defaults(), **values})
    return objects
