# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The routes of plain settings and lists, which follow from their rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from .admission import account_of, zone_of
from .answers import INVALID, deleted, one_of, refusal, success
from .contract import API
from .credentials import AREA_OF_PERMISSION
from .current import service
from .declared import DECLARED, Declared, stamp

Item = dict[str, Any]
PLACEHOLDER = re.compile(r"\{(\w+)\}")


def objects_of(row: Declared) -> Any:
    """The setting, or the list, of the owner that the call is about; the caller is let in first."""
    area = AREA_OF_PERMISSION[row.permission]
    owner = account_of(area) if row.owner == "account_id" else zone_of(area)
    return owner.declared[row.name]


def read_setting(row: Declared, **_ids: str) -> Response:
    return success(objects_of(row))


def change_setting(row: Declared, **_ids: str) -> Response:
    setting = objects_of(row)
    if not setting.get("editable", True):
        raise refusal(400, INVALID, f"{row.name} is not editable for this {row.owner.removesuffix('_id')}")
    apply_body(row, setting)
    return success(setting)


def apply_body(row: Declared, obj: Item) -> None:
    """Take a body over; a PUT sets fields back that it leaves out."""
    if row.method == "PUT":
        obj.update(row.defaults)
    obj.update(request.get_json())
    stamp(obj, service.clock)


def list_objects(row: Declared, **_ids: str) -> Response:
    return success(objects_of(row))


def create_object(row: Declared, **_ids: str) -> Response:
    objects = objects_of(row)
    objects.append(row.item(request.get_json(), service.clock))
    return success(objects[-1])


def change_object(row: Declared, item_id: str, **_ids: str) -> Response:
    obj = one_of(objects_of(row), row.name, item_id)
    apply_body(row, obj)
    return success(obj)


def delete_object(row: Declared, item_id: str, **_ids: str) -> Response:
    objects = objects_of(row)
    objects.remove(one_of(objects, row.name, item_id))
    return deleted()


View = Callable[..., Response]


def views_of(row: Declared) -> Mapping[tuple[str, str], View]:
    """The views of a row, by method and path."""
    if not row.is_list:
        return {("GET", row.path): read_setting, (row.method, row.path): change_setting}
    return {
        ("GET", row.path): list_objects,
        ("POST", row.path): create_object,
        (row.method, row.item_path): change_object,
        ("DELETE", row.item_path): delete_object,
    }


def area_of(rows: Iterable[Declared]) -> Blueprint:
    """The routes of some rows."""
    blueprint = Blueprint("declared", __name__, url_prefix=API)
    for row in rows:
        for (method, path), view in views_of(row).items():
            rule = PLACEHOLDER.sub(r"<\1>", f"/{path}")
            blueprint.add_url_rule(rule, f"{method} {path}".replace(".", " "), partial(view, row), methods=[method])
    return blueprint


area = area_of(DECLARED)
