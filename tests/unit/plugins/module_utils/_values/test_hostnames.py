# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names as people write them, and as requests have them."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._values.hostnames import in_letters, in_punycode


@pytest.mark.parametrize(
    ("letters", "punycode"),
    [
        ("shop.example", "shop.example"),
        ("münchen.example", "xn--mnchen-3ya.example"),
        ("www.straße.example", "www.xn--strae-oqa.example"),
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("i❤.example", "xn--i-7iq.example"),
    ],
)
def test_each_form_leads_to_the_other(letters: str, punycode: str) -> None:
    assert in_punycode(letters) == in_punycode(punycode) == punycode
    assert in_letters(punycode) == in_letters(letters) == letters


@pytest.mark.parametrize("name", ["xn--.example", "xn--a-ü", "xn--99999999.example", "xn--abc"])
def test_a_label_that_is_no_punycode_stays(name: str) -> None:
    assert in_letters(name) == name


def test_a_letter_and_its_mark_are_a_letter() -> None:
    assert in_punycode("mu\N{COMBINING DIAERESIS}nchen.example") == "xn--mnchen-3ya.example"
