# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook notify against a local server: each thing once, in the shape that the receiver takes, and its address nowhere."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import report_of
from flask import Flask, Response, request
from werkzeug.serving import make_server

from tests.support.ansible_run import Run, ansible_playbook, without_places
from tests.support.report_fleet import hosts_of_every_status
from tests.support.reports import make_report
from tests.support.sampled_rows import sample

PATH = "/hooks/T0-secret-path"
KEY = "key-of-the-receiver"
GENERATED = datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class Receiver:
    """The requests that came, and the statuses of the next answers; 0 answers too late."""

    url: str = ""
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    headers: list[Any] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)

    def answer(self, path: str) -> Response:
        self.requests.append((request.method, f"/{path}".removeprefix(PATH), request.get_json()))
        self.headers.append(dict(request.headers))
        status = self.statuses.pop(0) if self.statuses else 200
        if not status:
            time.sleep(3)
        location = {"Location": "/elsewhere"} if status == 302 else {}
        return Response('{"number": 17}', status or 200, headers=location, content_type="application/json")

    @property
    def bodies(self) -> list[Any]:
        return [body for _method, _path, body in self.requests]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    running = Receiver()
    app = Flask("receiver")
    app.add_url_rule("/<path:path>", view_func=running.answer, methods=["POST", "PATCH"])
    server = make_server("127.0.0.1", 0, app, threaded=True)
    running.url = f"http://127.0.0.1:{server.server_port}{PATH}"
    Thread(target=server.serve_forever, daemon=True).start()
    yield running
    server.shutdown()


@pytest.fixture(scope="module")
def records() -> dict[str, Any]:
    report = make_report(hosts_of_every_status().values(), GENERATED)
    return {record["host"]: record for record in report["hosts"]}


@dataclass
class Notifier:
    """A directory of a report, and the playbook over it."""

    directory: Path
    receiver: Receiver

    def run(self, *records: Any, kind: str = "webhook", made: str = GENERATED, **options: Any) -> Run:
        report = json.dumps(report_of(records, made))
        (self.directory / "report.json").write_text(report, encoding="utf-8")
        variables = {"report_directory": str(self.directory), "notify_kind": kind, "notify_delay": 0, **options}
        run = ansible_playbook(
            "-vvv",
            *("-e", json.dumps(variables), "edgeops.protection.notify"),
            environment={"PROTECTION_NOTIFY_URL": self.receiver.url, "PROTECTION_NOTIFY_KEY": KEY},
        )
        kept = (path.read_text(encoding="utf-8") for path in self.directory.iterdir())
        for secret in (PATH, KEY):
            assert secret not in run.output + "".join(kept)
        return run

    def told(self, *records: Any, **options: Any) -> list[Any]:
        """What the receiver hears of a run that succeeds."""
        before = len(self.receiver.requests)
        self.run(*records, **options).done()
        return self.receiver.bodies[before:]

    def age(self, hours: int) -> None:
        """Let everything be told so much earlier."""
        path = self.directory / "notified.json"
        state = json.loads(path.read_text(encoding="utf-8"))
        for told in state["hosts"].values():
            told["told"] = (datetime.fromisoformat(told["told"]) - timedelta(hours=hours)).isoformat()
        path.write_text(json.dumps(state), encoding="utf-8")


@pytest.fixture
def notifier(tmp_path: Path, receiver: Receiver) -> Notifier:
    return Notifier(tmp_path, receiver)


def test_the_same_thing_is_not_told_twice(notifier: Notifier, records: dict[str, Any]) -> None:
    known = {**records["weakened"], "owner": "team edge", "runbook": None}
    weakened, order = {**known, "reasons": ["HTTP 403: no (ray 1a)."]}, records["in_order"]
    (first,) = notifier.told(weakened, order, records["pending"])
    assert first["title"] == "Protection: 1 new."
    (host,) = first["hosts"]
    assert (host["host"], host["what"], host["status"], host["owner"]) == ("weakened", "new", "weakened", "team edge")
    assert first["lines"][0].startswith("New: weakened is weakened. ") and first["lines"][0].endswith(
        "(owner: team edge)"
    )
    assert notifier.told({**weakened, "reasons": ["HTTP 403: no (ray 2b)."]}, order) == [], "the same answer"
    assert notifier.directory.joinpath("notified.json").stat().st_mode & 0o777 == 0o600


def test_what_is_worse_or_has_another_reason_is_new(notifier: Notifier, records: dict[str, Any]) -> None:
    weakened = records["weakened"]
    notifier.told(weakened)
    (other,) = notifier.told({**weakened, "reasons": [*weakened["reasons"], "Another hole."]})
    (worse,) = notifier.told({**weakened, "status": "unprotected"})
    assert [body["hosts"][0]["what"] for body in (other, worse)] == ["new", "new"]
    assert other["hosts"][0]["reason"] == "Another hole."
    assert notifier.told(weakened) == []
    unknown = records["unknown"]
    assert len(notifier.told(weakened, unknown)) == 1
    assert notifier.told(weakened, {**unknown, "reasons": ["GET was answered with another text."]}) == []


def test_what_lasts_is_told_again_and_then_that_it_is_over(notifier: Notifier, records: dict[str, Any]) -> None:
    drift = records["drift"]
    notifier.told(drift)
    notifier.age(24)
    (again,) = notifier.told(drift)
    assert (again["title"], again["hosts"][0]["what"]) == ("Protection: 1 still.", "again")
    assert (
        again["lines"][0].startswith("Still: drift is drift. ")
        and f"since {GENERATED[:10]} {GENERATED[11:16]} UTC" in again["lines"][0]
    )
    notifier.age(24)
    assert notifier.told(drift, notify_again_days=30) == []
    (over,) = notifier.told({**drift, "status": "in_order", "reasons": [], "operations": []})
    assert over["lines"] == ["Over: drift is in order."] and over["left"] == 0
    assert notifier.told(records["in_order"]) == []


@pytest.mark.parametrize(
    ("days", "texts"), sample([(0, ["Still: "]), ("", []), (0.0, ["Still: "]), (None, []), ("2", [])], 2)
)
def test_zero_days_tell_each_time_and_nothing_is_the_default(
    days: Any, texts: list[str], notifier: Notifier, records: dict[str, Any]
) -> None:
    notifier.told(records["drift"])
    again = [body["lines"][0][:7] for body in notifier.told(records["drift"], notify_again_days=days)]
    assert again == texts


def test_a_report_that_nobody_makes_anew_is_told_of(notifier: Notifier, records: dict[str, Any]) -> None:
    order, now = records["in_order"], datetime.now(UTC)
    old, fresh = ((now - timedelta(hours=hours)).isoformat() for hours in (49, 47))
    assert notifier.told(order, made=fresh) == []
    (body,) = notifier.told(order, made=old)
    assert body["title"] == "Protection: 1 new."
    assert body["lines"][0].startswith("New: (report) is unknown. Nobody has made a report since ")
    assert notifier.told(order, made=old) == []
    (over,) = notifier.told(order)
    assert over["lines"] == ["Over: (report)."]


def test_a_host_that_the_report_loses_is_said(notifier: Notifier, records: dict[str, Any]) -> None:
    notifier.told(records["drift"])
    (body,) = notifier.told(records["in_order"])
    assert body["lines"] == ["Over: drift. It is no longer in the report."]


def test_an_object_that_no_baseline_names_is_told_once_with_who_and_when(
    notifier: Notifier, records: dict[str, Any]
) -> None:
    block: dict[str, Any] = {
        "resource": "custom_rule",
        "key": "by_hand",
        "title": "custom rule",
        "accepted": None,
        "reason": None,
    }
    block |= {"weakens": False, "since": None}
    text = "Custom rule by_hand: changed by ada@example.com with the dashboard at 2026-11-20T08:00:00Z."
    change = {"resource": "custom_rule", "key": "by_hand", "text": text, "by": "ada", "how": "x", "at": "y"}
    order = {**records["in_order"], "unmanaged": [block], "changes": [change]}
    (first,) = notifier.told(order)
    assert (first["title"], first["left"]) == ("Protection: 1 found.", 0)
    assert first["lines"] == [f"Found: in_order is in order. Exists, and no baseline names it: {text}"]
    assert first["hosts"][0]["unmanaged"] == [text]
    assert notifier.told(order) == []
    other = {**block, "key": "second"}
    weakened = {**records["weakened"], "host": "in_order", "unmanaged": [block, other], "changes": None}
    (worse,) = notifier.told(weakened)
    assert worse["hosts"][0]["what"] == "new" and worse["hosts"][0]["unmanaged"] == ["Custom rule second."]
    assert notifier.told({**order, "unmanaged": [{**block, "key": "third", "accepted": "OPS-7"}]})[0]["title"] == (
        "Protection: 1 over."
    )
    assert notifier.told({**order, "unmanaged": [other]}, kind="pagerduty") == []


def test_statuses_can_be_left_out(notifier: Notifier, records: dict[str, Any]) -> None:
    assert notifier.told(records["drift"], notify_statuses=["unprotected"]) == []


@pytest.mark.parametrize("statuses", sample([[500, 429, 200], [503, 200], [0, 200]], 2))
def test_a_short_problem_is_tried_again(statuses: list[int], notifier: Notifier, records: dict[str, Any]) -> None:
    notifier.receiver.statuses = list(statuses)
    assert len(notifier.told(records["drift"], notify_timeout=1)) == len(statuses)
    assert notifier.told(records["drift"]) == []


@pytest.mark.parametrize(
    ("statuses", "message"),
    sample(
        [
            ([404], "it answered with HTTP 404"),
            ([302], "it answered with HTTP 302"),
            ([500] * 4, "it answered with HTTP 500"),
            ([0] * 4, "there was no answer"),
        ],
        2,
        first=1,
    ),
)
def test_a_refusal_fails_and_is_told_by_the_next_run(
    statuses: list[int], message: str, notifier: Notifier, records: dict[str, Any]
) -> None:
    notifier.receiver.statuses = list(statuses)
    run = notifier.run(records["drift"], notify_timeout=1)
    assert run.code and f"Not told by webhook: {message}." in run.output, run.output
    assert len(notifier.receiver.requests) == len(statuses)
    assert not notifier.directory.joinpath("notified.json").exists()
    assert len(notifier.told(records["drift"])) == 1


def test_a_chat_gets_text_that_mentions_nobody(notifier: Notifier, records: dict[str, Any]) -> None:
    drift = {**records["drift"], "reasons": ["<!channel> @all *b* ```\n@here [this](https://example.com)"]}
    (slack,) = notifier.told(drift, kind="slack")
    fence, *lines, end = slack["text"].split("\n")
    assert fence == end == "```" and lines[0] == "Protection: 1 new."
    assert len(lines) == 2 and "`" not in "".join(lines)
    assert lines[1].startswith("New: drift is drift. &lt;!channel&gt; @all *b* '''")
    (notifier.directory / "notified.json").unlink()
    (teams,) = notifier.told(drift, kind="teams")
    (attachment,) = teams["attachments"]
    assert attachment["content"]["type"] == "AdaptiveCard"
    (text,) = attachment["content"]["body"]
    assert (
        text["text"]
        == "Protection: 1 new.\n\nNew: drift is drift. <!channel> @all *b* ```\\n@here (this)(https://example.com)"
    )


def test_pagerduty_gets_an_event_for_each_host(notifier: Notifier, records: dict[str, Any]) -> None:
    events = notifier.told(records["unprotected"], records["drift"], kind="pagerduty")
    assert [(event["event_action"], event["dedup_key"], event["payload"]["severity"]) for event in events] == [
        ("trigger", "edgeops.protection/unprotected", "critical"),
        ("trigger", "edgeops.protection/drift", "warning"),
    ]
    assert {event["routing_key"] for event in events} == {KEY}
    assert not any("Authorization" in headers for headers in notifier.receiver.headers)
    (over,) = notifier.told({**records["unprotected"], "status": "in_order"}, records["drift"], kind="pagerduty")
    assert (over["event_action"], over["dedup_key"]) == ("resolve", "edgeops.protection/unprotected")


def test_one_issue_on_github_is_opened_commented_and_closed(notifier: Notifier, records: dict[str, Any]) -> None:
    notifier.receiver.statuses = [201, 201, 201]
    drift, order = records["drift"], {**records["drift"], "status": "in_order", "reasons": []}
    notifier.told(drift, kind="github")
    notifier.told(drift, records["weakened"], kind="github")
    notifier.told(order, {**order, "host": "weakened"}, kind="github")
    assert [(method, path) for method, path, _body in notifier.receiver.requests] == [
        ("POST", ""),
        ("POST", "/17/comments"),
        ("POST", "/17/comments"),
        ("PATCH", "/17"),
    ]
    first, _second, third, last = notifier.receiver.bodies
    assert first["title"] == "Protection: 1 new." and first["body"].startswith("    New: drift is drift. ")
    assert third["body"].splitlines() == ["    Over: drift is in order.", "    Over: weakened is in order."]
    assert last == {"state": "closed"}
    assert {headers["Authorization"] for headers in notifier.receiver.headers} == {f"Bearer {KEY}"}
    notifier.told(drift, kind="github")
    assert notifier.receiver.requests[-1][:2] == ("POST", "")


def test_check_mode_tells_nobody(notifier: Notifier, records: dict[str, Any]) -> None:
    (notifier.directory / "report.json").write_text(
        json.dumps(report_of([records["drift"]], GENERATED)), encoding="utf-8"
    )
    variables = json.dumps({"report_directory": str(notifier.directory), "notify_url": notifier.receiver.url})
    run = ansible_playbook("--check", "-e", variables, "edgeops.protection.notify")
    assert run.code == 0 and "New: drift is drift." in run.output, run.output
    assert not notifier.receiver.requests
    assert not notifier.directory.joinpath("notified.json").exists()


MISTAKES = (
    "5 errors: (1) notify_agin_days: there is no such variable (did you mean notify_again_days?);"
    " (2) notify_kind: 'smoke' is none of webhook, slack, teams, pagerduty, github;"
    " (3) notify_again_days: 'often' is a text; write a number;"
    " (4) notify_statuses[0]: 'drfit' is none of unknown, unprotected, weakened, drift, pending (did you mean drift?);"
    " (5) notify_url: it begins with https://; set it, or PROTECTION_NOTIFY_URL."
)


@pytest.mark.parametrize(
    "options",
    sample(
        [
            {"notify_url": "http://example.com/hook"},
            {"notify_url": "http://127.0.0.1:x@evil.example/"},
            {"notify_url": "http://localhost:1@evil.example/"},
            {"notify_url": "http://127.0.0.1.evil.example/"},
            {"notify_kind": "smoke", "notify_again_days": "often", "notify_agin_days": 1, "notify_statuses": ["drfit"]},
            {"notify_kind": "github", "notify_url": "https://example.com"},
            {},
        ],
        2,
    ),
)
def test_wrong_options_are_said_before_anything_is_sent(options: dict[str, Any], notifier: Notifier) -> None:
    (notifier.directory / "report.json").write_text("{}", encoding="utf-8")
    run = ansible_playbook(
        "-e", json.dumps({"report_directory": str(notifier.directory), **options}), "edgeops.protection.notify"
    )
    (failed,) = [task.result for task in run.tasks if task.outcome == "failed"]
    address = "notify_url: it begins with https://; set it, or PROTECTION_NOTIFY_URL."
    key = "notify_key: github takes a token; set it, or PROTECTION_NOTIFY_KEY."
    kind = options.get("notify_kind", "")
    assert run.code and without_places(failed["msg"]) == {"smoke": MISTAKES, "github": key}.get(kind, address)


@pytest.mark.parametrize("days", [-5, "nan", "inf"])
def test_a_number_of_days_that_none_can_wait_is_refused(days: Any, notifier: Notifier, records: dict[str, Any]) -> None:
    run = notifier.run(records["drift"], notify_again_days=days)
    text = f"notify_again_days: {days} is no number of days; write 0 or more"
    assert run.code and text in str(run.tasks) and not notifier.receiver.requests


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("report.json", "{}", "There is no report to tell of"),
        ("other.json", "{}", "report.json does not exist; run the playbook report first"),
        ("notified.json", "[]", "notified.json cannot be read"),
        ("notified.json", '{"hosts": {"drift": {"status": "drift"}}}', "Remove it to tell everything again."),
    ],
)
def test_damaged_files_are_said(
    name: str, text: str, message: str, notifier: Notifier, records: dict[str, Any], receiver: Receiver
) -> None:
    if name not in ("report.json", "other.json"):
        (notifier.directory / name).write_text(text, encoding="utf-8")
        run = notifier.run(records["drift"])
    else:
        (notifier.directory / name).write_text(text, encoding="utf-8")
        options = json.dumps({"report_directory": str(notifier.directory), "notify_url": receiver.url})
        run = ansible_playbook("-e", options, "edgeops.protection.notify")
    assert run.code and message in " ".join(run.output.split())
    assert not receiver.requests
