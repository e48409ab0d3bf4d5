# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ids that the service gives to new objects: random ones, or those of a kind and a name, the same each time."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch


def new_uuid(kind: str, name: str) -> uuid.UUID:
    """The id of a new object of this kind with this name."""
    return generated(kind, name)


def new_id(kind: str, name: str) -> str:
    """The same in the form of most objects."""
    return new_uuid(kind, name).hex


def content_name(fields: Mapping[str, Any]) -> str:
    """The name of an object that has none."""
    return json.dumps(fields, sort_keys=True, default=str)


def generated(_kind: str, _name: str) -> uuid.UUID:
    """A random id."""
    return uuid.uuid4()


@contextmanager
def ids_by_name() -> Iterator[None]:
    """Let ids follow from the kind, the name, and how many objects had them before: an object more changes no other id."""
    numbers: Counter[tuple[str, str]] = Counter()

    def id_of_name(kind: str, name: str) -> uuid.UUID:
        numbers[kind, name] += 1
        text = f"{kind}\n{name}\n{numbers[kind, name]}"
        return uuid.UUID(bytes=hashlib.sha256(text.encode()).digest()[:16], version=4)

    with patch(f"{__name__}.generated", id_of_name):
        yield
