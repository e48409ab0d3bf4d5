# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Snapshots: the state of a host before its first write, as a file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from ...module_utils._arguments import read_options
from ...module_utils._plan.desired import Desired
from ...module_utils._schema.resource import Object
from ...module_utils._specs.registry import host_spec
from .._baseline.variables import OPTIONS, PREFIX, SNAPSHOT, SOURCE, Part, RunModule, TakeSnapshot
from .._files import host_folder, require_writable, variables_file
from .._variables import plain
from .host_state import HostState, predicted_state, read_part
from .kept_snapshots import SNAPSHOT_HEADER, write_snapshot
from .state_file import NamedKeys


def snapshots_in(
    directory: Any,
    host: str,
    part: Part,
    run_module: RunModule,
    check_mode: bool,
    named_keys: NamedKeys | None = None,
) -> TakeSnapshot | None:
    """The function that writes a snapshot of all that a host may change, from what its prediction
    has read; None without a directory.

    `named_keys` limit the snapshot as in `snapshot_text`. In check mode the function only checks
    whether the file could be written.
    """
    if not directory:
        return None

    def take_snapshot(predicted: Mapping[str, Any]) -> str:
        folder = host_folder(str(directory), host)
        if check_mode:
            require_writable(folder)
            return ""
        state = predicted_state(part, predicted) or read_part(part, run_module)
        text = snapshot_text(part, state, named_keys)
        return write_snapshot(folder, text, datetime.now(timezone.utc))

    return take_snapshot


def named_by(part: Part, now: datetime | None) -> NamedKeys:
    """The keys of the objects that a host names, in the collections in which it changes no other
    objects. A collection is left out if it is exclusive, or if its list is deleted and takes all
    items along."""
    options = read_options(OPTIONS, part.options)
    desired = [collection.at(now) for collection in host_spec(options).desired(options)]
    exclusive: set[str] = set()
    for collection in desired:
        contents = collection.resource.contents
        if collection.exclusive:
            exclusive.add(collection.resource.plural)
        if contents:
            for key in collection.gone | collection.expired:
                exclusive.add(contents(collection.objects[key]).plural)
    return {
        collection.resource.plural: _objects_with_keys(collection)
        for collection in desired
        if collection.resource.plural not in exclusive
    }


def _objects_with_keys(collection: Desired) -> list[Object]:
    """The desired objects of a collection, with their keys alone."""
    names = collection.resource.key
    return [
        {name: values[name] for name in names if name in values}
        for values in collection.objects.values()
    ]


def snapshot_text(part: Part, state: HostState, named_keys: NamedKeys | None = None) -> str:
    """The text of a snapshot: the existing objects that a host may change. In the collections in
    `named_keys`, the run changes only these objects, even if the variables name more."""
    ignored = {
        f"{PREFIX}{option}": list(value)
        for option, value in part.options.items()
        if value and option.endswith(("_ignore", "ignore_ids"))
    }
    keys = {**named_by(part, state.now), **(named_keys or {})}
    source: dict[str, Any] = {**state.owners}
    if ignored:
        source["ignore"] = plain(ignored)
    if keys:
        source["named"] = plain(keys)
    return variables_file({SOURCE: source, SNAPSHOT: state.objects}, [SNAPSHOT_HEADER])
