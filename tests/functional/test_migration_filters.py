# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filters in a template, and their documentation."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.protection.plugins.filter import migration_report, migration_steps, to_custom_rules
from ansible_collections.edgeops.protection.plugins.module_utils._migration.migrate import migrate, steps
from ansible_collections.edgeops.protection.plugins.module_utils._migration.report import report

from tests.support.ansible_run import TaskResult, ansible_playbook

ROOT = Path(__file__).parents[2]
NAMES = ("to_custom_rules", "migration_report")
DOCUMENTED = (*NAMES, "migration_steps")
RULES = [
    {"id": "a", "action": "block", "paused": False, "filter": {"expression": 'http.host eq "example.com"'}},
    {"id": "b", "action": "allow", "paused": True, "filter": {"expression": "ip.src in {192.0.2.0/24}"}},
]


@pytest.fixture(scope="module")
def documentation() -> Mapping[str, Any]:
    program = Path(sys.executable).parent / "ansible-doc"
    names = [f"edgeops.protection.{name}" for name in DOCUMENTED]
    process = subprocess.run([program, "--json", "-t", "filter", *names], capture_output=True, check=True, text=True)
    pages: dict[str, Any] = json.loads(process.stdout)
    return {name.rpartition(".")[2]: pages[name] for name in names}


VARIABLES = {
    "plain": RULES,
    "found": {"rules": RULES},
    "templated": [{**RULES[0], "description": "{{ 'no ' ~ what }}"}],
    "what": "scrapers",
}
TEMPLATES = ("plain", "found.rules", "plain | selectattr('id')", "plain | map('combine', {})", "templated")
REFUSED = {
    "[{}]": "number 1 of the firewall rules has no id.",
    "found": "firewall rules are a list, such as rules of firewall_rules_info, not a mapping.",
    "nothing.rules": "'nothing' is undefined",
}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, TaskResult]:
    """What each template came to in a playbook, by template and filter."""
    templates = [f"{value} | edgeops.protection.{name}" for value in (*TEMPLATES, *REFUSED) for name in NAMES]
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": VARIABLES,
        "tasks": [
            {"name": text, "ansible.builtin.debug": {"msg": f"{{{{ {text} }}}}"}, "ignore_errors": True}
            for text in templates
        ],
    }
    playbook = tmp_path_factory.mktemp("playbook") / "filters.yml"
    playbook.write_text(yaml.safe_dump([play]), encoding="utf-8")
    run = ansible_playbook(playbook)
    assert "Traceback" not in run.output
    return {task.task: task for task in run.tasks}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_filter_is_documented(documentation: Mapping[str, Any], name: str) -> None:
    process = documentation[name]
    assert process["doc"]["name"] == name
    assert process["doc"]["options"]["_input"]["required"] is True
    assert any(f"edgeops.protection.{name}" in json.dumps(task) for task in yaml.safe_load(process["examples"]))
    assert "_value" in process["return"]


def test_the_documentation_knows_every_key_of_a_custom_rule(documentation: Mapping[str, Any]) -> None:
    keys = {key for custom in migrate(RULES).rules for key in custom}
    assert set(documentation["to_custom_rules"]["return"]["_value"]["contains"]) == keys


def test_the_documentation_knows_every_step(documentation: Mapping[str, Any]) -> None:
    assert set(documentation["migration_steps"]["return"]["_value"]["contains"]) == steps(RULES, []).keys()


@pytest.mark.parametrize("value", TEMPLATES)
def test_templates(tasks: Mapping[str, TaskResult], value: str) -> None:
    rules = [{**RULES[0], "description": "no scrapers"}] if value == "templated" else RULES
    assert tasks[f"{value} | edgeops.protection.to_custom_rules"].result["msg"] == migrate(rules).rules
    assert tasks[f"{value} | edgeops.protection.migration_report"].result["msg"] == report(migrate(rules))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("text", "firewall rules are a list, such as rules of firewall_rules_info, not a text"),
        (None, "not null"),
        ({"rules": []}, "not a mapping"),
        (["a"], "number 1 of the firewall rules is not a mapping, but a text"),
        ([{"action": "block"}], "number 1 of the firewall rules has no id"),
    ],
)
@pytest.mark.parametrize("plugin", [to_custom_rules, migration_report])
def test_data_that_are_no_list_of_rules_are_refused(plugin: Any, value: Any, message: str) -> None:
    (function,) = plugin.FilterModule().filters().values()
    with pytest.raises(AnsibleFilterError, match=message):
        function(value)


@pytest.mark.parametrize("custom", ["text", {"rules": []}, ["a"]])
@pytest.mark.parametrize("plugin", [to_custom_rules, migration_report, migration_steps])
def test_data_that_are_no_list_of_custom_rules_are_refused(plugin: Any, custom: Any) -> None:
    (function,) = plugin.FilterModule().filters().values()
    with pytest.raises(AnsibleFilterError, match="custom_rules"):
        function(RULES, custom)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", REFUSED)
def test_a_template_says_what_was_wrong(tasks: Mapping[str, TaskResult], value: str, name: str) -> None:
    task = tasks[f"{value} | edgeops.protection.{name}"]
    assert task.outcome == "failed"
    assert REFUSED[value] in task.result["msg"]
