# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A resource that is declared in the registry alone is in risks, holes, export, snapshot, restore, report, doctor and docs.

A copy of the plugins declares one more ruleset, which the local service has at the path of the custom rules, and a setting with
two fields, at the path of the security level.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.support.ansible_run import REPOSITORY

COLLECTION = "ansible_collections/edgeops/protection"
ROW = '    _evaluated(CUSTOM_RULES, "custom_rules"),\n'
DECLARED = """
import dataclasses

from .._values.kinds import FLAG
from .resource import Field, Single, renaming

BOT_RULES = dataclasses.replace(CUSTOM_RULES, name="bot_rule", plural="bot_rules", title="bot rule")
BOTS = dataclasses.replace(
    SECURITY_LEVEL,
    name="bots",
    plural="bots",
    title="bot protection",
    fields=(*SECURITY_LEVEL.fields, Field("fight", FLAG, lowered="More bots would reach the zone")),
    listing=Single(renaming("value", "level"), whole=True),
)
"""
PROGRAM = """
import json
from datetime import datetime, timezone

from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.merged_host import MergedHost
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.answers import resources_to_read
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import export_state
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record, report_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.markdown import markdown_page
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results
from tests.documentation.variables_schema import variables_schema
from tests.fake_service import LocalService
from tests.support.baseline_runs import applied, restored, snapshot
from tests.support.host_parts import host, read_back
from tests.support.module_run import ACCOUNT, ZONE, run_main

NOW = "2026-11-21T10:00:00+00:00"
BLOCK = {"ref": "login", "action": "block", "expression": 'http.host eq "a"'}
SKIP = {"ref": "hack", "action": "skip", "expression": "true", "action_parameters": {"ruleset": "current"}}
BASELINE = {"baseline_bot_rules": [BLOCK], "baseline_purge": ["bot_rules"]}

with LocalService() as service:
    def seed(*rules):
        service.reset()
        service.account(ACCOUNT)
        service.zone(ZONE).seed(custom_rules=rules)

    connection = {"base_url": service.base_url, "api_token": service.token, "call_budget": 0, "zone_id": ZONE}

    def checked(rules, **options):
        return run_main("bot_rules", {**connection, "rules": rules, **options}, True)

    def set_bots(level, fight, editable=True):
        service.reset()
        service.account(ACCOUNT)
        service.switch(checked_against_contract=False)
        service.zone(ZONE).declared["security_level"] = {"value": level, "fight": fight, "editable": editable}
        return service.zone(ZONE)

    set_bots("under_attack", True)
    weaker = run_main("bots", {**connection, "level": "low", "fight": False}, True)
    zone = set_bots("high", True)
    done = [run_main("bots", {**connection, "level": "under_attack"}, check) for check in (True, False, False)]
    fields = {"level": "high", "fight": True}
    exported_setting = export_state({"bots": [{**fields, "editable": True}]}).variables
    saved_setting = snapshot(service, baseline_bots={"fight": False})
    applied(service, {"baseline_bots": {"fight": False}, "baseline_accept_risks": ["lowers_sensitivity"]})
    setting = zone.declared["security_level"]
    setting_applied = setting["value"], setting["fight"]
    setting_restored = [*restored(service, saved_setting), zone.declared["security_level"]["fight"]]
    posture = {"until": "2099-01-01", "bots": {"fight": True}}
    merged = MergedHost("lima", {**host(service), "baseline_bots": fields | {"fight": False}},
                        [(Option("baseline_posture"), posture)], datetime.now(timezone.utc))

    seed(BLOCK)
    refused = checked([], purge=True)
    seed(SKIP, BLOCK)
    weakened = host_record(host_results("lima", {}, {"bot_rules": checked([BLOCK])}), NOW)
    difference = host_record(
        host_results("lima", {}, {"bot_rules": checked([BLOCK], purge=True)}), NOW
    )
    seed(SKIP)
    saved = snapshot(service, **BASELINE)
    applied(service, BASELINE)
    replaced = [rule["ref"] for rule in service.zone(ZONE).custom_rules]
    refusal, unmet = restored(service, saved)
    print(json.dumps({
        "setting": [LOWERED in weaker["msg"], [one["changed"] for one in done], done[1]["bots"]["level"]],
        "setting_exported": exported_setting,
        "setting_applied": setting_applied,
        "setting_restored": setting_restored,
        "setting_posture": [merged.titles, merged.values["baseline_bots"]],
        "risks": [risk["code"] for risk in refused["risks"]],
        "holes": [item["title"] for item in weakened["unmanaged"]],
        "report": [weakened["status"], len(weakened["reasons"]), difference["status"]],
        "page": "Bot rule `hack`" in markdown_page(report_of([difference], NOW)),
        "snapshot": [rule["ref"] for rule in read_back(saved)["baseline_snapshot"]["bot_rules"]],
        "exported": [rule["ref"] for rule in export_state({"bot_rules": [BLOCK]}).variables["baseline_bot_rules"]],
        "applied": replaced,
        "restored": [refusal, unmet, [rule["ref"] for rule in service.zone(ZONE).custom_rules]],
        "doctor": [item.title for item in resources_to_read("zone_id") if item.name == "bot_rule"],
        "docs": "baseline_bot_rules" in json.loads(variables_schema())["properties"],
    }))
"""


LOWERED = (
    "Fewer visitors would be challenged if the bot protection has the level low instead of under_attack."
    " More bots would reach the zone if the bot protection has the fight false instead of true."
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The places in which the copy has the resource."""
    root = tmp_path_factory.mktemp("copy")
    copy = root / COLLECTION
    shutil.copytree(REPOSITORY / "plugins", copy / "plugins", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("roles", "docs", "galaxy.yml", "meta"):
        (copy / name).symlink_to(REPOSITORY / name)
    registry = copy / "plugins/module_utils/_schema/registry.py"
    text = registry.read_text(encoding="utf-8")
    assert ROW in text
    head, table = text.split("# In the order in which a baseline applies them.\n")
    table = table.replace(ROW, f'{ROW}    _evaluated(BOT_RULES, "bot_rules"),\n    setting(BOTS),\n')
    registry.write_text(f"{head}{DECLARED}\n{table}", encoding="utf-8")
    existing_module = (copy / "plugins/modules/custom_rules.py").read_text(encoding="utf-8")
    for name in ("bot_rules", "bots"):
        module = existing_module.replace('["custom_rules"]', f'["{name}"]')
        (copy / f"plugins/modules/{name}.py").write_text(module, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{REPOSITORY}"}
    program = f"LOWERED = {LOWERED!r}\n{PROGRAM}"
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    result: dict[str, Any] = json.loads(run.stdout)
    return result


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("risks", ["empties_list", "weakens_zone"]),
        ("holes", ["bot rule"]),
        ("report", ["weakened", 1, "weakened"]),
        ("page", True),
        ("exported", ["login"]),
        ("snapshot", ["hack"]),
        ("applied", ["login"]),
        ("restored", ["", [], ["hack"]]),
        ("doctor", ["bot rule"]),
        ("docs", True),
        ("setting", [True, [True, True, False], "under_attack"]),
        ("setting_exported", {"baseline_bots": {"level": "high", "fight": True}}),
        ("setting_applied", ["under_attack", False]),
        ("setting_restored", ["", [], True]),
        ("setting_posture", [{"zone_id": ["bot protection fight true"]}, {"level": "high", "fight": True}]),
    ],
)
def test_a_resource_of_the_registry_is_everywhere(where: str, expected: Any, found: dict[str, Any]) -> None:
    assert found[where] == expected
