# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may do what: API tokens, and the older pair of e-mail address and key."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from werkzeug.datastructures import Headers

from .answers import Refusal

Permission = Literal["none", "read", "write"]
Area = Literal[
    "protection", "firewall", "waf", "account_settings", "zone", "analytics", "addressing",
    "network_firewall", "ddos_l4", "ddos_l7", "lists", "account_waf", "zone_settings",
]  # fmt: skip

EMAIL = "operator@example.com"
KEY = "0123456789abcdef0123456789abcdef01234"
TOKEN = "token-of-the-local-service-and-of-nothing-else"

BEARER = re.compile(r"Bearer ([A-Za-z0-9._~+/=-]+)")
KEY_FORMAT = re.compile(r"[0-9a-f]{37,45}")
UNAUTHORISED = {"code": 10000, "message": "Authentication error"}


@dataclass(frozen=True)
class Grant:
    """What a credential allows, by area; `only` limits it to some account and zone ids."""

    protection: Permission = "write"
    firewall: Permission = "write"
    waf: Permission = "write"
    account_waf: Permission = "write"
    account_settings: Permission = "read"
    zone: Permission = "read"
    analytics: Permission = "read"
    addressing: Permission = "read"
    lists: Permission = "write"
    network_firewall: Permission = "write"
    ddos_l4: Permission = "write"
    ddos_l7: Permission = "write"
    zone_settings: Permission = "write"
    only: tuple[str, ...] | None = None

    def allows(self, area: Area, subject: str, writing: bool) -> bool:
        permission: Permission = getattr(self, area)
        inside = self.only is None or subject in self.only
        return inside and (permission == "write" or (permission == "read" and not writing))


@dataclass
class Credentials:
    tokens: dict[str, Grant] = field(default_factory=lambda: {TOKEN: Grant()})
    keys: dict[str, str] = field(default_factory=lambda: {EMAIL: KEY})

    def load(self, tokens: Mapping[str, Any] | None, keys: Mapping[str, str] | None) -> None:
        """Replace what is given, in the shape of a state document, and leave the rest."""
        if tokens is not None:
            self.tokens = {token: grant(fields or {}) for token, fields in tokens.items()}
        if keys is not None:
            self.keys = dict(keys)

    def document(self) -> dict[str, Any]:
        return {"tokens": {token: asdict(allowed) for token, allowed in self.tokens.items()}, "keys": dict(self.keys)}

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


def grant(fields: Mapping[str, Any]) -> Grant:
    only = fields.get("only")
    return Grant(**{**fields, "only": tuple(only) if only is not None else None})


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
