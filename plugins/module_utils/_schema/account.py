# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The resources of an account's Advanced TCP Protection and Advanced DNS Protection.

The vendor describes them in "Advanced TCP Protection API" and "Advanced DNS Protection API", and on
their pages "JSON objects".
"""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple

from .._errors import OptionError
from .._expressions.examination import FILTER_EXPRESSION
from .._text import Option
from .._values.address_set import unusual_to_protect
from .._values.kinds import A_MODE, A_PREFIX, CODE, FLAG, NETWORK, TEXT, choice
from .products import DNS, TCP
from .resource import (
    ACCOUNT_OPTION,
    ACCOUNT_OWNER,
    DELETE,
    TIMES_OF_CLOUDFLARE,
    Field,
    Object,
    Permission,
    Resource,
    Semantics,
    Single,
    Values,
    Write,
)

CONFIGS = ACCOUNT_OWNER.path + "/magic/advanced_tcp_protection/configs"
DNS_PATH = ACCOUNT_OWNER.path + "/magic/advanced_dns_protection/configs"
DDOS_PERMISSION = Permission("DDoS Protection", "account", token_only=True)

ENABLED, MONITORING, DISABLED = MODES = ("enabled", "monitoring", "disabled")
ANY_CODE = re.compile(r".*", re.DOTALL)
CODE_FORMS = {  # scope: the form of its codes, and an example
    "region": (re.compile(r"[a-z]{2,4}", re.IGNORECASE), "WEUR"),
    "datacenter": (re.compile(r"[a-z]{3}[0-9]{0,2}", re.IGNORECASE), "FRA"),
}
MODE = Field("mode", choice(*MODES)._replace(subject=A_MODE), default=MONITORING, switch=True)
LEVELS_OF_RULES = ("low", "medium", "high")
LEVELS_OF_PROFILES = (*LEVELS_OF_RULES, "very_high")
SENSITIVITY, PROFILES = choice(*LEVELS_OF_RULES), choice(*LEVELS_OF_PROFILES)
RESPONSES = choice("challenge", "retransmit")
COMMENT = Field("comment", TEXT, default="", inert=True)


def _collection(
    *, path: str, fields: tuple[Field, ...], product: str = TCP, **declaration: Any
) -> Resource:
    """A collection of an account whose objects are created, updated and deleted by themselves."""
    writes = {"create": Write("POST"), "update": Write("PATCH", by_id=True), "delete": DELETE}
    return Resource(
        owner=ACCOUNT_OPTION,
        product=product,
        path=path,
        permission=DDOS_PERMISSION,
        fields=fields,
        read_only=TIMES_OF_CLOUDFLARE,
        has_duplicates=True,
        **{**writes, **declaration},
    )


# The products that share the prefixes, the allowlist and the status of an account, whichever it has
# (Cloudflare docs: DDoS Protection, Advanced DDoS systems).
SHARING = (
    "Advanced TCP Protection, Advanced DNS Protection and Programmable Flow Protection share the {}"
)


class ComponentDeclaration(NamedTuple):
    """A component of the protection, which has a list of rules, and one of filters if the product
    has filters.

    `title` is its name as the vendor writes it, `short_title` the one before "rule" and "filter".
    `path` is that of its lists; `rule_fields` are the fields that only its rules have.
    """

    title: str
    short_title: str
    product: str
    path: str
    rule_fields: tuple[Field, ...] = ()

    @property
    def is_switched(self) -> bool:
        """Return whether it does nothing while the status of TCP protection is off."""
        return self.product == TCP


COMPONENTS: Mapping[str, ComponentDeclaration] = {
    "syn_flood": ComponentDeclaration(
        "SYN flood protection",
        "SYN flood",
        TCP,
        CONFIGS + "/syn_protection",
        (Field("mitigation_type", RESPONSES, absent_default="challenge", inert=True),),
    ),
    "out_of_state_tcp": ComponentDeclaration(
        "out-of-state TCP protection", "out-of-state TCP", TCP, CONFIGS + "/tcp_flow_protection"
    ),
    "dns": ComponentDeclaration(
        "DNS protection",
        "DNS protection",
        DNS,
        DNS_PATH + "/dns_protection",
        (Field("profile_sensitivity", PROFILES, default="low"),),
    ),
}
TCP_KINDS = tuple(name for name, component in COMPONENTS.items() if component.product == TCP)

STATUS = Resource(
    name="tcp_protection_status",
    plural="status",
    title="TCP protection status",
    owner=ACCOUNT_OPTION,
    product=TCP,
    path=CONFIGS + "/tcp_protection_status",
    permission=DDOS_PERMISSION,
    fields=(Field("enabled", FLAG),),
    key=(),
    listing=Single(),
    update=Write("PATCH"),
)


def _unusual_prefix(prefix: Values) -> str:
    """A remark on a network that an account hardly protects; empty for any other, and for an
    excluded one, which may be any network."""
    return "" if prefix.get("excluded") else unusual_to_protect(prefix.get("prefix"))


def _is_disabled(obj: Object) -> bool:
    return CODE.normalise(obj.get(MODE.name)) == DISABLED


PREFIXES = _collection(
    name="prefix",
    plural="prefixes",
    title="prefix",
    path=CONFIGS + "/prefixes",
    fields=(
        Field("prefix", A_PREFIX, required=True),
        COMMENT,
        Field("excluded", FLAG, default=False, switch=True),
    ),
    key=("prefix",),
    semantics=Semantics(
        unusual=_unusual_prefix,
        protects_nobody=lambda prefix: FLAG.normalise(prefix.get("excluded")) == "true",
    ),
    create=Write("POST", suffix="/bulk", batch=300),
)

ALLOWLIST = _collection(
    name="allowlist_entry",
    plural="allowlist",
    title="allowlist entry",
    plural_title="allowlist",
    path=CONFIGS + "/allowlist",
    fields=(Field("prefix", NETWORK, required=True), COMMENT, Field("enabled", FLAG, default=True)),
    key=("prefix",),
    semantics=Semantics(
        protects_nobody=lambda entry: FLAG.normalise(entry.get("enabled", True)) == "false"
    ),
)


def _complete_name(values: Values) -> dict[str, object]:
    """The fields of a rule with its complete name: that of a global rule is `global`, any other has
    the code of a region or data center. Raises OptionError."""
    scope, name = values["scope"], values.get("name")
    problem = ""
    if scope != "global" and name is None:
        problem = f"a rule with scope {scope} needs the code of its {scope}"
    if scope == "global" and str(name or "global").casefold() != "global":
        problem = f"a rule with scope global is called global, not '{name}'; is the scope right?"
    if problem:
        raise OptionError(Option("name"), problem)
    return dict(values, name="global" if scope == "global" else name)


def _unusual_code(rule: Values) -> str:
    """A remark on a code of a region or data center with an odd form, since Cloudflare accepts any;
    empty for a usual one."""
    scope = str(rule.get("scope"))
    code = str(rule.get("name")).strip()
    form, example = CODE_FORMS.get(scope, (ANY_CODE, ""))
    if form.fullmatch(code):
        return ""
    return f"has a code that no {scope} has; they look like {example}"


def _rules_for(component: str) -> Resource:
    details = COMPONENTS[component]
    return _collection(
        name=component + "_rule",
        plural=component + "_rules",
        title=details.short_title + " rule",
        product=details.product,
        component=component,
        kind=component if component in TCP_KINDS else None,
        on_demand=details.product != TCP,
        path=details.path + "/rules",
        fields=(
            Field("scope", choice("global", "region", "datacenter"), required=True),
            Field("name", CODE),
            MODE,
            Field("rate_sensitivity", SENSITIVITY, default="medium"),
            Field("burst_sensitivity", SENSITIVITY, default="medium"),
            *details.rule_fields,
        ),
        key=("scope", "name"),
        semantics=Semantics(
            complete=_complete_name, unusual=_unusual_code, protects_nobody=_is_disabled
        ),
    )


def _filters(kind: str) -> Resource:
    return _collection(
        name=kind + "_filter",
        plural=kind + "_filters",
        title=COMPONENTS[kind].short_title + " filter",
        component=kind,
        kind=kind,
        path=COMPONENTS[kind].path + "/filters",
        fields=(Field("expression", FILTER_EXPRESSION, required=True), MODE),
        key=("expression",),
        semantics=Semantics(protects_nobody=_is_disabled),
    )


RULES = tuple(map(_rules_for, TCP_KINDS))
FILTERS = tuple(map(_filters, TCP_KINDS))
DNS_RULES = _rules_for("dns")

# In the order in which the vendor's manual sets them up.
ACCOUNT_RESOURCES = (PREFIXES, *RULES, *FILTERS, DNS_RULES, ALLOWLIST, STATUS)
ACCOUNT = tuple(resource for resource in ACCOUNT_RESOURCES if not resource.on_demand)
# By option: the collections that one list holds.
COLLECTIONS: Mapping[str, tuple[Resource, ...]] = {
    "prefixes": (PREFIXES,),
    "allowlist": (ALLOWLIST,),
    "rules": RULES,
    "filters": FILTERS,
    "dns_rules": (DNS_RULES,),
}


def rules_of_component(component: str) -> Resource:
    """The rules of a component."""
    return next(rules for rules in (*RULES, DNS_RULES) if rules.component == component)


def levels_of_rule(component: str, rule: Object) -> dict[str, str]:
    """The sensitivities of a rule of a component, by field; the default where it lacks one."""
    levels: dict[str, str] = {}
    for field in rules_of_component(component).fields:
        if field.value in (SENSITIVITY, PROFILES):
            level = rule.get(field.name) or field.default
            levels[field.name] = str(CODE.normalise(level))
    return levels


def filters_of(component: str) -> Resource | None:
    """The filters of a component; None if its product has no filters."""
    return next((filters for filters in FILTERS if filters.component == component), None)


def decided_with(resource: Resource) -> tuple[Resource, ...]:
    """The resources that, together with this one, decide who is protected; none for a resource that
    protects nobody."""
    together = (*ACCOUNT, resource) if resource in ACCOUNT_RESOURCES else ()
    return tuple(member for member in ACCOUNT_RESOURCES if member in together)
