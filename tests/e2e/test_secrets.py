# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No channel carries a secret: results, output at every verbosity, log, syslog, warnings, diffs, and files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible_playbook
from tests.support.inventories import LOCAL, write_inventory, write_play

ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353"
ZONE = "5c2a81f0f7ae4b2d9b1e6f3a7d904c11"
TOKEN = "a-token-that-nobody-may-read-0123456789"
KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f00ab12"
EMAIL = "owner@example.net"
VAULT = """
$ANSIBLE_VAULT;1.1;AES256
38343061666431393136343538663735363135626263366239313638633934643333653762633866
3966646334313164313864346336333964393338653138330a366664366130333264396432636163
35633930343030376231303937393561376535373335623230343834666630376364393165333133
3639663637333964300a383334633633383937326263363766623439363662363533666430633031
65336337326365353036633137666161303235343633656563346631346130643737
"""  # of a password that nobody has
TASKS: list[dict[str, Any]] = [
    {"edgeops.protection.protected_prefixes": {"prefixes": [{"prefix": "192.0.2.0/24"}]}},
    {"edgeops.protection.protected_prefixes": {"prefixes": [{"prefix": "192.0.2.0/24", "comment": "refused"}]}},
    {"edgeops.protection.allowlist_entry": {"prefix": "198.51.100.1"}},
    {"edgeops.protection.protection_info": {"base_url": "http://127.0.0.1:1/client/v4", "retries": 0}},
    {"edgeops.protection.protection_info": {"timeout": 0}},
    {"edgeops.protection.protection_info": {"gather_subset": ["prefixes"]}},
]


@pytest.fixture
def service(service: LocalService) -> LocalService:
    """A service that repeats the credentials in its refusals, and that has them in a comment and a description."""
    service.add_token(TOKEN)
    service.credentials.keys[EMAIL] = KEY
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "203.0.113.0/24", "comment": f"made with {TOKEN}"}])
    rule = {"id": "1" * 32, "action": "log", "filter": {"expression": "true"}, "description": f"made with {KEY}"}
    service.zone(ZONE).seed(rules=[rule])
    odd_errors = [{"code": 1000, "message": f"these are odd: {TOKEN} {KEY}"}]
    service.misbehave("status", method="PATCH|PUT", status=400, errors=odd_errors)
    service.misbehave("missing_fields", method="POST", path="/allowlist$", fields=["comment"])
    return service


@dataclass(frozen=True)
class Channels:
    """Where a run may leave something: folders that are read as a whole, and what was printed and returned."""

    folder: Path
    printed: str
    returned: str
    codes: list[bool]

    def texts(self) -> dict[str, str]:
        files = {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        return {"output": self.printed, "results": self.returned} | {
            name: content.decode("utf-8", "replace") for name, content in files.items()
        }


def run(
    folder: Path, service: LocalService, tasks: list[dict[str, Any]], defaults: dict[str, Any], **more: str
) -> Channels:
    """Run the tasks at the highest verbosity, with a log file, a syslog, and every result written to a file."""
    registered = [
        {**task, "register": f"noted{number}", "ignore_errors": True, "diff": True} for number, task in enumerate(tasks)
    ]
    names = ", ".join(f"noted{number}" for number in range(len(tasks)))
    copy = {"content": f"{{{{ [{names}] | to_nice_json }}}}", "dest": str(folder / "noted"), "mode": "0600"}
    site = write_play(
        folder.parent,
        [*registered, {"ansible.builtin.copy": copy}],
        vars={**LOCAL, "edgeops_protection_in_worker": folder.name == "inside"},
        module_defaults={"group/edgeops.protection.all": {"base_url": service.base_url, **defaults}},
    )
    home = folder / "home"
    home.mkdir()
    environment = {
        **{name: str(home) for name in ("ANSIBLE_HOME", "ANSIBLE_LOCAL_TEMP", "ANSIBLE_REMOTE_TEMP")},
        "ANSIBLE_LOG_PATH": str(folder / "log"),
        "SYSLOG_TO": str(folder / "syslog"),
        "PYTHONPATH": str(Path(__file__).parents[1] / "support" / "syslog_to_file"),
        **more,
    }
    finished = ansible_playbook("-vvvv", site, environment=environment)
    ours = finished.of()
    return Channels(
        folder, finished.output, json.dumps([task.result for task in ours]), [task.outcome == "ok" for task in ours]
    )


@pytest.fixture(params=["inside", "packed"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An empty folder, whose name says which way the modules run."""
    (tmp_path / request.param).mkdir()
    return tmp_path / str(request.param)


def assert_nothing_leaks(channels: Channels) -> None:
    texts = channels.texts()
    for name in ("log", "syslog", "noted"):
        assert texts[str(channels.folder / name)]
    assert "Invoked with" in texts[str(channels.folder / "syslog")]
    assert "these are odd: ********" in texts["results"]
    assert "made with ********" in texts["results"]
    leaking = [name for name, text in texts.items() for secret in (TOKEN, KEY) if secret in text]
    assert leaking == []


def test_a_token_in_the_options_is_in_no_channel(service: LocalService, folder: Path) -> None:
    service.faults[0].settings["errors"][0]["message"] = f"these are odd: {TOKEN}"
    channels = run(folder, service, TASKS, {"api_token": TOKEN, "account_id": ACCOUNT})
    assert channels.codes == [True, False, True, False, False, True]
    assert_nothing_leaks(channels)


def test_a_token_in_the_environment_is_in_no_channel(service: LocalService, folder: Path) -> None:
    service.faults[0].settings["errors"][0]["message"] = f"these are odd: {TOKEN}"
    channels = run(folder, service, TASKS, {"account_id": ACCOUNT}, CLOUDFLARE_API_TOKEN=TOKEN)
    assert channels.codes == [True, False, True, False, False, True]
    assert_nothing_leaks(channels)


def test_a_key_in_the_options_is_in_no_channel(service: LocalService, folder: Path) -> None:
    service.faults[0].settings["errors"][0]["message"] = f"these are odd: {KEY}"
    tasks: list[dict[str, Any]] = [
        {"edgeops.protection.firewall_rules_info": {}},
        {"edgeops.protection.firewall_rules": {"rules": [{"id": "1" * 32, "paused": True}]}},
    ]
    channels = run(folder, service, tasks, {"api_email": EMAIL, "api_key": KEY, "zone_id": ZONE})
    assert channels.codes == [True, False]
    assert_nothing_leaks(channels)


def test_check_inventory_masks_a_secret_that_stands_in_another_variable(service: LocalService, tmp_path: Path) -> None:
    """It stands in the inventory alone, or in a vault of which there is no password."""
    wrong: dict[str, dict[str, Any]] = {
        "id": {"edge_account_id": TOKEN, "edge_api_token": "{{ of_vault }}", "of_vault": TOKEN},
        "prefix": {"edge_account_id": ACCOUNT, "baseline_prefixes": [{"prefix": TOKEN}]},
        "list": {"edge_account_id": "1" * 32, "baseline_ip_lists": [{"name": TOKEN, "items": []}]},
        "expression": {
            "edge_zone_id": ZONE,
            "baseline_custom_rules": [{"ref": "a", "expression": f"ip.src eq {TOKEN}"}],
        },
        "key": {"edge_zone_id": KEY, "edge_api_key": KEY, "edge_api_email": EMAIL, "edge_api_token": None},
        "playbook": {"edge_zone_id": "2" * 32, "notify_kind": TOKEN},
        "of another": {"edge_account_id": "4" * 32, "baseline_prefixes": [{"prefix": KEY}]},
        "undefined": {"edge_account_id": "3" * 32, "edge_api_token": "{{ nosuch }}", "baseline_prefixes": ["x"]},
    }
    inventory = write_inventory(tmp_path, service, {"accounts": wrong, "zones": {}}, edge_api_token=TOKEN)
    text = inventory.read_text(encoding="utf-8").replace("'{{ nosuch }}'", f"!vault |{indent(VAULT, ' ' * 12)}")
    inventory.write_text(text, encoding="utf-8")
    playbook = REPOSITORY / "playbooks" / "check_inventory.yml"
    run = ansible_playbook("-i", inventory, playbook, "-e", f"check_sarif={tmp_path / 'check.sarif'}")
    (task,) = [task for task in run.tasks if task.outcome == "failed"]
    sarif = (tmp_path / "check.sarif").read_text(encoding="utf-8")
    assert task.result["hosts"].keys() == wrong.keys() and sarif.count('"ruleId"') >= len(wrong)
    assert "edge_account_id: '********' is not an id" in task.result["hosts"]["id"]["msg"]
    assert "'x' is a text" in task.result["hosts"]["undefined"]["msg"]
    leaking = [secret for secret in (TOKEN, KEY) for text in (run.output, str(run.tasks), sarif) if secret in text]
    assert leaking == []


def test_evaluate_masks_a_secret_of_the_host_in_a_question(service: LocalService, tmp_path: Path) -> None:
    inventory = write_inventory(tmp_path, service, {"zones": {"lima": {"edge_zone_id": ZONE}}}, edge_api_token=TOKEN)
    question = {"evaluate_request": {"uri": "/"}, "evaluate_network_firewall": TOKEN}
    run = ansible_playbook("-i", inventory, REPOSITORY / "playbooks" / "evaluate.yml", "-e", json.dumps(question))
    assert "evaluate_network_firewall: '********' is a text" in str(run.tasks) and TOKEN not in run.output + str(
        run.tasks
    )
