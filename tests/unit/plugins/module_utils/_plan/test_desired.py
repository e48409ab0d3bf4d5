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
    numbered,
    parse_desired,
    parse_ignore,
    parse_position,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES, RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import LISTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES
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


def test_options_left_out_are_not_desired() -> None:
    desired = parse_desired(
        PREFIXES, numbered("prefixes", [{"prefix": "10.0.0.7/24", "comment": None, "excluded": False}])
    )
    assert list(desired.objects.values()) == [{"prefix": "10.0.0.0/24", "excluded": False}]
    assert list(desired.paths.values()) == [Option("prefixes", 0)]


ID = "a" * 32
REFUSED: list[tuple[Resource, list[dict[str, Any]], str]] = [
    (PREFIXES, [{"prefix": "10.0.0/24"}], "x[0].prefix: '10.0.0/24' is not a network"),
    (PREFIXES, [{"prefix": "10.0.0.0/24"}, {"prefix": "10.0.0.7/24"}], "x[1]: 10.0.0.0/24 is named here and in x[0]; keep one of them"),
    (PREFIXES, [{"prefix": "10.0.0.0/24", "enabled": True}], "x[0].enabled: prefix has no such field; leave it out"),
    (RULES[0], [{"scope": "region"}], "x[0].name: a rule with scope region needs the code of its region"),
    (RULES[1], [{"scope": "global", "mitigation_type": "challenge"}], "x[0].mitigation_type: out-of-state TCP rule has no such field"),
    (FIREWALL_RULES, [{"id": ID, "filter": {"id": "f"}}], "x[0].filter.id: 'f' is not an id"),
    (FIREWALL_RULES, [{"id": ID, "action": "log", "products": ["waf"]}], "x[0].products: only a rule with action bypass has products"),
    (
        FIREWALL_RULES,
        [{"id": ID, "filter": {"id": ID, "ref": "a"}}, {"id": "b" * 32, "filter": {"id": ID.upper(), "ref": "b"}}],
        "x[1].filter.ref: it contradicts x[0].filter.ref; both entries are about the filter " + ID,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("resource", "entries", "message"), REFUSED)
def test_a_refused_value_is_named_with_its_path(
    resource: Resource, entries: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        parse_desired(resource, numbered("x", entries))
    assert caught.value.message.startswith(message)


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


def test_only_what_may_expire_takes_a_time() -> None:
    with pytest.raises(OptionError, match="expires: .* has no such field"):
        parse_desired(CUSTOM_RULES, [(Option(), {"ref": "a", "expires": "2027-01-29"})])


def test_a_pattern_ignores_keys_and_no_key_that_is_desired() -> None:
    rule = {"ref": "login", "action": "log"}
    desired = parse_desired(CUSTOM_RULES, [(Option("rules", 0), rule)], exclusive=True)
    ignoring = parse_ignore(desired, "ignore", ["off*", "l?st"])
    assert [ignoring.ignores((ref,)) for ref in ("office", "last", "Last", "login")] == [True, True, False, False]
    for pattern in ("login", "l*", "*", "[l]ogin"):
        with pytest.raises(OptionError, match="which rules\\[0\\] names"):
            parse_ignore(desired, "ignore", [pattern])


def test_an_entry_with_nothing_but_an_ignored_key_only_says_where_it_stands() -> None:
    entries = [(Option("rules", place), {"ref": ref}) for place, ref in enumerate(["login", "office"])]
    ignoring = parse_ignore(parse_desired(CUSTOM_RULES, entries, exclusive=True), "ignore", ["log*"])
    assert (list(ignoring.objects), ignoring.order) == ([("office",)], (("login",), ("office",)))
    with pytest.raises(OptionError, match="which rules\\[0\\] names"):
        parse_ignore(parse_desired(CUSTOM_RULES, entries), "ignore", ["log*"])


def test_a_list_without_an_order_has_no_places_of_others() -> None:
    desired = parse_desired(LISTS, [(Option("lists", 0), {"name": "offices"})], exclusive=True)
    with pytest.raises(OptionError, match="which lists\\[0\\] names"):
        parse_ignore(desired, "ignore", ["off*"])
