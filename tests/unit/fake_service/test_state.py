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


def test_times_of_json_are_written_as_the_service_does(service: LocalService, protection: Client) -> None:
    prefix = {"prefix": "192.0.2.0/24", "modified_on": "2026-01-01T13:06:04Z"}
    service.load({"accounts": {ACCOUNT: {"enabled": True, "prefixes": [prefix]}}})
    assert [item["modified_on"] for item in protection.result("GET", "/prefixes")] == [
        "2026-01-01T13:06:04.000000+00:00"
    ]
    with pytest.raises(ValueError, match="soon"):
        service.account(ACCOUNT).seed(prefixes=[{**prefix, "created_on": "soon"}])


def test_a_state_document_has_all_data(service: LocalService) -> None:
    service.load(yaml.safe_load(DOCUMENT))
    state = service.document()
    with LocalService() as other:
        other.load(yaml.safe_load(yaml.safe_dump(state)))
        assert other.document() == {**state, "tokens": other.credentials.document()["tokens"]}
        assert other.credentials == service.credentials


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
