# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import TASK
from ansible_collections.edgeops.protection.plugins.module_utils._text import HIDDEN
from ansible_collections.edgeops.protection.plugins.plugin_utils._action import ModuleCalls, wrong_options

from tests.support.connection import CONNECTION

STATUS = "edgeops.protection.tcp_protection_status"


def calls(transport: str = "local", delegate_to: str | None = None, **variables: Any) -> ModuleCalls:
    task: Any = SimpleNamespace(delegate_to=delegate_to, diff=True)
    connection = SimpleNamespace(transport=transport)
    templar = SimpleNamespace(template=lambda value: value)
    return ModuleCalls(task, (connection, None, None, templar, None), {"inventory_hostname": "lima", **variables})


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


def test_right_options_have_no_failure() -> None:
    assert wrong_options(STATUS, {**CONNECTION, "enabled": True}, TASK) is None


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("enabeld", True, "enabeld: there is no such option (did you mean enabled?)"),
        ("timeout", 0, "timeout: "),
        ("timeout", "long", "timeout: 'long' is a text; write a number"),
    ],
)
def test_wrong_options_fail_before_any_call(option: str, value: Any, words: str) -> None:
    failure = wrong_options(STATUS, {**CONNECTION, "enabled": True, option: value}, TASK)
    assert failure is not None and failure["failed"] is True
    assert words in failure["msg"]


def test_a_failure_repeats_no_secret() -> None:
    options = {**CONNECTION, "enabled": CONNECTION["api_token"]}
    failure = wrong_options(STATUS, options, TASK)
    assert failure is not None and CONNECTION["api_token"] not in failure["msg"]
    assert "********" in failure["msg"] or HIDDEN in failure["msg"]
