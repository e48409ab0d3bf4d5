# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields of past requests, as the analytics and Logpush records give them."""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection import past_requests
from ansible_collections.edgeops.protection.plugins.module_utils._protection.past_requests import (
    ANALYTICS,
    LOGPUSH,
    PARTS,
    FieldReader,
    Records,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.request import REQUEST_KEYS
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.fields import KNOWN_FIELDS

SAME: dict[str, tuple[Any, ...]] = {
    "ip.src": ("192.0.2.7", "192.0.2.7", ipaddress.ip_address("192.0.2.7")),
    "ip.src.country": ("DE", "de", b"DE"),
    "ip.geoip.country": ("DE", "de", b"DE"),
    "ip.src.asnum": ("64500", 64500, 64500),
    "http.host": ("Shop.example", "shop.example", b"shop.example"),
    "http.request.method": ("GET", "GET", b"GET"),
    "http.request.uri.path": ("/a%2F", "/a%2F", b"/a%2F"),
    "raw.http.request.uri.path": ("/a", "/a", b"/a"),
    "http.request.uri.query": ("?a=1|2", "/path?a=1|2", b"a=1|2"),
    "http.user_agent": ("", "", b""),
    "http.referer": ("https://a.example/", "https://a.example/", b"https://a.example/"),
    "ssl": ("https", "https", True),
    "http.request.version": ("HTTP/2", "HTTP/2", b"HTTP/2"),
    "cf.tls_version": ("TLSv1.3", "TLSv1.3", b"TLSv1.3"),
    "cf.bot_management.score": (30, 30, 30),
    "cf.bot_management.verified_bot": ("", "", False),
    "cf.verified_bot_category": ("Search Engine Crawler", "Search Engine Crawler", b"Search Engine Crawler"),
    "cf.waf.score.sqli": (12, 12, 12),
    "cf.colo.name": ("FRA", "FRA", b"FRA"),
}
OTHER_FORMS: dict[str, list[Any]] = {
    "ip.src": ["", "nobody", "::ffff:192.0.2.1"],
    "ip.src.country": ["", "Germany"],
    "ip.src.asnum": ["", "AS64500"],
    "http.host": ["shop.example:8443", "münchen.example"],
    "http.request.uri.path": ["//a", "/a/../b", "/%61", "/%c3", "/ü", "a"],
    "ssl": ["", "wss"],
    "cf.tls_version": ["", "none", "unknown"],
    "cf.bot_management.score": [0, "", None],
    "cf.waf.score": [0],
    "http.user_agent": [None, ["a"], {"a": 1}],
}


@pytest.mark.parametrize("name", SAME)
def test_the_sources_give_the_same_field(name: str) -> None:
    analytics, logpush, value = SAME[name]
    for source, one in ((ANALYTICS, analytics), (LOGPUSH, logpush)):
        fields = FieldReader([name], source).group([one], (5, 1)).fields
        assert fields[name] == value and type(fields[name]) is type(value), source


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in OTHER_FORMS.items() for value in values])
def test_values_of_another_form_give_no_field(name: str, value: Any) -> None:
    assert name not in FieldReader([name], ANALYTICS).group([value], (5, 1)).fields


def test_a_uri_has_its_parts() -> None:
    reader = FieldReader(["http.request.full_uri"], ANALYTICS)
    assert set(reader.names) == {
        "clientRequestPath",
        "clientRequestQuery",
        "clientRequestScheme",
        "clientRequestHTTPHost",
    }
    values = {
        "clientRequestPath": "/a",
        "clientRequestQuery": "?b=1",
        "clientRequestScheme": "https",
        "clientRequestHTTPHost": "h.example",
    }
    fields = reader.group([values[name] for name in reader.names], (1, 1)).fields
    assert fields["http.request.full_uri"] == b"https://h.example/a?b=1" and fields["http.request.uri"] == b"/a?b=1"


def test_only_what_is_read_is_asked_for() -> None:
    names = ["ip.src.country", "cf.client.bot", "http.cookie", "cf.tls_cipher"]
    assert FieldReader(names, ANALYTICS).names == ("clientCountryName",)
    assert FieldReader(names, LOGPUSH).names == ("ClientCountry", "ClientSSLCipher")


def test_parts_are_known_fields() -> None:
    assert [key for key in PARTS if key not in REQUEST_KEYS and key not in KNOWN_FIELDS] == []


def test_equal_values_are_one_group_and_many_groups_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_requests, "MOST_GROUPS", 2)
    reader = FieldReader(["http.request.method"], LOGPUSH)
    rows = [((method,), 10, 1) for method in ("GET", "POST", "GET", "PUT", "GET", "HEAD")]
    parts = [[(group.fields["http.request.method"], *group[1:]) for group in part] for part in reader.groups(rows)]
    assert parts == [[(b"GET", 20, 2), (b"POST", 10, 1)], [(b"PUT", 10, 1), (b"GET", 10, 1)], [(b"HEAD", 10, 1)]]


TIMES = {
    "2026-07-01T10:00:00Z": "2026-07-01T10:00:00+00:00",
    1782900000: "2026-07-01T10:00:00+00:00",
    1782900000_000000001: "2026-07-01T10:00:00+00:00",
    "yesterday": None,
}


@pytest.mark.parametrize("time", TIMES)
def test_a_file_has_the_time_of_its_records(time: Any, tmp_path: Path) -> None:
    file = tmp_path / "records"
    file.write_text(json.dumps({"EdgeStartTimestamp": time}) + "\n{}\n", encoding="utf-8")
    records = Records(str(file), ())
    assert len(list(records)) == 2 and list(records.window) == [TIMES[time]] * 2


def test_a_line_without_an_end_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_requests, "LONGEST_LINE", 20)
    file = tmp_path / "records"
    file.write_text('{"a": 1}\n{"a": "' + 50 * "x" + '"}\n{"a": 2}\n', encoding="utf-8")
    records = Records(str(file), ("a",))
    assert [values for values, *_numbers in records] == [(1,), (2,)] and records.malformed == 3
