# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleFilterError
from ansible.utils.display import Display

from ..module_utils._arguments import Argument, Arguments, list_of, result_argument
from ..module_utils._schema.account import COLLECTIONS, STATUS
from ..module_utils._schema.custom_rules import CUSTOM_RULES
from ..module_utils._schema.firewall_rules import FIREWALL_RULES
from ..module_utils._schema.registry import BY_PLURAL
from ..module_utils._schema.resource import Object, Resource, without
from ..plugin_utils._export.describe import Export, export_state, export_text
from ..plugin_utils._variables import plain, read_call


def _objects_of(*resources: Resource) -> Argument:
    """The argument that takes objects of these resources."""
    names: list[str] = []
    for resource in resources:
        names += resource.key
        names += [field.name for field in resource.fields]
    return list_of(result_argument(names))


def _collection(resources: Sequence[Resource]) -> Argument:
    """The argument that takes the objects of a collection, which a result has unless it is read on
    demand alone."""
    is_on_demand = all(resource.on_demand for resource in resources)
    return {**_objects_of(*resources), "required": not is_on_demand}


CALL: Arguments = {
    "account": result_argument(
        BY_PLURAL,
        status={"type": "dict", "required": True},
        **{name: _collection(resources) for name, resources in COLLECTIONS.items()},
    ),
    CUSTOM_RULES.plural: _objects_of(CUSTOM_RULES),
    FIREWALL_RULES.plural: _objects_of(FIREWALL_RULES),
    "purge": {"type": "bool", "default": False},
}


def to_baseline(
    account: Mapping[str, Any] | None,
    custom_rules: Any = None,
    firewall_rules: Any = None,
    purge: bool = False,
) -> dict[str, Any]:
    """The variables of the role baseline that describe an account and a zone; see
    to_baseline.yml."""
    return _exported("to_baseline", account, custom_rules, firewall_rules, purge).variables


def to_baseline_file(
    account: Mapping[str, Any] | None,
    custom_rules: Any = None,
    firewall_rules: Any = None,
    purge: bool = False,
    source: Mapping[str, Any] | None = None,
) -> str:
    """The same as the text of a file of variables; see to_baseline_file.yml."""
    export = _exported("to_baseline_file", account, custom_rules, firewall_rules, purge)
    return export_text(export, plain(source) if source else {})


def _exported(
    name: str, account: Any, custom_rules: Any, firewall_rules: Any, purge: bool
) -> Export:
    rules = {CUSTOM_RULES.plural: custom_rules, FIREWALL_RULES.plural: firewall_rules}
    try:
        call = read_call(CALL, account=account or None, purge=purge, **rules)
        state = _account_state(call["account"]) if account else {}
        state.update({name: call[name] for name in rules if call[name] is not None})
        export = export_state(state, purge=call["purge"])
    except (AttributeError, TypeError, ValueError) as exc:
        raise AnsibleFilterError(f"edgeops.protection.{name}: {exc}") from None
    for note in export.notes:
        Display().warning(note)
    return export


def _account_state(result: Mapping[str, Any]) -> dict[str, list[Object]]:
    """The objects in a result of protection_info, by the plural of each resource."""
    state: dict[str, list[Object]] = {STATUS.plural: [result[STATUS.plural]]}
    for name, resources in COLLECTIONS.items():
        objects = result.get(name)
        if objects is not None:
            for resource in resources:
                state[resource.plural] = _of_kind(resource, objects)
    return state


def _of_kind(resource: Resource, objects: Sequence[Object]) -> list[Object]:
    """The objects of one resource, as Cloudflare has them, in a list of several kinds."""
    if resource.kind is None:
        return list(objects)
    return [without(obj, "kind") for obj in objects if obj.get("kind") == resource.kind]


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The functions, by the names of their filters."""
        return {"to_baseline": to_baseline, "to_baseline_file": to_baseline_file}
