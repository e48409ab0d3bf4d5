# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Describes an account and a zone as variables of the role baseline, and the file of an export: its
text, its place, and whether people have edited it since."""

from __future__ import annotations

import glob
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...module_utils._api.settings import shared_options
from ...module_utils._arguments import Arguments
from ...module_utils._plan.api_fields import undeclared
from ...module_utils._schema.account import COLLECTIONS
from ...module_utils._schema.custom_rules import CUSTOM_RULES
from ...module_utils._schema.custom_rulesets import WHOLE_RULESETS
from ...module_utils._schema.lists import LISTS
from ...module_utils._schema.products import sentence_on_lack
from ...module_utils._schema.registry import BY_PLURAL, MANAGED, managed_of
from ...module_utils._schema.resource import (
    OWNERS,
    ZONE_OPTION,
    InFiles,
    Key,
    Object,
    Resource,
    State,
    Values,
)
from ...module_utils._specs.host import EXCLUSIVE, option_of
from ...module_utils._specs.whole_state import name_of, options_for, whole_state, why_not_described
from .._alike import without_ray
from .._baseline.variables import PREFIX, PURGE, SOURCE, VARIABLE_OF
from .._files import files_beside, host_folder, variables_file
from .._variables import plain
from .host_state import HostState

IGNORE_IDS = f"{PREFIX}ignore_ids"
OPTION_OF: dict[str, str] = {}  # of the role, by the plural of a resource of an account
for _option, _resources in COLLECTIONS.items():
    OPTION_OF.update({_resource.plural: _option for _resource in _resources})


@dataclass
class Export:
    """The variables of the role baseline, a note on each thing that they do not describe, and
    the `incomplete` options of lists that cannot be exclusive, since an object in them has no
    name. `ignoring` has, by variable, the names of objects that the role leaves alone."""

    variables: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    ignoring: dict[str, list[str]] = field(default_factory=dict)

    def left_alone(self, resource: Resource, obj: Object) -> str:
        """Make the variables leave an object alone, by its id or by a pattern; returns a clause
        that says so."""
        variable = VARIABLE_OF[resource.plural]
        name: Any
        if resource.has_patterns:
            field_name, ignoring = resource.key[0], f"{variable}_ignore"
            name = pattern_of(resource, obj)
        elif resource.plural in OPTION_OF:
            field_name, ignoring = "id", IGNORE_IDS
            name = obj.get("id")
        else:
            return "the role leaves it alone"
        if isinstance(name, str) and name:
            names = self.ignoring.setdefault(ignoring, [])
            if name not in names:
                names.append(name)
            return f"{ignoring} leaves it alone"
        option = variable.removeprefix(PREFIX)
        if option not in self.incomplete:
            self.incomplete.append(option)
        return f"it has no {field_name}, so that {PURGE} has no {option}"


def export_state(state: State, purge: bool = False) -> Export:
    """The variables that describe a state, so that the role baseline changes nothing. `state`
    has the existing objects by the plural of each resource; resources that it lacks are not
    described. With `purge` the lists are exclusive: objects that no variable names are deleted,
    except for those left alone. Raises ValueError for an empty state."""
    if not state:
        raise ValueError("there is nothing to export, since nothing was read")
    plain_state = plain(state)
    export = Export(notes=_lists_left_alone(plain_state))
    state = whole_state(plain_state)
    for plural, objects in state.items():
        if not BY_PLURAL[plural].key:
            _export_setting(BY_PLURAL[plural], objects, export)
    options = {OPTION_OF[plural] for plural in state if plural in OPTION_OF}
    for option, resources in COLLECTIONS.items():
        if option in options and not _is_empty_on_demand(resources, state):
            _export_collections(resources, state, purge, export)
    export.variables.update(export.ignoring)
    for plural in state:
        if BY_PLURAL[plural].key and plural not in OPTION_OF:
            _export_collections([BY_PLURAL[plural]], state, purge, export)
            export.variables.update(export.ignoring)
    if purge_of(export.variables):
        exclusive = purge_of(export.variables, export.incomplete) if purge else []
        export.variables[PURGE] = exclusive
    return export


def _is_empty_on_demand(resources: Sequence[Resource], state: State) -> bool:
    """Return whether these collections are read on demand alone, and are empty: an empty variable
    would say that the host is to have that protection."""
    return all(resource.on_demand and not state.get(resource.plural) for resource in resources)


def _lists_left_alone(state: State) -> list[str]:
    """A sentence for each list of a kind that the role does not manage, such as a redirect list."""
    sentences = []
    for obj in state.get(LISTS.plural, ()):
        reason = LISTS.semantics.not_ours(obj)
        if reason:
            sentences.append(f"The {LISTS.title_of(obj)} {reason}; the role leaves it alone.")
    return sentences


def purge_of(variables: Mapping[str, Any], incomplete: Sequence[str] = ()) -> list[str]:
    """The options of the collections that these variables describe in full, so that they can be
    exclusive."""
    options = {f"{PREFIX}{option}": option for option in EXCLUSIVE}
    described = [options[name] for name in variables if name in options]
    return [option for option in described if option not in incomplete]


def _export_setting(resource: Resource, objects: Sequence[Object], export: Export) -> None:
    for obj in objects:
        options = options_for(resource, obj)
        if reason := why_not_described(resource, obj, options):
            export.notes.append(
                f"The {resource.title} is not known ({reason}). The file does not say it, so that"
                " the role leaves it as it is."
            )
        else:
            variable = VARIABLE_OF[resource.plural]
            (value, *_further) = [options] if resource.is_whole else options.values()
            export.variables[variable] = value
    _note_unknown_fields(resource, objects, export)


def deployments_of(state: State) -> set[str]:
    """The refs of custom rules that the variables of rulesets describe."""
    rulesets = state.get(WHOLE_RULESETS[ZONE_OPTION].plural, ())
    return {str(ruleset["deploy"]["ref"]) for ruleset in rulesets if ruleset.get("deploy")}


def _export_collections(
    resources: Sequence[Resource], state: State, purge: bool, export: Export
) -> None:
    """Add the variable of these collections: several lists of an account, in any order, or one
    in the order of Cloudflare. Custom rules that deploy a described ruleset need no note; with
    `purge`, the variable has their places."""
    described: list[dict[str, Any]] = []
    deployments = deployments_of(state)
    for resource in resources:
        objects = state.get(resource.plural, ())
        if resource.plural in OPTION_OF:
            objects = sorted(objects, key=lambda obj: str(obj.get("id")))
            objects.sort(key=resource.key_of)
        describable, remaining = sort_out(resource, objects)
        kind = {"kind": resource.kind} if resource.kind else {}
        entries = exclusive_entries(resource, describable) if purge else describable
        described += [{**kind, **values} for values in entries]
        for obj, reason in remaining:
            consequence = export.left_alone(resource, obj)
            if resource is not CUSTOM_RULES or obj.get("ref") not in deployments:
                export.notes.append(f"The {name_of(resource, obj)} {reason}; {consequence}.")
        if purge and resource is CUSTOM_RULES:
            described = _with_places(described, objects, deployments)
        export.notes += _notes_on_parts(resource, objects)
        if not resource.has_patterns:
            _note_unknown_fields(resource, objects, export)
    export.variables[VARIABLE_OF[resources[0].plural]] = described


def _with_places(
    described: Sequence[dict[str, Any]], rules: Sequence[Object], deployments: set[str]
) -> list[dict[str, Any]]:
    """The described rules, and between them an entry with only a ref for each rule that deploys
    a described ruleset."""
    entries = {str(entry["ref"]): entry for entry in described}
    entries.update({ref: {"ref": ref} for ref in deployments})
    refs = [str(rule.get("ref")) for rule in rules]
    return [entries[ref] for ref in refs if ref in entries]


def _notes_on_parts(resource: Resource, objects: Sequence[Object]) -> list[str]:
    """A sentence on each object of which a part cannot be described."""
    return [
        f"Parts of the {name_of(resource, obj)} cannot be described; the role leaves them alone."
        for obj in objects
        if resource.semantics.describable(obj) is not obj
    ]


def exclusive_entries(resource: Resource, entries: Sequence[Values]) -> list[dict[str, Any]]:
    """The entries, where lists and rulesets are exclusive: other items or rules are deleted."""
    contents = {"items", "rules"} if isinstance(resource.listing, InFiles) else set()
    exclusive = []
    for entry in entries:
        values = dict(entry)
        if contents & entry.keys():
            values["purge"] = True
        exclusive.append(values)
    return exclusive


def sort_out(
    resource: Resource, objects: Sequence[Object]
) -> tuple[list[dict[str, Any]], list[tuple[Object, str]]]:
    """The options of the objects that can be described, and the other objects, each with the
    reason. Of several objects with one key, the first is described; in an ordered list, none of
    them."""
    described: dict[Key, dict[str, Any]] = {}
    remaining: list[tuple[Object, str]] = []
    counts = Counter(map(resource.key_of, objects))
    for obj in objects:
        options = options_for(resource, obj)
        reason = why_not_described(resource, obj, options)
        key = resource.key_of(obj)
        if reason:
            remaining.append((obj, f"cannot be described: {reason}"))
        elif key in described or (resource.is_ordered and counts[key] > 1):
            remaining.append((obj, "exists more than once"))
        else:
            described[key] = options
    return list(described.values()), remaining


def pattern_of(resource: Resource, obj: Object) -> str:
    """The pattern that matches only the key of this object; empty if the object has no key."""
    key = obj.get(resource.key[0])
    return glob.escape(key) if isinstance(key, str) and key.strip() else ""


def _note_unknown_fields(resource: Resource, objects: Sequence[Object], export: Export) -> None:
    """Add a note on all fields that have no option, and that a module leaves as they are."""
    counts: Counter[str] = Counter()
    for obj in objects:
        counts.update(list(undeclared(resource, obj)))
    if counts:
        fields = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items()))
        export.notes.append(
            f"Of the {resource.plural.replace('_', ' ')}, fields without a variable stay as they"
            f" are: {fields}."
        )


EXPORT_NAME = "protection.yml"
EXPORT_HEADER = (
    "What Cloudflare holds, as variables of the role edgeops.protection.baseline; applying them"
    " changes nothing."
)
SCHEMA = ".protection.schema.json"  # beside the folders of hosts, for editors
SCHEMA_LINE = "# yaml-language-server: $schema="  # with the path from the file to the schema
CHECKSUM = "# sha256: "  # of all other lines, so that edits can be told


def export_text(export: Export, owners: Mapping[str, Any], group: str = "") -> str:
    """The text of a file of variables; with `owners`, the ids of the account and the zone, it says
    what it is about, and of which group the file is that has the other variables."""
    incomplete = {"incomplete": export.incomplete} if export.incomplete else {}
    of_group = {"group": group} if group else {}
    about = {SOURCE: {**owners, **incomplete, **of_group}} if owners else {}
    return variables_file({**about, **export.variables}, [EXPORT_HEADER, *export.notes])


def sealed(text: str, schema: str = f"../{SCHEMA}") -> str:
    """The text with its checksum as the second line, and as the third the path from its file to the
    schema, for editors."""
    start, variables = text.split("\n", 1)
    body = f"{SCHEMA_LINE}{schema}\n{variables}"
    checksum = _checksum(f"{start}\n{body}")
    return f"{start}\n{CHECKSUM}{checksum}\n{body}"


def is_export(text: str, edited: bool = False) -> bool:
    """Return whether the text is what an export wrote; with `edited`, also with edits of people
    below its second line."""
    lines = text.split("\n")
    seal = lines.pop(1) if len(lines) > 1 else ""
    if edited:
        return seal.startswith(CHECKSUM)
    return seal == f"{CHECKSUM}{_checksum(chr(10).join(lines))}"


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def path_of(directory: str, host: str) -> Path:
    """The export file of a host; raises ValueError if the host name cannot be a folder, or if
    Ansible would ignore an existing file of variables because of the folder."""
    folder = host_folder(directory, host)
    for file in files_beside(folder):
        raise ValueError(not_read_beside(file, folder))
    return folder / EXPORT_NAME


def not_read_beside(file: Path, folder: Path) -> str:
    """The words for a file of variables that the folder would hide."""
    return (
        f"{file} is a file, which Ansible does not read beside the folder {folder}. Nothing was"
        f" written. Move it into the folder, for example as {folder / 'main.yml'}."
    )


def diff_of(path: Path, before: str | None, after: str) -> dict[str, str]:
    """The diff of a file, as Ansible shows it."""
    headers = {f"{side}_header": str(path) for side in ("before", "after")}
    return {**headers, "before": before or "", "after": after}


def read_earlier_export(path: Path, overwrite: bool) -> str | None:
    """The text of an earlier export, None if there is none.

    Raises ValueError for a file that people have edited, unless it may be overwritten, and OSError.
    """
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    if not is_export(text) and not overwrite:
        raise ValueError(
            f"{path} is not an export, or was edited since. Nothing was written. Export into"
            " another export_directory and compare, or set export_overwrite: true to lose the"
            " edits."
        )
    return text


# The names of what an export may leave out, as the variables of the role baseline have them.
EXPORTED = [*dict.fromkeys(map(option_of, MANAGED))]
# The account and the zone, and how to reach them: as the modules take it, without their defaults.
CONNECTION = {
    name: {key: option[key] for key in ("type", "no_log") if option.get(key)}
    for name, option in shared_options("", lambda *names: None).items()
}
EXPORT_OPTIONS: Arguments = {
    **CONNECTION,
    "directory": {"type": "str", "default": "host_vars"},
    "group": {"type": "str", "default": ""},
    "skip": {"type": "list", "elements": "str", "choices": EXPORTED, "default": []},
    **{name: {"type": "bool", "default": False} for name in ("overwrite", "purge")},
}
# Of the task that runs once, for all hosts.
VARIABLES: Arguments = {f"export_{name}": argument for name, argument in EXPORT_OPTIONS.items()}


def connection_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the modules that read the host; a zone is named once."""
    unused = "zone_name" if options["zone_id"] else "zone_id"
    connection = {name: options[name] for name in CONNECTION if name != unused}
    return {name: value for name, value in connection.items() if value not in (None, "")}


def exported_resources(host: str, options: Mapping[str, Any]) -> list[Resource]:
    """The resources that the file describes: all that the option `skip` does not name; of a module
    for accounts and zones, those of the one that it would write. Raises ValueError for a host that
    is neither an account nor a zone."""
    owners = [name for name, owner in OWNERS.items() if any(map(options.get, owner.options))]
    if not owners:
        raise ValueError(
            f"{host} is neither an account nor a zone: set edge_account_id (export_account_id),"
            " edge_zone_id (export_zone_id), or edge_zone_name (export_zone_name)."
        )
    skipped = options["skip"]
    return [item.resource for item in managed_of(owners) if option_of(item) not in skipped]


def notes_on_unread(host: HostState) -> list[str]:
    """A sentence on each collection that Cloudflare refuses to show, and on each product that the
    account does not have; the same in each run."""
    notes: list[str] = []
    for title, reason in host.unread.items():
        consequence = "so that the role leaves them as they are"
        notes.append(f"The {title} are not known, {consequence}: {without_ray(reason)}")
    return [*notes, *map(sentence_on_lack, host.lacking)]
