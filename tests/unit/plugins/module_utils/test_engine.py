# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils import _engine
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._arguments import ReadOptions
from ansible_collections.edgeops.protection.plugins.module_utils._context import (
    TASK,
    Context,
    PosturesOfHost,
    PostureValues,
    context_in,
)
from ansible_collections.edgeops.protection.plugins.module_utils._engine import run
from ansible_collections.edgeops.protection.plugins.module_utils._output import MAX_MESSAGE, option_failure
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.task import option_errors
from ansible_collections.edgeops.protection.plugins.module_utils._text import HIDDEN, redact

from tests.support.connection import CONNECTION
from tests.support.scripted import enveloped, in_turn

SECRETS = ("a-token-of-some-length", "a-token")


@pytest.mark.parametrize(
    ("value", "redacted"),
    [
        ("nothing to hide", "nothing to hide"),
        ("a-token", HIDDEN),
        ("not a-token-of-some-length, but a-token", "not ********, but ********"),
        ({"a-token of": {"x": ["is a-token"]}}, {"******** of": {"x": ["is ********"]}}),
        (("x a-token", 7, None, True), ["x ********", 7, None, True]),
    ],
)
def test_no_secret_is_left_wherever_it_stands(value: object, redacted: object) -> None:
    assert redact(value, SECRETS) == redacted


def task(**options: Any) -> dict[str, Any]:
    """The options of a task that never reaches a service."""
    return {**CONNECTION, "enabled": True, **options}


def failed(context: Context = TASK, **options: Any) -> tuple[Any, list[str]]:
    """The failure of a module whose options are wrong, and its warnings."""
    warnings: list[str] = []
    spec = MODULE_SPECS["tcp_protection_status"]
    return run(spec, task(**options), False, False, warnings.append, context=context), warnings


@pytest.mark.parametrize(
    "wrong", [{"account_id": "x"}, {"accept_risks": ["all"]}, {"timeout": 0, "accept_risks": ["x"]}]
)
def test_wrong_options_are_told_without_a_service(wrong: dict[str, Any]) -> None:
    spec = MODULE_SPECS["tcp_protection_status"]
    assert option_errors(spec, ReadOptions(task()), TASK) == ()
    errors = option_errors(spec, ReadOptions(task(**wrong)), TASK)
    assert option_failure(task(**wrong), errors) == failed(**wrong)[0]


def test_a_message_shows_no_secret_controls_no_terminal_and_ends() -> None:
    (result, dummy) = failed(account_id="\x1b[31ma-token-of-some-length")
    assert result["msg"].startswith("account_id: '\\x1b[31m********' is not an id")
    (result, dummy) = failed(account_id="x" * 2 * MAX_MESSAGE)
    assert MAX_MESSAGE < len(result["msg"]) < MAX_MESSAGE + 100


def test_a_warning_passes_the_same_way() -> None:
    result, warnings = failed(base_url="https://192.0.2.1/a-token-of-some-length", timeout=0)
    assert result["msg"].startswith("timeout: ")
    assert [text.partition(":")[0] for text in warnings] == ["base_url"]


ROLE = Context(True, {"timeout": "role_timeout", "accept_risks": "role_risks", "base_url": "edge_base_url"})


NIGHT = PosturesOfHost(["rules[0]"], [PostureValues("custom_rules", "('night',)", {"action": "block"}, True)])


@pytest.mark.parametrize("context", [TASK, Context(True).to_read(["ip_lists"]), ROLE, ROLE._replace(postures=NIGHT)])
def test_a_packed_module_knows_who_runs_it(context: Context) -> None:
    unpacked = context_in({"HOME": "/", **context.environment()})
    assert unpacked.environment() == context.environment()
    assert [*unpacked.reading.collections] == [*context.reading.collections]
    assert context_in({"HOME": "/"}) == TASK


@pytest.mark.parametrize("verbose", [True, False])
def test_a_verbose_failure_tells_how_many_calls_were_made(verbose: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(in_turn(enveloped(None, 403)), {"account_id": "0" * 32})
    monkeypatch.setattr(_engine, "connected", lambda *_arguments: nullcontext(client))
    result = run(MODULE_SPECS["tcp_protection_status"], task(), False, verbose, print)
    assert (result["failed"], result["error"]["status"]) == (True, 403)
    assert result.get("calls") == (1 if verbose else None)
