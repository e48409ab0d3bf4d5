# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole objects of what stands beside the protection, out of the fields that a state document has."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from typing import Any

from .clock import Clock

Item = dict[str, Any]
VALIDATION_TOKEN = "token-of-the-validation"  # proves that somebody owns a prefix, and is a secret


def identity(fields: Any) -> str:
    """The id of an object that is made of these fields, the same each time."""
    return hashlib.sha256(json.dumps(fields, sort_keys=True, default=str).encode()).hexdigest()[:32]


def onboarded_prefix(fields: Mapping[str, Any], clock: Clock) -> Item:
    """A whole onboarded prefix; by default it is approved, not on demand, and announced as a whole."""
    on_demand, now = bool(fields.get("on_demand_enabled")), clock.timestamp()
    whole = {
        "id": identity(fields),
        "approved": "V",
        "asn": 64500,
        "description": "",
        "on_demand_enabled": on_demand,
        "on_demand_locked": False,
        "advertised": None,
        "advertised_modified_at": None,
        "irr_validation_state": "valid",
        "rpki_validation_state": "valid",
        "ownership_validation_state": "valid",
        "ownership_validation_token": VALIDATION_TOKEN,
        **fields,
    }
    parts = fields.get("bgp_prefixes", [{"cidr": fields["cidr"]}])
    whole["bgp_prefixes"] = [bgp_prefix(part, whole, now) for part in parts]
    whole["delegations"] = [
        {
            "id": identity([whole["id"], part]),
            "parent_prefix_id": whole["id"],
            "delegated_account_id": "f" * 32,
            **(part if isinstance(part, dict) else {"cidr": part}),
        }
        for part in fields.get("delegations", ())
    ]
    return whole


def bgp_prefix(part: Mapping[str, Any], parent: Item, now: str) -> Item:
    """A part of an onboarded prefix that is announced by itself."""
    on_demand = {
        "advertised": parent["advertised"],
        "advertised_modified_at": now,
        "on_demand_enabled": parent["on_demand_enabled"],
        "on_demand_locked": parent["on_demand_locked"],
        **part.get("on_demand", {}),
    }
    return {"id": identity([parent["id"], part["cidr"]]), "asn": parent["asn"], **part, "on_demand": on_demand}


def change(fields: Mapping[str, Any], clock: Clock) -> Item:
    """A whole entry of the audit log; `uri` and `method` may stand at its top."""
    action = {"type": "update", "result": "success", "time": clock.timestamp(), **fields.get("action", {})}
    raw = {"method": fields.get("method", "PATCH"), "uri": fields.get("uri", ""), "status_code": 200}
    actor = {"type": "user", "context": "dash", "email": "operator@example.com", **fields.get("actor", {})}
    return {
        "id": identity(fields),
        "action": action,
        "actor": actor,
        "raw": {**raw, **fields.get("raw", {})},
        "resource": fields.get("resource", {}),
        "zone": fields.get("zone", {}),
    }


def refused_networks(onboarded: Iterable[Item], bodies: Iterable[Item]) -> list[str]:
    """Why the account may not protect some networks: a part is delegated, or not approved yet."""
    networks = [ip_network(body["prefix"], strict=False) for body in bodies if not body.get("excluded")]
    closed = [
        (ip_network(cidr), why)
        for prefix in onboarded
        for cidr, why in (
            *((item["cidr"], "is delegated to another account") for item in prefix["delegations"]),
            *([(prefix["cidr"], "is not approved yet")] if prefix["approved"] != "V" else []),
        )
    ]
    return [
        f"{network} cannot be protected: {other} {why}"
        for network in networks
        for other, why in closed
        if network.version == other.version and network.overlaps(other)
    ]
