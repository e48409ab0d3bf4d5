# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Hosts that an earlier report has, and that the inventory does not have any more: they are
unknown until it is clear that somebody has removed them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from ansible.errors import AnsibleError
from ansible.inventory.manager import IGNORED
from ansible.plugins.inventory import expand_hostname_range

from .document import host_record
from .record import HostRecord
from .results import unread_host

ADVICE = "If it is meant, accept it (report_accepted with the status gone)."
OF_PLUGIN = re.compile(r"(.+\.)?edgeops\.ya?ml")  # the names of files of the inventory plugin
PLUGIN_LINE = re.compile(r"""plugin:\s*["']?([\w.]+)""")
CONSTRUCTED = ("constructed", "ansible.builtin.constructed")  # the plugin that lists no hosts
OF_SCRIPT = "#!"
VARIABLES_FOLDERS = ("host_vars", "group_vars")
RANGE_OF_HOSTS = re.compile(
    r"""[^\s"'{},]*\[[^\]\s]*:[^\]\s]*\][^\s"'{},]*"""
)  # web[01:50].example
COMMENT_MARKS = ("#", ";")
CONTACTS_AND_GROUPS = ("groups", "owner", "runbook")


class InventoryPaths(NamedTuple):
    """The files of an inventory, the folders with variables of its hosts, and the names of the
    hosts that it has."""

    files: Sequence[Path]
    folders: Sequence[Path]
    hosts: Collection[str] = ()

    @property
    def of_plugin(self) -> bool:
        """Return whether one of the files is that of a script or an inventory plugin, which lists
        hosts itself."""
        return any(map(_lists_hosts_itself, self.files))

    def naming(self, host: str) -> Path | None:
        """The first file that has variables of a host or names it; None if there is none."""
        for folder in self.folders:
            for path in sorted(folder.iterdir()):
                if path.name == host or (path.stem == host and not self._is_of_another(path)):
                    return path
        whole_name = re.compile(rf"(?<![\w.-]){re.escape(host)}(?![\w.-])")
        for path in self.files:
            for line in _lines_of(path):
                if whole_name.search(line) or host in _hosts_of_ranges(line):
                    return path
        return None

    def _is_of_another(self, path: Path) -> bool:
        """Return whether the whole name of a path is that of a host: `shop.example` is not `shop`
        with an ending. The name of a folder has no ending."""
        return path.is_dir() or path.name in self.hosts


def inventory_files(sources: Iterable[str], hosts: Collection[str] = ()) -> InventoryPaths:
    """The files of an inventory with these sources, which may be folders, and these hosts; a list
    of hosts on the command line has no file."""
    files: list[Path] = []
    folders: list[Path] = []
    for source in map(Path, sources):
        files += _files_in(source)
        folder = (source if source.is_dir() else source.parent) / "host_vars"
        if folder.is_dir() and folder not in folders:
            folders.append(folder)
    return InventoryPaths(files, folders, hosts)


def _files_in(source: Path) -> Iterator[Path]:
    """The files of a source that Ansible reads for an inventory, also those of folders in it."""
    if source.is_file():
        yield source
    for path in sorted(source.iterdir()) if source.is_dir() else ():
        if not IGNORED.search(os.fsencode(path.name)) and path.name not in VARIABLES_FOLDERS:
            yield from _files_in(path)


def _lists_hosts_itself(path: Path) -> bool:
    """Return whether a file is that of a script or a plugin, which have hosts from elsewhere."""
    if OF_PLUGIN.fullmatch(path.name):
        return True
    if os.access(path, os.X_OK) and _text_of(path).startswith(OF_SCRIPT):
        return True
    plugins = [match[1] for match in map(PLUGIN_LINE.match, _lines_of(path)) if match]
    return any(plugin not in CONSTRUCTED for plugin in plugins)


def _lines_of(path: Path) -> Iterator[str]:
    """The lines of a file that are not comments; empty if the file cannot be read."""
    for line in _text_of(path).splitlines():
        if not line.lstrip().startswith(COMMENT_MARKS):
            yield line


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _hosts_of_ranges(line: str) -> Iterator[str]:
    """The names of hosts that a line has as ranges."""
    for pattern in RANGE_OF_HOSTS.findall(line):
        try:
            yield from expand_hostname_range(pattern.rstrip(":"))
        except (AnsibleError, ValueError):  # such as the name of a group, [zones:children]
            continue


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
