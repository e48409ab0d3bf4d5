# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Snapshots: the state of a host before its first write, as a file of variables that the playbook
restore takes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.owners import OWNERS

from .._baseline.host_runner import RunModule, TakeSnapshot
from .._baseline.variables import OPTIONS, SNAPSHOT, SOURCE, Part
from .._files import write_private
from .._plain import plain
from .state import merged, reader_of, state_of
from .yaml_file import variables_file

HEADER = (
    "The state before a run of edgeops.protection.baseline, as Cloudflare had it;"
    " edgeops.protection.restore takes this file."
)
NAME = "%Y-%m-%dT%H-%M-%S.%fZ.yml"  # of a file, by the time in UTC


def read(parts: Sequence[Part], run_module: RunModule) -> list[dict[str, Any]]:
    """What the reader of each part returns; raises ValueError for a state that cannot be read."""
    results = [run_module(reader_of(part), False) for part in parts]
    for result in results:
        if result.get("failed"):
            raise ValueError(str(result["msg"]))
    return results


def snapshots_in(
    directory: Any, host: str, parts: Sequence[Part], run_module: RunModule, check_mode: bool
) -> TakeSnapshot | None:
    """Reads what the parts may change, and writes it; None without a directory.

    In check mode it is only tried whether the file could be written.
    """
    if not directory:
        return None

    def take_snapshot() -> str:
        folder = host_folder(str(directory), host)
        if check_mode:
            require_writable(folder)
            return ""
        text = snapshot_text(parts, read(parts, run_module))
        return write_snapshot(folder, text, datetime.now(timezone.utc))

    return take_snapshot


def snapshot_text(parts: Sequence[Part], results: Sequence[Mapping[str, Any]]) -> str:
    """The text of the file: what the reader of each part returned, as Cloudflare has it.

    Raises ValueError for a result that is not one of that reader.
    """
    states = [state_of(part, plain(result)) for part, result in zip(parts, results)]
    ignored = {
        OPTIONS[part.module][option]: list(part.options[option])
        for part in parts
        for option in ("ignore", "ignore_ids")
        if part.options.get(option)
    }
    source = {**owners_of(results), **({"ignore": plain(ignored)} if ignored else {})}
    return variables_file({SOURCE: source, SNAPSHOT: merged(states)}, [HEADER])


def owners_of(results: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The account and the zone that readers read, by their ids."""
    return {name: plain(result[name]) for result in results for name in OWNERS if result.get(name)}


def host_folder(directory: str, host: str) -> Path:
    """The folder of a host; a relative directory is one of the process's working directory.

    Raises ValueError for the name of a host that is not a name of a folder.
    """
    if host in ("", ".", "..") or os.sep in host or "\0" in host:
        raise ValueError(f"the host name '{host}' is not a name of a folder")
    return Path.cwd() / os.path.expanduser(directory) / host


def require_writable(folder: Path) -> None:
    """Raises the OSError that a file in this folder, which may not be there yet, would meet."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    code = 0 if os.access(existing, os.W_OK | os.X_OK) else errno.EACCES
    code = code if existing.is_dir() else errno.ENOTDIR
    if code:
        raise OSError(code, os.strerror(code), str(folder))


def write_snapshot(folder: Path, text: str, now: datetime) -> str:
    """Write the file of a host, readable for its owner only, completely or not at all; returns its
    path.

    Raises OSError.
    """
    path = folder / now.strftime(NAME)
    write_private(path, text, lasting=True)
    return str(path)
