# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of overrides of managed DDoS rules."""

from __future__ import annotations

from typing import Sequence

from .._expressions.expression import Expression
from .._schema.ddos_overrides import DEFAULT
from .._schema.registry import DDOS_OVERRIDES
from .._schema.resource import Resource, State
from .overrides import NO_LEVEL, LevelOfOverride, override_expression, overrides_in_force
from .steps import StateSteps, hashable
from .traffic_changes import Source
from .walk import OVERRIDDEN, Mark, Step, StepEffect


def override_steps(
    resource: Resource,
    state: State,
    side: StateSteps,
    levels: Sequence[LevelOfOverride | None],
    action: str,
) -> list[Step]:
    """The steps of the overrides in force, for managed rules to which the vendor gives this
    `action`. `levels` contains what each override sets for these rules (None: nothing); `side` has
    the lists of the state."""
    current = overrides_in_force(resource, state)
    steps = []
    for override, level in zip(current.overrides, levels):
        whose, key = current.resource, current.resource.label_of(override)
        expression = override_expression(whose, override)
        if level is not None:
            effect = StepEffect(_override_mark(level, action), ends=True)
            source = Source(whose.name, key, f"{whose.title} {key}")
            own = (expression, level)
            lists = side.contents_named(expression)
            content = (own, hashable(lists)) if lists else own
            steps.append(Step(expression, (), (), (effect,), source, own, content, lists))
    rest = StepEffect(_override_mark(NO_LEVEL, action), ends=True)
    everything = Expression.of("true")
    source = Source(resource.name, "", "")
    steps.append(Step(everything, (), (), (rest,), source, "rest", "rest"))
    return steps


def _override_mark(level: LevelOfOverride, action: str) -> Mark:
    about = f"{level.name or 'all managed rules'} with {_setting_in_words(level)}"
    key = (level.action, level.sensitivity, action)
    obj = {"level": level, "action": action}
    return Mark(OVERRIDDEN, key, f"judged by {about}", f"is judged by {about}", obj)


def _setting_in_words(level: LevelOfOverride) -> str:
    """The action and sensitivity that an override sets."""
    action = "their own action" if level.action == DEFAULT else f"the action {level.action}"
    sensitivity = f" and the sensitivity {level.sensitivity}"
    return action + (sensitivity if level.sensitivity != DEFAULT else "")


OVERRIDING: Sequence[Resource] = DDOS_OVERRIDES
