# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every message that docs/errors.md lists comes about as it stands there, and others say by themselves what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY
from tests.support.documents import read_page, rows
from tests.support.module_run import ACCOUNT, AREA_B, ZONE, run_main

OTHER = "7b1d6c0a9e8f4d3c8a2b5e6f70819a2b"
RULE = {"id": "f2d427378e7542acb295380d352e2ebd", "description": "Form"}
BLOCK = {"ref": "one", "action": "block", "expression": "ip.src eq 192.0.2.1"}
NETWORK = {"prefix": "192.0.2.0/24", "comment": "Frankfurt"}
SLOW = {"kind": "slow", "seconds": 0.5}


@dataclass(frozen=True)
class Provocation:
    """A module call that fails: its options beside address, place and token (None: left out), and the fault it meets."""

    options: Mapping[str, Any] = field(default_factory=dict)
    fault: Mapping[str, Any] = field(default_factory=dict)
    module: str = "protected_prefixes"


PROVOCATIONS = {
    "no credentials": Provocation({"api_token": None}),
    "two schemes": Provocation({"api_key": "0" * 37}),
    "half a pair": Provocation({"api_token": None, "api_key": "0" * 37}),
    "no id": Provocation({"account_id": "frankfurt"}),
    "no zone": Provocation({"zone_id": None}, module="custom_rules_info"),
    "two ways to name a zone": Provocation({"zone_name": "example.com"}, module="custom_rules_info"),
    "no zone of that name": Provocation({"zone_id": None, "zone_name": "example.net"}, module="custom_rules_info"),
    "two zones of that name": Provocation({"zone_id": None, "zone_name": "example.com"}, module="custom_rules_info"),
    "plain http": Provocation({"base_url": "http://192.0.2.1/client/v4"}),
    "malformed": Provocation({"prefixes": [{"prefix": "203.0.113/24"}]}),
    "named twice": Provocation({"prefixes": [{"prefix": "192.0.2.7/24"}, NETWORK]}),
    "another plan": Provocation({"expected_plan": "0" * 64}),
    "missing rule": Provocation({"rules": [{**RULE, "id": "0" * 32}]}, module="firewall_rules"),
    "unknown token": Provocation({"api_token": "another-token"}),
    "no permission": Provocation({"api_token": "readers-token"}),
    "unknown account": Provocation({"account_id": "f" * 32}),
    "not entitled": Provocation({"account_id": "e" * 32}),
    "no DNS protection": Provocation({"account_id": "b" * 32, "prefixes": None, "scope": "global"}, module="dns_protection_rule"),
    "retired": Provocation({"rules": [RULE]}, {"kind": "gone"}, module="firewall_rules"),
    "maintenance": Provocation({"rules": [RULE]}, {"kind": "maintenance"}, module="firewall_rules"),
    "no such neighbour": Provocation({"rules": [{**BLOCK, "position": "after office"}]}, module="custom_rules"),
    "refused rule": Provocation({"rules": [{**BLOCK, "expression": "cf.no_such_field eq 1"}]}, module="custom_rules"),
    "limit": Provocation({"call_budget": 1200}, {"kind": "status", "status": 429, "headers": {"Retry-After": "240"}}),
    "limit that another task met": Provocation({"call_budget": 1200}),
    "overloaded": Provocation({"retries": 0}, {"kind": "status", "status": 503}),
    "page": Provocation({"retries": 0}, {"kind": "html"}),
    "late": Provocation({"timeout": 0.1, "retries": 0}, SLOW),
    "no time left": Provocation({"timeout": 1.0, "retries": 0, "max_wait": 0}, {"kind": "hang", "method": "POST|PATCH"}),
    "odd encoding": Provocation(fault={"kind": "status", "status": 400, "headers": {"Content-Encoding": "br"}}),
    "nobody there": Provocation({"base_url": "http://127.0.0.1:9/client/v4", "retries": 0}),
    "redirect": Provocation(fault={"kind": "redirect", "location": "https://example.com/"}),
    "odd answer": Provocation({"account_id": OTHER}, {"kind": "null_result"}),
}  # fmt: skip

WITH_A_REMEDY = (  # which no page needs to explain
    "api_token: there are no credentials; give ...",
    "base_url: it must be https; ...",
    "... The account has no Advanced DNS Protection; it comes with Magic Transit.",
    "... got no response from ...: it took longer than timeout allows (...). ...",
    "api_token: it goes alone; leave out ...",
    "api_email: it is needed beside api_key; or use api_token alone",
    "account_id: ... is not an id, which has 32 hexadecimal digits",
    "zone_id: no zone is named; give zone_id or zone_name, or set the environment variable CLOUDFLARE_ZONE_ID",
    "zone_name: it stands for zone_id; leave out one of them",
    "zone_name: the credentials see no zone .... Check the name; ...",
    "zone_name: ... zones have the name ...: .... Set zone_id to one of these ids instead.",
    "prefixes[0].prefix: ... is not a network: ... (did you mean 203.0.113.0/24?)",
    "prefixes[1]: ... is named here and in prefixes[0]; keep one of them",
    "There is no firewall rule with the id .... Correct the id, ...",
    "... was answered with HTTP 403: [9109] ... The credentials are wrong, expired, or may not be used from here; check them. "
    "A token made just now may need some seconds.",
    "... was answered with HTTP 404: [7003] ... Check account_id and base_url; is account_id the id of a zone?",
    "The position of custom rule ... names the ref ..., which is not there. ...",
    "... was answered with HTTP 503: ... Cloudflare failed; run again later.",
    "... got no response from ...: ... Check base_url and the network.",
)


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.add_token("readers-token", protection="read", firewall="read")
    service.account(ACCOUNT)
    service.account(OTHER).seed(prefixes=[{"prefix": "192.0.2.0/24"}, {"prefix": "192.0.2.0/24"}])
    service.account("e" * 32).seed(entitled=False)
    service.account("b" * 32).seed(dns_entitled=False)
    rule = {"action": "block", "filter": {"expression": "ip.src eq 192.0.2.1"}}
    service.zone(ZONE).seed(rules=[{**rule, "id": RULE["id"]}], name="example.com")
    service.zone("d" * 32).seed(name="example.com")
    return service


def message(provocation: Provocation, service: LocalService) -> str:
    """What the module says when it fails."""
    service.faults.clear()
    if provocation.fault:
        service.misbehave(**provocation.fault)
    owner_id = {"zone_id": ZONE} if provocation.module in AREA_B else {"account_id": ACCOUNT, "prefixes": [NETWORK]}
    options = {
        "base_url": service.base_url,
        "api_token": service.token,
        "call_budget": 0,
        **owner_id,
        **provocation.options,
    }
    result = run_main(provocation.module, {name: value for name, value in options.items() if value is not None})
    assert result.get("failed"), result
    return str(result["msg"])


def test_the_messages_listed_are_those_that_come_about(service: LocalService, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY", "CLOUDFLARE_EMAIL", "CLOUDFLARE_ZONE_ID"):
        monkeypatch.delenv(variable, raising=False)
    listed = [row[0] for row in rows(read_page(REPOSITORY / "docs" / "errors.md"), "message")] + list(WITH_A_REMEDY)
    met: set[str] = set()
    for name, provocation in PROVOCATIONS.items():
        actual = message(provocation, service)
        matching = [text for text in listed if re.fullmatch(".*".join(map(re.escape, text.split("..."))), actual)]
        assert len(matching) == 1, (name, actual, matching)
        met.update(matching)
    assert met == set(listed)
