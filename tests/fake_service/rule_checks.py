# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a custom rule has to be like beyond its shape.

A new rule has nothing that is not known here. One that is there already may be of a kind that is not: whatever the service
has shown of it is accepted back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .answers import INVALID, Refusal, refusal
from .expressions import LONGEST, fault_in

Item = dict[str, Any]

BAD_EXPRESSION, BAD_LOGGING = 20127, 20018
PHASE = "http_request_firewall_custom"
MOST_RULESETS, MOST_RULES = 10, 100  # custom rulesets of an owner, and rules of one of them
ENTERPRISE = 'cf.zone.plan eq "ENT"'  # in the expression of each rule that deploys a ruleset of an account
OF_ENTERPRISE = re.compile(r'cf\.zone\.plan\s*(?:(?:eq|==)\s*"ENT"|in\s*\{\s*"ENT"\s*\})')
ACTIONS = ("block", "challenge", "js_challenge", "managed_challenge", "log", "skip")
FIELDS = {
    "id", "ref", "action", "action_parameters", "expression", "description", "enabled", "logging",
    "ratelimit", "exposed_credential_check", "version", "last_updated",
}  # fmt: skip
PHASES = ("http_ratelimit", "http_request_sbfm", "http_request_firewall_managed")
PRODUCTS = ("zoneLockdown", "uaBlock", "bic", "hot", "securityLevel", "rateLimit", "waf")
PARAMETERS = {"skip": ("ruleset", "phase", "phases", "products"), "block": ("response",)}
RESPONSE = ("status_code", "content", "content_type")
CONTENT_TYPES = ("text/html", "text/plain", "application/json", "text/xml")
LARGEST = 2 * 1024  # bytes of the content of a response

Problem = tuple[str, str]  # a pointer below the parameters, and what is wrong there


def check(body: Item, existing: Item | None, pointer: str) -> None:
    """Refuse a custom rule that the service would not take; existing is the one that it replaces."""
    check_shape(body, existing, pointer)
    check_action(body, existing, pointer, ACTIONS, problems_of if existing else problems_of_new)


def of_entry_point(known: Sequence[str], of_account: bool) -> Callable[[Item, Item | None, str], None]:
    """The check of rules that may deploy the custom rulesets with these ids."""

    def check_rule(body: Item, existing: Item | None, pointer: str) -> None:
        parameters = body.get("action_parameters", {})
        if of_account and "phase" in parameters and not same_action(body, existing):
            reason = "an account has no parameter phase"
            raise invalid("action_parameters", parameters, reason, f"{pointer}/action_parameters/phase")
        if body.get("action") != "execute" or same_action(body, existing):
            return check(body, existing, pointer)
        check_shape(body, existing, pointer)
        if parameters.get("id") not in known:
            reason = f"there is no custom ruleset {parameters.get('id')!r}"
            raise invalid("action_parameters", parameters, reason, f"{pointer}/action_parameters/id")
        if of_account and not OF_ENTERPRISE.search(body["expression"]):
            reason = f"the expression needs {ENTERPRISE}"
            raise invalid("expression", body["expression"], reason, f"{pointer}/expression")
        return None

    return check_rule


def check_shape(
    body: Item, existing: Item | None, pointer: str, scheme: str | None = None, longest: int = LONGEST
) -> None:
    """Refuse a rule without action or expression, one that has an unknown field, and one whose expression is none."""
    for name in ("action", "expression"):
        if name not in body:
            raise refusal(400, INVALID, f"body {pointer}/{name}: is required", f"{pointer}/{name}")
    for name in sorted(body.keys() - FIELDS) if existing is None else ():
        raise invalid(name, body[name], "a rule has no such field", f"{pointer}/{name}")
    if body.get("logging") and body["action"] != "skip" and body["logging"] != (existing or {}).get("logging"):
        raise invalid("logging", body["logging"], "only skip has logging options", f"{pointer}/logging", BAD_LOGGING)
    fault = fault_in(body["expression"], scheme, longest)
    if fault is not None:
        raise invalid("expression", body["expression"], fault, f"{pointer}/expression", BAD_EXPRESSION)


def same_action(body: Item, existing: Item | None) -> bool:
    """Whether a rule has its action already, with the same parameters: whatever is there is accepted back."""
    if existing is None:
        return False
    return all(body.get(name, {}) == existing.get(name, {}) for name in ("action", "action_parameters"))


def check_action(
    body: Item,
    existing: Item | None,
    pointer: str,
    actions: Sequence[str],
    problems: Callable[[str, Mapping[str, Any]], Iterable[Problem]],
) -> None:
    """Refuse an action that is none of these, and parameters with problems, unless both are there already."""
    action, parameters = body["action"], body.get("action_parameters", {})
    if same_action(body, existing):
        return
    if action not in (*actions, existing and existing["action"]):
        raise invalid("action", action, f"there are only {', '.join(actions)}", f"{pointer}/action")
    for path, reason in problems(action, parameters):
        raise invalid("action_parameters", parameters, reason, f"{pointer}/action_parameters{path}")


def unknown(action: str, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    known = PARAMETERS.get(action, ())
    yield from ((f"/{name}", "there is no such parameter") for name in parameters if name not in known)


def problems_of_new(action: str, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    yield from problems_of(action, parameters)
    yield from unknown(action, parameters)


def problems_of(action: str, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    if action == "skip":
        yield from problems_of_skip(parameters)
    elif action == "block" and "response" in parameters:
        yield from problems_of_response(parameters["response"])


def problems_of_skip(parameters: Mapping[str, Any]) -> Iterator[Problem]:
    if parameters.keys().isdisjoint(PARAMETERS["skip"]):
        yield "", f"skip needs one or more of {', '.join(PARAMETERS['skip'])}"
    for name in ("ruleset", "phase"):
        if parameters.get(name, "current") != "current":
            yield f"/{name}", "it can be 'current' only"
    for name, known in (("phases", PHASES), ("products", PRODUCTS)):
        chosen = parameters.get(name, known)
        if not isinstance(chosen, (list, tuple)) or not chosen or any(one not in known for one in chosen):
            yield f"/{name}", f"it is a list of one or more of {', '.join(known)}"
        elif len({*chosen}) < len(chosen):
            yield f"/{name}", "its items are unique"
    if "phase" in parameters and not parameters.keys() <= {"phase", "products"}:
        yield "/phase", "it goes with products alone"


def problems_of_response(response: object, largest: int = LARGEST) -> Iterator[Problem]:
    if not isinstance(response, dict):
        yield "/response", "it is an object"
        return
    yield from ((f"/response/{name}", "it is required") for name in RESPONSE if name not in response)
    status = response.get("status_code")
    if not isinstance(status, int) or not 400 <= status <= 499:
        yield "/response/status_code", "it is a number from 400 to 499"
    for name in ("content", "content_type"):
        if not isinstance(response.get(name), str) or not response[name]:
            yield f"/response/{name}", "it is a text that is not empty"
    if len(str(response.get("content")).encode()) > largest:
        yield "/response/content", f"it has more than {largest} bytes"
    if response.get("content_type", CONTENT_TYPES[0]) not in CONTENT_TYPES:
        yield "/response/content_type", f"it is one of {', '.join(CONTENT_TYPES)}"


def check_refs(rules: Sequence[Item], pointers: Sequence[str]) -> None:
    """Refuse a ref that stands in two rules."""
    for ref, index in duplicates(rules).items():
        raise invalid("ref", ref, "another rule of the ruleset has it", pointers[index])


def duplicates(rules: Sequence[Item]) -> dict[str, int]:
    """The refs that stand in more than one rule, each with the index of a later one."""
    refs = [rule["ref"] for rule in rules]
    return {ref: index for index, ref in enumerate(refs) if ref in refs[:index]}


def invalid(name: str, value: object, reason: str, pointer: str, code: int = INVALID) -> Refusal:
    return refusal(400, code, f"{str(value)!r} is not a valid value for {name} because {reason}", pointer)
