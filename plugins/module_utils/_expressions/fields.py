# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields and lists that expressions name: their kinds, and the values that they can have.

The vendor describes filters in "JSON objects" (Advanced TCP Protection API): the fields ip.src,
ip.dst, tcp.srcport and tcp.dstport, and no functions.
"""

from __future__ import annotations

import ipaddress
import json
import re
from typing import AbstractSet, Mapping, NamedTuple, Sequence

from .._text import Unread, closest, did_you_mean, excerpt, quoted
from .._values.address_set import (
    ANY_LABEL,
    BITS,
    EVERYTHING,
    IPV6,
    Contents,
    Range,
    Ranges,
    complement,
    intersection,
    parse_network,
    read_network,
    union,
)
from .._vendor.fields import (
    ADDRESS,
    FIELD_KINDS,
    FLAG,
    KNOWN_FIELDS,
    NUMBER,
    OPEN,
    RANGES,
    RESPONSE_FIELDS,
    SAME_FIELD,
    TEXT,
)
from .._vendor.rules import Readable
from .._vendor.texts import TEXTS_OF_FIELDS, TextForm
from .grammar import (
    HARD_TO_END,
    QUOTED,
    WORD,
    Comparison,
    Token,
    fields_in_expression,
    is_address,
    is_number,
    leaves,
    parse,
    tokens_of,
)

HIGHEST_PORT = 65535


ALL_PORTS: Ranges = [(0, HIGHEST_PORT)]
FILTER_FIELDS: Mapping[str, Ranges] = {  # with all of their values
    "ip.src": EVERYTHING,
    "ip.dst": EVERYTHING,
    "tcp.srcport": ALL_PORTS,
    "tcp.dstport": ALL_PORTS,
}


DECIMAL = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
OTHER_BASE = re.compile(r"0[0-9]+|-?0[xX][0-9a-fA-F]+", re.ASCII)
LONGEST_REASON = 200


# The vendor names lists in rules ("Use lists in expressions"), and none in "JSON objects".
WITHOUT_LISTS = "filters are documented with addresses in braces, and without lists"


class ValueKind(NamedTuple):
    """A kind of values in comparisons: one and several of them in words, the operators that the
    documentation names for them, further ones that the engine accepts, and the signs of a range."""

    singular: str
    plural: str
    documented: Sequence[str]
    undocumented: Sequence[str]
    signs: Sequence[str]


ADDRESSES_AS_VALUES = ValueKind(
    "address", "addresses", ("eq", "ne", "in"), ("lt", "le", "gt", "ge"), ("/", "..")
)
PORTS_AS_VALUES = ValueKind(
    "port", "ports", ("eq", "ne", "in", "lt", "le", "gt", "ge"), (), ("..",)
)


def addresses_of(comparison: Comparison) -> Ranges:
    """The addresses that meet a comparison; raises Unread."""
    addresses = union(map(_address_range, _operands(comparison, ADDRESSES_AS_VALUES)))
    return complement(addresses) if comparison.operator == "ne" else addresses


def met_addresses(comparison: Comparison) -> Ranges:
    """The addresses that meet a comparison, also one by the order of addresses within their family,
    which no page documents; raises Unread."""
    if comparison.operator not in ADDRESSES_AS_VALUES.undocumented:
        return addresses_of(comparison)
    addresses = addresses_of(comparison._replace(operator="eq"))
    (family,) = (family for family in EVERYTHING if intersection([family], addresses))
    return within(comparison.operator, addresses, *family)


def numbers_of(comparison: Comparison, lowest: int, highest: int) -> Ranges:
    """The whole numbers from `lowest` to `highest` that meet a comparison; raises Unread."""
    ranges = [_number_range(token) for token in _operands(comparison, PORTS_AS_VALUES)]
    return within(comparison.operator, ranges, lowest, highest)


def within(operator: str, ranges: Ranges, lowest: int, highest: int) -> Ranges:
    """The numbers from `lowest` to `highest` that meet a comparison by an operator with these
    ranges."""
    start, end = ranges[0] if ranges else (highest, lowest)
    bounds: Mapping[str, Ranges] = {
        "ne": [(lowest, start - 1), (end + 1, highest)],
        "lt": [(lowest, start - 1)],
        "le": [(lowest, start)],
        "gt": [(start + 1, highest)],
        "ge": [(start, highest)],
    }
    clipped = []
    for low, high in bounds.get(operator, ranges):
        if max(low, lowest) <= min(high, highest):
            clipped.append((max(low, lowest), min(high, highest)))
    return union(clipped)


def _operands(comparison: Comparison, kind: ValueKind) -> Sequence[Token]:
    """The operands of a comparison; raises Unread if the documentation does not allow this
    operator, or this way to write the operands, for such values."""
    operator, start = comparison.operator, comparison.start
    if comparison.problem:
        raise Unread(comparison.problem, at=start)
    if not operator:
        raise Unread(f"{quoted(comparison.field)} is compared to nothing", at=start)
    if operator not in kind.documented:
        is_malformed = operator not in kind.undocumented
        raise Unread(
            f"'{operator}' does not go with {kind.plural}", at=start, malformed=is_malformed
        )
    if operator == "in" and comparison.in_braces:
        return comparison.operands
    if comparison.in_braces:
        raise Unread(f"'{operator}' takes one value, and no set; write in {{...}}", at=start)
    (token,) = comparison.operands
    if token.text.startswith("$"):
        problem = f"{quoted(token.text)} is a list, and {WITHOUT_LISTS}"
        raise Unread(problem, at=token.start, malformed=operator != "in")
    if operator == "in":
        raise Unread(f"'in' takes a set in braces{set_to_write(token)}", at=token.start)
    in_braces = f"write in {{{excerpt(token.text)}}}"
    if any(sign in token.text for sign in kind.signs):
        several = f"{quoted(token.text)} is more than one {kind.singular}"
        raise Unread(f"{several}; {in_braces}", at=token.start)
    return comparison.operands


def set_to_write(token: Token) -> str:
    """The advice to write a single value as a set; empty for a word that is not a value."""
    text = token.text.strip('"')  # addresses and numbers have no quotes
    if is_address(text) or is_number(text):
        return f"; write in {{{excerpt(text)}}}"
    return f"; write in {{{excerpt(token.text)}}}" if token.kind == QUOTED else ""


def _address_range(token: Token) -> Range:
    start_text, dots, end_text = token.text.partition("..")
    try:
        (version, start, length, dummy), written = read_network(start_text)
        offset = IPV6 if version == 6 else 0
        if not dots:
            if "/" in start_text and written != start_text:
                _check_host_bits(start_text)
            return offset + start, offset + start + (1 << (BITS[version] - length)) - 1
        version_of_end, end = read_network(end_text)[0][:2]
    except ValueError as exc:
        raise Unread(excerpt(str(exc), LONGEST_REASON), at=token.start) from exc
    if "/" in token.text or version != version_of_end or end < start:
        raise Unread(f"{quoted(token.text)} is not a range of addresses", at=token.start)
    return offset + start, offset + end


def _check_host_bits(text: str) -> None:
    network = parse_network(text)
    if network.network_address != ipaddress.ip_address(text.partition("/")[0]):
        raise ValueError(f"{quoted(text)} has bits behind its prefix length; write {network}")


def _number_range(token: Token) -> Range:
    numbers = []
    for text in token.text.split("..", 1):
        if not DECIMAL.fullmatch(text):
            base = 8 if text.isdigit() else 16
            why = f", but a number to base {base}" if OTHER_BASE.fullmatch(text) else ""
            to_do = "write decimal digits without a leading 0"
            raise Unread(f"{quoted(text)} is not a port{why}; {to_do}", at=token.start)
        numbers.append(int(text))
    if numbers[0] > numbers[-1]:
        raise Unread(f"{quoted(token.text)} is not a range of ports", at=token.start)
    return numbers[0], numbers[-1]


def values_of(leaf: Comparison) -> Ranges:
    """The values that meet a comparison of a field that filters know; raises Unread for any
    other."""
    if leaf.field in FILTER_FIELDS:
        is_port = FILTER_FIELDS[leaf.field] is ALL_PORTS
        return numbers_of(leaf, 0, HIGHEST_PORT) if is_port else addresses_of(leaf)
    name, *words_behind = leaf.field.split()
    what = f"filters know no field {quoted(name)}"
    if "(" in words_behind[:1]:
        what = f"{quoted(name)} is a function, and filters know none"
    raise Unread(f"{what}, only {', '.join(FILTER_FIELDS)}", at=leaf.start, malformed=False)


NEAR = 0.75  # how alike names of fields are of which one may be meant
NEAR_PARTS = 0.65  # the same of the last parts of names


class KnownField(NamedTuple):
    """The kind of a field, empty if the vendor does not say it or the field is not known, and the
    numbers that it can have; 0 if its page names none."""

    kind: str
    lowest: int
    highest: int

    @staticmethod
    def of(name: str) -> KnownField:
        """The field of a name."""
        return KnownField(FIELD_KINDS.get(name, ""), *RANGES.get(name, (0, 0)))

    @property
    def is_text(self) -> bool:
        """Return whether its values are texts."""
        return self.kind == TEXT

    @property
    def is_number(self) -> bool:
        """Return whether its values are numbers."""
        return self.kind == NUMBER

    @property
    def is_flag(self) -> bool:
        """Return whether it is true or false."""
        return self.kind == FLAG


def possible_texts(leaf: Comparison) -> list[str] | None:
    """The texts of a comparison that its field, or function, can be equal to, or contain; None if
    it is compared in another way."""
    texts, form = plain_texts(leaf), form_of_texts(leaf)
    if texts is None or form is None or (leaf.operator == "contains" and not form.of_parts):
        return texts
    return [text for text in texts if form.has(text[1:-1])]


def plain_texts(leaf: Comparison) -> list[str] | None:
    """The texts of a comparison, each in quotes; None if it is compared in another way, or to a
    text with an escape."""
    if leaf.operator not in ("eq", "ne", "in", "contains") or not leaf.operands:
        return None
    for token in leaf.operands:
        if token.kind != QUOTED or HARD_TO_END.search(token.text):
            return None
    return [token.text for token in leaf.operands]


def form_of_texts(leaf: Comparison) -> TextForm | None:
    """The form of the texts of the field, or function, of a comparison; None if its page says
    none."""
    return TEXTS_OF_FIELDS.get(leaf.field.partition(" ")[0])


def unknown_names(expression: str, known_fields: AbstractSet[str] = KNOWN_FIELDS) -> list[str]:
    """The fields of an expression that are not among the known ones."""
    return [
        name for name in fields_in_expression(expression) if not is_known_field(name, known_fields)
    ]


BEYOND_OUR_FIELDS = "that this collection does not know"


def doubts(
    expression: str, known_fields: AbstractSet[str] = KNOWN_FIELDS, why: str = BEYOND_OUR_FIELDS
) -> str:
    """A remark, beginning with a verb, on fields that an expression reads and that are not among
    the known ones; empty if all are. `why` says of them why they should not be there."""
    names = unknown_names(expression, known_fields)
    unknown = [f"{quoted(name)}{_near(name.lower(), known_fields)}" for name in names]
    if not unknown:
        return ""
    noun = "a field" if len(unknown) == 1 else "fields"
    return f"reads {noun} {why}: {', '.join(unknown)}"


def doubts_of_place(expression: str, readable: Readable) -> str:
    """A remark, beginning with a verb, on fields that an expression reads and that cannot be read
    at its place; empty if all can."""
    why = f"that Cloudflare's page does not list for {readable.place}"
    return doubts(expression, readable.fields, why)


def doubts_of_request(expression: str) -> str:
    """Remarks, each beginning with a verb, on unknown fields that an expression of a request reads,
    and on fields of the response, which nothing knows yet; empty if there are none."""
    names = [name for name in fields_in_expression(expression) if name in RESPONSE_FIELDS]
    noun = "a field" if len(names) == 1 else "fields"
    listed = ", ".join(map(quoted, names))
    early = f"reads {noun} of the response, which does not exist yet: {listed}" if names else ""
    return ", and ".join(filter(None, [doubts(expression), early]))


def _near(name: str, known_fields: AbstractSet[str]) -> str:
    """A question in brackets with the field that may be meant; empty if none is near. For a word
    without a dot, the last parts of fields are compared, and the shortest field counts."""
    part = (
        ""
        if "." in name
        else closest(name, {field.split(".")[-1] for field in known_fields}, NEAR_PARTS)
    )
    fields = {
        SAME_FIELD.get(field, field) for field in known_fields if field.split(".")[-1] == part
    }
    if not part or name in fields:
        return did_you_mean(name, known_fields, NEAR)
    return f" (did you mean {min(fields, key=lambda field: (len(field), field))}?)"


def is_known_field(name: str, known_fields: AbstractSet[str] = KNOWN_FIELDS) -> bool:
    """Return whether a field is among the known ones, or is named after a claim of a token."""
    return name in known_fields or name.startswith(OPEN)


FIELDS_OF_LISTS: Mapping[str, Sequence[str]] = {  # that may be in a list, by the kind of the list
    "ip": [name for name, kind in FIELD_KINDS.items() if kind == ADDRESS],
    "asn": ["ip.src.asnum", "ip.geoip.asnum"],
    "hostname": ["http.host"],
}


def fields_in_place_of(field: str, kind: str) -> Sequence[str] | None:
    """The fields that may be in the lists of a kind, if this field may not; None for a field that
    may, or that is not known."""
    names = {name for name in fields_in_expression(field) if name in FIELD_KINDS}
    fitting_fields = FIELDS_OF_LISTS.get(kind, ())
    if names and names.isdisjoint(fitting_fields):
        return fitting_fields
    return None


LIST = re.compile(r"\$[a-z0-9_]+")  # of an account; the lists of the vendor have dots


# Also those of the vendor ("Managed lists").
LIST_NAME = re.compile(rf"(?:{LIST.pattern}|\$cf\.[a-z0-9_.]+)")


def _name_of_list(word: str) -> str:
    return "$" + re.sub("[^a-z0-9_]", "_", word[1:].lower())


def misplaced_list(leaf: Comparison) -> Unread | None:
    """The mistake that a comparison names a list in a form that nothing reads: `eq $offices`,
    `in {$offices}`, `in offices`; None if it does not."""
    is_alone = leaf.operator == "in" and not leaf.in_braces
    for token in leaf.operands:
        if token.kind != WORD:
            continue
        text = token.text
        if text.startswith("$") and not is_alone:
            is_negated = leaf.operator == "ne"
            write = f"not {leaf.field.replace(' ', '')} in {text}" if is_negated else f"in {text}"
            problem = f"{quoted(text)} is a list, which stands alone behind in"
            return Unread(f"{problem}; write {write}", at=token.start)
        if text.startswith("$") and not LIST_NAME.fullmatch(text):
            form = "the name of a list has small letters, digits and _ alone"
            problem = f"there is no list {quoted(text)}, since {form}"
            return Unread(f"{problem}; write in {_name_of_list(text)}", at=token.start)
        if is_alone and LIST.fullmatch(f"${text}") and not is_number(text):
            problem = f"'in' takes a list or a set in braces; write in ${text} for a list"
            return Unread(problem, at=token.start)
    return None


MOST_SPELT_OUT = 1000  # a longer list stays a name


def lists_in(*expressions: str) -> list[str]:
    """The names of the lists of the account that expressions refer to."""
    names: dict[str, None] = {}
    for expression in expressions:
        for token in _references(expression):
            names[token.text[1:]] = None
    return list(names)


def list_uses(expression: str) -> list[Comparison]:
    """The comparisons that ask whether a value is in a list of the account; none of an expression
    that cannot be read."""
    if not _references(expression):
        return []
    try:
        compared = [leaf for leaf in leaves(parse(expression)) if leaf.operator == "in"]
    except Unread:
        return []
    with_operands = [leaf for leaf in compared if leaf.operands]
    return [leaf for leaf in with_operands if LIST.fullmatch(leaf.operands[0].text)]


def with_contents(expression: str, lists: Mapping[str, Contents]) -> str:
    """The expression with the known contents of lists in the place of their names. A long list
    stays a name, and so does one of hostnames if the comparison has another form."""
    uses = {leaf.operands[0].start: leaf for leaf in list_uses(expression)} if lists else {}
    for token in reversed(_references(expression) if lists else ()):
        contents, end = lists.get(token.text[1:]), token.start + len(token.text)
        if contents is None or contents.size > MOST_SPELT_OUT:
            continue
        start, text = token.start, f"{{{' '.join(contents.written())}}}"
        if contents.hostnames:
            if start not in uses:
                continue
            start, text = uses[start].start, _comparison_with_hostnames(uses[start].field, contents)
        expression = f"{expression[:start]}{text}{expression[end:]}"
    return expression


def _comparison_with_hostnames(field: str, contents: Contents) -> str:
    """The comparison of a field with hostnames, some with a wildcard in front."""
    texts = [json.dumps(name) for name in contents.written()]
    exact = " ".join(text for text in texts if not text.startswith(f'"{ANY_LABEL}'))
    wild = [f"{field} wildcard {text}" for text in texts if text.startswith(f'"{ANY_LABEL}')]
    return f"({' or '.join([f'{field} in {{{exact}}}', *wild])})"


def _references(expression: str) -> Sequence[Token]:
    if "$" not in expression:
        return ()
    try:
        tokens = tokens_of(expression)
    except Unread:
        return ()
    return [token for token in tokens if token.kind == WORD and LIST.fullmatch(token.text)]
