# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two mistakes in one task end in a message that has both: to word one of them needs nothing that the other one has spoilt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import TASK, Context
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE, MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.task import option_errors
from ansible_collections.edgeops.protection.plugins.plugin_utils._module_options import read_arguments

from tests.functional.host_cases import EVERYTHING
from tests.functional.idempotence_cases import CASES
from tests.support.module_run import ACCOUNT, ZONE

Path = tuple[str | int, ...]
WRONG_VALUES: Sequence[Any] = (None, 5, True, "x", "", " ", [], {}, [None], {"x": 1}, -1, 1.5)
MISSPELT = "misspelt"
SAMPLED_PAIRS = 40  # of an example
TOKEN = {"api_token": "token-of-the-local-service-and-of-nothing-else"}

OF_LISTS = (
    {"name": "a", "kind": "ip", "items": [{"ip": "192.0.2.1", "comment": "x"}]},
    {"name": "a", "kind": "asn", "items": [{"asn": 64500}]},
    {"name": "a", "kind": "hostname", "items": [{"hostname": "shop.example.com"}]},
)


class Mistake(NamedTuple):
    """A value in the place of another one, or the name of an option with a letter more."""

    path: Path
    value: Any


def names_in(value: Any) -> list[str | int]:
    """The names of a dictionary, the numbers of a list, and nothing of any other value."""
    if isinstance(value, dict):
        return [*value]
    return [*range(len(value))] if isinstance(value, list) else []


def paths_in(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all values inside of a value."""
    for name in names_in(value):
        yield (*path, name)
        yield from paths_in(value[name], (*path, name))


def mistakes_in(options: dict[str, Any]) -> list[Mistake]:
    mistakes = []
    for path in paths_in(options):
        mistakes += [Mistake(path, value) for value in WRONG_VALUES]
        if isinstance(path[-1], str):
            mistakes.append(Mistake(path, MISSPELT))
    return mistakes


def spoilt(options: dict[str, Any], mistakes: Sequence[Mistake]) -> dict[str, Any]:
    """The options with these mistakes; one inside of what another one has replaced is none."""
    spoilt_options = deepcopy(options)
    for path, value in mistakes:
        holder: Any = spoilt_options
        *outer_names, name = path
        for outer_name in outer_names:
            holder = holder[outer_name] if outer_name in names_in(holder) else None
        if name not in names_in(holder):
            continue
        if value is MISSPELT:
            holder[f"{name}p"] = holder.pop(name)
        else:
            holder[name] = deepcopy(value)
    return spoilt_options


def examples() -> Iterator[tuple[str, dict[str, Any]]]:
    """Of each module the longest options of the cases; of a host all that there is."""
    longest: dict[str, dict[str, Any]] = {}
    for case in CASES:
        if case.module in MODULE_SPECS and len(str(case.options)) > len(str(longest.get(case.module, ""))):
            longest[case.module] = dict(case.options)
    yield from longest.items()
    yield HOST_MODULE, {**EVERYTHING, "zone_id": ZONE}


def messages(module: str, options: dict[str, Any]) -> list[str]:
    """All that is wrong in the options; a crash is none of it."""
    spec, read = read_arguments(module, {**TOKEN, "account_id": ACCOUNT, **options})
    context = Context(is_role=True) if module == HOST_MODULE else TASK
    return [error.message for error in option_errors(spec, read, context)]


@pytest.mark.parametrize("options", OF_LISTS, ids=lambda options: options["kind"])
def test_each_pair_of_mistakes_in_a_list_is_told(options: dict[str, Any]) -> None:
    for pair in combinations(mistakes_in(options), 2):
        assert all(messages("ip_list", spoilt(options, pair)))


@pytest.mark.parametrize(("module", "options"), [*examples()])
def test_sampled_pairs_of_mistakes_in_each_module_are_told(module: str, options: dict[str, Any]) -> None:
    mistakes = mistakes_in(options)
    random = Random(37)
    for _number in range(SAMPLED_PAIRS):
        assert all(messages(module, spoilt(options, random.sample(mistakes, 2))))


KIND = "kind: 'asns' is none of ip, asn, hostname (did you mean asn?)"


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{"ipp": "203.0.113.2"}], "items[0].ipp: there is no such field (did you mean ip?)"),
        ([{"comment": "x"}], "items[0]: it needs ip, and no other of ip, asn, hostname"),
        ([{"ip": "203.0.113.2", "asn": 64500}], "items[0]: it needs ip, and no other of ip, asn, hostname"),
        ([{"ip": "203.0.113.2"}, {"asn": 64500}], "items[1].asn: the list has addresses; set kind to asn"),
        ([{"comment": "x"}, {"asn": 64500}], "items[0]: it needs asn, and no other of ip, asn, hostname"),
        ([{"ip": ["x"]}], "items[0].ip: it is a list; write a text"),
        ([None], "items[0]: it is null; leave it out"),
        ("x", "items: 'x' is a text; write [{ip: x}]"),
    ],
)
def test_a_wrong_kind_is_told_beside_a_wrong_item(items: Any, message: str) -> None:
    errors = messages("ip_list", {"name": "a", "kind": "asns", "items": items})
    assert KIND in errors
    assert message in errors
