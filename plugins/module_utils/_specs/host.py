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
from .._context import (
    CHANGES_HOURS,
    VENDOR_RULESETS,
    WATCHED_REQUESTS,
    WATCHED_SINCE,
    WATCHED_SOURCES,
    WATCHED_ZONES,
)
from .._errors import OptionProblems
from .._guard.risks.declaration import risk_options
from .._guard.terms import MEASURE
from .._plan.desired import Desired, as_section, raise_any
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
    Resources,
    SectionName,
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
    SectionName.LISTS: IpLists(several=True),
    SectionName.RULESETS: CustomRulesets(several=True),
    **WHOLE_SETTINGS,
}


# The modules whose objects are one desired state, in the order of the registry.
HOST_SECTIONS: Mapping[str, ModuleSpec] = {name: _SPECS[name] for name in MODULES}


# The collections that a host can purge, by the options that describe them.
EXCLUSIVE = (
    *COLLECTIONS,
    *(
        section
        for section, spec in HOST_SECTIONS.items()
        if section != SectionName.ACCOUNT and "purge" in spec.options
    ),
)


# Options of modules that a host does not have.
OF_TASKS = ("state", *MEASURE)


# Options for which there are no variables.
INTERNAL: OptionSpec = {
    RESTORED: {"type": "dict"},
    CHANGES_HOURS: {"type": "float"},
    VENDOR_RULESETS: {"type": "bool"},
    WATCHED_SINCE: {"type": "str"},
    WATCHED_ZONES: {"type": "dict"},
    WATCHED_SOURCES: {"type": "list", "elements": "str"},
    WATCHED_REQUESTS: {"type": "bool"},
}


def option_of(managed: Managed) -> str:
    """The option of a host that describes a resource."""
    return managed.option if managed.module == SectionName.ACCOUNT else managed.module


def _option_names(section: str) -> dict[str, str]:
    names = {option: option for option in HOST_SECTIONS[section].options}
    for managed in MANAGED:
        if managed.module == section:
            names[managed.option] = option_of(managed)
    if "ignore" in names:
        names["ignore"] = f"{section}_ignore"
    return names


# By section: the option of a host for each option of the section.
OPTION_NAMES: Mapping[str, Mapping[str, str]] = {
    section: _option_names(section) for section in HOST_SECTIONS
}


RISKS = tuple(dict.fromkeys(chain.from_iterable(spec.risks for spec in HOST_SECTIONS.values())))


def _host_options() -> OptionSpec:
    options: OptionSpec = {}
    for section, spec in HOST_SECTIONS.items():
        for option, argument in spec.options.items():
            if option not in OF_TASKS:
                options[OPTION_NAMES[section][option]] = as_required(argument, False)
    return {
        **options,
        **risk_options(RISKS),
        **INTERNAL,
        **purge_option(*EXCLUSIVE),
        ONLY: {"type": "str", "choices": [ONLY_TIME]},
        **EXPECTATION_OPTIONS,
    }


HOST_OPTIONS = _host_options()


class HostSection(NamedTuple):
    """A section of a host: its name, its spec for the owner, and its options."""

    name: str
    spec: ModuleSpec
    options: Options

    @property
    def names(self) -> Mapping[str, str]:
        """By the name of each option of the section, the option of the host from which it comes."""
        return OPTION_NAMES[self.name]

    def desired_in(self, desired: Sequence[Desired]) -> list[Desired]:
        """The collections of this section in a desired state."""
        return [collection for collection in desired if collection.section == self.name]


class Host(ModuleSpec):
    """The module host: all that the options describe of the account and the zone of a
    host, or of one of them.
    """

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
    def _sections(self) -> Sequence[HostSection]:
        """The sections of which the options describe something; raises OptionError."""
        return [*_sections_of(self._options, self._owners)]

    @property
    def described(self) -> list[Managed]:
        """The resources of which the options describe something."""
        names = [section.name for section in self._sections]
        return [
            managed
            for managed in managed_of(self._owners)
            if managed.module in names and self._is_read(managed)
        ]

    def _is_read(self, managed: Managed) -> bool:
        if not managed.resource.on_demand:
            return True
        return self._options.get(option_of(managed)) is not None

    def desired(self, options: Options) -> Sequence[Desired]:
        problems = OptionProblems()
        desired: list[Desired] = []
        for section in self._sections:
            section.spec.expectations = self.expectations
            problems_of_section = OptionProblems(section.names)
            with problems_of_section.collected():
                for collection in section.spec.desired(section.options):
                    desired.append(as_section(collection, section.name, section.names))
            with problems.collected():
                problems_of_section.raise_any()
        raise_any(problems, desired)
        return desired

    def _sections_in(
        self, desired: Sequence[Desired]
    ) -> Iterator[tuple[HostSection, Sequence[Desired]]]:
        """The sections with their collections in a desired state; a section without any is one
        whose product the account does not have."""
        for section in self._sections:
            desired_of_section = section.desired_in(desired)
            if desired_of_section:
                yield section, desired_of_section

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        by_plural: dict[str, Resource] = {}
        for section, desired_of_section in self._sections_in(desired):
            for resource in section.spec.reads(section.options, desired_of_section, state):
                by_plural[resource.plural] = resource
        return [*by_plural.values()]

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        settled: list[Desired] = []
        for section, desired_of_section in self._sections_in(desired):
            settled += section.spec.settled(desired_of_section, state)
        return beside_deployments(settled, state)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        result: dict[str, Any] = {}
        for section, desired_of_section in self._sections_in(desired):
            names = section.names
            result_of_section = section.spec.result(section.options, desired_of_section, state)
            for name, value in result_of_section.items():
                result[names.get(name, name)] = value
        return result


def _sections_of(options: ReadOptions, owners: Sequence[str]) -> Iterator[HostSection]:
    """The sections that the options describe. An account always has its section. Rules about which
    something is expected are read even if nothing describes them.
    """
    kinds = kinds_expected(unless_wrong(options, NAME))
    expected_sections = set()
    if REQUEST in kinds:
        expected_sections.add(SectionName.CUSTOM_RULES)
    if FIREWALL in kinds:
        expected_sections.add(SectionName.NETWORK_FIREWALL)
    main_resources = {managed.module: managed for managed in reversed(managed_of(owners))}
    for section, spec in HOST_SECTIONS.items():
        main_resource = main_resources.get(section)
        if main_resource is None:
            continue
        section_options = options.under(OPTION_NAMES[section])
        main_option = main_resource.option
        if section in expected_sections and _is_null(section_options, main_option):
            section_options[main_option] = []
        if section == SectionName.ACCOUNT or _describes(section_options, main_option, section):
            if "purge" in spec.options:
                section_options["purge"] = _purge_of(section, section_options)
            owner_option = {main_resource.resource.owner: "of the host"}
            yield HostSection(section, copy(spec.owned(owner_option, {})), section_options)


def _is_null(options: ReadOptions, name: str) -> bool:
    """Return whether an option is given with the value null."""
    return name in options and options[name] is None


def _purge_of(section: str, section_options: ReadOptions) -> bool | list[str]:
    """The collections of a section that the option `purge` makes exclusive; none if the value is
    wrong.
    """
    purge = unless_wrong(section_options, "purge")
    if section != SectionName.ACCOUNT:
        return bool(purged(purge, [section]))
    return [name for name in purged(purge, COLLECTIONS) if not _is_null(section_options, name)]


def _describes(section_options: ReadOptions, main_option: str, section: str) -> bool:
    """Return whether the main option of a section is given and not null, also if it is wrong. An
    empty list counts, except for firewall rules.
    """
    if main_option not in section_options:  # since it is wrong
        return True
    described = section_options[main_option]
    if section == SectionName.FIREWALL_RULES and described == []:
        return False
    return described is not None


HOST = Host()
HOST_SPECS: Mapping[str, Host] = {"host": HOST}
