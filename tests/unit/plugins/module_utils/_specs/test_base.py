# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module's specification says of itself, and the options that it makes of a resource."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import ModuleSpec, fields_of, list_option


def nothing(*_arguments: Any) -> Any:
    return {}


def test_a_module_with_a_desired_state_writes() -> None:
    reading = ModuleSpec(owner="account_id", options={}, reads=nothing, result=nothing)
    assert (reading.writes, reading.desired({"a": 1})) == (False, ())
    assert ModuleSpec(owner="account_id", options={}, reads=nothing, result=nothing, desired=nothing).writes is True


def test_the_options_that_are_fields_are_picked_with_null_for_what_is_left_out() -> None:
    assert fields_of(ALLOWLIST.fields, {"prefix": "10.0.0.1", "state": "absent"}) == {
        "prefix": "10.0.0.1",
        "comment": None,
        "enabled": None,
    }
    assert fields_of(STATUS.fields, {"enabled": False}) == {"enabled": False}


def test_a_list_takes_objects_as_results_show_them() -> None:
    option = list_option(ALLOWLIST, {"position": {"type": "str"}})
    assert (option["type"], option["elements"], "required" in option) == ("list", "dict", False)
    assert list(option["options"]) == [
        *("position", "prefix", "comment", "enabled", "expires"),
        *("id", "created_on", "modified_on"),
    ]
    assert option["options"]["prefix"] == {"type": "str", "required": True}
    assert option["options"]["id"] == {"type": "str"}
    assert list_option(ALLOWLIST, required=True)["required"] is True
