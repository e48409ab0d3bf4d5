# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the engine knows of a module: its options, what it reads, its desired state and its
result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence

from .._api.client import Client
from .._guard.rollout import Pending
from .._plan.desired import Desired
from .._schema.resource import EXPIRES, Field, OptionSpec, Resource, State, options_of

Options = Mapping[str, Any]


def _no_desired_state(options: Options) -> Sequence[Desired]:
    return ()


@dataclass(frozen=True)
class ModuleSpec:
    """One module.

    `owner` is the option that names the account or zone, `options` the argument spec beyond the
    shared one. `reads` names the resources that the module reads, `desired` parses the options;
    both raise OptionError. `result` takes the options, the desired state and the state afterwards,
    and returns what the module returns of it. `look` takes the options and the client, and returns
    what the module learns beside its resources. `pending` shows what a staged rollout leaves to be
    enabled.
    """

    owner: str
    options: OptionSpec
    reads: Callable[[Options], Sequence[Resource]]
    result: Callable[[Options, Sequence[Desired], State], Mapping[str, Any]]
    desired: Callable[[Options], Sequence[Desired]] = _no_desired_state
    pending: Callable[[Sequence[Pending]], Any] = list
    look: Callable[[Options, Client], Mapping[str, Any]] | None = None

    @property
    def writes(self) -> bool:
        """Whether the module writes, or only reads."""
        return self.desired is not _no_desired_state


def fields_of(fields: Sequence[Field], options: Options) -> dict[str, Any]:
    """The options that are fields of a resource."""
    return {item.name: options.get(item.name) for item in fields}


def object_options(resource: Resource) -> OptionSpec:
    """The options of one object: its fields, and when it expires where that can be said."""
    return {**options_of(resource.fields), **(EXPIRES if resource.may_expire else {})}


def list_option(
    resource: Resource, more: OptionSpec | None = None, required: bool = False
) -> dict[str, Any]:
    """An option that takes a list of objects, also as results show them."""
    ignored: OptionSpec = {name: {"type": "str"} for name in resource.assigned}
    options = {**(more or {}), **object_options(resource), **ignored}
    spec: dict[str, Any] = {"type": "list", "elements": "dict", "options": options}
    return dict(spec, required=True) if required else spec
