# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What one rule or filter decides for."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage, protected_since
from ansible_collections.edgeops.protection.plugins.module_utils._protection.deciding import decided_by
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import FILTERS, RULES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Unread
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import networks

from tests.support.coverage_model import HALF, account_state, filter_, rule

REST = ["192.0.2.128/25"]
ALL = ["192.0.2.0/24"]


def decided(resource: Any, obj: Any, **collections: Any) -> Any:
    return decided_by(Coverage(account_state(**collections)), resource, obj)


@pytest.mark.parametrize(
    ("filters", "space"),
    [
        ([], ALL),
        ([filter_("enabled", HALF)], REST),
        ([filter_("disabled", HALF)], REST),
        ([filter_("monitoring", "tcp.dstport eq 80")], ALL),
        ([filter_("monitoring", "ip.dst in $list")], ALL),
        ([filter_("monitoring", "true")], []),
    ],
)
def test_a_rule_decides_if_no_filter_does(filters: Any, space: list[str]) -> None:
    existing = rule("monitoring")
    found = decided(RULES[0], existing, syn_flood_rules=[existing], syn_flood_filters=filters)
    assert networks(found.space) == space


@pytest.mark.parametrize(
    ("expression", "space"),
    [
        (HALF, ["192.0.2.0/25"]),
        ("tcp.dstport eq 80", ALL),
        ("ip.dst eq 198.51.100.1", []),
        ("ip.src eq 192.0.2.1", ALL),
    ],
)
def test_a_filter_decides_for_what_it_may_match(expression: str, space: list[str]) -> None:
    assert networks(decided(FILTERS[0], filter_("monitoring", expression)).space) == space


def test_a_filter_that_is_not_understood_is_undecided() -> None:
    with pytest.raises(Unread):
        decided(FILTERS[0], filter_("monitoring", "ip.dst in $list"))


def test_scopes_tell_the_data_centers() -> None:
    rules = [rule("monitoring"), rule("monitoring", "datacenter", "LAX"), rule("monitoring", "region", "WEUR")]
    everywhere, lax, weur = (decided(RULES[0], item, syn_flood_rules=rules) for item in rules)
    seen = {"FRA": (True, False, True), "lax": (False, True, False), "LAX": (False, True, False)}
    for data_center, held in seen.items():
        assert tuple(item.may_decide_in(data_center) for item in (everywhere, lax, weur)) == held
    assert [item.beside_region for item in (everywhere, lax, weur)] == [True, False, True]


def test_each_protected_prefix_is_a_network() -> None:
    prefixes = [
        {"prefix": "192.0.2.0/25", "excluded": False},
        {"prefix": "192.0.2.128/25", "excluded": False},
        {"prefix": "192.0.2.0/26", "excluded": False},
        {"prefix": "192.0.2.64/26", "excluded": True},
        {"prefix": "somewhere", "excluded": False},
    ]
    found = decided(RULES[0], rule("monitoring"), prefixes=prefixes)
    assert [networks(ranges) for _prefix, ranges in found.networks] == [["192.0.2.0/26"], ["192.0.2.128/25"]]


OLDEST = datetime(2026, 7, 1, 12, tzinfo=timezone.utc)
EARLY, LATE, LATER = "2026-06-01T12:00:00Z", "2026-07-02T12:00:00Z", "2026-07-02T13:00:00Z"
SINCE = "198.51.100.0/24"


@pytest.mark.parametrize(
    ("times", "settled"),
    [
        ({"created_on": EARLY, "modified_on": EARLY}, [SINCE]),
        ({"created_on": EARLY, "modified_on": LATE}, []),
        ({"created_on": LATE, "modified_on": LATE}, []),
        ({"created_on": None, "modified_on": EARLY}, [SINCE]),
        ({"created_on": EARLY}, []),
        ({"created_on": EARLY, "modified_on": "lately"}, []),
        ({}, []),
    ],
)
def test_protected_since_means_not_excluded_since(times: Any, settled: list[str]) -> None:
    prefixes = [{"prefix": SINCE, **times}]
    assert networks(protected_since(Coverage({"prefixes": prefixes}), OLDEST)) == settled


@pytest.mark.parametrize(
    ("inner", "settled"),
    [
        ({"created_on": LATE, "modified_on": LATE}, [SINCE]),
        ({"created_on": EARLY, "modified_on": LATE}, ["198.51.100.0/25"]),
        ({"created_on": LATE, "modified_on": LATER}, ["198.51.100.0/25"]),
        ({"created_on": EARLY, "modified_on": EARLY, "excluded": True}, ["198.51.100.0/25"]),
    ],
)
def test_a_prefix_within_another_one_may_have_been_excluded(inner: Any, settled: list[str]) -> None:
    outer = {"prefix": SINCE, "created_on": EARLY, "modified_on": EARLY}
    prefixes = [outer, {"prefix": "198.51.100.128/25", **inner}]
    assert networks(protected_since(Coverage({"prefixes": prefixes}), OLDEST)) == settled
    malformed = {"prefix": "somewhere", "excluded": True}
    assert protected_since(Coverage({"prefixes": [*prefixes, malformed]}), OLDEST) == []
