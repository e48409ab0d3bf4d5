# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request or the packet of an expectation: its keys, and the fields of the Rules language that
they give.

The vendor describes the fields in "Rules language: fields". What a request does not give is not
known, and its path and query are those that the rules see after "URL normalization".
"""

from __future__ import annotations

import ipaddress
import re
from difflib import get_close_matches
from typing import AbstractSet, Any, Callable, Mapping, NamedTuple, Sequence

from .._arguments import Argument, read_value
from .._errors import OptionError, OptionProblems
from .._expressions.fields import HIGHEST_PORT, KNOWN_FIELDS, NEAR, PACKET_FIELDS, is_known_field
from .._expressions.grammar import quoted
from .._expressions.operands import MISSING, Address, Fields, FieldValue, Items, Pairs
from .._schema.account import TCP_KINDS
from .._text import Option

FORMER, PRESENT = "ip.geoip.", "ip.src."  # names of one field: ip.geoip.country, ip.src.country
MOST_NAMES = 3


class FieldNames(NamedTuple):
    """The fields of requests, or of packets: those that are known, and the keys that give some."""

    whose: str
    known: AbstractSet[str]
    keys: Mapping[str, str]


class DescribedKey(NamedTuple):
    """A key of a request or a packet: it reads a value, and gives fields."""

    read: Callable[[Option, Any], Any]
    fields: Sequence[str] = ()


def read_keys(
    problems: OptionProblems,
    option: Option,
    described: Mapping[str, Any],
    keys: Mapping[str, DescribedKey],
) -> dict[str, Any]:
    """The values of a request or packet by key."""
    values: dict[str, Any] = {}
    of_key: Argument = {"type": "raw"}
    fields: Argument = {"type": "dict", "options": dict.fromkeys(keys, of_key)}
    read_value(option, fields, described, problems)
    for key in filter(keys.__contains__, described):
        with problems.collected():
            values[key] = keys[key].read(option.at(key), described[key])
    return values


def read_fields(option: Option, value: Any, names: FieldNames) -> dict[str, FieldValue]:
    """Values of fields by their names, former names included; raises OptionError."""
    if not isinstance(value, Mapping):
        raise OptionError(option, f"{value!r} is no dictionary")
    values: dict[str, FieldValue] = {}
    problems = OptionProblems()
    for name, item in value.items():
        with problems.collected():
            _check_name(option, str(name), names)
            others = _other_names(str(name), names)
            for other in others:
                if other in value:
                    raise OptionError(option.at(str(name)), f"it is the field {other}; give either")
            values.update(
                dict.fromkeys([str(name), *others], field_value(option.at(str(name)), item))
            )
    problems.raise_any()
    return values


def _check_name(option: Option, name: str, names: FieldNames) -> None:
    if name in names.keys:
        raise OptionError(option.at(name), f"give it as {names.keys[name]}")
    if not is_known_field(name, names.known):
        near = get_close_matches(name.lower(), names.known, MOST_NAMES, NEAR)
        hint = f"; the nearest are {', '.join(near)}" if near else ""
        raise OptionError(
            option, f"{quoted(name)} is no field of {names.whose} that this collection knows{hint}"
        )


def _other_names(name: str, names: FieldNames) -> list[str]:
    """The former name of a field, or its present one."""
    pairs = ((FORMER, PRESENT), (PRESENT, FORMER))
    others = [other + name[len(one) :] for one, other in pairs if name.startswith(one)]
    return [other for other in others if other in names.known]


def field_value(option: Option, value: Any) -> FieldValue:
    """A value of any field, by its kind in the options; raises OptionError."""
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return Items(tuple(field_value(option.at(index), item) for index, item in enumerate(value)))
    if isinstance(value, Mapping):
        named = {str(name): item for name, item in value.items()}
        pairs = {name: field_value(option.at(name), item) for name, item in named.items()}
        return Pairs({name.encode(): item for name, item in pairs.items()})
    raise OptionError(option, f"{value!r} is no value of a field")


URI_PATH = re.compile(r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*", re.ASCII)
QUERY = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*", re.ASCII)
NORMALISED_AWAY = re.compile(
    r"//|/\.{1,2}(?:/|$)|%(?:2D|2E|5F|7E|3[0-9]|4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A])", re.ASCII
)
METHOD = re.compile(r"[A-Z]+(?:-[A-Z]+)*", re.ASCII)
HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*", re.ASCII)
COUNTRY = re.compile(r"[A-Z][A-Z0-9]", re.ASCII)
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
SCHEMES = ("http", "https")
CONTINENTS = ("AF", "AN", "AS", "EU", "NA", "OC", "SA", "T1")
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
    """An address; raises OptionError."""
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


_query = matching(QUERY, "is no query as it is sent: escape spaces and such as %20")


def _as_number(option: Option, value: Any) -> int:
    text = read_text(option, value)
    if not re.fullmatch(r"[0-9]{1,10}", text, re.ASCII):
        raise OptionError(option, f"'{text}' is no number")
    return int(text)


def _any_text(option: Option, value: Any) -> bytes:
    return read_text(option, value).encode()


def _texts_by_name(option: Option, value: Any) -> dict[str, list[bytes]]:
    """A dictionary of texts, or of lists of texts."""
    if not isinstance(value, Mapping):
        raise OptionError(option, f"{value!r} is no dictionary")
    named = {str(name): one if isinstance(one, list) else [one] for name, one in value.items()}
    return {
        name: [_any_text(option.at(name), item) for item in items] for name, items in named.items()
    }


def _headers(option: Option, value: Any) -> dict[str, list[bytes]]:
    headers = _texts_by_name(option, value)
    keys = {header: key for key, header in HEADERS_OF_KEYS.items()}
    others: dict[str, str] = {}
    for name in headers:
        if not HEADER_NAME.fullmatch(name):
            raise OptionError(option, f"'{name}' is no name of a header")
        if name.lower() in keys:
            raise OptionError(option.at(name), f"give it as {keys[name.lower()]}")
        other = others.setdefault(name.lower(), name)
        if other != name:
            problem = f"it is the header {other}; give its values as a list"
            raise OptionError(option.at(name), problem)
    return headers


def _with_raw(*names: str) -> Sequence[str]:
    """Fields, and those before the normalization, which leaves them alone."""
    return [start + name for name in names for start in ("", "raw.")]


REQUEST_KEYS: Mapping[str, DescribedKey] = {
    "source": DescribedKey(read_address, ["ip.src"]),
    "method": DescribedKey(
        matching(METHOD, "is no method; write it in capitals"), ["http.request.method"]
    ),
    "scheme": DescribedKey(choice_of(SCHEMES), ["ssl"]),
    "host": DescribedKey(
        matching(HOST, "is no host; write it in lower case, without a port"), ["http.host"]
    ),
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
REQUEST_KEY_OF_FIELD = {field: key for key, item in REQUEST_KEYS.items() for field in item.fields}
REQUEST_NAMES: FieldNames = FieldNames("requests", KNOWN_FIELDS, REQUEST_KEY_OF_FIELD)


def parse_request(option: Option, request: Mapping[str, Any]) -> Fields:
    """The fields of a request; raises OptionError."""
    problems = OptionProblems()
    empty = [key for key in request if key in REQUEST_KEYS and request[key] is None]
    for key in empty:
        with problems.collected():
            raise OptionError(option.at(key), "it has no value")
    rest = {key: value for key, value in request.items() if key not in empty}
    values = read_keys(problems, option, rest, REQUEST_KEYS)
    with problems.collected():
        if "uri" in request and ("path" in request or "query" in request):
            raise OptionError(option.at("uri"), "it says what path and query say; give either")
    problems.raise_any()
    if not values:
        raise OptionError(option, "it gives nothing of the request")
    return Fields(request_fields(values), keys=REQUEST_KEY_OF_FIELD)


def request_fields(values: dict[str, Any]) -> dict[str, FieldValue]:
    if "uri" in values:
        values["path"], values["query"] = values.pop("uri")
    fields: dict[str, FieldValue] = dict(values.pop("fields", {}))
    for key, value in values.items():
        if key not in ("scheme", "query", "cookies", "headers"):
            fields.update(dict.fromkeys(REQUEST_KEYS[key].fields, value))
    if "scheme" in values:
        fields["ssl"] = values["scheme"] == b"https"
    fields.update(_uri_fields(values))
    if "cookies" in values:
        cookies = {name.encode(): Items(tuple(items)) for name, items in values["cookies"].items()}
        fields["http.cookie"] = _cookie_header(values["cookies"])
        fields["http.request.cookies"] = Pairs(cookies)
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


def _argument_fields(query: bytes) -> dict[str, FieldValue]:
    """The arguments of a query; the vendor does not say what becomes of one without `=`."""
    parts = [part.partition(b"=") for part in query.split(b"&")] if query else []
    if not all(name and mark for name, mark, _value in parts):
        return {}
    by_name: dict[bytes, list[bytes]] = {}
    for name, _mark, value in parts:
        by_name.setdefault(name, []).append(value)
    pairs = Pairs({name: Items(tuple(items)) for name, items in by_name.items()})
    return {
        **_with_raw_field("http.request.uri.args", pairs),
        **_with_raw_field("http.request.uri.args.names", Items(tuple(part[0] for part in parts))),
        **_with_raw_field("http.request.uri.args.values", Items(tuple(part[2] for part in parts))),
    }


def _cookie_header(cookies: Mapping[str, list[bytes]]) -> bytes:
    return b"; ".join(
        name.encode() + b"=" + item for name, items in cookies.items() for item in items
    )


def _header_fields(values: Mapping[str, Any]) -> dict[str, FieldValue]:
    """The headers that are given, and those that other keys give; it is not known whether the
    request has others of these."""
    headers: dict[bytes, FieldValue] = {
        name.lower().encode(): Items(tuple(items)) for name, items in values["headers"].items()
    }
    unknown = []
    for key, name in HEADERS_OF_KEYS.items():
        value = values.get(key)
        text = _cookie_header(value) if key == "cookies" and value is not None else value
        if text:
            headers[name.encode()] = Items((text,))
        elif key != "cookies" or text is None:
            unknown.append(name.encode())
    contents = tuple(item for items in headers.values() for item in items.values)
    return {
        "http.request.headers": Pairs(headers, tuple(unknown)),
        "http.request.headers.names": Items(tuple(headers), True, tuple(unknown), False),
        "http.request.headers.values": Items(contents, not unknown, (), False),
    }


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
    **{field: key for key, item in PACKET_KEYS.items() for field in item.fields},
    "udp.dstport": "destination_port and protocol: udp",
    "udp.srcport": "source_port and protocol: udp",
}
NAMES_OF_PACKETS: FieldNames = FieldNames(
    "packets",
    PACKET_FIELDS,
    {field: key for field, key in PACKET_KEY_OF_FIELD.items() if field != PROTOCOL_FIELD},
)


class Packet(NamedTuple):
    """A packet to a destination; what is None is not known. With ports and without a protocol, it
    is one of TCP for the components of TCP, and `either` says what it is in each protocol."""

    destination: Address
    fields: Fields
    source: Address | None = None
    destination_port: int | None = None
    protocol: str | None = None
    data_center: str | None = None
    region: str | None = None
    either: Mapping[str, Fields] = {}

    def seen_by(self, component: str) -> Sequence[Fields]:
        """The fields that the Network Firewall may see of a packet that is meant for a component,
        or of any packet."""
        if component in TCP_KINDS or not self.either:
            return [self.fields]
        own = self.either.get("udp") if component == DNS else None
        return [own] if own else list(self.either.values())

    @property
    def components(self) -> Sequence[str]:
        """The components that see such a packet."""
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
    known = _packet_fields(values)
    either = _in_each_protocol(values)
    values = {key: value for key, value in values.items() if key not in ("source_port", "fields")}
    return Packet(fields=Fields(known, keys=PACKET_KEY_OF_FIELD), either=either, **values)


def _take_protocol(option: Option, values: dict[str, Any]) -> None:
    """Make the protocol of a packet that is neither of TCP nor of UDP its protocol."""
    fields = values.get("fields") or {}
    if PROTOCOL_FIELD not in fields:
        return
    path, value = option.at("fields", PROTOCOL_FIELD), fields.pop(PROTOCOL_FIELD)
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
    """The fields in each protocol; nothing if it is given, or makes no difference."""
    if "protocol" in values or not any(key in values for key in PORT_KEYS):
        return {}
    return {
        name: Fields(_packet_fields({**values, "protocol": name}), keys=PACKET_KEY_OF_FIELD)
        for name in PROTOCOLS
    }


def _packet_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a packet that are known; the ports of another protocol are missing."""
    protocol = values.get("protocol")
    known: dict[str, Any] = dict(values.get("fields") or {})
    for key, item in PACKET_KEYS.items():
        for field in item.fields:
            own = field.replace("tcp", protocol or "tcp") if key in PORT_KEYS else field
            known.update({own: values[key]} if key in values else {})
            if protocol and key in PORT_KEYS:
                others = [name for name in PROTOCOLS if name != protocol]
                known.update({field.replace("tcp", name): MISSING for name in others})
    if protocol:
        known["ip.proto"] = protocol.encode()
    return known


def _check_families(option: Option, values: Mapping[str, Any]) -> None:
    source, destination = values.get("source"), values["destination"]
    if source is not None and source.version != destination.version:
        raise OptionError(option, f"{source} sends no packet to {destination}, of another family")
