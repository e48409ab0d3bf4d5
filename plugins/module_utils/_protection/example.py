# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A request or packet out of a set of traffic, in the words of an expectation, so that anybody can
copy it there.

A diagram says which addresses, numbers and texts the traffic has, and which comparisons it meets.
For each field, some texts are tried that its comparisons suggest. The evaluation of a single
request then confirms the example, or it is none.
"""

from __future__ import annotations

import re
from itertools import islice, product
from typing import Any, Callable, Container, Dict, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .._errors import OptionError
from .._expressions.evaluation import decider_of
from .._expressions.fields import KnownField
from .._expressions.grammar import Comparison
from .._expressions.operands import Fields
from .._expressions.solve import Diagrams, Set, Variable
from .._text import Option
from .._values.address_set import IPV6, NOT_ROUTABLE, Ranges, count, difference, networks, ranges_of
from .request import PROTOCOL_FIELD, REQUEST_KEY_OF_FIELD, parse_packet, parse_request

Described = Dict[str, Any]  # an example by the keys of an expectation
Confirms = Callable[[Sequence[Fields]], bool]
MOST_PATHS = 64  # pieces of the traffic that are tried
MOST_PIECE_VALUES = 4000  # values of variables that these pieces have together
MOST_TRIED = 96  # examples of one piece
MOST_TEXTS = 24  # of one key
MOST_CONFIRMED = 12  # examples that the evaluation is asked about
USUAL_SOURCES = ("203.0.113.0/24", "198.51.100.0/24", "192.0.2.0/24", "2001:db8::/32")
USUAL: Mapping[str, Sequence[str]] = {  # texts of keys, the most usual first
    "method": ("GET", "POST", "PUT", "DELETE", "HEAD"),
    "path": ("/", "/index.html", "/a", "/a/b"),
    "query": ("", "a=b"),
    "user_agent": ("Mozilla/5.0", ""),
    "referer": ("", "https://www.example.net/"),
    "country": ("DE", "US", "FR"),
    "continent": ("EU", "NA"),
    "scheme": ("https", "http"),
    "asn": ("64500", "64501"),
    "tls_version": ("TLSv1.3",),
    "tls_cipher": ("AEAD-AES128-GCM-SHA256",),
}
ALWAYS_NAMED = ("method", "host", "path")
PAIRS = {"http.request.headers": "headers", "http.request.cookies": "cookies"}
ARGUMENTS = "http.request.uri.args"


class Wanted(NamedTuple):
    """The traffic that an example must be part of. `values` are the same in all of the traffic;
    `fields` are the fields that the rules use; `host` is the host that requests go to."""

    kind: str
    traffic: Set
    values: Mapping[str, bytes]
    fields: Sequence[str]
    host: str


class Found(NamedTuple):
    """An example (None: none could be made), and the number of source addresses for which it is the
    same (None: not counted). If `is_impossible`, it is proven that such traffic does not exist."""

    described: Described | None
    addresses: int | None = None
    is_impossible: bool = False


class _Piece(NamedTuple):
    """A piece of traffic: the values that each variable may have."""

    variables: Sequence[tuple[Variable, Ranges]]

    def ranges(self, name: str) -> Ranges | None:
        """The values of the variable with this name; None if the piece does not limit it."""
        return next((ranges for one, ranges in self.variables if one.name == name), None)

    def opaque_comparisons(self) -> Iterator[tuple[Comparison, bool]]:
        """The comparisons of which only the truth is known, each with whether the traffic of the
        piece meets it."""
        for variable, ranges in self.variables:
            if variable.leaf is not None:
                yield variable.leaf, ranges[0][0] >= 1

    @property
    def is_of_tcp(self) -> bool:
        """Return whether packets of the piece may be TCP packets."""
        ranges = self.ranges(Diagrams.PORT)
        is_other = any(
            leaf.field == "tcp" and not is_met for leaf, is_met in self.opaque_comparisons()
        )
        return not is_other and (ranges is None or ranges[-1][1] >= 0)

    @property
    def is_open(self) -> bool:
        """Return whether the piece depends on a condition that no field of a request decides."""
        truths = [one for one, _ranges in self.variables if one.is_of_truth]
        return any(one.leaf is None for one in truths)


def example_of(diagrams: Diagrams, wanted: Wanted, confirms: Confirms) -> Found:
    """An example of the traffic `wanted` for which `confirms` returns true; empty if none is
    found."""
    asked = 0
    for piece in _pieces(diagrams, wanted):
        for described in _described(diagrams, wanted, piece):
            seen = _fields_of(wanted, described)
            if not seen or not _fits(piece, seen, wanted.fields):
                continue
            asked += 1
            if confirms(seen):
                return Found(described, _addresses(piece))
            if asked >= MOST_CONFIRMED:
                return Found(None)
    return Found(None)


def _pieces(diagrams: Diagrams, wanted: Wanted) -> Iterable[_Piece]:
    """The pieces of the traffic `wanted`; of packets, those that may be TCP come first."""
    pieces = _all_pieces(diagrams, wanted.traffic)
    if wanted.kind == "request":
        return pieces
    return sorted(pieces, key=lambda piece: not piece.is_of_tcp)


def _all_pieces(diagrams: Diagrams, traffic: Set) -> Iterator[_Piece]:
    left = MOST_PIECE_VALUES
    for path in islice(diagrams.paths(traffic), MOST_PATHS):
        left -= len(path)
        levels = ((diagrams.variable_of(level), path[level]) for level in sorted(path))
        piece = _Piece([*levels])
        if not piece.is_open:
            yield piece
        if left <= 0:
            return


def _addresses(piece: _Piece) -> int | None:
    """The number of source addresses to which a piece is limited; None if it is not limited, or to
    too many."""
    ranges = piece.ranges(Diagrams.SOURCE)
    if ranges is None:
        return None
    number = count(ranges) if ranges[-1][1] < IPV6 else 0
    if 0 < number < 1 << 31:
        return number
    return None


def _described(diagrams: Diagrams, wanted: Wanted, piece: _Piece) -> Iterable[Described]:
    if wanted.kind == "packet":
        return _packets(diagrams, wanted, piece)
    return islice(_requests(diagrams, wanted, piece), MOST_TRIED)


def _fields_of(wanted: Wanted, described: Described) -> Sequence[Fields]:
    """The fields that rules may see of an example, one set for each way to see it; empty if it is
    not valid."""
    option = Option("example")
    try:
        if wanted.kind == "packet":
            return parse_packet(option, described).seen_by("")
        fields = parse_request(option, described)
    except OptionError:
        return ()
    return [fields._replace(values={**fields.values, **wanted.values})]


def _fits(piece: _Piece, seen: Sequence[Fields], names: Container[str]) -> bool:
    """Return whether an example meets the comparisons of a piece as the piece requires."""
    for leaf, is_met in piece.opaque_comparisons():
        if not leaf.operator and leaf.field not in names and leaf.plain:
            continue  # a fact of packets
        if any(decider_of(leaf)(fields) is not is_met for fields in seen):
            return False
    return True


def _requests(diagrams: Diagrams, wanted: Wanted, piece: _Piece) -> Iterator[Described]:
    """Requests that may belong to a piece, the most usual ones first."""
    host = wanted.host
    usual = {**USUAL, "host": (host, f"www.{host}", "www.example.net", "a.example.org")}
    texts, fixed = _texts_of_keys(diagrams, piece, usual)
    keys = dict.fromkeys([*ALWAYS_NAMED, *texts, *_keys_of(wanted.fields)])
    comparisons = list(piece.opaque_comparisons())
    choices: list[Sequence[str]] = []
    for key in keys:
        suggested = islice(texts.get(key, usual.get(key, ("",))), MOST_TEXTS)
        inside = [text for text in suggested if _is_inside(diagrams, piece, key, text)]
        choices.append([text for text in inside if not _contradicts(key, text, comparisons)])
    source = _address_in(piece.ranges(Diagrams.SOURCE))
    maps = _maps_of(piece, wanted.fields)
    for chosen in product(*choices):
        described: Described = dict(zip(keys, chosen))
        described["source"] = source
        described.update(maps)
        others = {**_others(wanted.fields), **fixed}
        yield {**described, "fields": others} if others else described


def _is_inside(diagrams: Diagrams, piece: _Piece, key: str, text: str) -> bool:
    """Return whether the piece allows this text for the field that the request key `key` gives."""
    for variable, ranges in piece.variables:
        if variable.is_of_texts and REQUEST_KEY_OF_FIELD.get(str(variable.name)) == key:
            number = diagrams.number_of_named(text) or 0  # 0 is any that no expression names
            if not any(first <= number <= last for first, last in ranges):
                return False
    return True


def _contradicts(key: str, text: str, comparisons: Iterable[tuple[Comparison, bool]]) -> bool:
    """Return whether a request with this text for `key` is invalid, or certainly fails to meet one
    of the comparisons as required."""
    try:
        fields = parse_request(Option("example"), {key: text})
    except OptionError:
        return True
    for leaf, is_met in comparisons:
        if not any(name in leaf.field for name in fields.values):
            continue
        truth = decider_of(leaf)(fields)
        if isinstance(truth, bool) and truth is not is_met:
            return True
    return False


def _keys_of(fields: Iterable[str]) -> Iterator[str]:
    """The keys of a request that give these fields; keys of dictionaries, such as `headers`, are
    left out."""
    for field in fields:
        key = REQUEST_KEY_OF_FIELD.get(field)
        if key == "uri":
            yield "query"
        if field == "http.request.full_uri":
            yield from ("scheme", "query")
        if key in USUAL:
            yield str(key)


def _others(fields: Iterable[str]) -> dict[str, Any]:
    """Usual values for those of the fields that no key of a request gives."""
    values: dict[str, Any] = {}
    for field in fields:
        known = KnownField.of(field)
        if field in REQUEST_KEY_OF_FIELD or field.startswith(("cf.zone", "ip.src", "ip.geoip")):
            continue
        if known.is_number:
            values[field] = known.highest if "score" in field else known.lowest
        elif known.is_flag:
            values[field] = False
        elif known.is_text:
            values[field] = ""
    return values


def _texts_of_keys(
    diagrams: Diagrams, piece: _Piece, usual: Mapping[str, Sequence[str]]
) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """The texts that a piece allows for keys of a request, and values for the fields that no key
    gives."""
    texts: dict[str, list[str]] = {}
    fixed: dict[str, Any] = {}
    for variable, ranges in piece.variables:
        field = str(variable.name)
        key = REQUEST_KEY_OF_FIELD.get(field, "")
        values: list[Any] = []
        if variable.is_of_texts:
            values = _named_texts(diagrams, ranges, usual.get(key, ("", "a")))
        elif variable.is_of_numbers and field not in (Diagrams.SOURCE, Diagrams.DESTINATION):
            values = [_number_in(ranges)]
        elif variable.leaf is not None:
            _suggest(texts, fixed, variable.leaf, ranges[0][0] >= 1, usual)
            continue
        if key and key not in ("source", "fields"):
            texts[key] = [str(value) for value in values]
        elif values and field not in (Diagrams.SOURCE, Diagrams.DESTINATION):
            fixed[field] = values[0]
    return texts, fixed


def _named_texts(diagrams: Diagrams, ranges: Ranges, usual: Sequence[str]) -> list[str]:
    """The texts whose numbers are in `ranges`; if texts that no expression names are among them,
    usual texts instead."""
    lowest, highest = ranges[0][0], ranges[-1][1]
    is_open = highest >= Diagrams.BEYOND or lowest <= 0
    numbers: list[int] = []
    for first, last in ranges:
        if last < Diagrams.BEYOND:
            numbers += range(max(first, 1), last + 1)
    written = filter(None, map(diagrams.text_numbered, numbers))  # with quotes, also if empty
    named = [text.strip('"') for text in written]
    if not is_open:
        return named
    longer = [f"{text}{end}" for text in usual[:1] for end in ("x", "other", "yz")]
    fitting: list[str] = []
    for text in (*usual, *longer):
        number = diagrams.number_of_named(text)
        if number is None or any(first <= number <= last for first, last in ranges):
            fitting.append(text)
    return fitting or named


def _number_in(ranges: Ranges) -> int:
    """A number in the ranges, the lowest one above 0 if possible."""
    for first, last in ranges:
        if last >= 0:
            low = max(first, 0)
            return min(max(low, 1), last)
    return 0


SPECIAL = re.compile(r"\\(.)|[\^$()*+?]|\[[^\]]*\]")


def _suggest(
    texts: dict[str, list[str]],
    fixed: dict[str, Any],
    leaf: Comparison,
    is_met: bool,
    usual: Mapping[str, Sequence[str]],
) -> None:
    """Add texts with which the comparison may be met (or not met, if `is_met` is false) to `texts`,
    by key, or to `fixed`, by field."""
    literals = list(_literals(leaf))
    for field in leaf.names:
        key = REQUEST_KEY_OF_FIELD.get(field, "")
        if field.startswith(ARGUMENTS):
            key = "query"
        if KnownField.of(field).is_flag and not leaf.operator:
            if key == "scheme":
                texts["scheme"] = ["https" if is_met else "http"]
            elif not key:
                fixed[field] = is_met
            continue
        if not key and KnownField.of(field).is_text and is_met and literals:
            fixed[field] = literals[0]
        for part in (key, *(("path", "query") if key == "uri" else ())):
            if part in usual:
                suggested = _around(literals, part, field) if is_met else []
                known = texts.get(part, [])
                combined = [f"{one}{other}" for one in known[:4] for other in suggested[:4]]
                before = known if is_met or known else list(usual[part])
                texts[part] = list(dict.fromkeys([*suggested, *combined, *before, *usual[part]]))


def _literals(leaf: Comparison) -> Iterator[str]:
    """The texts that a comparison names, without the special characters of patterns."""
    for text in leaf.texts:
        if leaf.operator == "matches":
            for choice in text.split("|"):
                yield SPECIAL.sub(lambda match: match[1] or "", choice).replace(".", "a")
        elif "wildcard" in leaf.operator:
            yield text.replace("*", "")
            yield text.replace("*", "x")
        else:
            yield text


def _around(literals: Iterable[str], key: str, field: str) -> list[str]:
    """Texts for a key, each of which contains one of the literals."""
    texts: list[str] = []
    for literal in literals:
        forms = [literal, f"{literal}x", f"x{literal}", f"{literal}/x"]
        if key == "path":
            forms = [f"/{literal.lstrip('/')}", *(f"/{form.lstrip('/')}" for form in forms)]
            forms = [form.partition("?")[0] for form in forms]
        if key == "query" and field.startswith(ARGUMENTS):
            forms = [f"{literal}=x", f"a={literal}", *forms]
        elif key == "query":
            forms = [form.partition("?")[2] or form.lstrip("/") for form in forms]
        if key == "host":
            forms += [f"{literal}.example.com", f"www{literal}", f"www.{literal}"]
        texts += [*forms, *(form.upper() for form in forms), *(form.lower() for form in forms)]
    return texts


def _maps_of(piece: _Piece, fields: Iterable[str]) -> dict[str, Any]:
    """Headers and cookies, by key, that a request of the piece may have."""
    maps: dict[str, dict[str, str]] = {}
    for field in fields:
        for start, key in PAIRS.items():
            if field.startswith(start) or (field == "http.cookie" and key == "cookies"):
                maps.setdefault(key, {})
    for leaf, is_met in piece.opaque_comparisons():
        literals = list(_literals(leaf)) if is_met else []
        for start, key in PAIRS.items():
            is_of_map = leaf.field.startswith(start) or f"( {start} [" in leaf.field
            if is_of_map and literals:
                maps.setdefault(key, {})[literals[0]] = literals[-1]
        if "http.cookie" in leaf.names and literals:
            name, _sign, value = literals[0].partition("=")
            maps.setdefault("cookies", {})[name or "a"] = value or "x"
    return maps


def _packets(diagrams: Diagrams, wanted: Wanted, piece: _Piece) -> Iterator[Described]:
    """Packets that may belong to a piece."""
    fixed = _others(field for field in wanted.fields if field not in FIELDS_OF_KEYS)
    for variable, ranges in piece.variables:
        field = str(variable.name)
        if variable.is_of_texts and field != PROTOCOL_FIELD:
            fixed[field] = _named_texts(diagrams, ranges, ("DE", "US", "FR"))[0]
        elif variable.is_of_numbers and field not in FIELDS_OF_KEYS:
            fixed[field] = _number_in(ranges)
    for protocol in _protocols(diagrams, piece):
        flags = {name: name == protocol for name in PROTOCOL_NUMBERS if name in wanted.fields}
        fields = {**fixed, **flags}
        if NUMBER_OF_PROTOCOL in wanted.fields:
            fields[NUMBER_OF_PROTOCOL] = PROTOCOL_NUMBERS.get(protocol, 47)
        if protocol not in PORTED:
            fields[PROTOCOL_FIELD] = protocol
        yield _packet(piece, protocol, fields)


def _protocols(diagrams: Diagrams, piece: _Piece) -> list[str]:
    """The protocols that the packets of a piece may have, the most usual first."""
    flags = {leaf.field: is_met for leaf, is_met in piece.opaque_comparisons() if not leaf.operator}
    protocols = [*PROTOCOL_NUMBERS, "gre"]
    for variable, ranges in piece.variables:
        if variable.name == PROTOCOL_FIELD:
            named = _named_texts(diagrams, ranges, protocols)
            protocols = [one for one in named if one]
        if variable.name == NUMBER_OF_PROTOCOL:
            numbers = [PROTOCOL_NUMBERS.get(one, 47) for one in protocols]
            fitting = [any(low <= number <= high for low, high in ranges) for number in numbers]
            protocols = [one for one, fits in zip(protocols, fitting) if fits]
    met = [name for name, is_met in flags.items() if is_met and name in protocols]
    return met or [one for one in protocols if flags.get(one) is not False]


PROTOCOL_NUMBERS = {"tcp": 6, "udp": 17, "icmp": 1}
NUMBER_OF_PROTOCOL = "ip.proto.num"
PORTED = ("tcp", "udp")
FIELDS_OF_KEYS = frozenset(
    [
        Diagrams.SOURCE,
        Diagrams.DESTINATION,
        Diagrams.PORT,
        Diagrams.SOURCE_PORT,
        "udp.dstport",
        "udp.srcport",
        NUMBER_OF_PROTOCOL,
    ]
)


def _packet(piece: _Piece, protocol: str, fields: Mapping[str, Any]) -> Described:
    source, destination = piece.ranges(Diagrams.SOURCE), piece.ranges(Diagrams.DESTINATION)
    near = source or destination
    is_ipv6 = bool(near) and (near or [(0, 0)])[0][0] >= IPV6
    described: Described = {
        "destination": _address_in(destination, is_ipv6),
        "source": _address_in(source, is_ipv6),
    }
    if protocol in PORTED:
        described["protocol"] = protocol
        for key, name, usual in (
            ("destination_port", "dstport", 443),
            ("source_port", "srcport", 50000),
        ):
            ranges = piece.ranges(f"{protocol}.{name}")
            described[key] = _number_in(ranges) if ranges else usual
    return {**described, "fields": dict(fields)} if fields else described


def _address_in(ranges: Ranges | None, is_ipv6: bool = False) -> str:
    """An address in the ranges (None: any): preferably one for documentation, else the first that
    is routable on the internet, else the first."""
    if ranges is None:
        return "2001:db8::7" if is_ipv6 else "203.0.113.7"
    for network in USUAL_SOURCES:
        usual = ranges_of([network])
        inside = difference(usual, difference(usual, ranges))
        if inside:
            return _second_of(inside)
    routable = difference(ranges, ranges_of(NOT_ROUTABLE))
    return _second_of(routable or ranges)


def _second_of(ranges: Ranges) -> str:
    """The first address of the first range that a host may have: its second address, if the range
    has three or more."""
    first, last = ranges[0]
    number = first + 1 if last > first + 1 else first
    return networks([(number, number)])[0].partition("/")[0]
