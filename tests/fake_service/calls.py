# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of calls."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request

from .contract import API
from .credentials import digest, scheme

HEADERS_OF_INTEREST = ("User-Agent", "Content-Type", "Accept", "Accept-Encoding", "Cookie", "X-Rate-Limit-Type")


@dataclass
class Call:
    """One call. The path is the part below base_url; a query parameter that is repeated has a list of values.

    No secret is kept: `authorization` says which credentials came along (`bearer`, `key`, `bearer+key` or None),
    `authorization_digest` is the SHA-256 of the token or key. `connection` is the client's port. `status` is None while
    the call is under way and when it was never answered. `maybe_applied` says whether the API did what was asked, whatever
    became of its answer. `moment` is when it came, in seconds since 1970 by the machine's clock.
    """

    number: int
    method: str
    path: str
    query: dict[str, str | list[str]]
    body: Any
    headers: dict[str, str]
    authorization: str | None
    authorization_digest: str | None
    connection: int
    status: int | None = None
    maybe_applied: bool = False
    fault: str | None = None
    moment: float = field(default_factory=time.time)

    @classmethod
    def of(cls, number: int, request: Request) -> Call:
        return cls(
            number=number,
            method=request.method,
            path=request.path.removeprefix(API),
            query=query_of(request.query_string.decode()),
            body=body_of(request.get_data()),
            headers=interesting(request.headers),
            authorization=scheme(request.headers),
            authorization_digest=digest(request.headers),
            connection=int(request.environ.get("REMOTE_PORT", 0)),
        )


def query_of(text: str) -> dict[str, str | list[str]]:
    values = parse_qs(text, keep_blank_values=True)
    return {name: texts[0] if len(texts) == 1 else texts for name, texts in values.items()}


def body_of(data: bytes) -> Any:
    """The parsed JSON, or None without a body, or else the text as it came."""
    if not data:
        return None
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")


def interesting(headers: Headers) -> dict[str, str]:
    return {name: headers[name] for name in HEADERS_OF_INTEREST if name in headers}
