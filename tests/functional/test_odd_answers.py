# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever the service answers, a module ends in a result or in one sentence, and never takes a part for the whole."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import MAX_CONCURRENT_CALLS

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import DUPLICATE_PREFIXES, FIREWALL, RULE_1
from tests.support.module_run import ACCOUNT, ZONE, Modules


@pytest.mark.parametrize("listed", ["203.0.113/24", "203.0/16", "10/8", "203.0.113.0/24"])
def test_a_network_that_the_service_lists_without_its_last_octets_is_that_network(
    listed: str, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": listed}])
    address, _slash, length = listed.partition("/")
    whole = ".".join([*address.split("."), "0", "0", "0"][:4])
    result = modules.done("protected_prefixes", prefixes=[{"prefix": f"{whole}/{length}"}], purge=True)
    assert (result["changed"], [entry["prefix"] for entry in result["prefixes"]]) == (False, [listed])
    assert "malformed" not in str(result.get("warnings"))


@pytest.mark.parametrize("fault", ["null_result", "empty"])
def test_a_deletion_that_is_answered_without_a_result_is_predicted_all_the_same(
    fault: str, service: LocalService, modules: Modules
) -> None:
    rules = [{"ref": ref, "action": "log", "expression": "ssl"} for ref in ("a", "b", "c")]
    service.zone(ZONE).seed(custom_rules=rules)
    task: dict[str, Any] = {"rules": [{"ref": "b"}], "state": "absent"}
    predicted = modules.done("custom_rules", check=True, **task)
    assert predicted["diff"]["after"]["custom_rules_order"] == ["a", "c"]
    settings: dict[str, Any] = {"status": 204} if fault == "empty" else {}
    service.misbehave(fault, method="DELETE", **settings)
    done = modules.done("custom_rules", **task)
    assert done["diff"] == predicted["diff"]
    assert modules.done("custom_rules", **task)["changed"] is False


@pytest.mark.parametrize("kind", ["no_result_info", "extra_fields"])
def test_unusual_answers_are_read_all_the_same(kind: str, service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24"}], enabled=True)
    service.misbehave(kind)
    options: dict[str, Any] = {"prefixes": [{"prefix": "192.0.2.0/24", "comment": "new"}], "enabled": True}
    assert modules.done("account_protection", **options)["changed"] is True
    assert modules.done("account_protection", **options)["changed"] is False


CONTROL = "\x1b[2J\x07\u202e"
SHOWN = r"\x1b[2J\x07\u202e"


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("status", {"errors": [{"code": 1, "message": f"no{CONTROL}"}]}),
        ("status", {"errors": [{"code": 1, "message": "no", "source": {"pointer": f"/{CONTROL}"}}]}),
        ("html", {"title": f"no{CONTROL}"}),
        ("raw", {"body": f"no{CONTROL}"}),
    ],
)
def test_characters_that_control_a_terminal_are_escaped_in_messages(
    kind: str, settings: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    service.misbehave(kind, status=400, **settings)
    result = modules.failed("protection_info")
    assert SHOWN in result["msg"]
    assert result["msg"].isprintable()


def test_terminal_controls_are_escaped_in_warnings_and_left_in_data(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(
        prefixes=[{"prefix": "192.0.2.0/24", "comment": CONTROL}],
        syn_flood={"filters": [{"expression": f"ip.dst {CONTROL}", "mode": "enabled"}]},
    )
    result = modules.done("protected_prefixes", prefixes=[{"prefix": "203.0.113.0/24"}])
    assert SHOWN in result["warnings"][0]["event"]["msg"]
    assert CONTROL not in result["warnings"][0]["event"]["msg"]
    assert result["prefixes"][0]["comment"] == CONTROL


def test_malformed_stored_prefixes_are_shown_and_left_alone(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "203.0.113.x/24"}, {"prefix": "not a network"}])
    result = modules.done("protected_prefixes", prefixes=[{"prefix": "203.0.113.0/24"}])
    assert [item["key"] for item in result["operations"]] == ["203.0.113.0/24"]
    assert [entry["prefix"] for entry in result["prefixes"]] == ["203.0.113.x/24", "not a network", "203.0.113.0/24"]


@pytest.mark.parametrize(
    ("path", "fields", "warned"),
    [
        ("/syn_protection/filters$", {"expression": f'"tcp.dstport eq {"8" * 5000}"'}, "is not a port"),
        ("/prefixes$", {"id": '["7"]', "modified_on": '"9999-12-31T23:59:59Z"'}, ""),
        ("/prefixes$", {"prefix": '"2001:db8::/32\\ud800"', "comment": '"\\udfff"'}, "malformed"),
        ("/allowlist$", {"id": '{"a": 1}', "labels": "[" * 90 + "]" * 90}, ""),
        ("/allowlist$", {"prefix": "7" * 5000, "created_on": "1e999"}, "malformed"),
    ],
)
def test_an_account_with_an_odd_entry_stays_manageable(
    path: str, fields: dict[str, str], warned: str, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(
        prefixes=[{"prefix": "192.0.2.0/24"}],
        allowlist=[{"prefix": "198.51.100.7"}],
        syn_flood={"filters": [{"expression": "tcp.dstport eq 80", "mode": "disabled"}]},
    )
    service.misbehave("entry", method="GET", path=path, fields=fields)
    options: dict[str, Any] = {"enabled": True, "prefixes": [{"prefix": "203.0.113.0/24"}]}
    result = modules.done("account_protection", **options)
    assert result["changed"] is True
    assert warned in str(result.get("warnings"))
    assert len(str(result.get("warnings"))) < 2000
    assert modules.done("account_protection", **options)["changed"] is False


def test_the_guard_checks_the_deletion_of_a_duplicate(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(allowlist=[{"prefix": "192.0.2.1"}, *[{"prefix": "203.0.113.7"}] * 6])
    options: dict[str, Any] = {"entries": [{"prefix": "203.0.113.7"}]}
    for check in (True, False):
        result = modules.failed("allowlist", check=check, **options)
        assert [risk["code"] for risk in result["risks"]] == ["mass_deletion"]
    assert service.writes == []
    modules.done("allowlist", **options, accept_risks=["mass_deletion"])
    assert [entry["prefix"] for entry in service.account(ACCOUNT).allowlist] == ["192.0.2.1", "203.0.113.7"]


def test_duplicates_that_nobody_asks_about_do_not_matter(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(prefixes=DUPLICATE_PREFIXES)
    assert modules.done("protected_prefixes", prefixes=[{"prefix": "2001:db8::/32"}])["changed"] is False


def test_missing_firewall_rules_are_all_named_and_nothing_is_written(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(**FIREWALL)
    missing = ["9" * 32, "8" * 32]
    for check in (True, False):
        message = modules.failed(
            "firewall_rules",
            check=check,
            rules=[{"id": RULE_1, "action": "block"}, *({"id": rule} for rule in missing)],
        )["msg"]
        assert all(rule in message for rule in missing)
        assert "Nothing was changed." in message
    assert service.writes == []


def test_a_service_that_stores_something_else_is_reported(service: LocalService, modules: Modules) -> None:
    service.misbehave("missing_fields", method="POST", fields=["comment"])
    result = modules.done("allowlist_entry", prefix="192.0.2.1", comment="probe")
    assert "comment of allowlist entry 192.0.2.1/32 where 'probe' was sent" in str(result["warnings"])


@pytest.mark.parametrize(("status", "is_known"), [(500, False), (403, True)])
def test_done_left_and_unknown_operations_add_up(
    status: int, is_known: bool, service: LocalService, modules: Modules
) -> None:
    service.misbehave("status", method="POST", skip=4, status=status)
    entries = [{"prefix": f"10.0.{2 * number}.1/32"} for number in range(40)]
    result = modules.failed("allowlist", entries=entries, retries=0)
    done, left, unknown = ({item["key"] for item in result[part]} for part in ("done", "left", "unknown"))
    assert {entry["prefix"] for entry in service.account(ACCOUNT).allowlist} == done
    assert (len(done), bool(unknown)) == (4, not is_known)
    assert done | left | unknown == {entry["prefix"] for entry in entries}
    assert len(result["operations"]) == len(done) + len(left) + len(unknown) == 40
    assert len([call for call in service.calls if call.method == "POST"]) <= 4 + 2 * MAX_CONCURRENT_CALLS
    assert result["changed"] is True
    service.faults.clear()
    assert modules.done("allowlist", entries=entries)["changed"] is True
    stored = [entry["prefix"] for entry in service.account(ACCOUNT).allowlist]
    assert sorted(stored) == sorted(entry["prefix"] for entry in entries)
