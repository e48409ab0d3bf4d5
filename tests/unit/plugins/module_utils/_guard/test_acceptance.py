# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which risks an acceptance accepts, and the dictionary that a refusal prints."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.acceptance import (
    acceptance_to_copy,
    accepting,
    parse_acceptances,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import FoundRisk
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of, union
from hypothesis import given
from hypothesis import strategies as st

NOW = datetime(2026, 6, 30, 12, tzinfo=timezone.utc)
CODE = "unprotects_addresses"


def risk(networks: list[str], entries: list[str]) -> FoundRisk:
    return FoundRisk(CODE, "", union(filter(None, map(range_of, networks))), entries)


TWO = risk(["192.0.2.0/24", "203.0.113.0/24"], ["192.0.2.0/24", "region WEUR"])
ACCEPTED: list[tuple[str, list[Any], bool]] = [
    ("nothing", [], False),
    ("another code", ["stops_mitigation"], False),
    ("a code", [CODE], True),
    ("a dictionary with the code alone", [{"code": CODE}], True),
    ("its networks", [{"code": CODE, "networks": ["192.0.2.0/24", "203.0.113.0/24"]}], True),
    ("its networks, written in another way", [{"code": CODE, "networks": ["192.0.2.7/24", "203.0.113.0/25", "203.0.113.128/25"]}], True),
    ("more than its networks", [{"code": CODE, "networks": ["0.0.0.0/0"]}], True),
    ("one of its networks", [{"code": CODE, "networks": ["192.0.2.0/24"]}], False),
    ("no network", [{"code": CODE, "networks": []}], False),
    ("its networks, by two dictionaries", [{"code": CODE, "networks": ["192.0.2.0/24"]}, {"code": CODE, "networks": ["203.0.113.0/24"]}], True),
    ("its entries", [{"code": CODE, "entries": ["192.0.2.1/24", "Region weur"]}], True),
    ("one of its entries", [{"code": CODE, "entries": ["192.0.2.0/24"]}], False),
    ("its networks and one of its entries", [{"code": CODE, "networks": ["0.0.0.0/0"], "entries": ["192.0.2.0/24"]}], False),
    ("a network of it and its entries, apart", [{"code": CODE, "networks": ["192.0.2.0/24"]}, {"code": CODE, "entries": ["192.0.2.0/24"]}], False),
    ("a code beside what is bound to less", [{"code": CODE, "networks": ["192.0.2.0/24"]}, CODE], True),
    ("a code until tomorrow", [{"code": CODE, "expires": "2026-07-01"}], True),
    ("a code until the end of today", [{"code": CODE, "expires": "2026-06-30"}], True),
    ("a code until yesterday", [{"code": CODE, "expires": "2026-06-29"}], False),
    ("a code until now, elsewhere", [{"code": CODE, "expires": "2026-06-30T14:00:00+02:00"}], False),
    ("a code until a second later", [{"code": CODE, "expires": "2026-06-30T14:00:01+02:00"}], True),
]  # fmt: skip


@pytest.mark.parametrize(("elements", "accepted"), [row[1:] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_what_is_accepted(elements: list[Any], accepted: bool) -> None:
    assert bool(accepting(TWO, parse_acceptances("accept_risks", elements), NOW)) is accepted


def test_without_a_clock_what_expires_is_not_accepted() -> None:
    (bound,) = parse_acceptances("accept_risks", [{"code": CODE, "expires": "2099-01-01"}])
    assert not accepting(TWO, [bound], None)
    assert bound.has_expired(None)


MALFORMED: list[tuple[Any, str, str]] = [
    ("unprotect_addresses", "accept_risks[0]", "is no risk (did you mean unprotects_addresses?); there are"),
    (7, "accept_risks[0]", "7 is neither a code nor a dictionary"),
    ({"networks": []}, "accept_risks[0]", "it lacks code"),
    ({"code": "all"}, "accept_risks[0].code", "'all' is no risk; there are"),
    ({"code": CODE, "network": "192.0.2.0/24"}, "accept_risks[0]", "it has no network (did you mean networks?)"),
    ({"code": CODE, "networks": "192.0.2.0/24"}, "accept_risks[0].networks", "it is not a list of texts"),
    (
        {"code": CODE, "networks": ["192.0.2/24"]},
        "accept_risks[0].networks[0]",
        "'192.0.2/24' is neither an address nor",
    ),
    ({"code": CODE, "entries": [7]}, "accept_risks[0].entries", "it is not a list of texts"),
    ({"code": CODE, "expires": "Friday"}, "accept_risks[0].expires", "'Friday' is neither a date such as 2027-01-31"),
    ({"code": CODE, "expires": "2026-06-31"}, "accept_risks[0].expires", "'2026-06-31' is not a date that exists"),
    ({"code": CODE, "expires": "2026-06-30T12:00:00"}, "accept_risks[0].expires", "is neither a date"),
]


@pytest.mark.parametrize(("element", "option", "reason"), MALFORMED, ids=str)
def test_what_is_malformed_is_refused(element: Any, option: str, reason: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_acceptances("accept_risks", [element])
    assert caught.value.option.name({}) == option
    assert reason in caught.value.problem


@given(
    st.lists(st.ip_addresses().map(lambda address: f"{address}/{address.max_prefixlen}"), max_size=3),
    st.lists(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1), max_size=3),
)
def test_the_dictionary_printed_accepts_the_risk_and_no_other(networks: list[str], entries: list[str]) -> None:
    odd = ["on", "7", "it's {a: b}", "2001:db8::/32", "ip.dst in {192.0.2.0/24}"]
    concerned = risk(networks, [*odd, *entries])
    acceptances = parse_acceptances("accept_risks", [yaml.safe_load(acceptance_to_copy(concerned))])
    assert accepting(concerned, acceptances, NOW)
    assert not accepting(risk(networks, ["another entry of the list"]), acceptances, NOW)
