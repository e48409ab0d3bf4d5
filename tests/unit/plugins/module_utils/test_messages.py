# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._messages import (
    OWN_NAMES,
    Message,
    Option,
    joined,
    with_names,
)

ROLE = {
    **{option: f"role_{option}" for option in ("max_wait", "accept_risks", "rules", "mode", "covers", "b")},
    "zone_id": "edge_zone_id",
}


@pytest.mark.parametrize(
    ("option", "own", "of_role"),
    [
        (Option("max_wait"), "max_wait", "role_max_wait"),
        (Option("zone_id"), "zone_id", "edge_zone_id"),
        (Option("accept_risks", 0), "accept_risks[0]", "role_accept_risks[0]"),
        (Option("rules", 2).at("rate", "zone_id"), "rules[2].rate.zone_id", "role_rules[2].rate.zone_id"),
        (Option().at("mode"), "mode", "role_mode"),
        (Option("validate"), "validate", "validate"),
        (Option("covers", 1, 0), "covers[1][0]", "role_covers[1][0]"),
    ],
)
def test_an_option_has_the_name_of_a_role_at_its_beginning_only(option: Option, own: str, of_role: str) -> None:
    assert (option.name(OWN_NAMES), option.name(ROLE)) == (own, of_role)


def test_options_with_the_same_path_are_equal() -> None:
    assert Option("rules", 2).at("position") == Option("rules", 2, "position") != Option("rules")
    assert len({Option("a"), Option("a")}) == 1


def test_a_message_is_a_text_that_keeps_its_options() -> None:
    message = Message("raise ", Option("max_wait"), ", not max_wait: 3")
    assert message == "raise max_wait, not max_wait: 3"
    assert message.named(ROLE) == "raise role_max_wait, not max_wait: 3"


@pytest.mark.parametrize(
    "message",
    [
        Message("a ", Message(Option("b"), " c")),
        "a " + Message(Option("b"), " c"),
        Message("a ", Option("b")) + " c",
        joined(" ", ["a", Message(Option("b")), "c"]),
    ],
)
def test_a_message_in_a_message_keeps_its_options(message: Message) -> None:
    assert isinstance(message, Message)
    assert message == "a b c"
    assert message.named(ROLE) == "a role_b c"


def test_joining_nothing_is_an_empty_message() -> None:
    assert joined("; ", []) == Message() == ""
    assert joined("; ", ["", "a"]) == "; a"


def test_a_plain_text_names_no_option() -> None:
    assert with_names("max_wait: 3", ROLE) == "max_wait: 3"
    assert with_names(Message(Option("max_wait"), ": 3"), ROLE) == "role_max_wait: 3"
