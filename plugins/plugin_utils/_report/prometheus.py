# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as metrics, in the text format that the textfile collector of Prometheus' node
exporter reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._text import visible

from .record import CLASSES, FAMILIES, STATUSES, HostRecord, Metric, Report, is_known, shown_as
from .traffic import known_samples, packet_samples

PREFIX = "edgeops_protection_"

Sample = tuple[Mapping[str, str], float]


def metrics(report: Report) -> str:
    """The metrics of a report, each with its help."""
    return "".join(
        line + "\n"
        for name, text, samples in _metrics(report)
        for line in _metric(name, text, samples)
    )


def _metrics(report: Report) -> Iterator[tuple[str, str, Iterator[Sample]]]:
    """The name of each metric, its help and its samples."""
    hosts, statuses = report["hosts"], report["totals"]["statuses"]
    made = datetime.fromisoformat(report["generated"]).timestamp()
    yield "report_timestamp_seconds", "When the report was made.", iter([({}, made)])
    yield "hosts", "Hosts by status.", (({"status": name}, statuses[name]) for name in STATUSES)
    for key, metric in shown_as(Metric):
        yield f"host_{metric.name}", metric.help, _of_hosts(hosts, key, metric)
    yield "host_addresses", "Addresses by how they are treated.", _addresses(hosts)
    if any(record["traffic"] for record in hosts):
        text = "Packets of the hours that the report looks at, as Cloudflare estimates them."
        yield "host_packets", text, packet_samples(hosts)
        yield "host_traffic_known", "Whether the traffic is known.", known_samples(hosts)


def _of_hosts(hosts: Sequence[Mapping[str, Any]], key: str, metric: Metric) -> Iterator[Sample]:
    known = (record for record in hosts if _is_known(record, key))
    return (({"host": record["host"]}, metric.value(record[key])) for record in known)


def _is_known(record: Mapping[str, Any], key: str) -> bool:
    """Whether a host has a number for a key: one that could not be read has its status only."""
    return record[key] is not None and (key == "status" or is_known(record))


def _addresses(hosts: Sequence[HostRecord]) -> Iterator[Sample]:
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
