# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists and prefixes of a host as its parts tell one another of them: what those hold that
rules name, and which rules stop referring to a list before it is deleted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...module_utils._context import Context
from ...module_utils._protection.coverage import has_flag
from ...module_utils._schema.lists import items_of
from ...module_utils._values.address_set import normalise_network
from .approval import Results
from .variables import ACCOUNT, CUSTOM, CUSTOM_RULESETS, IP_LISTS, Part

REFERENCE = re.compile(r"\$([a-z0-9_]+)(?![a-z0-9_.])")


def informed(part: Part, results: Results, check_mode: bool) -> Part:
    """The part with what it must know of the parts before it. In a prediction, the rules that it
    starts from are as they are, and not as they will be."""
    context = part.context
    if part.module != IP_LISTS:
        lists = planned_lists(results.get(IP_LISTS, {}))
        context = context._replace(lists=lists, prefixes=planned_prefixes(results.get(ACCOUNT, {})))
        if part.module == CUSTOM:
            context = _with_chain(context, results.get(CUSTOM_RULESETS, {}), check_mode)
    elif part.deletes and check_mode:
        context = context._replace(references=references(results))
    return replace(part, context=context)


def _with_chain(context: Context, result: Mapping[str, Any], check_mode: bool) -> Context:
    """The context with the deployments that another part describes, and in a prediction with the
    rules as this part leaves them."""
    rulesets = result.get("rulesets") or ()
    refs = tuple(one["deploy"]["ref"] for one in rulesets if one.get("deploy"))
    planned = result.get("chain") or {} if check_mode else {}
    return context._replace(deployments=refs, planned=planned)


def planned_prefixes(result: Mapping[str, Any]) -> list[str] | None:
    """The prefixes that an account protects by a result; None if the result has none."""
    prefixes = (result.get("protection") or {}).get("prefixes")
    if prefixes is None:
        return None
    return [str(item.get("prefix")) for item in prefixes if not has_flag(item, "excluded")]


def planned_lists(result: Mapping[str, Any]) -> dict[str, dict[str, list[Any]]]:
    """The networks of the lists in a result, by name, `before` the plan and `after` it."""
    lists = result.get("lists") or ()
    return {str(obj["name"]): _sides(obj, result.get("diff") or {}) for obj in lists}


def _sides(obj: Mapping[str, Any], diff: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The networks of a list without what a plan adds, and with what it removes; and as they are
    after it."""
    collection = items_of(str(obj["name"])).plural
    after = [item.get("ip") for item in obj["items"]]
    removed, added = (
        [item.get("ip") for item in ((diff.get(side) or {}).get(collection) or {}).values()]
        for side in ("before", "after")
    )
    new = frozenset(map(normalise_network, added))
    kept = [ip for ip in after if normalise_network(ip) not in new]
    return {"before": [*kept, *removed], "after": after}


def references(results: Results) -> dict[str, int]:
    """By list, how many more rules refer to it after the predicted operations."""
    changes: Counter[str] = Counter()
    for result in results.values():
        for operation in result.get("operations") or ():
            changes.update(_lists_in(operation.get("fields")))
            if operation.get("action") in ("update", "delete"):
                changes.subtract(_lists_in(operation.get("before")))
    return {name: number for name, number in sorted(changes.items()) if number}


def _lists_in(fields: Any) -> set[str]:
    """The lists that the expression among some fields of a rule refers to, or that of its
    filter."""
    if not isinstance(fields, Mapping):
        return set()
    expression = fields.get("expression")
    own = set(REFERENCE.findall(expression)) if isinstance(expression, str) else set()
    return own | _lists_in(fields.get("filter"))
