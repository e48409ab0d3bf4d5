# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the body of a response as JSON, whatever the service sends: a document that results can hold, or a reason."""

from __future__ import annotations

import json
import math
import re
from typing import Any

MAX_DEPTH = 100  # lists and objects inside of each other; the service's own documents have less than ten levels
MAX_DIGITS = 1000  # of a whole number; Python's own limit is 4300, and older releases have none
SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"


class Unreadable(ValueError):
    """A body that is not a usable JSON document; `is_json` where it is JSON all the same."""

    def __init__(self, reason: str, is_json: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_json = is_json


def read_document(content: bytes) -> Any:
    """The JSON document of a body; raises Unreadable.

    Numbers that no float or limited integer can hold stay texts. Lone surrogates, which no result can carry, become
    U+FFFD.
    """
    try:
        document = DECODER.decode(content.decode("utf-8"))
    except RecursionError as exc:
        raise _too_deep() from exc
    except ValueError as exc:
        raise Unreadable("it is not JSON", is_json=False) from exc
    if _is_too_deep(document):
        raise _too_deep()
    return _without_lone_surrogates(document) if SURROGATE_ESCAPE.search(content) else document


def _too_deep() -> Unreadable:
    return Unreadable(f"its JSON is nested more than {MAX_DEPTH} levels deep", is_json=True)


def _is_too_deep(document: Any) -> bool:
    """Level by level, since a recursion would meet Python's own limit."""
    level = [document]
    for dummy in range(MAX_DEPTH):
        level = [item for container in level for item in _members(container) if isinstance(item, (dict, list))]
        if not level:
            return False
    return True


def _members(container: Any) -> Any:
    if isinstance(container, dict):
        return container.values()
    return container if isinstance(container, list) else ()


def _without_lone_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return LONE_SURROGATE.sub(REPLACEMENT, value)
    if isinstance(value, dict):
        return {_without_lone_surrogates(name): _without_lone_surrogates(item) for name, item in value.items()}
    return [_without_lone_surrogates(item) for item in value] if isinstance(value, list) else value


def _read_integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= MAX_DIGITS else digits


def _read_float(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _refuse_constant(name: str) -> Any:
    """Python reads NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(parse_int=_read_integer, parse_float=_read_float, parse_constant=_refuse_constant)
