# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A small Automation Platform (AWX) in memory: as much of its API as the modules of awx.awx need to keep objects in it.

It stores what it is sent and finds it again; what the fields mean, the modules' own argument specifications know.
"""

from __future__ import annotations

from collections import defaultdict
from http import HTTPStatus
from threading import Thread
from types import TracebackType
from typing import Any, Self

from flask import Flask, Response, jsonify, request
from werkzeug.serving import make_server

Object = dict[str, Any]

ENCRYPTED = "$encrypted$"
TYPES = {
    "organizations": "organization",
    "credential_types": "credential_type",
    "credentials": "credential",
    "execution_environments": "execution_environment",
    "projects": "project",
    "inventories": "inventory",
    "inventory_sources": "inventory_source",
    "job_templates": "job_template",
    "workflow_job_templates": "workflow_job_template",
    "workflow_job_template_nodes": "workflow_job_template_node",
    "workflow_approval_templates": "workflow_approval_template",
    "notification_templates": "notification_template",
    "schedules": "schedule",
}
TEMPLATES = ("projects", "inventory_sources", "job_templates", "workflow_job_templates")  # what a node may run
DEFAULTS: dict[str, Object] = {"projects": {"scm_revision": "1f0c", "summary_fields": {}}}  # no update is under way
PAGING = ("page", "page_size", "order_by")


class Controller:
    """`with Controller() as controller:` serves on 127.0.0.1, with an organization and a notification template."""

    token = "token-of-the-controller"

    def __init__(self) -> None:
        self.objects: dict[str, dict[int, Object]] = {name: {} for name in TYPES}
        self.associated: dict[tuple[int, str], list[int]] = defaultdict(list)
        self.writes: list[str] = []
        self._server = make_server("127.0.0.1", 0, self._application(), threaded=True)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self.add("organizations", {"name": "Default"})

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()

    def names(self, collection: str) -> list[str]:
        """The names of the objects, in the order in which they were made."""
        return [item["name"] for item in self.objects[collection].values()]

    def add(self, collection: str, fields: Object) -> Object:
        """Keep a new object."""
        number = sum(map(len, self.objects.values())) + 1
        url = f"/api/v2/{collection}/{number}/"
        item = {
            **DEFAULTS.get(collection, {}),
            **fields,
            "id": number,
            "type": TYPES[collection],
            "url": url,
            "related": {},
        }
        self.objects[collection][number] = item
        return item

    def _application(self) -> Flask:
        app = Flask(__name__)
        app.before_request(self._admit)
        app.add_url_rule("/api/v2/<collection>/", view_func=self._list, methods=["GET"])
        app.add_url_rule("/api/v2/<collection>/", view_func=self._create, methods=["POST"])
        app.add_url_rule("/api/v2/<collection>/<int:number>/", view_func=self._one, methods=["GET", "PATCH"])
        app.add_url_rule("/api/v2/<collection>/<int:number>/<part>/", view_func=self._part, methods=["GET", "POST"])
        return app

    def _admit(self) -> tuple[Response, int] | None:
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            return jsonify(detail="Authentication credentials were not provided."), HTTPStatus.UNAUTHORIZED
        if request.method != "GET":
            self.writes.append(f"{request.method} {request.path}")
        return None

    def _list(self, collection: str) -> Response:
        of = TEMPLATES if collection == "unified_job_templates" else (collection,)
        items = [item for name in of for item in self.objects[name].values()]
        conditions = {name: value for name, value in request.args.items() if name not in PAGING}
        return listing([item for item in items if all(str(item.get(name)) == conditions[name] for name in conditions)])

    def _create(self, collection: str) -> tuple[Response, int]:
        return jsonify(shown(self.add(collection, request.get_json()))), HTTPStatus.CREATED

    def _one(self, collection: str, number: int) -> Response:
        item = self.objects[collection][number]
        if request.method == "PATCH":
            item.update({name: value for name, value in request.get_json().items() if name in item})
        return jsonify(shown(item))

    def _part(self, collection: str, number: int, part: str) -> Response | tuple[Response | str, int]:
        """What belongs to an object: the objects associated with it, or the approval of a workflow's node."""
        associated = self.associated[number, part]
        if request.method == "GET":
            every = {item["id"]: item for items in self.objects.values() for item in items.values()}
            return listing([every[identity] for identity in associated])
        body = request.get_json()
        if part == "create_approval_template":
            fields = {name: body[name] for name in ("name", "description", "timeout")}
            approval = self.add("workflow_approval_templates", fields)
            node = self.objects[collection][number]
            node.update(unified_job_template=approval["id"], related={"unified_job_template": approval["url"]})
            return jsonify(approval), HTTPStatus.CREATED
        if body.get("disassociate"):
            associated.remove(body["id"])
        else:
            associated.append(body["id"])
        return "", HTTPStatus.NO_CONTENT


def shown(item: Object) -> Object:
    """An object as the API shows it: without the secrets of a credential."""
    return {**item, "inputs": dict.fromkeys(item["inputs"], ENCRYPTED)} if item["type"] == "credential" else item


def listing(items: list[Object]) -> Response:
    return jsonify(count=len(items), next=None, previous=None, results=[shown(item) for item in items])
