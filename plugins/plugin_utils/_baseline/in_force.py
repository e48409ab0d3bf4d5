# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prepared postures that are in force without an entry here: the file of another checkout may have
one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...module_utils._schema.lists import LISTS
from ...module_utils._text import capitalised
from .merged_host import PREPARED, MergedHost, PostureObject
from .service_time import ReadFailed
from .variables import Part, RunModule


def in_force(merged: MergedHost, part: Part, run_module: RunModule) -> list[PostureObject]:
    """The objects of the account and the zone that are as a prepared posture would set them, and
    that nothing else names; raises ReadFailed. A list that remains without items does not count."""
    resources = [target.resource for target in merged.prepared.values()]
    reads = {(resource.parent or resource).plural for resource in resources}
    if not reads:
        return []
    context = part.context.to_read(sorted(reads))
    result = run_module(replace(part, context=context), True)
    if result.get("failed"):
        raise ReadFailed(str(result["msg"]), result)
    return [target for target in merged.prepared_in(result) if target.resource is not LISTS]


def sentences_on_prepared(
    merged: MergedHost,
    part: Part,
    run_module: RunModule,
    unmanaged: Iterable[Mapping[str, Any]] | None,
) -> Iterator[str]:
    """A sentence for each object of a prepared posture that is in force, if the `unmanaged`
    objects include some or are not known (None)."""
    unnamed = {(obj["resource"], obj["key"]) for obj in unmanaged or ()}
    prepared = [
        (target.resource.name, target.resource.label_of(target.desired.values))
        for target in merged.prepared.values()
    ]
    if unmanaged is not None and unnamed.isdisjoint(prepared):
        return
    try:
        targets = in_force(merged, part, run_module)
    except ReadFailed as exc:
        yield f"Nobody knows whether a prepared posture is in force: {exc}"
        return
    for target in targets:
        yield f"{capitalised(target.title)} is as {target.place} says, which {PREPARED}."
