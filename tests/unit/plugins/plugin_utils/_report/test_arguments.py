# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.unmanaged import parse_accepted
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.arguments import (
    accepted_risks,
    expiring,
    file_mode,
)


def test_a_file_mode_is_a_text_of_octal_digits() -> None:
    assert [file_mode("0600"), file_mode("644")] == [0o600, 0o644]


@pytest.mark.parametrize("digits", [0o644, 644, "u=rw", "0688", "07777", "", None])
def test_a_mode_that_yaml_reads_as_another_number_is_refused(digits: Any) -> None:
    with pytest.raises(ValueError, match="is not text of octal digits such as '0600'"):
        file_mode(digits)


NOW = datetime(2026, 11, 21, 10, tzinfo=timezone.utc)
SOON, LATER, OVER = "2026-12-01", "2026-12-24", "2026-11-20"


def part(**options: Any) -> Part:
    return Part("host", options)


def test_accepted_risks_in_force_keep_their_reason_and_their_end() -> None:
    elements = [
        "empties_list",
        {"code": "broad_allowlist", "networks": ["8.0.0.0/8"], "reason": "OPS-1", "expires": SOON},
        {"code": "mass_deletion", "expires": OVER},
    ]
    forever, bound = accepted_risks(part(accept_risks=elements), NOW)
    assert (forever["code"], forever["expires"], forever["networks"]) == ("empties_list", None, [])
    assert bound == {
        "code": "broad_allowlist",
        "networks": ["8.0.0.0/8"],
        "resource": None,
        "entries": [],
        "reason": "OPS-1",
        "expires": "2026-12-02T00:00:00+00:00",
    }


def test_ends_within_two_weeks_are_listed_once_the_first_end_first() -> None:
    options = {
        "prefixes": [{"prefix": "192.0.2.0/24", "expires": "2026-11-22T08:00:00+01:00"}, {"prefix": "198.51.100.0/24"}],
        "allowlist": [{"prefix": "203.0.113.7", "expires": when} for when in (LATER, OVER, "no date")],
        "rules": [
            {"kind": "out_of_state_tcp", "scope": "global", "expires": SOON},
            {"kind": "syn_flood", "scope": "region", "name": "WEUR", "expires": LATER},
        ],
        "accept_risks": [{"code": "broad_allowlist", "expires": SOON}],
    }
    entries = [
        {"resource": "allowlist_entry", "keys": ["8.*"], "reason": "probes", "expires": SOON},
        {"status": "uncovered", "networks": ["8.8.8.8"], "reason": "lab", "expires": SOON},
    ]
    listed = expiring(part(**options), parse_accepted(entries, "lima"), NOW)
    assert [(item["title"], item["key"], item["expires"]) for item in listed] == [
        ("prefix", "192.0.2.0/24", "2026-11-22T07:00:00+00:00"),
        ("accepted allowlist_entry", "8.*", "2026-12-02T00:00:00+00:00"),
        ("accepted risk", "broad_allowlist", "2026-12-02T00:00:00+00:00"),
        ("accepted status", "uncovered 8.8.8.8/32", "2026-12-02T00:00:00+00:00"),
        ("out-of-state TCP rule", "out_of_state_tcp global", "2026-12-02T00:00:00+00:00"),
    ]


def test_accepted_risks_may_be_a_text_with_commas() -> None:
    records = accepted_risks(part(accept_risks="empties_list,mass_deletion"), NOW)
    assert [record["code"] for record in records] == ["empties_list", "mass_deletion"]


def test_a_malformed_acceptance_is_left_to_the_module_that_refuses_it() -> None:
    wrong = part(accept_risks=["no_risk"])
    assert accepted_risks(wrong, NOW) == []
    assert expiring(wrong, [], NOW) == []
