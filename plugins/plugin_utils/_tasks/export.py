# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role export: it writes what accounts and zones hold as variables, and what the
hosts of a group have in common once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

from .._action import say
from .._baseline.fleet import FleetAction, failed_host
from .._export.draft import Draft, draft_of, write_draft
from .._export.shared_file import (
    GroupMistake,
    Member,
    SharedFile,
    kept_file,
    sentence_on,
    whole_file,
    write_shared,
)
from .._inventory.above_group import set_above


class ExportAction(FleetAction):
    """Reads hosts, and writes a file of variables for each, and their schema beside the folders;
    before them the files of groups, so that no host loses what its file leaves out."""

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        check_mode = bool(self._task.check_mode)
        hosts, groups = self.hosts(variables), variables["groups"]
        try:
            self.require_requests()
            products: Iterator[Draft | Exception] = self.of_each(
                hosts, variables, lambda task: draft_of(task, groups), _failed
            )
            drafts = dict(zip(hosts, products))
            members = self._members(drafts.values(), variables)
            files = self._shared_files(members.values(), groups)
            diffs = [write_shared(file, check_mode) for file in files.values()]
        except (AnsibleError, OSError, ValueError) as exc:
            return {"failed": True, "changed": False, "msg": str(exc)}
        for file in files.values():
            say(self.display, sentence_on(file, check_mode))
        results = {
            host: _result_of_draft(host, draft, members.get(host), files, check_mode)
            for host, draft in drafts.items()
        }
        return _with_diffs(self.in_one(results), [diff for diff in diffs if diff])

    def _members(
        self, drafts: Iterable[Draft | Exception], variables: Mapping[str, Any]
    ) -> dict[str, Member]:
        """The hosts that share the file of a group; raises AnsibleError for files of the inventory
        that cannot be read."""
        sources = variables.get("ansible_inventory_sources") or ()
        # No public name of ansible-core leads to the order of groups: variables have their hosts,
        # and an inventory that is read again lacks what plays have added, and calls plugins anew.
        inventory = self._task.get_variable_manager()._inventory
        members = {}
        for draft in drafts:
            if isinstance(draft, Draft) and draft.shared_path:
                host, group = draft.task.host, draft.options["group"]
                above = set_above(
                    self._loader, sources, inventory.get_host(host), group, draft.path
                )
                members[host] = draft.member(above)
        return members

    def _shared_files(
        self, members: Iterable[Member], groups: Mapping[str, Sequence[str]]
    ) -> dict[Path, SharedFile]:
        """The files of groups by their paths; a run that lacks a host of the group leaves its file
        as it is. Raises AnsibleError, OSError and ValueError."""
        sharing: dict[Path, list[Member]] = {}
        for member in members:
            sharing.setdefault(member.path, []).append(member)
        files = {}
        for path, hosts in sharing.items():
            read = {member.host for member in hosts}
            lacking = [host for host in groups[hosts[0].group] if host not in read]
            files[path] = (
                kept_file(hosts, lacking, self._variables_in(path))
                if lacking
                else whole_file(hosts)
            )
        return files

    def _variables_in(self, path: Path) -> Mapping[str, Any]:
        """The variables in a file; empty if there is none."""
        if not path.is_file():
            return {}
        return self._loader.load_from_file(str(path), cache="none") or {}


def _failed(_host: str, exc: Exception) -> Exception:
    """The exception, as the product of a host; a mistake in a group ends the run, since nothing
    may be written."""
    if isinstance(exc, GroupMistake):
        raise exc
    return exc


def _result_of_draft(
    host: str,
    draft: Draft | Exception,
    member: Member | None,
    files: Mapping[Path, SharedFile],
    check_mode: bool,
) -> dict[str, Any]:
    """The result of a host, whose file is written unless in check mode."""
    if not isinstance(draft, Draft):
        return failed_host(host, draft)
    shared = files[member.path] if member else None
    try:
        return write_draft(draft, member, shared, check_mode)
    except Exception as exc:  # it stops no other host
        return failed_host(host, exc)


def _with_diffs(result: dict[str, Any], diffs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The result with the diffs of the files of groups, which are changes as well."""
    if not diffs:
        return result
    return {**result, "changed": True, "diff": [*diffs, *result.get("diff", ())]}
