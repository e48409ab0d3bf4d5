# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whole collections of an account or zone, read for roles: in place of the module's own task."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .._api.client import Client
from .._api.neighbours import read_ip_lists, read_rulesets
from .._context import Context
from .._plan.api_fields import declared, undeclared
from .._plan.desired import Desired
from .._schema.lists import WHOLE_LISTS
from .._schema.registry import MANAGED
from .._schema.resource import API_FIELDS, InFiles, Resource, State
from .._schema.zone import CUSTOM_RULES
from .._timestamps import write_timestamp
from .base import ModuleResult, ModuleSpec, Options, Resources

NOW = "now"  # the time of Cloudflare, beside a state


class StateReader(ModuleSpec):
    """Each collection of an account or zone by its plural, and the time there."""

    def __init__(self, owners: Sequence[str], plurals: Sequence[str]) -> None:
        self._owners, self.options = owners, {}
        self._resources = [
            item.resource
            for item in MANAGED
            if item.resource.plural in plurals and item.resource.owner in owners
        ]

    @property
    def owners(self) -> Sequence[str]:
        return self._owners

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        return [one for one in self._resources if not isinstance(one.listing, InFiles)]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        return state

    def look(
        self, options: Options, client: Client, result: ModuleResult, context: Context
    ) -> ModuleResult:
        files = [one for one in self._resources if isinstance(one.listing, InFiles)]
        whole = {one.plural: _read_whole(one, client) for one in files}
        return {**whole, NOW: write_timestamp(client.now) if client.now else None}


def _read_whole(resource: Resource, client: Client) -> list[dict[str, Any]]:
    """Objects of a collection with all that they hold, as files have them; raises ServiceError."""
    if resource is WHOLE_LISTS:
        return read_ip_lists(client)

    def as_options(rule: Mapping[str, Any]) -> dict[str, Any]:
        rest = undeclared(CUSTOM_RULES, rule)
        return {**declared(CUSTOM_RULES, rule), **({API_FIELDS: rest} if rest else {})}

    rulesets = read_rulesets(client, resource.owner)
    return [{**one, "rules": [*map(as_options, one["rules"])]} for one in rulesets]
