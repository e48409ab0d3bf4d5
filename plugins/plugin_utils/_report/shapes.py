# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether JSON has the shape of a TypedDict."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

hints_of = lru_cache(get_type_hints)


def misfit(hint: Any, value: Any, path: str = "") -> str:
    """The path of the first thing that lacks or has another type, such as `hosts[0].reasons`; an
    empty text if the value fits."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return ""
    if is_typeddict(hint):
        return _of_dictionary(hint, value, path)
    if origin is Annotated:
        return misfit(arguments[0], value, path)
    if origin in (Union, UnionType):
        kinds = [kind for kind in arguments if kind is not NoneType]
        return "" if value is None else misfit(kinds[0], value, path)
    if origin is Literal:
        return "" if value in arguments else path
    if origin is list:
        return _of_list(arguments[0], value, path)
    if origin is dict:
        return _of_mapping(arguments, value, path)
    if hint in (int, float):
        return "" if _is_number(hint, value) else path
    return "" if isinstance(value, hint) else path


def _is_number(hint: type, value: Any) -> bool:
    """Whether JSON is a number that counts or measures something: none of them is negative."""
    kinds = (int,) if hint is int else (int, float)
    return isinstance(value, kinds) and not isinstance(value, bool) and value >= 0


def _of_dictionary(hint: Any, value: Any, path: str) -> str:
    if not isinstance(value, Mapping):
        return path
    inner = f"{path}." if path else ""
    for key, kind in hints_of(hint).items():
        where = f"{inner}{key}" if key not in value else misfit(kind, value[key], f"{inner}{key}")
        if where:
            return where
    return ""


def _of_list(kind: Any, value: Any, path: str) -> str:
    if not isinstance(value, list):
        return path
    places = (misfit(kind, item, f"{path}[{position}]") for position, item in enumerate(value))
    return next(filter(None, places), "")


def _of_mapping(kinds: tuple[Any, Any], value: Any, path: str) -> str:
    if not isinstance(value, Mapping):
        return path
    missing = [key for key in get_args(kinds[0]) if key not in value]
    if missing:
        return f"{path}.{missing[0]}"
    places = (misfit(kinds[1], item, f"{path}.{key}") for key, item in value.items())
    return next(filter(None, places), "")
