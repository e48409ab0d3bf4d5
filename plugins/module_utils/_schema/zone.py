# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The resources of a zone: firewall rules, WAF custom rules and its security level.

The vendor describes them in "Firewall Rules API" (deprecated), "Create a custom rule via API"
(Rulesets API) and "Zone Settings API".
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import AbstractSet, Any, Mapping, Sequence

from .._errors import OptionError
from .._expressions.examination import FIREWALL_EXPRESSION, RULE_EXPRESSION
from .._expressions.fields import doubts
from .._expressions.grammar import expression_of
from .._text import Option
from .._values.kinds import (
    A_LEVEL,
    FLAG,
    ID,
    PRIORITY,
    TEXT,
    Value,
    as_json,
    choice,
    mapping,
    ordered_list,
    several,
    text,
)
from .resource import (
    ACCOUNT_OPTION,
    CONTENTS,
    DELETE,
    OWNERS,
    RULESET_PATHS,
    TIMES_OF_CLOUDFLARE,
    ZONE_OPTION,
    ZONE_OWNER,
    ByCursor,
    Field,
    InFiles,
    Key,
    Nested,
    Object,
    OptionSpec,
    Paged,
    Permission,
    Resource,
    Semantics,
    Single,
    State,
    Values,
    Write,
    fields_in,
    id_of_new,
    renaming,
    without,
)
from .rulesets import (
    EXECUTE,
    LOGGING,
    REF,
    RESPONSE,
    RULE_SEMANTICS,
    check_response,
    deployed,
    entry_point,
    fields_of_rules,
    lacking,
    take_all,
)

PRODUCTS = ("zoneLockdown", "uaBlock", "bic", "hot", "securityLevel", "rateLimit", "waf")
# Among firewall rules of equal priority, Cloudflare evaluates actions in this order.
ACTIONS_BY_PRECEDENCE = (
    "log",
    "bypass",
    "allow",
    "challenge",
    "managed_challenge",
    "js_challenge",
    "block",
)


def rank_of_firewall_rule(rule: Object) -> tuple[bool, float, int]:
    """The place of a rule among all, as Cloudflare evaluates them; rules with equal ranks keep the
    order of the list."""
    priority: Any = rule.get("priority")
    action: Any = rule.get("action")
    is_number = isinstance(priority, (int, float)) and not isinstance(priority, bool)
    precedence = [*ACTIONS_BY_PRECEDENCE, action].index(action)  # an unknown action comes last
    return (not is_number, priority if is_number else 0, precedence)


def _check_products(values: Values) -> dict[str, Any]:
    if values.get("products") and values.get("action", "bypass") != "bypass":
        raise OptionError(Option("products"), "only a rule with action bypass has products")
    return dict(values)


def _without_idle_products(
    rule: Values, existing: Values, named: AbstractSet[str]
) -> dict[str, Any]:
    """Products go when their rule stops bypassing; Cloudflare takes them with no other action."""
    idle = not rule.get("products") or (rule.get("action") != "bypass" and "products" not in named)
    return without(rule, "products") if idle else dict(rule)


def _invalid_firewall_rule(rule: Values) -> str:
    """Return why Cloudflare would refuse a firewall rule whose products the task names."""
    if rule.get("products") and rule.get("action") != "bypass":
        action = rule.get("action")
        return f"has the action {action}, and only a rule with action bypass has products"
    return ""


PAUSED = Field("paused", FLAG, absent_default=False, switch=True)
DESCRIBED, REFERENCE = Field("description", text(500)), Field("ref", text(50))
FIREWALL_FILTER = (
    Field("id", ID),
    Field("expression", FIREWALL_EXPRESSION),
    PAUSED,
    DESCRIBED,
    REFERENCE,
)
UPDATE_OF_RULES = Write("PUT", by_id=True, batch=25, whole_object=True)
FIREWALL_RULES = Resource(
    name="firewall_rule",
    plural="firewall_rules",
    title="firewall rule",
    owner=ZONE_OPTION,
    path=ZONE_OWNER.path + "/firewall/rules",
    permission=Permission("Firewall Services", "zone"),
    fields=(
        Field("id", ID, required=True),
        Field("action", choice(*ACTIONS_BY_PRECEDENCE)),
        Field("priority", PRIORITY),
        PAUSED,
        DESCRIBED,
        Field("products", several(*PRODUCTS)),
        REFERENCE,
        Field("filter", Value({"type": "dict"}, dict, str), fields=FIREWALL_FILTER),
    ),
    key=("id",),
    update=UPDATE_OF_RULES,
    listing=Paged(100),
    traffic="request",
    rank=rank_of_firewall_rule,
    read_only=TIMES_OF_CLOUDFLARE,
    nested=Nested("filter", ZONE_OWNER.path + "/filters", UPDATE_OF_RULES, read_only=("deleted",)),
    retired=(
        "Cloudflare has retired firewall rules for this zone: manage its WAF custom rules with the"
        " module custom_rules; the role export writes them as variables."
    ),
    semantics=Semantics(
        complete=_check_products,
        normalise=_without_idle_products,
        invalid_reason=_invalid_firewall_rule,
    ),
)

CUSTOM_RULE_ACTIONS = ("block", "challenge", "js_challenge", "managed_challenge", "log", "skip")
SKIPPABLE_PHASES = ("http_ratelimit", "http_request_sbfm", "http_request_firewall_managed")
PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "ruleset": {"type": "str", "choices": ["current"]},
    "phase": {"type": "str", "choices": ["current"]},
    "phases": {"type": "list", "elements": "str", "choices": list(SKIPPABLE_PHASES)},
    "products": {"type": "list", "elements": "str", "choices": list(PRODUCTS)},
    "response": {"type": "dict", "options": RESPONSE},
}
BLOCK_PARAMETERS = {"response"}
SKIP_PARAMETERS = PARAMETERS.keys() - BLOCK_PARAMETERS
UNMANAGED_SKIP_PARAMETERS = {"rulesets", "rules"}  # kept where a rule has them


def _invalid_custom_rule(rule: Values) -> str:
    """Return why Cloudflare would refuse a custom rule, by the vendor's page "Custom rules:
    available skip options"."""
    missing = lacking(rule, "action", "expression")
    if missing:
        return missing
    parameters = set(rule.get("action_parameters") or {})
    if rule["action"] == "skip" and not parameters & (SKIP_PARAMETERS | UNMANAGED_SKIP_PARAMETERS):
        return "has the action skip and needs action_parameters that say what is skipped"
    if rule["action"] != "block" and parameters & BLOCK_PARAMETERS:
        return f"has the action {rule['action']}, and only block has a response"
    if rule["action"] != "skip" and parameters & SKIP_PARAMETERS:
        return f"has the action {rule['action']}, and only skip says what is skipped"
    return ""


def _with_id(rule: Object, ids: Mapping[str, str]) -> Object:
    """A rule that deploys a ruleset, with the id of that."""
    identity = ids.get(deployed(rule))
    if not identity:
        return rule
    return {**rule, "action_parameters": {**rule["action_parameters"], "id": identity}}


CUSTOM_PHASE, CUSTOM_KIND = "http_request_firewall_custom", "custom"  # of a ruleset
WAF: Mapping[str, Permission] = {
    owner.option: Permission(f"{owner.title.capitalize()} WAF", owner.title)
    for owner in OWNERS.values()
}
_FIELDS = fields_of_rules(
    CUSTOM_RULE_ACTIONS, RULE_EXPRESSION, mapping(PARAMETERS, check_response), LOGGING
)
CUSTOM_RULES = entry_point(
    name="custom_rule",
    title="custom rule",
    owner=ZONE_OPTION,
    phase=CUSTOM_PHASE,
    traffic="request",
    permission=WAF[ZONE_OPTION],
    fields=_FIELDS,
    semantics=RULE_SEMANTICS._replace(
        invalid_reason=_invalid_custom_rule,
        unusual=lambda rule: doubts(expression_of(rule)),
        with_ids=_with_id,
    ),
)

ENTERPRISE_ZONES = 'cf.zone.plan eq "ENT"'


def _invalid_rule_of_account(rule: Values) -> str:
    """Return why Cloudflare would refuse a rule of an account, by the vendor's page "Create a
    custom ruleset using the API" (account)."""
    expression = str(rule.get("expression") or "")
    if (rule.get("action_parameters") or {}).get("phase"):
        return "skips the rest of the phase, which rules of a zone alone can"
    if rule.get("action") != EXECUTE or ENTERPRISE_ZONES in expression:
        return _invalid_custom_rule(rule)
    both = (
        ENTERPRISE_ZONES if expression in ("", "true") else f"({expression}) and {ENTERPRISE_ZONES}"
    )
    return (
        f"deploys a ruleset of an account, and its expression needs {ENTERPRISE_ZONES}, since"
        f" only zones of the plan Enterprise have such rules. Set it to {both}"
    )


# Requests to zones of the plan Enterprise meet these rules first.
CUSTOM_RULES_OF_ACCOUNT = entry_point(
    name="account_custom_rule",
    title="custom rule of the account",
    owner=ACCOUNT_OPTION,
    phase=CUSTOM_PHASE,
    permission=WAF[ACCOUNT_OPTION],
    fields=_FIELDS,
    semantics=CUSTOM_RULES.semantics._replace(invalid_reason=_invalid_rule_of_account),
)
ENTRY_POINTS = {ZONE_OPTION: CUSTOM_RULES, ACCOUNT_OPTION: CUSTOM_RULES_OF_ACCOUNT}
EXECUTED_RULESETS = "executed_rulesets"  # in a state: the rulesets that rules execute


def ruleset_of(owner: str, identity: str) -> Resource:
    """A ruleset with its rules, to read it."""
    path, permission = f"{RULESET_PATHS[owner]}/{identity}", WAF[owner]
    name, title = "custom_ruleset", "custom ruleset"
    return Resource(name, EXECUTED_RULESETS, title, owner, path, permission, (), (), Single())


def _other_ruleset(ruleset: Object) -> str:
    kind, phase = ruleset.get("kind"), ruleset.get("phase")
    is_ours = (kind, phase) == (CUSTOM_KIND, CUSTOM_PHASE)
    return "" if is_ours else f"is of the kind {kind} and the phase {phase}"


def rules_of(owner: str, name: str) -> Resource:
    """The rules of the custom ruleset with this name."""
    rulesets = CUSTOM_RULESETS[owner]
    return replace(
        ENTRY_POINTS[owner],
        name="custom_ruleset_rule",
        plural=f"rules of {name}",
        title="rule of the ruleset",
        plural_title=f"rules of the ruleset {name}",
        path=f"{rulesets.path}/{{parent_id}}",
        quota=100,
        parent=rulesets,
        parent_name=name,
    )


def _rules_in(owner: str, obj: Object) -> Resource:
    return rules_of(owner, CUSTOM_RULESETS[owner].label_of(obj))


def _whole_ruleset(owner: str, obj: Object, state: State) -> dict[str, Any]:
    """A ruleset with its rules and its deployment."""
    name = CUSTOM_RULESETS[owner].label_of(obj)
    ids, rules = (obj.get("id"), id_of_new(name)), state[ENTRY_POINTS[owner].plural]
    place = next((index for index, rule in enumerate(rules) if deployed(rule) in ids), None)
    deploy: dict[str, Any] | None = None
    if place is not None:
        position = f"after {rules[place - 1].get('ref')}" if place else "first"
        deploy = {name: rules[place].get(name) for name in DEPLOYMENT_OPTIONS}
        deploy["position"] = position
        parameters = fields_in(rules[place].get("action_parameters"))
        deploy.update(without(parameters, "id"))  # which no option describes
    own = list(obj.get(CONTENTS, state.get(rules_of(owner, name).plural, ())))
    return {**without(obj, *OF_EACH), "rules": own, "deploy": deploy}


def _rulesets(owner: str) -> Resource:
    name = "custom_ruleset" if owner == ZONE_OPTION else "account_custom_ruleset"
    return Resource(
        name=name,
        plural=f"{name}s",
        title="custom ruleset",
        owner=owner,
        path=RULESET_PATHS[owner],
        permission=WAF[owner],
        fields=(
            Field("name", REF.value, required=True),
            Field("description", TEXT, default="", inert=True),
            Field("kind", choice(CUSTOM_KIND), default=CUSTOM_KIND),
            Field("phase", choice(CUSTOM_PHASE), default=CUSTOM_PHASE),
        ),
        key=("name",),
        create=Write("POST"),
        update=Write("PUT", by_id=True),
        delete=DELETE,
        listing=ByCursor(50),
        on_demand=True,
        read_only=("version", "last_updated"),
        quota=10,
        contents=partial(_rules_in, owner),
        holds_rules=True,
        is_referred_to=True,
        phase=CUSTOM_PHASE,
        semantics=Semantics(not_ours=_other_ruleset, assembled=partial(_whole_ruleset, owner)),
    )


OF_EACH = ("kind", "phase")  # fields with one value for all
CUSTOM_RULESETS: Mapping[str, Resource] = {owner: _rulesets(owner) for owner in OWNERS}


def _as_deployed(value: Any) -> str:
    """A deployment as text, whatever its place; parameters that no option describes are part of
    it."""
    known = {**dict.fromkeys(DEPLOYMENT_OPTIONS), **(value or {})}
    return as_json(without(known, "position"))


DEPLOYMENT_OPTIONS: OptionSpec = {  # its position is for a new one
    "ref": {"type": "str"},
    "expression": {"type": "str"},
    "enabled": {"type": "bool"},
}
_DEPLOYMENT = mapping(DEPLOYMENT_OPTIONS, take_all)
_PARTS = (
    Field("rules", ordered_list(CUSTOM_RULES.options)),
    Field("deploy", _DEPLOYMENT._replace(normalise=_as_deployed), absent_default={}),
)
# A ruleset with its rules and its deployment as one object, as files have it.
WHOLE_RULESETS: Mapping[str, Resource] = {
    owner: replace(
        one,
        fields=tuple(item for item in one.fields if item.name not in OF_EACH) + _PARTS,
        listing=InFiles([one, ENTRY_POINTS[owner]]),
    )
    for owner, one in CUSTOM_RULESETS.items()
}


def deploying_rules(rulesets: Sequence[Object], state: State) -> list[Key]:
    """The keys of the custom rules of a zone that deploy these rulesets of it."""
    deployments = (_whole_ruleset(ZONE_OPTION, obj, state)["deploy"] for obj in rulesets)
    return [CUSTOM_RULES.key_of(one) for one in deployments if one]


def whole_rulesets(state: State, owner: str) -> list[Object]:
    """The custom rulesets of a state that has their rules, each by the ids that rules may name."""
    rulesets: list[Object] = []
    for obj in CUSTOM_RULESETS[owner].our_objects_in(state):
        name = CUSTOM_RULESETS[owner].label_of(obj)
        rules = obj.get(CONTENTS, state.get(rules_of(owner, name).plural))
        ids = filter(None, (obj.get("id"), "" if CONTENTS in obj else id_of_new(name)))
        every = [{**obj, "id": identity, "rules": rules} for identity in ids]
        rulesets += every if rules is not None else []
    return rulesets


ENTERPRISE = "enterprise"
PLAN_NAMES = {"free": "FREE", "pro": "PRO", "business": "BIZ", ENTERPRISE: "ENT"}
OTHER_PLANS = PLAN_NAMES.keys() - {ENTERPRISE}


def plan_of(zone: Object) -> str:
    """The plan of a zone in the words of the API; empty where it is not known."""
    return str(fields_in(zone.get("plan")).get("legacy_id") or "")


def _locked(setting: Object) -> str:
    """Return why Cloudflare would refuse to change a setting; one that does not say so may be."""
    is_locked = FLAG.normalise(setting.get("editable", True)) == "false"
    return "cannot be changed, since Cloudflare shows it as not editable" if is_locked else ""


SECURITY_LEVELS = ("off", "essentially_off", "low", "medium", "high", "under_attack")
SECURITY_LEVEL = Resource(
    name="security_level",
    plural="security_level",
    title="security level",
    owner=ZONE_OPTION,
    path=ZONE_OWNER.path + "/settings/security_level",
    permission=Permission("Zone Settings", "zone"),
    fields=(Field("level", choice(*SECURITY_LEVELS)._replace(subject=A_LEVEL)),),
    key=(),
    listing=Single(renaming("value", "level")),
    update=Write("PATCH"),
    read_only=("id", "editable", "modified_on"),
    semantics=Semantics(invalid_reason=_locked),
)
