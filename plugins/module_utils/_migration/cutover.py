# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way from firewall rules to custom rules: what is to be done in the zone, in an order that
keeps every outcome."""

from __future__ import annotations

from itertools import takewhile
from typing import Any, Mapping, Sequence

from .._schema.zone import ACTIONS_BY_PRECEDENCE
from .equivalence import CustomRule, by_ref, same
from .migrate import migrate


def steps(rules: Sequence[Mapping[str, Any]], custom_rules: Sequence[CustomRule]) -> dict[str, Any]:
    """From all firewall rules and all custom rules of a zone to `conflicts`, the refs under which
    the zone has a custom rule that does something else than the firewall rule in effect; `create`,
    the custom rules that are missing, each with its position; and `pause`, what pauses the firewall
    rules that custom rules then stand for.

    Raises ValueError as migrate does.
    """
    existing = by_ref(custom_rules)
    in_effect = {
        entry["id"]
        for entry in migrate(rules).entries
        if not (entry["paused"] or entry["filter_paused"])
    }
    migration = migrate(rules, custom_rules)
    needed = {entry["becomes"] for entry in migration.entries if entry["id"] in in_effect}
    return {
        "conflicts": [
            rule["ref"]
            for rule in migration.rules
            if rule["ref"] in needed
            and rule["ref"] in existing
            and not _does(existing[rule["ref"]], rule)
        ],
        "create": _placed(migration.rules, existing),
        "pause": _pausable([entry for entry in migration.entries if entry["id"] in in_effect]),
    }


def _does(existing: CustomRule, rule: CustomRule) -> bool:
    return same(existing, rule) and existing.get("enabled") is not False


def _placed(
    rules: Sequence[CustomRule], existing: Mapping[str, CustomRule]
) -> list[dict[str, Any]]:
    """The missing rules, each behind the one that comes before it; the first before all others, or
    where there are none, behind everything that the zone has."""
    refs = [rule["ref"] for rule in rules]
    first = next((f"before {ref}" for ref in refs if ref in existing), "last")
    positions = [first, *(f"after {ref}" for ref in refs)]
    return [
        dict(rule, position=position)
        for rule, position in zip(rules, positions)
        if rule["ref"] not in existing
    ]


def _pausable(in_effect: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The options that pause the rules, the last rule first: a rule that is not paused yet then
    decides before any custom rule does, as before. Rules before one with an unknown action stay
    too."""
    behind = takewhile(
        lambda entry: entry["becomes"] or entry["action"] in ACTIONS_BY_PRECEDENCE,
        reversed(in_effect),
    )
    return [{"id": entry["id"], "paused": True} for entry in behind if entry["becomes"]]
