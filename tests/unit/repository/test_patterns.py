# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The patterns of Automation Platform hold what its specification asks for: README, playbooks, a survey for each variable.

The rule `pattern` of ansible-lint checks the same; ansible-lint has it in releases 25.7 and 25.8 only.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
PATTERNS = sorted((ROOT / "extensions" / "patterns").iterdir())
OF_A_SURVEY = {"text", "textarea", "password", "integer", "float", "multiplechoice", "multiselect"}
TYPES = {"text": "str", "textarea": "str", "multiplechoice": "str", "multiselect": "list"}

each_pattern = pytest.mark.parametrize("folder", PATTERNS, ids=lambda folder: folder.name)


def definition(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "meta" / "pattern.json").read_text(encoding="utf-8"))
    return document


def templates(folder: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = definition(folder)["aap_resources"]["controller_job_templates"]
    return listed


@each_pattern
def test_a_pattern_has_its_name_a_readme_and_short_titles(folder: Path) -> None:
    document = definition(folder)
    assert document["name"] == folder.name and re.fullmatch("[a-z0-9_]{1,64}", folder.name)
    assert document.keys() >= {"schema_version", "title", "description", "short_description", "aap_resources"}
    assert len(document["title"]) <= 64 and not document["short_description"].endswith(".")
    assert (folder / "README.md").exists()


@each_pattern
def test_each_playbook_has_a_job_template_and_its_variables(folder: Path) -> None:
    playbooks = {path.name for path in (folder / "playbooks").glob("*.yml")}
    assert playbooks == {template["playbook"] for template in templates(folder)}
    assert playbooks == {path.name for path in (folder / "playbooks" / "meta").glob("*.yml")}
    assert [template["playbook"] for template in templates(folder) if template.get("primary")] == ["plan.yml"]


@each_pattern
def test_a_job_template_names_existing_resources(folder: Path) -> None:
    resources = definition(folder)["aap_resources"]
    for template in templates(folder):
        assert template["execution_environment"] == resources["controller_execution_environment"]["name"]
        assert {*template["labels"]} <= {*resources["controller_labels"]}
        assert template["ask_credential_on_launch"] and template["ask_inventory_on_launch"]


@each_pattern
def test_a_survey_asks_for_every_variable_of_its_playbook_and_no_other(folder: Path) -> None:
    for template in templates(folder):
        questions = {question["variable"]: question for question in template["survey"]["spec"]}
        name = Path(template["playbook"]).stem
        document = yaml.safe_load((folder / "playbooks" / "meta" / f"{name}.yml").read_text(encoding="utf-8"))
        options = document["argument_specs"][name]["options"]
        assert options.keys() == questions.keys()
        for variable, question in questions.items():
            assert question["type"] in OF_A_SURVEY
            assert question["question_description"] == options[variable]["description"]
            assert TYPES[question["type"]] == options[variable]["type"]
            assert question["required"] is options[variable].get("required", False)
            assert question.get("choices") == options[variable].get("choices")
        text = (folder / "playbooks" / template["playbook"]).read_text(encoding="utf-8")
        assert {*re.findall(r"\bedge_(?!api|account|zone|base)\w+", text)} == questions.keys() - {"target"}


@each_pattern
def test_only_apply_attack_and_restore_can_write(folder: Path) -> None:
    """A pattern cannot start a job in check mode, so every other playbook must not write by itself."""
    playbooks = ("attack", "baseline", "restore")
    writing = {f"edgeops.protection.{name}" for name in playbooks}
    for path in sorted((folder / "playbooks").glob("*.yml")):
        plays = yaml.safe_load(path.read_text(encoding="utf-8"))
        imported = {play.get("ansible.builtin.import_playbook") for play in plays}
        assert bool(imported & writing) is (path.stem in ("apply", "attack", "restore")), path.name
