# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ipaddress
from typing import Any, Dict

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import FieldValue, Items, Pairs
from ansible_collections.edgeops.protection.plugins.module_utils._protection.request import parse_request
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

Request = Dict[str, Any]
OPTION = Option("expectations", 0, "request")
ITEM = Items((b"1",))


def fields(**request: Any) -> dict[str, FieldValue]:
    return dict(parse_request(OPTION, request).values)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"source": "198.51.100.9"}, {"ip.src": ipaddress.ip_address("198.51.100.9")}),
        ({"method": "GET"}, {"http.request.method": b"GET"}),
        ({"scheme": "https"}, {"ssl": True}),
        ({"host": "shop.example"}, {"http.host": b"shop.example"}),
        ({"host": "münchen.example"}, {"http.host": b"xn--mnchen-3ya.example"}),
        ({"country": "DE"}, {"ip.src.country": b"DE", "ip.geoip.country": b"DE"}),
        ({"continent": "EU"}, {"ip.src.continent": b"EU", "ip.geoip.continent": b"EU"}),
        ({"asn": "64500"}, {"ip.src.asnum": 64500, "ip.geoip.asnum": 64500}),
        ({"user_agent": ""}, {"http.user_agent": b""}),
        ({"referer": "x"}, {"http.referer": b"x"}),
        ({"tls_version": "TLSv1.3"}, {"cf.tls_version": b"TLSv1.3"}),
        ({"path": "/a%2Fb"}, {"http.request.uri.path": b"/a%2Fb", "raw.http.request.uri.path": b"/a%2Fb"}),
        ({"fields": {"cf.threat_score": 10, "ip.geoip.is_in_european_union": True}},
         {"cf.threat_score": 10, "ip.geoip.is_in_european_union": True, "ip.src.is_in_european_union": True}),
        ({"cookies": {"a": 1, "b": ["1", "x"]}},
         {"http.cookie": b"a=1; b=1; b=x", "http.request.cookies": Pairs({b"a": ITEM, b"b": Items((b"1", b"x"))})}),
    ],
)  # fmt: skip
def test_keys_give_fields(request_: Request, expected: dict[str, FieldValue]) -> None:
    assert fields(**request_) == expected


def test_a_uri_is_a_path_and_a_query() -> None:
    values = fields(uri="/a?b=1&b=2&c=", scheme="https", host="shop.example")
    assert values == {**fields(path="/a", query="b=1&b=2&c=", scheme="https", host="shop.example")}
    assert values["http.request.uri"] == b"/a?b=1&b=2&c="
    assert values["http.request.full_uri"] == b"https://shop.example/a?b=1&b=2&c="
    assert values["http.request.uri.args"] == Pairs({b"b": Items((b"1", b"2")), b"c": Items((b"",))})
    assert values["http.request.uri.args.names"] == Items((b"b", b"b", b"c"))
    assert values["raw.http.request.uri.args.values"] == Items((b"1", b"2", b""))
    assert fields(uri="/a")["http.request.uri"] == b"/a"


def test_a_missing_field_of_a_request_is_unknown() -> None:
    assert "http.request.uri" not in fields(path="/a")
    assert "http.request.uri.args" not in fields(query="flag")  # the vendor does not say
    assert fields(query="")["http.request.uri.args"] == Pairs({})


def test_headers_are_all_but_those_of_other_keys() -> None:
    values = fields(headers={"X-Key": ["a", "b"]}, host="shop.example", user_agent="", cookies={})
    assert values["http.request.headers"] == Pairs(
        {b"x-key": Items((b"a", b"b")), b"host": Items((b"shop.example",))}, (b"user-agent", b"referer")
    )
    assert values["http.request.headers.names"] == Items((b"x-key", b"host"), True, (b"user-agent", b"referer"), False)
    assert values["http.request.headers.values"] == Items((b"a", b"b", b"shop.example"), False, (), False)


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"verb": "GET"}, "expectations[0].request.verb: there is no such field; the fields are source, method"),
        ({}, "expectations[0].request: it gives nothing of the request"),
        ({"path": None}, "path: it has no value"),
        ({"source": "192.0.2.0/24"}, "source: '192.0.2.0/24' is no address"),
        ({"source": "::ffff:192.0.2.1"}, "source: Cloudflare sees '::ffff:192.0.2.1' as 192.0.2.1; write 192.0.2.1"),
        ({"method": "get"}, "method: 'get' is no method; write it in capitals"),
        ({"scheme": "ftp"}, "scheme: 'ftp' is not one of http, https"),
        ({"host": "Shop.example:8443"}, "host: 'Shop.example:8443' is no host"),
        ({"path": "cart"}, "path: 'cart' is no path"),
        ({"path": "/a//b"}, "is no path"),
        ({"path": "/a/../b"}, "is no path"),
        ({"path": "/a/."}, "is no path"),
        ({"path": "/%61"}, "is no path"),
        ({"path": "/%2f"}, "is no path"),
        ({"path": "/a\\b"}, "is no path"),
        ({"path": "/é"}, "is no path"),
        ({"path": "/a?b"}, "path: '/a?b' has a query; give path and query, or uri"),
        ({"path": "/a", "uri": "/a"}, "uri: it says what path and query say; give either"),
        ({"uri": "/a?"}, "uri: '/a?' ends with a '?' and no query"),
        ({"query": "a b"}, "query: 'a b' is no query as it is sent"),
        ({"country": "de"}, "country: 'de' is no code of a country"),
        ({"continent": "Europe"}, "continent: 'Europe' is not one of AF"),
        ({"asn": "AS1"}, "asn: 'AS1' is no number"),
        ({"user_agent": True}, "user_agent: True is no text"),
        ({"headers": ["a"]}, "headers: ['a'] is no dictionary"),
        ({"headers": {"a b": "c"}}, "headers: 'a b' is no name of a header"),
        ({"headers": {"User-Agent": "c"}}, "headers.User-Agent: give it as user_agent"),
        ({"cookies": {"a": {}}}, "cookies.a: {} is no text"),
        ({"headers": {"X-A": "c", "x-a": "d"}}, "headers.x-a: it is the header X-A; give its values as a list"),
        ({"fields": {"ip.src": "192.0.2.1"}}, "fields.ip.src: give it as source"),
        (
            {"fields": {"cf.threat_scor": 1}},
            "fields: 'cf.threat_scor' is no field of requests that this collection knows",
        ),
    ],
)
def test_wrong_requests_are_errors_with_their_place(request_: Request, problem: str) -> None:
    with pytest.raises(OptionError) as error:
        parse_request(OPTION, request_)
    assert problem in error.value.message


def test_fields_have_keys_that_give_them() -> None:
    request = parse_request(OPTION, {"path": "/"})
    names = ("ip.geoip.country", "cf.bot_management.score")
    assert [request.not_given(name).rpartition("given ")[2] for name in names] == [
        "(country)",
        "(fields: {cf.bot_management.score: ...})",
    ]
