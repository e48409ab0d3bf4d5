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
from .._guard.risks.base import risk_options
from .._guard.terms import ROLLOUT_EVIDENCE
from .._plan.desired import Desired, Entries, check_purge, numbered, parse_desired, raise_any
from .._protection.expectation import EXPECTATION_OPTIONS, PACKET
from .._schema.account import ACCOUNT_RESOURCES, ALLOWLIST, COLLECTIONS, PREFIXES, RULES, STATUS
from .._schema.resource import Object, OptionSpec, Resource, State
from .._text import Option
from .base import (
    PURGE_OPTION,
    STATE_OPTION,
    ModuleResult,
    ModuleSpec,
    Options,
    Setting,
    fields_of,
    is_absent,
    list_option,
    purge_option,
    purged,
)

STAGED_ROLLOUT: OptionSpec = {
    "staged_rollout": {"type": "bool", "default": False},
    **ROLLOUT_EVIDENCE,
}
KIND_OPTION: OptionSpec = {
    "kind": {"type": "str", "choices": [one.kind for one in RULES], "required": True}
}
SUBSETS: Mapping[str, tuple[Resource, ...]] = {"status": (STATUS,), **COLLECTIONS}


def shown_objects(resources: Sequence[Resource], state: State) -> list[Object]:
    """Collections as results show them; where there are several kinds of objects, each says its
    kind."""
    return [
        dict(item, kind=resource.kind) if resource.kind else item
        for resource in resources
        for item in state[resource.plural]
    ]


def subsets_of(state: State) -> dict[str, Any]:
    """The parts of an account that were read, by their names, as results show them."""
    parts: dict[str, Any] = {
        name: shown_objects(resources, state)
        for name, resources in SUBSETS.items()
        if all(resource.plural in state for resource in resources)
    }
    return {**parts, "status": parts["status"][0]} if "status" in parts else parts


class WholeList(ModuleSpec):
    """A module for a whole collection; its list option and its result have one name."""

    risks = ACCOUNT_RISKS

    def __init__(self, resource: Resource, option: str) -> None:
        self._resource = resource
        self._option = option
        self.options = {
            option: list_option(resource, required=True),
            **STATE_OPTION,
            **PURGE_OPTION,
            **risk_options(risks_of_account(resource)),
        }

    def desired(self, options: Options) -> Sequence[Desired]:
        absent, purge, problems = is_absent(options), options["purge"], OptionProblems()
        entries = options[self._option]
        with problems.collected():
            if purge:
                check_purge(self._option, entries, absent=absent)
        entries = numbered(self._option, entries)
        desired = parse_desired(self._resource, entries, absent, purge, problems)
        raise_any(problems, [desired])
        return (desired,)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        return {self._option: shown_objects((self._resource,), state)}


class SingleObject(ModuleSpec):
    """A module for one object of a collection, or of one of several kinds of collections; `name` is
    its result."""

    risks = ACCOUNT_RISKS
    one_object = True

    def __init__(self, resources: tuple[Resource, ...], name: str) -> None:
        self._resources = resources
        self._name = name
        self.options = {
            **(KIND_OPTION if len(resources) > 1 else {}),
            **resources[0].options,
            **STATE_OPTION,
            **(STAGED_ROLLOUT if resources[0].mode_field else {}),
            **risk_options(risks_of_account(*resources)),
        }

    def desired(self, options: Options) -> Sequence[Desired]:
        # With fields of other kinds, which parse_desired refuses.
        named = only(options, self._resources[0].options)
        resource = _resource_of(self._resources, options)
        return (parse_desired(resource, [(Option(), named)], absent=is_absent(options)),)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        resource, (key,) = desired[0].resource, desired[0].objects
        objects = shown_objects((resource,), state)
        return {self._name: next((item for item in objects if resource.key_of(item) == key), None)}


class AccountProtection(ModuleSpec):
    """account_protection: the whole account in one plan; what the task leaves out is left alone."""

    risks = ACCOUNT_RISKS
    expects = (PACKET,)
    lists_unmanaged = True

    def __init__(self) -> None:
        self.options = {
            **STATUS.options,
            **{
                name: list_option(items[0], KIND_OPTION if len(items) > 1 else None)
                for name, items in COLLECTIONS.items()
            },
            **purge_option(*COLLECTIONS),
            "ignore_ids": {"type": "list", "elements": "str", "default": []},
            **EXPECTATION_OPTIONS,
            **STAGED_ROLLOUT,
            **risk_options(ACCOUNT_RISKS),
        }

    def desired(self, options: Options) -> Sequence[Desired]:
        purge = purged(options["purge"], COLLECTIONS)
        if options["purge"] is True:  # of what the task names
            purge = [name for name in purge if options[name] is not None]
        problems = OptionProblems()
        parsed = []
        for option in purge:
            with problems.collected():
                check_purge(option, options[option])
        needs_dns = any("dns" in item.components for item in self.expectations)
        for resource in ACCOUNT_RESOURCES:
            option = _option_for(resource)
            with problems.collected():
                if resource.on_demand and options.get(option) is None and not needs_dns:
                    continue
                entries, purged_too = _entries_of(option, resource, options), option in purge
                parsed.append(parse_desired(resource, entries, False, purged_too, problems))
        raise_any(problems, parsed)
        ignored = frozenset(options.get("ignore_ids") or ())
        return [replace(item, ignore_ids=ignored) for item in parsed]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        return {"protection": subsets_of(state)}


def _option_for(resource: Resource) -> str:
    return next(option for option, resources in SUBSETS.items() if resource in resources)


def _entries_of(option: str, resource: Resource, options: Options) -> Entries:
    """Options of one collection of the account."""
    if resource is STATUS:
        return [] if options["enabled"] is None else [(Option(), fields_of(STATUS, options))]
    every = numbered(option, options[option] or [])
    if resource.kind is None:
        return every
    return [one for one in every if _resource_of(COLLECTIONS[option], one[1]).kind == resource.kind]


def _resource_of(resources: Sequence[Resource], options: Options) -> Resource:
    """The resource of the kind that the options name; if they name none, the first one, which has
    the fields of all."""
    kind = unless_wrong(options, "kind")
    return next((one for one in resources if one.kind == kind), resources[0])


SPECS: Mapping[str, ModuleSpec] = {
    "tcp_protection_status": Setting(STATUS, ACCOUNT_RISKS, risks_of_account(STATUS)),
    "protected_prefixes": WholeList(PREFIXES, "prefixes"),
    "allowlist_entry": SingleObject(COLLECTIONS["allowlist"], "entry"),
    "allowlist": WholeList(ALLOWLIST, "entries"),
    "protection_rule": SingleObject(COLLECTIONS["rules"], "rule"),
    "dns_protection_rule": SingleObject(COLLECTIONS["dns_rules"], "rule"),
    "protection_filter": SingleObject(COLLECTIONS["filters"], "filter"),
    "account_protection": AccountProtection(),
}
