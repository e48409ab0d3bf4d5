# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists of an account over HTTP. Their items change asynchronously: a write answers the id of an operation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from .accounts import Account, Item
from .admission import account_of
from .answers import DUPLICATE, INVALID, NOT_ENTITLED, missing, one_of, refusal, success
from .contract import API
from .current import service
from .ip_lists import MOST, IpLists, key_of, refused_reason
from .paging import LISTING, Listing
from .zones import Zone

BUSY = 10032
REFERENCED = 10031
TOO_MANY = 10036
PER_PAGE = 500  # at most

area = Blueprint("lists", __name__, url_prefix=f"{API}/accounts/<account_id>/rules/lists")


def lists_of() -> IpLists:
    """The lists of the account of a call, once the caller is known to be allowed there, and what is due is done."""
    account = account_of("lists")
    if "lists" in account.not_entitled:
        raise refusal(403, NOT_ENTITLED, "This account is not entitled to lists")
    lists = account.ip_lists
    if lists.most in MOST.values():
        lists.most = MOST.get(account.type, MOST["standard"])
    lists.settle()
    return lists


def one(lists: IpLists, list_id: str) -> Item:
    found: Item = one_of(lists.lists, "list", list_id)
    return found


def shown(account_id: str, item: Item) -> Item:
    """A list as it is answered: without its items, but with their number."""
    fields = {name: value for name, value in item.items() if name != "items"}
    number = references(account_id, item) + int(item["num_referencing_filters"])
    return {**fields, "num_items": len(item["items"]), "num_referencing_filters": number}


def references(account_id: str, item: Item) -> int:
    """How many rules of the account and of its zones refer to a list."""
    pattern = re.compile(rf"\${re.escape(item['name'])}(?![a-z0-9_.])")
    zones = [zone for zone in service.zones.values() if zone.account_id in (None, account_id)]
    owners: list[Account | Zone] = [service.accounts[account_id], *zones]
    rulesets = [ruleset for owner in owners for ruleset in (*owner.entry_points.values(), *owner.custom_rulesets)]
    rules = [str(rule.get("expression")) for ruleset in rulesets for rule in ruleset["rules"]]
    filters = [str(each["expression"]) for zone in zones for each in zone.filters]
    return sum(bool(pattern.search(text)) for text in (*rules, *filters))


@area.get("")
def list_lists(account_id: str) -> Response:
    return success([shown(account_id, item) for item in lists_of().lists])


@area.post("")
def create_list(account_id: str) -> Response:
    lists, body = lists_of(), request.get_json()
    if any(item["name"] == body["name"] for item in lists.lists):
        raise refusal(400, DUPLICATE, f"a list with the name {body['name']!r} exists already", "/name")
    if reason := lists.too_many(body["kind"], lists=1):
        raise refusal(400, TOO_MANY, reason)
    lists.seed([body])
    return success(shown(account_id, lists.lists[-1]))


@area.put("/<list_id>")
def update_list(account_id: str, list_id: str) -> Response:
    lists = lists_of()
    item = one(lists, list_id)
    item["description"] = request.get_json().get("description", "")
    lists.touch(item)
    return success(shown(account_id, item))


@area.delete("/<list_id>")
def delete_list(account_id: str, list_id: str) -> Response:
    """A list goes only when nothing refers to it."""
    lists = lists_of()
    item = one(lists, list_id)
    number = references(account_id, item)
    if number:
        raise refusal(400, REFERENCED, f"the list is in use by {number} filters and cannot be deleted")
    lists.lists.remove(item)
    return success({"id": list_id})


@area.get("/<list_id>/items")
def list_items(account_id: str, list_id: str) -> Response:
    """A page of items, and the cursors of those around it."""
    items = one(lists_of(), list_id)["items"]
    listing: Listing = request.environ.get(LISTING, Listing())
    size = min(int(request.args.get("per_page", PER_PAGE)), listing.page_cap or PER_PAGE)
    start = 0 if listing.same_page else place(request.args.get("cursor", "from-0"))
    after = {"after": f"from-{start + size}"} if start + size < len(items) else {}
    before = {"before": f"from-{max(0, start - size)}"} if start else {}
    return success(items[start : start + size], result_info={"cursors": {**before, **after}})


@area.post("/<list_id>/items")
def append_items(account_id: str, list_id: str) -> Response:
    lists, bodies = lists_of(), request.get_json()
    target = one(lists, list_id)
    check_items(target, bodies)
    known = {key_of(item) for item in target["items"]}
    new = [body for body in bodies if key_of(body) not in known]
    if reason := lists.too_many(target["kind"], items=len({key_of(body) for body in new})):
        raise refusal(400, TOO_MANY, reason)
    return begin(lists, lambda: lists.append(target, bodies))


@area.delete("/<list_id>/items")
def delete_items(account_id: str, list_id: str) -> Response:
    lists, body = lists_of(), request.get_json()
    target = one(lists, list_id)
    return begin(lists, lambda: lists.remove(target, [item["id"] for item in body["items"]]))


@area.get("/bulk_operations/<operation_id>")
def read_operation(account_id: str, operation_id: str) -> Response:
    operations = lists_of().operations
    found = next((operation for operation in operations if operation.identity == operation_id), None)
    if found is None:
        raise missing("bulk operation", operation_id)
    return success(found.shown())


def begin(lists: IpLists, change: Callable[[], None]) -> Response:
    """Take a change on, unless another one is under way."""
    listing: Listing = request.environ.get(LISTING, Listing())
    if lists.is_busy:
        raise refusal(429, BUSY, "there is an outstanding bulk operation; wait until it completes")
    operation = lists.begin(change, listing.operation_seconds, listing.operation_error)
    return success({"operation_id": operation.identity})


def check_items(target: Item, bodies: Sequence[Mapping[str, Any]]) -> None:
    """Refuse what the list does not take: items of another kind, and networks that are too wide, or no networks."""
    for index, body in enumerate(bodies):
        reason = refused_reason(target["kind"], body)
        if reason:
            raise refusal(400, INVALID, f"invalid item: {reason}", f"/{index}/{target['kind']}")


def place(cursor: str) -> int:
    """Where the page of a cursor begins."""
    match = re.fullmatch(r"from-(\d+)", cursor)
    if match is None:
        raise refusal(400, INVALID, "query parameter 'cursor': no page has given it out")
    return int(match[1])
