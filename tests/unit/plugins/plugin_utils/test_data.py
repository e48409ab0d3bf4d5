# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import by_path, is_data, plain

from tests.support.marked import Marked


class Number(int):
    pass


class Share(float):
    pass


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Marked("text"), "text"),
        (Number(7), 7),
        (Share(0.5), 0.5),
        ({Marked("name"): (Marked("a"), [Number(1)])}, {"name": ["a", [1]]}),
        ({7: None}, {"7": None}),
    ],
)
def test_data_lose_the_marks_of_ansible_and_keep_their_values(value: Any, expected: Any) -> None:
    assert plain(value) == expected
    assert repr(plain(value)) == repr(expected)


@pytest.mark.parametrize("value", [True, False, None])
def test_truth_values_stay_what_they_are(value: Any) -> None:
    assert plain(value) is value


def test_every_part_is_of_a_plain_type() -> None:
    ((name, items),) = plain({Marked("a"): [Marked("b"), Number(1), Share(1.0)]}).items()
    assert [type(item) for item in (name, *items)] == [str, str, int, float]


@pytest.mark.parametrize(
    "value", ["text", "ip.src in {192.0.2.1}", True, None, 1.5, Marked("a"), {"a": [{"b": ({"c": "}}"},)}]}, []]
)
def test_values_without_a_template_are_data(value: Any) -> None:
    assert is_data(value)


class Encrypted:
    """As a vault has it: a text only when it is read."""


@pytest.mark.parametrize(
    "value",
    [
        "{{ name }}",
        "a{% if b %}",
        "{# note #}",
        "#jinja2: variable_start_string: '<<'\n<< name >>",
        {"a": [{"b": "{{ name }}"}]},
        {"a": Encrypted()},
        [Encrypted()],
        {7: "text"},
    ],
)
def test_templates_and_what_ansible_decrypts_are_no_data(value: Any) -> None:
    assert not is_data(value)


def test_values_within_dictionaries_go_by_their_paths() -> None:
    values = {"filter": {"expression": "ssl", "of": {"a": 1}}, "products": ["waf"], "none": {}}
    assert by_path(values) == {"filter.expression": "ssl", "filter.of.a": 1, "products": ["waf"], "none": {}}
