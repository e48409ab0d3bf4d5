# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Specification of a module: its options, what it reads, its desired state and its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Iterable, Mapping, Sequence

from ansible.module_utils.common.parameters import env_fallback

from .._api.client import Client
from .._api.settings import shared_options
from .._arguments import ArgumentFields, as_required, only, unless_wrong
from .._context import Context
from .._errors import OptionError, OptionProblems
from .._guard.risks.declaration import Risk, risk_options
from .._plan.desired import Desired, check_purge, numbered, parse_desired, raise_any
from .._protection.expectation import Expectation
from .._schema.resource import (
    ACCOUNT_OPTION,
    TIMES_OF_CLOUDFLARE,
    ByCursor,
    Object,
    OptionSpec,
    Resource,
    State,
)
from .._text import Option
from .._values.address_set import is_network

Options = Mapping[str, Any]
ModuleResult = Mapping[str, Any]
Resources = Sequence[Resource]
PLAN_OPTIONS: OptionSpec = {"expected_plan": {"type": "str"}}  # of every module that writes
ONLY, ONLY_TIME = "only", "time"  # a host applies nothing but what time does
LEFT_ALONE = "left_alone"  # in its result: the other operations
RESTORED = "restored"  # a state of a host, in place of options that describe one
PRESENT, ABSENT = "present", "absent"


class SectionName:
    """The sections of a host, by the names of their modules."""

    LISTS = "ip_lists"
    ACCOUNT = "account_protection"
    NETWORK_FIREWALL = "network_firewall_rules"
    RULESETS = "custom_rulesets"
    FIREWALL_RULES = "firewall_rules"
    CUSTOM_RULES = "custom_rules"


class CommonOptions:
    """The argument specs of options that several modules have."""

    STATE: ClassVar[OptionSpec] = {
        "state": {"type": "str", "choices": [PRESENT, ABSENT], "default": PRESENT}
    }
    PURGE: ClassVar[OptionSpec] = {"purge": {"type": "bool", "default": False}}
    POSITION: ClassVar[OptionSpec] = {"position": {"type": "str"}}
    IGNORE: ClassVar[OptionSpec] = {"ignore": {"type": "list", "elements": "str", "default": []}}


class ModuleSpec(ABC):
    """The specification of one module: its methods are the steps of a task, in this order:

    - `owned`: the module for the owner that the options name (if several kinds may).
    - `desired`: the desired state that the options describe (of a module that writes).
    - `reads`: the resources to read, first collections and then those inside of objects.
    - `settled`: the desired state with what depends on the existing one (rulesets, by their ids).
    - `result`: what the module returns of the state afterwards (must be given).
    - `look`: what it returns beside its resources (of a module that reads).

    `owner` is the option that names the account or zone, `options` the argument spec beyond the
    shared one, `risks` are those that its plans can have. `of_rules` says that its plans change
    rules, lists or overrides, whose effect depends on other collections as well. `expects` are the
    kinds of expectations that it checks, `expectations` those of its task. A module that only reads
    returns the ids of its owner, and one that writes if it `returns_owner`. The result of a staged
    rollout is one object if the module is about `one_object`. If it `lists_unmanaged`, it returns
    the objects that the task does not name.
    """

    owner: str = ACCOUNT_OPTION  # empty if the options decide
    options: OptionSpec
    risks: Sequence[Risk] = ()
    of_rules = False
    expects: Sequence[str] = ()
    expectations: Sequence[Expectation] = ()
    returns_owner = False
    one_object = False
    lists_unmanaged = False

    @property
    def owners(self) -> Sequence[str]:
        """The options that name the owners of what the module reads."""
        return (self.owner,)

    def desired(self, options: Options) -> Sequence[Desired]:
        """The desired state; raises OptionError."""
        return ()

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        """The resources that the module reads, by the state that it has read so far: first
        collections, and then those inside of their objects. Raises OptionError."""
        resources = [collection.resource for collection in desired]
        return [
            resource
            for resource in resources
            if not resource.parent or resource.parent.plural in state
        ]

    def owned(self, options: Options, environment: Mapping[str, str]) -> ModuleSpec:
        """The module for the owner that the options name, or else the environment; raises
        OptionError."""
        return self

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        """The desired state with all that depends on the existing one; raises PlanError."""
        return desired

    @abstractmethod
    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        """Result of the module about the state afterwards."""

    def look(
        self, options: Options, client: Client, result: ModuleResult, context: Context
    ) -> ModuleResult:
        """Further results, of what the module reads beside its resources; raises ServiceError."""
        return {}

    @property
    def writes(self) -> bool:
        """Return whether the module writes; otherwise it only reads."""
        return type(self).desired is not ModuleSpec.desired


def fields_of(resource: Resource, options: Options) -> Options:
    """The options that are fields of a resource."""
    return only(options, [field.name for field in resource.fields])


def is_absent(options: Options) -> bool:
    """Return whether the task wants its objects deleted; a wrong `state`, which has an error of its
    own, counts as the default."""
    return bool(unless_wrong(options, "state") == ABSENT)


class Setting(ModuleSpec):
    """A module for a single object; its result has the object under the name of its resource.
    `risks` are those that its plans can have, `risks_in_options` those that its options name.
    """

    def __init__(
        self,
        resource: Resource,
        risks: Sequence[Risk],
        risks_in_options: Sequence[Risk],
        of_rules: bool = False,
    ) -> None:
        self._resource = resource
        self.owner = resource.owner
        self.risks = risks
        self.of_rules = of_rules
        self._names = tuple(field.name for field in resource.fields)
        self.options = dict(resource.options)
        if not resource.is_whole:
            for name, option in resource.options.items():
                self.options[name] = as_required(option)
        self.options.update(risk_options(risks_in_options))

    def desired(self, options: Options) -> Sequence[Desired]:
        fields = fields_of(self._resource, options)
        return (parse_desired(self._resource, [(Option(), fields)]),)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        (obj,) = state[self._resource.plural]
        names = (*self._names, *TIMES_OF_CLOUDFLARE)
        return {self._resource.name: {name: obj[name] for name in names if name in obj}}


class WholeSetting(Setting):
    """The module for a single object as a host has it: all its fields under one option."""

    def __init__(self, resource: Resource, risks: Sequence[Risk]) -> None:
        super().__init__(resource, risks, risks, of_rules=True)
        whole = {resource.name: {"type": "dict", "options": resource.options}}
        self.options = {**whole, **risk_options(risks)}

    def desired(self, options: Options) -> Sequence[Desired]:
        name = self._resource.name
        entries = [(Option(name), options[name])]
        return (parse_desired(self._resource, entries),)


def list_option(
    resource: Resource, extra_options: OptionSpec | None = None, required: bool = False
) -> dict[str, Any]:
    """The argument spec of an option with a list of objects, which has their form in results.
    Objects of an ordered list have positions as well.
    """
    options = ArgumentFields(extra_options or {})
    if resource.is_ordered:
        options.update(CommonOptions.POSITION)
    options.update(resource.options)
    options.ignored = resource.assigned
    options.leaves_out = isinstance(resource.listing, ByCursor)
    option: dict[str, Any] = {"type": "list", "elements": "dict", "options": options}
    if required:
        option["required"] = True
    return option


class WholeList(ModuleSpec):
    """A module for a whole collection. `option` is the name of the list among the options, and in
    the result. `risks` are those that its plans can have, `risks_in_options` those that its options
    name.
    """

    def __init__(
        self,
        resource: Resource,
        option: str,
        risks: Sequence[Risk],
        risks_in_options: Sequence[Risk],
    ) -> None:
        self._resource = resource
        self._option = option
        self.owner = resource.owner
        self.risks = risks
        self.options = {
            option: list_option(resource, required=True),
            **CommonOptions.STATE,
            **CommonOptions.PURGE,
            **risk_options(risks_in_options),
        }

    def desired(self, options: Options) -> Sequence[Desired]:
        absent = is_absent(options)
        purge = options["purge"]
        problems = OptionProblems()
        objects = options[self._option]
        with problems.collected():
            if purge:
                check_purge(self._option, objects, absent=absent)
        entries = numbered(self._option, objects)
        desired = parse_desired(self._resource, entries, absent, purge, problems)
        raise_any(problems, [desired])
        return (desired,)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        return {self._option: shown_objects((self._resource,), state)}


def shown_objects(resources: Sequence[Resource], state: State) -> list[Object]:
    """The objects of collections in the form of results; if there are several kinds of objects,
    each has its kind."""
    shown: list[Object] = []
    for resource in resources:
        objects = state[resource.plural]
        if resource.kind:
            objects = [dict(obj, kind=resource.kind) for obj in objects]
        shown += objects
    return shown


def purge_option(*names: str) -> OptionSpec:
    """The option `purge`: the names of collections that are exclusive, so that objects the task
    does not name are deleted; true stands for all of them.
    """
    choices = [True, False, *names]
    return {"purge": {"type": "raw", "choices": choices, "default": False}}


def purged(value: Any, names: Iterable[str]) -> list[str]:
    """The names of the collections that the value of the option `purge` makes exclusive."""
    return [name for name in names if value is True or name in (value or ())]


def argument_spec(
    spec: ModuleSpec, options_in_place: OptionSpec | None = None
) -> dict[str, dict[str, Any]]:
    """The argument spec of a module: its own options, or `options_in_place` of them, the options of
    all modules that write, and those that all modules share."""
    options = dict(spec.options if options_in_place is None else options_in_place)
    if spec.writes:
        options.update(PLAN_OPTIONS)
    options.update(shared_options(spec.owner, env_fallback))
    return options


def check_network(option: Option, text: str) -> None:
    """Raise OptionError for a text that is neither an address nor a network."""
    if not is_network(text):
        raise OptionError(option, f"'{text}' is neither an address nor a network")
