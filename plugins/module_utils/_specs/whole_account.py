# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module account_protection."""

from __future__ import annotations

from typing import Mapping, Sequence

from .._errors import OptionProblems
from .._guard.risks.account import ACCOUNT_RISKS
from .._guard.risks.base import risk_options
from .._plan.desired import Desired, Entries, check_purge, numbered, parse_desired
from .._protection.expectation import EXPECTATION_OPTIONS, PACKET
from .._protection.holes import unmanaged_records
from .._schema.account import ACCOUNT_RESOURCES, COLLECTIONS, STATUS
from .._schema.resource import Resource, State, without
from .._text import Option
from .._values.kinds import several
from .account import KIND_OPTION, STAGED_ROLLOUT, SUBSETS, subsets_of
from .base import ModuleResult, ModuleSpec, Options, fields_of, list_option


class AccountProtection(ModuleSpec):
    """account_protection: the whole account in one plan; what the task leaves out is left alone."""

    risks = ACCOUNT_RISKS
    expects = (PACKET,)

    def __init__(self) -> None:
        self.options = {
            **STATUS.options,
            **{
                name: list_option(items[0], KIND_OPTION if len(items) > 1 else None)
                for name, items in COLLECTIONS.items()
            },
            "purge": {**several(*COLLECTIONS).option, "default": []},
            "ignore_ids": {"type": "list", "elements": "str", "default": []},
            **EXPECTATION_OPTIONS,
            **STAGED_ROLLOUT,
            **risk_options(ACCOUNT_RISKS),
        }

    def desired(self, options: Options) -> Sequence[Desired]:
        purge = options["purge"]
        problems = OptionProblems()
        parsed = []
        for option in purge:
            with problems.collected():
                check_purge(option, options[option])
        needs_dns = any("dns" in item.components for item in self.expectations)
        for resource in ACCOUNT_RESOURCES:
            option = _option_for(resource)
            if resource.on_demand and options.get(option) is None and not needs_dns:
                continue
            with problems.collected():
                parsed.append(
                    parse_desired(
                        resource, _entries_of(option, resource, options), exclusive=option in purge
                    )
                )
        problems.raise_any()
        ignored = frozenset(options.get("ignore_ids") or ())
        return [item._replace(ignore_ids=ignored) for item in parsed]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        return {"protection": subsets_of(state), "unmanaged": unmanaged_records(desired, state)}


def _option_for(resource: Resource) -> str:
    return next(option for option, resources in SUBSETS.items() if resource in resources)


def _entries_of(option: str, resource: Resource, options: Options) -> Entries:
    """Options of one collection of the account."""
    if resource is STATUS:
        return [] if options["enabled"] is None else [(Option(), fields_of(STATUS, options))]
    return [
        (path, without(entry, "kind"))
        for path, entry in numbered(option, options[option] or [])
        if resource.kind is None or entry["kind"] == resource.kind
    ]


SPECS: Mapping[str, ModuleSpec] = {"account_protection": AccountProtection()}
