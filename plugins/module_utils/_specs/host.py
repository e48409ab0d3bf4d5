# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A host as one module: all that its variables describe, of its account and of its zone, is one
desired state, and becomes one plan.

Its options are those of the modules that a baseline needs; some have another name here, since
several modules have a list of rules.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from itertools import chain
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

from .._arguments import ReadOptions, read_options, unless_wrong
from .._context import CHANGES_HOURS
from .._errors import OptionProblems, as_one
from .._guard.risks.base import risk_options
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
from .._schema.resource import OWNERS, OptionSpec, State
from .account import SPECS as ACCOUNT_SPECS
from .base import (
    RESTORED,
    ModuleResult,
    ModuleSpec,
    Options,
    Resources,
    argument_spec,
    purge_option,
    purged,
)
from .holders import CUSTOM, RULESETS, CustomRulesets, IpLists, beside_deployments
from .rulesets import SPECS as ZONE_SPECS

ACCOUNT = "account_protection"
NETWORK_FIREWALL, FIREWALL_RULES = "network_firewall_rules", "firewall_rules"
LISTS = "ip_lists"
# The modules whose objects are one desired state, in the order of the registry.
_SPECS = {**ACCOUNT_SPECS, **ZONE_SPECS, LISTS: IpLists(True), RULESETS: CustomRulesets(True)}
HOST_PARTS: Mapping[str, ModuleSpec] = {name: _SPECS[name] for name in MODULES}
# The collections that a host can purge, by the options that describe them.
EXCLUSIVE = (
    *COLLECTIONS,
    *(part for part in HOST_PARTS if part != ACCOUNT and "purge" in HOST_PARTS[part].options),
)
# Options for which there are no variables.
INTERNAL: OptionSpec = {RESTORED: {"type": "dict"}, CHANGES_HOURS: {"type": "float"}}


def option_of(item: Managed) -> str:
    """The option of a host that describes a resource."""
    return item.option if item.module == ACCOUNT else item.module


def _option_names(part: str) -> dict[str, str]:
    own = {item.option: option_of(item) for item in MANAGED if item.module == part}
    own.update({"ignore": f"{part}_ignore"})
    return {option: own.get(option, option) for option in HOST_PARTS[part].options}


# By part: the option of a host for each option of the part.
OPTION_NAMES: Mapping[str, Mapping[str, str]] = {part: _option_names(part) for part in HOST_PARTS}


RISKS = tuple(dict.fromkeys(risk for spec in HOST_PARTS.values() for risk in spec.risks))


def _options() -> OptionSpec:
    options = {
        OPTION_NAMES[part][option]: {
            name: item for name, item in argument.items() if name != "required"
        }
        for part, spec in HOST_PARTS.items()
        for option, argument in spec.options.items()
        if option != "state"
    }
    own = {**INTERNAL, **purge_option(*EXCLUSIVE), **EXPECTATION_OPTIONS}
    return {**options, **risk_options(RISKS), **own}


class HostShare(NamedTuple):
    """The share of one part in a host: its spec for the owner, and its options."""

    part: str
    spec: ModuleSpec
    options: Options

    @property
    def names(self) -> Mapping[str, str]:
        """The option of the host for each option of the part."""
        return OPTION_NAMES[self.part]

    def of(self, desired: Sequence[Desired]) -> list[Desired]:
        """The share of this part in a desired state."""
        return [item for item in desired if item.part == self.part]


class Host(ModuleSpec):
    """The account and the zone of a host, or one of them, with all that the options describe."""

    owner = ""
    options = _options()
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
        spec._options = options if isinstance(options, ReadOptions) else ReadOptions(options)
        return spec

    @cached_property
    def _shares(self) -> Sequence[HostShare]:
        """The shares of the parts of which the options describe something; raises OptionError."""
        return [*_shares_of(self._options, self._owners)]

    @property
    def described(self) -> list[Managed]:
        """The resources of which the options describe something."""
        parts = [share.part for share in self._shares]
        named = [item for item in managed_of(self._owners) if item.module in parts]
        return [
            item
            for item in named
            if not item.resource.on_demand or self._options.get(option_of(item)) is not None
        ]

    def desired(self, options: Options) -> Sequence[Desired]:
        problems = OptionProblems()
        desired: list[Desired] = []
        for share in self._shares:
            share.spec.expectations = self.expectations
            of_part = OptionProblems(share.names)
            with of_part.collected():
                own = share.spec.desired(share.options)
                desired += [as_part(item, share.part, share.names) for item in own]
            with problems.collected():
                of_part.raise_any()
        raise_any(problems, desired)
        return desired

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        every = [
            resource
            for share in self._shares
            for resource in share.spec.reads(share.options, share.of(desired), state)
        ]
        return [*{resource.plural: resource for resource in every}.values()]

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        settled = (share.spec.settled(share.of(desired), state) for share in self._shares)
        return beside_deployments([*chain.from_iterable(settled)], state)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        result: dict[str, Any] = {}
        for share in self._shares:
            own = share.spec.result(share.options, share.of(desired), state)
            result.update({share.names.get(name, name): value for name, value in own.items()})
        return result


def _shares_of(options: ReadOptions, owners: Sequence[str]) -> Iterator[HostShare]:
    """The shares of the parts of which the options describe something; an account always has one,
    and rules of which something is expected are at least read."""
    kinds = kinds_expected(unless_wrong(options, NAME))
    expected = {CUSTOM: REQUEST in kinds, NETWORK_FIREWALL: FIREWALL in kinds}
    first = {item.module: item for item in reversed(managed_of(owners))}
    for part in (part for part in HOST_PARTS if part in first):
        own, main = options.under(OPTION_NAMES[part]), first[part].option
        if "purge" in HOST_PARTS[part].options:
            own["purge"] = _purge_of(part, own)
        if expected.get(part) and main in own and own[main] is None:
            own[main] = []
        if part == ACCOUNT or _describes(own, main, part):
            spec = copy(HOST_PARTS[part].owned({first[part].resource.owner: "given"}, {}))
            yield HostShare(part, spec, own)


def _purge_of(part: str, own: ReadOptions) -> bool | list[str]:
    """The collections of a part that are exclusive, of those that the host has; none if the option
    is wrong."""
    purge = unless_wrong(own, "purge")
    if part != ACCOUNT:
        return bool(purged(purge, [part]))
    lists = purged(purge, COLLECTIONS)
    return [name for name in lists if name not in own or own[name] is not None]


def _describes(own: ReadOptions, main: str, part: str) -> bool:
    """Return whether the options of a part describe something, also if they do it wrongly."""
    if main not in own:  # since it is wrong
        return True
    return own[main] is not None and (own[main] != [] or part != FIREWALL_RULES)


HOST = Host()
SPECS: Mapping[str, Host] = {"host_baseline": HOST}

# Options of the packed module: those of a connection stand beside what the host describes.
OF_ACTION = ("attack", "fleet")
PACKED: OptionSpec = argument_spec(
    HOST,
    {
        "described": {"type": "dict", "default": {}},
        **{name: {"type": "bool", "default": False} for name in OF_ACTION},
    },
)


def packed(options: Options) -> dict[str, Any]:
    """The options of a host as the packed module takes them."""
    beside = {name: value for name, value in options.items() if name in PACKED}
    rest = {name: value for name, value in options.items() if name not in PACKED}
    return {**beside, "described": rest}


def unpacked(options: Options) -> dict[str, Any]:
    """The options of a host, of those that the packed module gets; raises ValueError for wrong
    ones, which its action has told before."""
    described = read_options(Host.options, options["described"])
    if described.errors:
        raise ValueError(as_one(described.errors).message)
    beside = {name: options[name] for name in options if name not in ("described", *OF_ACTION)}
    return {**described, **beside}
