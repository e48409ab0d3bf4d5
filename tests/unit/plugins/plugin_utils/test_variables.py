# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wrong in the variables of a role, and that ansible-core would refuse no others."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.parsing.convert_bool import BOOLEANS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import CRASHES
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import BASELINE
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.arguments import OF_REPORTED_HOST
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import (
    MAX_PROBLEMS,
    Arguments,
    require_valid,
    wrong_values,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.sampled_rows import EVERY_ROW

ARGUMENTS: Arguments = {
    "flag": {"type": "bool"},
    "number": {"type": "int"},
    "hours": {"type": "float"},
    "name": {"type": "str", "choices": ["enabled", "monitoring"]},
    "folder": {"type": "path"},
    "token": {"type": "str", "no_log": True},
    "kinds": {"type": "list", "elements": "str", "choices": ["one", "two", ""]},
    "any": {"type": "list", "elements": "raw"},
    "rules": {
        "type": "list",
        "elements": "dict",
        "options": {
            "ref": {"type": "str", "required": True},
            "action": {"type": "str", "choices": ["block", "log"]},
            "logging": {"type": "dict", "options": {"enabled": {"type": "bool", "required": True}}},
            "more": {"type": "dict"},
            "products": {"type": "list", "elements": "str"},
        },
    },
}
RIGHT: dict[str, Any] = {
    "flag": "yes",
    "number": "7",
    "hours": 7,
    "name": "enabled",
    "folder": "~/report",
    "token": "secret",
    "kinds": "one,two",
    "any": [{"code": "mass_deletion"}, "one"],
    "rules": [{"ref": "one", "action": "log", "logging": {"enabled": True}, "more": {"x": 1}, "products": None}],
}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"flag": "perhaps"}, "flag: 'perhaps' is neither true nor false."),
    ({"flag": [True]}, "flag: a list is neither true nor false."),
    ({"number": "many"}, "number: 'many' is not a whole number."),
    ({"number": 1.5}, "number: 1.5 is not a whole number."),
    ({"number": float("inf")}, "number: inf is not a whole number."),
    ({"number": "1" * 500 + "x"}, f"number: '{'1' * 59}... (443 more characters) is not a whole number."),
    ({"hours": {"a": 1}}, "hours: a dictionary is not a number."),
    ({"hours": "\x1b[2J"}, r"hours: '\x1b[2J' is not a number."),
    ({"name": "Enable"}, "name: 'Enable' is none of enabled, monitoring (did you mean enabled?)."),
    ({"name": 7}, "name: 7 is none of enabled, monitoring."),
    ({"folder": ["a"]}, "folder: it is a list, not text."),
    ({"token": ["secret"]}, "token: it is its value, not text."),
    ({"kinds": ["one", "tow"]}, "kinds[1]: 'tow' is none of one, two (did you mean two?)."),
    ({"kinds": {"one": True}}, "kinds: a dictionary is not a list."),
    ({"rules": "office"}, "rules[0]: 'office' is not a dictionary; write {ref: ...}."),
    ({"rules": [{"ref": "a"}, None]}, "rules[1]: it is null."),
    ({"rules": [{"ref": "a"}, {"action": "log"}]}, "rules[1]: it lacks ref."),
    ({"rules": [{"ref": "a", "actoin": "log"}]}, "rules[0].actoin: there is no such field (did you mean action?)."),
    ({"rules": [{"ref": "a", "zzz": 1}]}, "rules[0].zzz: there is no such field; the fields are ref, action, logging, more, products."),
    ({"rules": [{"ref": "a", "logging": {"enabled": "x"}}]}, "rules[0].logging.enabled: 'x' is neither true nor false."),
    ({"rules": [{"ref": {"a": 1}}]}, "rules[0].ref: it is a dictionary, not text."),
    ({"rules": [{"ref": "a", "action": None}]}, "rules[0].action: it is null; leave it out."),
    ({"rules": [{"ref": "a", "action": "blok"}]}, "rules[0].action: 'blok' is none of block, log (did you mean block?)."),
]  # fmt: skip
STRICTER = {"folder", "token", "ref", "kinds"}  # ansible-core makes a text of lists, dictionaries and null


def message(values: dict[str, Any], arguments: Arguments | None = None) -> str:
    with pytest.raises(ValueError, match="^") as caught:
        require_valid(arguments or ARGUMENTS, values)
    return str(caught.value)


def core_refuses(values: dict[str, Any], arguments: Arguments | None = None) -> bool:
    """Whether ansible-core refuses the values of these arguments."""
    try:
        return bool(ArgumentSpecValidator(arguments or ARGUMENTS).validate(values).error_messages)
    except CRASHES:
        return True


def test_right_values_pass() -> None:
    require_valid(ARGUMENTS, RIGHT)
    require_valid(ARGUMENTS, dict.fromkeys(ARGUMENTS))
    assert not core_refuses(RIGHT)


@pytest.mark.parametrize(("values", "text"), WRONG)
def test_a_wrong_value_is_named_by_its_entry(values: dict[str, Any], text: str) -> None:
    assert message(values) == text
    if not STRICTER & {*values, *(name for item in values.get("rules", ()) if isinstance(item, dict) for name in item)}:
        assert core_refuses(values)


def test_several_problems_are_one_message_of_bounded_length() -> None:
    text = message({"flag": "x", "rules": [{"number": index} for index in range(1000)]})
    assert text.startswith(
        "2001 errors in the variables: (1) flag: 'x' is neither true nor false; (2) rules[0].number: "
    )
    assert text.endswith(f"; and {2001 - MAX_PROBLEMS} more.")
    assert len(text) < 2000


def test_a_message_holds_no_secret_wherever_it_was_put(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOUDFLARE_API_KEY", "ambient")
    text = message({"token": "s3cret", "number": "s3cret", "flag": "ambient", "rules": [{"ref": "x", "s3cret": 1}]})
    assert "s3cret" not in text
    assert "ambient" not in text


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "one", "log", "yes", "7", "a=b", "{}"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["ref", "action", "logging", "enabled", "x"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=150 if EVERY_ROW else 60, deadline=None)
@given(st.dictionaries(st.sampled_from(list(ARGUMENTS)), VALUES.filter(lambda value: value is not None)))
def test_values_that_ansible_core_refuses_are_wrong(values: dict[str, Any]) -> None:
    if core_refuses(values):
        assert list(wrong_values(ARGUMENTS, values))


def test_the_only_choice_that_reads_as_a_boolean_is_taken_as_one() -> None:
    """YAML makes booleans of on and off, which ansible-core takes back for a choice."""

    def choices(arguments: Arguments) -> set[Any]:
        own = {choice for argument in arguments.values() for choice in argument.get("choices") or ()}
        return own.union(*(choices(argument["options"]) for argument in arguments.values() if argument.get("options")))

    assert choices(OF_REPORTED_HOST) & BOOLEANS == {"off"}
    assert choices(BASELINE)
    level: Arguments = {"level": {"type": "str", "choices": ["off", "low"]}}
    require_valid(level, {"level": False})
    assert not core_refuses({"level": False}, level)
    assert message({"level": True}, level) == "level: True is none of off, low."
    assert core_refuses({"level": True}, level)
