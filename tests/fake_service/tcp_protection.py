# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Advanced TCP Protection of an account: the status and six lists that all work alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from flask import Blueprint, g, request
from werkzeug.wrappers import Response

from .accounts import COLLECTIONS, Collection, Item
from .admission import admit_to_account
from .answers import DUPLICATE, INVALID, deleted, one_of, refusal, success
from .beside import refused_networks
from .contract import API
from .current import service
from .paging import page

PREFIX = f"{API}/accounts/<account_id>/magic"
ATP = "/advanced_tcp_protection/configs"


area = Blueprint("tcp_protection", __name__, url_prefix=PREFIX)
area.before_request(admit_to_account)


@area.get(ATP + "/tcp_protection_status")
def read_status(account_id: str) -> Response:
    return success({"enabled": g.account.enabled})


@area.patch(ATP + "/tcp_protection_status")
def change_status(account_id: str) -> Response:
    g.account.enabled = request.get_json()["enabled"]
    return read_status(account_id)


def list_items(collection: Collection, account_id: str) -> Response:
    items = collection.items(g.account)
    if "mode" in request.args:
        items = [item for item in items if item["mode"] == request.args["mode"]]
    return page(items, collection.order)


def create_item(collection: Collection, account_id: str) -> Response:
    return success(create(collection, [request.get_json()])[0])


@area.post(ATP + "/prefixes/bulk")
def add_prefixes(account_id: str) -> Response:
    # The real service promises no order for the result, so no client may count on the order sent.
    return success(create(COLLECTIONS["prefixes"], request.get_json())[::-1])


def create(collection: Collection, bodies: list[Item]) -> list[Item]:
    """All of them or none."""
    created = [collection.item(body, service.clock) for body in bodies]
    items = collection.items(g.account)
    if collection is COLLECTIONS["prefixes"]:
        for problem in refused_networks(g.account.onboarded, created):
            raise refusal(400, INVALID, problem)
    if service.switches.refuse_duplicates:
        refuse_duplicates(collection, items, created)
    items.extend(created)
    return created


def refuse_duplicates(collection: Collection, present: list[Item], created: list[Item]) -> None:
    taken = {collection.duplicate(item) for item in present}
    for index, item in enumerate(created):
        if collection.duplicate(item) in taken:
            pointer = f"/{index}" if len(created) > 1 else ""
            raise refusal(409, DUPLICATE, f"there is such a {collection.noun} already", pointer)
        taken.add(collection.duplicate(item))


def delete_all_items(collection: Collection, account_id: str) -> Response:
    collection.items(g.account).clear()
    return deleted()


def read_item(collection: Collection, account_id: str, item_id: str) -> Response:
    return success(find(collection, item_id))


def change_item(collection: Collection, account_id: str, item_id: str) -> Response:
    item = find(collection, item_id)
    item.update(request.get_json(), modified_on=service.clock.timestamp())
    return success(item)


def delete_item(collection: Collection, account_id: str, item_id: str) -> Response:
    collection.items(g.account).remove(find(collection, item_id))
    return deleted()


def find(collection: Collection, item_id: str) -> Item:
    item: Item = one_of(collection.items(g.account), collection.noun, item_id)
    return item


def serve(collection: Collection) -> None:
    """The routes of one of the lists."""
    whole = f"{collection.family}/configs/{collection.path}"
    item = f"{whole}/<item_id>"
    routes: list[tuple[str, str, Callable[..., Response]]] = [
        ("GET", whole, list_items),
        ("POST", whole, create_item),
        ("DELETE", whole, delete_all_items),
        ("GET", item, read_item),
        ("PATCH", item, change_item),
        ("DELETE", item, delete_item),
    ]
    for method, path, spec in routes:
        area.add_url_rule(f"/{path}", f"{method} {path}", partial(spec, collection), methods=[method])


for each in COLLECTIONS.values():
    serve(each)
