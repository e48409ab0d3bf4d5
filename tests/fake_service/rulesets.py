# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rulesets of an account or a zone: entry points of phases, and managed ones that can be read. Writes answer the whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from flask import Blueprint, g, request
from werkzeug.wrappers import Response

from .accounts import UNSEEN, Account, Item
from .admission import known_caller, within_contract
from .answers import INVALID, METHOD_NOT_ALLOWED, NOT_ENTITLED, no_route, one_of, refusal, success
from .contract import API
from .credentials import Area
from .current import service
from .custom_rules import CUSTOM, NAME, Ruleset, added, changed, new_entry_point, replaced
from .phases import PHASES, Phase
from .rule_checks import BAD_EXPRESSION, MOST_RULES, check, invalid
from .zones import Zone

NO_ENTRY_POINT = 10003
TOO_MANY = 20217
LISTED = re.compile(r"\$([a-z0-9_.]+)")
KINDS = {"account_id": "root", "zone_id": "zone"}  # of the rulesets that are no managed ones


class Place(NamedTuple):
    """Whose rulesets a call is about, and their phases."""

    option: str
    owner: Account | Zone

    @property
    def kind(self) -> str:
        return KINDS[self.option]

    @property
    def phases(self) -> list[Phase]:
        return list(PHASES[self.option].values())

    @property
    def rulesets(self) -> list[Ruleset]:
        return [*self.owner.entry_points.values(), *self.owner.custom_rulesets]

    def stored(self, phase: Phase) -> Ruleset | None:
        return self.owner.entry_points.get(phase.name)


def admit() -> None:
    """Before each call; leaves in g whose rulesets it is about. It takes the permission of the phase, if that is known, and
    else that of any phase."""
    (option,) = (name for name in KINDS if name in (request.view_args or {}))
    subject = str((request.view_args or {})[option])
    owners: dict[str, Any] = service.accounts if option == "account_id" else service.zones
    if subject == UNSEEN:
        owners = {UNSEEN: Account(service.clock)}
    areas = areas_of(option, owners.get(subject))
    known_caller(permitted(areas, subject), option)
    if subject not in owners:
        raise no_route(request.path)
    g.place = Place(option, owners[subject])
    within_contract()


def permitted(areas: Sequence[Area], subject: str) -> Area:
    """The first of these areas in which the caller is permitted; the first of all if there is none."""
    grant = service.credentials.caller(request.headers)
    writing = request.method not in ("GET", "HEAD")
    return next((area for area in areas if grant.allows(area, subject, writing)), areas[0])


def areas_of(option: str, owner: Account | Zone | None) -> Sequence[Area]:
    """The areas of which one suffices for this call."""
    arguments, phases = request.view_args or {}, PHASES[option]
    ruleset_id = arguments.get("ruleset_id")
    named = arguments.get("phase") or ("" if ruleset_id else phase_of_new())
    if named in phases:
        return [phases[named].area]
    for phase in phases.values() if ruleset_id else ():
        stored = owner.entry_points.get(phase.name) if owner else None
        custom = owner.custom_rulesets if owner and phase.most_custom else []
        managed = [each for each in owner.managed_rulesets if each["phase"] == phase.name] if owner else []
        if ruleset_id in [each["id"] for each in (stored, phase.managed, *custom, *managed) if each]:
            return [phase.area]
    return [phase.area for phase in phases.values()]


def phase_of_new() -> str:
    """The phase of the ruleset that a call makes; empty for any other call."""
    body = request.get_json(silent=True) if request.method == "POST" else None
    return str(body.get("phase")) if isinstance(body, dict) else ""


# Rulesets


def list_rulesets(**owner: str) -> Response:
    if "cursor" in request.args:
        raise refusal(400, INVALID, "query parameter 'cursor': there is no further page")
    managed = [phase.managed for phase in g.place.phases if phase.managed and g.place.option == "account_id"]
    stored = [*g.place.rulesets, *managed]
    return success(without_rules(stored))


def create_ruleset(**owner: str) -> Response:
    """A custom ruleset; an entry point comes with its first write."""
    body = request.get_json()
    phase = PHASES[g.place.option][body["phase"]]
    if len(g.place.owner.custom_rulesets) >= phase.most_custom:
        raise refusal(400, TOO_MANY, f"exceeded maximum number of custom rulesets: {phase.most_custom}", "/kind")
    return replace(made(phase, body["name"], CUSTOM), body)


def read_entry_point(phase: str, **owner: str) -> Response:
    stored = g.place.stored(known_phase(phase))
    if stored is None:
        raise refusal(404, NO_ENTRY_POINT, f"could not find entrypoint ruleset in the {phase} phase")
    return success(shown(stored))


def replace_entry_point(phase: str, **owner: str) -> Response:
    body, known = request.get_json(), known_phase(phase)
    stored = g.place.stored(known) or made(known, body.get("name", NAME))
    if body.get("name", stored["name"]) != stored["name"]:
        raise refusal(400, INVALID, f"the ruleset has the name {stored['name']!r}, which cannot be changed", "/name")
    return replace(stored, body)


def read_ruleset(ruleset_id: str, **owner: str) -> Response:
    managed = [*g.place.owner.managed_rulesets, *(phase.managed for phase in g.place.phases if phase.managed)]
    asked = [each for each in managed if each["id"] == ruleset_id]
    return success(shown(asked[0] if asked else ruleset(ruleset_id)))


def replace_ruleset(ruleset_id: str, **owner: str) -> Response:
    return replace(custom_ruleset(ruleset_id), request.get_json())


def delete_ruleset(ruleset_id: str, **owner: str) -> Response:
    stored = custom_ruleset(ruleset_id)
    rules = [rule for each in g.place.owner.entry_points.values() for rule in each["rules"]]
    if any(rule.get("action_parameters", {}).get("id") == ruleset_id for rule in rules):
        raise refusal(400, INVALID, f"the ruleset {ruleset_id!r} is deployed", "")
    if not dry_run():
        g.place.owner.custom_rulesets.remove(stored)
    return Response(status=204)


# Single rules: each write makes a version of the ruleset


def add_rule(ruleset_id: str, **owner: str) -> Response:
    stored = ruleset(ruleset_id)
    return write(stored, added(stored["rules"], request.get_json(), service.clock.timestamp(), check_of(stored)))


def change_rule(ruleset_id: str, rule_id: str, **owner: str) -> Response:
    stored = ruleset(ruleset_id)
    rule, now = known_rule(stored, rule_id), service.clock.timestamp()
    return write(stored, changed(stored["rules"], rule, request.get_json(), now, check_of(stored)))


def delete_rule(ruleset_id: str, rule_id: str, **owner: str) -> Response:
    stored = ruleset(ruleset_id)
    rule = known_rule(stored, rule_id)
    return write(stored, [other for other in stored["rules"] if other is not rule])


def known_rule(stored: Ruleset, rule_id: str) -> Item:
    rule: Item = one_of(stored["rules"], "rule", rule_id)
    return rule


# Versions


def list_versions(ruleset_id: str, **owner: str) -> Response:
    return success(without_rules(ruleset(ruleset_id).versions))


def read_version(ruleset_id: str, version: str, **owner: str) -> Response:
    return success(shown(version_of(ruleset(ruleset_id), version)))


def list_versions_of_entry_point(phase: str, **owner: str) -> Response:
    stored = g.place.stored(known_phase(phase))
    return success(without_rules(stored.versions if stored else []))


def read_version_of_entry_point(phase: str, version: str, **owner: str) -> Response:
    return success(shown(version_of(g.place.stored(known_phase(phase)), version)))


def version_of(stored: Ruleset | None, version: str) -> Item:
    kept: Item = one_of(stored.versions if stored else [], "version", version, by="version")
    return kept


def without_rules(rulesets: Iterable[Item]) -> list[Item]:
    return [{name: value for name, value in each.items() if name != "rules"} for each in rulesets]


# All of them


def known_phase(name: str) -> Phase:
    if name not in PHASES[g.place.option]:
        raise no_route(request.path)
    phase = PHASES[g.place.option][name]
    if phase.area == "network_firewall" and not g.place.owner.firewall_entitled:
        raise refusal(403, NOT_ENTITLED, "This account is not entitled to Network Firewall")
    if name in g.place.owner.not_entitled:
        raise refusal(403, NOT_ENTITLED, f"not entitled to use the phase {name}")
    return phase


def made(phase: Phase, name: str, kind: str = "") -> Ruleset:
    return new_entry_point(service.clock.timestamp(), name, phase.name, kind or g.place.kind)


def is_managed(phase: Phase, ruleset_id: str) -> bool:
    return phase.managed is not None and phase.managed["id"] == ruleset_id


def ruleset(ruleset_id: str) -> Ruleset:
    if any(is_managed(phase, ruleset_id) for phase in g.place.phases):
        raise refusal(405, METHOD_NOT_ALLOWED, "a managed ruleset cannot be changed")
    stored: Ruleset = one_of(g.place.rulesets, "ruleset", ruleset_id)
    return stored


def custom_ruleset(ruleset_id: str) -> Ruleset:
    """One of those that calls by their id may change."""
    stored = ruleset(ruleset_id)
    if stored["kind"] != CUSTOM:
        raise refusal(400, INVALID, "an entry point is changed by the path of its phase", "")
    return stored


def check_of(stored: Ruleset) -> Any:
    return check if stored["kind"] == CUSTOM else PHASES[g.place.option][stored["phase"]].check(g.place.owner)


def replace(stored: Ruleset, body: Item) -> Response:
    """All rules at once; what the body leaves out is erased, the name excepted."""
    rules = replaced(stored["rules"], body.get("rules", []), service.clock.timestamp(), check_of(stored))
    return write(stored, rules, description=body.get("description", ""), name=body.get("name", stored["name"]))


def write(stored: Ruleset, rules: list[Item], **fields: Any) -> Response:
    """Take the rules over into the ruleset, unless they are more than its owner may have, or this is a dry run."""
    is_custom = stored["kind"] == CUSTOM
    most = MOST_RULES if is_custom else PHASES[g.place.option][stored["phase"]].most(g.place.owner)
    if len(rules) > max(most, len(stored["rules"])):
        reason = f"exceeded maximum number of rules in the phase {stored['phase']}: {len(rules)} out of {most}"
        raise refusal(400, TOO_MANY, reason, "/rules")
    if dry_run():
        check_lists(rules, stored["rules"])
        return success(None)
    stored["rules"][:] = rules
    stored.update(fields, version=str(int(stored["version"]) + 1), last_updated=service.clock.timestamp())
    stored.keep()
    if not is_custom:
        g.place.owner.entry_points[stored["phase"]] = stored
    elif stored not in g.place.owner.custom_rulesets:
        g.place.owner.custom_rulesets.append(stored)
    return success(shown(stored))


def check_lists(rules: Sequence[Item], existing: Sequence[Item]) -> None:
    """Refuse new rules that name lists which the account does not have."""
    account_id = getattr(g.place.owner, "account_id", None) or request.view_args.get("account_id")  # type: ignore[union-attr]
    accounts = [service.accounts[account_id]] if account_id in service.accounts else service.accounts.values()
    known = {each["name"] for account in accounts for each in account.ip_lists.lists}
    for index, rule in enumerate(rules):
        for name in () if rule in existing else LISTED.findall(expressions_of(rule)):
            if name not in known and not name.startswith("cf."):
                pointer = f"/rules/{index}/expression"
                raise invalid("expression", rule["expression"], f"there is no list {name!r}", pointer, BAD_EXPRESSION)


def expressions_of(rule: Item) -> str:
    return f"{rule['expression']} {rule.get('ratelimit', {}).get('counting_expression')}"


def dry_run() -> bool:
    return request.args.get("dry_run") == "true"


def shown(stored: Item) -> Item:
    """The ruleset as it is answered: one without rules has no field for them."""
    return stored if stored["rules"] else {name: value for name, value in stored.items() if name != "rules"}


ROUTES = (
    ("GET", "", list_rulesets),
    ("POST", "", create_ruleset),
    ("GET", "/phases/{phase}/entrypoint", read_entry_point),
    ("PUT", "/phases/{phase}/entrypoint", replace_entry_point),
    ("GET", "/phases/{phase}/entrypoint/versions", list_versions_of_entry_point),
    ("GET", "/phases/{phase}/entrypoint/versions/<version>", read_version_of_entry_point),
    ("GET", "/<ruleset_id>", read_ruleset),
    ("GET", "/<ruleset_id>/versions", list_versions),
    ("GET", "/<ruleset_id>/versions/<version>", read_version),
    ("PUT", "/<ruleset_id>", replace_ruleset),
    ("DELETE", "/<ruleset_id>", delete_ruleset),
    ("POST", "/<ruleset_id>/rules", add_rule),
    ("PATCH", "/<ruleset_id>/rules/<rule_id>", change_rule),
    ("DELETE", "/<ruleset_id>/rules/<rule_id>", delete_rule),
)


def area_at(option: str) -> Blueprint:
    """The routes below one kind of owner; those of entry points once for each phase, as the contract has them."""
    owners = option.removesuffix("_id") + "s"
    area = Blueprint(f"rulesets_of_{owners}", __name__, url_prefix=f"{API}/{owners}/<{option}>/rulesets")
    area.before_request(admit)
    for method, path, view in ROUTES:
        for phase in PHASES[option] if "{phase}" in path else ("",):
            defaults = {"phase": phase} if phase else {}
            name = f"{view.__name__}_{phase}" if phase else view.__name__
            area.add_url_rule(path.format(phase=phase), name, view, methods=[method], defaults=defaults)
    return area


AREAS = tuple(area_at(option) for option in PHASES)
