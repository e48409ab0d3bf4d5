# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an entry point holds, such as that of a zone's custom rules, and what becomes of its rules when it is written.

Rules are plain dicts as the service shows them. Nothing here changes a rule or a list: what is to be comes as a new one,
so that a dry run is a write that is not taken over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from datetime import datetime
from typing import Any

from .answers import INVALID, refusal
from .clock import timestamp
from .identity import content_name, new_id
from .rule_checks import check_refs, duplicates

Item = dict[str, Any]
Check = Callable[[Item, "Item | None", str], None]

PHASE = "http_request_firewall_custom"
NAME = "default"
CUSTOM = "custom"  # the kind of a ruleset that rules with the action execute deploy
STAMPS = ("version", "last_updated")


class Ruleset(Item):
    """A ruleset as it is shown, which keeps each of its versions."""

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        self.versions: list[Item] = []

    def keep(self) -> None:
        """Keep the version that it has now."""
        self.versions.append(deepcopy(dict(self)))


def new_entry_point(now: str, name: str = NAME, phase: str = PHASE, kind: str = "zone") -> Ruleset:
    """An entry point without rules, of version 0: the first write makes it version 1."""
    return Ruleset(
        id=new_id("ruleset", f"{phase} {name}"),
        name=name,
        description="",
        kind=kind,
        phase=phase,
        version="0",
        last_updated=now,
        rules=[],
    )


def seed(entry_points: dict[str, Ruleset], phase: str, kind: str, rules: Iterable[Item] | None, now: str) -> None:
    """Add rules, be it none of them, to the entry point of a phase, which is made where there is none; None adds nothing."""
    if rules is None:
        return
    new = [seeded(fields, now) for fields in rules]
    entry_point = entry_points.get(phase) or new_entry_point(now, phase=phase, kind=kind)
    both = [*entry_point["rules"], *new]
    for ref in duplicates(both):
        raise ValueError(f"two rules have the ref {ref!r}")
    entry_point["rules"][:] = both
    entry_point["version"] = str(int(entry_point["version"]) + 1)
    entry_point.keep()
    entry_points[phase] = entry_point


def seeded_ruleset(fields: Item, now: str) -> Ruleset:
    """A custom ruleset as it may have come there by other hands."""
    made = new_entry_point(now, fields["name"], kind=CUSTOM)
    rules = [seeded(rule, now) for rule in fields.get("rules", ())]
    ruleset = Ruleset({**made, "version": "1", **fields, "rules": rules})
    ruleset.keep()
    return ruleset


def seeded(fields: Item, now: str) -> Item:
    """A rule as it may have come there by other hands: unknown fields and actions are fine, defaults are filled in."""
    lacking = [name for name in ("action", "expression") if name not in fields]
    if lacking:
        raise ValueError(f"a rule needs {', '.join(lacking)}")
    stamps = {"version": str(fields.get("version", 1)), "last_updated": written(fields.get("last_updated", now))}
    return {**whole(fields, fields.get("id") or new_id("rule", content_name(fields))), **stamps}


def written(moment: datetime | str) -> str:
    """A moment as the service writes it: YAML reads a bare timestamp as one, and JSON has texts, such as with Z at the end."""
    return timestamp(moment if isinstance(moment, datetime) else datetime.fromisoformat(moment))


def whole(fields: Item, identifier: str) -> Item:
    """All of a rule but its stamps; whatever the fields leave out is at its default."""
    return {
        "id": identifier,
        "ref": identifier,
        "description": "",
        "enabled": True,
        **({"logging": {"enabled": True}} if fields["action"] == "skip" else {}),
        **{name: value for name, value in fields.items() if name not in ("id", *STAMPS)},
    }


def replaced(rules_before: Sequence[Item], bodies: Sequence[Item], now: str, check: Check) -> list[Item]:
    """The rules after a PUT of these: found again by id or by ref, the others new; refused when one is not valid."""
    known = found_again(rules_before, bodies)
    for index, (body, existing) in enumerate(zip(bodies, known, strict=True)):
        check(body, existing, f"/rules/{index}")
    rules = [successor(body, existing, now) for body, existing in zip(bodies, known, strict=True)]
    check_refs(rules, [f"/rules/{index}/ref" for index in range(len(rules))])
    return rules


def found_again(rules_before: Iterable[Item], bodies: Sequence[Item]) -> list[Item | None]:
    """The existing rule that each body is about: the one with its id, or its ref, or else an equal one."""
    free = list(rules_before)
    matches: list[Item | None] = [None] * len(bodies)
    for same in (same_id, same_ref, same_content):
        for index, body in enumerate(bodies):
            existing = next((rule for rule in free if matches[index] is None and same(rule, body)), None)
            if existing is not None:
                matches[index] = existing
                free.remove(existing)
    for index, body in enumerate(bodies):
        if "id" in body and matches[index] is None:
            twice = body["id"] in [earlier.get("id") for earlier in bodies[:index]]
            reason = "is named twice" if twice else "does not exist"
            raise refusal(400, INVALID, f"rule {body['id']!r} {reason}", f"/rules/{index}/id")
    return matches


def same_id(rule: Item, body: Item) -> bool:
    return bool(rule["id"] == body.get("id"))


def same_ref(rule: Item, body: Item) -> bool:
    return "id" not in body and rule["ref"] == body.get("ref")


def same_content(rule: Item, body: Item) -> bool:
    return "id" not in body and "ref" not in body and whole(body, rule["id"]) == unstamped(rule)


def unstamped(rule: Item) -> Item:
    return {name: value for name, value in rule.items() if name not in STAMPS}


def successor(body: Item, existing: Item | None, now: str) -> Item:
    """The rule that a body makes of the existing one, or of none; a change increments its version."""
    content = whole(body, existing["id"] if existing else new_id("rule", content_name(body)))
    if existing is not None and json.dumps(content, sort_keys=True) == json.dumps(unstamped(existing), sort_keys=True):
        return existing
    version = int(existing["version"]) + 1 if existing else 1
    return {**content, "version": str(version), "last_updated": now}


def added(rules_before: Sequence[Item], body: Item, now: str, check: Check) -> list[Item]:
    """The rules with one more, at its position or last."""
    fields, position = apart(body)
    check(fields, None, "")
    rule = successor(fields, None, now)
    check_refs([*rules_before, rule], [""] * len(rules_before) + ["/ref"])
    return placed(rules_before, rule, position or {"after": ""})


def changed(rules_before: Sequence[Item], existing: Item, body: Item, now: str, check: Check) -> list[Item]:
    """The rules with one of them redefined, moved, or both; of what it was, nothing is kept but its id."""
    fields, position = apart(body)
    rule = existing
    if fields:
        check(fields, existing, "")
        rule = successor(fields, existing, now)
    others = [other for other in rules_before if other is not existing]
    check_refs([*others, rule], [""] * len(others) + ["/ref"])
    return placed(others, rule, position or {"index": rules_before.index(existing) + 1})


def apart(body: Item) -> tuple[Item, Item | None]:
    """The rule that a body defines, and the position that it asks for."""
    return {name: value for name, value in body.items() if name != "position"}, body.get("position")


def placed(others: Sequence[Item], rule: Item, position: Item) -> list[Item]:
    """The rule among the others: before or after one of them (the empty id is first or last), or at an index from 1."""
    ((word, target),) = position.items()
    identifiers = [other["id"] for other in others]
    if word == "index":
        index = target - 1
    elif target == "":
        index = 0 if word == "before" else len(others)
    elif target in identifiers:
        index = identifiers.index(target) + (word == "after")
    else:
        raise refusal(400, INVALID, f"rule {target!r} does not exist", f"/position/{word}")
    if index > len(others):
        raise refusal(400, INVALID, f"{target} is beyond the end of the ruleset", "/position/index")
    return [*others[:index], rule, *others[index:]]
