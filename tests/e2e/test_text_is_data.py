# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text of people and of Cloudflare is data: templates, markup and marks of shells in everything that is read and shown run
nothing, and come back as they are."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from flask import Flask, Response, request
from werkzeug.serving import make_server

from tests.fake_service import LocalService
from tests.support.ansible_run import Run, ansible_playbook
from tests.support.host_parts import read_back
from tests.support.inventories import write_inventory
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.sampled_rows import sample

TOOLS = ("webhook", "slack", "teams", "pagerduty", "github")
POSTURE: dict[str, Any] = {
    "attack_security_level": "under_attack",
    "attack_block": {"networks": ["192.0.2.128/25"]},
    "attack_hours": 4,
}


class Attacker:
    """Texts that leave a file behind if anything runs one of them."""

    def __init__(self) -> None:
        self.file = Path(tempfile.mkdtemp(prefix="x")) / "r"
        touch = f"touch {self.file}"
        self.template = f"{{{{ lookup('pipe', '{touch}') }}}}{{% if 7 * 7 %}}{{{{ 7 * 7 }}}}{{% endif %}}"
        self.shell = f"$({touch})`{touch}`'; {touch}; '\" && {touch}"
        self.markup = "<script>1</script><img src=x onerror=1> ]]> [a](javascript:1) @everyone |*x*| \\"
        self.jinja = f"#jinja2:variable_start_string:'[['\n[[ lookup('pipe', '{touch}') ]]\n::error::x"
        self.text = f"{self.template}{self.shell}{self.markup}"

    def require_nothing_ran(self) -> None:
        assert not self.file.exists()


class Page(HTMLParser):
    """The elements of a page that could run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _value in attrs if name.startswith("on")]
        links = [value for name, value in attrs if name in ("href", "src") and "javascript" in str(value)]
        self.elements += [tag] if tag in ("img", "iframe", "object") else []
        self.elements += [*names, *map(str, links)]


@pytest.fixture
def attacker() -> Attacker:
    return Attacker()


@pytest.fixture
def service(service: LocalService, attacker: Attacker) -> LocalService:
    text = attacker.text
    rule = {"action": "block", "expression": "ip.src eq 192.0.2.9", "description": text}
    service.account(ACCOUNT).seed(
        name=text,
        enabled=True,
        prefixes=[{"prefix": "203.0.113.0/24", "comment": text}],
        allowlist=[{"prefix": "198.51.100.7", "comment": attacker.jinja}],
        syn_flood={"rules": [{"scope": "global", "name": "global", "mode": "enabled"}]},
        network_firewall_rules=[{**rule, "ref": "packets", "expression": "tcp.dstport eq 23"}],
        lists=[{"name": "office", "kind": "ip", "description": text, "items": [{"ip": "192.0.2.1", "comment": text}]}],
    )
    service.zone(ZONE).seed(
        name="shop.example", custom_rules=[{**rule, "ref": "own"}, {**rule, "ref": attacker.markup, "action": "log"}]
    )
    return service


class Site:
    """A host in a project of its own, and the playbooks that run there."""

    def __init__(self, service: LocalService, folder: Path, attacker: Attacker) -> None:
        self.service, self.folder, self.attacker = service, folder, attacker
        (folder / "inventory").mkdir()
        hosts = {"accounts": {"lima": {"edge_account_id": ACCOUNT, "edge_zone_id": ZONE}}}
        write_inventory(folder / "inventory", service, hosts)
        self.own = folder / "inventory" / "host_vars" / "lima"

    def play(self, name: str, code: int | None = 0, environment: Any = None, **variables: Any) -> Run:
        """Run a playbook; its variables are texts and no templates, as the program of CI gives them."""
        lines = [f"{key}: {_unsafe(value)}" for key, value in variables.items()]
        given = self.folder / "given.yml"
        given.write_text("\n".join(lines) or "{}", encoding="utf-8")
        limit = [] if name == "notify" else ["--limit", "lima"]
        words = ["-i", "inventory", *limit, "--diff", "-e", f"@{given}", f"edgeops.protection.{name}"]
        run = ansible_playbook(*words, directory=self.folder, environment=environment or {})
        assert code is None or run.code == code, run.output
        self.attacker.require_nothing_ran()
        assert "\n::error::" not in run.output, "no line of the output is a command of a workflow"
        return run


def _unsafe(value: Any) -> str:
    if isinstance(value, str):
        return f"!unsafe {json.dumps(value)}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_unsafe(item)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(map(_unsafe, value)) + "]" if isinstance(value, list) else json.dumps(value)


@pytest.fixture
def site(service: LocalService, tmp_path: Path, attacker: Attacker) -> Site:
    site = Site(service, tmp_path, attacker)
    site.play("export", export_directory=str(site.own.parent))
    return site


def test_an_export_reads_back_as_what_cloudflare_has(site: Site) -> None:
    path = site.own / "protection.yml"
    exported = read_back(path.read_text(encoding="utf-8"))
    assert exported["baseline_prefixes"][0]["comment"] == site.attacker.text
    assert exported["baseline_allowlist"][0]["comment"] == site.attacker.jinja
    assert exported["baseline_ip_lists"][0]["items"][0]["comment"] == site.attacker.text
    assert exported["baseline_custom_rules"][0]["description"] == site.attacker.text
    (task,) = site.play("baseline").of()
    assert task.result["changed"] is False and not site.service.writes


def test_what_a_run_of_the_baseline_shows_runs_nothing(site: Site) -> None:
    for item in (*site.service.account(ACCOUNT).prefixes, *site.service.account(ACCOUNT).allowlist):
        item["comment"] += site.attacker.jinja[:100]
    site.play("baseline", baseline_snapshot_directory="snapshots")
    site.play("check_inventory")
    site.play("restore", code=None, restore_before="latest", baseline_snapshot_directory="snapshots")
    assert site.service.account(ACCOUNT).prefixes[0]["comment"].startswith(site.attacker.text)


def test_a_posture_with_such_a_reason_goes_its_way_through_every_file(site: Site) -> None:
    texts = (site.attacker.text, site.attacker.jinja)
    for reason in texts:
        site.play("attack", attack_reason=reason, **POSTURE)
    site.play("attack", code=2, attack_over=site.attacker.template)
    entries = yaml.safe_load((site.folder / "postures.yml").read_text(encoding="utf-8"))["lima"]
    assert [entry["reason"] for entry in entries] == [*texts]
    (task,) = site.play("baseline").of()
    assert [one["reason"] for one in task.result["postures"]] == [*texts]
    site.play("report")
    document = json.loads((site.folder / "report" / "report.json").read_text(encoding="utf-8"))
    assert [one["reason"] for one in document["hosts"][0]["postures"]] == [*texts]
    for reason in texts:
        site.play("attack", attack_over=reason)
    assert site.service.zone(ZONE).declared["security_level"]["value"] != "under_attack"


ENTRIES: dict[str, Callable[[Attacker], dict[str, Any]]] = {
    "a name": lambda it: {"name": it.text, "until": "2999-01-01"},
    "an end": lambda it: {"security_level": "high", "until": it.text},
    "a value": lambda it: {"security_level": it.template, "until": "2999-01-01"},
    "a key": lambda it: {it.text: 1, "until": "2999-01-01"},
    "an expression": lambda it: {
        "custom_rules": [{"ref": "x", "action": "block", "expression": it.template}],
        "until": "2999-01-01",
    },
    "a description": lambda it: {
        "custom_rules": [{"ref": "x", "action": "log", "expression": "ssl", "description": it.text}],
        "until": "2999-01-01",
    },
}


@pytest.mark.parametrize("kind", sample([*ENTRIES], 2, first=1))
def test_the_file_of_postures_is_no_template(kind: str, site: Site) -> None:
    entry = {"reason": site.attacker.text, **ENTRIES[kind](site.attacker)}
    (site.folder / "postures.yml").write_text(yaml.safe_dump({"lima": [entry]}), encoding="utf-8")
    for name in ("baseline", "check_inventory", "report", "attack"):
        site.play(name, code=None, **(POSTURE if name == "attack" else {}))
    if kind == "a description":
        stored = [rule.get("description") for rule in site.service.zone(ZONE).custom_rules if rule["ref"] == "x"]
        assert stored == [site.attacker.text]


def changed_by_hand(site: Site) -> None:
    site.service.account(ACCOUNT).rules["syn_flood"][0]["mode"] = "monitoring"


def test_a_report_shows_such_texts_and_runs_none(site: Site) -> None:
    owner: dict[str, Any] = {"edge_owner": site.attacker.text, "edge_runbook": site.attacker.markup}
    site.play("report", **owner)
    changed_by_hand(site)
    site.play("report", report_previous=str(site.folder / "report" / "report.json"), report_traffic_hours=1, **owner)
    files = {path.suffix: path.read_text(encoding="utf-8") for path in (site.folder / "report").glob("report.*")}
    assert {*files} == {".json", ".md", ".html", ".xml", ".prom", ".sarif"}
    assert not Page(files[".html"]).elements
    (body,) = re.findall(r"<body.*</body>", files[".html"], re.DOTALL)
    assert body.count("<script") == re.sub("<script>1</script>", "", body).count("<script") and "<img" not in body
    ElementTree.fromstring(files[".xml"])
    assert not re.search(r"(?<!\\)(<script|<img|\]\(javascript)|@everyone", files[".md"])
    sample = re.compile(r'(# .*|[a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\})? \S+)')
    assert not [line for line in files[".prom"].splitlines() if not sample.fullmatch(line)]
    (host,) = json.loads(files[".json"])["hosts"]
    assert (host["owner"], host["runbook"]) == (site.attacker.text, site.attacker.markup)


def test_doctor_shows_such_texts_and_runs_none(site: Site) -> None:
    site.play("doctor", code=None)
    (bundle,) = (site.folder / "doctor").rglob("bundle.json")
    json.loads(bundle.read_text(encoding="utf-8"))


@pytest.fixture
def bodies() -> Iterator[tuple[str, list[Any]]]:
    received: list[Any] = []
    app = Flask("receiver")

    @app.route("/<path:_path>", methods=["POST", "PATCH"])
    def receive(_path: str) -> Response:
        received.append(request.get_json())
        return Response('{"number": 1}', content_type="application/json")

    server = make_server("127.0.0.1", 0, app, threaded=True)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook", received
    server.shutdown()


def test_a_notification_carries_such_texts_and_runs_none(site: Site, bodies: tuple[str, list[Any]]) -> None:
    url, received = bodies
    changed_by_hand(site)
    site.play("report", edge_owner=site.attacker.text, edge_runbook=site.attacker.jinja)
    told = {"PROTECTION_NOTIFY_URL": url, "PROTECTION_NOTIFY_KEY": "k" * 20}
    by_tool: dict[str, Any] = {}
    for kind in TOOLS:
        (site.folder / "report" / "notified.json").unlink(missing_ok=True)
        site.play("notify", environment=told, notify_kind=kind, notify_delay=0, report_directory="report")
        (by_tool[kind],) = received
        received.clear()
    slack = by_tool["slack"]["text"]
    assert "<" not in slack and slack.count("```") == 2
    assert "](" not in json.dumps(by_tool["teams"])
    assert all(line.startswith("    ") for line in by_tool["github"]["body"].splitlines()), "a block of code"


def test_files_of_others_that_are_read_back_run_nothing(site: Site) -> None:
    site.play("report")
    path = site.folder / "report" / "report.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    for host in report["hosts"]:
        host.update(reasons=[site.attacker.text], owner=site.attacker.jinja, host=site.attacker.template)
    other = site.folder / "other.json"
    other.write_text(json.dumps(report), encoding="utf-8")
    site.play("report", code=None, report_previous=str(other))
    path.write_text(json.dumps(report), encoding="utf-8")
    site.play("report", code=None)
    plan = site.folder / "plan.json"
    plan.write_text(json.dumps({"host": "lima", "plan_id": site.attacker.text, "operations": []}), encoding="utf-8")
    changed_by_hand(site)
    site.play("baseline", code=2, baseline_expected_plan=str(plan))
    site.play("baseline", code=2, baseline_expected_plan=site.attacker.template)
    snapshot = site.folder / "snapshot.yml"
    snapshot.write_text(yaml.safe_dump({"baseline_source": {"account_id": site.attacker.text}}), encoding="utf-8")
    site.play("restore", code=2, restore_file=str(snapshot))
    site.play("restore", code=2, restore_file=site.attacker.template)
