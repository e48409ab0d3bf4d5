# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The text of RETURN: shapes with samples, as YAML, in the file of a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.documentation.shapes import Entries, Entry, result_entries

MODULES = Path(__file__).parents[2] / "plugins" / "modules"
START, END = '# `make docs-update` writes this block.\nRETURN = r"""\n', '"""\n'
ABRIDGED = {"before": ("effective", "protected"), "after": ("effective", "protected")}  # of a coverage
WIDTH = 92
LONGEST_LINE = 70  # characters of a sample without its indentation


def with_samples(entries: Entries, results: Sequence[Mapping[str, Any]]) -> Entries:
    """The entries with their samples; a key that occurs in no result is an error, unless Cloudflare may omit it."""
    samples = {name: _values(name, results) for name in entries}
    return {name: _with_sample(name, entry, samples[name]) for name, entry in entries.items() if samples[name]}


def _values(name: str, parents: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The values of one key, in the order of the results; the elements of lists of dictionaries, fullest first."""
    return [parent[name] for parent in parents if name in parent]


def _with_sample(name: str, entry: Entry, values: Sequence[Any]) -> Entry:
    if "contains" in entry:
        items = [item for value in values for item in (value if isinstance(value, list) else [value])]
        fullest = sorted((item for item in items if isinstance(item, Mapping)), key=_empty_values)
        return {**entry, "contains": with_samples(entry["contains"], fullest)}
    sample = next((value for value in values if value not in (None, "", [], {})), values[0])
    if "effective" in sample if isinstance(sample, Mapping) else False:
        sample = {key: sample[key] for key in ABRIDGED[name]}
    return {**entry, "sample": sample}


def _empty_values(item: Mapping[str, Any]) -> int:
    return -sum(value not in (None, "", [], {}) for value in item.values())


def return_block(module: str, results: Sequence[Mapping[str, Any]]) -> str:
    """The YAML of RETURN."""
    entries = result_entries(module)
    documented = with_samples(entries, results)
    if lacking := entries.keys() - documented.keys():
        raise ValueError(f"{module} returns no {', '.join(sorted(lacking))}")
    return "".join(to_yaml({name: _ordered(entry)}) for name, entry in documented.items())


def with_return(text: str, module: str, results: Sequence[Mapping[str, Any]]) -> str:
    """The text of a module with its RETURN block brought up to date."""
    start = text.index(START) + len(START)
    end = text.index(END, start)
    return text[:start] + return_block(module, results) + text[end:]


def _ordered(entry: Entry) -> Entry:
    """An entry with its keys in the usual order."""
    ordered: Entry = {
        key: entry[key] for key in ("description", "version_added", "returned", "type", "elements") if key in entry
    }
    if "contains" in entry:
        ordered["contains"] = {name: _ordered(inner) for name, inner in entry["contains"].items()}
    if "sample" in entry:
        ordered["sample"] = compact(entry["sample"])
    return ordered


class _Line:
    """A list or mapping that fits on one line."""

    def __init__(self, value: Any) -> None:
        self.value = value


def compact(value: Any) -> Any:
    """A value whose short lists and mappings stand on one line each, and whose long ones have a line an item."""
    if not isinstance(value, (Mapping, list)):
        return value
    if len(str(value)) <= LONGEST_LINE:
        return _Line(value)
    if isinstance(value, Mapping):
        return {name: compact(item) for name, item in value.items()}
    return [compact(item) for item in value]


class _Dumper(yaml.SafeDumper):
    """Indents lists, as the style of Ansible's documentation does, and writes no anchors."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _on_one_line(dumper: yaml.SafeDumper, line: _Line) -> yaml.Node:
    if isinstance(line.value, Mapping):
        nested = {name: _nested(item) for name, item in line.value.items()}
        return dumper.represent_mapping("tag:yaml.org,2002:map", nested.items(), True)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", map(_nested, line.value), True)


def _nested(item: Any) -> Any:
    return _Line(item) if isinstance(item, (Mapping, list)) else item


_Dumper.add_representer(_Line, _on_one_line)


def to_yaml(document: Any) -> str:
    """YAML in the style of Ansible's documentation."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=WIDTH, allow_unicode=True)
