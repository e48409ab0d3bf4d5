# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists and their items: names, addresses, and what the collection leaves alone."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import items_of

ITEMS = items_of("offices")


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("192.0.2.1/32", "192.0.2.1"),
        ("192.0.2.7/24", "192.0.2.0/24"),
        ("2001:DB8::1/128", "2001:db8::1"),
        (" 2001:db8::/32 ", "2001:db8::/32"),
    ],
)
def test_items_are_sent_in_one_form(written: str, sent: str) -> None:
    value = ITEMS.field("ip").value
    assert value.parse(written) == sent
    assert value.normalise(written) == value.normalise(sent)


@pytest.mark.parametrize(("network", "wider"), [("10.0.0.0/8", "10.0.0.0/7"), ("2000::/12", "2000::/11")])
def test_networks_that_are_too_wide_are_refused(network: str, wider: str) -> None:
    value = ITEMS.field("ip").value
    assert value.examine(network) == ()
    with pytest.raises(ValueError, match=f"{wider} is wider than /{network.partition('/')[2]}, the widest network"):
        value.examine(wider)


def test_the_key_of_an_item_begins_with_its_list() -> None:
    item = {"id": "a", "ip": "192.0.2.1"}
    assert ITEMS.entry_of(item) == "offices 192.0.2.1"
    assert ITEMS.key_of_entry("offices 192.0.2.1/32") == ITEMS.key_of(item)
    assert ITEMS.key_of_entry("shops 192.0.2.1") is None
    assert ITEMS.key_of_entry("192.0.2.1") is None


@pytest.mark.parametrize(
    ("hostname", "form"),
    [("münchen.example", "xn--mnchen-3ya.example"), ("*.Straße.example", "*.xn--strae-oqa.example")],
)
def test_a_hostname_with_other_letters_is_refused_with_the_form_that_requests_have(hostname: str, form: str) -> None:
    value = items_of("shops", "hostname").field("hostname").value
    with pytest.raises(ValueError, match="in Punycode; write ") as caught:
        value.parse(hostname)
    assert str(caught.value).endswith(f"write {form}")
    assert value.parse(form) == form
