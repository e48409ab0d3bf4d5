# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads managed resources as Cloudflare has them, for the exports and snapshots of a role."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .._api.client import Client
from .._api.neighbours import read_ip_lists
from .._context import Context
from .._plan.desired import Desired
from .._schema.lists import WHOLE_LISTS
from .._schema.registry import MANAGED
from .._schema.resource import Resource, State
from .base import ModuleSpec, Options


class StateReader(ModuleSpec):
    """Each collection of an account or zone by its plural."""

    def __init__(self, owner: str, plurals: Sequence[str]) -> None:
        self.owner, self.options = owner, {}
        self._resources = [item.resource for item in MANAGED if item.resource.plural in plurals]

    def reads(
        self, options: Options, desired: Sequence[Desired], state: State
    ) -> Sequence[Resource]:
        return [resource for resource in self._resources if resource is not WHOLE_LISTS]

    def result(
        self, options: Options, desired: Sequence[Desired], state: State
    ) -> Mapping[str, Any]:
        return state

    def look(self, options: Options, client: Client) -> Mapping[str, Any]:
        return {WHOLE_LISTS.plural: read_ip_lists(client)} if WHOLE_LISTS in self._resources else {}


def spec_within(spec: ModuleSpec, context: Context) -> ModuleSpec:
    """The spec of a module that runs in this context."""
    return StateReader(spec.owner, context.reads) if context.reads else spec.within(context)
