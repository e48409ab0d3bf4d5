# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import (
    DEFAULT_BASE_URL,
    address_of,
    parse_base_url,
)
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option


@pytest.mark.parametrize(
    "text",
    [
        DEFAULT_BASE_URL,
        DEFAULT_BASE_URL + "/",
        "http://127.0.0.1:8787/client/v4",
        "http://127.9.9.9/client/v4",
        "http://[::1]:8787/client/v4",
        "http://localhost:8787/client/v4",
        "https://proxy.example.net/cloudflare/client/v4",
    ],
)
def test_https_and_loopback_are_taken_as_they_are(text: str) -> None:
    assert parse_base_url(text) == (text.rstrip("/"), None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("http://api.cloudflare.com/client/v4", "must be https"),
        ("http://127.0.0.1.example.net/client/v4", "must be https"),
        ("http://192.0.2.1/client/v4", "must be https"),
        ("api.cloudflare.com/client/v4", "not a URL"),
        ("ftp://127.0.0.1/client/v4", "not a URL"),
        ("https:///client/v4", "not a URL"),
        ("https://[::1/client/v4", "not a URL"),
        ("https://host:port/client/v4", "not a URL"),
        ("", "not a URL"),
        ("https://user:secret@api.cloudflare.com/client/v4", "credentials"),
        ("https://api.cloudflare.com/client/v4?x=1", "query"),
        ("https://api.cloudflare.com/client/v4\r\nX: y", "not a URL"),
    ],
)
def test_other_base_urls_are_refused(text: str, problem: str) -> None:
    with pytest.raises(OptionError, match=problem) as caught:
        parse_base_url(text)
    assert caught.value.option == Option("base_url")
    assert "secret" not in caught.value.message


def test_an_unusual_end_is_taken_with_a_warning() -> None:
    url, warning = parse_base_url("https://api.cloudflare.com/client/v5")
    assert url.endswith("/client/v5")
    assert "/client/v4" in (warning or "")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (DEFAULT_BASE_URL, DEFAULT_BASE_URL),
        (" https://API.Cloudflare.com:443/client/v4/ ", DEFAULT_BASE_URL),
        ("HTTP://LocalHost:080/client/v4", "http://localhost/client/v4"),
        ("http://[::1]:443/client/v4", "http://[::1]:443/client/v4"),
    ],
)
def test_the_address_has_nothing_that_makes_no_difference(text: str, address: str) -> None:
    assert address_of(text) == address
