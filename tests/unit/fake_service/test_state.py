# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the service holds: seeding, state documents, the clock, starting afresh."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService

from .conftest import ACCOUNT, ZONE, Client

DOCUMENT = f"""
accounts:
  {ACCOUNT}:
    enabled: true
    prefixes: [{{prefix: 192.0.2.0/24, modified_on: 2026-01-01T13:06:04.721954+01:00}}]
    allowlist: [{{prefix: 198.51.100.1, enabled: false}}]
    syn_flood:
      rules: [{{scope: region, name: WEUR}}]
      filters: [{{expression: ip.src eq 192.0.2.1}}]
    out_of_state_tcp:
      rules: [{{mode: enabled}}]
zones:
  {ZONE}:
    rules:
      - {{action: block, filter: {{id: {"a" * 32}, expression: ssl}}}}
      - {{action: log, filter: {{id: {"a" * 32}}}}}
    custom_rules:
      - {{action: log, expression: ssl, version: 3, last_updated: 2026-01-01T13:06:04.721954+01:00}}
      - {{ref: leaked, action: execute, expression: "true", score_per_period: 40}}
tokens:
  other: {{protection: read, waf: none, only: [{ACCOUNT}]}}
switches: {{refuse_duplicates: true}}
"""


def test_seeds_are_filled_in(account: Any, protection: Client) -> None:
    account.seed(
        prefixes=[{"prefix": "192.0.2.0/24"}],
        allowlist=[{"prefix": "198.51.100.1", "comment": "probe"}],
        syn_flood={"rules": [{"mode": "enabled"}], "filters": [{"expression": "ip.src eq 192.0.2.1"}]},
        out_of_state_tcp={"rules": [{}]},
    )
    shown = protection.result("GET", "/prefixes")[0]
    assert shown == account.prefixes[0]
    assert (shown["comment"], shown["excluded"]) == ("", False)
    assert account.allowlist[0]["enabled"] is True
    rule = account.rules["syn_flood"][0]
    assert (rule["scope"], rule["name"], rule["mode"], rule["mitigation_type"]) == (
        "global",
        "global",
        "enabled",
        "challenge",
    )
    assert account.rules["out_of_state_tcp"][0]["mode"] == account.filters["syn_flood"][0]["mode"] == "monitoring"


def test_seeds_keep_what_they_name(account: Any) -> None:
    fields = {
        "id": "31c70c65-9f81-4669-94ed-1e1e041e7b06",
        "prefix": "203.0.113/24",
        "comment": "as the service may say it",
        "excluded": True,
        "created_on": "2022-01-01T13:06:04.721954+01:00",
        "modified_on": "2022-01-02T13:06:04.721954+01:00",
    }
    assert account.seed(prefixes=[fields]).prefixes == [fields]


def test_seeds_with_slips_are_refused(account: Any, zone: Any) -> None:
    with pytest.raises(ValueError, match="a prefix has no network"):
        account.seed(prefixes=[{"prefix": "192.0.2.0/24", "network": "x"}])
    with pytest.raises(ValueError, match="an? allowlist entry needs prefix"):
        account.seed(allowlist=[{"comment": "x"}])
    with pytest.raises(ValueError, match="a firewall rule has no colour"):
        zone.seed(rules=[{"action": "block", "colour": "red", "filter": {"expression": "ssl"}}])


def test_a_state_document_is_taken_over(service: LocalService, protection: Client, firewall: Client) -> None:
    service.load(yaml.safe_load(DOCUMENT))
    account, zone = service.account(ACCOUNT), service.zone(ZONE)
    assert account.enabled is True and account.prefixes[0]["modified_on"] == "2026-01-01T13:06:04.721954+01:00"
    assert zone.rules[0]["filter"] is zone.rules[1]["filter"] and len(zone.filters) == 1
    first, leaked = zone.custom_rules
    assert (first["version"], first["last_updated"]) == ("3", "2026-01-01T13:06:04.721954+01:00")
    assert (leaked["version"], leaked["score_per_period"]) == ("1", 40)
    assert service.switches.refuse_duplicates is True
    protection.session.headers["Authorization"] = "Bearer other"
    assert len(protection.result("GET", "/syn_protection/rules")) == 1
    assert protection.refused("DELETE", "/prefixes")["status"] == 403


def test_a_state_document_has_all_data(service: LocalService) -> None:
    service.load(yaml.safe_load(DOCUMENT))
    state = service.document()
    with LocalService() as other:
        other.load(yaml.safe_load(yaml.safe_dump(state)))
        assert other.document() == {**state, "tokens": other.credentials.document()["tokens"]}
        assert other.credentials == service.credentials


@pytest.mark.parametrize("custom_rules", [None, []])
def test_a_zone_without_custom_rules_stays_so(service: LocalService, custom_rules: list[Any] | None) -> None:
    service.zone(ZONE).seed(custom_rules=custom_rules)
    service.load(yaml.safe_load(yaml.safe_dump(service.document())))
    assert (service.zone(ZONE).entry_point is None) == (custom_rules is None)


def test_a_state_document_with_slips_is_refused_whole(service: LocalService, account: Any) -> None:
    account.enabled = True
    slips: list[dict[str, Any]] = [
        {"account": {}},
        {"accounts": {"x": {"colour": "red"}}},
        {"switches": {"colour": "red"}},
    ]
    for slip in slips:
        with pytest.raises((ValueError, TypeError)):
            service.load(slip)
    assert service.account(ACCOUNT).enabled is True


def test_the_clock_moves_when_told(service: LocalService, protection: Client) -> None:
    before = service.clock.now()
    assert abs(before - datetime.now(UTC)) < timedelta(seconds=5)
    service.clock.advance(hours=4)
    created = protection.result("POST", "/allowlist", {"prefix": "192.0.2.1", "comment": "", "enabled": True})
    assert timedelta(hours=4) <= datetime.fromisoformat(created["created_on"]) - before < timedelta(hours=4, minutes=1)


def test_reset_forgets_everything(service: LocalService, protection: Client) -> None:
    service.misbehave("status", status=500)
    service.rate_limit(1, 60)
    service.switch(latency=0.01)
    service.clock.advance(days=1)
    service.add_token("other")
    protection("GET", "/prefixes", params={"colour": "red"})
    address = service.base_url
    service.reset()
    assert (service.accounts, service.faults, service.calls, service.breaches) == ({}, [], [], [])
    assert (service.limit, service.switches.latency, list(service.credentials.tokens)) == (None, 0, [service.token])
    assert abs(service.clock.now() - datetime.now(UTC)) < timedelta(seconds=5)
    service.account(ACCOUNT)
    assert protection.result("GET", "/prefixes") == [] and service.base_url == address
