# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may do what: API tokens, and the older pair of e-mail address and key."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from werkzeug.datastructures import Headers

from .answers import Refusal
from .declared import DECLARED

Permission = Literal["none", "read", "write"]
Area = str  # a name in AREAS


class PermissionArea(NamedTuple):
    """A permission as the vendor's dashboard names it, and what a credential has of it if nobody says otherwise."""

    permission: str
    usual: Permission


TABLE: Mapping[Area, PermissionArea] = {
    "protection": PermissionArea("DDoS Protection", "write"),
    "firewall": PermissionArea("Firewall Services", "write"),
    "waf": PermissionArea("Zone WAF", "write"),
    "account_waf": PermissionArea("Account WAF", "write"),
    "account_settings": PermissionArea("Account Settings", "read"),
    "zone": PermissionArea("Zone", "read"),
    "analytics": PermissionArea("Account Analytics", "read"),
    "addressing": PermissionArea("IP Prefixes", "read"),
    "lists": PermissionArea("Account Filter Lists", "write"),
    "network_firewall": PermissionArea("Magic Firewall", "write"),
    "ddos_l4": PermissionArea("L4 DDoS Managed Ruleset", "write"),
    "ddos_l7": PermissionArea("HTTP DDoS Managed Ruleset", "write"),
}


def _all_areas() -> dict[Area, PermissionArea]:
    """The areas of the table, and those of plain settings and lists, which the names of their permissions give."""
    areas = dict(TABLE)
    for row in DECLARED:
        if row.permission not in {area.permission for area in TABLE.values()}:
            areas[row.permission.lower().replace(" ", "_")] = PermissionArea(row.permission, "write")
    return areas


AREAS = _all_areas()
AREA_OF_PERMISSION: Mapping[str, Area] = {row.permission: area for area, row in AREAS.items()}
WRITABLE = tuple(area for area, row in AREAS.items() if row.usual == "write")
USUAL: Mapping[Area, Permission] = {area: row.usual for area, row in AREAS.items()}

EMAIL = "operator@example.com"
KEY = "0123456789abcdef0123456789abcdef01234"
TOKEN = "token-of-the-local-service-and-of-nothing-else"

BEARER = re.compile(r"Bearer ([A-Za-z0-9._~+/=-]+)")
KEY_FORMAT = re.compile(r"[0-9a-f]{37,45}")
UNAUTHORISED = {"code": 10000, "message": "Authentication error"}


@dataclass(frozen=True)
class Grant:
    """What a credential allows, by area; `only` limits it to some account and zone ids."""

    permissions: Mapping[Area, Permission] = field(default_factory=lambda: USUAL)
    only: tuple[str, ...] | None = None

    def allows(self, area: Area, subject: str, writing: bool) -> bool:
        permission = self.permissions[area]
        inside = self.only is None or subject in self.only
        return inside and (permission == "write" or (permission == "read" and not writing))


@dataclass
class Credentials:
    tokens: dict[str, Grant] = field(default_factory=lambda: {TOKEN: Grant()})
    keys: dict[str, str] = field(default_factory=lambda: {EMAIL: KEY})

    def load(self, tokens: Mapping[str, Any] | None, keys: Mapping[str, str] | None) -> None:
        """Replace what is given, in the shape of a state document, and leave the rest."""
        if tokens is not None:
            self.tokens = {token: grant(**(fields or {})) for token, fields in tokens.items()}
        if keys is not None:
            self.keys = dict(keys)

    def document(self) -> dict[str, Any]:
        tokens = {token: {**allowed.permissions, "only": allowed.only} for token, allowed in self.tokens.items()}
        return {"tokens": tokens, "keys": dict(self.keys)}

    def admit(self, headers: Headers, area: Area, subject: str, writing: bool) -> None:
        """Let the caller in, or refuse as the service does: malformed, unknown, or not permitted here."""
        if not self.caller(headers, area).allows(area, subject, writing):
            raise Refusal(403, [UNAUTHORISED])

    def caller(self, headers: Headers, area: Area = "zone") -> Grant:
        """What the caller may do; refused where the credentials are malformed or unknown."""
        if "Authorization" in headers:
            return self._by_token(headers["Authorization"])
        if "X-Auth-Key" in headers or "X-Auth-Email" in headers:
            return self._by_key(headers.get("X-Auth-Email", ""), headers.get("X-Auth-Key", ""), area)
        raise Refusal(403, [UNAUTHORISED])

    def _by_token(self, authorization: str) -> Grant:
        bearer = BEARER.fullmatch(authorization)
        if bearer is None:
            raise malformed(6111, "Invalid format for Authorization header")
        if bearer[1] not in self.tokens:
            raise Refusal(403, [{"code": 9109, "message": "Invalid access token"}])
        return self.tokens[bearer[1]]

    def _by_key(self, email: str, key: str, area: Area) -> Grant:
        if key not in self.keys.values() and not KEY_FORMAT.fullmatch(key):
            raise malformed(6103, "Invalid format for X-Auth-Key header")
        if area == "protection" or self.keys.get(email) != key:
            raise Refusal(403, [UNAUTHORISED])
        return Grant()


def grant(only: Iterable[str] | None = None, **permissions: Permission) -> Grant:
    """The usual permissions but for these, by area; ValueError for an area that does not exist."""
    unknown = permissions.keys() - AREAS.keys()
    if unknown:
        raise ValueError(f"there is no area {', '.join(sorted(unknown))}")
    return Grant({**USUAL, **permissions}, None if only is None else tuple(only))


def malformed(code: int, message: str) -> Refusal:
    chain = [{"code": code, "message": message}]
    return Refusal(400, [{"code": 6003, "message": "Invalid request headers", "error_chain": chain}])


def scheme(headers: Headers) -> str | None:
    """Which credentials a call carries: `bearer`, `key`, `bearer+key`, or None."""
    carried = ["bearer"] if "Authorization" in headers else []
    if "X-Auth-Key" in headers or "X-Auth-Email" in headers:
        carried.append("key")
    return "+".join(carried) or None


def digest(headers: Headers) -> str | None:
    """SHA-256 of the token, or else of the key, that a call carries: enough to compare, nothing to leak."""
    secret = headers.get("Authorization", "").removeprefix("Bearer ") or headers.get("X-Auth-Key", "")
    return hashlib.sha256(secret.encode()).hexdigest() if secret else None
