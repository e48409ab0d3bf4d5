# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From options to desired state: what is sent, what is refused, and with which path."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import (
    as_section,
    numbered,
    parse_desired,
    parse_ignore,
    parse_position,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import items_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("first", ("first", "")),
        (" last ", ("last", "")),
        ("before a", ("before", "a")),
        ("after  a b ", ("after", "a b")),
    ],
)
def test_positions(text: str, position: tuple[str, str]) -> None:
    assert parse_position(text) == position


@pytest.mark.parametrize("text", ["", "before", "after ", "first a", "last b", "between a", "Before a"])
def test_a_malformed_position_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not first, last, before REF or after REF"):
        parse_position(text)


@pytest.mark.parametrize(
    ("resource", "entry"),
    [
        (ALLOWLIST, {"prefix": "10.0.0.1", "comment": 7, "unknown": 1}),
        (RULES[1], {"scope": "global", "mitigation_type": "challenge", "mode": 7}),
        (CUSTOM_RULES, {"ref": "a", "expression": "  ", "action_parameters": {"response": {"status_code": 7}}}),
    ],
)
def test_absent_entries_skip_validation_except_of_the_key(resource: Resource, entry: dict[str, Any]) -> None:
    desired = parse_desired(resource, numbered("x", [entry]), absent=True)
    (values,) = desired.objects.values()
    assert set(values) <= set(resource.key)


END = datetime(2027, 1, 30, tzinfo=timezone.utc)  # of Friday, 29 January


@pytest.mark.parametrize(
    ("now", "expired", "undecided"),
    [(END - timedelta(seconds=1), 0, 0), (END, 1, 0), (END + timedelta(days=1), 1, 0), (None, 0, 1)],
)
def test_an_object_expires_at_its_time_and_is_undecided_without_one(
    now: datetime | None, expired: int, undecided: int
) -> None:
    entries: list[Any] = [
        (Option(), {"prefix": "192.0.2.1", "expires": "2027-01-29"}),
        (Option(), {"prefix": "192.0.2.2", "expires": None}),
    ]
    desired = parse_desired(ALLOWLIST, entries)
    assert list(desired.expires.values()) == [END]
    assert all("expires" not in values for values in desired.objects.values())
    at = desired.at(now)
    assert (len(at.expired), len(at.undecided)) == (expired, undecided)


def test_a_pattern_ignores_keys_and_no_key_that_is_desired() -> None:
    rule = {"ref": "login", "action": "log"}
    desired = parse_desired(CUSTOM_RULES, [(Option("rules", 0), rule)], exclusive=True)
    ignoring = parse_ignore(desired, ["off*", "l?st"])
    assert [ignoring.ignores((ref,)) for ref in ("office", "last", "Last", "login")] == [True, True, False, False]
    for pattern in ("login", "l*", "*", "[l]ogin"):
        with pytest.raises(OptionError, match="which rules\\[0\\] names"):
            parse_ignore(desired, [pattern])


def test_an_entry_with_nothing_but_an_ignored_key_only_says_where_it_stands() -> None:
    entries = [(Option("rules", place), {"ref": ref}) for place, ref in enumerate(["login", "office"])]
    ignoring = parse_ignore(parse_desired(CUSTOM_RULES, entries, exclusive=True), ["log*"])
    assert (list(ignoring.objects), ignoring.order) == ([("office",)], (("login",), ("office",)))
    with pytest.raises(OptionError, match="which rules\\[0\\] names"):
        parse_ignore(parse_desired(CUSTOM_RULES, entries), ["log*"])


def test_an_item_of_a_long_list_has_its_option_in_a_role_as_well() -> None:
    items = [
        {"ip": "192.0.2.1"},
        {"ip": "192.0.2.2/32", "comment": "door"},
        {"ip": "192.0.2.3", "expires": "2099-01-30"},
    ]
    entries = numbered("items", items, Option("lists", 4))
    listed = parse_desired(items_of("offices"), entries)
    for option in ("lists", "baseline_ip_lists"):
        known = as_section(listed, "ip_lists", {"lists": option})
        paths = [one.path.name({}) for _key, one in known.in_order()]
        assert paths == [f"{option}[4].items[{number}]" for number in range(3)]
        assert [known.entries[key].path.name({}) for key in known.entries] == paths
        assert [one.values for one in known.entries.values()][1] == {"ip": "192.0.2.2", "comment": "door"}
        assert [key for key, _one in known.entries.items()] == [*known.entries]
        assert len(known.expires) == 1
