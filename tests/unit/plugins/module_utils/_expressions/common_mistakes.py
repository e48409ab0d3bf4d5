# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mistakes that public lists and forums show in expressions of rules, each with what is said of it."""

from __future__ import annotations

REFUSED = {
    # the wrong place of an operator
    "ip.src not in {192.0.2.0/24}": "'not' is not an operator; write not in front of the field",
    'http.host not contains "y"': "'not' is not an operator; write not in front of the field",
    'http.request.uri.path starts_with "/a"': "'starts_with' is not an operator; write starts_with(http.request.uri.path, \"...\")",
    'http.request.uri.path endsWith "/a"': "'endsWith' is not an operator; write ends_with(http.request.uri.path, \"...\")",
    "ssl ip.src eq 192.0.2.1": "'ip.src' is not an operator; write and or or in front of it",
    'http.host eq "a" http.referer eq "b"': "'http.referer' is not expected there; write and or or in front of it",
    '(http.host eq "a") (ssl)': "column 20, at '(ssl)': '(' is not expected there",
    'http.host eq "a" or "b"': "'\"b\"' stands where a field is expected",
    '"a" eq http.host': "'\"a\"' stands where a field is expected",
    # texts without quotes, or in other ones
    "ip.src.country eq US": "column 19, at 'US': 'US' is not a text without quotes; write \"US\"",
    "http.request.method in {GET POST}": "'GET' is not a text without quotes; write \"GET\"",
    "http.host eq www.example.com": "'www.example.com' is not a text without quotes; write \"www.example.com\"",
    "http.request.uri.path eq /admin": "'/admin' is not a text without quotes; write \"/admin\"",
    "http.host eq 5": "'5' is not a text without quotes; write \"5\"",
    "http.host eq 'a'": 'write texts in double quotes, "..."',
    "http.user_agent contains \u201cbad\u201d": 'write texts in double quotes, "..."',
    'http.request.uri.path eq "a\\.b"': "the language knows no escape '\\.'; write \\\\, or a raw text r\"...\"",
    # numbers
    'cf.waf.score gt "10"': 'column 17, at \'"10"\': "10" is a text, and no number; write 10',
    'ip.src.asnum in {"64500"}': '"64500" is a text, and no number; write 64500',
    "ip.src.asnum eq AS64500": "'AS64500' is not a number; write 64500",
    "http.request.body.size gt 1500 bytes": "column 32, at 'bytes': 'bytes' is not expected there",
    "cf.waf.score between 1 and 5": "'between' is not an operator; write in {1..9}",
    "cf.waf.score contains 1": "'contains' does not go with a number",
    # words of other languages
    "NOT ssl": "'NOT' is no word of expressions; write not",
    "ssl AND cf.client.bot": "'AND' is not an operator; write and",
    'http.host eq "a" OR ssl': "'OR' is not expected there; write or",
    'http.host EQ "a"': "'EQ' is not an operator; write eq",
    'http.host = "a"': "'=' is not expected there; write eq",
    'http.host =~ "a"': "'=~' is not expected there; write matches",
    'http.host like "a%"': "'like' is not an operator; write wildcard",
    'http.host regex "a"': "'regex' is not an operator; write matches",
    "ssl # comment": "'#' is not expected there; expressions have no comments",
    "ssl // comment": "'//' is not an operator; expressions have no comments",
    "ssl /* comment */": "'/*' is not an operator; expressions have no comments",
    "ssl; cf.client.bot": "';' is not expected there; write and or or",
    "ssl | cf.client.bot": "'|' is not expected there; write and or or",
    # sets
    'http.host in "a"': "'in' takes a set in braces",
    'http.host contains {"a" "b"}': "'contains' takes one value, and no set",
    'http.host in ["a" "b"]': "write a set in { }",
    'http.host in {"a", "b"}': "separate values by spaces",
    'http.host in ("a" "b")': "'(' stands where a value is expected",
    # true and false
    "ssl eq true": "ssl is true or false; write ssl, or not ssl",
    'starts_with(http.host, "a") eq true': "is true or false; write starts_with(http.host,\"a\"), or not starts_with(http.host,\"a\")",
    "cf.threat_score": "'cf.threat_score' is compared to nothing",
    "not http.host": "'http.host' is compared to nothing",
    # maps and arrays, compared as texts
    'http.request.headers["x-a"] eq "b"': 'is an array, not a single value; write any(http.request.headers["x-a"][*] eq ...)',
    'http.request.headers["X-A"] eq "b"': 'is an array, not a single value; write any(http.request.headers["x-a"][*] eq ...)',
    'http.request.cookies["a"] contains "b"': 'write any(http.request.cookies["a"][*] contains ...)',
    'http.request.uri.args["a"][*] eq "b"': 'has several values; write any(http.request.uri.args["a"][*] eq ...)',
    'http.request.headers eq "b"': 'is a map; write any(http.request.headers["..."][*] eq ...)',
    'http.request.headers.names contains "x"': "write any(http.request.headers.names[*] contains ...)",
    'any(http.request.headers["x-a"] eq "b")': 'write http.request.headers["x-a"][*] eq ...',
    'any(http.request.headers["x-a"][*] eq b)': "'b' is not a text without quotes; write \"b\"",
    'len(http.request.headers["x-a"][*]) eq 0': 'write any(len(http.request.headers["x-a"][*])[*] eq ...)',
    'http.cookie["a"] eq "b"': "http.cookie is a text, and has no elements",
}  # fmt: skip
SAID = {
    "ip.src in {}": "the set in braces is empty, so that nothing is in it",
    "cf.waf.score in {1-5}": "'1-5' is not a number; write 1..5",
    'startsWith(http.host, "a")': "no page of Cloudflare names a function 'startsWith' (did you mean starts_with?); Cloudflare may refuse it",
    'rate("1m") gt 5': "no page of Cloudflare names a function 'rate'; Cloudflare may refuse it",
    'tolower(http.host) eq "a"': "no page of Cloudflare names a function 'tolower' (did you mean lower?)",
    'any(http.request.headers["X-Api-Key"][*] eq "b")': "the keys of http.request.headers have small letters alone; write \"x-api-key\"",
    "cf.threat_score gt 10": "the comparison is never true, since cf.threat_score is always 0",
    "cf.threat_score lt 10": "the comparison is always true, since cf.threat_score is always 0",
    "cf.waf.score le 100": "the comparison is always true, since cf.waf.score is from 1 to 100",
    "cf.waf.score lt 1": "the comparison is never true, since cf.waf.score is from 1 to 100",
    "http.request.timestamp.sec lt 1000000000": "the comparison is never true, since http.request.timestamp.sec is from 1000000000 to 9999999999",
    "cf.bot_management.score gt 99": "the comparison is never true, since cf.bot_management.score is from 0 to 99",
    "ip.src.asnum le 4294967295": "the comparison is always true, since ip.src.asnum is from 0 to 4294967295",
    "http.request.body.size lt 0": "the comparison is never true, since http.request.body.size is 0 or more",
    'ip.src.country eq "us"': "the comparison is never true, since ip.src.country has two capital letters, such as DE",
    'ip.src.country ne "Germany"': "the comparison is always true, since ip.src.country has two capital letters, such as DE",
    'ip.src.continent in {"Europe"}': "since ip.src.continent is one of AF, AN, AS, EU, NA, OC, SA, T1",
    'http.request.method eq "post"': "the comparison is never true, since http.request.method has no small letters",
    'http.request.uri.path.extension in {"PHP"}': "since http.request.uri.path.extension has no capital letters",
    'lower(http.user_agent) contains "Mozilla"': "since lower(http.user_agent) has no capital letters",
    'cf.waf.score.class eq "bad"': "since cf.waf.score.class is one of attack, likely_attack, likely_clean, clean",
}  # fmt: skip
