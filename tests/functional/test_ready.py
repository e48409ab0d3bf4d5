# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The prefixes that an account has brought are ready to be diverted, or the report says what keeps them from it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    Ranges,
    difference,
    range_of,
    union,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.ready import hindrances, remarks

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, Modules

PREFIX = "203.0.113.0/24"
WITHDRAWN = {"on_demand_enabled": True, "advertised": False}
ANNOUNCED = {"on_demand_enabled": True, "advertised": True}


def read(service: LocalService, modules: Modules, fields: Any, named: Any = ({"prefix": PREFIX},)) -> dict[str, Any]:
    """The result of the module for an account with one onboarded prefix."""
    service.account(ACCOUNT).seed(onboarded=[{"cidr": PREFIX, **fields}], prefixes=named)
    return modules.done("protection_info", gather_subset=["prefixes", "announced"])


def protected(named: Any = ({"prefix": PREFIX},)) -> Ranges:
    sides = [
        union(filter(None, (range_of(entry["prefix"]) for entry in named if entry.get("excluded", False) is side)))
        for side in (False, True)
    ]
    return difference(*sides)


def bound(service_name: str, state: str = "active", cidr: str = "203.0.113.64/26") -> dict[str, Any]:
    return {"bindings": [{"cidr": cidr, "service_name": service_name, "state": state}]}


STATE = "_validation_state"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, []),
        (WITHDRAWN, []),
        ({**ANNOUNCED, "on_demand_locked": True}, []),
        ({**WITHDRAWN, "on_demand_locked": True}, [(True, "is locked, and 203.0.113.0/24 is withdrawn")]),
        ({"approved": "P"}, [(True, "is not approved by Cloudflare")]),
        ({"approved": "X", "on_demand_locked": True}, [(True, "is not approved by Cloudflare")]),
        ({"irr" + STATE: "missing"}, [(True, "has the IRR state missing")]),
        ({"rpki" + STATE: "invalid"}, [(True, "has the RPKI state invalid")]),
        ({"rpki" + STATE: "mismatch_asn"}, [(True, "has the RPKI state mismatch_asn")]),
        ({"ownership" + STATE: "pending"}, [(True, "has the ownership state pending")]),
        ({"asn_ownership" + STATE: "invalid"}, [(True, "has the ASN ownership state invalid")]),
        ({"irr" + STATE: "warm"}, [(None, "has an IRR state that is not known, 'warm'")]),
        ({"irr" + STATE: "warm", "rpki" + STATE: "missing"}, [(True, "has an IRR state that is not known, 'warm'; has the RPKI state missing")]),
        ({"irr" + STATE: None}, []),
        (bound("Magic Transit"), []),
        (bound("CDN"), [(True, "leads protected addresses past the components to 'CDN'")]),
        (bound("Spectrum"), [(True, "leads protected addresses past the components to 'Spectrum'")]),
        (bound("Other"), [(None, "to 'Other', a service not known, may lead past the components")]),
        (bound("Magic Transit", "magic_transit_route_missing"), [(True, "to 'Magic Transit' has the state magic_transit_route_missing")]),
        (bound("Magic Transit", "provisioning"), [(None, "to 'Magic Transit' is not active yet, 'provisioning'")]),
        (bound("Magic Transit", "warm"), [(None, "to 'Magic Transit' has a state that is not known, 'warm'")]),
    ],
)  # fmt: skip
def test_a_prefix_says_what_keeps_it_from_being_diverted(
    fields: Any, expected: Any, service: LocalService, modules: Modules
) -> None:
    found = hindrances(read(service, modules, fields), protected())
    assert [(item["weakens"], item["reason"]) for item in found] == expected
    key = "203.0.113.64/26" if "bindings" in fields else PREFIX
    assert {item["key"] for item in found} <= {key}


@pytest.mark.parametrize(
    ("named", "state", "expected"),
    [
        ([], "active", []),
        ([], "magic_transit_route_missing", ["to 'CDN' has the state magic_transit_route_missing"]),
        ([{"prefix": "203.0.113.0/26"}], "active", []),
        ([{"prefix": PREFIX}, {"prefix": "203.0.113.64/26", "excluded": True}], "active", []),
        ([{"prefix": PREFIX}, {"prefix": "203.0.113.64/27", "excluded": True}], "active", ["leads protected addresses past the components to 'CDN'"]),
    ],
)  # fmt: skip
def test_a_binding_matters_for_the_addresses_that_a_prefix_protects(
    named: Any, state: str, expected: list[str], service: LocalService, modules: Modules
) -> None:
    found = hindrances(read(service, modules, bound("CDN", state), named), protected(named))
    assert [item["reason"] for item in found] == expected


SINCE = "2026-01-10T00:00:00Z"
LONG = "203.0.113.0/24 is announced on demand since 2026-01-10 00:00 UTC, and no component saw an attack on it since"


def traffic(*losing: str, since: str = "2026-02-01T00:00:00+00:00", known: bool = True, more: int = 0) -> Any:
    networks = [{"network": network} for network in losing]
    return {"since": since, "known": known, "components": {"syn_flood": {"networks": networks, "more_networks": more}}}


def announced(since: Any = SINCE, **on_demand: Any) -> dict[str, Any]:
    on_demand = {"advertised": True, "advertised_modified_at": since, **on_demand}
    return {"on_demand_enabled": True, "bgp_prefixes": [{"cidr": PREFIX, "on_demand": on_demand}]}


@pytest.mark.parametrize(
    ("fields", "seen", "expected"),
    [
        (announced(), traffic(), [f"{LONG} 2026-02-01 00:00 UTC."]),
        (announced(), traffic("198.51.100.0/24"), [f"{LONG} 2026-02-01 00:00 UTC."]),
        (announced(), None, []),
        (announced(), traffic("203.0.113.0/24"), []),
        (announced(), traffic("203.0.113.7/32"), []),
        (announced(), traffic(known=False), []),
        (announced(), traffic(more=1), []),
        (announced(), traffic(since="2026-01-09T00:00:00+00:00"), []),
        (announced(advertised=False), traffic(), []),
        (announced(on_demand_enabled=False), traffic(), []),
        (announced("yesterday"), traffic(), []),
        ({**WITHDRAWN, "on_demand_locked": None, "bgp_prefixes": [{"cidr": "203.0.113.0/25"}]}, None,
         ["If 203.0.113.0/25 is locked is not known: Cloudflare does not say it."]),
        ({"rpki" + STATE: None, "irr" + STATE: ""}, None,
         [f"The {name} state of {PREFIX} is not known: Cloudflare does not say it." for name in ("IRR", "RPKI")]),
    ],
)  # fmt: skip
def test_remarks_give_no_status(
    fields: Any, seen: Any, expected: list[str], service: LocalService, modules: Modules
) -> None:
    result = read(service, modules, fields)
    assert remarks(result, seen) == expected
    assert hindrances(result, protected()) == []
