# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The vendor's own SDK as an independent client of the rulesets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cloudflare
import pytest

from tests.fake_service import LocalService

from .conftest import ZONE

PHASE: Any = "http_request_firewall_custom"
FOREIGN = {
    "id": "3" * 32,
    "ref": "leaked",
    "action": "log",
    "expression": "true",
    "exposed_credential_check": {"username_expression": "a", "password_expression": "b"},
}
SKIP: Any = {
    "ref": "office",
    "action": "skip",
    "action_parameters": {"ruleset": "current", "products": ["waf"]},
    "expression": "ip.src in {192.0.2.0/24}",
    "description": "Office",
    "enabled": True,
    "logging": {"enabled": False},
}


@pytest.fixture
def sdk(service: LocalService, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for variable in ("API_KEY", "EMAIL"):  # they would be sent instead of the token
        monkeypatch.delenv("CLOUDFLARE_" + variable, raising=False)
    with cloudflare.Cloudflare(api_token=service.token, base_url=service.base_url, max_retries=0) as client:
        yield client


def test_the_entry_point_is_read_and_updated(service: LocalService, sdk: Any) -> None:
    zone = service.zone(ZONE).seed(custom_rules=[FOREIGN])
    phases = sdk.rulesets.phases
    (foreign,) = phases.get(PHASE, zone_id=ZONE).rules
    assert (foreign.ref, foreign.version, foreign.exposed_credential_check.username_expression) == ("leaked", "1", "a")
    rules = [SKIP, foreign.to_dict(mode="json")]
    assert phases.update(PHASE, zone_id=ZONE, rules=rules, dry_run=True) is None
    assert len(zone.custom_rules) == 1
    phases.update(PHASE, zone_id=ZONE, rules=rules)
    assert zone.custom_rules[0].items() >= SKIP.items()
    ours, carried = phases.get(PHASE, zone_id=ZONE).rules
    assert (ours.ref, ours.action_parameters.products, ours.logging.enabled) == ("office", ["waf"], False)
    assert carried.to_dict() == foreign.to_dict()
    assert service.breaches == []


def test_every_operation_on_rulesets(service: LocalService, sdk: Any) -> None:
    """What a write answers, the SDK hands out as it is, since it may be null."""
    service.zone(ZONE)
    rulesets, zone = sdk.rulesets, {"zone_id": ZONE}
    with pytest.raises(cloudflare.NotFoundError):
        rulesets.phases.get(PHASE, **zone)
    made = rulesets.create(**zone, kind="zone", name="mine", phase=PHASE, rules=[SKIP])["id"]
    with pytest.raises(cloudflare.BadRequestError, match="20217"):
        rulesets.create(**zone, kind="zone", name="mine", phase=PHASE)
    assert [(each.id, each.name, each.version) for each in rulesets.list(**zone)] == [(made, "mine", "1")]
    added = rulesets.rules.create(made, **zone, action="log", expression="ssl", position={"before": ""})["rules"]
    assert [rule["action"] for rule in added] == ["log", "skip"]
    rule = {"ruleset_id": made, "rule_id": added[0]["id"], **zone}
    assert [each["action"] for each in rulesets.rules.edit(**rule, position={"after": ""})["rules"]] == ["skip", "log"]
    assert [each["ref"] for each in rulesets.rules.delete(**rule)["rules"]] == ["office"]
    assert [each.ref for each in rulesets.get(made, **zone).rules] == ["office"]
    assert rulesets.update(made, **zone, rules=[])["version"] == "5"
    rulesets.delete(made, **zone)
    assert list(rulesets.list(**zone)) == [] and service.breaches == []
