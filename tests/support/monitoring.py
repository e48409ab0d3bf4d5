# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The queries of a file for Prometheus or Grafana, and the metrics that the report writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import metrics
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import PostureRecord

from tests.support.ansible_run import REPOSITORY
from tests.support.reports import make_report, read_results

ALERTS = REPOSITORY / "extensions" / "prometheus" / "alerts.yml"
DASHBOARD = REPOSITORY / "extensions" / "grafana" / "protection.json"
GENERATED = "2026-07-01T12:00:00+00:00"
POSTURE = PostureRecord(name="under_attack", until=GENERATED, reason="INC-7", since=None)
PACKETS = {f"{action}_packets": 1000 for action in ("passed", "dropped", "would_drop")}


def alert_queries() -> dict[str, str]:
    """The expressions of the alerts by their names."""
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return {rule["alert"]: rule["expr"] for rule in group["rules"]}


def dashboard_queries() -> dict[str, str]:
    """The expressions of the dashboard by the titles of their panels."""
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in dashboard["panels"]
        for target in panel["targets"]
    }


def written_metrics(prediction: Mapping[str, Any]) -> str:
    """The text of a report on a host with this result of account_protection, with traffic and a posture."""
    seen = {**PACKETS, "would_drop_percent": 33.3, "sample_interval": 1, "known": True, "unknown": []}
    components = {
        name: {**seen, "reasons": {}, "advice": [], "networks": []} for name in ("syn_flood", "out_of_state_tcp", "dns")
    }
    times = {"since": "2026-06-30T12:00:00+00:00", "until": GENERATED}
    traffic = {"traffic": {**times, "known": True, "unknown": [], "components": components}}
    results = {"account_protection": prediction, "protection_traffic_info": traffic}
    host = read_results({"host": "lima", "results": results}).having(postures=[POSTURE])
    return metrics(make_report([host], GENERATED))


def labels_of(text: str) -> dict[str, dict[str, set[str]]]:
    """The metrics of a text: each name with its labels, and their values."""
    found: dict[str, dict[str, set[str]]] = {}
    for name, pairs in re.findall(r"^(\w+)(?:\{(.*)\})? \S+$", text, re.MULTILINE):
        labels = found.setdefault(name, {})
        for label, value in re.findall(r'(\w+)="([^"]*)"', pairs):
            labels.setdefault(label, set()).add(value)
    return found


def used_labels(query: str) -> Iterator[tuple[str, str, str]]:
    """The metrics that a query names, each with a label of its selector and the value; without a selector once."""
    for name, selector in re.findall(r"(edgeops_protection_\w+)(?:\{([^}]*)\})?", query):
        pairs = re.findall(r'(\w+)\s*=~?\s*"([^"]*)"', selector)
        yield from ((name, label, value) for label, value in pairs or [("", "")])


def grouping_labels(query: str) -> set[str]:
    """The labels in the groupings of a query, and in the legend's braces."""
    return {
        label.strip()
        for listed in re.findall(r"\b(?:by|without|ignoring|on)\s*\(([^)]*)\)", query)
        for label in listed.split(",")
    }
