# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules that call everything by its own name: the name of the zone, and the prefixes of the account, are read where the
width of a rule depends on them, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part

from tests.fake_service import LocalService
from tests.support.host_parts import host, run_module
from tests.support.module_run import ACCOUNT, ZONE, Modules, warnings_of

OWN_PREFIXES = f"/accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs/prefixes"


def block(expression: str, action: str = "block") -> dict[str, Any]:
    return {"ref": "wide", "action": action, "expression": expression}


def reads(service: LocalService, path: str) -> int:
    return sum(call.method == "GET" and call.path.endswith(path) for call in service.calls)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ('http.host eq "shop.example"', "every GET request to https://shop.example/..."),
        ('http.host in {"www.shop.example" "b"}', "every GET request to https://www.shop.example/..."),
        ('http.host eq "api.shop.example"', ""),
    ],
)
@pytest.mark.parametrize("check", [True, False])
def test_the_name_of_a_zone_is_read_if_a_rule_depends_on_it(
    expression: str, words: str, check: bool, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(name="shop.example")
    result = modules.run("custom_rules", check=check, rules=[block(expression)])
    assert reads(service, f"/zones/{ZONE}") == 1
    assert bool(result.get("failed")) is bool(words)
    assert not words or f"{words} matches, and would be blocked by it" in result["msg"]


@pytest.mark.parametrize(
    ("others", "action", "count"),
    [
        ([], "block", 0),
        ([], "managed_challenge", 1),
        ([{**block('http.host eq "shop.example"'), "ref": "other"}], "block", 1),
    ],
)
def test_the_name_of_a_zone_is_read_if_a_rule_changes_or_nobody_names_it(
    others: list[dict[str, Any]], action: str, count: int, service: LocalService, modules: Modules
) -> None:
    """A rule that the task names is meant, as long as it does not change."""
    rule = block('http.host eq "b.example"')
    service.zone(ZONE).seed(name="shop.example", custom_rules=[rule, *others])
    modules.run("custom_rules", check=True, rules=[{**rule, "action": action}])
    assert reads(service, f"/zones/{ZONE}") == count


@pytest.mark.parametrize(("name", "is_wide"), [("shop.example", True), ("b.example", False)])
def test_the_name_of_a_zone_is_read_if_rules_depend_on_it_together(
    name: str, is_wide: bool, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(name=name)
    rules = [
        {**block(f'http.host eq "shop.example" and ip.src in {{{half}}}'), "ref": half}
        for half in ("0.0.0.0/2", "64.0.0.0/2")
    ]
    result = modules.run("custom_rules", check=True, rules=rules)
    assert reads(service, f"/zones/{ZONE}") == 1
    assert ("blocks_everything" in result.get("msg", "")) is is_wide


def test_the_name_that_a_task_gives_is_not_read_again(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(name="shop.example")
    options: dict[str, Any] = {
        "zone_id": None,
        "zone_name": "shop.example",
        "rules": [block('http.host eq "shop.example"')],
    }
    assert "blocks_everything" in modules.run("custom_rules", **options)["msg"]
    assert reads(service, f"/zones/{ZONE}") == 0


@pytest.mark.parametrize("expression", ['http.host eq "a" and http.request.uri.path eq "/login"', "cf.client.bot"])
def test_nothing_is_read_for_a_rule_that_is_narrow_anyway(
    expression: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(name="shop.example")
    modules.done("custom_rules", rules=[block(expression)])
    assert reads(service, f"/zones/{ZONE}") == 0


@pytest.mark.parametrize(("host", "is_weakened"), [("nowhere.invalid", True), ("www.shop.example", False)])
def test_the_name_of_a_zone_is_read_if_a_rule_gets_hosts(
    host: str, is_weakened: bool, service: LocalService, modules: Modules
) -> None:
    """Requests to a host of another zone never arrive, so that such a rule stops nothing."""
    rule = block('http.request.uri.path eq "/login"')
    service.zone(ZONE).seed(name="shop.example", custom_rules=[rule])
    narrowed = {**rule, "expression": f'{rule["expression"]} and http.host eq "{host}"'}
    result = modules.run("custom_rules", check=True, rules=[narrowed])
    assert reads(service, f"/zones/{ZONE}") == 1
    assert ("weakens_zone" in result.get("msg", "")) is is_weakened


@pytest.mark.parametrize(
    ("expression", "action", "words"),
    [
        ("ip.dst in {198.51.100.0/24}", "block", "every TCP packet to 198.51.100.0/24 matches, and would be blocked by it"),
        ("ip.dst in {198.51.0.0/16}", "skip", "every TCP packet to 198.51.100.0/24 matches, and would skip what it skips"),
        ('ip.proto eq "udp" and ip.dst in {198.51.100.0/24}', "skip", "every UDP packet to 198.51.100.0/24 matches"),
        ("ip.dst in {192.0.2.0/24}", "block", ""),
        ("ip.dst in {198.51.100.0/25}", "block", ""),
        ("ip.dst in {203.0.113.0/24}", "block", ""),
    ],
)  # fmt: skip
def test_the_prefixes_of_an_account_are_read_if_a_rule_depends_on_them(
    expression: str, action: str, words: str, service: LocalService, modules: Modules
) -> None:
    prefixes = [{"prefix": "198.51.100.0/24"}, {"prefix": "203.0.113.0/24", "excluded": True}]
    behind = [{"ref": ref, "action": "block", "expression": f"ip.src eq {ref}"} for ref in ("10.0.0.1", "10.0.0.2")]
    service.account(ACCOUNT).seed(prefixes=prefixes, network_firewall_rules=behind)
    rule = {**block(expression, action), "position": "before 10.0.0.2"}
    result = modules.run("network_firewall_rules", check=True, rules=[rule])
    assert reads(service, OWN_PREFIXES) == 1
    assert bool(result.get("failed")) is bool(words)
    assert words in result.get("msg", "")


def test_no_prefix_is_read_for_a_rule_of_one_port(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "198.51.100.0/24"}])
    modules.done("network_firewall_rules", rules=[block("ip.dst in {198.51.100.0/24} and tcp.dstport eq 23")])
    assert reads(service, OWN_PREFIXES) == 0


@pytest.mark.parametrize(
    ("module", "expression", "path", "what"),
    [
        ("custom_rules", 'http.host eq "shop.example"', f"/zones/{ZONE}", "the name of the zone is"),
        ("network_firewall_rules", "ip.dst in {198.51.100.0/24}", OWN_PREFIXES, "the protected prefixes are"),
    ],
)
def test_a_name_that_cannot_be_read_is_a_warning(
    module: str, expression: str, path: str, what: str, service: LocalService, modules: Modules
) -> None:
    service.misbehave("status", method="GET", path=path, status=403, skip=int(path.endswith(ZONE)))
    result = modules.done(module, rules=[block(expression)])
    assert f"A rule may match everything, since {what} not known: " in warnings_of(result)


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_prefix_of_the_same_run_is_an_own_one(check_mode: bool, service: LocalService) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "203.0.113.0/24"}])
    variables = {
        "baseline_prefixes": [{"prefix": "198.51.100.0/24"}],
        "baseline_network_firewall_rules": [block("ip.dst in {198.51.100.0/24}")],
    }
    (risk,) = run_module(host_part("lima", {**host(service), **variables}), check_mode)["risks"]
    assert "every TCP packet to 198.51.100.0/24 matches" in risk["message"]
    assert reads(service, OWN_PREFIXES) == (1 if check_mode else 2)  # read again after one was created
