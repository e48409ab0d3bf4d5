# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What single objects of an account take from the protection that a task describes.

An account that the task describes has what the task names, and nothing else. If the task names no
prefix, the prefixes that exist count as they are.
"""

from __future__ import annotations

from functools import cached_property
from typing import Mapping

from .._coverage.coverage import Coverage, has_flag, ranges_of
from .._coverage.mitigation import no_longer_mitigated
from .._coverage.modes import UNDECIDED, Component, Modes, component, union_of_modes
from .._schema.account import ALLOWLIST, COMPONENTS, ENABLED, PREFIXES, RESOURCES, STATUS
from .._schema.resource import Object, Resource, State
from .._text import first_few
from .._values.address_set import Ranges, counted, difference, intersection, networks
from .verdict import HARMLESS, Named, Verdict


class DescribedAccount:
    """An account with just what a task names of a state, while it is on."""

    def __init__(self, state: State, named: Named) -> None:
        self._state: dict[str, list[Object]] = {
            resource.plural: [
                obj
                for obj in state[resource.plural]
                if resource.key_of(obj) in named.get(resource.plural, ())
            ]
            for resource in RESOURCES
            if state.get(resource.plural) is not None
        }
        self._takes_prefixes_as_they_are = not named.get(PREFIXES.plural)
        if self._takes_prefixes_as_they_are:
            self._state[PREFIXES.plural] = list(state.get(PREFIXES.plural) or ())

    @cached_property
    def _coverage(self) -> Coverage:
        return Coverage({**self._state, STATUS.plural: [{"enabled": True}]})

    @cached_property
    def _described(self) -> Mapping[str, tuple[Component, Modes]]:
        """By kind: the component, and the modes that it has for protected addresses."""
        components = {kind: component(kind, self._state) for kind in COMPONENTS}
        return {
            kind: (one, _modes_of(one, self._coverage.protected))
            for kind, one in components.items()
        }

    def judge(self, resource: Resource, obj: Object) -> Verdict:
        """Whether this account would protect less with one more object."""
        if resource is PREFIXES:
            return self._judge_prefix(obj)
        if resource is ALLOWLIST:
            return self._judge_source(obj)
        return self._judge_decider(resource, obj) if resource.component else HARMLESS

    def _judge_prefix(self, prefix: Object) -> Verdict:
        if not has_flag(prefix, "excluded") or self._takes_prefixes_as_they_are:
            return HARMLESS
        network = ranges_of([prefix])
        if not network and self._coverage.protected:
            return Verdict(None, "is malformed, and may exclude protected addresses")
        lost = intersection(network, self._coverage.protected)
        return Verdict(True, f"excludes {_named(lost)}") if lost else HARMLESS

    def _judge_source(self, entry: Object) -> Verdict:
        if not has_flag(entry, "enabled"):
            return HARMLESS
        network = ranges_of([entry])
        if not network:
            return Verdict(None, "is malformed, and may let sources pass")
        passing = difference(network, self._coverage.bypassing)
        return Verdict(True, f"lets {_named(passing)} pass as sources") if passing else HARMLESS

    def _judge_decider(self, resource: Resource, obj: Object) -> Verdict:
        """Whether a rule or filter takes mitigation from addresses."""
        kind, space = str(resource.component), self._coverage.protected
        objects = [*self._state.get(resource.plural, ()), obj]
        described, modes = self._described[kind]
        existing = component(kind, {**self._state, resource.plural: objects})
        title = COMPONENTS[kind].title
        if UNDECIDED not in modes and UNDECIDED in _modes_of(existing, space):
            text = f"is not understood, so that {title} may mitigate less"
            return Verdict(None, text) if ENABLED in modes else HARMLESS
        lost = [
            f"{_named(ranges)}{f': {what}' if what else ''}"
            for ranges, what in no_longer_mitigated(described, existing, space)
        ]
        mode = str(obj.get(resource.mode_field or ""))
        text = f"is {mode}, so that {title} mitigates less for {first_few(lost)}"
        return Verdict(True, text) if lost else HARMLESS


def _modes_of(one: Component, space: Ranges) -> Modes:
    """The modes that some traffic to these addresses may meet."""
    return union_of_modes(modes for dummy, modes in one.pieces(space))


def _named(ranges: Ranges) -> str:
    return f"{counted(ranges)} ({first_few(networks(ranges))})"
