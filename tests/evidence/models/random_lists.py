# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random lists of addresses and tasks for them: odd spellings, items that expire, lists of other kinds, and lists that rules
refer to."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._context import CREATION, DELETION, Context
from hypothesis import strategies as st

from tests.evidence.models.list_model import address
from tests.evidence.models.plan_model import Item, Items
from tests.evidence.models.random_plans import ENDS, FLAGS, ONE_IN_MANY, PERCENTAGES, TEXTS, named_once, some

NAMES = ("offices", "scrapers", "shops", "shop_2", "a_1")
PATTERNS = st.sampled_from(["shop*", "?_1", "SHOPS", "z*", "scrapers"])
ADDRESSES = st.sampled_from(
    ["192.0.2.0/24", "192.0.2.9/24", "192.0.2.1", "192.0.2.1/32", "2001:db8::/32", "2001:DB8::/32", "2001:DB8:0::1/128",
     "10.0.0.0/8", "198.51.100.7", "198.51.100.8", "198.51.100.9"]
)  # fmt: skip
EXISTING_ITEM = some({"ip": ADDRESSES.map(address)}, {"comment": TEXTS})
ITEM = some(
    {"ip": ADDRESSES},
    {"comment": TEXTS, "expires": ENDS, "id": st.just("0" * 32), "modified_on": st.just("2026-01-01T00:00:00Z")},
)
REFERENCES = st.sampled_from([0, 0, 2])
MOSTLY = st.sampled_from([True] * 5 + [False])


def items(least: int, most: int) -> st.SearchStrategy[Items]:
    return st.lists(ITEM, min_size=least, max_size=most, unique_by=lambda item: address(item["ip"]))


@st.composite
def existing_lists(draw: st.DrawFn) -> Items:
    """Lists as they may exist, mostly of addresses."""
    lists: Items = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True)):
        each = {"name": name, "description": draw(TEXTS), "num_referencing_filters": draw(REFERENCES)}
        if draw(ONE_IN_MANY):
            lists.append({**each, "kind": "hostname"})
            continue
        most = draw(st.sampled_from([0, 3, 8]))
        entries = st.lists(EXISTING_ITEM, min_size=min(most, 1), max_size=most, unique_by=lambda item: item["ip"])
        lists.append({**each, "items": draw(entries)})
    return lists


@st.composite
def described(draw: st.DrawFn, existing: Items) -> Item:
    """What a task says of a list; with some of the items that the list has, so that not all of them change."""
    name = draw(st.sampled_from(NAMES))
    known = [item["ip"] for each in existing if each["name"] == name for item in each.get("items", ())]
    entry: Item = {"name": name if draw(FLAGS) else f"${name}"}
    if draw(FLAGS):
        entry["description"] = draw(TEXTS)
    if draw(st.sampled_from([True, True, True, False])):
        some_known: st.SearchStrategy[list[str]] = st.lists(st.sampled_from(known or [""]), unique=True)
        named = draw(some_known) if draw(FLAGS) and known else []
        more = [item for item in draw(items(0, 3)) if address(item["ip"]) not in named]
        entry["items"] = [{"ip": ip} for ip in named] + more if draw(MOSTLY) else []
    if ("items" in entry or draw(ONE_IN_MANY)) and draw(FLAGS):
        entry["purge"] = True
    return entry


@st.composite
def list_plans(draw: st.DrawFn) -> tuple[Items, str, Item]:
    """The lists of an account, and a module with a task for them."""
    existing = draw(existing_lists())
    limits = draw(some({}, {"max_deletions_percent": PERCENTAGES}))
    if draw(FLAGS):
        state = draw(st.sampled_from(["present", "present", "absent"]))
        task = {**draw(described(existing)), "state": state, **limits}
        if state == "absent" and not draw(ONE_IN_MANY):
            task.pop("purge", None)
            if not task.get("items"):
                task.pop("items", None)
        return existing, "ip_list", task
    state = draw(st.sampled_from(["present", "exact", "exact", "absent"]))
    step = draw(st.sampled_from(["", "", CREATION, DELETION])) if state == "exact" else ""
    ignore = draw(st.just([]) | st.lists(PATTERNS, max_size=2))
    lists = draw(named_once(described(existing), lambda entry: entry["name"].removeprefix("$"), 3))
    lists = lists if state != "exact" or not draw(ONE_IN_MANY) else []
    return (
        existing,
        "ip_lists",
        {"lists": lists, "state": state, "ignore": ignore, **limits, "context": Context(step=step)},
    )
