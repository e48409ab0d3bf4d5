# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The types of requests in the vendor's SDK as strict readers of the calls that the collection makes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Literal, Required, Union, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from tests.fake_service.calls import Call

ATP = "ddos_protection.advanced_tcp_protection"
RULESETS = r"(?:accounts|zones)/\w+/rulesets"
TYPES = {  # by method and path, the module of the type and its name; an empty name for the body of a list
    (r"PUT", rf"{RULESETS}/phases/\w+/entrypoint"): ("rulesets.phase_update_params", "PhaseUpdateParams"),
    (r"PUT", rf"{RULESETS}/\w+"): ("rulesets.ruleset_update_params", "RulesetUpdateParams"),
    (r"POST", RULESETS): ("rulesets.ruleset_create_params", "RulesetCreateParams"),
    (r"POST", rf"{RULESETS}/\w+/rules"): ("rulesets.rule_create_params", "RuleCreateParams"),
    (r"PATCH", rf"{RULESETS}/\w+/rules/\w+"): ("rulesets.rule_edit_params", "RuleEditParams"),
    (r"POST", r"accounts/\w+/rules/lists"): ("rules.list_create_params", "ListCreateParams"),
    (r"PUT", r"accounts/\w+/rules/lists/\w+"): ("rules.list_update_params", "ListUpdateParams"),
    (r"POST", r"accounts/\w+/rules/lists/\w+/items"): ("rules.lists.item_create_params", "Body"),
    (r"PATCH", r".*/advanced_tcp_protection/configs/tcp_protection_status"): (f"{ATP}.status_edit_params", "StatusEditParams"),
    (r"POST", r".*/advanced_tcp_protection/configs/prefixes/bulk"): (f"{ATP}.prefix_bulk_create_params", "Body"),
    (r"POST", r".*/advanced_tcp_protection/configs/prefixes"): (f"{ATP}.prefix_create_params", "PrefixCreateParams"),
    (r"PATCH", r".*/advanced_tcp_protection/configs/prefixes/.*"): (f"{ATP}.prefixes.item_edit_params", "ItemEditParams"),
    (r"POST", r".*/advanced_tcp_protection/configs/allowlist"): (f"{ATP}.allowlist_create_params", "AllowlistCreateParams"),
    (r"PATCH", r".*/advanced_tcp_protection/configs/allowlist/.*"): (f"{ATP}.allowlist.item_edit_params", "ItemEditParams"),
    **{
        (method, rf".*/advanced_tcp_protection/configs/{kind}/{part}s{rest}"): (f"{ATP}.{kind}.{module}", name)
        for kind in ("syn_protection", "tcp_flow_protection")
        for part in ("rule", "filter")
        for method, rest, module, name in (
            ("POST", "", f"{part}_create_params", f"{part.capitalize()}CreateParams"),
            ("PATCH", "/.*", f"{part}s.item_edit_params", "ItemEditParams"),
        )
    },
}  # fmt: skip
OF_PATHS = {"account_id", "zone_id", "ruleset_id", "rule_id", "ruleset_phase", "phase", "list_id"}
# Of the API, and not of the types: `position` of overrides, fields that the tests put into objects of tomorrow, and what a rule
# that is sent back has of the service.
BEYOND = {"version", "last_updated", "position", "of_the_future", "score_per_period"}


def faults_in(calls: Iterable[Call]) -> list[str]:
    """What the types of the SDK do not take of the bodies of these calls."""
    faults: list[str] = []
    for call in calls:
        hint = type_of(call.method, call.path)
        bodies = call.body if isinstance(call.body, list) else [call.body]
        for body in bodies if hint is not None else ():
            faults += [f"{call.method} {call.path}{fault}" for fault in faults_of(body, hint, "")]
    return faults


def type_of(method: str, path: str) -> Any:
    """The type of the body of a call, or of each of its elements; None if the SDK has none."""
    for (verb, pattern), (module, name) in TYPES.items():
        if method == verb and re.fullmatch(pattern, path.strip("/")):
            return getattr(import_module(f"cloudflare.types.{module}"), name)
    return None


@cache
def fields_of(typed: Any) -> Mapping[str, Any]:
    """The types of the fields of an object, those that it needs as Required."""
    return get_type_hints(typed, include_extras=True)


def members_for(value: Any, members: Sequence[Any]) -> Sequence[Any]:
    """The members of a union for rules with the action of a rule; all of them of another union."""
    action = value.get("action") if isinstance(value, Mapping) else None
    fitting = [
        member
        for member in members
        if is_typeddict(member) and action in get_args(fields_of(member).get("action", Literal[None]))
    ]
    return fitting or members


def faults_of(value: Any, hint: Any, place: str) -> Iterator[str]:
    """What a type does not take of a value, each with its place."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Required, Annotated):
        yield from faults_of(value, arguments[0], place)
    elif is_typeddict(hint):
        yield from faults_of_object(value, hint, place)
    elif origin is Literal:
        if value not in arguments:
            yield f"{place}: {value!r} is none of {arguments}"
    elif origin is Union:
        found = [[*faults_of(value, member, place)] for member in members_for(value, arguments)]
        yield from min(found, key=len)
    elif origin in (list, Iterable, Sequence) or str(origin).endswith("SequenceNotStr'>"):
        yield from faults_of_list(value, arguments[0], place)
    elif origin is dict:
        for name, inner in value.items():
            yield from faults_of(inner, arguments[1], f"{place}/{name}")
    elif hint in (str, int, float, bool) and not is_of(value, hint):
        yield f"{place}: {value!r} is no {hint.__name__}"


def faults_of_list(value: Any, hint: Any, place: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{place}: {value!r} is no list"
        return
    for index, element in enumerate(value):
        yield from faults_of(element, hint, f"{place}/{index}")


def is_of(value: Any, hint: type) -> bool:
    """Whether a value of JSON has a plain type; true is no number."""
    return isinstance(value, hint if hint is not float else (int, float)) and isinstance(value, bool) is (hint is bool)


def faults_of_object(value: Any, hint: Any, place: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{place}: {value!r} is no object"
        return
    fields = fields_of(hint)
    needed = {name for name in fields if get_origin(fields[name]) is Required}
    for name in sorted(needed - OF_PATHS - value.keys()):
        yield f"{place}/{name}: it is missing"
    for name in value:
        if name in fields:
            yield from faults_of(value[name], fields[name], f"{place}/{name}")
        elif name not in BEYOND:
            yield f"{place}/{name}: there is no such field"
