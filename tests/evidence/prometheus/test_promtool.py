# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""promtool, Prometheus' own judge: the alerts, their tests, the queries of the dashboard, and the metrics of a report."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY
from tests.support.module_run import ACCOUNT, Modules
from tests.support.monitoring import ALERTS, dashboard_queries, written_metrics

PROMTOOL = REPOSITORY / ".cache" / "prometheus" / "usr" / "bin" / "promtool"


def promtool(*words: str | Path, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROMTOOL, *words], input=text, capture_output=True, text=True, check=False)


def test_the_alerts_are_rules() -> None:
    checked = promtool("check", "rules", "--lint-fatal", ALERTS)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_alerts_fire_when_they_should_and_only_then() -> None:
    tested = promtool("test", "rules", ALERTS.with_name("alerts_test.yml"))
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_every_alert_has_a_test() -> None:
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    cases = yaml.safe_load(ALERTS.with_name("alerts_test.yml").read_text(encoding="utf-8"))["tests"]
    fired = {item["alertname"] for case in cases for item in case["alert_rule_test"] if item["exp_alerts"]}
    assert fired == {rule["alert"] for rule in group["rules"]}


def test_the_queries_of_the_dashboard_can_be_read(tmp_path: Path) -> None:
    rules = [
        {"record": f"query{number}", "expr": query.replace("$host", ".*")}
        for number, query in enumerate(dashboard_queries().values())
    ]
    path = tmp_path / "queries.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}), encoding="utf-8")
    checked = promtool("check", "rules", path)
    assert checked.returncode == 0 and f"{len(rules)} rules found" in checked.stdout, checked.stderr


@pytest.mark.parametrize("host", ["lima", 'a "quoted\\ host'])
def test_the_metrics_of_a_report_can_be_read(host: str) -> None:
    with LocalService() as service:
        service.account(ACCOUNT).seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}])
        prediction = Modules(service).done("account_protection", check=True, enabled=True)
    quoted = host.replace("\\", "\\\\").replace('"', '\\"')
    checked = promtool("check", "metrics", text=written_metrics(prediction).replace("lima", quoted))
    assert checked.returncode == 0, checked.stdout + checked.stderr
