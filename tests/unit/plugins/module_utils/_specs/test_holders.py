# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options for lists, of the module and of a host, and what they desire."""

from __future__ import annotations

from typing import Any, Mapping

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._specs.ip_lists import IpLists

ONE, MANY = IpLists(), IpLists(several=True)
OFFICES = {"name": "offices", "kind": "ip", "description": None, "items": None, "purge": False}
STATE: Mapping[str, Any] = {
    "ip_lists": [
        {"id": "a", "name": "offices", "kind": "ip", "num_referencing_filters": 2},
        {"id": "b", "name": "moved", "kind": "redirect"},
        {"id": "c", "name": "shops", "kind": "ip"},
    ],
    "items of offices": [{"id": "d", "ip": "192.0.2.1", "comment": ""}],
}


def one(**options: Any) -> dict[str, Any]:
    return {**OFFICES, "state": "present", **options}


def many(*lists: dict[str, Any], **options: Any) -> dict[str, Any]:
    entries = [{**OFFICES, **entry} for entry in lists]
    return {"lists": entries, "purge": False, "ignore": [], **options}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (one(purge=True), "purge: it takes items"),
        (one(purge=True, items=[], state="absent"), "purge: it goes with state present only"),
        (one(items=[], state="absent"), "items: it names no item"),
        (one(items=[{"ip": "192.0.2.1"}, {"ip": "192.0.2.1/32"}]), "named here and in items"),
        (one(items=[{"ip": "office"}]), "items[0].ip"),
        (one(name="no name"), "is not a name of a list"),
    ],
)
def test_wrong_options_of_one_list(options: dict[str, Any], text: str) -> None:
    with pytest.raises(OptionError) as caught:
        ONE.desired(options)
    assert text in str(caught.value)


def test_absent_items_leave_the_list() -> None:
    lists, items = ONE.desired(one(items=[{"ip": "192.0.2.1"}], state="absent"))
    assert (lists.objects, lists.absent, lists.only_deletes) == (
        {("offices",): {"name": "offices", "kind": "ip"}},
        False,
        True,
    )
    assert items.absent
    (lists,) = ONE.desired(one(state="absent"))
    assert (list(lists.objects), lists.absent) == ([("offices",)], True)


def test_all_errors_in_the_options_are_told_at_once() -> None:
    wrong = many({"purge": True}, {"name": "shops", "items": [{"ip": "nowhere"}]})
    with pytest.raises(OptionError) as caught:
        MANY.desired(wrong)
    assert "lists[0].purge" in caught.value.message
    assert "lists[1].items[0].ip" in caught.value.message


@pytest.mark.parametrize(("purge", "names"), [(False, ["offices"]), (True, ["offices", "shops"])])
@pytest.mark.parametrize("of_items", [False, True])
def test_a_purge_of_lists_concerns_the_others_too(purge: bool, names: list[str], of_items: bool) -> None:
    options = many({"items": [], "purge": of_items}, purge=purge)
    lists, *items = MANY.desired(options)
    assert (lists.exclusive, [item.exclusive for item in items]) == (purge, [of_items])
    assert [resource.plural for resource in MANY.reads(options, (lists, *items), {})] == ["ip_lists"]
    assert [
        resource.parent_name for resource in MANY.reads(options, (lists, *items), STATE) if resource.parent
    ] == names


def result(spec: IpLists, options: dict[str, Any]) -> Mapping[str, Any]:
    return spec.result(options, spec.desired(options), STATE)


def test_results_count_items() -> None:
    assert result(ONE, one())["list"]["num_items"] == 1
    assert result(ONE, one(name="moved")) == {"list": None, "items": []}
    assert [item["name"] for item in result(MANY, many({}, purge=True))["lists"]] == ["offices", "shops"]
