# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module's specification says of itself, and the options that it makes of a resource."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import ModuleSpec, fields_of, list_option


class Reading(ModuleSpec):
    """A module that reads nothing."""

    owner, options = "account_id", {}

    def reads(self, options: Any) -> Any:
        return ()

    def result(self, options: Any, desired: Any, state: Any) -> Any:
        return {}


class Writing(Reading):
    """A module that has a desired state, of nothing."""

    def desired(self, options: Any) -> Any:
        return ()


class Looking(Reading):
    """A module that learns something beside its resources."""

    def look(self, options: Any, client: Any) -> Any:
        return {"seen": True}


def test_a_module_with_a_desired_state_writes() -> None:
    assert [(spec.writes, spec.looks) for spec in (Reading(), Writing(), Looking())] == [
        (False, False),
        (True, False),
        (False, True),
    ]


def test_a_module_desires_nothing_and_leaves_nothing_pending_unless_it_says_so() -> None:
    spec = Reading()
    assert (spec.desired({}), spec.look({}, Client(None, {})), spec.pending(())) == ((), {}, [])  # type: ignore[arg-type]


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
