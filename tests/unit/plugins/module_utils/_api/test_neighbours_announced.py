# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which networks are announced: what Cloudflare says of a part, of a prefix, or does not say."""

from __future__ import annotations

from typing import Any, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.neighbours import read_announced
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ONBOARDED
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Object, Resource

PREFIX = {"id": "a", "cidr": "203.0.113.0/24", "approved": "V", "on_demand_enabled": False, "advertised": None}
ON_DEMAND = {**PREFIX, "on_demand_enabled": True, "advertised_modified_at": "2026-11-01T00:00:00Z"}


def announced(prefix: Object, parts: Sequence[Object] = (), delegations: Sequence[Object] = ()) -> Any:
    def read(resource: Resource) -> Sequence[Object]:
        if resource is ONBOARDED:
            return [prefix]
        others = {"bgp/prefixes": parts, "delegations": delegations}
        return others[resource.path.partition("/addressing/prefixes/{parent_id}/")[2]]

    (record,) = read_announced(read)
    return record


@pytest.mark.parametrize(
    ("prefix", "on_demand", "expected"),
    [
        (PREFIX, {"advertised": None, "on_demand_enabled": False}, True),
        ({**PREFIX, "approved": "P"}, {"advertised": None, "on_demand_enabled": False}, False),
        (PREFIX, {"advertised": True, "on_demand_enabled": True}, True),
        (PREFIX, {"advertised": False, "on_demand_enabled": True}, False),
        (PREFIX, {"advertised": None, "on_demand_enabled": True}, None),
        (PREFIX, {}, None),
        (PREFIX, {"advertised": "true"}, None),
    ],
)
def test_a_part_says_whether_it_is_announced(prefix: Object, on_demand: Object, expected: Any) -> None:
    record = announced(prefix, [{"cidr": "203.0.113.0/25", "on_demand": on_demand}])
    assert record["networks"] == [{"prefix": "203.0.113.0/25", "announced": expected, "since": None}]


@pytest.mark.parametrize(
    ("prefix", "expected", "since"),
    [
        (PREFIX, True, None),
        ({**ON_DEMAND, "advertised": True}, True, "2026-11-01T00:00:00Z"),
        ({**ON_DEMAND, "advertised": False}, False, "2026-11-01T00:00:00Z"),
        (ON_DEMAND, None, "2026-11-01T00:00:00Z"),
    ],
)
def test_a_prefix_without_parts_says_it_of_itself(prefix: Object, expected: Any, since: Any) -> None:
    record = announced(prefix)
    assert record["networks"] == [{"prefix": "203.0.113.0/24", "announced": expected, "since": since}]


def test_a_prefix_tells_whether_it_is_approved_and_what_others_use() -> None:
    prefix = {**PREFIX, "approved": "P", "ownership_validation_token": "secret"}
    record = announced(prefix, delegations=[{"cidr": "203.0.113.128/25"}])
    assert (record["prefix"], record["approved"]) == ("203.0.113.0/24", False)
    assert record["delegated"] == ["203.0.113.128/25"]
    assert "secret" not in str(record)
