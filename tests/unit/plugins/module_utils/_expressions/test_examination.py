# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions import examination
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.examination import (
    FILTER_EXPRESSION,
    FIREWALL_EXPRESSION,
    RULE_EXPRESSION,
    vendor_refusal,
)
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import Value

from .common_mistakes import REFUSED, SAID, TAKEN

MALFORMED = [
    ("ip.dst eq 192.0.2.0/24", "column 11, at '192.0.2.0/24': '192.0.2.0/24' is more than one address; write in {192.0.2.0/24}"),
    ("ip.dst ne 192.0.2.1..192.0.2.9", "is more than one address"),
    ("ip.dst eq {192.0.2.1 192.0.2.2}", "column 1, at 'ip.dst eq {192.0.2.1 192.0....': 'eq' takes one value, and no set"),
    ('ip.dst in "192.0.2.0/24"', "'in' takes a set in braces; write in {192.0.2.0/24}"),
    ("ip.dst in [192.0.2.0/24]", "'[' stands where a value is expected; write a set in { }"),
    ("ip.dst in {192.0.2.1, 192.0.2.2}", "',' stands where a value is expected; separate values by spaces"),
    ("ip.dst in 192.0.2.0/24", "'in' takes a set in braces; write in {192.0.2.0/24}"),
    ("ip.dst in {192.0.2.7/24}", "'192.0.2.7/24' has bits behind its prefix length; write 192.0.2.0/24"),
    ("ip.dst in {2001:db8::1/32}", "write 2001:db8::/32"),
    ("ip.dst in {2001:DB8::1/32}", "write 2001:db8::/32"),
    ("ip.dst ne {192.0.2.1 192.0.2.2}", "'ne' takes one value, and no set"),
    ("ip.dst in {::1..192.0.2.9}", "is not a range of addresses"),
    ("ip.dst in {" + "9" * 400 + "}", "...': '" + "9" * 199 + "... ("),
    ("ip.dst eq 203.0.113/24", "is more than one address"),
    ("ip.dst in {203.0.113/24}", "did you mean 203.0.113.0/24?"),
    ("ip.dst in {192.0.2.9..192.0.2.1}", "is not a range of addresses"),
    ("ip.dst in {192.0.2.1..2001:db8::1}", "is not a range of addresses"),
    ("ip.dst in {192.0.2.0/24..192.0.2.9}", "is not a range of addresses"),
    ('ip.dst eq "192.0.2.1"', "is not a network"),
    ("ip.dst contains 192.0.2.1", "'contains' does not go with addresses"),
    ("ip.dst", "column 1, at 'ip.dst': 'ip.dst' is compared to nothing"),
    ("tcp.dstport eq 080", "column 16, at '080': '080' is not a port, but a number to base 8; write decimal digits without a leading 0"),
    ("tcp.dstport in {0..065535}", "'065535' is not a port, but a number to base 8"),
    ("tcp.dstport eq 0x50", "'0x50' is not a port, but a number to base 16"),
    ("tcp.dstport eq -1", "'-1' is not a port"),
    ("tcp.dstport eq http", "'http' is not a port"),
    ("tcp.dstport eq \u0668\u0660", "'\u0668' is not expected there"),
    ("tcp.dstport eq " + "9" * 5000, "is not a port"),
    ("tcp.dstport eq 80..90", "'80..90' is more than one port; write in {80..90}"),
    ("tcp.dstport eq {80 90}", "takes one value"),
    ("tcp.dstport in 80", "'in' takes a set in braces"),
    ("tcp.dstport in {9..1}", "is not a range of ports"),
    ("tcp.dstport contains 80", "'contains' does not go with ports"),
    ("tcp.dstport\teq 80", "column 12, at 'eq 80': a tab is not white space"),
    ("tcp.dstport eq 80 and", "at the end: it ends where a field is expected"),
    ("ip.dst eq 192.0.2.1 ip.src eq 192.0.2.1", "'ip.src' is not expected there; write and or or in front of it"),
    ("ip.dst eq 192.0.2.1)", "column 20, at ')': ')' is not expected there"),
]  # fmt: skip
FILTERS_ONLY = [
    ("tcp.dstport & 3", "'&' is not an operator"),
    (
        "ip.dst eq $offices",
        "'$offices' is a list, and filters are documented with addresses in braces, and without lists",
    ),
    ("ip.dst in offices", "'in' takes a set in braces"),
]


@pytest.fixture(autouse=True)
def _without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "vendor_parser", None)


@pytest.mark.parametrize(("expression", "reason"), MALFORMED + FILTERS_ONLY)
def test_a_filter_that_the_service_refuses_is_refused_with_its_place(expression: str, reason: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        FILTER_EXPRESSION.examine(expression)
    assert reason in str(caught.value)


@pytest.mark.parametrize("value", [RULE_EXPRESSION, FIREWALL_EXPRESSION])
@pytest.mark.parametrize(("expression", "reason"), MALFORMED)
def test_so_is_a_rule(value: Value, expression: str, reason: str) -> None:
    if len(expression) > 4096:
        reason = "characters" if value is RULE_EXPRESSION else reason
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        value.examine(expression)
    assert reason in str(caught.value)


@pytest.mark.parametrize("value", [FILTER_EXPRESSION, RULE_EXPRESSION, FIREWALL_EXPRESSION])
def test_white_space_around_an_expression_is_taken_off(value: Value) -> None:
    for around in (" \r\n", "\t", "\x0b", "\x0c", "\x85", "\xa0", "\u2003", "\u2028", "\u3000"):
        assert value.parse(f"{around}ip.dst eq 192.0.2.1{around}\n") == "ip.dst eq 192.0.2.1"
    for other in ("\x1c", "\u200b", "\ufeff"):
        text = f"{other}ip.dst eq 192.0.2.1{other}"
        assert value.parse(text) == text
        with pytest.raises(ValueError, match="column 1, at "):
            value.examine(text)


@pytest.mark.parametrize(
    ("expression", "doubt"),
    [
        ("udp.dstport eq 53",
         "column 1, at 'udp.dstport eq 53': filters know no field 'udp.dstport', only ip.src, ip.dst, tcp.srcport, tcp.dstport; Cloudflare may refuse it"),
        ("ip.dst eq 192.0.2.1 and len(x) gt 5", "column 25, at 'len(x) gt 5': 'len' is a function, and filters know none"),
        ("x[0] eq 5", "filters know no field 'x'"),
        ("x[(1)] eq 5", "filters know no field 'x'"),
        ("udp.dstport & 3", "filters know no field 'udp.dstport'"),
        ("ip.dst in $list", "'$list' is a list, and filters are documented with addresses in braces, and without lists"),
        ("ip.dst lt 192.0.2.1", "'lt' does not go with addresses"),
        ("(" * 60 + "ip.dst eq 192.0.2.1" + ")" * 60, "nested too deeply"),
    ],
)  # fmt: skip
def test_a_possible_refusal_is_a_doubt(expression: str, doubt: str) -> None:
    (finding,) = FILTER_EXPRESSION.examine(expression)
    assert doubt in finding


def test_a_doubt_is_said_once() -> None:
    assert len(FILTER_EXPRESSION.examine("udp.dstport eq 53 or udp.dstport eq 123 or udp.srcport eq 53")) == 2


@pytest.mark.parametrize(
    "expression",
    [
        "ip.dst in {192.0.2.0/24 198.51.100.7 203.0.113.1..203.0.113.9 2001:DB8::/32}", "true", "not false",
        "tcp.dstport in {80 1024..65535} and not ip.src in {192.0.2.1}", "tcp.srcport lt 1024", "ip.dst ne 192.0.2.1",
    ],
)  # fmt: skip
def test_a_documented_filter_has_no_findings(expression: str) -> None:
    assert list(FILTER_EXPRESSION.examine(expression)) == []


@pytest.mark.parametrize(
    "expression",
    [
        'http.host eq "example.com" and not cf.client.bot', "ip.src in $office", "ip.src lt 192.0.2.1", "x & 1 == 1",
        'any(http.request.headers["x-a"][*] contains "b")', 'http.host in {"a" "b"} or http.request.uri.path ~ "^/[\\"]"',
        'http.request.uri.path contains lower("A")', "cf.threat_score gt 014", *TAKEN,
    ],
)  # fmt: skip
def test_an_expression_of_a_rule_is_refused_only_if_it_is_certainly_wrong(expression: str) -> None:
    assert list(RULE_EXPRESSION.examine(expression)) == []


@pytest.mark.parametrize(("value", "longest"), [(RULE_EXPRESSION, 4096), (FILTER_EXPRESSION, 8192)])
def test_the_longest_expression_has_a_length(value: Value, longest: int) -> None:
    start = "ip.src in {192.0.2.1"
    assert list(value.examine(start + " " * (longest - len(start) - 1) + "}")) == []
    with pytest.raises(ValueError, match=f"it has {longest + 1} characters, and Cloudflare takes at most {longest}"):
        value.examine(start + " " * (longest - len(start)) + "}")


@pytest.mark.parametrize("value", [RULE_EXPRESSION, FIREWALL_EXPRESSION, FILTER_EXPRESSION])
def test_the_library_is_asked_where_it_is_installed(value: Value, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def parser(expression: str, scheme: str) -> dict[str, str]:
        calls.append(scheme)
        return {"error": "Filter parsing error (1:5):\n\n    ^ an odd thing\n"}

    monkeypatch.setattr(examination, "vendor_parser", parser)
    with pytest.raises(ValueError, match=r"column 5, at 'rt eq 192.0.2.1': an odd thing \(so says"):
        value.examine("tcp.rt eq 192.0.2.1")
    assert calls == ["magic_firewall" if value is FILTER_EXPRESSION else None]


def answering(error: str) -> Any:
    return lambda expression, scheme: {"error": error, "fields": []}


@pytest.mark.parametrize(
    ("expression", "error", "start", "problem"),
    [
        ("ip.dst eq", "Filter parsing error (1:10):\nip.dst eq\n         ^ expected IP address character\n", 9, "expected IP address character"),
        ("ssl\nand x y", "Filter parsing error (2:7):\nand x y\n      ^ unrecognised input\n", 10, "unrecognised input"),
        ("ssl\nor y\nand x y", "Filter parsing error (3:7):\nand x y\n      ^ unrecognised input\n", 15, "unrecognised input"),
        ('x eq "\u00e4" y', 'Filter parsing error (1:11):\nx eq "\u00e4" y\n          ^ unrecognised input\n', 9, "unrecognised input"),
        ('x ~ "(a"', 'Filter parsing error (1:8):\nx ~ "(a"\n       ^ regex parse error:\n    (a\n    ^\nerror: unclosed group\n', 7,
         "regex parse error: (a ^ error: unclosed group"),
    ],
)  # fmt: skip
def test_a_refusal_has_its_place_in_characters(
    expression: str, error: str, start: int, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examination, "vendor_parser", answering(error))
    refusal = vendor_refusal(expression, None)
    assert refusal is not None
    assert (refusal.at, refusal.malformed) == (start, True)
    assert str(refusal) == f"{problem} (so says the parser of the vendor's engine)"


UNRECOGNISED = "Filter parsing error (1:1):\nx\n^ unrecognised input\n"


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("x eq 1", ""),
        ("x eq 1", None),
        ("x eq 1", "Another form of errors"),
        ("x eq 1", "Filter parsing error (1:1):\nx eq 1\n^ unknown identifier\n"),
        ("len(x) eq 1", "Filter parsing error (1:5):\nlen(x) eq 1\n    ^^ invalid type of argument #0: expected value of type Bytes, but got Ip\n"),
        ("x contains 1", "Filter parsing error (1:3):\nx contains 1\n  ^^^^^^^^ cannot perform this operation on type Int\n"),
        ("x or true", UNRECOGNISED),
        ('is_timed_hmac_valid_v0("key", x)', UNRECOGNISED),
    ],
)  # fmt: skip
def test_a_name_that_the_library_may_not_know_is_not_refused(
    expression: str, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examination, "vendor_parser", answering(error))
    assert vendor_refusal(expression, None) is None


NEWER = [  # fields that no page names yet, and those that the library does not know
    'cf.new.text eq "a"', 'lower(cf.new.text) eq "a"', "len(cf.new.text) gt 3", 'any(lower(cf.new.texts[*])[*] eq "a")',
    'any(cf.new.map["a"][*] eq "b")', 'ssl and\n not any(cf.intel.ip.datasets[*] == "ddos")', 'has_value(cf.new.texts, "a")',
    'http.referer eq "\u00e4" and any(cf.intel.ip.attacker_names[*] in {"A" "B"})', "http.response.headers.truncated",
    'starts_with(http.host, lower(cf.new.text))',
]  # fmt: skip


@pytest.mark.usefixtures("_either_way")
@pytest.mark.parametrize("expression", NEWER)
def test_a_field_that_is_newer_than_the_library_is_not_refused(expression: str) -> None:
    assert examined_again(expression) == []


def test_a_mistake_before_a_newer_field_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    library = pytest.importorskip("octorules_wirefilter")
    monkeypatch.setattr(examination, "vendor_parser", library.parse_expression)
    with pytest.raises(ValueError, match="unclosed group"):
        examined_again('http.host matches "(" and lower(cf.new.text) eq "a"')


def test_without_the_library_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "vendor_parser", None)
    assert vendor_refusal("x eq", None) is None


def test_a_library_that_fails_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(expression: str, scheme: str) -> Any:
        raise TypeError("another interface")

    monkeypatch.setattr(examination, "vendor_parser", fail)
    assert vendor_refusal("x eq", None) is None


@pytest.fixture(params=["without the library", "with the library"])
def _either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "with the library":
        library = pytest.importorskip("octorules_wirefilter")
        monkeypatch.setattr(examination, "vendor_parser", library.parse_expression)


def examined_again(expression: str) -> list[str]:
    """What is said of an expression, whatever was said of it before."""
    RULE_EXPRESSION.examine.cache_clear()  # type: ignore[attr-defined]
    return list(RULE_EXPRESSION.examine(expression))


def test_a_rule_about_packets_reads_no_field_of_requests() -> None:
    with pytest.raises(ValueError, match="'http.host' is a field of requests, and not of packets"):
        examination.check_packets('ip.src eq 192.0.2.1 and http.host eq "a"')


@pytest.mark.usefixtures("_either_way")
@pytest.mark.parametrize(("expression", "words"), REFUSED.items())
def test_a_common_mistake_is_refused_with_the_form_to_write(expression: str, words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        examined_again(expression)
    assert words in str(caught.value)
    assert "vendor" not in str(caught.value)


@pytest.mark.usefixtures("_either_way")
@pytest.mark.parametrize(("expression", "words"), SAID.items())
def test_what_cloudflare_takes_and_nobody_means_is_said(expression: str, words: str) -> None:
    (warning,) = examined_again(expression)
    assert words in warning


@pytest.mark.parametrize("expression", REFUSED)
def test_the_vendors_parser_refuses_a_common_mistake_too(expression: str) -> None:
    library = pytest.importorskip("octorules_wirefilter")
    assert library.parse_expression(expression, None)["error"]


@pytest.mark.parametrize("expression", TAKEN)
def test_the_vendors_parser_takes_what_is_not_refused(expression: str) -> None:
    library = pytest.importorskip("octorules_wirefilter")
    assert not library.parse_expression(expression, None).get("error")
