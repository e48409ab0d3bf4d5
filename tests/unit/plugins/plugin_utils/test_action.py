# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import TASK
from ansible_collections.edgeops.protection.plugins.plugin_utils import _action
from ansible_collections.edgeops.protection.plugins.plugin_utils._action import ActionTools, ModuleCalls
from ansible_collections.edgeops.protection.plugins.plugin_utils._module_options import option_problems

from tests.support.connection import CONNECTION

STATUS = "edgeops.protection.tcp_protection_status"


def calls(transport: str = "local", delegate_to: str | None = None, **variables: Any) -> ModuleCalls:
    task: Any = SimpleNamespace(delegate_to=delegate_to, diff=True)
    connection = SimpleNamespace(transport=transport)
    templar = SimpleNamespace(template=lambda value: value)
    tools = ActionTools(connection, play_context=None, loader=None, templar=templar, shared_loader_obj=None)
    return ModuleCalls(task, tools, {"inventory_hostname": "lima", **variables})


@pytest.mark.parametrize("transport", ["local", "ansible.builtin.local"])
def test_modules_may_run_on_the_control_node(transport: str) -> None:
    assert calls(transport).refusal == ""
    assert calls(transport).shows_diff


@pytest.mark.parametrize(("delegate_to", "host"), [(None, "lima"), ("oslo", "oslo")])
def test_a_remote_connection_is_refused_by_the_host_that_has_it(delegate_to: str | None, host: str) -> None:
    refusal = calls("ssh", delegate_to).refusal
    assert refusal.startswith("This module carries credentials, so it runs on the control node")
    assert f"the connection of {host} is ssh. Set ansible_connection: local for {host}" in refusal


@pytest.mark.parametrize(("allowed", "is_refused"), [(True, False), ("yes", False), ("no", True), (False, True)])
def test_a_user_may_allow_remote_connections(allowed: Any, is_refused: bool) -> None:
    assert bool(calls("ssh", edgeops_protection_allow_remote=allowed).refusal) is is_refused


def test_right_options_have_no_errors() -> None:
    assert option_problems(STATUS, {**CONNECTION, "enabled": True}, TASK, {}) == []


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("enabeld", True, "enabeld: there is no such option (did you mean enabled?)"),
        ("timeout", 0, "status_timeout: 0 is no number of at least 0.1"),
        ("timeout", "long", "status_timeout: 'long' is a text; write a number"),
    ],
)
def test_wrong_options_are_told_before_any_call(option: str, value: Any, words: str) -> None:
    context = TASK._replace(names={"timeout": "status_timeout"})
    (problem,) = option_problems(STATUS, {**CONNECTION, "enabled": True, option: value}, context, {})
    assert problem.error.message == words


def test_a_problem_repeats_no_secret() -> None:
    options = {**CONNECTION, "enabled": CONNECTION["api_token"]}
    (problem,) = option_problems(STATUS, options, TASK, {})
    assert problem.error.message == "enabled: '********' is a text; write true or false"


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (0, ["lima: one and-two three"]),
        (14, ["lima: one", "  and-two", "  three"]),
        (4, ["lima:", "  one", "  and-two", "  three"]),
    ],
)
def test_what_is_for_people_ends_between_words_on_a_terminal(
    columns: int, shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And on standard output."""
    monkeypatch.setattr(_action, "COLUMNS", columns)
    displayed: list[tuple[Any, ...]] = []
    display = SimpleNamespace(display=lambda *arguments, **more: displayed.append((arguments, more)))
    _action.say(display, "lima: one and-two three")
    assert displayed == [(("\n".join(shown),), {})]
    displayed.clear()
    _action.say_whole(display, "lima: one and-two three")
    assert displayed == [(("lima: one and-two three",), {})], "a value to copy is never wrapped"
