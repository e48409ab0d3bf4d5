# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Announced networks, and who changed an object last: by its id, by its timestamp, or not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import BY_NAME
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.beside import (
    Log,
    announced_record,
    objects_by_resource,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.predict import reads_beside
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import (
    HostResults,
    host_results,
    unread_host,
)


def announced(*networks: Any, delegated: Any = (), named: Any = ()) -> Any:
    parts = [{"prefix": prefix, "announced": is_announced} for prefix, is_announced in networks]
    entries = [{"prefix": prefix} for prefix in named]
    return announced_record({"announced": [{"networks": parts, "delegated": list(delegated)}], "prefixes": entries})


def test_networks_of_other_accounts_and_withdrawn_ones_are_not_missing() -> None:
    record = announced(("198.51.100.0/24", True), ("192.0.2.0/24", False), delegated=["198.51.100.0/25"])
    assert record["unprotected"] == ["198.51.100.128/25"]


def test_a_network_without_a_clear_answer_is_not_known() -> None:
    record = announced(("198.51.100.0/24", None), ("nowhere", True), ("192.0.2.0/24", None), named=["192.0.2.0/24"])
    assert (record["unprotected"], record["not_known"]) == ([], ["198.51.100.0/24", "nowhere"])


ACCOUNT = Part("host", {"account_id": "0" * 32, "enabled": True})
HOST_SPEC = unread_host("lima", "Something else.")
PART = {"prefix": "192.0.2.0/24", "announced": None, "since": None}
NETWORKS: dict[str, Any] = {"prefix": "192.0.2.0/24", "approved": True, "networks": [PART], "delegated": []}


def read(result: Mapping[str, Any], described: Part = ACCOUNT, **values: Any) -> tuple[HostResults, list[Part]]:
    asked: list[Part] = []

    def run(part: Part) -> Mapping[str, Any]:
        asked.append(part)
        return result

    return reads_beside(run, described, values).read(HOST_SPEC), asked


@pytest.mark.parametrize("values", [{}, {"report_announced": False}, {"report_announced": None}])
def test_nothing_is_read_that_no_variable_asks_for(values: dict[str, Any]) -> None:
    assert read({}, **values) == (HOST_SPEC, [])


def test_a_host_without_an_account_announces_nothing() -> None:
    assert read({}, Part("host", {"zone_id": "1" * 32}), report_announced=True) == (HOST_SPEC, [])


def test_announced_networks_are_read_from_the_account_of_the_host() -> None:
    host, (part,) = read({"announced": [NETWORKS], "prefixes": []}, report_announced="yes")
    assert (part.module, part.options["account_id"]) == ("protection_info", "0" * 32)
    assert part.options["gather_subset"] == ["prefixes", "announced"] and "enabled" not in part.options
    announced = host.record["announced"]
    assert announced is not None and announced["not_known"] == ["192.0.2.0/24"]
    assert host.unread == ["Something else.", "Whether 192.0.2.0/24 is announced is not known."]


def test_a_failure_makes_the_host_unread_and_hides_nothing_else() -> None:
    host, _asked = read({"failed": True, "msg": "It is not allowed."}, report_announced=True)
    assert host.unread == ["Something else.", "The announced networks are not known: It is not allowed."]
    assert host.record["announced"] is None


FIREWALL = Part("host", {"account_id": "0" * 32, "network_firewall_rules": []})


def test_phases_that_have_rules_are_named_if_the_baseline_has_the_network_firewall() -> None:
    phases = [
        {"phase": "magic_transit_managed", "title": "managed rules", "rules": 0},
        {"phase": "magic_transit_ratelimit", "title": "rate limits", "rules": 2},
    ]
    host, (part,) = read({"packet_phases": phases}, FIREWALL)
    assert (part.module, part.options["gather_subset"]) == ("protection_info", ["packet_phases"])
    assert host.record["not_evaluated"] == ["Not evaluated: rate limits (2, phase magic_transit_ratelimit)."]
    assert read({"packet_phases": phases[:1]}, FIREWALL)[0].record["not_evaluated"] == []


def test_phases_that_cannot_be_read_are_not_known_and_no_status() -> None:
    host, _asked = read({"failed": True, "msg": "It is not allowed."}, FIREWALL)
    assert host.record["not_evaluated"] == [
        "Rules beside those of the Network Firewall are not known: It is not allowed."
    ]
    assert [*host.unread] == [*HOST_SPEC.unread]


AT, EARLIER = "2026-11-22T09:00:00Z", "2026-11-22T08:00:00Z"
OF_ACCOUNT, OF_ZONE = f"/accounts/{'0' * 32}", f"/zones/{'1' * 32}"
OWNERS = {"account_id": "0" * 32, "zone_id": "1" * 32}
LISTS = f"{OF_ACCOUNT}/magic/advanced_tcp_protection/configs"
CUSTOM = "/rulesets/phases/http_request_firewall_custom/entrypoint"
ENTRY = {"id": "abc", "prefix": "0.0.0.0/1", "modified_on": "2026-11-22T09:00:03.5Z"}
UNMANAGED = {"resource": "allowlist_entry", "key": "0.0.0.0/1", "weakens": True, "reason": "lets pass", "since": AT}


def change(by: str = "alice", at: str = AT, uri: str = f"{LISTS}/allowlist/abc", object_id: Any = None) -> Any:
    return {"at": at, "by": by, "how": "the dashboard", "method": "PATCH", "uri": uri, "object_id": object_id}


def last(*changes: Any, unmanaged: Any = None, objects: Any = None, unread: str = "", hours: float = 24) -> Any:
    host = host_results("lima", OWNERS, {"account_protection": {"unmanaged": [unmanaged or UNMANAGED]}})
    existing = objects_by_resource(objects or {"allowlist": [ENTRY]})
    return Log(hours, changes, existing, unread).last_changes(host.record)


@pytest.mark.parametrize(
    ("changes", "by"),
    [
        ([change()], "alice"),
        ([change(uri="/elsewhere", object_id="abc")], "alice"),
        ([change("bob"), change("alice", EARLIER)], "bob"),
        ([change(uri=f"{LISTS}/allowlist")], "alice"),
        ([change(uri=f"{LISTS}/allowlist"), change("bob", uri=f"{LISTS}/allowlist")], None),
        ([change(uri=f"{LISTS}/allowlist", at=EARLIER)], None),
        ([change(uri=f"{LISTS}/prefixes/bulk")], None),
        ([change(uri=f"{LISTS}/allowlist/another")], None),
        ([change(uri=f"{LISTS}/allowlist".replace("0", "9"))], None),
        ([], None),
    ],
)
def test_a_write_belongs_to_an_object_by_its_id_or_its_moment(changes: Any, by: Any) -> None:
    (found,) = last(*changes)
    assert found["by"] == by
    assert found["text"] == (
        f"Allowlist entry 0.0.0.0/1: changed by {by} with the dashboard at {AT}."
        if by
        else "Allowlist entry 0.0.0.0/1: the audit log of the last 24 hours does not say who changed it."
    )


def test_a_log_of_one_hour_is_of_the_last_hour() -> None:
    assert [item["text"] for item in last(hours=1)] == [
        "Allowlist entry 0.0.0.0/1: the audit log of the last hour does not say who changed it."
    ]


def test_an_object_that_takes_nothing_away_is_listed_as_well() -> None:
    (found,) = last(change(), unmanaged={**UNMANAGED, "weakens": False, "reason": ""})
    assert found["by"] == "alice"


def test_a_log_that_cannot_be_read_is_said() -> None:
    (found,) = last(unread="who changed it is not known: No.")
    assert (found["by"], found["text"]) == (None, "Allowlist entry 0.0.0.0/1: who changed it is not known: No.")


def test_the_status_belongs_to_its_last_write() -> None:
    operation = {"action": "update", "resource": "tcp_protection_status", "key": "tcp_protection_status", "fields": {}}
    result = {"operations": [{**operation, "before": {}}]}
    host = host_results("lima", OWNERS, {"account_protection": result})
    log = Log(24, [change("bob", uri=f"{LISTS}/tcp_protection_status")], {})
    assert [item["by"] for item in log.last_changes(host.record)] == ["bob"]


def test_the_rules_of_a_zone_are_found_by_their_refs() -> None:
    rule = {"id": "r1", "ref": "hack", "last_updated": AT}
    unmanaged = {**UNMANAGED, "resource": "custom_rule", "key": "hack"}
    objects = {"custom_rules": [rule]}
    (found,) = last(change(uri=f"{OF_ZONE}/rulesets/x/rules/r1", at=EARLIER), unmanaged=unmanaged, objects=objects)
    assert found["at"] == EARLIER
    (found,) = last(change(uri=OF_ZONE + CUSTOM), unmanaged=unmanaged, objects=objects)
    assert found["by"] == "alice"


@pytest.mark.parametrize(
    "uri",
    [
        f"{OF_ACCOUNT}/rulesets/phases/ddos_l4/entrypoint", f"{OF_ZONE}/rulesets/phases/http_ratelimit/entrypoint",
        f"{OF_ZONE}/rulesets/x/rules/r2", f"/zones/{'9' * 32}{CUSTOM}",
    ],
)  # fmt: skip
def test_a_write_of_another_owner_phase_or_rule_is_never_told_of_a_rule(uri: str) -> None:
    objects = {"custom_rules": [{"id": "r1", "ref": "hack", "last_updated": AT}]}
    (found,) = last(change(uri=uri), unmanaged={**UNMANAGED, "resource": "custom_rule", "key": "hack"}, objects=objects)
    assert found["by"] is None and "does not say who changed it" in found["text"]


@pytest.mark.parametrize(
    ("resource", "key", "listed"),
    [
        ("network_firewall_rule", "skip", {"network_firewall_rules": [{"id": "r1", "ref": "skip"}]}),
        ("ddos_l4_override", "calm", {"ddos_l4_overrides": [{"id": "r1", "ref": "calm"}]}),
        ("ip_list", "friends", {"ip_lists": [{"id": "r1", "name": "friends", "kind": "ip"}], "items of friends": []}),
        ("ip_list_item", "friends 192.0.2.1", {"ip_lists": [{"name": "friends", "kind": "ip"}], "items of friends": [{"id": "r1", "ip": "192.0.2.1"}]}),
    ],
)  # fmt: skip
def test_objects_of_every_module_of_the_account_are_found_by_their_ids(resource: str, key: str, listed: Any) -> None:
    (found,) = last(change(object_id="r1"), unmanaged={**UNMANAGED, "resource": resource, "key": key}, objects=listed)
    assert found["by"] == "alice"


FIREWALL_SKIP = {**UNMANAGED, "resource": "network_firewall_rule", "key": "skip"}
ANNA = change("anna", "2026-11-22T09:00:03Z", f"{OF_ACCOUNT}/firewall/access_rules/rules/7")


@pytest.mark.parametrize("resource", [*BY_NAME, "thing"])
def test_a_change_of_one_resource_is_never_told_of_another(resource: str) -> None:
    """Somebody touched an IP Access rule at the moment of the object's own timestamp."""
    (found,) = last(ANNA, unmanaged={**FIREWALL_SKIP, "resource": resource})
    assert found["by"] is None and "does not say who changed it" in found["text"]


def test_a_change_in_a_ruleset_is_told_if_nobody_else_changed_one_at_that_moment() -> None:
    mallory = change("mallory", uri=f"{OF_ACCOUNT}/rulesets/phases/magic_transit/entrypoint")
    assert [item["by"] for item in last(ANNA, mallory, unmanaged=FIREWALL_SKIP)] == ["mallory"]
    other = change("bob", uri=f"{OF_ACCOUNT}/rulesets/phases/magic_transit/entrypoint")
    assert [item["by"] for item in last(mallory, other, unmanaged=FIREWALL_SKIP)] == [None]
