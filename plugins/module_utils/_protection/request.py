# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request or the packet of an expectation: its keys, and the fields of the Rules language that
they give; or the expression of all that it is about.

The vendor describes the fields in "Rules language: fields". What a request does not give is not
known, and its path and query are those that the rules see after "URL normalization".
"""

from __future__ import annotations

import ipaddress
import re
from difflib import get_close_matches
from typing import AbstractSet, Any, Callable, Mapping, NamedTuple, Sequence

from .._arguments import Argument, read_value
from .._errors import OptionError, OptionProblems, parsed
from .._expressions.examination import PACKET_EXPRESSION, RULE_EXPRESSION
from .._expressions.expression import COUNTRY_OF_EITHER_END, COUNTRY_OF_END, Expression
from .._expressions.fields import NEAR, is_known_field
from .._expressions.networks_and_ports import HIGHEST_PORT
from .._expressions.operands import MISSING, Fields, FieldValue, Items, Pairs
from .._expressions.solve import Diagrams
from .._schema.account import TCP_KINDS
from .._text import Option, Unread, quoted
from .._values.address_set import Address
from .._values.hostnames import in_punycode
from .._vendor.fields import KNOWN_FIELDS, PACKET_FIELDS
from .._vendor.texts import CONTINENTS
from .traffic_sets import diagrams_of

FORMER, PRESENT = "ip.geoip.", "ip.src."  # names of one field: ip.geoip.country, ip.src.country
MOST_NEAR_NAMES = 3
NOTHING_MATCHES = "nothing matches the expression, so that it expects nothing"


class FieldNames(NamedTuple):
    """The known fields of requests or packets (`whose` says which), and for each field that a key
    gives the name of that key."""

    whose: str
    known: AbstractSet[str]
    keys: Mapping[str, str]


class DescribedKey(NamedTuple):
    """A key by which a user describes a request or packet: the function that reads its value, and
    the fields that it gives."""

    read: Callable[[Option, Any], Any]
    fields: Sequence[str] = ()


def read_keys(
    problems: OptionProblems,
    option: Option,
    described: Mapping[str, Any],
    keys: Mapping[str, DescribedKey],
) -> dict[str, Any]:
    """The parsed values in the description of a request or packet, by key; errors are added to
    `problems`."""
    values: dict[str, Any] = {}
    of_key: Argument = {"type": "raw"}
    fields: Argument = {"type": "dict", "options": dict.fromkeys(keys, of_key)}
    read_value(option, fields, described, problems)
    for key in filter(keys.__contains__, described):
        with problems.collected():
            values[key] = keys[key].read(option.at(key), described[key])
    return values


def read_fields(option: Option, value: Any, names: FieldNames) -> dict[str, FieldValue]:
    """The values of fields by name, each also under the former or present name of its field; raises
    OptionError."""
    if not isinstance(value, Mapping):
        raise OptionError(option, f"{value!r} is no dictionary")
    fields: dict[str, FieldValue] = {}
    problems = OptionProblems()
    for key, content in value.items():
        name = str(key)
        with problems.collected():
            _check_name(option, name, names)
            aliases = _aliases(name, names)
            for alias in aliases:
                if alias in value:
                    raise OptionError(option.at(name), f"it is the field {alias}; give either")
            field = field_value(option.at(name), content)
            fields.update(dict.fromkeys([name, *aliases], field))
    problems.raise_any()
    return fields


def _check_name(option: Option, name: str, names: FieldNames) -> None:
    if name in names.keys:
        raise OptionError(option.at(name), f"give it as {names.keys[name]}")
    if is_known_field(name, names.known):
        return
    problem = f"{quoted(name)} is no field of {names.whose} that this collection knows"
    nearest = get_close_matches(name.lower(), names.known, MOST_NEAR_NAMES, NEAR)
    if nearest:
        problem += f"; the nearest are {', '.join(nearest)}"
    raise OptionError(option, problem)


def _aliases(name: str, names: FieldNames) -> list[str]:
    """The former name of a field that has a present name, or the reverse; empty if the field has
    one name."""
    aliases = []
    for prefix, alias_prefix in ((FORMER, PRESENT), (PRESENT, FORMER)):
        if name.startswith(prefix):
            aliases.append(alias_prefix + name[len(prefix) :])
    return [alias for alias in aliases if alias in names.known]


def field_value(option: Option, value: Any) -> FieldValue:
    """The value of a field, in the type that evaluation uses for it; raises OptionError."""
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        elements = [field_value(option.at(index), item) for index, item in enumerate(value)]
        return Items(tuple(elements))
    if isinstance(value, Mapping):
        pairs = {}
        for key, content in value.items():
            name = str(key)
            option_of_pair = option.at(name)
            pairs[name.encode()] = field_value(option_of_pair, content)
        return Pairs(pairs)
    raise OptionError(option, f"{value!r} is no value of a field")


URI_PATH = re.compile(r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*", re.ASCII)
QUERY = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*", re.ASCII)
NORMALISED_AWAY = re.compile(
    r"//|/\.{1,2}(?:/|$)|%(?:2D|2E|5F|7E|3[0-9]|4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A])", re.ASCII
)
METHOD = re.compile(r"[A-Z]+(?:-[A-Z]+)*", re.ASCII)
HOST_PATTERN = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*", re.ASCII)
COUNTRY = re.compile(r"[A-Z][A-Z0-9]", re.ASCII)
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
SCHEMES = ("http", "https")
HEADERS_OF_KEYS = {  # they are given by a key of their own
    "host": "host",
    "user_agent": "user-agent",
    "referer": "referer",
    "cookies": "cookie",
}
ARGUMENT_FIELDS = ["http.request.uri.args" + end for end in ("", ".names", ".values")]


def read_text(option: Option, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise OptionError(option, f"{value!r} is no text")
    return str(value)


def matching(pattern: re.Pattern[str], problem: str) -> Callable[[Option, Any], bytes]:
    def read(option: Option, value: Any) -> bytes:
        text = read_text(option, value)
        if not pattern.fullmatch(text):
            raise OptionError(option, f"'{text}' {problem}")
        return text.encode()

    return read


def choice_of(choices: Sequence[str]) -> Callable[[Option, Any], bytes]:
    def read(option: Option, value: Any) -> bytes:
        if value not in choices:
            raise OptionError(option, f"'{value}' is not one of {', '.join(choices)}")
        return str(value).encode()

    return read


def read_address(option: Option, value: Any) -> Any:
    """The address that a user wrote; raises OptionError."""
    try:
        address = ipaddress.ip_address(read_text(option, value).strip())
    except ValueError as exc:
        raise OptionError(option, f"'{value}' is no address") from exc
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:
        raise OptionError(option, f"Cloudflare sees '{value}' as {mapped}; write {mapped}")
    return address


def _path(option: Option, value: Any) -> bytes:
    text = read_text(option, value)
    if "?" in text:
        raise OptionError(option, f"'{text}' has a query; give path and query, or uri")
    if not URI_PATH.fullmatch(text) or NORMALISED_AWAY.search(text):
        raise OptionError(
            option,
            f"'{text}' is no path as rules see it after URL normalization: it begins with /, has no"
            " empty, '.' or '..' part, and escapes only what needs it, in capitals such as %2F",
        )
    return text.encode()


def _uri(option: Option, value: Any) -> tuple[bytes, bytes]:
    path, mark, query = read_text(option, value).partition("?")
    if mark and not query:
        raise OptionError(option, f"'{value}' ends with a '?' and no query")
    return _path(option, path), _query(option, query)


def _host(option: Option, value: Any) -> bytes:
    """The host as requests have it, with letters beyond ASCII in Punycode."""
    text = read_text(option, value)
    host = in_punycode(text)
    if text != text.lower() or not HOST_PATTERN.fullmatch(host):
        raise OptionError(option, f"'{text}' is no host; write it in lower case, without a port")
    return host.encode()


_query = matching(QUERY, "is no query as it is sent: escape spaces and such as %20")


def _as_number(option: Option, value: Any) -> int:
    text = read_text(option, value)
    if not re.fullmatch(r"[0-9]{1,10}", text, re.ASCII):
        raise OptionError(option, f"'{text}' is no number")
    return int(text)


def _any_text(option: Option, value: Any) -> bytes:
    return read_text(option, value).encode()


def _texts_by_name(option: Option, value: Any) -> dict[str, list[bytes]]:
    """The lists of texts in a dictionary, by name; a single text becomes a list."""
    if not isinstance(value, Mapping):
        raise OptionError(option, f"{value!r} is no dictionary")
    texts: dict[str, list[bytes]] = {}
    for key, content in value.items():
        name = str(key)
        contents = content if isinstance(content, list) else [content]
        texts[name] = [_any_text(option.at(name), text) for text in contents]
    return texts


def _headers(option: Option, value: Any) -> dict[str, list[bytes]]:
    headers = _texts_by_name(option, value)
    keys = {header: key for key, header in HEADERS_OF_KEYS.items()}
    spellings: dict[str, str] = {}
    for name in headers:
        if not HEADER_NAME.fullmatch(name):
            raise OptionError(option, f"'{name}' is no name of a header")
        key = keys.get(name.lower())
        if key:
            raise OptionError(option.at(name), f"give it as {key}")
        spelling = spellings.setdefault(name.lower(), name)
        if spelling != name:
            problem = f"it is the header {spelling}; give its values as a list"
            raise OptionError(option.at(name), problem)
    return headers


def _with_raw(*names: str) -> Sequence[str]:
    """The names of fields, and those of the same fields before normalization, which have equal
    values here."""
    fields = []
    for name in names:
        fields += [name, f"raw.{name}"]
    return fields


def _key_of_field(keys: Mapping[str, DescribedKey]) -> dict[str, str]:
    """For each field that a key gives, the name of that key."""
    key_of_field = {}
    for key, described in keys.items():
        key_of_field.update(dict.fromkeys(described.fields, key))
    return key_of_field


REQUEST_KEYS: Mapping[str, DescribedKey] = {
    "source": DescribedKey(read_address, ["ip.src"]),
    "method": DescribedKey(
        matching(METHOD, "is no method; write it in capitals"), ["http.request.method"]
    ),
    "scheme": DescribedKey(choice_of(SCHEMES), ["ssl"]),
    "host": DescribedKey(_host, ["http.host"]),
    "path": DescribedKey(_path, _with_raw("http.request.uri.path")),
    "query": DescribedKey(_query, _with_raw("http.request.uri.query", *ARGUMENT_FIELDS)),
    "uri": DescribedKey(_uri, [*_with_raw("http.request.uri"), "http.request.full_uri"]),
    "country": DescribedKey(
        matching(COUNTRY, "is no code of a country such as DE, in capitals"),
        ["ip.src.country", "ip.geoip.country"],
    ),
    "continent": DescribedKey(choice_of(CONTINENTS), ["ip.src.continent", "ip.geoip.continent"]),
    "asn": DescribedKey(_as_number, ["ip.src.asnum", "ip.geoip.asnum"]),
    "user_agent": DescribedKey(_any_text, ["http.user_agent"]),
    "referer": DescribedKey(_any_text, ["http.referer"]),
    "cookies": DescribedKey(_texts_by_name, ["http.cookie", "http.request.cookies"]),
    "headers": DescribedKey(
        _headers, ["http.request.headers" + end for end in ("", ".names", ".values")]
    ),
    "tls_version": DescribedKey(_any_text, ["cf.tls_version"]),
    "tls_cipher": DescribedKey(_any_text, ["cf.tls_cipher"]),
    "fields": DescribedKey(lambda option, value: read_fields(option, value, REQUEST_NAMES)),
}
REQUEST_KEY_OF_FIELD = _key_of_field(REQUEST_KEYS)
COMPOSED_KEYS = ("scheme", "query", "cookies", "headers")  # whose fields are made of their values
REQUEST_NAMES: FieldNames = FieldNames("requests", KNOWN_FIELDS, REQUEST_KEY_OF_FIELD)


def parse_request(option: Option, request: Mapping[str, Any]) -> Fields:
    """The fields of the request that an option describes; raises OptionError."""
    problems = OptionProblems()
    empty = [key for key in request if key in REQUEST_KEYS and request[key] is None]
    for key in empty:
        with problems.collected():
            raise OptionError(option.at(key), "it has no value")
    described = {key: value for key, value in request.items() if key not in empty}
    values = read_keys(problems, option, described, REQUEST_KEYS)
    with problems.collected():
        if "uri" in request and ("path" in request or "query" in request):
            raise OptionError(option.at("uri"), "it says what path and query say; give either")
    problems.raise_any()
    if not values:
        raise OptionError(option, "it gives nothing of the request")
    return Fields(request_fields(values), keys=REQUEST_KEY_OF_FIELD)


def request_fields(values: dict[str, Any]) -> dict[str, FieldValue]:
    """The fields of a request, from its values by key; removes `uri` from `values` and splits
    it."""
    if "uri" in values:
        values["path"], values["query"] = values.pop("uri")
    fields: dict[str, FieldValue] = dict(values.pop("fields", {}))
    for key, value in values.items():
        if key not in COMPOSED_KEYS:
            fields.update(dict.fromkeys(REQUEST_KEYS[key].fields, value))
    if "scheme" in values:
        fields["ssl"] = values["scheme"] == b"https"
    fields.update(_uri_fields(values))
    if "cookies" in values:
        cookies = values["cookies"]
        fields["http.cookie"] = _cookie_header(cookies)
        fields["http.request.cookies"] = _pairs(cookies)
    if "headers" in values:
        fields.update(_header_fields(values))
    return fields


def _uri_fields(values: Mapping[str, Any]) -> dict[str, FieldValue]:
    if "query" not in values:
        return {}
    query = values["query"]
    fields = {**_with_raw_field("http.request.uri.query", query), **_argument_fields(query)}
    if "path" in values:
        uri = values["path"] + (b"?" + query if query else b"")
        fields.update(_with_raw_field("http.request.uri", uri))
        if "scheme" in values and "host" in values:
            fields["http.request.full_uri"] = b"%s://%s%s" % (values["scheme"], values["host"], uri)
    return fields


def _with_raw_field(name: str, value: FieldValue) -> dict[str, FieldValue]:
    return dict.fromkeys(_with_raw(name), value)


def _pairs(texts: Mapping[str, Sequence[bytes]]) -> Pairs:
    """Lists of texts by name, as the value of a field."""
    return Pairs({name.encode(): Items(tuple(values)) for name, values in texts.items()})


def _argument_fields(query: bytes) -> dict[str, FieldValue]:
    """The fields of the arguments in a query; an argument without `=` is not documented by the
    vendor."""
    names: list[bytes] = []
    values: list[bytes] = []
    by_name: dict[bytes, list[bytes]] = {}
    for argument in query.split(b"&") if query else ():
        name, mark, value = argument.partition(b"=")
        if not name or not mark:
            return {}
        names.append(name)
        values.append(value)
        by_name.setdefault(name, []).append(value)
    pairs = Pairs({name: Items(tuple(contents)) for name, contents in by_name.items()})
    return {
        **_with_raw_field("http.request.uri.args", pairs),
        **_with_raw_field("http.request.uri.args.names", Items(tuple(names))),
        **_with_raw_field("http.request.uri.args.values", Items(tuple(values))),
    }


def _cookie_header(cookies: Mapping[str, list[bytes]]) -> bytes:
    pairs = []
    for name, values in cookies.items():
        pairs += [name.encode() + b"=" + value for value in values]
    return b"; ".join(pairs)


def _header_fields(values: Mapping[str, Any]) -> dict[str, FieldValue]:
    """The fields of the headers in `values`, including those that other keys give. Further headers
    with the same names are not known."""
    headers: dict[bytes, Items] = {}
    for written_name, texts in values["headers"].items():
        header_name = written_name.lower().encode()
        headers[header_name] = Items(tuple(texts))
    unknown: list[bytes] = []
    for key, name in HEADERS_OF_KEYS.items():
        text = _header_text(key, values)
        if text:
            headers[name.encode()] = Items((text,))
        elif key != "cookies" or text is None:
            unknown.append(name.encode())
    contents: list[FieldValue] = []
    for header in headers.values():
        contents += header.values
    absent = tuple(unknown)
    return {
        "http.request.headers": Pairs(headers, absent),
        "http.request.headers.names": Items(tuple(headers), True, absent, False),
        "http.request.headers.values": Items(tuple(contents), not unknown, (), False),
    }


def _header_text(key: str, values: Mapping[str, Any]) -> bytes | None:
    """The text of the header that a key gives; None if the request does not have the key."""
    value: Any = values.get(key)
    if key == "cookies" and value is not None:
        return _cookie_header(value)
    text: bytes | None = value
    return text


PORT_KEYS = ("destination_port", "source_port")  # TCP's, unless the packet is of another protocol
PROTOCOL_FIELD = "ip.proto"
PROTOCOLS = ("tcp", "udp")
DNS, DNS_PORT = "dns", 53
PLACE_CODE = re.compile(r"[A-Za-z]{2,4}[0-9]{0,2}", re.ASCII)


def _port(option: Option, value: Any) -> int:
    text = "" if isinstance(value, bool) else str(value)
    if not re.fullmatch(r"[0-9]{1,5}", text, re.ASCII) or int(text) > HIGHEST_PORT:
        raise OptionError(option, f"'{value}' is no port")
    return int(text)


PACKET_KEYS: Mapping[str, DescribedKey] = {
    "destination": DescribedKey(read_address, ["ip.dst"]),
    "destination_port": DescribedKey(_port, ["tcp.dstport"]),
    "source": DescribedKey(read_address, ["ip.src"]),
    "source_port": DescribedKey(_port, ["tcp.srcport"]),
    "protocol": DescribedKey(choice_of(PROTOCOLS), [PROTOCOL_FIELD]),
    "data_center": DescribedKey(matching(PLACE_CODE, "is no code of a data center")),
    "region": DescribedKey(matching(PLACE_CODE, "is no code of a region")),
    "fields": DescribedKey(lambda option, value: read_fields(option, value, NAMES_OF_PACKETS)),
}
PACKET_KEY_OF_FIELD = {
    **_key_of_field(PACKET_KEYS),
    "udp.dstport": "destination_port and protocol: udp",
    "udp.srcport": "source_port and protocol: udp",
}
NAMES_OF_PACKETS: FieldNames = FieldNames(
    "packets",
    PACKET_FIELDS - {COUNTRY_OF_EITHER_END},
    {
        COUNTRY_OF_EITHER_END: " and ".join(COUNTRY_OF_END),
        **{field: key for field, key in PACKET_KEY_OF_FIELD.items() if field != PROTOCOL_FIELD},
    },
)


class Packet(NamedTuple):
    """A packet to a destination; a value of None is not known. `fields` are its known fields. If
    ports are given and no protocol, these are the fields of a TCP packet, and `either` contains the
    fields for each protocol."""

    destination: Address
    fields: Fields
    source: Address | None = None
    destination_port: int | None = None
    protocol: str | None = None
    data_center: str | None = None
    region: str | None = None
    either: Mapping[str, Fields] = {}

    def seen_by(self, component: str) -> Sequence[Fields]:
        """The sets of fields that the Network Firewall may see of the packet, if the packet is
        meant for this component; an empty name stands for any packet."""
        if component in TCP_KINDS or not self.either:
            return [self.fields]
        of_udp = self.either.get("udp") if component == DNS else None
        return [of_udp] if of_udp else list(self.either.values())

    @property
    def components(self) -> Sequence[str]:
        """The names of the components that check such a packet."""
        seen = list(TCP_KINDS) if self.protocol in (None, "tcp") else []
        is_dns = self.destination_port == DNS_PORT and self.protocol in (None, "udp")
        return [*seen, DNS] if is_dns else seen


def parse_packet(option: Option, packet: Mapping[str, Any]) -> Packet:
    """The packet that an option describes; raises OptionError."""
    problems = OptionProblems()
    values = read_keys(problems, option, packet, PACKET_KEYS)
    with problems.collected():
        if "destination" not in packet:
            raise OptionError(option, "it lacks destination")
    problems.raise_any()
    for key in ("protocol", "data_center", "region"):
        if key in values:
            values[key] = values[key].decode().casefold()
    _check_families(option, values)
    _take_protocol(option, values)
    fields = Fields(_packet_fields(values), keys=PACKET_KEY_OF_FIELD)
    either = _in_each_protocol(values)
    described = {
        key: value for key, value in values.items() if key not in ("source_port", "fields")
    }
    return Packet(fields=fields, either=either, **described)


def _take_protocol(option: Option, values: dict[str, Any]) -> None:
    """Move the protocol of a packet that is neither TCP nor UDP from the `fields` in `values` to
    its `protocol`; raises OptionError."""
    fields = values.get("fields") or {}
    if PROTOCOL_FIELD not in fields:
        return
    path = option.at("fields", PROTOCOL_FIELD)
    value = fields.pop(PROTOCOL_FIELD)
    protocol = value.decode() if isinstance(value, bytes) else ""
    if "protocol" in values or protocol in PROTOCOLS:
        raise OptionError(path, "give it as protocol")
    if not protocol:
        raise OptionError(path, "it is no text such as icmp")
    for key in PORT_KEYS:
        if key in values:
            raise OptionError(option.at(key), f"a packet of the protocol {protocol} has no port")
    values["protocol"] = protocol


def _in_each_protocol(values: Mapping[str, Any]) -> dict[str, Fields]:
    """The fields of a packet for each protocol that it may have; empty if the protocol is given, or
    makes no difference."""
    if "protocol" in values or not any(key in values for key in PORT_KEYS):
        return {}
    return {
        name: Fields(_packet_fields({**values, "protocol": name}), keys=PACKET_KEY_OF_FIELD)
        for name in PROTOCOLS
    }


def _packet_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """The known fields of a packet; the ports of other protocols are marked as missing."""
    protocol = values.get("protocol")
    fields: dict[str, Any] = dict(values.get("fields") or {})
    for key, described in PACKET_KEYS.items():
        for name in described.fields:
            if key in PORT_KEYS:
                fields.update(_port_fields(name, values.get(key), protocol))
            elif key in values:
                fields[name] = values[key]
    if protocol:
        fields[PROTOCOL_FIELD] = protocol.encode()
    return fields


def _port_fields(name: str, port: int | None, protocol: str | None) -> dict[str, Any]:
    """The fields of a port in each protocol, from `name`, its field in TCP. None means that the
    port, or the protocol, is not known."""
    fields: dict[str, Any] = {}
    if protocol:
        without_port = [missing for missing in PROTOCOLS if missing != protocol]
        fields = {name.replace("tcp", missing): MISSING for missing in without_port}
    if port is not None:
        fields[name.replace("tcp", protocol or "tcp")] = port
    return fields


def _check_families(option: Option, values: Mapping[str, Any]) -> None:
    source, destination = values.get("source"), values["destination"]
    if source is not None and source.version != destination.version:
        raise OptionError(option, f"{source} sends no packet to {destination}, of another family")


def parse_every(option: Option, text: Any, of_packets: bool) -> Expression:
    """The expression of the requests or packets that an expectation is about; raises OptionError,
    also if no traffic can match it."""
    value = PACKET_EXPRESSION if of_packets else RULE_EXPRESSION
    expression = Expression.of(parsed(option, value.parse, text))
    parsed(option, value.examine, expression.text)
    if of_packets:
        expression = expression.of_packets()
    if _matches_nothing(expression, of_packets):
        raise OptionError(option, NOTHING_MATCHES)
    return expression


def _matches_nothing(expression: Expression, of_packets: bool) -> bool:
    """Return whether no traffic matches an expression, whatever the lists contain that it refers
    to."""
    diagrams = diagrams_of({}, [expression])
    try:
        traffic = diagrams.matching(expression)
        if of_packets:
            traffic = diagrams.combined("and", [traffic, diagrams.possible(), *diagrams.facts()])
    except Unread:
        return False
    return traffic == Diagrams.nothing
