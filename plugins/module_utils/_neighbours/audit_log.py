# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who changed what of an account or zone, by the audit log of the account (Cloudflare API: Audit
Logs)."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Iterator, Mapping, TypedDict

from .._api.client import MAX_PAGES, Client
from .._api.responses import Request, error_details, open_envelope
from .._errors import ServiceError
from .._schema.neighbours import AUDIT_LOG
from .._schema.owners import ZONE_OWNER
from .._schema.resource import Object
from .._timestamps import write_timestamp
from .account import account_of

PER_PAGE = 1000
READS = ("GET", "HEAD", "OPTIONS")
WAYS: Mapping[str, str] = {
    "dash": "the dashboard",
    "api_key": "an API key",
    "api_token": "an API token",
    "oauth": "an OAuth application",
    "api": "the API",
}


class ChangeRecord(TypedDict):
    """A write that succeeded: when, by whom, and how; `uri` is what was written, and `object_id`
    the object, None if the log does not name one."""

    at: str
    by: str
    how: str
    method: str
    uri: str
    object_id: str | None


def read_changes(client: Client, hours: float) -> list[ChangeRecord]:
    """The writes of the last hours, the newest first; raises ServiceError, and
    ProtectionError for a zone without an account."""
    until = client.now or datetime.now(timezone.utc)
    since = until - timedelta(hours=hours)
    query: dict[str, Any] = {
        "since": _in_utc(since),
        "before": _in_utc(until + timedelta(minutes=1)),
        "limit": PER_PAGE,
    }
    account = account_of(client)
    if account is not client:
        query[ZONE_OWNER.option] = client.owner[ZONE_OWNER.option]
    entries = _entries(account, query)
    return [record for record in map(_record, entries) if record is not None]


def _in_utc(moment: datetime) -> str:
    return write_timestamp(moment).replace("+00:00", "Z")


def _entries(client: Client, query: Mapping[str, Any]) -> Iterator[Object]:
    """The entries page after page, each of which says where the next one begins."""
    cursor: Mapping[str, Any] = {}
    for _page in range(MAX_PAGES):
        path = client.path_to(AUDIT_LOG.path)
        request = Request("GET", path, {**query, **cursor}, resource=AUDIT_LOG)
        envelope = open_envelope(request, client.ask(request))
        if not isinstance(envelope.result, list):
            message = f"{request} got an unexpected response: the result is not a list."
            raise ServiceError(message, error_details(request, 200), False)
        yield from envelope.result
        following = envelope.info.get("cursor")
        if not following or following == cursor.get("cursor"):
            return
        cursor = {"cursor": following}


def _record(entry: Object) -> ChangeRecord | None:
    """An entry about a write that succeeded; None for any other."""
    action, actor, raw = (entry.get(name) or {} for name in ("action", "actor", "raw"))
    if str(raw.get("method")).upper() in READS or action.get("result") not in (None, "success"):
        return None
    resource_id = (entry.get("resource") or {}).get("id")
    return ChangeRecord(
        at=str(action.get("time")),
        by=str(actor.get("email") or actor.get("token_name") or actor.get("type") or "somebody"),
        how=_way(actor),
        method=str(raw.get("method")),
        uri=str(raw.get("uri")),
        object_id=str(resource_id) if resource_id else None,
    )


def _way(actor: Object) -> str:
    context = str(actor.get("context"))
    way = WAYS.get(context, context)
    token = actor.get("token_name")
    return f"{way} {token}" if token and context == "api_token" else way
