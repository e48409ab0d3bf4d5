# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The vendor's expression engine, as npm's firewalker ships it for Linux on x86_64, called by ctypes.

`make engine` fetches the library. It is an engine of 2020; expressions that are younger are not read.
"""

from __future__ import annotations

import ctypes
import ipaddress
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from ansible_collections.edgeops.protection.plugins.module_utils._expressions.networks_and_ports import FILTER_FIELDS

LIBRARY = Path(__file__).parents[3] / ".cache/npm/firewalker/package/lib/libwirefilter_ffi.so"
TYPES = {"address": 0, "text": 1, "number": 2, "flag": 3}
ARRAY, MAP = "array", "map"  # of texts, and of arrays of texts
REQUEST_FIELDS = {
    "http.request.uri.path": "text",
    "http.host": "text",
    "http.request.method": "text",
    "http.user_agent": "text",
    "ip.src": "address",
    "cf.threat_score": "number",
    "ssl": "flag",
}
RICH_FIELDS = {
    **REQUEST_FIELDS,
    "http.request.uri": "text",
    "http.request.uri.query": "text",
    "http.cookie": "text",
    "ip.src.country": "text",
    "ip.src.asnum": "number",
    "http.request.headers": MAP,
    "http.request.headers.names": ARRAY,
    "http.request.cookies": MAP,
    "http.request.uri.args": MAP,
    "http.request.uri.args.values": ARRAY,
}
PACKET_FIELDS = {name: "number" if name.endswith("port") else "address" for name in FILTER_FIELDS}
Values = Mapping[str, object]


class _Text(ctypes.Structure):
    """A text or bytes of the caller."""

    _fields_ = (("data", ctypes.c_char_p), ("length", ctypes.c_size_t))


class _Type(ctypes.Structure):
    _fields_ = (("tag", ctypes.c_uint8), ("data", ctypes.c_void_p))


class _Result(ctypes.Structure):
    """Success with a pointer or a truth value, or failure with a message."""

    _fields_ = (
        ("success", ctypes.c_uint8),
        ("value", ctypes.c_uint8),
        ("pointer", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
    )


def _text(text: str | bytes) -> _Text:
    data = text.encode() if isinstance(text, str) else text
    return _Text(data, len(data))


@lru_cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(LIBRARY))
    pointer, result = ctypes.c_void_p, _Result
    signatures = {
        "wirefilter_create_scheme": (pointer, []),
        "wirefilter_add_type_field_to_scheme": (ctypes.c_bool, [pointer, _Text, _Type]),
        "wirefilter_parse_filter": (result, [pointer, _Text]),
        "wirefilter_free_parsing_result": (None, [result]),
        "wirefilter_compile_filter": (result, [pointer]),
        "wirefilter_free_compiled_filter": (None, [pointer]),
        "wirefilter_create_execution_context": (pointer, [pointer]),
        "wirefilter_free_execution_context": (None, [pointer]),
        "wirefilter_add_int_value_to_execution_context": (ctypes.c_bool, [pointer, _Text, ctypes.c_int32]),
        "wirefilter_add_bool_value_to_execution_context": (ctypes.c_bool, [pointer, _Text, ctypes.c_bool]),
        "wirefilter_add_bytes_value_to_execution_context": (ctypes.c_bool, [pointer, _Text, _Text]),
        "wirefilter_add_ipv4_value_to_execution_context": (ctypes.c_bool, [pointer, _Text, ctypes.c_char_p]),
        "wirefilter_add_ipv6_value_to_execution_context": (ctypes.c_bool, [pointer, _Text, ctypes.c_char_p]),
        "wirefilter_match": (result, [pointer, pointer]),
        "add_standard_functions": (None, [pointer]),
        "wirefilter_create_array_type": (_Type, [_Type]),
        "wirefilter_create_map_type": (_Type, [_Type]),
        "wirefilter_create_array": (pointer, [_Type]),
        "wirefilter_create_map": (pointer, [_Type]),
        "wirefilter_add_bytes_value_to_array": (ctypes.c_bool, [pointer, ctypes.c_uint32, _Text]),
        "wirefilter_add_array_value_to_map": (ctypes.c_bool, [pointer, _Text, pointer]),
        "wirefilter_add_array_value_to_execution_context": (ctypes.c_bool, [pointer, _Text, pointer]),
        "wirefilter_add_map_value_to_execution_context": (ctypes.c_bool, [pointer, _Text, pointer]),
    }
    for name, (restype, argtypes) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = restype, argtypes
    return library


def _type(kind: str) -> _Type:
    """The type of a kind of fields; the engine takes what it points to."""
    if kind == MAP:
        made: _Type = _library().wirefilter_create_map_type(_type(ARRAY))
    elif kind == ARRAY:
        made = _library().wirefilter_create_array_type(_type("text"))
    else:
        made = _Type(TYPES[kind], None)
    return made


class Engine:
    """The engine with the fields of requests or of packets, and the functions that firewalker adds to it; one for the
    whole run."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields
        self._scheme = _library().wirefilter_create_scheme()
        _library().add_standard_functions(self._scheme)
        for name, kind in fields.items():
            assert _library().wirefilter_add_type_field_to_scheme(self._scheme, _text(name), _type(kind))

    def decisions(self, expression: str, objects: Sequence[Values]) -> list[bool]:
        """For each request or packet whether it matches; raises SyntaxError with what the engine says."""
        library = _library()
        parsed = library.wirefilter_parse_filter(self._scheme, _text(expression))
        if not parsed.success:
            message = ctypes.string_at(parsed.pointer, parsed.length).decode()
            library.wirefilter_free_parsing_result(parsed)
            raise SyntaxError(message)
        compiled = library.wirefilter_compile_filter(parsed.pointer)
        assert compiled.success
        try:
            return [self._matches(compiled.pointer, values) for values in objects]
        finally:
            library.wirefilter_free_compiled_filter(compiled.pointer)

    def _matches(self, compiled: int, values: Values) -> bool:
        library = _library()
        context = library.wirefilter_create_execution_context(self._scheme)
        kept = []  # the engine does not copy texts
        try:
            for name, value in values.items():
                kept.append(self._add(context, name, value))
            result = library.wirefilter_match(compiled, context)
            assert result.success
            return bool(result.value)
        finally:
            library.wirefilter_free_execution_context(context)

    def _add(self, context: int, name: str, value: object) -> object:
        kind, library = self._fields[name], _library()
        if kind == "address":
            address = ipaddress.ip_address(str(value))
            add = getattr(library, f"wirefilter_add_ipv{address.version}_value_to_execution_context")
            assert add(context, _text(name), address.packed)
            return None
        if kind in (ARRAY, MAP):
            kept: list[object] = []
            pointer = _array(value, kept) if kind == ARRAY else _map(value, kept)
            add = getattr(library, f"wirefilter_add_{kind}_value_to_execution_context")
            assert add(context, _text(name), pointer)
            return kept
        if kind == "text":
            text = _text(value if isinstance(value, bytes) else str(value))
            assert library.wirefilter_add_bytes_value_to_execution_context(context, _text(name), text)
            return text
        add = {"number": "int", "flag": "bool"}[kind]
        assert getattr(library, f"wirefilter_add_{add}_value_to_execution_context")(context, _text(name), value)
        return None


def _array(value: object, kept: list[object]) -> int:
    assert isinstance(value, Sequence)
    array: int = _library().wirefilter_create_array(_type("text"))
    for index, item in enumerate(value):
        text = _text(item)
        kept.append(text)
        assert _library().wirefilter_add_bytes_value_to_array(array, index, text)
    return array


def _map(value: object, kept: list[object]) -> int:
    assert isinstance(value, Mapping)
    pairs: int = _library().wirefilter_create_map(_type(ARRAY))
    for name, items in value.items():
        assert _library().wirefilter_add_array_value_to_map(pairs, _text(name), _array(items, kept))
    return pairs


@lru_cache
def rich_engine() -> Engine:
    """Decides requests of a zone with headers, cookies and arguments."""
    return Engine(RICH_FIELDS)


@lru_cache
def requests_engine() -> Engine:
    """Decides requests of a zone."""
    return Engine(REQUEST_FIELDS)


@lru_cache
def packets_engine() -> Engine:
    """Decides packets of an account."""
    return Engine(PACKET_FIELDS)
