# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Common parts of the rulesets of accounts and zones: an entry point for each phase, with an
ordered list of rules, each known by its ref.

The vendor describes them in "Rulesets API" (Ruleset Engine).
"""

from __future__ import annotations

from typing import AbstractSet, Any, Mapping

from .._values.kinds import CODE, FLAG, TEXT, Value, mapping
from .resource import OWNERS, Field, InDocument, Object, Permission, Resource, Shape, Values, Write

PATHS: Mapping[str, str] = {name: f"{owner.path}/rulesets" for name, owner in OWNERS.items()}
REF = Field("ref", Value(CODE.option, CODE.parse, str), required=True, narrows=False)
DESCRIPTION = Field("description", TEXT, default="", narrows=False)
ENABLED = Field("enabled", FLAG, default=True, absent_default=True, narrows=False)
LOGGED = {
    "logging": {"enabled": True}
}  # what Cloudflare does by itself with a request that is skipped


def take_all(parameters: Values) -> None:
    """Every value is valid."""


LOGGING = Field(
    "logging",
    mapping({"enabled": {"type": "bool", "required": True}}, take_all),
    absent_default=LOGGED["logging"],
    narrows=False,
)
REPLACE = Write("PUT")


def entry_point(
    *,
    name: str,
    title: str,
    owner: str,
    phase: str,
    permission: Permission,
    fields: tuple[Field, ...],
    shape: Shape | None = None,
    **more: Any,
) -> Resource:
    """The rules of the entry point of a phase; `fields` are those beside the ref."""
    return Resource(
        name=name,
        plural=f"{name}s",
        title=title,
        owner=owner,
        path=f"{PATHS[owner]}/phases/{phase}/entrypoint",
        permission=permission,
        fields=(REF, *fields),
        key=("ref",),
        create=REPLACE,
        update=REPLACE,
        delete=REPLACE,
        read_only=("version", "last_updated"),
        listing=InDocument(
            "rules", ("description",), PATHS[owner] + "/{id}/versions/{version}", shape
        ),
        **more,
    )


def fit_action(rule: Values, existing: Values, named: AbstractSet[str]) -> dict[str, Any]:
    """Parameters and logging of a former action go, unless the task names them; so does the
    position, which is only for the request."""
    action_changes = rule.get("action") != existing.get("action", rule.get("action"))
    idle = {"position"} | ({"action_parameters", "logging"} - named if action_changes else set())
    kept = {name: value for name, value in rule.items() if name not in idle}
    return {**LOGGED, **kept} if kept.get("action") == "skip" else kept


def lacking(rule: Values, *names: str) -> str:
    """Return why Cloudflare would refuse a rule without some fields; empty if it has them."""
    missing = [name for name in names if not rule.get(name)]
    return f"is new and needs {' and '.join(missing)}" if missing else ""


def blocks_nobody(rule: Object) -> bool:
    """Return whether a rule stops no traffic: it lets some pass, or is off."""
    return rule.get("action") == "skip" or FLAG.normalise(rule.get("enabled", True)) == "false"
