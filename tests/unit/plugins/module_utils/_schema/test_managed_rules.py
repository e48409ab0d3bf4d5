# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of managed DDoS rules: their shape here and in the API, and what is wrong with one."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.ddos_overrides import (
    L4_OVERRIDES,
    levels_of,
    weakens,
)

MANAGED = "3b64149bfa6e4220bbbc2bd6db589552"
RULE = "8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10"
OVERRIDES: dict[str, Any] = {
    "action": "block",
    "sensitivity_level": "low",
    "categories": [{"category": "dns", "sensitivity_level": "eoff"}],
    "rules": [{"id": RULE, "action": "log"}],
}
OF_API: dict[str, Any] = {
    "ref": "calm",
    "action": "execute",
    "expression": "true",
    "action_parameters": {"id": MANAGED, "overrides": OVERRIDES},
}
SHAPE = L4_OVERRIDES.document.shape


@pytest.mark.parametrize(
    "rule",
    [
        {**OF_API, "action_parameters": {"id": MANAGED, "overrides": {**OVERRIDES, "more": 1}, "other": [2]}},
        {**OF_API, "action_parameters": {"id": "f" * 32, "overrides": OVERRIDES}},
        {**OF_API, "action_parameters": {"id": MANAGED}},
        {**OF_API, "action_parameters": [1]},
        {**OF_API, "action_parameters": {"id": MANAGED, "overrides": {"rules": "odd", "categories": [1, None]}}},
        {"ref": "odd", "action": "skip", "expression": "true"},
        {"ref": "none"},
    ],
)
def test_an_existing_override_can_be_sent_back(rule: dict[str, Any]) -> None:
    assert SHAPE is not None
    assert SHAPE.to_api(SHAPE.from_api(rule)) == rule
    assert isinstance(levels_of(SHAPE.from_api(rule)), dict)


def test_a_default_action_is_none_and_an_empty_list_is_left_out() -> None:
    assert SHAPE is not None
    written = SHAPE.to_api({"ref": "a", "action": "default", "sensitivity": "default", "categories": [], "rules": []})
    assert written["action_parameters"]["overrides"] == {"sensitivity_level": "default"}


@pytest.mark.parametrize(
    ("override", "reason"),
    [
        ({"expression": "true", "action": "log"}, ""),
        ({"expression": "true", "sensitivity": "default"}, ""),
        ({"expression": "true", "categories": [{"category": "dns", "action": "log"}]}, ""),
        ({"expression": "true", "other_rule": {"action": "skip"}}, ""),
        ({"expression": "true", "other_rule": {"action": "skip"}, "sensitivity": "low"},
         "is a rule of another kind, which overrides no managed DDoS rules; it takes no sensitivity"),
        ({"action": "log"}, "is new and needs expression"),
        ({"expression": "true"}, "overrides nothing; set one of action, sensitivity, categories, rules"),
        ({"expression": "true", "action": "default", "rules": []}, "overrides nothing; set one of"),
    ],
)  # fmt: skip
def test_which_overrides_are_not_valid(override: dict[str, Any], reason: str) -> None:
    assert L4_OVERRIDES.semantics.invalid_reason(override).startswith(reason)
    assert bool(L4_OVERRIDES.semantics.invalid_reason(override)) is bool(reason)


def test_an_override_that_is_set_back_to_all_defaults_stays_one() -> None:
    block = {"ref": "a", "expression": "true", "action": "block"}
    back = L4_OVERRIDES.semantics.normalise({**block, "action": "default"}, block, {"action", "sensitivity"})
    assert back == {"ref": "a", "expression": "true", "sensitivity": "default"}
    assert L4_OVERRIDES.semantics.invalid_reason(back) == ""
    assert L4_OVERRIDES.semantics.normalise({**block, "action": "default"}, block, {"action"}) == back
    nothing = L4_OVERRIDES.semantics.normalise({**block, "action": "default", "sensitivity": ""}, block, {"action"})
    assert L4_OVERRIDES.semantics.invalid_reason(nothing).startswith("overrides nothing")


MANAGED_RULES = {"rules": [{"id": RULE, "description": "SYN flood", "categories": ["tcp", "syn"]}]}


@pytest.mark.parametrize(
    ("override", "clauses"),
    [
        ({"categories": [{"category": "tcp"}], "rules": [{"id": RULE}]}, []),
        ({"categories": [{"category": "tpc"}]}, ["names the category tpc, which does not exist; the nearest are tcp, syn"]),
        ({"rules": [{"id": "f" * 32}]}, [f"names the managed rule {'f' * 32}, which does not exist; the nearest are {RULE} (SYN flood)"]),
        ({"rules": "odd", "categories": [1]}, []),
    ],
)  # fmt: skip
def test_names_that_do_not_exist_come_with_the_nearest(override: dict[str, Any], clauses: list[str]) -> None:
    assert L4_OVERRIDES.catalogue is not None
    assert list(L4_OVERRIDES.catalogue.faults(override, MANAGED_RULES)) == clauses


OF_RULES: dict[str, Any] = {
    "rules": [
        {
            "id": "a" * 32,
            "description": "SYN flood",
            "categories": ["tcp"],
            "allowed_override_actions": ["block", "log"],
        },
        {
            "id": "b" * 32,
            "description": "UDP flood",
            "categories": ["udp"],
            "allowed_override_actions": ["ddos_dynamic", "log"],
        },
        {"id": "c" * 32, "description": "GRE flood", "categories": ["gre", "read-only"]},
        {"id": "d" * 32, "description": "ESP flood", "categories": ["esp", "tcp"], "allowed_override_actions": None},
        {"id": "e" * 32, "categories": ["old"]},
    ]
}


@pytest.mark.parametrize(
    ("override", "clauses"),
    [
        ({"rules": [{"id": "a" * 32, "action": "log"}, {"id": "b" * 32, "action": "ddos_dynamic"}]}, []),
        ({"rules": [{"id": "b" * 32, "action": "block"}]},
         [f"sets block for the managed rule UDP flood ({'b' * 32}), which takes ddos_dynamic, log"]),
        ({"rules": [{"id": "c" * 32, "sensitivity": "low"}]}, [f"overrides the managed rule GRE flood ({'c' * 32}), which is read-only"]),
        ({"rules": [{"id": "d" * 32, "sensitivity": "low"}]}, [f"overrides the managed rule ESP flood ({'d' * 32}), which is read-only"]),
        ({"rules": [{"id": "e" * 32, "action": "log"}]}, []),
        ({"rules": [{"id": "e" * 32, "action": "ddos_dynamic"}]}, [f"sets ddos_dynamic for the managed rule {'e' * 32} ({'e' * 32})"]),
        ({"categories": [{"category": "tcp", "action": "log"}, {"category": "udp", "action": "ddos_dynamic"}]}, []),
        ({"categories": [{"category": "tcp", "action": "ddos_dynamic"}]}, ["sets ddos_dynamic for the category tcp, which takes block, log"]),
        ({"categories": [{"category": "gre", "sensitivity": "low"}]}, ["overrides the category gre, which is read-only"]),
        ({"action": "ddos_dynamic"}, []),
        ({"sensitivity": "low"}, []),
    ],
)  # fmt: skip
def test_a_managed_rule_takes_the_actions_that_it_lists(override: dict[str, Any], clauses: list[str]) -> None:
    assert L4_OVERRIDES.catalogue is not None
    assert list(L4_OVERRIDES.catalogue.faults(override, OF_RULES)) == clauses


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ({"action": "log"}, True),
        ({"action": "block"}, False),
        ({"rules": [{"id": RULE, "sensitivity": "medium"}]}, True),
        ({"action": "block", "enabled": False}, True),
    ],
)
def test_an_override_weakens_by_any_of_its_values(override: dict[str, Any], expected: bool) -> None:
    assert weakens(override) is expected
