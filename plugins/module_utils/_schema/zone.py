# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan, the status and the security level of a zone; the vendor describes the level in "Zone
Settings API"."""

from __future__ import annotations

from .._values.kinds import FLAG, choice
from .resource import (
    ZONE_OPTION,
    ZONE_OWNER,
    Field,
    Object,
    Permission,
    Resource,
    Semantics,
    Single,
    Write,
    fields_in,
    renaming,
)

ENTERPRISE = "enterprise"
PLAN_NAMES = {"free": "FREE", "pro": "PRO", "business": "BIZ", ENTERPRISE: "ENT"}
OTHER_PLANS = PLAN_NAMES.keys() - {ENTERPRISE}


def plan_of(zone: Object) -> str:
    """The plan of a zone in the words of the API; empty if it is not known."""
    return str(fields_in(zone.get("plan")).get("legacy_id") or "")


STATUS, PAUSED = "status", "paused"  # of a zone
ACTIVE = "active"
# By the vendor's page "Zone status"; any other status than active keeps requests away as well.
CAUSES = {
    "initializing": "its setup is not complete",
    "pending": "its nameservers are not those of Cloudflare yet",
    "moved": "its nameservers are no longer those of Cloudflare",
    "deactivated": "Cloudflare has deactivated it",
}


def why_not_served(zone: Object) -> str:
    """The reason, as a clause, why no request to a zone passes Cloudflare; empty if requests do, or
    if its status is not known. The vendor's pages are "Zone status" and "Pause Cloudflare"."""
    status = str(zone.get(STATUS) or ACTIVE)
    if status != ACTIVE:
        cause = CAUSES.get(status)
        return f"its status is {status} ({cause})" if cause else f"its status is {status}"
    if zone.get(PAUSED) is True:
        return "it is paused"
    return ""


def _reason_if_locked(setting: Object) -> str:
    """The reason why Cloudflare would refuse to change a setting; empty if it shows the setting as
    editable, or does not say."""
    is_locked = FLAG.normalise(setting.get("editable", True)) == "false"
    return "cannot be changed, since Cloudflare shows it as not editable" if is_locked else ""


UNDER_ATTACK = "under_attack"
# They challenge nobody any more, since Cloudflare computes no threat score ("Security Level").
IDLE_LEVELS = ("off", "essentially_off", "low", "medium", "high")
SECURITY_LEVELS = (*IDLE_LEVELS, UNDER_ATTACK)
SKIP_OF_LEVEL = "products securityLevel"  # among the names that a skip of rules has
SECURITY_LEVEL = Resource(
    name="security_level",
    plural="security_level",
    title="security level",
    owner=ZONE_OPTION,
    path=ZONE_OWNER.path + "/settings/security_level",
    permission=Permission("Zone Settings", "zone"),
    fields=(
        Field(
            "level",
            choice(*SECURITY_LEVELS),
            about="The level. With V(under_attack), Cloudflare challenges every visitor; the others"
            " challenge nobody any more.",
            lowered="Fewer visitors would be challenged",
            alike=IDLE_LEVELS,
        ),
    ),
    key=(),
    listing=Single(renaming("value", "level")),
    update=Write("PATCH"),
    read_only=("id", "editable", "modified_on"),
    semantics=Semantics(invalid_reason=_reason_if_locked),
)
