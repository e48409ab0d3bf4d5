# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of a group: the variables that all its hosts have in common, and what is left for the
file of each host."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...module_utils._schema.resource import OWNERS
from ...module_utils._text import did_you_mean, first_few, plural
from .._baseline.variables import PURGE, VARIABLE_OF
from .._files import files_beside, host_folder, require_writable, variables_file, write_private
from .._variables import plain
from .describe import (
    EXPORT_HEADER,
    EXPORT_NAME,
    SCHEMA,
    diff_of,
    is_export,
    not_read_beside,
    read_earlier_export,
    sealed,
)

HOST_VARS, GROUP_VARS = "host_vars", "group_vars"  # the folders that Ansible reads
SHAREABLE = frozenset([*VARIABLE_OF.values(), PURGE])  # all others are about objects of one host


class GroupMistake(ValueError):
    """A mistake in the group of a host, after which nothing is written for any host."""


class Member(NamedTuple):
    """A host that shares the file at `path` with its group. `owners` are the ids of its account and
    its zone, `identities` these and their names; the inventory sets the variables `above` where
    they hide those of that file."""

    host: str
    group: str
    path: Path
    owners: Mapping[str, str]
    identities: Collection[str]
    variables: Mapping[str, Any]
    above: Collection[str] = ()
    overwrites: bool = False


class SharedFile(NamedTuple):
    """The file of a group: the variables that hosts find in it, the hosts that have them, its text
    before, None if there is none, and the hosts of the group that the run did not read."""

    path: Path
    group: str
    variables: Mapping[str, Any]
    hosts: Sequence[str]
    before: str | None = None
    lacking: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The text that the file is to have."""
        note = f"The hosts of the group {self.group} have it in common."
        to_hosts = "../" * (2 if self.path.name == EXPORT_NAME else 1) + HOST_VARS
        text = variables_file(self.variables, [EXPORT_HEADER, note])
        return sealed(text, f"{to_hosts}/{SCHEMA}")

    @property
    def is_written(self) -> bool:
        """Return whether the run has something to write in it, or to take out of it."""
        has_content = bool(self.variables) or self.before is not None
        return not self.lacking and has_content and self.text != self.before


def shared_path(directory: str, group: str) -> Path:
    """The file of a group beside the folder of hosts; it is in the folder of the group if there is
    one. Raises GroupMistake if Ansible would not read it, or if people wrote it, OSError and
    ValueError."""
    hosts_folder = Path.cwd() / os.path.expanduser(directory)
    if hosts_folder.name != HOST_VARS:
        raise GroupMistake(
            f"export_directory is {directory}, and the file of a group is in {GROUP_VARS} beside"
            f" {HOST_VARS}. Nothing was written. Set export_directory to a folder of that name,"
            f" such as {Path(directory) / HOST_VARS}, or leave out export_group."
        )
    folder = host_folder(str(hosts_folder.parent / GROUP_VARS), group)
    path = folder / EXPORT_NAME if folder.is_dir() else Path(f"{folder}.yml")
    for file in files_beside(folder) if folder.is_dir() else ():
        raise GroupMistake(not_read_beside(file, folder))
    text = read_earlier_export(path, overwrite=True)
    if text is not None and not is_export(text, edited=True):
        advice = f"Move it to {folder / 'main.yml'}; the export then writes {folder / EXPORT_NAME}."
        if folder.is_dir():
            advice = "Give it another name."
        raise GroupMistake(f"{path} is not an export. Nothing was written. {advice}")
    return path


def require_in_group(host: str, group: str, groups: Mapping[str, Collection[str]]) -> None:
    """Raise GroupMistake unless the inventory has the host in the group; `groups` has the hosts of
    each group."""
    if host not in groups.get(group, ()):
        names = sorted(name for name, hosts in groups.items() if host in hosts)
        raise GroupMistake(
            f"{host} is not in the group {group} (export_group), but in"
            f" {first_few(names)}{did_you_mean(group, names)}. Nothing was written. Set"
            " export_group to a group of the host, for example in group_vars."
        )


def whole_file(members: Sequence[Member]) -> SharedFile:
    """The file of a group all of whose hosts were read: what they have in common. Raises
    GroupMistake and OSError."""
    _require_alike(members)
    path = members[0].path
    before = read_earlier_export(path, overwrite=True)
    overwrites = all(member.overwrites for member in members)
    _require_unedited(path, before, overwrites)
    require_writable(path.parent)
    hosts = [member.host for member in members]
    return SharedFile(path, members[0].group, common_variables(members), hosts, before)


def kept_file(
    members: Sequence[Member], lacking: Sequence[str], variables: Mapping[str, Any]
) -> SharedFile:
    """The file of a group as it is, with these variables, since hosts are lacking that may need
    all of it."""
    path, group = members[0].path, members[0].group
    existing = plain(variables)
    shared = {name: existing[name] for name in existing if name in SHAREABLE}
    return SharedFile(path, group, shared, [member.host for member in members], lacking=lacking)


def write_shared(file: SharedFile, check_mode: bool) -> dict[str, str]:
    """Write the file of a group, unless in check mode; returns its diff, empty if it stays as it
    is. Raises OSError and ValueError."""
    if not file.is_written:
        return {}
    if not check_mode:
        write_private(file.path, file.text)
    return diff_of(file.path, file.before, file.text)


def sentence_on(file: SharedFile, check_mode: bool) -> str:
    """The sentence for people on the file of a group."""
    if file.lacking:
        outcome = "stays as it is" if file.path.is_file() else "is not written"
        return (
            f"{file.path} {outcome}, since this run did not read all hosts of the group"
            f" {file.group}: {first_few(file.lacking)} may need another value. The files of its"
            " hosts have what differs."
        )
    verb = "would have" if check_mode and file.is_written else "has"
    count = plural(len(file.variables), "variable", "variables")
    hosts = plural(len(file.hosts), "host", "hosts")
    return f"{file.path} {verb} {count} that {hosts} of the group {file.group} have in common."


def _require_unedited(path: Path, text: str | None, overwrite: bool) -> None:
    """Raise GroupMistake if people edited the file of a group since its export, unless it may be
    overwritten."""
    if text is not None and not is_export(text) and not overwrite:
        raise GroupMistake(
            f"{path} was edited since its export. Nothing was written. Move the edits to another"
            " file, or set export_overwrite: true to lose them."
        )


def _require_alike(members: Sequence[Member]) -> None:
    """Raise GroupMistake if the hosts of a group are accounts and zones: what is said of one means
    nothing for the other."""
    sample = members[0]
    for member in members[1:]:
        if member.owners.keys() != sample.owners.keys():
            raise GroupMistake(
                f"{sample.host} of the group {member.group} (export_group) is {_kind(sample)}, and"
                f" {member.host} is {_kind(member)}: they share no variables. Nothing was written."
                " Set export_group to a group with hosts of one kind."
            )


def _kind(member: Member) -> str:
    return " and ".join(OWNERS[option].with_article for option in member.owners)


def common_variables(members: Sequence[Member]) -> dict[str, Any]:
    """The variables that all of several hosts have with the same value, without those that name an
    account or a zone of theirs."""
    identities: set[str] = set()
    for member in members:
        identities.update(member.identities)
    common: dict[str, Any] = {}
    for name, value in members[0].variables.items() if len(members) > 1 else ():
        text = _text_of_variable(name, value)
        is_common = all(_is_written_as(member.variables, name, text) for member in members)
        if name in SHAREABLE and is_common and not _names_any(text, identities):
            common[name] = value
    return common


def variables_left(member: Member, shared: Mapping[str, Any]) -> dict[str, Any]:
    """The variables for the file of a host, beside those of its group; one of the group that the
    host does not describe is empty, so that it does not hold there."""
    variables = {}
    for name, value in member.variables.items():
        is_shared = name in shared and _is_written_as(shared, name, _text_of_variable(name, value))
        if not is_shared or name in member.above:
            variables[name] = value
    undescribed = [name for name in shared if name not in member.variables]
    return {**variables, **dict.fromkeys(undescribed)}


def _is_written_as(variables: Mapping[str, Any], name: str, text: str) -> bool:
    """Return whether the variable has the value that this text writes, of the same types."""
    return name in variables and _text_of_variable(name, variables[name]) == text


def _text_of_variable(name: str, value: Any) -> str:
    return variables_file({name: value})


def _names_any(text: str, identities: Iterable[str]) -> bool:
    return any(identity in text for identity in identities)
