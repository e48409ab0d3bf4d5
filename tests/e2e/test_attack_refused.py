# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An attack while Cloudflare refuses a part of the host: that part is left alone, and the others stop the attack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.attacked_site import BEGIN, FLOOD, Site
from tests.support.module_run import ACCOUNT, ZONE

FIREWALL, LEVEL = "magic_transit/entrypoint", "settings/security_level"
WRITES = "POST|PUT|PATCH|DELETE"
DENIED: dict[str, Any] = {"status": 403, "errors": [{"code": 10000, "message": "Authentication error"}]}
CASES = {
    "the Network Firewall cannot be read": (["GET"], FIREWALL, "Network Firewall rules"),
    "the Network Firewall cannot be written": ([WRITES], f"accounts/{ACCOUNT}/rulesets", "Network Firewall rules"),
    "a setting that no block needs cannot be read": (["GET"], LEVEL, "security level"),
}


@pytest.fixture
def site(service: LocalService, tmp_path: Path) -> Site:
    service.clock.set(BEGIN)
    service.account(ACCOUNT).seed(traffic=FLOOD)
    service.zone(ZONE)
    site = Site(service, tmp_path)
    assert site.scheduled() is True
    return site


def blocked(site: Site) -> list[str]:
    return [rule["expression"] for rule in site.service.zone(ZONE).custom_rules if rule["ref"].startswith("attack-")]


@pytest.mark.parametrize(("methods", "path", "title"), CASES.values(), ids=list(CASES))
def test_a_refused_part_is_left_alone_and_the_others_stop_the_attack(
    methods: list[str], path: str, title: str, site: Site
) -> None:
    for method in methods:
        site.service.misbehave("status", method=method, path=path, **DENIED)
    output = site.block("198.51.100.0/24", reason="INC-8")
    assert blocked(site) == ["ip.src in {198.51.100.0/24}"]
    said = f"berlin: The run leaves the {title} alone, since Cloudflare refuses them:"
    assert output.count(said) == 2, output  # as a warning, and at the end
    (entry,) = site.entries()
    assert "custom_rules" in entry
    assert ("network_firewall_rules" in entry) is (title == "security level")
    site.service.faults.clear()
    assert site.scheduled() is False
    site.block("198.51.100.0/24", reason="INC-8")
    site.service.clock.advance(hours=3)
    assert (site.scheduled(), blocked(site), site.firewall()) == (True, [], ["telnet"])


def test_a_token_without_rights_is_told_as_before(site: Site) -> None:
    site.service.misbehave("status", **{**DENIED, "status": 401})
    output = site.block("198.51.100.0/24", code=2)
    assert "leaves the" not in output and blocked(site) == [] and not site.file.exists()


def test_the_end_of_a_posture_leaves_nothing_alone(site: Site) -> None:
    site.block("198.51.100.0/24", reason="INC-8")
    site.service.misbehave("status", method=WRITES, path=f"accounts/{ACCOUNT}/rulesets", **DENIED)
    output = site.attack(over=True, code=2)
    assert "leaves the" not in output and len(site.entries()) == 1
    site.service.faults.clear()
    site.scheduled()
    assert (blocked(site), site.firewall()) == ([], ["telnet"])
