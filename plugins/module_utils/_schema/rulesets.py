# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Common parts of the rulesets of accounts and zones, by the vendor's "Rulesets API" (Ruleset
Engine): an entry point for each phase, with an ordered list of rules, each known by its ref."""

from __future__ import annotations

from typing import AbstractSet, Any, Iterator, Mapping, Sequence

from .._errors import OptionError
from .._text import Option
from .._values.bounds import Bounded
from .._values.kinds import CODE, FLAG, TEXT, Value, choice, mapping
from .._vendor.rules import CONTENT_TYPES, OPTIONS_OF_ONE_ACTION, AnswerContent
from .resource import (
    RULESET_PATHS,
    Field,
    InDocument,
    Object,
    Resource,
    Semantics,
    Shape,
    Values,
    Write,
    fields_in,
    without,
)

# The products that a skip, or a firewall rule, can name.
SKIPPED_PRODUCTS = ("zoneLockdown", "uaBlock", "bic", "hot", "securityLevel", "rateLimit", "waf")
EXECUTE, SKIP = "execute", "skip"
PARAMETERS, OVERRIDES = "action_parameters", "overrides"
ENTRY_KEYS = {"categories": "category", "rules": "id"}  # of the lists in overrides
REF = Field("ref", Value(CODE.option, CODE.parse, str), required=True, narrows=False)
DESCRIPTION = Field("description", TEXT, default="", narrows=False)
ENABLED = Field("enabled", FLAG, default=True, absent_default=True, narrows=False, switch=True)
# By itself, Cloudflare logs a request that is skipped.
LOGGED = {"logging": {"enabled": True}}
REPLACE = Write("PUT")


def entry_point(
    *,
    name: str,
    owner: str,
    phase: str,
    fields: tuple[Field, ...],
    shape: Shape | None = None,
    **declaration: Any,
) -> Resource:
    """The resource with the rules of the entry point of a phase; `fields` are those beside the
    ref."""
    paths = RULESET_PATHS[owner]
    return Resource(
        name=name,
        plural=f"{name}s",
        owner=owner,
        path=f"{paths}/phases/{phase}/entrypoint",
        phase=phase,
        fields=(REF, *fields),
        key=("ref",),
        create=REPLACE,
        update=REPLACE,
        delete=REPLACE,
        read_only=("version", "last_updated"),
        listing=InDocument("rules", ("description",), paths + "/{id}", shape),
        **declaration,
    )


def fields_of_rules(
    actions: Sequence[str], expression: Value, parameters: Value, *extra_fields: Field
) -> tuple[Field, ...]:
    """The fields of rules that decide what becomes of a request or a packet."""
    return (
        Field("action", choice(*actions), narrows=False),
        Field("expression", expression, narrows=False),
        DESCRIPTION,
        ENABLED,
        Field("action_parameters", parameters, absent_default={}, narrows=False),
        *extra_fields,
    )


def accept_all(parameters: Values) -> None:
    """Accept all parameters: a check that never fails."""


def require_once(parameters: Values, *lists: str) -> None:
    """Raise ValueError for a value that one of these lists has twice."""
    for name in lists:
        values = parameters.get(name) or []
        for place, value in enumerate(values):
            if value in values[:place]:
                raise ValueError(f"{name} has {value} twice")


LOGGING = Field(
    "logging",
    mapping({"enabled": {"type": "bool", "required": True}}, accept_all),
    absent_default=LOGGED["logging"],
    narrows=False,
)


def _check_logging(rule: Values) -> dict[str, Any]:
    """The fields of a rule; raises OptionError for a logging that its action does not take."""
    logged_action = OPTIONS_OF_ONE_ACTION[LOGGING.name].action
    if rule.get(LOGGING.name) and rule.get("action", logged_action) != logged_action:
        raise OptionError(
            Option(LOGGING.name), f"only a rule with the action {logged_action} has it"
        )
    return dict(rule)


def fit_action(rule: Values, existing: Values, task_fields: AbstractSet[str]) -> dict[str, Any]:
    """A rule without its position, which only a request has, and, if its action changes, without
    parameters and logging that the task does not name. Only a rule that skips has a logging."""
    action = rule.get("action", SKIP)
    idle_fields = {"position"}
    if action != existing.get("action", action):
        idle_fields |= {"action_parameters", "logging"} - task_fields
    if action != SKIP:
        idle_fields |= {"logging"} - task_fields
    fitted = without(rule, *idle_fields)
    return {**LOGGED, **fitted} if action == "skip" else fitted


def lacking(rule: Values, *names: str) -> str:
    """The reason why Cloudflare would refuse a rule without some fields; empty if it has them."""
    missing = [name for name in names if not rule.get(name)]
    return f"is new and needs {' and '.join(missing)}" if missing else ""


def blocks_nobody(rule: Object) -> bool:
    """Return whether a rule stops no traffic: it lets some pass, or is off."""
    enabled = FLAG.normalise(rule.get("enabled", True))
    return enabled == "false" or rule.get("action") == "skip"


# Of rules that decide what becomes of a request or a packet.
RULE_SEMANTICS = Semantics(
    complete=_check_logging, normalise=fit_action, protects_nobody=blocks_nobody
)


def response(answer: AnswerContent) -> Mapping[str, Any]:
    """The argument of the response that a rule sends."""
    options: Mapping[str, Mapping[str, Any]] = {
        "status_code": Bounded({"type": "int", "required": True}, low=400, high=499),
        "content": Bounded({"type": "str", "required": True}, low=1, bytes_at_most=answer.largest),
        "content_type": {"type": "str", "required": True, "choices": list(CONTENT_TYPES)},
    }
    return {"type": "dict", "options": options}


def named_entries(overrides: Object) -> Iterator[tuple[str, str, Object]]:
    """The categories and managed rules in overrides, each as its kind, its key, and its entry."""
    for name, key in ENTRY_KEYS.items():
        kind = "category" if name == "categories" else "rule"
        entries = overrides.get(name)
        if not isinstance(entries, list):
            continue
        for entry in entries:
            if isinstance(entry, Mapping):
                yield kind, str(entry.get(key)), entry


def deployed(rule: Object) -> str:
    """The id of the ruleset that a rule executes; empty if it executes none."""
    if rule.get("action") != EXECUTE:
        return ""
    return str(fields_in(rule.get(PARAMETERS)).get("id") or "")


def skipped_rulesets(rule: Object) -> list[str]:
    """The ids of the rulesets that an exception skips, as a whole or some rules of them."""
    if rule.get("action") != SKIP:
        return []
    parameters = fields_in(rule.get(PARAMETERS))
    identities = [*(parameters.get("rulesets") or ()), *(parameters.get("rules") or ())]
    return [str(identity) for identity in identities]


def phase_of(resource: Resource) -> str:
    """The name that a skip uses for the phase of an entry point."""
    return f"phases {resource.phase}"
