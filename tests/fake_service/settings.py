# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a zone."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, g, request
from werkzeug.wrappers import Response

from .admission import admit_to_zone
from .answers import INVALID, refusal, success
from .contract import API
from .current import service

area = Blueprint("settings", __name__, url_prefix=f"{API}/zones/<zone_id>/settings")
area.before_request(partial(admit_to_zone, "zone_settings"))


@area.get("/security_level")
def read_security_level(zone_id: str) -> Response:
    return success({"id": "security_level", **g.zone.security_level})


@area.patch("/security_level")
def change_security_level(zone_id: str) -> Response:
    if not g.zone.security_level["editable"]:
        raise refusal(400, INVALID, "security_level is not editable for this zone")
    g.zone.security_level.update(request.get_json(), modified_on=service.clock.timestamp())
    return read_security_level(zone_id)
