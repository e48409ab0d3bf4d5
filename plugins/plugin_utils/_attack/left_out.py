# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of a host that Cloudflare refuses to read or to write in an attack: they are left
alone, so that the other parts stop the attack."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from ...module_utils._errors import ErrorDetails
from ...module_utils._schema.registry import BY_PLURAL, RULESETS
from ...module_utils._schema.resource import Resource, Values, without
from .._baseline.posture import ABOUT, RISKS, PostureEntries
from .._baseline.variables import POSTURES, PREFIX, VARIABLE_OF

# Refusals of the credentials, or for a time alone, are those of all parts.
OF_ALL_PARTS = (401, 408, 429)


def refused_parts(error: ErrorDetails | None, left: Iterable[Mapping[str, Any]]) -> list[Resource]:
    """The resources that Cloudflare rejects: those of the operations that were `left` and whose
    path the error names. None if Cloudflare rejects the run as a whole.
    """
    status = error["status"] if error else None
    if error is None or status is None or not 400 <= status < 500 or status in OF_ALL_PARTS:
        return []
    matches = {
        plural: _matched_path(resource, error["path"]) for plural, resource in BY_PLURAL.items()
    }
    longest = max(map(len, matches.values()))
    resources = [BY_PLURAL[plural] for plural, path in matches.items() if len(path) == longest > 0]
    if not any(resource.holds_rules for resource in resources):
        return resources
    # A call for a single rule has the id of its list in its path.
    owners = {resource.owner for resource in resources}
    names = {operation["resource"] for operation in left}
    candidates = [rules for rules in RULESETS if rules.name in names and rules.owner in owners]
    return candidates or resources


def _matched_path(resource: Resource, path: str) -> str:
    """The beginning of a request path that matches the path of a resource; empty if it does not
    match."""
    pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(resource.path.strip("/")))
    match = re.match(rf"{pattern}(?=/|$)", path.strip("/"))
    return match[0] if match else ""


def host_options_of(resources: Sequence[Resource]) -> list[str]:
    """The options of the host module that describe these resources."""
    variables = [VARIABLE_OF[resource.plural] for resource in resources]
    return [variable.removeprefix(PREFIX) for variable in variables]


def values_without(values: Values, options: Sequence[str]) -> dict[str, Any]:
    """The variables of a host without these options; the prepared postures among them lose the
    options as well.
    """
    remaining = without(values, *(f"{PREFIX}{option}" for option in options))
    postures = remaining.get(POSTURES)
    if options and postures:
        remaining[POSTURES] = {
            name: without(posture or {}, *options) for name, posture in postures.items()
        }
    return remaining


def entries_without(entries: PostureEntries, options: Sequence[str]) -> PostureEntries:
    """The entries of postures without these options; an entry that has no other values is left
    out."""
    remaining = []
    for place, entry in entries:
        if isinstance(entry, Mapping):
            kept = without(entry, *options)
            if kept.get("name") or _has_values(kept):
                remaining.append((place, kept))
        else:
            remaining.append((place, entry))
    return remaining


def _has_values(entry: Mapping[str, Any], about: Container[str] = (*ABOUT, RISKS)) -> bool:
    return any(name not in about for name in entry)
