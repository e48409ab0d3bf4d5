# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Levels that are lower in one state than in another."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.losses import level_losses
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Field, Single, State
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import SECURITY_LEVEL, SECURITY_LEVELS
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import FLAG


def state(*levels: str) -> State:
    return {"security_level": [{"level": level} for level in levels]}


@pytest.mark.parametrize(("level", "other"), list(product(SECURITY_LEVELS, SECURITY_LEVELS)))
def test_a_level_is_lower_as_its_words_come_but_for_those_that_are_alike(level: str, other: str) -> None:
    losses = list(level_losses(SECURITY_LEVEL, state(level), state(other)))
    is_lower = level == "under_attack" != other
    assert [(loss.resource, loss.certain, loss.reason) for loss in losses] == (
        [(SECURITY_LEVEL, True, f"is {other} instead of {level}")] if is_lower else []
    )


WHOLE = replace(
    SECURITY_LEVEL,
    fields=(
        *SECURITY_LEVEL.fields,
        Field("fight", FLAG, lowered="More bots would reach the zone"),
        Field("other", FLAG),
    ),
    listing=Single(whole=True),
)


@pytest.mark.parametrize(
    ("before", "after", "reasons"),
    [
        (True, False, ["has the fight false instead of true"]),
        (False, True, []),
        (True, None, ["has the fight None instead of true, of which one is not known here"]),
        ("quantum", "quantum", []),
    ],
)
def test_each_level_of_a_whole_object_is_compared(before: Any, after: Any, reasons: list[str]) -> None:
    states = [{WHOLE.plural: [{"level": "low", "fight": fight, "other": fight}]} for fight in (before, after)]
    losses = list(level_losses(WHOLE, *states))
    assert [loss.reason for loss in losses] == reasons
    assert {loss.how for loss in losses} <= {"fight"}


@pytest.mark.parametrize(("level", "other"), [("extreme", "under_attack"), ("off", "extreme"), ("extreme", "hard")])
def test_a_word_that_is_not_known_may_be_lower(level: str, other: str) -> None:
    (loss,) = level_losses(SECURITY_LEVEL, state(level), state(other))
    assert (loss.resource, loss.certain) == (SECURITY_LEVEL, False)
    assert loss.reason == f"is {other} instead of {level}, of which one is not known here"


def test_a_level_that_was_not_read_is_not_compared_and_an_unknown_one_equals_itself() -> None:
    assert (
        list(level_losses(SECURITY_LEVEL, state("high"), {}))
        == list(level_losses(SECURITY_LEVEL, {}, state("off")))
        == []
    )
    assert list(level_losses(SECURITY_LEVEL, state("extreme"), state("extreme"))) == []
