# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for the entry points of rulesets, such as custom_rules: one class, which their
declarations fill."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Sequence

from .._errors import OptionError, OptionProblems
from .._expectations.expectation import EXPECTATIONS
from .._guard.risks.base import Risk
from .._guard.risks.registry import risk_options
from .._holes.unmanaged import unmanaged_records
from .._plan.desired import (
    STATE,
    Desired,
    Position,
    numbered,
    parse_desired,
    parse_ignore,
    parse_position,
)
from .._schema.resource import Key, OptionSpec, Resource, State
from .._text import Message, Option
from .base import ModuleSpec, Options, list_option

PLANNED_LISTS: OptionSpec = {"ip_lists": {"type": "dict", "default": {}}}


class OrderedRules(ModuleSpec):
    """A module for the entry point of a phase: the rules that the task names, or with state exact
    the whole list and its order.

    `option` is the list option, and the result, of the module; `expects` says of which kinds the
    expectations are that it checks. If the task names no rules, the module reads them, for a
    snapshot for example.
    """

    returns_owner = True

    def __init__(
        self,
        resource: Resource,
        risks: Sequence[Risk],
        option: str = "rules",
        expects: Sequence[str] = (),
    ) -> None:
        self._resource, self._risks = resource, tuple(risks)
        self._option, self._expects = option, expects
        self.owner = resource.owner
        self.options = {
            option: list_option(resource, {"position": {"type": "str"}}, required=True),
            "state": {
                "type": "str",
                "choices": ["present", "absent", "exact"],
                "default": "present",
            },
            "ignore": {"type": "list", "elements": "str", "default": []},
            "validate": {"type": "bool", "default": False},
            **({**EXPECTATIONS, **PLANNED_LISTS} if expects else {}),
            **risk_options(self._risks),
        }

    def reads(self, options: Options) -> Sequence[Resource]:
        return (self._resource,)

    def desired(self, options: Options) -> Sequence[Desired]:
        state = options["state"]
        positions: dict[Key, Position] = {}
        entries = []
        problems = OptionProblems()
        for path, entry in numbered(self._option, options[self._option]):
            if entry["position"] is not None and state != "absent":
                with problems.collected():
                    positions[self._resource.key_of(entry)] = _position(
                        path, entry["position"], state
                    )
            entries.append(
                (path, {name: value for name, value in entry.items() if name != "position"})
            )
        with problems.collected():
            rules = parse_desired(
                self._resource, entries, absent=state == "absent", exclusive=state == "exact"
            )
            rules = parse_ignore(rules, "ignore", options.get("ignore") or ())
        problems.raise_any()
        return (replace(rules, positions=positions),)

    def result(
        self, options: Options, desired: Sequence[Desired], state: State
    ) -> Mapping[str, Any]:
        rules = list(state[self._resource.plural])
        return {self._option: rules, "unmanaged": unmanaged_records(desired, state)}

    @property
    def expects(self) -> Sequence[str]:
        return self._expects

    @property
    def risks(self) -> Sequence[Risk]:
        return self._risks


def _position(path: Option, text: str, state: str) -> Position:
    if state == "exact":
        raise OptionError(
            path.at("position"),
            Message("with ", STATE, " exact the order of the list is the order of the rules"),
        )
    try:
        return parse_position(text)
    except ValueError as exc:
        raise OptionError(path.at("position"), str(exc)) from exc
