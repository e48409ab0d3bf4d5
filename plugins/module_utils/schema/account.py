# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The resources of an account's Advanced TCP Protection.

The vendor describes them in "Advanced TCP Protection API" and its page "JSON objects".
"""

from __future__ import annotations

from typing import Mapping, NamedTuple

from ..errors import OptionError
from .expressions import FILTER_EXPRESSION
from .resource import Field, Permission, Resource, Values, Write
from .values import CODE, FLAG, NETWORK, TEXT, choice

OWNER = "account_id"
PATH = "accounts/{account_id}/magic/advanced_tcp_protection/configs"
PERMISSION = Permission("DDoS Protection", "account", token_only=True)

STAMPS = ("created_on", "modified_on")
PATCH = Write("PATCH", by_id=True)
DELETE = Write("DELETE", by_id=True)
ENABLED, MONITORING, DISABLED = MODES = ("enabled", "monitoring", "disabled")
MODE = Field("mode", choice(*MODES), default=MONITORING)
SENSITIVITY = choice("low", "medium", "high")
RATE = Field("rate_sensitivity", SENSITIVITY, default="medium", inert=True)
BURST = Field("burst_sensitivity", SENSITIVITY, default="medium", inert=True)
COMMENT = Field("comment", TEXT, default="", inert=True)


class Kind(NamedTuple):
    """A component of the protection: its part of the path, its name as the vendor writes it, its own rule fields."""

    path: str
    title: str
    rule_fields: tuple[Field, ...] = ()


KINDS: Mapping[str, Kind] = {
    "syn_flood": Kind(
        "syn_protection",
        "SYN flood",
        (Field("mitigation_type", choice("challenge", "retransmit"), absent_default="challenge", inert=True),),
    ),
    "out_of_state_tcp": Kind("tcp_flow_protection", "out-of-state TCP"),
}

STATUS = Resource(
    name="tcp_protection_status",
    plural="status",
    title="TCP protection status",
    owner=OWNER,
    path=PATH + "/tcp_protection_status",
    permission=PERMISSION,
    fields=(Field("enabled", FLAG),),
    key=(),
    update=Write("PATCH"),
)

PREFIXES = Resource(
    name="prefix",
    plural="prefixes",
    title="prefix",
    owner=OWNER,
    path=PATH + "/prefixes",
    permission=PERMISSION,
    fields=(Field("prefix", NETWORK, required=True), COMMENT, Field("excluded", FLAG, default=False)),
    key=("prefix",),
    address_field="prefix",
    create=Write("POST", suffix="/bulk", batch=300),
    update=PATCH,
    delete=DELETE,
    read_only=STAMPS,
)

ALLOWLIST = Resource(
    name="allowlist_entry",
    plural="allowlist",
    title="allowlist entry",
    owner=OWNER,
    path=PATH + "/allowlist",
    permission=PERMISSION,
    fields=(Field("prefix", NETWORK, required=True), COMMENT, Field("enabled", FLAG, default=True)),
    key=("prefix",),
    address_field="prefix",
    create=Write("POST"),
    update=PATCH,
    delete=DELETE,
    read_only=STAMPS,
)


def _complete_name(values: Values) -> dict[str, object]:
    """A global rule is named `global`; any other is named by its region or data center."""
    scope, name = values["scope"], values.get("name")
    if scope != "global" and name is None:
        raise OptionError("name", f"a rule with scope {scope} needs the code of its {scope}")
    if scope == "global" and str(name or "global").casefold() != "global":
        raise OptionError("name", f"a rule with scope global is called global, not '{name}'; is the scope right?")
    return dict(values, name=name or "global")


def _rules(kind: str) -> Resource:
    return Resource(
        name=kind + "_rule",
        plural=kind + "_rules",
        title=KINDS[kind].title + " rule",
        owner=OWNER,
        path=f"{PATH}/{KINDS[kind].path}/rules",
        permission=PERMISSION,
        fields=(
            Field("scope", choice("global", "region", "datacenter"), required=True),
            Field("name", CODE),
            MODE,
            RATE,
            BURST,
            *KINDS[kind].rule_fields,
        ),
        key=("scope", "name"),
        mode_field=MODE.name,
        create=Write("POST"),
        kind=kind,
        complete=_complete_name,
        update=PATCH,
        delete=DELETE,
        read_only=STAMPS,
    )


def _filters(kind: str) -> Resource:
    return Resource(
        name=kind + "_filter",
        plural=kind + "_filters",
        title=KINDS[kind].title + " filter",
        owner=OWNER,
        path=f"{PATH}/{KINDS[kind].path}/filters",
        permission=PERMISSION,
        fields=(Field("expression", FILTER_EXPRESSION, required=True), MODE),
        key=("expression",),
        mode_field=MODE.name,
        create=Write("POST"),
        kind=kind,
        update=PATCH,
        delete=DELETE,
        read_only=STAMPS,
    )


RULES = tuple(map(_rules, KINDS))
FILTERS = tuple(map(_filters, KINDS))

ACCOUNT = (PREFIXES, *RULES, *FILTERS, ALLOWLIST, STATUS)  # in the order in which the vendor's manual sets them up


def of_kind(resources: tuple[Resource, ...], kind: str | None) -> Resource:
    """The rules or filters of one kind."""
    return next(resource for resource in resources if resource.kind == kind)
