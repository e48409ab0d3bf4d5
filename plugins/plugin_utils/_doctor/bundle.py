# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The bundle for an issue report: the record of a host and the shapes of its answers, without
values.

It is made of names, numbers and words that the rest of this package has chosen. Ids are hashed with
a salt that nobody keeps: equal ones stay equal within a bundle, and nobody can test a guess.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.release import __version__ as ansible_version
from ansible_collections.edgeops.protection.plugins.module_utils._api.session import VERSION

from .answers import Answer
from .names import shown_name
from .record import Record

FORMAT = 1
HEADERS = ("Content-Type", "Ratelimit", "Ratelimit-Policy", "Retry-After", "Server")
MAX_HEADER = 100  # characters
MAX_DEPTH = 12
MAX_NAMES = 60  # of one object


def bundle_text(
    record: Record, answers: Sequence[Answer], owners: Mapping[str, str], salt: bytes
) -> str:
    """The text of the file."""
    document = {
        "format": FORMAT,
        "versions": {
            "edgeops.protection": VERSION,
            "ansible-core": ansible_version,
            "python": platform.python_version(),
        },
        **{name: hashed(identity, salt) for name, identity in owners.items()},
        **record,
        "host": hashed(record["host"], salt),
        "shapes": [_shape_of_answer(answer, owners, salt) for answer in answers],
    }
    return json.dumps(document, indent=2, sort_keys=False) + "\n"


def hashed(identity: str, salt: bytes) -> str:
    """An id that nobody can read or guess."""
    return hashlib.sha256(salt + identity.encode()).hexdigest()[:16]


def _shape_of_answer(answer: Answer, owners: Mapping[str, str], salt: bytes) -> dict[str, Any]:
    path = answer.read.request.path
    for identity in owners.values():
        path = path.replace(identity, hashed(identity, salt))
    headers = {name: answer.header(name) for name in HEADERS}
    return {
        "request": f"{answer.read.request.method} {path}",
        "part": answer.read.part,
        "status": answer.status,
        "codes": answer.codes,
        "headers": {name: value[:MAX_HEADER] for name, value in headers.items() if value},
        "shape": shape_of(answer.document),
    }


def shape_of(value: Any, depth: int = 0) -> Any:
    """The names and types of a document: a list has the shape of all its items, no value is
    kept."""
    if depth > MAX_DEPTH:
        return "..."
    if isinstance(value, Mapping):
        names = list(value)[:MAX_NAMES]
        return {shown_name(name): shape_of(value[name], depth + 1) for name in names}
    if isinstance(value, list):
        shape: Any = None
        for item in value:
            shape = merged(shape, shape_of(item, depth + 1))
        return [] if shape is None else [shape]
    return "null" if value is None else type(value).__name__


def merged(one: Any, other: Any) -> Any:
    """One shape of two: objects have the names of both, and other shapes stand beside each
    other."""
    if one is None or one == other:
        return other
    if isinstance(one, dict) and isinstance(other, dict):
        names = dict.fromkeys([*one, *other])
        return {
            name: merged(one[name], other[name])
            if name in one and name in other
            else _optional(one.get(name, other.get(name)))
            for name in names
        }
    if isinstance(one, list) and isinstance(other, list):
        items = [*one, *other]
        return [merged(items[0], items[-1])] if items else []
    words = dict.fromkeys([*_words(one), *_words(other)])
    return " or ".join(words)


def _optional(shape: Any) -> Any:
    return f"{shape} or absent" if isinstance(shape, str) and "absent" not in shape else shape


def _words(shape: Any) -> list[str]:
    if isinstance(shape, str):
        return shape.split(" or ")
    return ["dict" if isinstance(shape, dict) else "list"]
