# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random expressions, packets, requests and firewall rules; the same ones for the same seed."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from random import Random
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._expressions.networks_and_ports import FILTER_FIELDS

from tests.support.requests_evaluator import Request

ADDRESSES = [f"192.0.2.{last}" for last in (0, 1, 7, 8, 127, 255)] + ["198.51.100.7", "2001:db8::1", "2001:db8::ff"]
NETWORKS = ["192.0.2.0/24", "192.0.2.0/29", "0.0.0.0/0", "::/0", "2001:db8::/32", "2001:db8::f0/124", "192.0.2.8/29"]
RANGES = ["192.0.2.1..192.0.2.8", "2001:db8::1..2001:db8::9"]
PORT_FIELDS = [name for name in FILTER_FIELDS if name.endswith("port")]
ADDRESS_FIELDS = [name for name in FILTER_FIELDS if name not in PORT_FIELDS]
PORTS = [0, 1, 22, 80, 443, 8080, 65535]
ODD_VALUES = [
    "080", "0x50", "010", "192.0.2.7/24", "80..90", "{80 90}", "192.0.2.0/24", "-1", '"80"',
    "$office", "70000",
]  # fmt: skip
SPACES = ["", " ", "  ", "\n", " \r\n "]
TEXTS = {
    "http.request.uri.path": ["/", "/login", "/admin/x"],
    "http.host": ["example.com", "a  b", ""],
    "http.request.method": ["GET", "POST"],
    "http.user_agent": ["", 'say "bot"', "back\\slash"],
}
PATTERNS = ['"^/[a-l]"', '"^/(login|x)$"', '"b.t"', '"[ab]  "', '"^$"', r'"\""', r'"k\\s"']


def combination(random: Random, atom: Any, depth: int = 3, joints: tuple[str, ...] = ("and", "or", "xor")) -> str:
    """An expression over atoms, with parentheses or without, so that precedence counts."""
    kind = random.randrange(6) if depth else 0
    if kind < 2:
        return str(atom(random))
    if kind == 2:
        return f"{random.choice(['not ', '!'])}{combination(random, atom, depth - 1, joints)}"
    if kind == 3:
        return f"({combination(random, atom, depth - 1, joints)})"
    parts = [combination(random, atom, depth - 1, joints) for dummy in range(random.randint(2, 3))]
    text = parts[0]
    for part in parts[1:]:
        text += f" {random.choice(joints)} {part}"
    return text


def packet_atom(random: Random) -> str:
    """A comparison as filters have them."""
    if random.random() < 0.5:
        field = random.choice(ADDRESS_FIELDS)
        if random.random() < 0.3:
            return f"{field} {random.choice(['eq', 'ne', '==', '!='])} {random.choice(ADDRESSES)}"
        members = random.choices([*ADDRESSES, *NETWORKS, *RANGES], k=random.randint(0, 3))
        return f"{field} in {{{' '.join(members)}}}"
    field = random.choice(PORT_FIELDS)
    if random.random() < 0.7:
        operator = random.choice(["eq", "ne", "lt", "le", "gt", "ge", "==", "!=", "<", "<=", ">", ">="])
        return f"{field} {operator} {random.choice(PORTS)}"
    first, last = sorted(random.choices(PORTS, k=2))
    return f"{field} in {{{first}..{last} {random.choice(PORTS)}}}"


def odd_packet_atom(random: Random) -> str:
    """A comparison as filters have them, or one that looks like it."""
    if random.random() < 0.5:
        return packet_atom(random)
    field = random.choice([*FILTER_FIELDS, "udp.dstport"])
    value = random.choice(ODD_VALUES)
    return random.choice(
        [f"{field} eq {value}", f"{field} in {{{value}}}", f"{field} in {value}", f"{field} lt {value}"]
    )


def respaced(random: Random, expression: str) -> str:
    """The same words with other white space, also where there was none, within texts too."""
    text = expression
    for dummy in range(random.randint(1, 3)):
        beside = [index for index, character in enumerate(text) if character in " (){}"]
        position = random.choice(beside) if beside and random.random() < 0.8 else random.randrange(len(text) + 1)
        text = text[:position] + random.choice(SPACES) + text[position:]
    if " " in text and random.random() < 0.3:
        position = random.choice([index for index, character in enumerate(text) if character == " "])
        text = text[:position] + text[position + 1 :]
    return text


def packets(random: Random, count: int) -> list[dict[str, Any]]:
    """Packets whose addresses are of one family each."""
    samples: list[dict[str, Any]] = []
    while len(samples) < count:
        source, destination = random.choice(ADDRESSES), random.choice(ADDRESSES)
        if ipaddress.ip_address(source).version == ipaddress.ip_address(destination).version:
            ports = {name: random.choice(PORTS) for name in PORT_FIELDS}
            samples.append({"ip.src": source, "ip.dst": destination, **ports})
    return samples


def quoted(text: str) -> str:
    """A text as the language writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def request_atom(random: Random) -> str:
    """A comparison as rules of a zone have them."""
    if random.random() < 0.3:
        if random.random() < 0.5:
            return f"ip.src {random.choice(['eq', 'ne'])} {random.choice(ADDRESSES)}"
        return f"ip.src in {{{' '.join(random.choices([*ADDRESSES, *NETWORKS, *RANGES], k=random.randint(0, 3)))}}}"
    field = random.choice(list(TEXTS))
    if random.random() < 0.2:
        return f"{field} in {{{' '.join(map(quoted, random.choices(TEXTS[field], k=2)))}}}"
    operator = random.choice(["eq", "ne", "==", "!=", "contains", "matches", "~"])
    value = random.choice(TEXTS[field])
    if operator in ("matches", "~"):
        return f"{field} {operator} {random.choice(PATTERNS)}"
    return f"{field} {operator} {quoted(value)}"


def broad_atom(random: Random) -> str:
    """A comparison, or several of which each request matches at least one more often than not."""
    if random.random() < 0.5:
        return request_atom(random)
    one = random.choice([request_atom(random), "ssl", f"cf.threat_score {random.choice(['ge', 'lt', 'ne'])} 10"])
    return random.choice([f"({one} or not {one})", f"not ({one} and not {one})", "ip.src in {0.0.0.0/0 ::/0}", one])


def requests(random: Random, count: int) -> list[Request]:
    """Requests that many of the expressions match."""
    return [
        Request(
            path=random.choice(TEXTS["http.request.uri.path"]),
            host=random.choice(TEXTS["http.host"]),
            method=random.choice(TEXTS["http.request.method"]),
            user_agent=random.choice(TEXTS["http.user_agent"]),
            source=random.choice(ADDRESSES),
        )
        for dummy in range(count)
    ]


WORDS = [
    "", "a", "Bot", "/", "/api/v1", "/API/v2.json", "x=1&q=sel%45ct", "curl/8.0", "été", "a.b*c",
    'say "x"', "back\\slash",
]  # fmt: skip
NAMES = ["x-key", "accept", "q", "x"]
RICH_PATTERNS = [
    '"^/(api|x)/v[0-9]+"', '"(?i)BOT|curl"', r'"\.json$"', '"^[^/a-c]*$"', '"(a|b)*c"', r'"\bx\b"', r'"[\w-]{2,4}="', '"s.l(?i:%45)ct"',
    '"^.{3}$"', '"^$"', '"v[12]?/*a*$"', r'"[.\]]"',
]  # fmt: skip


def text_source(random: Random, depth: int = 2) -> str:
    """Something that is a text: a field, an element, or a function of one."""
    kind = random.randrange(8) if depth else random.randrange(4)
    if kind < 3:
        return random.choice(
            [
                "http.host", "http.request.uri", "http.request.uri.path", "http.user_agent",
                "http.cookie", "ip.src.country",
            ]
        )  # fmt: skip
    if kind == 3:
        field = random.choice(["http.request.headers", "http.request.cookies", "http.request.uri.args"])
        return random.choice(
            [f'{field}["{random.choice(NAMES)}"][{random.randrange(2)}]', "http.request.headers.names[0]"]
        )
    inner = text_source(random, depth - 1)
    return random.choice(
        [f"lower({inner})", f"upper({inner})", f"url_decode({inner})", f'remove_bytes({inner}, "/\\x61")']
    )


def texts_source(random: Random) -> str:
    """The elements of an array of texts."""
    name = random.choice(NAMES)
    plain = random.choice(
        [f'http.request.headers["{name}"][*]', "http.request.headers.names[*]", "http.request.uri.args.values[*]",
         "http.request.cookies[*][*]", "http.request.headers[*][0]", f'http.request.uri.args["{name}"][*]']
    )  # fmt: skip
    return random.choice([plain, f"lower({plain})[*]", f"url_decode({plain})[*]"])


def text_comparison(random: Random, source: str) -> str:
    """A comparison of texts."""
    kind = random.randrange(6)
    if kind == 0:
        return f"{source} in {{{' '.join(map(quoted, random.choices(WORDS, k=2)))}}}"
    if kind == 1:
        return f"{source} {random.choice(['matches', '~'])} {random.choice(RICH_PATTERNS)}"
    return f"{source} {random.choice(['eq', 'ne', 'contains', 'lt', 'ge', 'gt', 'le'])} {quoted(random.choice(WORDS))}"


def rich_atom(random: Random) -> str:
    """A comparison with functions, arrays and maps, as rules of a zone have them."""
    kind = random.randrange(9)
    if kind < 3:
        return text_comparison(random, text_source(random))
    if kind == 3:
        return f"{random.choice(['any', 'all'])}({random.choice(['', 'not '])}{text_comparison(random, texts_source(random))})"
    if kind == 4:
        number = random.choice([f"len({text_source(random)})", "cf.threat_score", "ip.src.asnum"])
        operator = random.choice(["eq", "ne", "lt", "ge", "in"])
        value = random.choice([0, 4, 7, 64500])
        return f"{number} in {{0..4 {value}}}" if operator == "in" else f"{number} {operator} {value}"
    if kind == 5:
        function = random.choice(["starts_with", "ends_with"])
        if random.random() < 0.3:
            return f"any({function}({texts_source(random)}, {quoted(random.choice(WORDS))}))"
        return f"{function}({text_source(random)}, {quoted(random.choice(WORDS))})"
    if kind == 6:
        return random.choice(["ssl", f"ip.src {random.choice(['lt', 'ge', 'le', 'gt'])} {random.choice(ADDRESSES)}"])
    return request_atom(random)


def rich_requests(random: Random, count: int) -> list[dict[str, Any]]:
    """Requests by the names of all fields that the engine is told."""
    return [
        {
            **{
                name: random.choice(WORDS)
                for name in ("http.host", "http.request.uri", "http.request.uri.path", "http.request.uri.query", "http.user_agent", "http.cookie")
            },
            "http.request.method": random.choice(["GET", "POST"]),
            "ip.src": random.choice(ADDRESSES),
            "ip.src.country": random.choice(["DE", "US"]),
            "ip.src.asnum": random.choice([4, 64500]),
            "cf.threat_score": random.choice([0, 7, 99]),
            "ssl": random.random() < 0.5,
            **{name: _pairs(random) for name in ("http.request.headers", "http.request.cookies", "http.request.uri.args")},
            "http.request.headers.names": random.choices(NAMES, k=random.randrange(3)),
            "http.request.uri.args.values": random.choices(WORDS, k=random.randrange(3)),
        }
        for dummy in range(count)
    ]  # fmt: skip


def _pairs(random: Random) -> dict[str, list[str]]:
    return {name: random.choices(WORDS, k=random.randint(1, 2)) for name in random.sample(NAMES, random.randrange(3))}


QUERIES: dict[str, dict[str, list[str]]] = {  # with their arguments; "x" has none that is understood
    "": {},
    "x=1&q=sel%45ct": {"x": ["1"], "q": ["sel%45ct"]},
    "x=Bot&x=a": {"x": ["Bot", "a"]},
    "x": {"x": [""]},
}


def logged_requests(random: Random, count: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Requests by the names of all fields that the engine is told, and as Logpush records."""
    logged = []
    for request in rich_requests(random, count):
        path = random.choice(["/", "/login", "/admin/x", "/api/v1", "/API/v2.json", "//", "/%61"])
        query = random.choice(list(QUERIES))
        request |= {
            "http.request.uri.path": path,
            "http.request.uri.query": query,
            "http.request.uri": f"{path}?{query}" if query else path,
            "http.request.uri.args": QUERIES[query],
            "http.request.uri.args.values": [item for items in QUERIES[query].values() for item in items],
            "http.host": random.choice(["example.com", "shop.example", "a  b"]),
        }
        record = {
            "ClientIP": request["ip.src"],
            "ClientRequestMethod": request["http.request.method"],
            "ClientRequestScheme": "https" if request["ssl"] else "http",
            "ClientRequestHost": request["http.host"].upper(),
            "ClientRequestPath": path,
            "ClientRequestURI": request["http.request.uri"],
            "ClientCountry": request["ip.src.country"].lower(),
            "ClientASN": request["ip.src.asnum"],
            "ClientRequestUserAgent": request["http.user_agent"],
        }
        logged.append((request, record))
    return logged


def planned_rules(random: Random) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The custom rules of a zone, and others in their place: some stay, some change their action, some are new."""
    atom = random.choice([request_atom, request_atom, rich_atom])
    existing, new = custom_rules(random, atom), custom_rules(random, atom)
    planned = [
        {**rule, "action": "block"} if random.random() < 0.2 else rule for rule in existing if random.random() < 0.8
    ]
    planned += [{**rule, "ref": f"new-{rule['ref']}"} for rule in new[:3]]
    random.shuffle(planned)
    return existing, planned


def custom_rules(random: Random, atom: Any = rich_atom) -> list[dict[str, Any]]:
    """The custom rules of a zone: most match few requests."""
    rules = []
    for number in range(random.randint(1, 8)):
        action = random.choice(["block", "managed_challenge", "log", "skip"])
        rule = {"ref": f"r{number}", "action": action, "enabled": random.random() < 0.9}
        rule["expression"] = " and ".join(combination(random, atom, 1) for dummy in range(random.randint(1, 2)))
        if action == "skip":
            rule["action_parameters"] = random.choice([{"ruleset": "current"}, {"products": ["waf"]}])
        rules.append(rule)
    return rules


def changed_rules(random: Random, rules: Sequence[dict[str, Any]], atom: Any = request_atom) -> list[dict[str, Any]]:
    """The same rules after some changes: one is narrowed, replaced, moved, renamed, removed or split."""
    changed = [*rules]
    for _number in range(random.randint(1, 2)):
        place = random.randrange(len(changed) + 1)
        new = {**custom_rules(random, atom)[0], "ref": f"new{random.randrange(1000)}"}
        if place == len(changed):
            changed.append(new)
            continue
        rule = changed.pop(place)
        narrower = [f"({rule['expression']}) and {sign}({atom(random)})" for sign in ("", "not ")]
        halves = [{**rule, "ref": f"{rule['ref']}{number}", "expression": text} for number, text in enumerate(narrower)]
        moved_to = random.randrange(len(changed) + 1)
        renamed = {**rule, "ref": f"{rule['ref']}x"}
        ways = [
            (place, halves),
            (place, halves[:1]),
            (place, [new]),
            (moved_to, [rule]),
            (place, []),
            (place, [renamed]),
        ]
        position, replacements = random.choice(ways)
        changed[position:position] = replacements
    return changed


RULESETS = ("a" * 32, "b" * 32, "c" * 32)
SKIPS: tuple[dict[str, Any], ...] = (
    {"ruleset": "current"},
    {"phases": ["http_ratelimit"]},
    {"products": ["waf"]},
    {"rulesets": [RULESETS[0]]},
    {"rules": {RULESETS[1]: ["1" * 32, "2" * 32]}},
)


def chain_rules(
    random: Random, name: str, skips: Sequence[dict[str, Any]], executed: Sequence[str], atom: Any
) -> list[dict[str, Any]]:
    """The rules of an entry point, or of a custom ruleset, with skips of each kind."""
    rules = []
    for number in range(random.randint(1, 5)):
        action = random.choice(
            ["block", "managed_challenge", "log", "skip", "skip", *(["execute"] * 3 if executed else [])]
        )
        rule = {"id": f"{number}" * 32, "ref": f"{name}{number}", "action": action, "enabled": random.random() < 0.9}
        rule["expression"] = combination(random, atom, 1)
        if action in ("log", "skip", "execute") and random.random() < 0.4:
            rule["expression"] = f"not ({rule['expression']})"
        if action == "skip":
            rule["action_parameters"] = random.choice(skips)
        if action == "execute":
            rule["action_parameters"] = {"id": random.choice(executed)}
        rules.append(rule)
    return rules


def chain(random: Random, atom: Any = rich_atom) -> dict[str, list[dict[str, Any]]]:
    """The custom rules that requests to a zone meet: those of its account, of the zone, and of what both execute."""
    everywhere = (*SKIPS, {"phase": "current"})
    rulesets = [
        {"id": identity, "name": name, "kind": "custom", "rules": chain_rules(random, name, skips, (), atom)}
        for identity, name, skips in zip(RULESETS, "ABC", (SKIPS, everywhere, everywhere), strict=True)
    ]
    return {
        "account_custom_rules": chain_rules(random, "account", SKIPS, RULESETS[:1], atom)
        if random.random() < 0.7
        else [],
        "custom_rules": chain_rules(random, "zone", everywhere, RULESETS[1:], atom),
        "executed_rulesets": rulesets,
    }


def hidden(random: Random, chain: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """A chain of which a part cannot be read."""
    if random.random() < 0.3:
        return {**chain, "account_custom_rules": [{"unread": "403"}]}
    rulesets = [
        {"id": one["id"], "unread": "403"} if random.random() < 0.5 else one for one in chain["executed_rulesets"]
    ]
    return {**chain, "executed_rulesets": rulesets}


def partial(random: Random, request: dict[str, Any]) -> dict[str, Any]:
    """A request of which not all is known."""
    return {name: value for name, value in request.items() if random.random() < 0.7}
