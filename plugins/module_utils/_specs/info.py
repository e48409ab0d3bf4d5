# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module protection_info: an account's protection, and what stands beside it."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from .._api.client import Client
from .._api.neighbours import read_access_rules, read_announced, read_ip_lists
from .._plan.desired import Desired
from .._protection.coverage import Coverage
from .._protection.summary import answer, summarise
from .._schema.account import ACCOUNT
from .._schema.registry import RULESETS
from .._schema.resource import ACCOUNT_OPTION, Resource, State
from .._text import Option
from .account import SUBSETS, subset_of
from .base import (
    CHANGES_OPTION,
    ModuleResult,
    ModuleSpec,
    Options,
    Resources,
    changes_of,
    check_changes,
    check_network,
)


def _reading(resource: Resource) -> Callable[[Client], Any]:
    return lambda client: client.read(resource)


BESIDE: Mapping[str, Callable[[Client], Any]] = {
    "announced": lambda client: read_announced(client.read),
    "access_rules": read_access_rules,
    "ip_lists": read_ip_lists,
    **{item.plural: _reading(item) for item in RULESETS if item.owner == ACCOUNT_OPTION},
}
DEFAULT_SUBSETS = [
    name for name, resources in SUBSETS.items() if not any(item.on_demand for item in resources)
]


class ProtectionInfo(ModuleSpec):
    """protection_info; with `covers`, it reads all that decides who is protected, and else what the
    task names. `look` reads networks, rules and lists beside the protection, which are no state."""

    def __init__(self) -> None:
        self.options = {
            "gather_subset": {
                "type": "list",
                "elements": "str",
                "choices": [*SUBSETS, *BESIDE],
                "default": DEFAULT_SUBSETS,
            },
            "covers": {"type": "list", "elements": "str"},
            **CHANGES_OPTION,
        }

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        for position, network in enumerate(options["covers"] or []):
            check_network(Option("covers", position), network)
        check_changes(options)
        names = {*options["gather_subset"], *(DEFAULT_SUBSETS if options["covers"] else ())}
        return [resource for name in SUBSETS if name in names for resource in SUBSETS[name]]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        gathered = {
            name: subset_of(name, state) for name in SUBSETS if name in options["gather_subset"]
        }
        if any(resource.plural not in state for resource in ACCOUNT):
            return gathered
        coverage = Coverage(state)
        if options["covers"] is not None:
            gathered["covers"] = [answer(coverage, network) for network in options["covers"]]
        return dict(gathered, coverage=summarise(coverage))

    def look(self, options: Options, client: Client) -> ModuleResult:
        names = options["gather_subset"]
        beside = {name: read(client) for name, read in BESIDE.items() if name in names}
        return {**beside, **changes_of(options, client)}
