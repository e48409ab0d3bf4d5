# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two teams with an inventory each on one account and zone: no run of one touches objects of the other, and each report
names what the other has. docs/two_teams.md has the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.merged_host import MergedHost
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.posture import START_OF_TIME
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part

from tests.fake_service import LocalService
from tests.support.host_parts import host, lawful_part, run_module
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.reported_host import assessed, predicted
from tests.support.service_state import collections_of

RUNS = 20
WITH_REFS = ("custom_rules", "rate_limit_rules", "network_firewall_rules")
KINDS = ("syn_flood", "out_of_state_tcp")
OF_NETWORK: dict[str, Any] = {
    "baseline_enabled": True,
    "baseline_prefixes": [{"prefix": "192.0.2.0/24"}],
    "baseline_allowlist": [{"prefix": "198.51.100.7"}],
    "baseline_rules": [{"kind": kind, "scope": "global", "mode": "enabled"} for kind in KINDS],
    "baseline_security_level": "high",
    "baseline_purge": True,
}
OF_SHOP: dict[str, Any] = {
    "baseline_rules": [],
    "baseline_purge": ["ip_lists", "custom_rulesets", *WITH_REFS],
    "report_accepted": [{"resource": "allowlist_entry", "keys": ["*"], "reason": "the network team answers for it"}],
}


def new_rule(kind: str, ref: str, name: str) -> dict[str, Any]:
    """A rule of a kind, which spares the addresses of a list of the team."""
    if kind == "network_firewall_rules":
        return {"ref": ref, "action": "block", "expression": f"ip.src in ${name}"}
    rule = {"ref": ref, "action": "block", "expression": f'http.request.uri.path eq "/{ref}" and not ip.src in ${name}'}
    if kind == "rate_limit_rules":
        limits = {"characteristics": ["ip.src", "cf.colo.id"], "period": 10, "requests_per_period": 20}
        return {**rule, "ratelimit": {**limits, "mitigation_timeout": 10}}
    return rule


@dataclass
class Team:
    """A team, what it alone describes, and the patterns of the other team."""

    name: str
    variables: dict[str, Any]
    ignored: list[str]
    network: str
    objects: dict[str, list[Any]] = field(default_factory=dict)
    posture: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        offices = f"{self.name}_offices"
        self.objects["ip_lists"] = [{"name": offices, "items": [{"ip": self.network}], "purge": True}]
        inner = new_rule("custom_rules", f"{self.name}-inner", offices)
        self.objects["custom_rulesets"] = [{"name": f"{self.name}-bots", "rules": [inner], "purge": True}]
        for kind in WITH_REFS:
            self.objects[kind] = [new_rule(kind, f"{self.name}-first", offices)]

    def values(self, service: LocalService) -> dict[str, Any]:
        """The variables of the host in the inventory of the team."""
        objects = {f"baseline_{kind}": entries for kind, entries in self.objects.items()}
        patterns = {f"baseline_{kind}_ignore": self.ignored for kind in self.objects}
        return {**host(service), **self.variables, **objects, **patterns}

    def edit(self, random: Random) -> None:
        """Change something as the team would: an item, a rule more or less, a posture that begins or ends."""
        kind = random.choice(WITH_REFS)
        name = f"{self.name}_offices"
        match random.choice(["item", "rule", "no rule", "posture", "nothing"]):
            case "item":
                self.objects["ip_lists"][0]["items"] = [
                    {"ip": self.network},
                    {"ip": f"203.0.113.{random.randrange(9)}"},
                ]
            case "rule" if len(self.objects[kind]) < 3:
                ref = f"{self.name}-{random.randrange(1000)}"
                self.objects[kind].insert(random.randrange(2), new_rule(kind, ref, name))
            case "no rule" if len(self.objects[kind]) > 1:
                self.objects[kind].pop()
            case "posture":
                rule = {**new_rule("custom_rules", f"{self.name}-attack", name), "position": "first"}
                until = "2099-01-30T09:00:00Z"
                self.posture = [] if self.posture else [{"until": until, "custom_rules": [rule]}]

    def part(self, service: LocalService) -> Part:
        """What the role runs for the host of the team."""
        entries = [(Option("baseline_posture"), entry) for entry in self.posture]
        return MergedHost("lima", self.values(service), entries, START_OF_TIME).part()


def two_teams() -> list[Team]:
    return [
        Team("net", OF_NETWORK, ["shop_*", "shop-*"], "198.51.100.0/24"),
        Team("shop", OF_SHOP, ["net_*", "net-*"], "203.0.113.128/25"),
    ]


def objects_of(team: Team, service: LocalService) -> dict[str, list[Any]]:
    """All that the service has of a team, in its order: what bears its name, and of the network team whatever has none."""
    state = {}
    for plural, objects in collections_of(service).items():
        list_or_ruleset = plural.partition(" of ")[2]
        mine = [obj for obj in objects if is_of(team, list_or_ruleset or str(obj.get("ref") or obj.get("name") or ""))]
        state[plural] = [
            {name: value for name, value in obj.items() if name != "num_referencing_filters"} for obj in mine
        ]
    return state


def is_of(team: Team, name: str) -> bool:
    return name.startswith(team.name) if name.startswith(("net", "shop")) else team.name == "net"


def test_no_run_of_a_team_touches_objects_of_the_other(service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, plan="enterprise")
    random = Random(7)
    teams = two_teams()
    for team in teams:
        lawful_part(team.part(service))
    for _run in range(RUNS):
        team, other = random.sample(teams, 2)
        team.edit(random)
        before = objects_of(other, service)
        result = run_module(team.part(service), check_mode=False)
        assert not result.get("failed"), result["msg"]
        assert objects_of(other, service) == before
    assert all(objects_of(team, service)["custom_rules"] for team in teams)


def test_the_report_of_each_team_names_what_the_other_has(service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, plan="enterprise")
    teams = two_teams()
    for team in teams:
        run_module(team.part(service), check_mode=False)
    for team, other in (teams, reversed(teams)):
        record = predicted(service, **team.values(service))
        named = {item["key"] for item in record["unmanaged"]}
        assert {f"{other.name}_offices", f"{other.name}-bots", f"{other.name}-first"} <= named
        assert not [key for key in named if key.startswith(team.name)]
        assert (assessed(record), record["operations"]) == (("in_order", []), [])
