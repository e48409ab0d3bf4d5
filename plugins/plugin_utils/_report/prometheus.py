# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as metrics, in the text format that the textfile collector of Prometheus' node
exporter reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._text import visible
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.addresses import (
    CLASSES,
    FAMILIES,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.statuses import STATUSES

PREFIX = "edgeops_protection_"

Record = Mapping[str, Any]
Sample = tuple[Mapping[str, str], float]


def metrics(report: Record) -> str:
    """The metrics of a report, each with its help."""
    return "".join(
        line + "\n"
        for name, text, samples in _metrics(report)
        for line in _metric(name, text, samples)
    )


def _metrics(report: Record) -> list[tuple[str, str, Iterator[Sample]]]:
    """The name of each metric, its help and its samples."""
    hosts = report["hosts"]
    known = [record for record in hosts if record["mitigates"] is not None]
    made = datetime.fromisoformat(report["generated"]).timestamp()
    return [
        ("report_timestamp_seconds", "When the report was made.", iter([({}, made)])),
        (
            "hosts",
            "Hosts by status.",
            (({"status": name}, report["totals"]["statuses"][name]) for name in STATUSES),
        ),
        (
            "host_severity",
            f"Status of a host: {_severities()}.",
            _of(hosts, lambda record: severity(record["status"])),
        ),
        (
            "host_mitigates",
            "Whether a host mitigates anything.",
            _of(known, lambda record: record["mitigates"]),
        ),
        (
            "host_operations",
            "Differences from the baseline.",
            _of(hosts, lambda record: len(record["operations"])),
        ),
        ("host_refused_risks", "Risks that a run refuses.", _of(hosts, _refused)),
        (
            "host_pending",
            "Steps that wait for their time.",
            _of(hosts, lambda record: len(record["pending"])),
        ),
        (
            "host_unmanaged",
            "Objects that no baseline names.",
            _of(hosts, lambda record: len(record["unmanaged"])),
        ),
        ("host_addresses", "Addresses by how they are treated.", _addresses(hosts)),
    ]


def severity(status: str) -> int:
    """0 for a host in order, and more the worse it is."""
    return len(STATUSES) - 1 - STATUSES.index(status)


def _severities() -> str:
    return ", ".join(f"{severity(name)} {name}" for name in reversed(STATUSES))


def _of(hosts: Any, value: Any) -> Iterator[Sample]:
    return (({"host": record["host"]}, value(record)) for record in hosts)


def _refused(record: Record) -> int:
    return sum(1 for risk in record["risks"] if not risk["accepted"])


def _addresses(hosts: Any) -> Iterator[Sample]:
    for record in hosts:
        if record["coverage"]:
            for family in FAMILIES:
                for name in CLASSES:
                    labels = {"host": record["host"], "family": family, "class": name}
                    yield labels, record["coverage"]["addresses"][family][name]


def _metric(name: str, text: str, samples: Iterator[Sample]) -> Iterator[str]:
    yield f"# HELP {PREFIX}{name} {text}"
    yield f"# TYPE {PREFIX}{name} gauge"
    for labels, value in samples:
        pairs = ",".join(f'{label}="{_escaped(content)}"' for label, content in labels.items())
        yield f"{PREFIX}{name}{'{' + pairs + '}' if pairs else ''} {_number(value)}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))


def _escaped(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
