# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The IP Access rules that let traffic pass by custom rules, rate limits and firewall rules
(Cloudflare docs: WAF, IP Access rules)."""

from __future__ import annotations

from typing import TypedDict

from .._api.client import Client
from .._schema.neighbours import ACCESS_RULES, WHITELIST
from .._schema.resource import Object


class AccessRule(TypedDict):
    """An IP Access rule that lets traffic pass; `target` says what `value` is, such as ip_range,
    asn or country."""

    id: str
    target: str
    value: str
    notes: str
    since: str | None


def read_access_rules(client: Client) -> list[AccessRule]:
    """The rules of mode whitelist of the account or zone of a client; raises ServiceError."""
    (owner,) = client.owner
    rules = client.read(ACCESS_RULES[owner], {"mode": WHITELIST})
    return [_record(rule) for rule in rules if rule.get("mode") == WHITELIST]


def _record(rule: Object) -> AccessRule:
    configuration = rule.get("configuration") or {}
    since = rule.get("modified_on") or rule.get("created_on")
    return AccessRule(
        id=str(rule.get("id")),
        target=str(configuration.get("target")),
        value=str(configuration.get("value")),
        notes=str(rule.get("notes") or ""),
        since=str(since) if since else None,
    )
