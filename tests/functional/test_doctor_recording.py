# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The recording of the doctor: it has no value, and the local service replays it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.answers import examine_host
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.recording import (
    Recording,
    document_of,
    recording_text,
    without_other_calls,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.schemas import merged, schema_of

from tests.fake_service import LocalService
from tests.judges.replay import replay, text_of_form
from tests.support.host_parts import host
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.sampled_rows import EVERY_ROW

Item = dict[str, Any]
SEEDS = range(1000 if EVERY_ROW else 50)


def recorded(service: LocalService, **variables: Any) -> Item:
    """The recording of a host."""
    recording = Recording()
    part = host_part("frankfurt", {**host(service), **variables})
    examine_host(part, lambda text: None, lambda: datetime.now(UTC), hear=recording.hear)
    document: Item = json.loads(recording_text(document_of([recording], {})))
    return document


class Private:
    """Texts that a recording may not have, made up by chance."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.made: list[str] = []

    def text(self, form: str = "{}") -> str:
        word = "".join(self.random.choices("bcdfghjkmnpqrtvwxyz", k=9))
        self.made.append(word)
        return form.format(word)

    def address(self) -> str:
        octets = [str(self.random.randint(1, 254)) for _number in range(3)]
        self.made.append(".".join(("203", *octets)))
        return self.made[-1]

    def some(self, make: Any) -> list[Any]:
        return [make() for _number in range(self.random.randint(0, 3))]


def seed(service: LocalService, private: Private) -> None:
    """An account and a zone whose texts are all private, but for the words of enumerations and the names of fields."""
    service.switch(checked_against_contract=False)
    choose, text = private.random.choice, private.text

    def rule(**fields: Any) -> Item:
        expression = choose(
            [f'http.host eq "{text()}.example"', f"ip.src in {{{private.address()}}}", f"ip.src in ${text()}"]
        )
        action = choose(["block", "log", "managed_challenge", "skip", "of_the_future"])
        return {
            "ref": text(),
            "description": text("{} {{{{ 1 }}}}"),
            "expression": expression,
            "action": action,
            **fields,
        }

    def headers() -> Item:
        return {"headers": {text("X-{}"): {"operation": "set", "value": text()}, text(): {"value": text()}}}

    service.account(ACCOUNT).seed(
        name=text(),
        enabled=choose([True, False]),
        prefixes=private.some(lambda: {"prefix": private.address(), "comment": text()}),
        allowlist=private.some(lambda: {"prefix": private.address(), "comment": text()}),
        lists=private.some(
            lambda: {"name": text(), "description": text(), "items": [{"ip": private.address(), "comment": text()}]}
        ),
        network_firewall_rules=private.some(rule),
    )
    service.zone(ZONE).seed(
        account_id=ACCOUNT,
        name=f"{text()}.example",
        custom_rules=private.some(lambda: rule(action_parameters=headers())),
        rate_limit_rules=private.some(lambda: rule(action_parameters={"response": {"content": text(), "content_type": text()}})),
        rules=private.some(
            lambda: {
                "action": choose(["block", "allow"]),
                "description": text(),
                "filter": {"expression": f'http.host eq "{text()}"', "ref": text()},
            }
        ),
    )  # fmt: skip


@pytest.mark.parametrize("number", SEEDS)
def test_a_recording_has_nothing_private(number: int, service: LocalService) -> None:
    private = Private(Random(number))
    seed(service, private)
    text = json.dumps(recorded(service))
    secrets = (*private.made, ACCOUNT, ZONE, service.token, "frankfurt", "203.")
    assert [secret for secret in secrets if secret in text] == []


def test_a_recording_has_types_forms_and_words(service: LocalService) -> None:
    rules = [{"scope": "global", "name": "global", "mode": mode} for mode in ("enabled", "monitoring")]
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24"}], syn_flood={"rules": rules})
    answers = recorded(service)["answers"]
    assert "Traceback" not in json.dumps(answers)
    lists = "GET /accounts/{}/magic/advanced_tcp_protection/configs"
    told = answers[f"{lists}/prefixes"]["200"]
    (prefix,) = [told["schema"]["properties"]["result"]["items"]["properties"]]
    assert (prefix["prefix"], prefix["id"]) == (
        {"type": ["string"], "format": ["network"]},
        {"type": ["string"], "format": ["uuid"]},
    )
    assert prefix["created_on"]["format"] == ["date-time"] and "date" in told["headers"]
    rule = answers[f"{lists}/syn_protection/rules"]["200"]["schema"]["properties"]["result"]["items"]["properties"]
    assert (rule["mode"]["enum"], rule["scope"]["enum"]) == (["enabled", "monitoring"], ["global"])
    assert rule["name"] == {"type": ["string"], "format": ["text"]}


def test_refusals_and_other_answers_are_recorded(service: LocalService) -> None:
    service.misbehave("status", path="/allowlist$", status=403, errors=[{"code": 10000, "message": "secret"}])
    service.misbehave("html", path="/prefixes$", status=502, title="secret", headers={"X-Secret": "1", "CF-Ray": "1"})
    answers = recorded(service)["answers"]
    assert "secret" not in json.dumps(answers).lower()
    lists = "GET /accounts/{}/magic/advanced_tcp_protection/configs"
    refusal = answers[f"{lists}/allowlist"]["403"]["schema"]["properties"]["errors"]["items"]["properties"]
    assert (refusal["code"]["type"], refusal["message"]["format"]) == (["integer"], ["text"])
    assert answers[f"{lists}/prefixes"]["502"]["schema"] == {"type": ["not JSON"]}
    assert "cf-ray" in answers[f"{lists}/prefixes"]["502"]["headers"]


def test_the_bodies_of_the_audit_log_are_left_out() -> None:
    """They are of calls that others made, to any product."""
    entry = {
        "action": {"type": "update"},
        "resource": {"type": "rulesets", "request": {"STRIPE": 1}, "response": {"A": 1}},
    }
    document = without_other_calls({"success": True, "result": [entry, None]})
    assert document["result"] == [{"action": {"type": "update"}, "resource": {"type": "rulesets"}}, None]
    assert without_other_calls([1]) == [1]


def test_recordings_of_several_hosts_are_one(service: LocalService) -> None:
    """A field that an object lacks is not required."""
    first, second = ({"a": 1, "mode": "on"}, {"mode": "off", "b": [True, None]})
    assert merged(schema_of(first), schema_of(second)) == {
        "type": ["object"],
        "required": ["mode"],
        "properties": {
            "a": {"type": ["integer"]},
            "b": {"type": ["array"], "items": {"type": ["boolean", "null"]}},
            "mode": {"type": ["string"], "enum": ["off", "on"]},
        },
    }


def test_the_local_service_replays_a_recording(service: LocalService) -> None:
    private = Private(Random(7))
    seed(service, private)
    first = recorded(service)
    service.reset()
    service.account(ACCOUNT), service.zone(ZONE)
    replay(service, first)
    again = recorded(service, edge_account_id=text_of_form("id", 0))  # that of the replayed zone
    assert without_pages(again) == without_pages(first)


def without_pages(document: Item) -> Item:
    """By call and status, the schemas of results and errors."""
    return {
        call: {
            status: {
                name: inner for name, inner in told["schema"].get("properties", {}).items() if name != "result_info"
            }
            for status, told in by_status.items()
        }
        for call, by_status in document["answers"].items()
    }
