# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sentences of the playbook attack: who attacks, what a posture would do to past requests, and what
would be deleted at its end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import yaml

from ...module_utils._schema.lists import LISTS, items_of
from ...module_utils._schema.registry import title_of_operation
from ...module_utils._schema.resource import ZONE_OWNER, Object, State, without
from ...module_utils._schema.zone import SECURITY_LEVEL
from ...module_utils._specs.registry import MODULE_SPECS, TRAFFIC
from ...module_utils._text import excerpt, first_few
from .._baseline import variables as of_host
from .._baseline.merged_host import MergedHost, PostureObject
from .._baseline.variables import Part, RunModule, connection_options
from .._export.describe import export_state
from .._report.overview import backtest_in_words

MINUTES = 15  # of traffic that are shown
HEAVIEST = 5
LEVEL_OF_SOME = (
    "Configuration rules and page rules may set another security level for some requests, and"
    " this playbook cannot read them."
)


def threats(part: Part, merged: MergedHost, run_module: RunModule) -> Iterator[str]:
    """Sentences on who attacks, what the posture would have done to past requests, and what would
    make it useless, as far as that can be read. A reading that fails does not stop the run.
    """
    if part.options.get("account_id"):
        connection = connection_options(part, MODULE_SPECS[TRAFFIC].owner)
        options = {**connection, "hours": MINUTES / 60, "top": HEAVIEST}
        yield from _traffic_texts(run_module(Part(TRAFFIC, options), False))
    if any(part.options.get(name) for name in ZONE_OWNER.options):
        words = _backtest_words(part, run_module)
        if words:
            yield f"Requests of the last hour, by these rules: {words}"
    if merged.sets(SECURITY_LEVEL):
        yield LEVEL_OF_SOME


def _backtest_words(part: Part, run_module: RunModule) -> str:
    """The effect of the rules of a host on the requests of the last hour, in words; empty if it
    is not known."""
    options = {**part.options, "backtest": {"hours": 1}}
    result = run_module(replace(part, options=options), True)
    if "backtest" in result:
        return backtest_in_words(result["backtest"])
    return f"Not known. {result['msg']}" if result.get("failed") else ""


def _traffic_texts(result: Mapping[str, Any]) -> Iterator[str]:
    """Sentences on the heaviest sources, networks and ports."""
    traffic = result.get("traffic") or {}
    top = {"unknown": [str(result.get("msg"))], **(traffic.get("top") or {})}
    top["reasons"] = _reasons_of_drops(traffic.get("components") or {})
    unknown = top.pop("unknown")
    top.pop("known", None)
    for name, records in top.items():
        if records:
            values = [f"{record['value']} ({record['packets']})" for record in records]
            title = name.replace("source_", "")
            heaviest = f"{title} {first_few(values)}"
            yield f"Dropped, or would have been, in {MINUTES} minutes: {heaviest}."
    if unknown:
        yield f"Not all of the traffic is known: {' '.join(unknown)}"


def _reasons_of_drops(components: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The reasons for which components drop packets, each with the number of packets."""
    records = []
    for component in components.values():
        for reason, packets in component["reasons"].items():
            records.append({"value": reason, "packets": packets})
    return records


def operation_in_words(operation: Mapping[str, Any]) -> str:
    """An operation with the values that it changes, or with the expression of a new rule."""
    fields = operation["fields"]
    before = operation.get("before") or {}
    changes = []
    for name, value in fields.items():
        if name in before:
            changes.append(f"{name} {before[name]} -> {value}")
    about = ", ".join(changes) or fields.get("expression")
    words = f"{operation['action']} {title_of_operation(operation)}"
    return f"{words} ({excerpt(str(about))})" if about else words


def _remains(target: PostureObject, obj: Object) -> bool:
    """Return whether an existing object stays when the posture ends. That is so for a list, of
    which only the items are deleted.
    """
    return target.resource is LISTS and target.is_made(obj)


def named_by_nobody(
    added: Sequence[PostureObject], state: State, blocking: Mapping[str, Any]
) -> str:
    """The error for existing objects that the end of the posture would delete, with variables to
    copy that describe them as they are now; empty if there are no such objects. `blocking` has all
    fields that a block sets.
    """
    existing: dict[str, list[Object]] = {}
    titles = []
    for target in added:
        plural, key = target.identity
        for obj in state.get(plural, ()):
            if target.resource.key_of(obj) == key and not _remains(target, obj):
                existing.setdefault(plural, []).append(obj)
                titles.append(target.resource.title_of(obj))
    if not titles:
        return ""
    blocks = {target.entry["ref"] for target in added if target.desired.position}
    variables = _variables_of(_with_lists(existing, state), blocks, blocking)
    line = yaml.safe_dump(variables, default_flow_style=True, sort_keys=False, width=math.inf)
    return (
        f"There is already {first_few(titles)}, which neither the baseline nor an"
        " earlier posture names, so that the end of this one would delete it. Add it to the"
        f" variables of the host as it is now, and run the same again: {line.strip()[1:-1]}. If a"
        " posture of another checkout brought it, commit the file there, and git pull here."
    )


def _with_lists(existing: Mapping[str, list[Object]], state: State) -> State:
    """The existing objects. Lists are added whose items are among them, since variables describe an
    item inside of its list.
    """
    named = existing.get(LISTS.plural, [])
    lists = [
        obj
        for obj in state.get(LISTS.plural, ())
        if obj in named or items_of(str(obj["name"])).plural in existing
    ]
    if not lists:
        return existing
    return {**existing, LISTS.plural: lists}


def _variables_of(state: State, blocks: Set[str], blocking: Mapping[str, Any]) -> dict[str, Any]:
    """The variables that describe these existing objects; a block is described with all fields in
    `blocking`.
    """
    exported = export_state(state).variables
    variables = {name: exported[name] for name in of_host.OWNERS_OF if exported.get(name)}
    for entries in variables.values():
        for entry in entries:
            if entry.get("ref") in blocks:
                entry.update({**blocking, **without(entry, "position")})
    return variables
