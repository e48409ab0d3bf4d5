# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How a module ends: with its result, with a failure, or before it begins."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils import _module as entry_point
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


class Ended(Exception):
    """What a module ends with: whether it failed, and its result."""


class FakeModule:
    """An AnsibleModule with these options."""

    params: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, argument_spec: dict[str, Any], supports_check_mode: bool) -> None:
        self.check_mode = True
        self._verbosity = 1

    def warn(self, text: str) -> None:
        raise AssertionError(text)

    def exit_json(self, **result: Any) -> None:
        raise Ended(False, result)

    def fail_json(self, **result: Any) -> None:
        raise Ended(True, result)


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> type[FakeModule]:
    class Module(FakeModule):
        pass

    monkeypatch.setattr(entry_point, "AnsibleModule", Module)
    monkeypatch.setattr(entry_point, "REQUESTS_IMPORT_ERROR", None)
    return Module


def ended() -> Any:
    with pytest.raises(Ended) as caught:
        run_module(MODULE_SPECS["tcp_protection_status"])
    return caught.value.args


@pytest.mark.parametrize("result", [{"changed": True}, {"failed": True, "msg": "It failed.", "error": {}}])
def test_the_result_of_the_runner_is_the_end(
    result: dict[str, Any], module: type[FakeModule], monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: list[Any] = []
    role = Context(True, {"enabled": "role_enabled"})
    monkeypatch.setenv(*role.environment().popitem())

    def run(*arguments: Any, context: Context) -> dict[str, Any]:
        passed.append((*arguments[1:4], context.environment()))
        return result

    module.params = {"enabled": True}
    monkeypatch.setattr(entry_point, "run", run)
    assert ended() == ("failed" in result, result)
    assert passed == [({"enabled": True}, True, True, role.environment())]  # the options, check mode, verbose, context


@pytest.mark.usefixtures("module")
def test_without_requests_the_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_point, "REQUESTS_IMPORT_ERROR", "ImportError: no requests")
    failed, result = ended()
    assert failed
    assert "requests" in result["msg"]
    assert result["exception"] == "ImportError: no requests"
