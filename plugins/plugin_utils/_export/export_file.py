# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of an export: its text, its place, and whether people have edited it since."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...module_utils._api.settings import shared_options
from ...module_utils._arguments import Arguments
from ...module_utils._schema.registry import managed_of
from ...module_utils._schema.resource import OWNERS, Resource
from .._baseline.variables import SOURCE
from .._files import files_beside, host_folder, variables_file
from .describe import Export

EXPORT_NAME = "protection.yml"
EXPORT_HEADER = (
    "What Cloudflare holds, as variables of the role edgeops.protection.baseline; applying them"
    " changes nothing."
)
SCHEMA = ".protection.schema.json"  # beside the folders of hosts, for editors
SCHEMA_LINE = f"# yaml-language-server: $schema=../{SCHEMA}"
CHECKSUM = "# Exported with the checksum "  # of all other lines, so that edits can be told


def export_text(export: Export, owners: Mapping[str, Any]) -> str:
    """The text of a file of variables; with `owners`, the ids of the account and the zone, it says
    what it is about."""
    incomplete = {"incomplete": export.incomplete} if export.incomplete else {}
    about = {SOURCE: {**owners, **incomplete}} if owners else {}
    return variables_file({**about, **export.variables}, [EXPORT_HEADER, *export.notes])


def sealed(text: str) -> str:
    """The text with its checksum as the second line, and the schema for editors as the third."""
    first, rest = text.split("\n", 1)
    rest = f"{SCHEMA_LINE}\n{rest}"
    return f"{first}\n{CHECKSUM}{_checksum(f'{first}{chr(10)}{rest}')}\n{rest}"


def is_edited(text: str) -> bool:
    """Return whether a text is another one than an export wrote."""
    lines = text.split("\n")
    seal = lines.pop(1) if len(lines) > 1 else ""
    return seal != f"{CHECKSUM}{_checksum(chr(10).join(lines))}"


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def path_of(directory: str, host: str) -> Path:
    """The file of a host; raises ValueError for the name of no folder, and where Ansible would no
    longer read a file that is there."""
    folder = host_folder(directory, host)
    for file in files_beside(folder):
        raise ValueError(
            f"{file} is a file, which Ansible does not read beside the folder {folder}. Nothing"
            f" was written. Move it into the folder, for example as {folder / 'main.yml'}."
        )
    return folder / EXPORT_NAME


def read_existing(path: Path, overwrite: bool) -> str | None:
    """The text of an earlier export, None if there is none.

    Raises ValueError for a file that people have edited, unless it may be overwritten, and OSError.
    """
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    if is_edited(text) and not overwrite:
        raise ValueError(
            f"{path} is not an export, or was edited since. Nothing was written. Export into"
            " another export_directory and compare, or set export_overwrite: true to lose the"
            " edits."
        )
    return text


# The kinds of objects that are exported if they are asked for.
ON_REQUEST = (
    "firewall_rules",
    "dns_rules",
    "network_firewall_rules",
    "ip_lists",
    "ddos_overrides",
    "security_level",
)
# The account and the zone, and how to reach them: as the modules take it, without their defaults.
CONNECTION = {
    name: {key: option[key] for key in ("type", "no_log") if option.get(key)}
    for name, option in shared_options("", lambda *names: None).items()
}
HOST_OPTIONS: Arguments = {
    **CONNECTION,
    "directory": {"type": "str", "default": "host_vars"},
    **{name: {"type": "bool", "default": False} for name in ("overwrite", "purge", *ON_REQUEST)},
}
# Of the task that runs once, for all hosts.
VARIABLES: Arguments = {f"export_{name}": item for name, item in HOST_OPTIONS.items()}


def connection_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the modules that read the host; a zone is named once."""
    other = "zone_name" if options["zone_id"] else "zone_id"
    names = [name for name in CONNECTION if name != other]
    return {name: options[name] for name in names if options[name] not in (None, "")}


def exported_resources(host: str, options: Mapping[str, Any]) -> list[Resource]:
    """The resources that the file describes: those that an option adds, and those without one; of
    a module for accounts and zones, those of the one that it would write. Raises ValueError for a
    host that is neither an account nor a zone."""
    named = [name for name, owner in OWNERS.items() if any(map(options.get, owner.options))]
    if not named:
        raise ValueError(
            f"{host} is neither an account nor a zone: set edge_account_id (export_account_id),"
            " edge_zone_id (export_zone_id), or edge_zone_name (export_zone_name)."
        )
    return [
        item.resource
        for item in managed_of(named)
        if options.get(
            "ddos_overrides" if item.option == "overrides" else item.resource.plural, True
        )
    ]
