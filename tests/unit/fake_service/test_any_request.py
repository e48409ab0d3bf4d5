# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever is sent within the contract or beside it: no 5xx, and no answer outside of the contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import tests.fake_service
from tests.fake_service import LocalService
from tests.support.sampled_rows import EVERY_ROW

ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353"
ZONE = "5c2a81f0f7ae4b2d9b1e6f3a7d904c11"
RULE, FILTER = "1" * 32, "2" * 32

whole = schemathesis.openapi.from_path(Path(tests.fake_service.__file__).parent / "openapi.yaml")
a_third = whole.include(lambda context: crc32(context.operation.label.encode()) % 3 == 0)
contract = whole if EVERY_ROW else a_third


@pytest.fixture(scope="module")
def service() -> Iterator[LocalService]:
    with LocalService() as running:
        running.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24"}], allowlist=[{"prefix": "198.51.100.7"}])
        running.account(ACCOUNT).seed(network_firewall_rules=[{"id": RULE, "action": "log", "expression": "sip"}])
        running.zone(ZONE).seed(
            rules=[{"id": RULE, "action": "log", "filter": {"id": FILTER, "expression": "true"}}],
            custom_rules=[{"id": RULE, "action": "log", "expression": "true"}],
        )
        yield running


@contract.parametrize()
@settings(
    max_examples=12 if EVERY_ROW else 3,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_any_request_is_answered_within_the_contract(case: schemathesis.Case[Any], service: LocalService) -> None:
    entry_points = service.zone(ZONE).entry_points, service.account(ACCOUNT).entry_points
    of_zone, of_account = (next(iter(each.values()), {"id": "3" * 32}) for each in entry_points)
    ruleset = (of_account if case.path.startswith("/accounts") else of_zone)["id"]
    known = {"account_id": ACCOUNT, "zone_id": ZONE, "rule_id": RULE, "filter_id": FILTER, "ruleset_id": ruleset}
    if len(str(case.body)) % 3:  # most of the time about what there is
        case.path_parameters = {name: known.get(name, value) for name, value in (case.path_parameters or {}).items()}
    case.call_and_validate(
        base_url=service.base_url,
        headers={"Authorization": f"Bearer {service.token}"},
        checks=[not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance],
    )
    assert [breach for breach in service.breaches if breach.side == "answer"] == []
