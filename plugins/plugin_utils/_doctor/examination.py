# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what a host has, its account, its zone or both, with the connection and credentials of the
role baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.connect import (
    client_of_owner,
    connected,
)
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import (
    Settings,
    parse_settings,
    shared_options,
)
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ProtectionError
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ZONE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import validate
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._text import Names, with_names

from .._baseline.variables import (
    ACCOUNT,
    CUSTOM,
    INVENTORY,
    NAMES,
    OPTIONS,
    Part,
    connection_options,
    parts_of,
)
from .objects import is_managed
from .reads import (
    Answer,
    Clock,
    Read,
    ask_all,
    first_answers,
    further_reads,
    is_paged,
    reads_of,
    reads_of_token,
)

RETRIES = 1  # the doctor tells what it meets, rather than waiting until it is gone
Warn = Callable[[str], None]


def _connection_of(module: str) -> list[str]:
    options = shared_options(MODULE_SPECS[module].owner, lambda *names: None)
    return [variable for option, variable in OPTIONS[module].items() if option in options]


OF_CONNECTION = tuple(
    dict.fromkeys([*_connection_of(ACCOUNT), *_connection_of(CUSTOM), *INVENTORY.values()])
)


@dataclass(frozen=True)
class Examination:
    """All answers about a host, the ids of its account and zone, and how many calls were made."""

    answers: Sequence[Answer]
    owners: Mapping[str, str]
    calls: int


def parts_to_read(host: str, values: Mapping[str, Any]) -> list[Part]:
    """The account and the zone of a host, with the options to reach them; raises ValueError for a
    host that has neither, or no credentials."""
    return parts_of(host, {**values, NAMES[CUSTOM]["rules"]: []})


def settings_of(part: Part, warn: Warn) -> Settings:
    """The checked options of a part; raises ValueError with the names of the variables."""
    owner = MODULE_SPECS[part.module].owner
    arguments = shared_options(owner, lambda *names: None)
    options, error = validate(arguments, part.module, connection_options(part))
    if error:
        raise ValueError(with_names(error, part.names))
    try:
        return parse_settings({**options, "retries": RETRIES}, owner, {}, warn)
    except ProtectionError as exc:
        raise ValueError(with_names(exc.message, part.names)) from exc


def examine(parts: Sequence[Part], warn: Warn, clock: Clock) -> Examination:
    """Read every part; raises ValueError for wrong options, before any call."""
    every = [(settings_of(part, warn), part.names) for part in parts]
    answers: list[Answer] = []
    owners: dict[str, str] = {}
    calls = 0
    for settings, names in every:
        with connected(settings, warn) as client:
            if not answers:
                answers += ask_all(client.ask, reads_of_token(), clock, names)
            answers += _read_owner(client, settings, owners, clock, names)
            calls += client.calls
    return Examination(answers, owners, calls)


def _read_owner(
    client: Client, settings: Settings, owners: dict[str, str], clock: Clock, names: Names
) -> list[Answer]:
    """What an account or a zone answers; one that goes by an unknown name is told as a failed
    read."""
    try:
        client = client_of_owner(client, settings)
    except ProtectionError as exc:
        read = Read(ZONE, Request("GET", "zones", resource=ZONE))
        return [Answer(read, problem=with_names(exc.message, names))]
    owners.update(client.owner)
    answers = ask_all(client.ask, reads_of(client.owner, clock()), clock, names)
    reads = list(further_reads(_complete_lists(answers), client.owner))
    return [*answers, *ask_all(client.ask, reads, clock, names)]


def _complete_lists(answers: Sequence[Answer]) -> list[tuple[Resource, int]]:
    """The managed lists that seem to fit on their first page, with their lengths."""
    lists = [
        (answer.read.resource, len(answer.objects))
        for answer in first_answers(answers)
        if answer.is_success and is_paged(answer.read.resource) and is_managed(answer.read.resource)
    ]
    return [(resource, length) for resource, length in lists if length < resource.page_size]
