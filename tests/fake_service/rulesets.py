# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A zone's rulesets, of which there is one at most: the entry point of its custom rules. Writes answer the whole of it."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Blueprint, g, request
from werkzeug.wrappers import Response

from .accounts import Item
from .admission import admit_to_zone
from .answers import INVALID, missing, refusal, success
from .contract import API
from .current import service
from .custom_rules import NAME, PHASE, added, changed, new_entry_point, replaced

NO_ENTRY_POINT = 10003
TOO_MANY = 20217
MOST_RULES = {"free": 5, "pro": 20, "business": 100, "enterprise": 1000}  # by the plan of the zone
ENTRY_POINT = f"/phases/{PHASE}/entrypoint"


area = Blueprint("rulesets", __name__, url_prefix=f"{API}/zones/<zone_id>/rulesets")
area.before_request(partial(admit_to_zone, "waf"))

# Rulesets


@area.get("")
def list_rulesets(zone_id: str) -> Response:
    if "cursor" in request.args:
        raise refusal(400, INVALID, "query parameter 'cursor': there is no further page")
    stored = [g.zone.entry_point] if g.zone.entry_point else []
    return success([{name: value for name, value in each.items() if name != "rules"} for each in stored])


@area.post("")
def create_ruleset(zone_id: str) -> Response:
    body = request.get_json()
    if g.zone.entry_point is not None:
        reason = f"exceeded maximum number of zone rulesets for phase {PHASE}"
        raise refusal(400, TOO_MANY, f"'zone' is not a valid value for kind because {reason}", "/kind")
    return replace(new_entry_point(service.clock.timestamp(), body["name"]), body)


@area.get(ENTRY_POINT)
def read_entry_point(zone_id: str) -> Response:
    if g.zone.entry_point is None:
        raise refusal(404, NO_ENTRY_POINT, f"could not find entrypoint ruleset in the {PHASE} phase")
    return success(shown(g.zone.entry_point))


@area.put(ENTRY_POINT)
def replace_entry_point(zone_id: str) -> Response:
    body = request.get_json()
    stored = g.zone.entry_point or new_entry_point(service.clock.timestamp(), body.get("name", NAME))
    if body.get("name", stored["name"]) != stored["name"]:
        raise refusal(400, INVALID, f"the ruleset has the name {stored['name']!r}, which cannot be changed", "/name")
    return replace(stored, body)


@area.get("/<ruleset_id>")
def read_ruleset(zone_id: str, ruleset_id: str) -> Response:
    return success(shown(ruleset(ruleset_id)))


@area.put("/<ruleset_id>")
def replace_ruleset(zone_id: str, ruleset_id: str) -> Response:
    return replace(ruleset(ruleset_id), request.get_json())


@area.delete("/<ruleset_id>")
def delete_ruleset(zone_id: str, ruleset_id: str) -> Response:
    ruleset(ruleset_id)
    if not dry_run():
        g.zone.entry_point = None
    return Response(status=204)


# Single rules


@area.post("/<ruleset_id>/rules")
def create_rule(zone_id: str, ruleset_id: str) -> Response:
    stored = ruleset(ruleset_id)
    return write(stored, added(stored["rules"], request.get_json(), service.clock.timestamp()))


@area.patch("/<ruleset_id>/rules/<rule_id>")
def change_rule(zone_id: str, ruleset_id: str, rule_id: str) -> Response:
    stored, body = ruleset(ruleset_id), request.get_json()
    existing = rule(stored, rule_id)
    if body.get("id", rule_id) != rule_id:
        raise refusal(400, INVALID, f"the body is about {body['id']!r}, the path about {rule_id!r}", "/id")
    return write(stored, changed(stored["rules"], existing, body, service.clock.timestamp()))


@area.delete("/<ruleset_id>/rules/<rule_id>")
def delete_rule(zone_id: str, ruleset_id: str, rule_id: str) -> Response:
    stored = ruleset(ruleset_id)
    doomed = rule(stored, rule_id)
    return write(stored, [each for each in stored["rules"] if each is not doomed])


# Both


def ruleset(ruleset_id: str) -> Item:
    stored: Item | None = g.zone.entry_point
    if stored is None or stored["id"] != ruleset_id:
        raise missing("ruleset", ruleset_id)
    return stored


def rule(stored: Item, rule_id: str) -> Item:
    match: Item | None = g.zone.find(stored["rules"], rule_id)
    if match is None:
        raise missing("rule", rule_id)
    return match


def replace(stored: Item, body: Item) -> Response:
    """All rules at once; what the body leaves out is erased, the name excepted."""
    rules = replaced(stored["rules"], body.get("rules", []), service.clock.timestamp())
    return write(stored, rules, description=body.get("description", ""))


def write(stored: Item, rules: list[Item], **fields: Any) -> Response:
    """Take the rules over into the ruleset, unless they are more than the plan takes, or this is a dry run."""
    most = MOST_RULES.get(g.zone.plan, len(rules))
    if len(rules) > max(most, len(stored["rules"])):
        reason = f"exceeded maximum number of rules in the phase {PHASE}: {len(rules)} out of {most}"
        raise refusal(400, TOO_MANY, reason, "/rules")
    if dry_run():
        return success(None)
    stored["rules"][:] = rules
    stored.update(fields, version=str(int(stored["version"]) + 1), last_updated=service.clock.timestamp())
    g.zone.entry_point = stored
    return success(shown(stored))


def dry_run() -> bool:
    return request.args.get("dry_run") == "true"


def shown(stored: Item) -> Item:
    """The ruleset as it is answered: one without rules has no field for them."""
    return stored if stored["rules"] else {name: value for name, value in stored.items() if name != "rules"}
