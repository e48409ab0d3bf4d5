# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a host: those of the modules that a baseline needs. Some have another name here,
since several modules have a list of rules."""

from __future__ import annotations

from itertools import chain
from typing import Mapping

from .._arguments import as_required
from .._context import CHANGES_HOURS
from .._guard.risks.declaration import risk_options
from .._protection.expectation import EXPECTATION_OPTIONS
from .._schema.account import COLLECTIONS
from .._schema.registry import MANAGED, MODULES, Managed
from .._schema.resource import OptionSpec
from .account import ACCOUNT_SPECS
from .base import ONLY, ONLY_TIME, RESTORED, ModuleSpec, PartName, purge_option
from .custom_rulesets import CustomRulesets
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
