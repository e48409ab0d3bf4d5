# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Iterable

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    OWN_NAMES,
    Advice,
    Message,
    Option,
    capitalised,
    excerpt,
    first_few,
    joined,
    sentence,
    visible,
)

ROLE = {
    **{option: f"role_{option}" for option in ("max_wait", "accept_risks", "rules", "mode", "covers", "b")},
    "zone_id": "edge_zone_id",
}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("as it is: äöü 漢字 😀 \\x1b", "as it is: äöü 漢字 😀 \\x1b"),
        ("\x1b[31mred\x07\x9b", "\\x1b[31mred\\x07\\x9b"),
        ("line\r\n\tbreak\u2028", "line\\r\\n\\tbreak\\u2028"),
        ("\u202egpj.exe\u2066\u200f\ufeff", "\\u202egpj.exe\\u2066\\u200f\\ufeff"),
        ("\ud800\U000e0041\x00", "\\ud800\\U000e0041\\x00"),
    ],
)
def test_characters_that_a_terminal_obeys_are_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("abcd", "abcd"),
        ("a" * 28, "a" * 28),
        ("a" * 29, "aaaa... (25 more characters)"),
        ("a " * 20, "a a... (37 more characters)"),
    ],
)
def test_a_long_text_is_cut_and_the_rest_counted(text: str, shown: str) -> None:
    assert excerpt(text, 4) == shown


def test_of_a_long_text_the_path_of_a_call_is_cut_before_the_cause() -> None:
    path = f"accounts/{'0' * 32}/rulesets/phases/http_request_firewall_custom/entrypoint"
    cause = "got no response from https://api.cloudflare.com: Connection refused"
    text = f"GET {path} {cause}. Check base_url and the network."
    assert excerpt(text, 120).startswith(f"GET accounts/.../entrypoint {cause}.")
    assert excerpt(text, len(text)) == text


@pytest.mark.parametrize(
    ("names", "most", "shown"),
    [
        ([], 2, ""),
        (["a", "b"], 2, "a, b"),
        (["a", "b", "c"], 2, "a, b and 1 more"),
        (map(str, range(9)), 5, "0, 1, 2, 3, 4 and 4 more"),
    ],
)
def test_the_first_names_are_shown_and_the_others_counted(names: Iterable[str], most: int, shown: str) -> None:
    assert first_few(names, most) == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("", ""), ("iPv4", "IPv4"), ("SYN flood", "SYN flood"), ("7 rules", "7 rules")]
)
def test_only_the_first_letter_becomes_a_capital(text: str, shown: str) -> None:
    assert capitalised(text) == shown
    assert sentence(text) == shown + "."


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (Message(Option("accept_risks", 0), ": it expired"), "accept_risks[0]: it expired."),
        (Message("the option ", Option("enabled")), "The option enabled."),
        (Message(), "."),
    ],
)
def test_the_name_of_an_option_does_not_become_a_capital(message: Message, shown: str) -> None:
    assert sentence(message) == shown
    assert isinstance(capitalised(message), Message)


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


def test_advice_is_left_out_if_a_role_lacks_the_option() -> None:
    message = Message("too soon", Advice("; set ", Option("rules"), ": true"), ".")
    assert message == "too soon; set rules: true."
    assert message.with_names(ROLE) == "too soon; set role_rules: true."
    assert message.with_names({**ROLE, "rules": ""}) == "too soon."


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
    assert message.with_names(ROLE) == "a role_b c"
