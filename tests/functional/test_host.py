# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All that the variables of a host describe, of its account and of its zone, is one plan."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import HostRunner
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import snapshot_text, snapshots_in

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import (
    CHALLENGE,
    CUSTOM,
    DEPLOYMENTS,
    EXCEPTIONS,
    FIREWALL,
    L4_OVERRIDES,
    L7_LOGGED,
    LISTS,
    PACKETS,
    PER_ADDRESS,
    RATES,
    RULE_1,
    WHOLE,
)
from tests.support.host_parts import RISKS, host, run_module
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.service_state import collections_of

BLOCK = {"action": "block", "expression": "ip.src in $offices"}
WHOLE_HOST: dict[str, Any] = {
    "enabled": True,
    "prefixes": [{"prefix": "192.0.2.0/24", "comment": "new"}, {"prefix": "203.0.113.0/24"}],
    "allowlist": [{"prefix": "198.51.100.99"}],
    "rules": [{"kind": "syn_flood", "scope": "global", "mode": "monitoring"}],
    "purge": ["prefixes", "allowlist", "ip_lists", "ddos_l4_overrides", "rate_limit_rules"],
    "ip_lists": [
        {"name": "offices", "items": [{"ip": "192.0.2.1"}], "purge": True},
        {"name": "new", "items": [{"ip": "192.0.2.9"}]},
    ],
    "network_firewall_rules": [{"ref": "office", **BLOCK, "position": "first"}],
    "ddos_l4_overrides": [],
    "firewall_rules": [{"id": RULE_1, "action": "block"}],
    "custom_rules": [{"ref": "new", "action": "block", "expression": "ip.src in $new", "position": "after by hand"}],
    "rate_limit_rules": [{"ref": "own", **CHALLENGE, "ratelimit": PER_ADDRESS}],
    "managed_rules": [],
    "ddos_l7_overrides": [{"ref": "new", "expression": "ssl", "action": "block"}],
    "security_level": "high",
    "accept_risks": [*RISKS, "removes_referenced_list", "drops_traffic"],
}


@pytest.fixture
def seeded(service: LocalService) -> LocalService:
    service.account(ACCOUNT).seed(**deepcopy({**WHOLE, **LISTS, **PACKETS, **L4_OVERRIDES}))
    of_zone = {**FIREWALL, **CUSTOM, **DEPLOYMENTS, **RATES, **EXCEPTIONS, **L7_LOGGED}
    service.zone(ZONE).seed(account_id=ACCOUNT, **deepcopy(of_zone))
    return service


def test_the_plan_of_a_host_is_predicted_approved_applied_and_done(seeded: LocalService, modules: Modules) -> None:
    before = deepcopy(collections_of(seeded))
    predicted = modules.done("host", check=True, **WHOLE_HOST)
    refused = modules.failed("host", expected_plan="0" * 64, **WHOLE_HOST)
    assert (refused["operations"], refused["plan_id"]) == (predicted["operations"], predicted["plan_id"])
    assert (seeded.writes, collections_of(seeded)) == ([], before)
    done = modules.done("host", expected_plan=predicted["plan_id"], **WHOLE_HOST)
    for name in ("operations", "plan_id", "diff", "risks", "coverage"):
        assert done[name] == predicted[name]
    actions = [item["action"] for item in done["operations"]]
    assert actions == sorted(actions, key=["create", "update", "delete"].index) and {*actions} > {"create", "delete"}
    again = modules.done("host", check=True, **WHOLE_HOST)
    assert (again["operations"], again["plan_id"], again["diff"]) == ([], "", {"before": {}, "after": {}})


def test_a_write_that_fails_tells_what_was_done_and_the_next_run_does_the_rest(
    seeded: LocalService, modules: Modules, waits: list[float]
) -> None:
    whole = modules.done("host", check=True, **WHOLE_HOST)
    seeded.misbehave("status", method="PUT|POST", path="/(entrypoint|rules)$", status=400, skip=1)
    failed = modules.failed("host", **WHOLE_HOST)
    told = [item for part in ("done", "left", "unknown") for item in failed[part]]
    assert sorted(map(str, told)) == sorted(map(str, whole["operations"])) and failed["done"] and failed["left"]
    assert failed["plan_id"] == whole["plan_id"]
    seeded.faults.clear()
    rest = modules.done("host", **WHOLE_HOST)["operations"]
    assert {(item["resource"], item["key"]) for item in rest} <= {
        (one["resource"], one["key"]) for one in failed["left"]
    }
    assert modules.done("host", **WHOLE_HOST)["changed"] is False


def test_all_reasons_why_there_is_no_plan_are_told_at_once(seeded: LocalService, modules: Modules) -> None:
    rule = {"ref": "new", **CHALLENGE, "position": "after nobody"}
    wrong: dict[str, Any] = {
        "prefixes": [{"prefix": "192.0.2.0/24"}],
        "network_firewall_rules": [{**rule, "action": "block", "expression": "ip.src eq 192.0.2.1"}],
        "custom_rules": [rule, {**rule, "ref": "newer", "position": "before nothing", "action": "skip"}],
        "rate_limit_rules": [{**rule, "ratelimit": PER_ADDRESS}],
    }
    message = modules.failed("host", **wrong)["msg"]
    assert "The position of custom rule newer names the ref nothing, which is not there." in message
    assert "custom_rules[1]: The custom rule newer has the action skip and needs action_parameters" in message
    for title in ("Network Firewall rule", "custom rule", "rate limiting rule"):
        assert f"The position of {title} new names the ref nobody, which is not there." in message
    assert message.count("Nothing was changed.") == 1
    assert seeded.writes == []


def test_an_acceptance_for_a_custom_rule_accepts_no_firewall_rule_with_its_key(
    seeded: LocalService, modules: Modules
) -> None:
    partner = {"ref": "partner", "action": "skip", "expression": "true", "position": "first"}
    of_zone = {**partner, "action_parameters": {"ruleset": "current"}}
    options: dict[str, Any] = {"custom_rules": [of_zone], "network_firewall_rules": [partner]}
    passed = ["weakens_zone", "weakens_network_firewall"]
    refused = modules.failed("host", accept_risks=passed, **options)
    acceptances = [
        {"code": "skips_everything", "resource": name, "entries": ["partner"]}
        for name in ("network_firewall_rule", "custom_rule")
    ]
    printed = [f"{{code: skips_everything, resource: {item['resource']}, entries: [partner]}}" for item in acceptances]
    assert all(text in refused["msg"] for text in printed)
    (risk,) = [risk for risk in refused["risks"] if risk["code"] == "skips_everything"]
    assert risk["entries"] == ["partner"]
    for acceptance in acceptances:
        failed = modules.failed("host", accept_risks=[*passed, acceptance], **options)
        assert "skips_everything" in failed["msg"]
    firewall: dict[str, Any] = {"network_firewall_rules": [partner], "accept_risks": [*passed, *acceptances[1:]]}
    assert "skips_everything" in modules.failed("host", **firewall)["msg"]
    assert seeded.writes == []
    assert modules.done("host", accept_risks=[*passed, *acceptances], **options)["changed"]


def snapshot_run(service: LocalService, directory: Path, options: dict[str, Any]) -> str:
    """The text of the snapshot of a run with these options, which reads and applies."""
    variables = {f"baseline_{name}": value for name, value in options.items()}
    part = host_part("lima", {**host(service), **variables})
    snapshot = snapshots_in(str(directory), "lima", part, run_module, False)
    run = HostRunner(run_module).update(part, False, snapshot=snapshot)
    assert not run.failed, run.result
    assert "existing" not in run.result
    return Path(run.snapshot).read_text(encoding="utf-8")


def test_a_host_with_a_snapshot_is_read_once_before_the_run_and_once_in_it(
    seeded: LocalService, tmp_path: Path
) -> None:
    variables = {f"baseline_{name}": value for name, value in WHOLE_HOST.items()}
    part = host_part("lima", {**host(seeded), **variables})
    before = snapshot_text(part, read_part(part, run_module))
    seeded.calls.clear()
    text = snapshot_run(seeded, tmp_path, WHOLE_HOST)
    assert yaml.safe_load(text) == yaml.safe_load(before)
    first_write = next(index for index, call in enumerate(seeded.calls) if call.method != "GET")
    reads = Counter((call.path, str(call.query)) for call in seeded.calls[:first_write])
    assert {read: number for read, number in reads.items() if number > 2} == {}


def test_a_snapshot_has_the_items_of_lists_that_the_host_does_not_name(seeded: LocalService, tmp_path: Path) -> None:
    options = {"ip_lists": [{"name": "new", "items": [{"ip": "192.0.2.9"}]}]}
    document = yaml.safe_load(snapshot_run(seeded, tmp_path, options))
    lists = document["baseline_snapshot"]["ip_lists"]
    names = {f"items of {item['name']}" for item in lists if item["kind"] == "ip"}
    assert names <= document["baseline_snapshot"].keys()
