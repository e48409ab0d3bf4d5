# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Entries that expire: present before that moment, absent from it on, by the clock of the service alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.fake_service.clock import Clock
from tests.support.module_run import ACCOUNT, Modules

FRIDAY = "2027-01-29"
TASKS: list[tuple[str, str, dict[str, Any]]] = [
    ("protected_prefixes", "prefixes", {"prefixes": [{"prefix": "192.0.2.64/28", "excluded": True, "expires": FRIDAY}]}),
    ("allowlist", "allowlist", {"entries": [{"prefix": "192.0.2.64/28", "expires": FRIDAY}]}),
    ("allowlist_entry", "allowlist", {"prefix": "192.0.2.64/28", "expires": FRIDAY}),
    ("account_protection", "prefixes", {"prefixes": [{"prefix": "192.0.2.64/28", "excluded": True, "expires": FRIDAY}]}),
    ("account_protection", "allowlist", {"allowlist": [{"prefix": "192.0.2.64/28", "expires": FRIDAY}]}),
]  # fmt: skip
EACH = pytest.mark.parametrize(("module", "collection", "options"), TASKS, ids=lambda value: str(value)[:20])


@pytest.fixture(autouse=True)
def seeded(service: LocalService) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "203.0.113.0/24"}], allowlist=[{"prefix": "203.0.113.7/32"}])
    service.clock.set(datetime(2027, 1, 27, 12, tzinfo=UTC))


def networks(service: LocalService, collection: str) -> set[str]:
    return {item["prefix"] for item in getattr(service.account(ACCOUNT), collection)}


def warnings(result: dict[str, Any]) -> str:
    texts = (item["event"]["msg"] if isinstance(item, dict) else item for item in result.get("warnings", []))
    return " ".join(texts)


@EACH
def test_an_entry_goes_with_the_first_run_after_its_day(
    module: str, collection: str, options: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    created = modules.done(module, **options)
    assert "192.0.2.64/28" in networks(service, collection)
    assert "expired" not in created
    service.clock.set(datetime(2027, 1, 29, 23, 59, 0, tzinfo=UTC))
    assert modules.done(module, **options)["changed"] is False
    service.clock.set(datetime(2027, 1, 30, 0, 0, 0, tzinfo=UTC))
    predicted = modules.done(module, check=True, **options)
    done = modules.done(module, **options)
    assert (done["operations"], done["expired"], done["plan_id"]) == tuple(
        predicted[name] for name in ("operations", "expired", "plan_id")
    )
    assert [item["action"] for item in done["operations"]] == ["delete"]
    assert [(item["key"], item["expires"]) for item in done["expired"]] == [
        ("192.0.2.64/28", "2027-01-30T00:00:00+00:00")
    ]
    assert "192.0.2.64/28" not in networks(service, collection)
    assert not any("expires" in str(call.body) for call in service.writes)


@EACH
def test_an_expired_entry_that_is_not_there_is_not_created_and_warned_of(
    module: str, collection: str, options: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    service.clock.set(datetime(2027, 2, 1, tzinfo=UTC))
    for _run in range(2):
        result = modules.done(module, **options)
        assert (result["changed"], len(result["expired"]), service.writes) == (False, 1, [])
        assert "192.0.2.64/28 expired at 2027-01-30T00:00:00+00:00 and does not exist" in warnings(result)
        assert warnings(result).count("Remove the entry, or give it a later expires.") == 1


@EACH
def test_without_the_time_of_the_service_nothing_is_created_or_deleted(
    module: str,
    collection: str,
    options: dict[str, Any],
    service: LocalService,
    modules: Modules,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Clock, "http_date", lambda clock: "tomorrow")
    before = networks(service, collection)
    for existing in (False, True):
        if existing:
            own = {"excluded": True} if collection == "prefixes" else {}
            seeds: Mapping[str, Any] = {collection: [{"prefix": "192.0.2.64/28", **own}]}
            service.account(ACCOUNT).seed(**seeds)
            before = before | {"192.0.2.64/28"}
        result = modules.done(module, **options)
        assert (result["changed"], networks(service, collection)) == (False, before)
        assert "expired" not in result
        assert "is not known, since Cloudflare does not tell its time" in warnings(result)


@pytest.mark.parametrize(
    ("expires", "present"),
    [
        ("2027-01-27T13:00:01+01:00", True),
        ("2027-01-27T13:00:00+01:00", False),
        ("2027-01-27T11:59:59Z", False),
        ("2027-01-27", True),
        ("2027-01-26", False),
    ],
)
def test_a_moment_has_an_offset_and_a_date_means_its_end(
    expires: str, present: bool, service: LocalService, modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Clock, "now", lambda clock: datetime(2027, 1, 27, 12, tzinfo=UTC))
    modules.done("allowlist_entry", prefix="192.0.2.1", expires=expires)
    assert ("192.0.2.1/32" in networks(service, "allowlist")) is present


def test_the_last_entry_that_expires_empties_the_list(service: LocalService, modules: Modules) -> None:
    service.clock.set(datetime(2027, 2, 1, tzinfo=UTC))
    options: dict[str, Any] = {"prefix": "203.0.113.7"}
    result = modules.failed("allowlist_entry", expires=FRIDAY, **options)
    assert [risk["code"] for risk in result["risks"]] == ["empties_list"]
    assert service.writes == []
    assert modules.done("allowlist_entry", check=True, state="absent", **options)["changed"] is True


def test_a_plan_approved_before_an_expiry_is_another_after_it(service: LocalService, modules: Modules) -> None:
    options: dict[str, Any] = {"entries": [{"prefix": "192.0.2.1"}, {"prefix": "203.0.113.7", "expires": FRIDAY}]}
    approved = modules.done("allowlist", check=True, **options)["plan_id"]
    service.clock.set(datetime(2027, 2, 1, tzinfo=UTC))
    result = modules.failed("allowlist", expected_plan=approved, **options)
    assert "The plan is not the approved one" in result["msg"]
    assert service.writes == []
