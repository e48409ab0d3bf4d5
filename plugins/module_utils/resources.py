# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every resource that the collection manages, each declared once (facts.md, sections 1.1 and 1.3)."""

from __future__ import annotations

from typing import Any, Mapping

from .declaration import Field, Nested, Resource, Write
from .errors import OptionError
from .values import CODE, EXPRESSION, FLAG, ID, NETWORK, PRIORITY, TEXT, Value, choice, mapping, several

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

WAF_ACTIONS = ("block", "challenge", "js_challenge", "managed_challenge", "log", "skip")
SKIPPED_PHASES = ("http_ratelimit", "http_request_sbfm", "http_request_firewall_managed")
RESPONSE: Mapping[str, Mapping[str, Any]] = {
    "status_code": {"type": "int", "required": True},
    "content": {"type": "str", "required": True},
    "content_type": {"type": "str", "required": True},
}
PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "ruleset": {"type": "str", "choices": ["current"]},
    "phase": {"type": "str", "choices": ["current"]},
    "phases": {"type": "list", "elements": "str", "choices": list(SKIPPED_PHASES)},
    "products": {"type": "list", "elements": "str", "choices": list(PRODUCTS)},
    "response": {"type": "dict", "options": RESPONSE},
}


def _known_status(parameters: Mapping[str, Any]) -> None:
    status = parameters.get("response", {}).get("status_code", 403)
    if not 400 <= status <= 499:
        raise ValueError(f"response.status_code is {status}, and not between 400 and 499")


def _anything(parameters: Mapping[str, Any]) -> None:
    """Nothing to check."""


LOGGED = {"logging": {"enabled": True}}  # what the service does by itself with a request that is skipped


def _by_its_action(rule: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters go with the action that they belong to; a position is not a field of the rule."""
    changed = "action" in fields and "action_parameters" not in fields
    idle = {"position", *(["action_parameters", "logging"] if changed else [])} - (fields.keys() - {"position"})
    settled = {name: value for name, value in rule.items() if name not in idle}
    return {**LOGGED, **settled} if settled.get("action") == "skip" else settled


def _lacking(rule: Mapping[str, Any]) -> str:
    """What the service would refuse a custom rule for (facts.md, section 1.4)."""
    missing = [name for name in ("action", "expression") if not rule.get(name)]
    if missing:
        return f"is new and needs {' and '.join(missing)}"
    parameters = rule.get("action_parameters") or {}
    if rule["action"] == "skip" and not set(parameters) & {
        "ruleset",
        "phase",
        "phases",
        "products",
        "rulesets",
        "rules",
    }:
        return "has the action skip and needs action_parameters that say what is skipped"
    if rule["action"] != "block" and "response" in parameters:
        return f"has the action {rule['action']}, and only block has a response"
    if rule["action"] != "skip" and set(parameters) & {"ruleset", "phase", "phases", "products"}:
        return f"has the action {rule['action']}, and only skip says what is skipped"
    return ""


CUSTOM_RULES = Resource(
    name="custom_rule",
    plural="custom_rules",
    path=ZONE_PATH + "/rulesets/phases/http_request_firewall_custom/entrypoint",
    fields=(
        Field("ref", Value(CODE.option, CODE.parse, str), required=True),
        Field("action", choice(*WAF_ACTIONS)),
        Field("expression", EXPRESSION),
        Field("description", TEXT, default=""),
        Field("enabled", FLAG, default=True, unsaid=True),
        Field("action_parameters", mapping(PARAMETERS, _known_status), unsaid={}),
        Field("logging", mapping({"enabled": {"type": "bool", "required": True}}, _anything), unsaid=LOGGED["logging"]),
    ),
    key=("ref",),
    create=Write("PUT"),
    update=Write("PUT"),
    delete=Write("PUT"),
    volatile=("version", "last_updated"),
    inside="rules",
    beside=("description",),
    settle=_by_its_action,
    flaw=_lacking,
)

ACCOUNT = (PREFIXES, *RULES, *FILTERS, ALLOWLIST, STATUS)  # in the order in which the manual sets them up


def of_kind(resources: tuple[Resource, ...], kind: str | None) -> Resource:
    """The rules or filters of one kind."""
    return next(resource for resource in resources if resource.kind == kind)
