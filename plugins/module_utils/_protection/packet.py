# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The packet of an expectation: its keys, and the components that see it."""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple, Sequence

from .._errors import OptionError, OptionProblems
from .._expressions.fields import HIGHEST_PORT, PACKET_FIELDS
from .._expressions.operands import MISSING, Address, Fields
from .._schema.account import TCP_KINDS
from .._text import Option
from .request import (
    DescribedKey,
    FieldNames,
    choice_of,
    matching,
    read_address,
    read_fields,
    read_keys,
)

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


def _fields_by_name(option: Option, value: Any) -> dict[str, Any]:
    return read_fields(option, value, NAMES_OF_PACKETS)


PACKET_KEYS: Mapping[str, DescribedKey] = {
    "destination": DescribedKey(read_address, ["ip.dst"]),
    "destination_port": DescribedKey(_port, ["tcp.dstport"]),
    "source": DescribedKey(read_address, ["ip.src"]),
    "source_port": DescribedKey(_port, ["tcp.srcport"]),
    "protocol": DescribedKey(choice_of(PROTOCOLS), [PROTOCOL_FIELD]),
    "data_center": DescribedKey(matching(PLACE_CODE, "is no code of a data center")),
    "region": DescribedKey(matching(PLACE_CODE, "is no code of a region")),
    "fields": DescribedKey(_fields_by_name),
}
PACKET_KEY_OF_FIELD = {
    **{field: key for key, item in PACKET_KEYS.items() for field in item.fields},
    "udp.dstport": "destination_port and protocol: udp",
    "udp.srcport": "source_port and protocol: udp",
}
NAMES_OF_PACKETS = FieldNames(
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
    values = read_keys(problems, option, packet, "packet", PACKET_KEYS)
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
