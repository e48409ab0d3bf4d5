# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An attack of which nobody would hear is said: no policy, filters that leave it out, webhooks that fail, silences."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of, union
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.ready import alarm_gaps

from tests.fake_service import LocalService
from tests.fake_service.beside import WEBHOOK_URL
from tests.support.module_run import ACCOUNT, ZONE, Modules

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
NETWORK = range_of("203.0.113.0/24") or (0, 0)
PREFIXES = [{"prefix": "203.0.113.0/24"}, {"prefix": "203.0.113.128/25", "excluded": True}]
L4: dict[str, Any] = {"id": "p4", "name": "packets", "alert_type": "dos_attack_l4"}
L7: dict[str, Any] = {"id": "p7", "name": "requests", "alert_type": "dos_attack_l7"}
OF_L4 = "(dos_attack_l4 or advanced_ddos_attack_l4_alert)."
OF_L7 = "(dos_attack_l7 or advanced_ddos_attack_l7_alert)."
NO_L4 = f"No alarm policy that is enabled and has a destination tells of L3/4 attacks {OF_L4}"
NO_L7 = f"No alarm policy that is enabled and has a destination tells of HTTP attacks {OF_L7}"
SOME_L4 = "The filters of the alarm policies may leave out L3/4 attacks: 'packets'."
SOME_L7 = "The filters of the alarm policies may leave out HTTP attacks: 'requests'."


def gaps_of_account(service: LocalService, modules: Modules, prefixes: Any = None, **alarms: Any) -> list[str]:
    service.account(ACCOUNT).seed(prefixes=PREFIXES if prefixes is None else prefixes, **alarms)
    result = modules.done("protection_info", gather_subset=["prefixes", "alarms"])
    assert WEBHOOK_URL not in str(result)
    own = union(filter(None, (range_of(entry["prefix"]) for entry in result["prefixes"])))
    return list(alarm_gaps(result["alarms"], own, NOW))


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (L4, []),
        ({**L4, "alert_type": "advanced_ddos_attack_l4_alert"}, []),
        (L7, [NO_L4]),
        ({**L4, "alert_type": "fbm_dosd_attack"}, [NO_L4]),
        ({**L4, "enabled": False}, [NO_L4]),
        ({**L4, "mechanisms": {}}, [NO_L4]),
        ({**L4, "mechanisms": {"email": []}}, [NO_L4]),
        ({**L4, "mechanisms": {"webhooks": [{"id": "gone"}]}}, [NO_L4]),
        ({**L4, "mechanisms": {"pagerduty": [{"id": "duty"}]}}, []),
        ({**L4, "filters": None}, []),
        ({**L4, "filters": {"target_ip": []}}, []),
        ({**L4, "filters": {"packets_per_second": ["1000"], "megabits_per_second": ["10"]}}, []),
        ({**L4, "filters": {"target_ip": ["203.0.113.0/25", "203.0.113.128/25"]}}, []),
        ({**L4, "filters": {"target_ip": ["203.0.113.0/25"]}}, [SOME_L4]),
        ({**L4, "filters": {"target_ip": ["203.0.113.0/26"]}}, [SOME_L4]),
        ({**L4, "filters": {"target_ip": ["nowhere"]}}, [SOME_L4]),
        ({**L4, "filters": {"protocol": ["udp"]}}, [SOME_L4]),
        ({**L4, "filters": {"of_the_future": ["x"], "target_ip": ["203.0.113.0/24"]}}, [SOME_L4]),
    ],
)
def test_an_account_with_prefixes_needs_a_policy_for_their_attacks(
    policy: Mapping[str, Any], expected: list[str], service: LocalService, modules: Modules
) -> None:
    assert gaps_of_account(service, modules, alarm_policies=[policy]) == expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["203.0.113.0/25", "203.0.113.128/25"], []),
        (
            ["203.0.113.0/25", "203.0.113.0/26"],
            ["The filters of the alarm policies may leave out L3/4 attacks: 'a', 'b'."],
        ),
    ],
)
def test_policies_cover_the_prefixes_together(
    filters: list[str], expected: list[str], service: LocalService, modules: Modules
) -> None:
    names = zip("ab", filters, strict=True)
    policies = [{**L4, "id": name, "name": name, "filters": {"target_ip": [network]}} for name, network in names]
    assert gaps_of_account(service, modules, alarm_policies=policies) == expected


def test_an_account_without_prefixes_needs_none(service: LocalService, modules: Modules) -> None:
    assert gaps_of_account(service, modules, []) == []


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        ([], [NO_L7]),
        ([L4], [NO_L7]),
        ([L7], []),
        ([{**L7, "alert_type": "advanced_http_alert_error"}], [NO_L7]),
        ([{**L7, "alert_type": "advanced_ddos_attack_l7_alert", "filters": {"requests_per_second": ["9"]}}], []),
        ([{**L7, "filters": {"target_zone_name": ["OTHER.example", "Shop.Example"]}}], []),
        ([{**L7, "filters": {"target_zone_name": ["other.example"]}}], [SOME_L7]),
        ([{**L7, "filters": {"target_hostname": ["www.shop.example"]}}], [SOME_L7]),
    ],
)
def test_a_zone_needs_a_policy_for_its_attacks(
    policies: Any, expected: list[str], service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(alarm_policies=policies)
    service.zone(ZONE).seed(name="shop.example", account_id=ACCOUNT)
    result = modules.done("custom_rules_info", alarms=True)
    assert result["alarms"]["zone"] == "shop.example"
    assert list(alarm_gaps(result["alarms"], [], NOW)) == expected


EARLY, LATE = "2026-02-01T09:00:00Z", "2026-02-02T09:00:00Z"
FAILED = "The last message to the webhook 'chat' failed, 2026-02-02 09:00 UTC."


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({}, []),
        ({"last_success": None, "last_failure": None}, []),
        ({"last_success": LATE, "last_failure": EARLY}, []),
        ({"last_success": EARLY, "last_failure": LATE}, [FAILED]),
        ({"last_success": None, "last_failure": LATE}, [FAILED]),
        ({"last_success": LATE, "last_failure": "soon"}, ["If messages to the webhook 'chat' arrive is not known."]),
    ],
)
def test_a_webhook_whose_last_message_failed_is_said(
    times: Mapping[str, Any], expected: list[str], service: LocalService, modules: Modules
) -> None:
    webhook = {"id": "hook", "name": "chat", **times}
    policy = {**L4, "mechanisms": {"webhooks": [{"id": "hook"}]}}
    assert gaps_of_account(service, modules, alarm_policies=[policy], alarm_webhooks=[webhook]) == expected


BEFORE, AFTER = "2026-03-01T11:00:00Z", "2026-03-01T13:00:00Z"
ENDLESS = "A silence of the alarm policy 'packets' has no end."


@pytest.mark.parametrize(
    ("silence", "expected"),
    [
        ({"start_time": BEFORE, "end_time": None}, [ENDLESS]),
        ({"start_time": AFTER, "end_time": None}, [ENDLESS]),
        ({"start_time": EARLY, "end_time": BEFORE}, []),
        ({"start_time": AFTER, "end_time": "2026-03-01T14:00:00Z"}, []),
        (
            {"start_time": BEFORE, "end_time": AFTER},
            ["The alarm policy 'packets' is silent until 2026-03-01 13:00 UTC."],
        ),
        ({"start_time": None, "end_time": AFTER}, ["The alarm policy 'packets' is silent until 2026-03-01 13:00 UTC."]),
        ({"start_time": BEFORE, "end_time": "later"}, ["The alarm policy 'packets' is silent until later."]),
        ({"policy_id": "gone", "end_time": None}, ["A silence of the alarm policy 'gone' has no end."]),
    ],
)
def test_a_silence_is_said(
    silence: Mapping[str, Any], expected: list[str], service: LocalService, modules: Modules
) -> None:
    silences = [{"policy_id": "p4", **silence}]
    assert gaps_of_account(service, modules, alarm_policies=[L4], alarm_silences=silences) == expected


@pytest.mark.parametrize(
    ("odd", "expected"),
    [
        ({"enabled": "yes"}, NO_L4),
        ({"filters": ["udp"]}, SOME_L4),
        ({"filters": {"target_ip": "203.0.113.0/24"}}, SOME_L4),
        ({"mechanisms": "noc"}, NO_L4),
        ({"mechanisms": {"email": "noc"}}, NO_L4),
        ({"mechanisms": {"email": ["noc"]}}, NO_L4),
        ({"mechanisms": {"pagerduty": [{"name": "noc"}]}}, NO_L4),
    ],
)
def test_a_policy_of_another_shape_is_never_counted_on(odd: Mapping[str, Any], expected: str) -> None:
    policy = {**L4, "enabled": True, "filters": None, "mechanisms": {"email": [{"id": "noc@example.com"}]}}
    alarms = {"zone": None, "policies": [{**policy, **odd}], "webhooks": [], "silences": []}
    assert list(alarm_gaps({**alarms, "policies": [policy]}, union([NETWORK]), NOW)) == []
    assert list(alarm_gaps(alarms, union([NETWORK]), NOW)) == [expected]


@pytest.mark.parametrize("module", ["protection_info", "custom_rules_info"])
def test_alarms_need_a_permission(module: str, service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(name="shop.example", account_id=ACCOUNT)
    token = service.add_token("no-alarms", notifications="none")
    asked: dict[str, Any] = {"gather_subset": ["alarms"]} if module == "protection_info" else {"alarms": True}
    failed = modules.failed(module, api_token=token, **asked)
    assert "Notifications Read (account)" in failed["msg"]
