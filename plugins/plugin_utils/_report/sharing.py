# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes that several hosts have in common, so that a reader sees them once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .record import Difference, HostRecord

FEWEST = 3  # hosts share a change; of fewer each shows its own


class Shared(NamedTuple):
    """An operation, and the hosts on which a run would make exactly it."""

    operation: Difference
    hosts: Sequence[str]


def shared_operations(records: Iterable[HostRecord]) -> dict[str, Shared]:
    """The operations that several hosts have, by what they do; those of most hosts first."""
    operations: dict[str, Difference] = {}
    hosts: dict[str, list[str]] = {}
    for record in records:
        for operation in record["operations"]:
            key = signature(operation)
            operations.setdefault(key, operation)
            if record["host"] not in hosts.setdefault(key, []):
                hosts[key].append(record["host"])
    several = [key for key, names in hosts.items() if len(names) >= FEWEST]
    several.sort(key=lambda key: -len(hosts[key]))
    return {key: Shared(operations[key], hosts[key]) for key in several}


def signature(operation: Difference) -> str:
    """What an operation does, whatever host it is for: equal texts do the same."""
    return json.dumps(operation, sort_keys=True)


def by_hosts(lines: Mapping[str, Sequence[str]]) -> list[tuple[Sequence[str], list[str]]]:
    """Lines by host as lines by the hosts that have them, those of most hosts first."""
    hosts: dict[str, list[str]] = {}
    for host, own in lines.items():
        for line in dict.fromkeys(own):
            hosts.setdefault(line, []).append(host)
    sections: dict[tuple[str, ...], list[str]] = {}
    for line, names in hosts.items():
        sections.setdefault(tuple(names), []).append(line)
    return sorted(sections.items(), key=lambda section: -len(section[0]))
