# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for an account's Advanced TCP Protection and Advanced DNS Protection: its parts, and
the whole of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Sequence

from .._arguments import only, unless_wrong
from .._errors import OptionProblems
from .._guard.risks.account import ACCOUNT_RISKS, risks_of_account
from .._guard.risks.declaration import risk_options
from .._guard.terms import ROLLOUT_EVIDENCE
from .._plan.desired import Desired, Entries, check_purge, numbered, parse_desired, raise_any
from .._protection.expectation import EXPECTATION_OPTIONS, PACKET
from .._schema.account import ACCOUNT_RESOURCES, ALLOWLIST, COLLECTIONS, PREFIXES, RULES, STATUS
from .._schema.resource import OptionSpec, Resource, State
from .._text import Option
from .base import (
    CommonOptions,
    ModuleResult,
    ModuleSpec,
    Options,
    Setting,
    WholeList,
    fields_of,
    is_absent,
    list_option,
    purge_option,
    purged,
    shown_objects,
)

STAGED_ROLLOUT: OptionSpec = {
    "staged_rollout": {"type": "bool", "default": False},
    **ROLLOUT_EVIDENCE,
}
KIND_OPTION: OptionSpec = {
    "kind": {"type": "str", "choices": [rules.kind for rules in RULES], "required": True}
}
SUBSETS: Mapping[str, tuple[Resource, ...]] = {"status": (STATUS,), **COLLECTIONS}


def subsets_of(state: State) -> dict[str, Any]:
    """The parts of an account that were read, by their names in results, in the form of results."""
    subsets: dict[str, Any] = {
        name: shown_objects(resources, state)
        for name, resources in SUBSETS.items()
        if all(resource.plural in state for resource in resources)
    }
    if "status" in subsets:
        (subsets["status"],) = subsets["status"]
    return subsets


class SingleObject(ModuleSpec):
    """A module for one object of a collection, or of one of several kinds of collections; its
    result has the object under `name`."""

    risks = ACCOUNT_RISKS
    one_object = True

    def __init__(self, resources: tuple[Resource, ...], name: str) -> None:
        self._resources = resources
        self._name = name
        with_all_fields = resources[0]
        has_kinds = len(resources) > 1
        has_modes = with_all_fields.mode_field is not None
        self.options = {
            **(KIND_OPTION if has_kinds else {}),
            **with_all_fields.options,
            **CommonOptions.STATE,
            **(STAGED_ROLLOUT if has_modes else {}),
            **risk_options(risks_of_account(*resources)),
        }

    def desired(self, options: Options) -> Sequence[Desired]:
        # With fields of other kinds, which parse_desired refuses.
        fields = only(options, self._resources[0].options)
        resource = _resource_of(self._resources, options)
        return (parse_desired(resource, [(Option(), fields)], absent=is_absent(options)),)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        resource, (key,) = desired[0].resource, desired[0].objects
        for obj in shown_objects((resource,), state):
            if resource.key_of(obj) == key:
                return {self._name: obj}
        return {self._name: None}


def _collection_options() -> OptionSpec:
    """The options of the account's collections."""
    options: OptionSpec = {}
    for name, resources in COLLECTIONS.items():
        extra_options = KIND_OPTION if len(resources) > 1 else None
        with_all_fields = resources[0]
        options[name] = list_option(with_all_fields, extra_options)
    return options


class AccountProtection(ModuleSpec):
    """The module account_protection: one plan for the whole account. Collections that the task
    leaves out do not change.
    """

    risks = ACCOUNT_RISKS
    expects = (PACKET,)
    lists_unmanaged = True

    def __init__(self) -> None:
        self.options = {
            **STATUS.options,
            **_collection_options(),
            **purge_option(*COLLECTIONS),
            "ignore_ids": {"type": "list", "elements": "str", "default": []},
            **EXPECTATION_OPTIONS,
            **STAGED_ROLLOUT,
            **risk_options(ACCOUNT_RISKS),
        }

    def desired(self, options: Options) -> Sequence[Desired]:
        exclusive = purged(options["purge"], COLLECTIONS)
        if options["purge"] is True:  # of what the task names
            exclusive = [name for name in exclusive if options[name] is not None]
        problems = OptionProblems()
        for option in exclusive:
            with problems.collected():
                check_purge(option, options[option])
        expects_dns = any("dns" in expectation.components for expectation in self.expectations)
        desired = []
        for resource in ACCOUNT_RESOURCES:
            option = _option_for(resource)
            if resource.on_demand and options.get(option) is None and not expects_dns:
                continue
            with problems.collected():
                entries = _entries_of_collection(option, resource, options)
                is_exclusive = option in exclusive
                desired.append(
                    parse_desired(resource, entries, exclusive=is_exclusive, errors=problems)
                )
        raise_any(problems, desired)
        ignored_ids = frozenset(options.get("ignore_ids") or ())
        return [replace(collection, ignore_ids=ignored_ids) for collection in desired]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        return {"protection": subsets_of(state)}


def _option_for(resource: Resource) -> str:
    return next(name for name, resources in SUBSETS.items() if resource in resources)


def _entries_of_collection(option: str, resource: Resource, options: Options) -> Entries:
    """The entries of one collection of the account among the options, each with its path."""
    if resource is STATUS:
        if options["enabled"] is None:
            return []
        return [(Option(), fields_of(STATUS, options))]
    entries = numbered(option, options[option] or [])
    if resource.kind is None:
        return entries
    return [
        (path, entry)
        for path, entry in entries
        if _resource_of(COLLECTIONS[option], entry).kind == resource.kind
    ]


def _resource_of(resources: Sequence[Resource], options: Options) -> Resource:
    """The resource of the kind that the options name; if they name none, the first one, which has
    the fields of all kinds."""
    kind = unless_wrong(options, "kind")
    return next((resource for resource in resources if resource.kind == kind), resources[0])


def _whole_list(resource: Resource, option: str) -> WholeList:
    return WholeList(resource, option, ACCOUNT_RISKS, risks_of_account(resource))


ACCOUNT_SPECS: Mapping[str, ModuleSpec] = {
    "tcp_protection_status": Setting(STATUS, ACCOUNT_RISKS, risks_of_account(STATUS)),
    "protected_prefixes": _whole_list(PREFIXES, "prefixes"),
    "allowlist_entry": SingleObject(COLLECTIONS["allowlist"], "entry"),
    "allowlist": _whole_list(ALLOWLIST, "entries"),
    "protection_rule": SingleObject(COLLECTIONS["rules"], "rule"),
    "dns_protection_rule": SingleObject(COLLECTIONS["dns_rules"], "rule"),
    "protection_filter": SingleObject(COLLECTIONS["filters"], "filter"),
    "account_protection": AccountProtection(),
}
