# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands beside the protection, read only: onboarded prefixes, and the audit log."""

from __future__ import annotations

from flask import Blueprint, request
from werkzeug.wrappers import Response

from .accounts import Item
from .admission import account_of
from .answers import one_of, success
from .contract import API

LIMIT = 100  # entries of the audit log, where the query does not say

area = Blueprint("neighbours", __name__, url_prefix=API)


@area.get("/accounts/<account_id>/addressing/prefixes")
def list_onboarded(account_id: str) -> Response:
    prefixes = account_of("addressing").onboarded
    return success([{name: prefix[name] for name in prefix if name not in PARTS} for prefix in prefixes])


@area.get("/accounts/<account_id>/addressing/prefixes/<item_id>/bgp/prefixes")
def list_bgp_prefixes(account_id: str, item_id: str) -> Response:
    return success(onboarded(item_id)["bgp_prefixes"])


@area.get("/accounts/<account_id>/addressing/prefixes/<item_id>/delegations")
def list_delegations(account_id: str, item_id: str) -> Response:
    return success(onboarded(item_id)["delegations"])


@area.get("/accounts/<account_id>/logs/audit")
def list_changes(account_id: str) -> Response:
    """The entries of some time, the newest first, in pages that begin where a cursor says."""
    account, query = account_of("account_settings"), request.args
    entries = [item for item in account.audit_log if query["since"] <= item["action"]["time"] <= query["before"]]
    entries = [item for item in entries if query.get("zone_id") in (None, (item.get("zone") or {}).get("id"))]
    entries.sort(key=lambda item: str(item["action"]["time"]), reverse=query.get("direction", "desc") == "desc")
    start, limit = int(query.get("cursor", 0)), int(query.get("limit", LIMIT))
    shown = entries[start : start + limit]
    more = {"cursor": str(start + limit)} if start + limit < len(entries) else {}
    return success(shown, result_info={"count": str(len(shown)), **more})


PARTS = ("bgp_prefixes", "delegations")  # of an onboarded prefix, each at a path of its own


def onboarded(identity: str) -> Item:
    found: Item = one_of(account_of("addressing").onboarded, "prefix", identity)
    return found
