# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A zone's firewall rules and their filters. Whatever takes several objects is one transaction."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, g, request
from werkzeug.wrappers import Response

from .accounts import Item
from .admission import admit_to_zone
from .answers import INVALID, one_of, refusal, success
from .contract import API
from .current import service
from .paging import page
from .zones import filter_, rule

PREFIX = f"{API}/zones/<zone_id>"


area = Blueprint("firewall", __name__, url_prefix=PREFIX)
area.before_request(partial(admit_to_zone, "firewall"))

# Rules


@area.get("/firewall/rules")
def list_rules(zone_id: str) -> Response:
    return page(chosen(g.zone.rules))


@area.put("/firewall/rules")
def replace_rules(zone_id: str) -> Response:
    bodies = request.get_json()
    return success(replace_all(bodies, pointers_to(bodies)))


@area.put("/firewall/rules/<rule_id>")
def replace_rule(zone_id: str, rule_id: str) -> Response:
    same_id(request.get_json(), rule_id)
    return success(replace_all([request.get_json()], [""])[0])


def replace_all(bodies: list[Item], pointers: list[str]) -> list[Item]:
    """All of them or none. What a body leaves out is erased, and of its filter only the id counts."""
    existing = matching(g.zone.rules, "firewall rule", bodies, pointers)
    written = [checked_rule(body, pointer) for body, pointer in zip(bodies, pointers, strict=True)]
    for old, new, body in zip(existing, written, bodies, strict=True):
        old.clear()
        old.update(new)
        if service.switches.firewall_put_updates_filter:
            old["filter"].update(body["filter"])
    return existing


def checked_rule(body: Item, pointer: str) -> Item:
    """The rule that a body describes, on its filter as that stands in the zone."""
    if "products" in body and body["action"] != "bypass":
        raise refusal(400, INVALID, "products go with the action bypass only", f"{pointer}/products")
    its_filter = g.zone.find(g.zone.filters, body["filter"]["id"])
    if its_filter is None:
        raise refusal(400, INVALID, f"filter {body['filter']['id']!r} does not exist", f"{pointer}/filter/id")
    return rule(body, its_filter)


# Filters


@area.get("/filters")
def list_filters(zone_id: str) -> Response:
    return page(chosen(g.zone.filters))


@area.put("/filters")
def replace_filters(zone_id: str) -> Response:
    bodies = request.get_json()
    existing = matching(g.zone.filters, "filter", bodies, pointers_to(bodies))
    for item, body in zip(existing, bodies, strict=True):
        overwrite(item, body)
    return success(existing)


@area.get("/filters/<filter_id>")
def read_filter(zone_id: str, filter_id: str) -> Response:
    return success(one_of(g.zone.filters, "filter", filter_id))


@area.put("/filters/<filter_id>")
def replace_filter(zone_id: str, filter_id: str) -> Response:
    same_id(request.get_json(), filter_id)
    item = one_of(g.zone.filters, "filter", filter_id)
    overwrite(item, request.get_json())
    return success(item)


def overwrite(item: Item, body: Item) -> None:
    # In place, since rules hold the very same dict.
    item.clear()
    item.update(filter_(body))


# Both


def chosen(items: list[Item]) -> list[Item]:
    """The items that the query asks for: description and expression by a part of the text, all else exactly."""
    query = {name: value for name, value in request.args.items() if name not in ("page", "per_page")}

    def matches(item: Item) -> bool:
        for name, value in query.items():
            if name in ("description", "expression"):
                if value.casefold() not in item[name].casefold():
                    return False
            elif str(item.get(name, "")).casefold() != value.casefold():
                return False
        return True

    return [item for item in items if matches(item)]


def matching(items: list[Item], noun: str, bodies: list[Item], pointers: list[str]) -> list[Item]:
    """The existing object of each body; refused when one does not exist or is named twice."""
    identifiers = [body["id"] for body in bodies]
    for index, identifier in enumerate(identifiers):
        if identifier in identifiers[:index]:
            raise refusal(400, INVALID, f"{noun} {identifier!r} is named twice", f"{pointers[index]}/id")
    return [
        one_of(items, noun, identifier, f"{pointer}/id")
        for identifier, pointer in zip(identifiers, pointers, strict=True)
    ]


def pointers_to(bodies: list[Item]) -> list[str]:
    return [f"/{index}" for index in range(len(bodies))]


def same_id(body: Item, identifier: str) -> None:
    if body.get("id", identifier) != identifier:
        raise refusal(400, INVALID, f"the body is about {body['id']!r}, the path about {identifier!r}", "/id")
