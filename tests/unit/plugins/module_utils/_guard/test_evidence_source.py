# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the evidence comes from: one query a task, beside what is left to read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._guard.acceptance import parse_acceptances
from ansible_collections.edgeops.protection.plugins.module_utils._guard.evidence import EvidenceSource
from ansible_collections.edgeops.protection.plugins.module_utils._guard.rollout import EvidenceLimits
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, RULES

from tests.support.changes import NOON, change_of
from tests.support.coverage_model import account_state, rule

LISTING = b'{"success": true, "result": [], "result_info": {"total_count": 0}}'
NOTHING = b'{"data": {"viewer": {"accounts": [{"tcp": []}]}}, "errors": null}'


class Service:
    """Has empty lists, and no traffic."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    @property
    def calls(self) -> int:
        return len(self.paths)

    def send(self, request: Request) -> Response:
        self.paths.append(request.path.rpartition("/")[2])
        return Response(200, {}, NOTHING if request.is_query else LISTING)


def source(service: Service, *accepted: Any) -> EvidenceSource:
    client = Client(service, {"account_id": "0" * 32})
    acceptances = parse_acceptances("accept_risks", accepted, ["drops_traffic"])
    return EvidenceSource.begun(EvidenceLimits(24.0, 0.1, None), NOON, acceptances, client)


def plan(hours: float) -> Any:
    modified_on = (NOON - timedelta(hours=hours)).isoformat()
    existing = {"id": "1", **rule("monitoring"), "modified_on": modified_on}
    state = account_state(syn_flood_rules=[existing])
    state.pop("allowlist")
    return change_of(state, RULES[0], [rule("enabled")]).plan


def test_the_rest_is_read_and_the_traffic_asked_for_once() -> None:
    service = Service()
    evidence = source(service)
    examined = evidence.examine(plan(hours=48), [ALLOWLIST])
    assert sorted(service.paths) == ["allowlist", "graphql"] and examined.before["allowlist"] == []
    assert evidence.keep_back(examined)
    (verdict,) = evidence.against.values()
    assert verdict.reason == "unknown" and "The analytics saw no traffic." in verdict.message
    evidence.examine(plan(hours=48), [])
    assert service.calls == 2


def test_nothing_is_asked_for_what_waits_for_its_time() -> None:
    service = Service()
    evidence = source(service)
    assert evidence.keep_back(evidence.examine(plan(hours=1), [ALLOWLIST]))
    assert service.paths == ["allowlist"]


def test_an_accepted_verdict_is_not_against_the_plan() -> None:
    evidence = source(Service(), "drops_traffic")
    assert not evidence.keep_back(evidence.examine(plan(hours=48), [])) and evidence.against == {}
    assert [verdict.reason for verdict in evidence.verdicts.values()] == ["unknown"]
