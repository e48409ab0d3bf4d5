# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What stands beside the protection of an account or zone, read only: networks that the account has
brought (Cloudflare API: Address Map and Prefixes), IP Access rules, and the audit log.

Nothing here declares a write: the collection never announces or withdraws a network.
"""

from __future__ import annotations

from typing import Any, Mapping

from .._values.kinds import CODE, FLAG, ID, NETWORK, TEXT
from .account import OWNER
from .owners import ZONE_OWNER
from .resource import Field, Permission, Resource
from .zone import PATH as ZONE_PATH

ADDRESSING_PATH = "accounts/{account_id}/addressing/prefixes"
ACCESS_RULES_PATH = "/firewall/access_rules/rules"
ADDRESSING = Permission("IP Prefixes", "account")
APPROVED = "V"
WHITELIST = "whitelist"  # the mode of access rules that pass by custom rules and firewall rules

ONBOARDED = Resource(
    name="onboarded_prefix",
    plural="onboarded_prefixes",
    title="onboarded prefix",
    plural_title="onboarded prefixes",
    owner=OWNER,
    path=ADDRESSING_PATH,
    permission=ADDRESSING,
    fields=(
        Field("id", ID),
        Field("cidr", NETWORK),
        Field("approved", CODE),
        Field("on_demand_enabled", FLAG),
        Field("advertised", FLAG),
        Field("advertised_modified_at", TEXT),
    ),
    key=("cidr",),
    address_field="cidr",
    page_size=0,
)


def bgp_prefixes_of(identity: str) -> Resource:
    """The parts of an onboarded prefix that are announced by themselves."""
    return _part("bgp_prefix", "BGP prefix", f"{ADDRESSING_PATH}/{identity}/bgp/prefixes")


def delegations_of(identity: str) -> Resource:
    """The parts of an onboarded prefix that other accounts use."""
    return _part("delegation", "delegation", f"{ADDRESSING_PATH}/{identity}/delegations")


def _part(name: str, title: str, path: str) -> Resource:
    return Resource(
        name=name,
        plural=f"{name}s",
        title=title,
        owner=OWNER,
        path=path,
        permission=ADDRESSING,
        fields=(Field("id", ID), Field("cidr", NETWORK)),
        key=("cidr",),
        address_field="cidr",
        page_size=0,
    )


def _access_rules(owner: str, path: str, permission: Permission) -> Resource:
    return Resource(
        name="access_rule",
        plural="access_rules",
        title="IP Access rule",
        owner=owner,
        path=path + ACCESS_RULES_PATH,
        permission=permission,
        fields=(Field("id", ID), Field("mode", CODE), Field("notes", TEXT)),
        key=("id",),
    )


ACCESS_RULES: Mapping[str, Resource] = {  # by owner
    OWNER: _access_rules(
        OWNER, "accounts/{account_id}", Permission("Account Firewall Access Rules", "account")
    ),
    ZONE_OWNER.option: _access_rules(
        ZONE_OWNER.option, ZONE_PATH, Permission("Firewall Services", "zone")
    ),
}

AUDIT_LOG = Resource(
    name="change",
    plural="changes",
    title="entry of the audit log",
    plural_title="entries of the audit log",
    owner=OWNER,
    path="accounts/{account_id}/logs/audit",
    permission=Permission("Account Settings", "account"),
    fields=(Field("id", ID),),
    key=("id",),
)


def is_approved(prefix: Mapping[str, Any]) -> bool:
    """Whether the vendor has approved an onboarded prefix."""
    return prefix.get("approved") == APPROVED
