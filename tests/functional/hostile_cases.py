# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers that no well-behaved service gives, each to each kind of call. Writes hostile.md beside this file.

`python -m tests.functional.test_hostile` gives every answer to every call, on the local service, and prints the page.
"""

from __future__ import annotations

import gzip
import json

from tests.functional.fault_cases import RATE_LIMIT
from tests.functional.idempotence_cases import RULE_1, RULE_2
from tests.support.misbehaviour import Call, Misbehaviour

DEEP = 100_000  # levels
DIGITS = "8" * 5000
SURROGATE = r'"\ud800"'
CONTROL = '"\\u001b[2J\\u0007\\u202e"'


def body(words: str, content: str | bytes, status: int = 200, **headers: str) -> Misbehaviour:
    """A body in the place of the envelope; headers are named with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Misbehaviour(words, "raw", {"body": content, "status": status, "headers": named})


def refusal(words: str, errors: str, status: int = 400) -> Misbehaviour:
    """An envelope that refuses, with these errors in JSON."""
    return body(words, f'{{"success": false, "errors": {errors}, "messages": [], "result": null}}', status)


def member(words: str, **members: str) -> Misbehaviour:
    """The right envelope with these members in JSON."""
    return Misbehaviour(words, "member", {"members": members})


def entry(words: str, **fields: str) -> Misbehaviour:
    """The right envelope, whose first object has these fields in JSON."""
    return Misbehaviour(words, "entry", {"fields": fields})


def header(words: str, **headers: str) -> Misbehaviour:
    """The right answer with another header."""
    return Misbehaviour(
        words, "headers", {"headers": {name.replace("_", "-"): value for name, value in headers.items()}}
    )


def nested(levels: int, inner: str = "") -> str:
    return "[" * levels + inner + "]" * levels


def chained(levels: int) -> str:
    return '[{"code":1,"message":"m","error_chain":' * levels + "[]" + "}]" * levels


BODIES = (
    body("white space", " \r\n\t"),
    body("JSON's null", "null"),
    body("JSON's true", "true"),
    body("a number", "0"),
    body("a text", '"success"'),
    body("an empty list", "[]"),
    body("an empty object", "{}"),
    body("a list of envelopes", '[{"success": true, "result": []}]'),
    body("an envelope behind a byte order mark", b'\xef\xbb\xbf{"success": true, "result": []}'),
    body("an envelope in UTF-16", '{"success": true, "result": []}'.encode("utf-16")),
    body("bytes that are not UTF-8", b"\xff\xfe\xfa" * 100),
    body("a thousand NULs", b"\0" * 1000),
    body("two envelopes in a row", '{"success": true, "result": []}' * 2),
    body("an envelope in single quotes", "{'success': true}"),
    body("an envelope with a comma too many", '{"success": true,}'),
    body("NaN as the result", '{"success": true, "result": NaN}'),
    body("lists nested 100,000 deep", nested(DEEP)),
    body("lists that 100,000 brackets open and none closes", "[" * DEEP),
    body("objects nested 100,000 deep", '{"a":' * DEEP + "1" + "}" * DEEP),
    body("an envelope whose result is nested 100,000 deep", f'{{"success": true, "result": {nested(DEEP)}}}'),
    body("an envelope whose result is nested 150 deep", f'{{"success": true, "result": {nested(150)}}}'),
    body("a million letters", "a" * 10**6),
    body("a page with ESC in its title", "<html><title>\x1b[2Jgone</title></html>"),
    body("a page with a title of 100,000 letters", f"<title>{'t' * 100_000}</title>", 502),
    body("a page with 100,000 titles that none closes", "<title>" * 100_000, 502),
    body("a page with 100,000 beginnings of a title", "<title" * 100_000, 502),
    body("an XML document", '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>'),
    body("JavaScript", "while(1);"),
    body("a body said to be gzip that is not", "{}", Content_Encoding="gzip"),
    body("a gzip that breaks off", gzip.compress(b"{" * 10**5)[:-20], Content_Encoding="gzip"),
    body("80 MB of spaces in a gzip of 80 kB", gzip.compress(b" " * 80_000_000), Content_Encoding="gzip"),
    body("an encoding that nobody asked for", "{}", Content_Encoding="zstd"),
    body("an encoding of 5,000 letters", "{}", Content_Encoding="z" * 5000),
    body("a type of content that is none", "{}", Content_Type="\x80;;;="),
)  # fmt: skip

ENVELOPES = (
    member("success is missing a value", success="null"),
    member("success is the text true", success='"true"'),
    member("success is 1", success="1"),
    member("success is a list", success="[true]"),
    member("the result is null", result="null"),
    member("the result is a text", result='"none"'),
    member("the result is a number", result="-1"),
    member("the result is true", result="true"),
    member("the result is an empty object", result="{}"),
    member("the result is an empty list", result="[]"),
    member("the result is a list with null in it", result="[null]"),
    member("the result is a list of texts", result='["192.0.2.0/24"]'),
    member("the result is a list of lists", result="[[], []]"),
    member("the result is a list of empty objects", result="[{}, {}, {}]"),
    member("the result is 5,000 digits", result=DIGITS),
    member("the result has rules that are null", result='{"rules": null}'),
    member("the result has rules that are an object", result='{"rules": {"ref": "office"}}'),
    member("the result has rules that are texts", result='{"rules": ["office"]}'),
    member("errors is a text beside success", errors='"all is well"'),
    member("messages are a number", messages="7"),
    member("what is known of pages is a list", result_info="[1]"),
    member("what is known of pages is a text", result_info='"1"'),
    member("the total is 0", result_info='{"total_count": 0}'),
    member("the total is 1", result_info='{"total_count": 1}'),
    member("the total is too high by one", result_info='{"total_count": 4}'),
    member("the total is a million millions", result_info='{"total_count": 1000000000000}'),
    member("the total has 400 digits", result_info=f'{{"total_count": {"9" * 400}}}'),
    member("the total has 5,000 digits", result_info=f'{{"total_count": {DIGITS}}}'),
    member("the total is negative", result_info='{"total_count": -1}'),
    member("the total is a text", result_info='{"total_count": "3"}'),
    member("the total is a fraction", result_info='{"total_count": 3.5}'),
    member("the total is true", result_info='{"total_count": true}'),
    member("a page has 0 objects", result_info='{"total_count": 3, "per_page": 0}'),
)  # fmt: skip

REFUSALS = (
    refusal("errors are null", "null"),
    refusal("errors are a text", '"no"'),
    refusal("errors are an object", '{"code": 1}'),
    refusal("errors are a list of null", "[null, null]"),
    refusal("errors are a list of lists", "[[1], [2]]"),
    refusal("an error without a message", '[{"code": 1}]'),
    refusal("a code that is a text", '[{"code": "7003", "message": "no"}]'),
    refusal("a code that is a list", '[{"code": [7003], "message": "no"}]'),
    refusal("a code that is true", '[{"code": true, "message": "no"}]'),
    refusal("a code of 400 digits", f'[{{"code": {"9" * 400}, "message": "no"}}]'),
    refusal("a code of 5,000 digits", f'[{{"code": {DIGITS}, "message": "no"}}]'),
    refusal("a message that is a list", '[{"code": 1, "message": ["no"]}]'),
    refusal("a message that is an object", '[{"code": 1, "message": {"no": 1}}]'),
    refusal("a message of a million letters", f'[{{"code": 1, "message": "{"m" * 10**6}"}}]'),
    refusal("a message with ESC, BEL and an override of the direction", f'[{{"code": 1, "message": {CONTROL}}}]'),
    refusal("a message that is a lone surrogate", f'[{{"code": 1, "message": {SURROGATE}}}]'),
    refusal("a message that looks like a template", '[{"code": 1, "message": "{{ lookup(\'pipe\', \'id\') }}"}]'),
    refusal("a message of many lines", '[{"code": 1, "message": "a\\nb\\r\\n\\u2028c"}]'),
    refusal("a pointer that is a list", '[{"code": 1, "message": "no", "source": {"pointer": ["/"]}}]'),
    refusal("a pointer of 100,000 letters", f'[{{"message": "no", "source": {{"pointer": "/{"p" * 100_000}"}}}}]'),
    refusal("a source that is a text", '[{"code": 1, "message": "no", "source": "/"}]'),
    refusal("20,000 errors", json.dumps([{"code": 1, "message": "no"}] * 20_000)),
    refusal("errors chained 40 deep", chained(40)),
    refusal("errors chained 20,000 deep", chained(20_000)),
    refusal("a chain of errors that is a text", '[{"code": 1, "message": "no", "error_chain": "more"}]'),
    refusal("an error in the words of another place", '[{"code": 10003, "message": "could not find entrypoint"}]', 400),
)  # fmt: skip

ENTRIES = (
    entry("an id that is a list", id='["7"]'),
    entry("an id that is an object", id='{"a": 1}'),
    entry("an id that is null", id="null"),
    entry("an id that is true", id="true"),
    entry("an id that is a number", id="7"),
    entry("an id of 5,000 digits", id=DIGITS),
    entry("an empty id", id='""'),
    entry("an id that leads upwards", id='"../../../zones"'),
    entry("an id with a slash", id='"a/b"'),
    entry("an id that is a query", id='"?a=b"'),
    entry("an id that is an escaped dot", id='"%2e%2e"'),
    entry("an id with a line break", id='"a\\nb"'),
    entry("an id with NUL", id='"a\\u0000b"'),
    entry("an id of superscript digits", id='"\u00b2\u00b3"'),
    entry("an id that is a lone surrogate", id=SURROGATE),
    entry("an id of 5,000 letters", id=f'"{"a" * 5000}"'),
    entry("a prefix that is a list", prefix="[]"),
    entry("a prefix that is a number", prefix="3221225984"),
    entry("a prefix that is null", prefix="null"),
    entry("a prefix longer than its address", prefix='"192.0.2.0/33"'),
    entry("a prefix of 5,000 digits", prefix=f'"{DIGITS}"'),
    entry("a prefix with a zone", prefix='"fe80::1%eth0/64"'),
    entry("a prefix of all addresses", prefix='"::/0"'),
    entry("a prefix with a lone surrogate", prefix=r'"192.0.2.0/24\udfff"'),
    entry("a comment that is a list", comment="[[]]"),
    entry("a comment of a million letters", comment=f'"{"c" * 10**6}"'),
    entry("a comment with ESC, BEL and an override of the direction", comment=CONTROL, description=CONTROL),
    entry("a comment that is a lone surrogate", comment=SURROGATE, description=SURROGATE),
    entry("a comment that looks like a template", comment='"{{ 7 * 7 }}"', description='"{{ 7 * 7 }}"'),
    entry("a flag that is a text", enabled='"maybe"', paused='"maybe"', excluded='"maybe"'),
    entry("a flag that is a list", enabled="[]", paused="[]", excluded="[]"),
    entry("a flag that is 10^400", enabled="1" + "0" * 400, paused="1e400", excluded="1e400"),
    entry("a time in the year 1", modified_on='"0001-01-01T00:00:00Z"', created_on='"0001-01-01T00:00:00Z"'),
    entry("a time in the year 9999", modified_on='"9999-12-31T23:59:59-12:00"', last_updated='"9999-12-31T23:59:59Z"'),
    entry("a time in the year 10^19", modified_on='"10000000000000000000-01-01T00:00:00Z"'),
    entry("a time that is a list", modified_on="[2026]", created_on="{}"),
    entry("an action that nobody knows", action='"explode"'),
    entry("an action that is an object", action="{}"),
    entry("an expression of 5,000 digits", expression=f'"tcp.dstport eq {DIGITS}"'),
    entry("an expression of 20,000 opening quotes", expression=json.dumps('\\"' * 20_000)),
    entry("an expression that is a list", expression="[]"),
    entry("a name that is a list", ref="[]", name="[]", description="[]"),
    entry("a priority of 5,000 digits", priority=DIGITS),
    entry("a filter that is a text", filter='"true"'),
    entry("a filter that is empty", filter="{}"),
    entry("parameters that are a list", action_parameters="[1]", logging="[]"),
    entry("products that are a text", products='"waf"'),
    entry("a field that nobody knows, nested 90 deep", labels=nested(90)),
    entry("a field that nobody knows, nested 3,000 deep", labels=nested(3000)),
    entry("a field that nobody knows, of 5,000 digits", labels=DIGITS),
    entry("a field that nobody knows, with a number too large", labels="[1e999, -1e999]"),
    entry("1,000 fields that nobody knows", **{f"x{number}": "1" for number in range(1000)}),
    entry("a field whose name is a control character", **{"\x1b": "1"}),
)  # fmt: skip

HEADERS = (
    header("a date in the year 1", Date="Mon, 01 Jan 0001 00:00:00 GMT"),
    header("a date at the epoch", Date="Thu, 01 Jan 1970 00:00:00 GMT"),
    header("a date in the year 9999", Date="Fri, 31 Dec 9999 23:59:59 -1200"),
    header("a date in the year 10^19", Date="Fri, 31 Dec 10000000000000000000 23:59:59 GMT"),
    header("a date that is none", Date="yesterday"),
    header("a date of superscript digits", Date="Fri, \u00b2 Jan 2026 00:00:00 GMT"),
    header("a ray of 10,000 letters", CF_RAY="r" * 10_000),
    header("what is left of the calls in a form of its own", Ratelimit='"default";r=-1;t=99999999999999999999'),
    body("too many calls, to be repeated after superscript two", "{}", 429, Retry_After="\u00b2"),
    body("too many calls, to be repeated in the year 10^19", "{}", 429, Retry_After="Fri, 31 Dec 10000000000000000000 23:59:59 GMT"),
    body("too many calls, to be repeated after 10^400 seconds", "{}", 429, Retry_After="1" + "0" * 400),
    body("too many calls, to be repeated after NaN", "{}", 429, Retry_After="nan"),
    body("too many calls, to be repeated after a negative time", "{}", 429, Retry_After="-5"),
    body("too many calls, to be repeated after an infinite time", "{}", 503, Retry_After="inf"),
    body("a redirect to an address cut short", "", 302, Location="http://[::1"),
    body("a redirect to a bracket", "", 307, Location="https://a[b]c/"),
    body("a redirect to nowhere", "", 301, Location=""),
    body("a redirect without an address", "", 308),
    body("a redirect to a script", "", 302, Location="javascript:alert(1)"),
    body("a redirect to a host of 5,000 letters", "", 302, Location=f"https://{'h' * 5000}/"),
    body("a redirect to bytes that are not UTF-8", "", 302, Location="https://\xe4\xff/"),
    *(body(f"HTTP {status} and an empty object", "{}", status)
      for status in (203, 206, 300, 304, 400, 401, 402, 405, 408, 409, 410, 418, 451, 500, 511, 530, 599)),
    body("HTTP 204", "", 204),
    body("HTTP 999", "{}", 999),
)  # fmt: skip

ANSWERS = (*BODIES, *ENVELOPES, *REFUSALS, *ENTRIES, *HEADERS)
GROUPS = {
    "Bodies": BODIES,
    "Envelopes that are not quite right": ENVELOPES,
    "Refusals": REFUSALS,
    "Objects with odd fields": ENTRIES,
    "Headers and statuses": HEADERS,
}

# Those whose result goes through Ansible in a way of its own: deep, large, or with characters that are hard to carry.
BOTH_WAYS = tuple(
    answer
    for answer in ANSWERS
    if answer.words
    in {
        "lists nested 100,000 deep", "a page with 100,000 titles that none closes",
        "80 MB of spaces in a gzip of 80 kB", "a message of a million letters",
        "a message with ESC, BEL and an override of the direction",
        "a message that is a lone surrogate", "a message that looks like a template",
        "20,000 errors", "an id that is a list", "an id of 5,000 digits",
        "a comment that is a lone surrogate", "a comment that looks like a template",
        "a field that nobody knows, nested 90 deep", "a field that nobody knows, nested 3,000 deep",
        "a date in the year 10^19", "a redirect to an address cut short",
    }
)  # fmt: skip

ONE, OTHER = {"prefix": "10.1.0.0/24"}, {"prefix": "2001:db8:1::/48"}
NEW_RULE = {"rules": [{"ref": "new", "action": "log", "expression": "true"}]}
BATCH = {"rules": [{"id": RULE_1, "action": "block"}, {"id": RULE_2, "description": "new"}]}
ITEM = {"name": "offices", "items": [{"ip": "192.0.2.2"}]}
PACKET_RULES = {"rules": [{"ref": ref, "action": "block", "expression": "ip.len lt 40"} for ref in "abcd"]}
OVERRIDE = {"overrides": [{"ref": "calm", "categories": [{"category": "udp", "sensitivity": "default"}]}]}
CALLS = (
    Call("read a status", "GET", "tcp_protection_status", {"enabled": True}, "/tcp_protection_status$"),
    Call("read a listing", "GET", "protected_prefixes", {"prefixes": [ONE]}, "/prefixes$"),
    Call("add in bulk", "POST", "protected_prefixes", {"prefixes": [ONE, OTHER]}, "/prefixes/bulk$"),
    Call("create", "POST", "allowlist_entry", {"prefix": "10.0.0.1"}, "/allowlist$"),
    Call("update", "PATCH", "allowlist_entry", {"prefix": "198.51.100.7", "comment": "new"}, "/allowlist/"),
    Call("delete", "DELETE", "allowlist_entry", {"prefix": "198.51.100.7", "state": "absent"}, "/allowlist/"),
    Call("read custom rules", "GET", "custom_rules", NEW_RULE, "/entrypoint$"),
    Call("add a custom rule", "POST", "custom_rules", NEW_RULE, "/rules$"),
    Call("read firewall rules", "GET", "firewall_rules", BATCH, "/firewall/rules$"),
    Call("update firewall rules", "PUT", "firewall_rules", BATCH, "/firewall/rules"),
    Call("read the items of a list", "GET", "ip_list", ITEM, "/items$"),
    Call("add items to a list", "POST", "ip_list", ITEM, "/items$"),
    Call("look at an operation", "GET", "ip_list", ITEM, "/bulk_operations/"),
    Call("replace Network Firewall rules", "PUT", "network_firewall_rules", PACKET_RULES, "/entrypoint$"),
    Call("read rate limiting rules", "GET", "rate_limit_rules", {"rules": [RATE_LIMIT]}, "/entrypoint$"),
    Call("change a rate limiting rule", "PATCH", "rate_limit_rules", {"rules": [{"ref": "login", "description": "new"}]}, "/rules/"),
    Call("read DDoS overrides", "GET", "ddos_l4_overrides", OVERRIDE, "/entrypoint$"),
    Call("read managed DDoS rules", "GET", "ddos_l4_overrides", OVERRIDE, "/rulesets/[0-9a-f]*$"),
)  # fmt: skip
