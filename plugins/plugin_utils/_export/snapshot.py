# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Snapshots: the state of a host before its first write, as a file of variables that the playbook
restore takes."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.owners import OWNER_OPTIONS

from .._baseline.host_runner import RunModule, TakeSnapshot
from .._baseline.variables import ACCOUNT, CUSTOM, FIREWALL, Part, connection_options
from .._files import write_whole
from .._plain import plain
from .describe import Export, export_baseline
from .yaml_file import variables_file

HEADER = (
    "The state before a run of edgeops.protection.baseline; edgeops.protection.restore takes this"
    " file."
)
READERS: Mapping[str, str] = {  # by module that writes, the one that reads the same
    ACCOUNT: "protection_info",
    FIREWALL: "firewall_rules_info",
    CUSTOM: "custom_rules_info",
}


def readers(parts: Sequence[Part]) -> list[Part]:
    """The modules that read what the parts may change, each under the name of the one that
    writes."""
    return [
        replace(part, module=READERS[part.module], options=connection_options(part))
        for part in parts
    ]


def snapshots_in(
    directory: Any, host: str, parts: Sequence[Part], run_module: RunModule, check_mode: bool
) -> TakeSnapshot | None:
    """Reads what the parts may change, and writes it; None without a directory.

    In check mode it is only tried whether the file could be written.
    """
    if not directory:
        return None

    def take_snapshot() -> str:
        folder = snapshot_folder(str(directory), host)
        if check_mode:
            require_writable(folder)
            return ""
        states = [run_module(part, False) for part in readers(parts)]
        for state in states:
            if state.get("failed"):
                raise ValueError(state["msg"])
        return write_snapshot(folder, snapshot_text(parts, states), datetime.now(timezone.utc))

    return take_snapshot


def snapshot_text(parts: Sequence[Part], states: Sequence[Mapping[str, Any]]) -> str:
    """The text of the file: what the modules that read returned for each part, in the form that an
    export has.

    Raises ValueError for a state that is not that of an account or zone.
    """
    read = {part.module: state for part, state in zip(parts, states)}
    rules = {module: state["rules"] for module, state in read.items() if module != ACCOUNT}
    export = export_baseline(read.get(ACCOUNT), rules.get(CUSTOM), rules.get(FIREWALL), purge=True)
    owners = {
        name: part.options[name]
        for part in parts
        for name in OWNER_OPTIONS
        if part.options.get(name)
    }
    source = source_of(plain(owners), export)
    return variables_file({"baseline_source": source, **export.variables}, [HEADER, *export.notes])


def source_of(owners: Mapping[str, Any], export: Export) -> dict[str, Any]:
    """What a file says of itself: the account and the zone, and the lists that it cannot describe
    completely."""
    return {**owners, **({"incomplete": export.incomplete} if export.incomplete else {})}


def snapshot_folder(directory: str, host: str) -> Path:
    """The folder of a host; a relative directory is one where the command was typed.

    Raises ValueError for the name of a host that is no name of a folder.
    """
    if host in ("", ".", "..") or os.sep in host:
        raise ValueError(f"the host name '{host}' is no name of a folder")
    return Path(os.environ.get("PWD") or Path.cwd(), os.path.expanduser(directory), host)


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
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{now:%Y-%m-%dT%H-%M-%S.%f}Z.yml"
    write_whole(path, text, 0o600, lasting=True)
    return str(path)
