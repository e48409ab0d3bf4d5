# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The accounts and zones that a token sees, without what they protect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from .accounts import UNSEEN, Account
from .admission import Owner, account_of, within_contract, zone_of
from .answers import success
from .contract import API
from .credentials import Area
from .current import service
from .paging import page, part
from .zones import Zone

CREATED = "2024-01-01T00:00:00Z"
PER_PAGE = 20  # where the query does not say
PLANS = {
    "free": "Free Website",
    "pro": "Pro Website",
    "business": "Business Website",
    "enterprise": "Enterprise Website",
}

area = Blueprint("directory", __name__, url_prefix=API)
area.before_request(within_contract)


@area.get("/accounts")
def list_accounts() -> Response:
    """A token without the permission on accounts sees none of them."""
    return listing(service.accounts, "account_settings", account_name, account_object)


@area.get("/accounts/<account_id>")
def read_account(account_id: str) -> Response:
    return success(account_object(account_id, account_of("account_settings")))


@area.get("/zones")
def list_zones() -> Response:
    """The zones on which the token has any permission to read them."""
    return listing(service.zones, "zone", zone_name, zone_object)


@area.get("/zones/<zone_id>")
def read_zone(zone_id: str) -> Response:
    shown = zone_object(zone_id, zone_of("zone"))
    shown["account"]["id"] = shown["account"]["id"] or only_account()
    return success(shown)


def only_account() -> str:
    """The account of a zone for which nobody named one: the only one that there is, or one that has nothing."""
    return next(iter(service.accounts)) if len(service.accounts) == 1 else UNSEEN


def listing(
    owners: Mapping[str, Owner],
    permission: Area,
    name_of: Callable[[str, Owner], str],
    make: Callable[[str, Owner], dict[str, Any]],
) -> Response:
    """The page that the request asks for; of thousands of owners that the token sees, only those on the page become objects."""
    grant = service.credentials.caller(request.headers)
    seen = [identity for identity in owners if grant.allows(permission, identity, writing=False)]
    if request.args.keys() <= {"page", "per_page"}:
        ordered = sorted(seen, key=lambda identity: (name_of(identity, owners[identity]), identity))
        return part(ordered, PER_PAGE, lambda identity: make(identity, owners[identity]))
    return page(chosen([make(identity, owners[identity]) for identity in seen]), "name", PER_PAGE)


def account_name(identity: str, account: Account) -> str:
    return account.name or f"Account {identity[:6]}"


def zone_name(identity: str, zone: Zone) -> str:
    return zone.name or f"zone-{identity[:6]}.example"


def account_object(identity: str, account: Account) -> dict[str, Any]:
    """An account as the service lists it."""
    return {
        "id": identity,
        "name": account_name(identity, account),
        "type": account.type,
        "settings": {"enforce_twofactor": False},
        "created_on": CREATED,
    }


def zone_object(identity: str, zone: Zone) -> dict[str, Any]:
    """A zone as the service lists it, with its account and its plan."""
    account = service.accounts.get(zone.account_id or "")
    name = (account.name if account else "") or f"Account {(zone.account_id or '')[:6]}"
    return {
        "id": identity,
        "name": zone_name(identity, zone),
        "status": zone.status,
        "paused": zone.paused,
        "type": "full",
        "account": {"id": zone.account_id or "", "name": name},
        "plan": {"id": f"plan-{zone.plan}", "legacy_id": zone.plan, "name": PLANS.get(zone.plan, zone.plan)},
        "owner": {"id": None, "name": None, "type": "user"},
        "name_servers": ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"],
        "development_mode": 0,
        "meta": {"phishing_detected": False, "custom_certificate_quota": 0, "page_rule_quota": 3},
        "created_on": CREATED,
        "modified_on": CREATED,
    }


def chosen(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items that the query asks for."""
    conditions = {name: value for name, value in request.args.items() if name in ("name", "status", "account.id")}
    return [item for item in items if all(value_at(item, name) == value for name, value in conditions.items())]


def value_at(item: Mapping[str, Any], name: str) -> Any:
    """The value under a name such as `account.id`."""
    value: Any = item
    for key in name.split("."):
        value = value[key]
    return value
