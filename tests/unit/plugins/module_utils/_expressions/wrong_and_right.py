# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expressions by the vendor's tables: a wrong one, what is said of it, and the nearest one that is right."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A wrong expression with what is said of it, and a right one."""

    wrong: str
    words: str
    right: str


SLASH = "since http.request.uri.path begins with a slash"
CODE = "since ip.src.country is a code of ISO 3166-1 in capital letters, such as DE"
HOST = "since http.host has no capital letters, no scheme and no path"
EXTENSION = "since http.request.uri.path.extension has no dot, no slash and no capital letters"
OF_REQUESTS = [
    # paths
    Row('http.request.uri.path eq "admin"', f'{SLASH}; write "/admin"', 'http.request.uri.path eq "/admin"'),
    Row('http.request.uri.path ne "admin"', f"is always true, {SLASH}", 'http.request.uri.path contains "admin"'),
    Row('http.request.uri.path in {"/a" "b"}', 'is never "b", since it begins with a slash; write "/b"', 'http.request.uri.path in {"/a" "/b"}'),
    Row('http.request.uri eq "a?b=c"', "since http.request.uri begins with a slash", 'http.request.uri eq "/a?b=c"'),
    Row('raw.http.request.uri.path eq "a"', "begins with a slash", 'raw.http.request.uri.path eq "/a"'),
    Row('starts_with(http.request.uri.path, "admin")', f"starts_with(...) is never true, {SLASH}", 'starts_with(http.request.uri.path, "/admin")'),
    Row('not starts_with(http.request.uri, "a")', "starts_with(...) is never true", 'ends_with(http.request.uri.path, "admin")'),
    Row('http.request.uri.path wildcard "admin*"', f'{SLASH}; write "/admin*"', 'http.request.uri.path wildcard "*admin*"'),
    Row('http.request.uri.path strict wildcard "a"', SLASH, 'http.request.uri.path strict wildcard "/a"'),
    Row('http.request.full_uri eq "/a"', "begins with http:// or https://", 'http.request.full_uri eq "https://a.example/a"'),
    Row('http.request.full_uri wildcard "a.example/*"', "begins with http", 'http.request.full_uri wildcard "http*://a.example/*"'),
    # countries and continents
    Row('ip.src.country eq "UK"', f'{CODE}; write "GB"', 'ip.src.country eq "GB"'),
    Row('ip.src.country ne "ZZ"', f"is always true, {CODE}", 'ip.src.country ne "XX"'),
    Row('ip.src.country in {"DE" "UK"}', 'is never "UK", since it is a code of ISO 3166-1', 'ip.src.country in {"DE" "GB" "T1"}'),
    Row('ip.src.country in {"de" "FR"}', 'is never "de", since it has two capital letters, such as DE; write "DE"', 'ip.src.country in {"DE" "FR"}'),
    Row('ip.geoip.country eq "Germany"', "two capital letters", 'ip.geoip.country eq "XK"'),
    Row('ip.src.continent eq "eu"', 'write "EU"', 'ip.src.continent eq "EU"'),
    Row('ip.src.continent in {"EU" "USA"}', 'is never "USA", since it is one of AF, AN, AS, EU, NA, OC, SA, T1', 'ip.src.continent in {"EU" "T1"}'),
    # hosts
    Row('http.host eq "https://a.example"', f'{HOST}; write "a.example"', 'http.host eq "a.example"'),
    Row('http.host eq "A.example"', f'{HOST}; write "a.example"', 'lower(http.host) eq "a.example"'),
    Row('http.host eq "a.example/b"', HOST, 'http.host eq "a.example:8443"'),
    Row('http.host in {"a.example" "B.example"}', 'is never "B.example"', 'http.host in {"a.example" "b.example"}'),
    Row('http.host contains "Example"', HOST, 'http.host contains "example"'),
    Row('starts_with(http.host, "Shop")', f'starts_with(...) is never true, {HOST}; write "shop"', 'starts_with(http.host, "shop")'),
    Row('ends_with(http.host, ".example/")', f'ends_with(...) is never true, {HOST}; write ".example"', 'ends_with(http.host, ".example")'),
    Row('http.host strict wildcard "*.Shop.example"', f'{HOST}; write "*.shop.example"', 'http.host wildcard "*.Shop.example"'),
    Row('http.host wildcard "*.shop.example/*"', f'{HOST}; write "*.shop.example"', 'http.host wildcard "*.shop.*"'),
    Row('http.request.method strict wildcard "p*"', "has no small letters", 'http.request.method wildcard "p*"'),
    Row('ends_with(http.request.uri.path.extension, ".php")', f'{EXTENSION}; write "php"', 'ends_with(http.request.uri.path, ".php")'),
    # methods, versions, extensions
    Row('http.request.method eq "get"', 'write "GET"', 'http.request.method eq "GET"'),
    Row('http.request.method in {"GET" "post"}', 'is never "post", since it has no small letters', 'http.request.method in {"GET" "POST" "PURGE"}'),
    Row('http.request.version eq "1.1"', 'write "HTTP/1.1"', 'http.request.version eq "HTTP/1.1"'),
    Row('http.request.version in {"HTTP/1.1" "HTTP/2.0"}', 'is never "HTTP/2.0"', 'http.request.version in {"HTTP/1.1" "HTTP/2"}'),
    Row('cf.tls_version eq "1.2"', 'write "TLSv1.2"', 'cf.tls_version eq "TLSv1.2"'),
    Row('cf.tls_version eq "TLSv1.0"', 'write "TLSv1"', 'cf.tls_version eq "TLSv1"'),
    Row('http.request.uri.path.extension eq ".php"', f'{EXTENSION}; write "php"', 'http.request.uri.path.extension eq "php"'),
    Row('http.request.uri.path.extension in {"php" "index.asp"}', 'is never "index.asp"', 'http.request.uri.path.extension in {"php" "asp"}'),
    Row('cf.waf.score.class in {"attack" "bad"}', 'is never "bad"', 'cf.waf.score.class in {"attack" "likely_attack"}'),
    # quantifiers
    Row('any(http.request.headers.names[*] eq "a" and ssl)', "any() takes a single comparison; write any((... and ...))",
        'any((http.request.headers.names[*] eq "a" and http.request.headers.names[*] eq "b"))'),
    Row('all(http.request.headers.names[*] eq "a" or ssl)', "all() takes a single comparison; write all((... or ...))",
        'all((http.request.headers.names[*] eq "a" or http.request.headers.names[*] eq "b"))'),
    Row('any((http.request.headers.names[*] eq "a") and (http.request.headers.names[*] eq "b"))', "any() takes a single comparison",
        'any(not http.request.headers.names[*] eq "x")'),
    Row('any((http.request.headers.names[*] eq a and http.request.headers.names[*] eq "b"))', "'a' is not a text without quotes",
        'any(http.request.headers.names[*] in {"a" "b"})'),
    Row('any(http.host eq "a")', "http.host is a single value; write http.host eq ...", 'http.host eq "a"'),
    Row('all(starts_with(http.host, "a"))', "is a single value", 'all(starts_with(http.request.headers.names[*], "a"))'),
    # lists by name
    Row("ip.src in $Office", "there is no list '$Office', since the name of a list has small letters, digits and _ alone; write in $office",
        "ip.src in $office"),
    Row("ip.src in $my-list", "write in $my_list", "ip.src in $my_list"),
    Row("ip.src in $CF.open_proxies", "there is no list '$CF.open_proxies'", "ip.src in $cf.open_proxies"),
    # comments
    Row('http.host eq "a" // note = x', "column 18, at '// note = x': '//' is not expected there; expressions have no comments", 'http.host eq "a"'),
    Row("ssl //note's end", "column 5, at '//note's end': '//note' is not expected there; expressions have no comments", "ssl"),
    Row("ssl /* a, b */", "'/*' is not an operator; expressions have no comments", 'http.referer eq "/* a, b */"'),
    Row("ssl -- it's = x", "'--' is not expected there; expressions have no comments", 'http.referer eq "a -- b"'),
    # functions
    Row('lower(tolower(http.host)) eq "a"', "names a function 'tolower'", 'lower(upper(http.host)) eq "a"'),
    Row('starts_with(http.host "a")', "separate the arguments of a function by commas", 'starts_with(http.host, "a")'),
    Row('http.request.uri.path wildcard "/a/**"', "has two stars in a row", 'http.request.uri.path wildcard "/a/*"'),
    Row("http.response.code in {500..200}", "is not a range of numbers", "http.response.code in {200..500}"),
    # a word without quotes
    Row("http.host eq tcp", "'tcp' is not a text without quotes; write \"tcp\"", "http.host eq http.referer"),
]  # fmt: skip
OF_PACKETS = [
    Row("ip.proto eq tcp", "'tcp' is not a text without quotes; write \"tcp\"", 'ip.proto eq "tcp"'),
    Row("ip.proto in {tcp udp}", "'tcp' is not a text without quotes", 'ip.proto in {"tcp" "udp"}'),
    Row("tcp", 'tcp is a raw packet, and neither true nor false; write ip.proto eq "tcp"', 'ip.proto eq "tcp"'),
    Row("not udp and sip", "udp is a raw packet, and neither true nor false", "not sip"),
    Row("icmp or sip", "icmp is a raw packet", 'substring(tcp, 0, 2) eq "ab"'),
    Row('ip.src.country eq "UK"', f"{CODE}; write \"GB\"", 'ip.src.country eq "GB"'),
    Row('ip.dst.country in {"FR" "fr"}', 'ip.dst.country is never "fr"', 'ip.dst.country in {"FR"}'),
]  # fmt: skip
