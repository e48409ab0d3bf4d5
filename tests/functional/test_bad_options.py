# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wrong with the options shows before any request, with the option's name and what would be right."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.bad_options import MISTAKES, PREFIX, REGION
from tests.support.module_run import ZONE, Modules


@pytest.mark.parametrize(("module", "options", "text"), MISTAKES)
def test_an_option_that_is_wrong_is_named_before_any_request(
    module: str, options: dict[str, Any], text: str, service: LocalService, modules: Modules
) -> None:
    result = modules.failed(module, **options)
    result.pop("invocation", None)  # which ansible-core before 2.21 adds
    assert result == {"failed": True, "msg": text}
    assert service.calls == []


SEVERAL: list[tuple[str, dict[str, Any], list[str]]] = [
    ("protected_prefixes", {"account_id": "frankfurt", "timeout": 0, "prefixes": [{"prefix": "x"}, PREFIX, PREFIX, {"prefix": "y"}]},
     ["account_id: 'frankfurt' is not", "timeout: ", "prefixes[0].prefix: 'x'", "prefixes[2]: 192.0.2.0/24 is named", "prefixes[3].prefix: 'y'"]),
    ("account_protection", {"purge": ["filters"], "prefixes": [{"prefix": "x"}], "rules": [REGION, {**REGION, "name": " "}],
                            "limits": {"max_deletions_percent": 101}, "accept_risks": ["all"]},
     ["limits.max_deletions_percent: ", "accept_risks[0]: ", "purge: it takes filters", "prefixes[0].prefix: ", "rules[0].name: ", "rules[1].name: "]),
    ("custom_rules", {"rules": [{"ref": " ", "expression": " "}, {"ref": "a", "position": "top"}]},
     ["rules[1].position: ", "rules[0].ref: ", "rules[0].expression: "]),
    ("protected_prefixes", {"account_id": "x", "timeout": "long", "retries": -1, "api_token": None,
                            "prefixes": ["192.0.2.0/24", {"prefix": "x"}, PREFIX, PREFIX, {"prefx": 1}]},
     ["prefixes[0]: ", "prefixes[4].prefx: ", "timeout: ", "account_id: 'x'", "retries: ", "api_token: there are no credentials",
      "prefixes[1].prefix: 'x'", "prefixes[3]: 192.0.2.0/24 is named"]),
    ("allowlist_entry", {"prefix": ["x"], "expires": "friday", "enabled": "x", "accept_risks": ["all"]},
     ["prefix: it is a list", "enabled: ", "accept_risks[0]: "]),
    ("custom_rules", {"rules": [{"ref": "a", "position": 5}, {"reff": "b"}], "ignore": ["x", {}], "expected_plan": "x",
                      "expectations": ["x", {"request": {"uri": "/"}, "expect": "eaten"}, {"expect": "blocked"}]},
     ["rules[1].reff: ", "ignore[1]: ", "expectations[0]: ", "expected_plan: ", "expectations[1].", "expectations[2]: "]),
    ("custom_ruleset", {"name": "Bots", "deploy": {"expression": "("},
                        "rules": [{"ref": ref, "expression": "ip.src in {300.1.1.1}"} for ref in "ab"]},
     ["rules[0].expression: ", "rules[1].expression: ", "deploy.expression: "]),
]  # fmt: skip


@pytest.mark.parametrize(("module", "options", "errors"), SEVERAL)
def test_all_errors_in_the_options_are_reported_at_once(
    module: str, options: dict[str, Any], errors: list[str], service: LocalService, modules: Modules
) -> None:
    message = modules.failed(module, **options)["msg"]
    assert message.startswith(f"{len(errors)} errors: (1) ")
    for number, error in enumerate(errors, 1):
        assert f"({number}) {error}" in message
    assert service.calls == []


def test_the_id_of_a_zone_is_recognised_by_the_services_answer(modules: Modules) -> None:
    message = modules.failed("protection_info", account_id=ZONE)["msg"]
    assert message.endswith("Check account_id and base_url; is account_id the id of a zone?")


def test_no_account_anywhere_is_named(modules: Modules) -> None:
    message = modules.failed("tcp_protection_status", account_id=None, enabled=True)["msg"]
    assert "account_id" in message


def test_an_odd_base_url_is_used_with_a_warning(service: LocalService, modules: Modules) -> None:
    result = modules.failed("protection_info", base_url=service.base_url.replace("v4", "v5"))
    assert "/client/v4" in str(result["warnings"])
    assert result["error"]["status"] == 404
