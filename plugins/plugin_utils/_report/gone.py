# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Hosts that an earlier report has, and that the inventory does not have any more: they are
unknown until it is clear that somebody has removed them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from .document import host_record
from .record import HostRecord
from .results import unread_host

ADVICE = "If it is meant, accept it (report_accepted with the status gone)."
OF_PLUGIN = re.compile(r"(.+\.)?edgeops\.ya?ml")  # the names of files of the inventory plugin
COMMENT_MARKS = ("#", ";")
CONTACTS_AND_GROUPS = ("groups", "owner", "runbook")


class InventoryPaths(NamedTuple):
    """The files of an inventory, and the folders with variables of its hosts."""

    files: Sequence[Path]
    folders: Sequence[Path]

    @property
    def of_plugin(self) -> bool:
        """Return whether one of the files configures an inventory plugin, which lists hosts
        itself.
        """
        return any(OF_PLUGIN.fullmatch(path.name) for path in self.files)

    def naming(self, host: str) -> Path | None:
        """The first file that has variables of a host or names it; None if there is none."""
        for folder in self.folders:
            for path in sorted(folder.iterdir()):
                if host in (path.name, path.stem):
                    return path
        whole_name = re.compile(rf"(?<![\w.-]){re.escape(host)}(?![\w.-])")
        for path in self.files:
            if any(whole_name.search(line) for line in _lines_of(path)):
                return path
        return None


def inventory_files(sources: Iterable[str]) -> InventoryPaths:
    """The files of an inventory with these sources, which may be folders; a list of hosts on the
    command line has no file."""
    files: list[Path] = []
    folders: list[Path] = []
    for source in map(Path, sources):
        if source.is_dir():
            files += sorted(path for path in source.iterdir() if path.is_file())
        elif source.is_file():
            files.append(source)
        folder = (source if source.is_dir() else source.parent) / "host_vars"
        if folder.is_dir() and folder not in folders:
            folders.append(folder)
    return InventoryPaths(files, folders)


def _lines_of(path: Path) -> Iterator[str]:
    """The lines of a file that are not comments; empty if the file cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        if not line.lstrip().startswith(COMMENT_MARKS):
            yield line


def gone_records(
    earlier: Iterable[HostRecord],
    inventory: InventoryPaths,
    is_accepted: Callable[[str], bool],
    now: str,
    is_whole: bool = True,
) -> list[HostRecord]:
    """The records of hosts that are in the `earlier` report, but no longer in the inventory; `now`
    is the timestamp of the new report. `is_accepted` takes the name of a host; an accepted one has
    no record.

    A host that no file names, and that no plugin can have listed, has been removed: one report says
    so, and the next leaves it out. If each batch of a play writes the report anew (not `is_whole`),
    `earlier` may be this very report, so that such a host stays in it.
    """
    records: list[HostRecord] = []
    for record in earlier:
        host = record["host"]
        file = inventory.naming(host)
        was_said = bool(record.get("gone")) and is_whole
        is_removed = was_said and not file and not inventory.of_plugin
        if not is_removed and not is_accepted(host):
            unread = unread_host(host, _reason_of_loss(file, inventory))
            fields = cast(Mapping[str, Any], record)
            contacts = {name: fields[name] for name in CONTACTS_AND_GROUPS}
            records.append(host_record(unread.having(gone=True, **contacts), now))
    return records


def _reason_of_loss(file: Path | None, inventory: InventoryPaths) -> str:
    subject = "It is not in the inventory any more"
    if file:
        return f"{subject}, and {file} still names it. Correct the inventory, or the file. {ADVICE}"
    if inventory.of_plugin:
        return f"{subject}: the inventory plugin does not list it. Check the token. {ADVICE}"
    return f"{subject}, and no file names it. The next report leaves it out."
