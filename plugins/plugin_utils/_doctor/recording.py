# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The recording of answers: one file without a value for an issue, which the local service of this
repository replays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._api.responses import Request, Response, read_document
from ...module_utils._schema.neighbours import AUDIT_LOG
from ...module_utils._schema.registry import BY_NAME, READ_ONLY
from ...module_utils._schema.resource import fields_in, without
from .schemas import Schema, merged, schema_of

RECORDING_FORMAT = 1
NAMED = "{}"
# Cloudflare's headers, and those of the standards; a proxy may have names of its own.
NAME_OF_A_HEADER = re.compile(
    r"(?:cf|ratelimit|x-ratelimit|access-control|content|cross-origin|x-content|x-frame|x-xss)"
    r"(?:-[a-z]+){0,4}|age|alt-svc|api-version|cache-control|connection|date|deprecation|etag|expires"
    r"|last-modified|link|location|nel|pragma|referrer-policy|report-to|retry-after|server|set-cookie"
    r"|strict-transport-security|sunset|transfer-encoding|vary"
)


def _segments_of_paths() -> frozenset[str]:
    paths = [resource.path for resource in (*BY_NAME.values(), *READ_ONLY)]
    segments = {"accounts", "zones", "graphql"}
    for path in paths:
        segments.update(path.split("/"))
    return frozenset(segment for segment in segments if "{" not in segment)


LITERALS = _segments_of_paths()
BODIES = ("request", "response")  # of calls that others made, in the audit log
NO_JSON: Schema = {"type": ["not JSON"]}


class Recorded(NamedTuple):
    """An answer without its values: the call, the status, the names of headers, and its schema."""

    call: str
    status: int
    headers: Sequence[str]
    schema: Schema


class Recording:
    """The answers that a client hears."""

    def __init__(self) -> None:
        self.answers: list[Recorded] = []

    def hear(self, request: Request, response: Response) -> None:
        """Keep what may be told of an answer."""
        segments = [part if part in LITERALS else NAMED for part in request.path.split("/")]
        names = sorted({name.lower() for name in response.headers})
        headers = [name for name in names if NAME_OF_A_HEADER.fullmatch(name)]
        try:
            document = read_document(response.content)
        except ValueError:
            schema = NO_JSON
        else:
            is_log = request.resource is AUDIT_LOG
            schema = schema_of(without_other_calls(document) if is_log else document)
        call = f"{request.method} /{'/'.join(segments)}"
        self.answers.append(Recorded(call, response.status, headers, schema))


def without_other_calls(document: Any) -> Any:
    """An answer of the audit log without the bodies of the calls that it is about."""
    entries = document.get("result") if isinstance(document, Mapping) else None
    if not isinstance(entries, list):
        return document
    return {**document, "result": [_without_bodies(entry) for entry in entries]}


def _without_bodies(entry: Any) -> Any:
    if not isinstance(entry, Mapping):
        return entry
    return {**entry, "resource": without(fields_in(entry.get("resource")), *BODIES)}


def document_of(recordings: Iterable[Recording], versions: Mapping[str, str]) -> dict[str, Any]:
    """The content of the file: by call and status, the names of headers and the schema of all
    answers."""
    answers: dict[str, dict[str, dict[str, Any]]] = {}
    for recording in recordings:
        for answer in recording.answers:
            by_status = answers.setdefault(answer.call, {})
            told = by_status.setdefault(str(answer.status), {"headers": [], "schema": {}})
            told["headers"] = sorted({*told["headers"], *answer.headers})
            told["schema"] = merged(told["schema"], answer.schema)
    return {
        "format": RECORDING_FORMAT,
        "versions": dict(versions),
        "answers": dict(sorted(answers.items())),
    }


def recording_text(document: Mapping[str, Any]) -> str:
    """The text of the file."""
    return json.dumps(document, indent=1, sort_keys=True) + "\n"
