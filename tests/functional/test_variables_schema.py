# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The schema of the variables is that of the declarations, takes what the pages show, and refuses what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import OF_HOST
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import VARIABLES as EXPORT
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.state_file import RESTORE
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.arguments import REPORT_VARIABLES as REPORT
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from tests.documentation.variables_schema import LONGEST_DESCRIPTION, SCHEMA
from tests.support.ansible_run import REPOSITORY
from tests.support.documents import PATHS, read_page

DOCUMENT = json.loads(SCHEMA.read_text(encoding="utf-8"))
VALIDATOR = Draft7Validator(DOCUMENT)
PREFIXES = ("baseline_", "export_", "report_", "restore_", "edge_")
MISTAKEN = "check_inventory.md:inventory/hosts.yml"  # shows what is found
INVENTORIES = [*REPOSITORY.glob("examples/inventory/**/*.yml"), *REPOSITORY.glob("tests/demo/inventory/**/*.yml")]


class Loader(yaml.SafeLoader):
    """Reads tagged texts, and dates as the texts that they are for an editor."""


def _as_text(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    return loader.construct_scalar(node) if isinstance(node, yaml.ScalarNode) else None


def _tagged(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> Any:
    return _as_text(loader, node)


Loader.add_multi_constructor("!", _tagged)
Loader.add_constructor("tag:yaml.org,2002:timestamp", _as_text)


def variables_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every dictionary in a file that has variables of the collection: of hosts, groups, plays and tasks."""
    if isinstance(value, Mapping):
        if any(str(name).startswith(PREFIXES) for name in value):
            yield value
        for item in value.values():
            yield from variables_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from variables_in(item)


def shown() -> Iterator[tuple[str, str]]:
    """Each file that a page shows, and each of the examples."""
    for path in PATHS:
        for name, text in read_page(path).files.items():
            yield f"{path.name}:{name}", text
    for path in INVENTORIES:
        yield str(path.relative_to(REPOSITORY)), path.read_text(encoding="utf-8")


SHOWN = {name: list(variables_in(yaml.load(text, Loader))) for name, text in shown()}


def problems(variables: Mapping[str, Any]) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(variables)]


def test_the_schema_is_one() -> None:
    Draft7Validator.check_schema(DOCUMENT)


def test_every_variable_is_in_the_schema_with_a_bounded_description() -> None:
    properties = DOCUMENT["properties"]
    assert {*OF_HOST, *EXPORT, *REPORT, *RESTORE} <= properties.keys()
    lengths = {name: len(item.get("description", "")) for name, item in properties.items()}
    assert not [name for name, length in lengths.items() if not 0 < length <= LONGEST_DESCRIPTION + 60]


@pytest.mark.parametrize("name", [name for name, items in SHOWN.items() if items and name != MISTAKEN])
def test_the_variables_that_pages_and_examples_show_are_valid(name: str) -> None:
    assert [problems(variables) for variables in SHOWN[name]] == [[] for _variables in SHOWN[name]]


def test_a_misspelt_variable_of_the_page_is_found() -> None:
    assert [bool(problems(variables)) for variables in SHOWN[MISTAKEN]] == [False, True]


def test_enough_is_shown() -> None:
    names = {name for dictionaries in SHOWN.values() for variables in dictionaries for name in variables}
    assert len([name for name in names if name.startswith("baseline_")]) > 10
    assert {"baseline_expectations", "baseline_accept_risks", "baseline_custom_rules"} <= names


RULE = {"ref": "a", "action": "block", "expression": "true"}
ANSWER = {"status_code": 403, "content": "no", "content_type": "text/plain"}


def answering(**response: Any) -> dict[str, Any]:
    """A rule that sends a response."""
    return {**RULE, "action_parameters": {"response": {**ANSWER, **response}}}


REQUEST = {"request": {"host": "shop.example", "path": "/"}, "expect": "allowed"}


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"my_own": 1, "edge_location": "roof", "baseline_prefixes": None},
        {"baseline_prefixes": [{"prefix": "192.0.2.0/24", "expires": "2027-01-31", "comment": 1}]},
        {"baseline_prefixes": "{{ prefixes }}", "baseline_timeout": "{{ seconds }}", "baseline_enabled": "{% if x %}"},
        {"baseline_custom_rules": [RULE, "{{ rule }}"], "baseline_purge": "{{ purge }}"},
        {"baseline_accept_risks": ["broad_allowlist", {"code": "mass_deletion", "resource": "prefix", "entries": ["x"], "reason": "y"}]},
        {"baseline_purge": True},
        {"baseline_purge": ["custom_rules", "ip_lists"]},
        {"baseline_ignore_ids": "a,b", "baseline_purge": "prefixes,allowlist", "report_fail_on": "drift"},
        {"baseline_accept_risks": "broad_allowlist,mass_deletion", "baseline_custom_rules_ignore": "office"},
        {"baseline_expectations": [REQUEST]},
        {"baseline_expectations": [{"every": "ssl", "traffic": "requests", "expect": "allowed"}]},
        {"baseline_expectations": [{"packet": {"destination": "192.0.2.1"}, "expect": {"syn_flood": "mitigated"}}]},
        {"baseline_postures": {"a": {"custom_rules": [RULE], "security_level": "high", "accept_risks": ["weakens_zone"]}}},
        {"baseline_posture": {"name": "a", "until": "2027-01-31", "reason": "INC-7"}},
        {"baseline_posture": [{"until": "2027-01-31", "custom_rules": [RULE]}, {"name": "a", "until": "2027-01-31"}]},
        {"edge_account_id": "0123456789ABCDEFabcdef0123456789", "edge_zone_id": ""},
        {"baseline_custom_rules": [answering(status_code=499), answering(content="{{ '" + "x" * 30721 + "' }}")]},
    ],
)  # fmt: skip
def test_the_schema_takes_values_that_the_roles_take(variables: Mapping[str, Any]) -> None:
    assert problems(variables) == []


@pytest.mark.parametrize(
    "variables",
    [
        {"baseline_custom_rules": [answering(status_code=503)]},
        {"baseline_custom_rules": [answering(content="x" * 30721)]},
        {"baseline_rate_limit_rules": [{**RULE, "ratelimit": {"period": 0}}]},
        {"baseline_ip_lists": [{"name": "a", "description": "x" * 501}]},
        {"baseline_prefixs": []},
        {"baseline_prefixes": [{"prefix": "192.0.2.0/24", "coment": "x"}]},
        {"baseline_prefixes": [{"comment": "x"}]},
        {"baseline_prefixes": ["192.0.2.0/24"]},
        {"baseline_prefixes": {"prefix": "192.0.2.0/24"}},
        {"baseline_enabled": "on"},
        {"baseline_rules": [{"kind": "syn_flood", "scope": "global", "mode": "active"}]},
        {"baseline_rules": [{"kind": "syn_flood", "scope": "global", "mode": None}]},
        {"baseline_custom_rules": [{**RULE, "action_parameters": {"phases": ["x"]}}]},
        {"baseline_custom_rules_state": "present"},
        {"baseline_purge": ["everything"]},
        {"baseline_purge": "all"},
        {"baseline_purge": "prefixes,everything"},
        {"baseline_prefixes": "192.0.2.0/24"},
        {"baseline_retries": -1},
        {"baseline_limits": {"max_deletions_percent": 101}},
        {"baseline_snapshot_keep": 0},
        {"baseline_accept_risks": ["broad_allow_list"]},
        {"baseline_accept_risks": [{"networks": []}]},
        {"baseline_expectations": [{**REQUEST, "packet": {"destination": "192.0.2.1"}}]},
        {"baseline_expectations": [{"expect": "allowed"}]},
        {"baseline_expectations": [{**REQUEST, "every": "ssl"}]},
        {"baseline_expectations": [{"every": "ssl", "traffic": "all", "expect": "allowed"}]},
        {"baseline_expectations": [{**REQUEST, "expect": "passes"}]},
        {"baseline_expectations": [{**REQUEST, "request": {"hots": "x"}}]},
        {"baseline_expectations": [{**REQUEST, "request": {"path": "no slash"}}]},
        {"baseline_expectations": [{"packet": {"destination_port": 70000, "destination": "a"}, "expect": "mitigated"}]},
        {"baseline_postures": {"a": {"custom_rulez": [RULE]}}},
        {"baseline_postures": {"a": {"custom_rules": [{"action": "block"}]}}},
        {"baseline_posture": {"name": "a"}},
        {"baseline_posture": [{"name": "a"}]},
        {"baseline_posture": {"name": "a", "until": "2027-01-31", "security_level": "highest"}},
        {"edge_account_id": "bbbb0000"},
        {"report_fail_on": ["bad"]},
        {"export_purge": "sometimes"},
    ],
    ids=lambda variables: json.dumps(variables)[:60],
)
def test_a_mistake_is_found(variables: Mapping[str, Any]) -> None:
    assert problems(variables)
