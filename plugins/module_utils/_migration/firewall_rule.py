# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A tolerant reader of firewall rules: it remarks what is missing or odd, and refuses nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Union

from .._expressions.fields import LONGEST_RULE
from .._schema.zone import ACTIONS_BY_PRECEDENCE, GOING_ON, PRODUCTS

Priority = Union[int, float, None]
Remark = Callable[[str], None]
NO_RULE = "No custom rule stands for it, since "


@dataclass(frozen=True)
class FirewallRule:
    """A firewall rule, as far as its effect goes. `ref` and `expression` are empty where there is
    none, `products` are those that can be skipped; `obstacle` says why nothing can stand for the
    rule, and `remarks` what else of it was odd."""

    id: str
    ref: str
    description: str
    action: str
    priority: Priority
    paused: bool
    filter_paused: bool
    expression: str
    products: tuple[str, ...]
    obstacle: str
    remarks: tuple[str, ...]

    @property
    def active(self) -> bool:
        """Return whether some request can meet it."""
        return not (self.paused or self.filter_paused or self.obstacle)

    @property
    def terminates(self) -> bool:
        """Return whether a request that meets it meets nothing after it; with an unknown action, it
        may."""
        return self.action not in GOING_ON


def read_rule(raw: Mapping[str, Any]) -> FirewallRule:
    """Total: `raw` needs no more than an id."""
    remarks: list[str] = []
    filter_ = raw.get("filter")
    condition = filter_ if isinstance(filter_, Mapping) else {}
    action = _plain_text(raw.get("action"))
    expression = "" if condition.get("deleted") else _filled_text(condition.get("expression"))
    products = _products(raw.get("products"), remarks.append) if action == "bypass" else ()
    if len(expression) > LONGEST_RULE:
        remarks.append(
            f"Its expression has {len(expression)} characters, and a custom rule takes"
            f" {LONGEST_RULE}; split it."
        )
    return FirewallRule(
        id=raw["id"],
        ref=_filled_text(raw.get("ref")),
        description=_plain_text(raw.get("description")),
        action=action,
        priority=_priority(raw.get("priority"), remarks.append),
        paused=_paused(raw.get("paused"), "the rule", remarks.append),
        filter_paused=_paused(condition.get("paused"), "its filter", remarks.append),
        expression=expression,
        products=products,
        obstacle=_obstacle(action, expression, products),
        remarks=tuple(remarks),
    )


def _obstacle(action: str, expression: str, products: tuple[str, ...]) -> str:
    if action not in ACTIONS_BY_PRECEDENCE:
        return NO_RULE + f"its action '{action}' is unknown."
    if not expression:
        return NO_RULE + "its filter is deleted or shows no expression; it matches nothing."
    if action == "bypass" and not products:
        return NO_RULE + "it names no product that a custom rule can skip."
    return ""


def _odd(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _plain_text(value: Any) -> str:
    return "" if value is None else str(value)


def _filled_text(value: Any) -> str:
    """A text that says something, or none."""
    return value if isinstance(value, str) and value.strip() else ""


def _products(value: Any, remark: Remark) -> tuple[str, ...]:
    named = value if isinstance(value, (list, tuple)) else []
    for product in named:
        if product not in PRODUCTS:
            outcome = "so requests that bypassed it will meet it"
            remark(f"Custom rules cannot skip {_odd(product)}, {outcome}.")
    return tuple(dict.fromkeys(product for product in named if product in PRODUCTS))


def _paused(value: Any, whose: str, remark: Remark) -> bool:
    """Read a flag; any value but true and false counts as paused: nobody is let in or kept out by a
    guess."""
    if value is None or isinstance(value, bool):
        return bool(value)
    text = str(value).lower()
    if text not in ("true", "false"):
        remark(
            f"Whether {whose} is paused is not clear from {_odd(value)}; it is taken for paused."
        )
    return text != "false"


def _priority(value: Any, remark: Remark) -> Priority:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        remark(f"Its priority is the text {_odd(value)}, and is read as a number.")
    number = _finite_number(value)
    if number is None:
        outcome = "so it stands with the rules that have none"
        remark(f"Its priority {_odd(value)} is not a number, {outcome}.")
    return number


def _finite_number(value: Any) -> Priority:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, (float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number
