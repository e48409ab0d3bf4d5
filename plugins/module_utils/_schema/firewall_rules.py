# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The firewall rules of a zone, which the vendor describes in "Firewall Rules API" (deprecated)."""

from __future__ import annotations

from typing import AbstractSet, Any

from .._errors import OptionError
from .._expressions.examination import FIREWALL_EXPRESSION
from .._text import Option
from .._values.kinds import FLAG, ID, PRIORITY, Value, choice, several, text
from .resource import (
    TIMES_OF_CLOUDFLARE,
    ZONE_OPTION,
    ZONE_OWNER,
    Field,
    Nested,
    Object,
    Paged,
    Permission,
    Resource,
    Semantics,
    Values,
    Write,
    fields_in,
    without,
)
from .rulesets import SKIPPED_PRODUCTS

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
    """The sort key of a rule in the order in which Cloudflare evaluates rules; rules with equal
    keys keep the order of the list."""
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
    rule: Values, existing: Values, task_fields: AbstractSet[str]
) -> dict[str, Any]:
    """A rule without its products unless its action is bypass, the only one with which Cloudflare
    accepts them; products that the task names stay, so that they can be refused."""
    has_products = bool(rule.get("products"))
    may_have_products = rule.get("action") == "bypass" or "products" in task_fields
    if has_products and may_have_products:
        return dict(rule)
    return without(rule, "products")


def _invalid_firewall_rule(rule: Values) -> str:
    """The reason why Cloudflare would refuse a firewall rule whose products the task names; empty
    if it would not."""
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


def has_deleted_filter(rule: Object) -> bool:
    """Return whether the filter of a rule is deleted; Cloudflare shows its id alone then."""
    return FLAG.normalise(fields_in(rule.get("filter")).get("deleted")) == "true"


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
        Field("products", several(*SKIPPED_PRODUCTS)),
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
