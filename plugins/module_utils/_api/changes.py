# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of an account and its zones, by Cloudflare's audit log."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Iterator, Mapping, TypedDict

from .._errors import ServiceError
from .._schema.neighbours import AUDIT_LOG
from .._schema.resource import ACCOUNT_OPTION, ZONE_OWNER, Object
from .._timestamps import write_time
from .client import Client
from .neighbours import account_of, text_or_none
from .pages import MOST_PAGES
from .responses import Request, error_details, open_envelope

AUDIT_PAGE = 1000
READS = ("GET", "HEAD", "OPTIONS")
CHANGE_WAYS: Mapping[str, str] = {
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
    """The successful writes of the last hours, the newest first. For an account it has those in its
    zones as well, for a zone only those in the zone. Raises ServiceError, and ProtectionError for a
    zone that does not name its account.
    """
    until = client.now or datetime.now(timezone.utc)
    since = until - timedelta(hours=hours)
    query: dict[str, Any] = {
        "since": write_time(since),
        "before": write_time(until + timedelta(minutes=1)),
        "limit": AUDIT_PAGE,
    }
    account = account_of(client)
    if ACCOUNT_OPTION not in client.owner:
        query[ZONE_OWNER.option] = client.owner[ZONE_OWNER.option]
    log_entries = _log_entries(account, query)
    return [
        _change_record(log_entry) for log_entry in log_entries if _is_successful_write(log_entry)
    ]


def _log_entries(client: Client, query: Mapping[str, Any]) -> Iterator[Object]:
    """The entries of the audit log, page by page; each page has the cursor of the next one. Raises
    ServiceError."""
    path = client.path_to(AUDIT_LOG.path)
    cursor: Mapping[str, Any] = {}
    for _page in range(MOST_PAGES):
        request = Request("GET", path, {**query, **cursor}, resource=AUDIT_LOG)
        envelope = open_envelope(request, client.ask(request))
        if not isinstance(envelope.result, list):
            message = f"{request} got an unexpected response: the result is not a list."
            raise ServiceError(message, error_details(request, 200), maybe_applied=False)
        yield from envelope.result
        following = envelope.info.get("cursor")
        if not following or following == cursor.get("cursor"):
            return
        cursor = {"cursor": following}


def _is_successful_write(log_entry: Object) -> bool:
    """Return whether an entry is about a write that succeeded."""
    call = log_entry.get("raw") or {}
    method = str(call.get("method")).upper()
    if method in READS:
        return False
    action = log_entry.get("action") or {}
    result = action.get("result")
    return result is None or result == "success"


def _change_record(log_entry: Object) -> ChangeRecord:
    call = log_entry.get("raw") or {}
    action = log_entry.get("action") or {}
    actor = log_entry.get("actor") or {}
    written = log_entry.get("resource") or {}
    author = actor.get("email") or actor.get("token_name") or actor.get("type") or "somebody"
    return ChangeRecord(
        at=str(action.get("time")),
        by=str(author),
        how=_way_of(actor),
        method=str(call.get("method")),
        uri=str(call.get("uri")),
        object_id=text_or_none(written.get("id")),
    )


def _way_of(actor: Object) -> str:
    """The way in which an actor makes changes, such as `an API token deploy`."""
    context = str(actor.get("context"))
    way = CHANGE_WAYS.get(context, context)
    token_name = actor.get("token_name")
    if context == "api_token" and token_name:
        return f"{way} {token_name}"
    return way
