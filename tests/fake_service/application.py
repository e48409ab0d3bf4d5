# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The routes, put together."""

from __future__ import annotations

from functools import cache

from flask import Flask

from . import analytics, control, declared_routes, directory, firewall, lists, neighbours, rulesets, tcp_protection
from .admission import check_answers

# A plain setting or list is a row of declared.py. Another area of the API is one more module here, its paths in
# openapi.yaml, and what it holds in zones.py or accounts.py.
OTHERS = (analytics, declared_routes, directory, firewall, lists, neighbours, tcp_protection)
AREAS = (*rulesets.AREAS, *(module.area for module in OTHERS))


@cache
def application() -> Flask:
    """One for all services of a process, since setting up the routes takes longer than starting a server."""
    flask = Flask("tests.fake_service", static_folder=None)
    flask.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    for blueprint in (*AREAS, control.controls):
        flask.register_blueprint(blueprint)
    check_answers(flask)
    return flask
