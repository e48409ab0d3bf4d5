# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the engine knows of a module: its options, what it reads, its desired state and its
result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import AbstractSet, Any, Mapping, Sequence

from .._api.client import Client
from .._guard.risks.base import Risk
from .._guard.risks.registry import BY_OWNER
from .._guard.rollout import Pending
from .._plan.desired import Desired
from .._schema.resource import API_OPTION, EXPIRES, Field, OptionSpec, Resource, State, options_of

Options = Mapping[str, Any]


class ModuleSpec(ABC):
    """One module, in a class of its own.

    `owner` is the option that names the account or zone, `options` the argument spec beyond the
    shared one. A module that writes has a `desired` of its own, one that learns something beside
    its resources a `look`. One that only reads returns the id of the owner, and one that writes if
    it `returns_owner`, since it reads for others as well.
    """

    owner: str
    options: OptionSpec
    returns_owner = False

    @abstractmethod
    def reads(self, options: Options) -> Sequence[Resource]:
        """The resources that the module reads; raises OptionError."""

    def inner(self, options: Options, state: State) -> Sequence[Resource]:
        """The collections inside of objects of a state, which the module reads as well."""
        return ()

    def predicted(self, options: Options, state: State) -> State:
        """The state that a prediction starts from, which may depend on what runs before the
        module."""
        return state

    def desired(self, options: Options) -> Sequence[Desired]:
        """The desired state, by the options; raises OptionError."""
        return ()

    @abstractmethod
    def result(
        self, options: Options, desired: Sequence[Desired], state: State
    ) -> Mapping[str, Any]:
        """What the module returns of the state afterwards."""

    @property
    def risks(self) -> Sequence[Risk]:
        """The risks that its plans can have."""
        return BY_OWNER[self.owner]

    @property
    def expects(self) -> Sequence[str]:
        """Of which kinds the expectations are that the module checks."""
        return ()

    def judged_lists(
        self, options: Options, desired: Sequence[Desired], state: State
    ) -> AbstractSet[str]:
        """The names of the lists of which the result says whether they weaken rules that refer to
        them."""
        return frozenset()

    def look(self, options: Options, client: Client) -> Mapping[str, Any]:
        """What the module returns beside its resources; raises ServiceError."""
        return {}

    def pending(self, pending: Sequence[Pending]) -> Any:
        """What the module returns of the objects that a staged rollout leaves to be enabled."""
        return list(pending)

    @property
    def writes(self) -> bool:
        """Whether the module writes, or only reads."""
        return type(self).desired is not ModuleSpec.desired

    @property
    def looks(self) -> bool:
        """Whether the module learns something beside its resources."""
        return type(self).look is not ModuleSpec.look


def fields_of(fields: Sequence[Field], options: Options) -> dict[str, Any]:
    """The options that are fields of a resource."""
    return {item.name: options.get(item.name) for item in fields}


def object_options(resource: Resource) -> OptionSpec:
    """The options of one object: its fields, when it expires where that can be said, and fields
    that are not declared where they can be sent."""
    return {
        **options_of(resource.fields),
        **(EXPIRES if resource.may_expire else {}),
        **(API_OPTION if resource.list_field else {}),
    }


def list_option(
    resource: Resource, more: OptionSpec | None = None, required: bool = False
) -> dict[str, Any]:
    """An option that takes a list of objects, also as results show them."""
    ignored: OptionSpec = {name: {"type": "str"} for name in resource.assigned}
    options = {**(more or {}), **object_options(resource), **ignored}
    spec: dict[str, Any] = {"type": "list", "elements": "dict", "options": options}
    return dict(spec, required=True) if required else spec
