# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every resource that the collection manages, each declared once (facts.md, sections 1.1 and 1.3)."""

from __future__ import annotations

from typing import Any, Mapping

from .declaration import Field, Nested, Resource, Write
from .errors import OptionError
from .values import CODE, EXPRESSION, FLAG, ID, NETWORK, PRIORITY, TEXT, Value, choice, several

ACCOUNT_PATH = "accounts/{account_id}/magic/advanced_tcp_protection/configs"
ZONE_PATH = "zones/{zone_id}"

PATCH = Write("PATCH", by_id=True)
DELETE = Write("DELETE", by_id=True)
MODE = Field("mode", choice("enabled", "monitoring", "disabled"), default="monitoring")
SENSITIVITY = choice("low", "medium", "high")
KINDS = {"syn_flood": "syn_protection", "out_of_state_tcp": "tcp_flow_protection"}

STATUS = Resource(
    name="tcp_protection_status",
    plural="status",
    path=ACCOUNT_PATH + "/tcp_protection_status",
    fields=(Field("enabled", FLAG),),
    key=(),
    update=Write("PATCH"),
)

PREFIXES = Resource(
    name="prefix",
    plural="prefixes",
    path=ACCOUNT_PATH + "/prefixes",
    fields=(
        Field("prefix", NETWORK, required=True),
        Field("comment", TEXT, default=""),
        Field("excluded", FLAG, default=False),
    ),
    key=("prefix",),
    create=Write("POST", suffix="/bulk", batch=300),
    update=PATCH,
    delete=DELETE,
)

ALLOWLIST = Resource(
    name="allowlist_entry",
    plural="allowlist",
    path=ACCOUNT_PATH + "/allowlist",
    fields=(
        Field("prefix", NETWORK, required=True),
        Field("comment", TEXT, default=""),
        Field("enabled", FLAG, default=True),
    ),
    key=("prefix",),
    create=Write("POST"),
    update=PATCH,
    delete=DELETE,
)


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    """A global rule is called so; any other names its region or data center."""
    scope, name = values["scope"], values.get("name")
    if scope != "global" and name is None:
        raise OptionError("name", f"a rule with scope {scope} needs the code of its {scope}")
    if scope == "global" and str(name or "global").casefold() != "global":
        raise OptionError("name", f"a rule with scope global is called global, not '{name}'; is the scope right?")
    return dict(values, name=name or "global")


def _rules(kind: str, *more: Field) -> Resource:
    return Resource(
        name=kind + "_rule",
        plural=kind + "_rules",
        path=f"{ACCOUNT_PATH}/{KINDS[kind]}/rules",
        fields=(
            Field("scope", choice("global", "region", "datacenter"), required=True),
            Field("name", CODE),
            MODE,
            Field("rate_sensitivity", SENSITIVITY, default="medium"),
            Field("burst_sensitivity", SENSITIVITY, default="medium"),
            *more,
        ),
        key=("scope", "name"),
        create=Write("POST"),
        kind=kind,
        complete=_named,
        update=PATCH,
        delete=DELETE,
    )


def _filters(kind: str) -> Resource:
    return Resource(
        name=kind + "_filter",
        plural=kind + "_filters",
        path=f"{ACCOUNT_PATH}/{KINDS[kind]}/filters",
        fields=(Field("expression", EXPRESSION, required=True), MODE),
        key=("expression",),
        create=Write("POST"),
        kind=kind,
        update=PATCH,
        delete=DELETE,
    )


RULES = (
    _rules("syn_flood", Field("mitigation_type", choice("challenge", "retransmit"), unsaid="challenge")),
    _rules("out_of_state_tcp"),
)
FILTERS = tuple(_filters(kind) for kind in KINDS)

PRODUCTS = ("zoneLockdown", "uaBlock", "bic", "hot", "securityLevel", "rateLimit", "waf")
ACTIONS = ("log", "bypass", "allow", "challenge", "managed_challenge", "js_challenge", "block")


def _bypassing(values: Mapping[str, Any]) -> dict[str, Any]:
    if values.get("products") and values.get("action", "bypass") != "bypass":
        raise OptionError("products", "only a rule with action bypass has products")
    return dict(values)


def _without_idle_products(rule: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Products go when their rule stops bypassing; the service takes them with no other action."""
    idle = not rule.get("products") or (rule.get("action") != "bypass" and "products" not in fields)
    return {name: value for name, value in rule.items() if not (idle and name == "products")}


FIREWALL_FILTER = (
    Field("id", ID),
    Field("expression", EXPRESSION),
    Field("paused", FLAG),
    Field("description", TEXT),
    Field("ref", TEXT),
)
FIREWALL_RULES = Resource(
    name="firewall_rule",
    plural="firewall_rules",
    path=ZONE_PATH + "/firewall/rules",
    fields=(
        Field("id", ID, required=True),
        Field("action", choice(*ACTIONS)),
        Field("priority", PRIORITY),
        Field("paused", FLAG),
        Field("description", TEXT),
        Field("products", several(*PRODUCTS)),
        Field("ref", TEXT),
        Field("filter", Value({"type": "dict"}, dict, str), fields=FIREWALL_FILTER),
    ),
    key=("id",),
    update=Write("PUT", by_id=True, batch=25, whole=True),
    page_size=100,
    volatile=("created_on", "modified_on"),
    nested=Nested("filter", ZONE_PATH + "/filters", Write("PUT", by_id=True, batch=25, whole=True)),
    complete=_bypassing,
    settle=_without_idle_products,
)

ACCOUNT = (PREFIXES, *RULES, *FILTERS, ALLOWLIST, STATUS)  # in the order in which the manual sets them up


def of_kind(resources: tuple[Resource, ...], kind: str | None) -> Resource:
    """The rules or filters of one kind."""
    return next(resource for resource in resources if resource.kind == kind)
