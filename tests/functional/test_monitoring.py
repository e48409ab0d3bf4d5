# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The alerts and the dashboard under extensions ask for metrics that the report writes, and for no others."""

from __future__ import annotations

import json
import re

import pytest

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, Modules
from tests.support.monitoring import (
    DASHBOARD,
    alert_queries,
    dashboard_queries,
    grouping_labels,
    labels_of,
    used_labels,
    written_metrics,
)

QUERIES = {**alert_queries(), **dashboard_queries()}


@pytest.fixture
def written(service: LocalService, modules: Modules) -> dict[str, dict[str, set[str]]]:
    service.account(ACCOUNT).seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}])
    return labels_of(written_metrics(modules.done("account_protection", check=True, enabled=True)))


def test_queries_ask_for_metrics_and_labels_that_the_report_writes(written: dict[str, dict[str, set[str]]]) -> None:
    for title, query in QUERIES.items():
        assert "edgeops_protection_" in query, title
        for name, label, value in used_labels(query):
            assert name in written, title
            assert not label or label in written[name], title
            assert not label or value == "$host" or value in written[name][label], title
        named = {name for name, _label, _value in used_labels(query)}
        assert grouping_labels(query) <= {label for name in named for label in written[name]}, title


def test_every_metric_is_on_the_dashboard_or_has_an_alert(written: dict[str, dict[str, set[str]]]) -> None:
    listed = {
        "edgeops_protection_host_ineffective",
        "edgeops_protection_host_left_out",
        "edgeops_protection_host_unmanaged",
        "edgeops_protection_host_accepted_statuses",
    }  # for whoever wants them
    assert written.keys() - {name for query in QUERIES.values() for name, *_rest in used_labels(query)} == listed


def test_the_dashboard_can_be_imported() -> None:
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    identifiers = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(identifiers)) == len(identifiers)
    variables = {item["name"] for item in dashboard["templating"]["list"]}
    text = json.dumps(dashboard)
    assert set(re.findall(r"\$\{?(\w+)\}?", text.replace("$__all", ""))) == variables
    sources = {panel["datasource"]["uid"] for panel in dashboard["panels"]}
    assert sources == {"${datasource}"}
    places = [panel["gridPos"] for panel in dashboard["panels"]]
    assert all(place["x"] + place["w"] <= 24 for place in places)


def test_the_legends_name_labels_of_their_metrics(written: dict[str, dict[str, set[str]]]) -> None:
    for panel in json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]:
        for target in panel["targets"]:
            labels = {label for name, *_rest in used_labels(target["expr"]) for label in written[name]}
            assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= labels, panel["title"]
