# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of docs/whole_lists.md with the lookup of netbox.netbox itself, against a small server with NetBox's answers."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread
from typing import Any, Self

import pytest
import yaml
from flask import Flask, Response, jsonify, request
from werkzeug.serving import make_server

from tests.support.ansible_run import REPOSITORY, Run, ansible
from tests.support.documents import read_page

PROGRAMS = REPOSITORY / ".cache" / "netbox"
VARIABLES = read_page(REPOSITORY / "docs" / "whole_lists.md").files["netbox.yml"]
PAGE = 2  # rows; the lookup has to ask again
TAGS = {slug: {"id": number, "name": slug.replace("-", " "), "slug": slug} for number, slug in enumerate(["ddos-protected", "scrubbed-elsewhere"])}  # fmt: skip


class NetBox:
    """`with NetBox() as running:` serves prefixes page by page on 127.0.0.1."""

    token = "token-of-netbox"

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.broken = 0  # the status of the answers after the first page
        app = Flask("netbox")
        app.add_url_rule("/api/", "version", lambda: Response("{}", headers={"API-Version": "4.4"}))
        app.add_url_rule("/api/ipam/prefixes/", view_func=self.prefixes)
        self.server = make_server("127.0.0.1", 0, app)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()

    def add(self, prefix: str, *tags: str, status: str = "active", description: str = "") -> None:
        number = len(self.rows) + 1
        row = {
            "id": number,
            "url": f"{self.url}/api/ipam/prefixes/{number}/",
            "display": prefix,
            "family": {"value": 6 if ":" in prefix else 4, "label": "IPv4"},
            "prefix": prefix,
            "scope_type": None,
            "scope": None,
            "vrf": None,
            "tenant": {"id": 3, "url": f"{self.url}/api/tenancy/tenants/3/", "display": "edge", "name": "edge", "slug": "edge"},
            "status": {"value": status, "label": status.capitalize()},
            "role": None,
            "is_pool": False,
            "description": description,
            "comments": "",
            "tags": [{**TAGS[tag], "url": f"{self.url}/api/extras/tags/1/", "display": tag} for tag in tags],
            "custom_fields": {},
            "children": 0,
            "_depth": 0,
        }  # fmt: skip
        self.rows.append(row)

    def prefixes(self) -> Response | tuple[Response, int]:
        if request.headers.get("Authorization", "").split()[-1:] != [self.token]:
            return jsonify({"detail": "Invalid token"}), 403
        offset, tag = int(request.args.get("offset", 0)), request.args.get("tag")
        if offset and self.broken:
            return jsonify({"detail": "The database is starting up."}), self.broken
        rows = [row for row in self.rows if tag in (None, *(item["slug"] for item in row["tags"]))]
        more = f"{self.url}/api/ipam/prefixes/?limit={PAGE}&offset={offset + PAGE}" + (f"&tag={tag}" if tag else "")
        following = more if offset + PAGE < len(rows) else None
        page = rows[offset : offset + PAGE]
        return jsonify({"count": len(rows), "next": following, "previous": None, "results": page})


@pytest.fixture
def netbox() -> Iterator[NetBox]:
    with NetBox() as running:
        running.add("203.0.113.0/24", "ddos-protected", description="POP 7")
        running.add("203.0.113.64/28", "ddos-protected", "scrubbed-elsewhere")
        running.add("2001:db8::/48", "ddos-protected")
        running.add("203.0.112.0/20", "ddos-protected", status="container")
        running.add("192.0.2.0/24")
        running.add("198.51.100.0/24", "ddos-protected", status="reserved")
        yield running


def shown(netbox: NetBox, raw: bool = True) -> Run:
    """A task that shows the variables of the page."""
    variables = VARIABLES.replace("https://netbox.example.com", netbox.url)
    words = ("localhost", "-m", "ansible.builtin.debug", "-a", "var=baseline_prefixes")
    variables = variables if raw else variables.replace(", raw_data=true", "")
    (PROGRAMS / "netbox.yml").write_text(variables, encoding="utf-8")
    return ansible(
        "ansible",
        *words,
        *("-e", "@netbox.yml"),
        directory=PROGRAMS,
        environment={"ANSIBLE_COLLECTIONS_PATH": str(PROGRAMS), "NETBOX_TOKEN": netbox.token},
    )


@pytest.mark.parametrize("raw", [True, False])
def test_the_variables_of_the_page_are_the_prefixes_of_all_pages(netbox: NetBox, raw: bool) -> None:
    run = shown(netbox, raw).done()
    assert yaml.safe_load(run.output.partition("=>")[2])["baseline_prefixes"] == [
        {"prefix": "203.0.113.0/24", "comment": "POP 7", "excluded": False},
        {"prefix": "203.0.113.64/28", "comment": "", "excluded": True},
        {"prefix": "2001:db8::/48", "comment": "", "excluded": False},
    ]
    assert netbox.token not in run.output


def test_a_later_page_that_fails_is_a_failure(netbox: NetBox) -> None:
    netbox.broken = 503
    run = shown(netbox)
    assert run.code and "203.0.113.0/24" not in run.output, run.output


def test_an_empty_answer_is_a_failure(netbox: NetBox) -> None:
    netbox.rows = []
    run = shown(netbox)
    assert run.code and "no prefix is left of 0 prefixes in the answer" in run.output, run.output
