# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A host as one module: all that its variables describe, of its account and of its zone, is one
desired state, and becomes one plan. Its options are those of the modules that a baseline needs;
some have another name here, since several modules have a list of rules."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from itertools import chain
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

from .._arguments import ReadOptions, as_required, unless_wrong
from .._context import CHANGES_HOURS
from .._errors import OptionProblems
from .._guard.risks.declaration import risk_options
from .._plan.desired import Desired, as_part, raise_any
from .._protection.expectation import (
    EXPECTATION_OPTIONS,
    FIREWALL,
    NAME,
    PACKET,
    REQUEST,
    kinds_expected,
)
from .._schema.account import COLLECTIONS
from .._schema.registry import MANAGED, MODULES, Managed, managed_of
from .._schema.resource import OWNERS, OptionSpec, Resource, State
from .account import ACCOUNT_SPECS
from .base import (
    ONLY,
    ONLY_TIME,
    RESTORED,
    ModuleResult,
    ModuleSpec,
    Options,
    PartName,
    Resources,
    purge_option,
    purged,
)
from .custom_rulesets import CustomRulesets
from .deployments import beside_deployments
from .ip_lists import IpLists
from .rulesets import RULESET_SPECS, WHOLE_SETTINGS

_SPECS = {
    **ACCOUNT_SPECS,
    **RULESET_SPECS,
    PartName.LISTS: IpLists(several=True),
    PartName.RULESETS: CustomRulesets(several=True),
    **WHOLE_SETTINGS,
}


# The modules whose objects are one desired state, in the order of the registry.
HOST_PARTS: Mapping[str, ModuleSpec] = {name: _SPECS[name] for name in MODULES}


# The collections that a host can purge, by the options that describe them.
EXCLUSIVE = (
    *COLLECTIONS,
    *(
        part
        for part, spec in HOST_PARTS.items()
        if part != PartName.ACCOUNT and "purge" in spec.options
    ),
)


# Options for which there are no variables.
INTERNAL: OptionSpec = {RESTORED: {"type": "dict"}, CHANGES_HOURS: {"type": "float"}}


def option_of(managed: Managed) -> str:
    """The option of a host that describes a resource."""
    return managed.option if managed.module == PartName.ACCOUNT else managed.module


def _option_names(part: str) -> dict[str, str]:
    names = {option: option for option in HOST_PARTS[part].options}
    for managed in MANAGED:
        if managed.module == part:
            names[managed.option] = option_of(managed)
    if "ignore" in names:
        names["ignore"] = f"{part}_ignore"
    return names


# By part: the option of a host for each option of the part.
OPTION_NAMES: Mapping[str, Mapping[str, str]] = {part: _option_names(part) for part in HOST_PARTS}


RISKS = tuple(dict.fromkeys(chain.from_iterable(spec.risks for spec in HOST_PARTS.values())))


def _options() -> OptionSpec:
    options: OptionSpec = {}
    for part, spec in HOST_PARTS.items():
        for option, argument in spec.options.items():
            if option != "state":
                options[OPTION_NAMES[part][option]] = as_required(argument, False)
    return {
        **options,
        **risk_options(RISKS),
        **INTERNAL,
        **purge_option(*EXCLUSIVE),
        ONLY: {"type": "str", "choices": [ONLY_TIME]},
        **EXPECTATION_OPTIONS,
    }


HOST_OPTIONS = _options()


class HostShare(NamedTuple):
    """The share of one part in a host: its spec for the owner, and its options."""

    part: str
    spec: ModuleSpec
    options: Options

    @property
    def names(self) -> Mapping[str, str]:
        """The option of the host for each option of the part."""
        return OPTION_NAMES[self.part]

    def desired_in(self, desired: Sequence[Desired]) -> list[Desired]:
        """The share of this part in a desired state."""
        return [collection for collection in desired if collection.part == self.part]


class Host(ModuleSpec):
    """The account and the zone of a host, or one of them, with all that the options describe."""

    owner = ""
    options = HOST_OPTIONS
    risks = RISKS
    of_rules = True
    expects = (REQUEST, PACKET, FIREWALL)
    returns_owner = True
    lists_unmanaged = True
    _owners: Sequence[str] = ()
    _options = ReadOptions({})

    @property
    def owners(self) -> Sequence[str]:
        return self._owners

    def owned(self, options: Options, environment: Mapping[str, str]) -> Host:
        spec = copy(self)
        spec._owners = [
            name for name, owner in OWNERS.items() if any(map(options.get, owner.options))
        ]
        if not isinstance(options, ReadOptions):
            options = ReadOptions(options)
        spec._options = options
        return spec

    @cached_property
    def _shares(self) -> Sequence[HostShare]:
        """The shares of the parts of which the options describe something; raises OptionError."""
        return [*_shares_of(self._options, self._owners)]

    @property
    def described(self) -> list[Managed]:
        """The resources of which the options describe something."""
        parts = [share.part for share in self._shares]
        return [
            managed
            for managed in managed_of(self._owners)
            if managed.module in parts and self._is_read(managed)
        ]

    def _is_read(self, managed: Managed) -> bool:
        if not managed.resource.on_demand:
            return True
        return self._options.get(option_of(managed)) is not None

    def desired(self, options: Options) -> Sequence[Desired]:
        problems = OptionProblems()
        desired: list[Desired] = []
        for share in self._shares:
            share.spec.expectations = self.expectations
            problems_of_part = OptionProblems(share.names)
            with problems_of_part.collected():
                for collection in share.spec.desired(share.options):
                    desired.append(as_part(collection, share.part, share.names))
            with problems.collected():
                problems_of_part.raise_any()
        raise_any(problems, desired)
        return desired

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        by_plural: dict[str, Resource] = {}
        for share in self._shares:
            desired_of_part = share.desired_in(desired)
            for resource in share.spec.reads(share.options, desired_of_part, state):
                by_plural[resource.plural] = resource
        return [*by_plural.values()]

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        settled: list[Desired] = []
        for share in self._shares:
            settled += share.spec.settled(share.desired_in(desired), state)
        return beside_deployments(settled, state)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        result: dict[str, Any] = {}
        for share in self._shares:
            names = share.names
            desired_of_part = share.desired_in(desired)
            result_of_part = share.spec.result(share.options, desired_of_part, state)
            for name, value in result_of_part.items():
                result[names.get(name, name)] = value
        return result


def _shares_of(options: ReadOptions, owners: Sequence[str]) -> Iterator[HostShare]:
    """The shares of the parts of which the options describe something; an account always has one,
    and rules of which something is expected are at least read."""
    kinds = kinds_expected(unless_wrong(options, NAME))
    expected_parts = set()
    if REQUEST in kinds:
        expected_parts.add(PartName.CUSTOM_RULES)
    if FIREWALL in kinds:
        expected_parts.add(PartName.NETWORK_FIREWALL)
    main_resources = {managed.module: managed for managed in reversed(managed_of(owners))}
    for part, spec in HOST_PARTS.items():
        main_resource = main_resources.get(part)
        if main_resource is None:
            continue
        part_options = options.under(OPTION_NAMES[part])
        main_option = main_resource.option
        if "purge" in spec.options:
            part_options["purge"] = _purge_of(part, part_options)
        if part in expected_parts and _is_null(part_options, main_option):
            part_options[main_option] = []
        if part == PartName.ACCOUNT or _describes(part_options, main_option, part):
            owner_option = {main_resource.resource.owner: "of the host"}
            yield HostShare(part, copy(spec.owned(owner_option, {})), part_options)


def _is_null(options: ReadOptions, name: str) -> bool:
    """Return whether an option is there, without a value."""
    return name in options and options[name] is None


def _purge_of(part: str, part_options: ReadOptions) -> bool | list[str]:
    """The collections of a part that are exclusive, of those that the host has; none if the option
    is wrong."""
    purge = unless_wrong(part_options, "purge")
    if part != PartName.ACCOUNT:
        return bool(purged(purge, [part]))
    return [name for name in purged(purge, COLLECTIONS) if not _is_null(part_options, name)]


def _describes(part_options: ReadOptions, main_option: str, part: str) -> bool:
    """Return whether the options of a part describe something, also if they do it wrongly."""
    if main_option not in part_options:  # since it is wrong
        return True
    described = part_options[main_option]
    if part == PartName.FIREWALL_RULES and described == []:
        return False
    return described is not None


HOST = Host()
HOST_SPECS: Mapping[str, Host] = {"host_baseline": HOST}
