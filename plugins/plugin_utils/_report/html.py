# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as one HTML page that makes no request; everything in it that comes from elsewhere is
text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    UNSEEN,
    capitalised,
    excerpt,
    first_few,
    plural,
    visible,
)
from jinja2 import Environment, Template
from markupsafe import Markup

from .bars import LABELS as CLASS_LABELS
from .bars import SIGNS, Bar, bars
from .coverage import component_title
from .operations import FieldChange, field_changes
from .record import (
    LABELS,
    STATUSES,
    Acknowledged,
    AddressCounts,
    Counted,
    CoverageRecord,
    Difference,
    HostRecord,
    Report,
    Totals,
    Unmanaged,
    refused,
    shown_as,
    unaccepted,
)
from .statuses import MEANINGS
from .traffic_page import traffic_part

Field = tuple[str, str | None, str]  # the path, the existing value, and the new one

PAGE = Path(__file__).parent / "page"
ACTION_SIGNS = {"create": "+", "update": "~", "delete": "\u2212"}
MAX_NETWORKS = 12  # are shown of a set; report.json has all
MAX_VALUE = 600  # characters of a value are shown
SETS = {
    "protected": "Protected",
    "uncovered": "Not covered",
    "excluded": "Excluded",
    "bypassing": "Allowed as sources",
}

# Line feeds are the page's own; those of data are escaped before.
UNSEEN_IN_PAGES = re.compile(UNSEEN.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))


def html_page(report: Report) -> str:
    """The page of a report."""
    template, style, script = _template()
    policy = (
        f"default-src 'none'; style-src 'sha256-{_hash(style)}'; script-src"
        f" 'sha256-{_hash(script)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    page = template.render(page=_page(report, policy, Markup(style), Markup(script)))
    return UNSEEN_IN_PAGES.sub(lambda match: visible(match.group()), page)


@lru_cache(maxsize=1)
def _template() -> tuple[Template, str, str]:
    """The template, the style sheet and the script."""
    environment = Environment(autoescape=True)
    texts = [
        (PAGE / name).read_text(encoding="utf-8")
        for name in ("page.html.j2", "style.css", "script.js")
    ]
    return environment.from_string(texts[0]), texts[1], texts[2]


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _page(report: Report, policy: str, style: Markup, script: Markup) -> dict[str, Any]:
    totals = report["totals"]
    moment = datetime.fromisoformat(report["generated"]).astimezone(timezone.utc)
    return {
        "policy": policy,
        "style": style,
        "script": script,
        "title": f"Protection of {plural(totals['hosts'], 'host', 'hosts')}, {moment:%Y-%m-%d}",
        "hosts_in_words": plural(totals["hosts"], "host", "hosts"),
        "lead": lead(totals),
        "generated": report["generated"],
        "moment": f"{moment:%Y-%m-%d %H:%M} UTC",
        "tiles": [
            {
                "status": name,
                "label": LABELS[name],
                "meaning": MEANINGS[name],
                "count": totals["statuses"][name],
            }
            for name in STATUSES
        ],
        "bars": _bars(totals["addresses"]),
        "legend": [(sign, CLASS_LABELS[name]) for name, sign in SIGNS.items()],
        "numbers": list(_numbers(totals)),
        "hosts": map(_host, report["hosts"]),
    }


def _numbers(totals: Totals) -> Iterator[tuple[int, str]]:
    """Numbers, and their nouns."""
    mitigating = totals["mitigating"]
    yield mitigating, "host mitigates attacks" if mitigating == 1 else "hosts mitigate attacks"
    numbers: Mapping[str, Any] = totals
    for key, item in shown_as(Counted):
        yield numbers[key], item.noun(numbers[key])


def lead(totals: Totals) -> str:
    """The report in a sentence."""
    worst = [
        (totals["statuses"][name], LABELS[name]) for name in ("unknown", "unprotected", "weakened")
    ]
    named = [f"{count} {'is' if count == 1 else 'are'} {label}" for count, label in worst if count]
    if named:
        return capitalised(", ".join(named)) + "."
    if totals["statuses"]["in_order"] == totals["hosts"]:
        return "All match their baselines." if totals["hosts"] else "There is no host."
    return "Every host protects at least what its baseline describes."


def _bars(addresses: AddressCounts) -> list[Bar]:
    return [item._replace(svg=Markup(item.svg)) for item in bars(addresses)]


def _host(record: HostRecord) -> dict[str, Any]:
    reasons, coverage = record["reasons"], record["coverage"]
    pending = [step["message"] for step in record["pending"]]
    number = refused(record["risks"])
    values: Mapping[str, Any] = record
    return {
        "status": record["status"],
        "label": LABELS[record["status"]],
        "name": record["host"],
        "why": reasons[0] if reasons else MEANINGS["in_order"],
        "counts": " · ".join(_counts(record)),
        "refused": plural(number, "risk refused", "risks refused") if number else "",
        "bars": [item.svg for item in _bars(coverage["addresses"])] if coverage else [],
        "reasons": [reason for reason in reasons if reason not in pending],
        "risks": record["risks"],
        "operations": [_operation(operation) for operation in record["operations"]],
        "pending": pending,
        "unmanaged": [unmanaged_text(item) for item in _holes_first(record["unmanaged"])],
        "acknowledged": [acknowledged_text(item) for item in record["acknowledged"]],
        "traffic": traffic_part(record["traffic"]),
        "coverage": list(_coverage(coverage)) if coverage else [],
        "ids": [
            (name, values[key])
            for name, key in (("Account", "account_id"), ("Zone", "zone_id"), ("Plan", "plan_id"))
            if values[key]
        ],
    }


def _counts(record: HostRecord) -> Iterator[str]:
    nouns = dict(shown_as(Counted))
    if record["operations"]:
        yield nouns["operations"].in_words(len(record["operations"]))
    if record["pending"]:
        yield nouns["pending"].in_words(len(record["pending"]))
    if record["unmanaged"]:
        yield f"{len(record['unmanaged'])} unmanaged"
    if record["mitigates"] is not None:
        yield "mitigates" if record["mitigates"] else "mitigates nothing"


def _operation(
    operation: Difference,
) -> tuple[str, str, str, str, list[tuple[str, str | None, str]]]:
    """The action with its sign, the object, and its fields: name, existing value (None for none)
    and new value."""
    action = operation["action"]
    fields = [
        (
            change.path,
            value_text(change.before) if change.exists else None,
            value_text(change.after),
        )
        for change in field_changes(operation)
    ]
    title, name = capitalised(operation["title"]), value_text(operation["name"])
    return action, ACTION_SIGNS[action], title, name, fields


def _existing(change: FieldChange) -> str | None:
    return value_text(change.before) if change.exists else None


def unmanaged_text(item: Unmanaged) -> str:
    """An object, what it takes away, since when, and why that is accepted."""
    details = [
        item["reason"] or "takes no protection away",
        f"since {item['since']}" if item["since"] else "",
        f"accepted: {item['accepted']}" if item["accepted"] else "",
    ]
    named = f"{capitalised(item['title'])} {item['key']}"
    return excerpt(f"{named}: {'; '.join(filter(None, details))}", MAX_VALUE)


def acknowledged_text(item: Acknowledged) -> str:
    """A state that is meant, why, and until when."""
    until = f", until {item['expires']}" if item["expires"] else ""
    return excerpt(f"{item['text']} Acknowledged: {item['reason']}{until}", MAX_VALUE)


def _holes_first(items: Sequence[Unmanaged]) -> list[Unmanaged]:
    holes = unaccepted(items)
    return [*holes, *(item for item in items if item not in holes)]


def _coverage(coverage: CoverageRecord) -> Iterator[tuple[str, str]]:
    for kind, pieces in coverage["components"].items():
        modes = [f"{' or '.join(piece['modes'])} for {piece['addresses']}" for piece in pieces]
        yield capitalised(component_title(kind)), "; ".join(modes) or "there is nothing to protect"
    networks: Mapping[str, Any] = coverage
    for name, title in SETS.items():
        if networks[name]:
            yield title, _first(networks[name])
    for sentence in coverage["undecided"]:
        yield "Not understood", sentence


def _first(networks: list[str]) -> str:
    where = " in report.json" if len(networks) > MAX_NETWORKS else ""
    return first_few(networks, MAX_NETWORKS) + where


def value_text(value: Any) -> str:
    """A value of a field as people read it; characters that control text are escaped."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (
        (text if text.isprintable() else visible(text))
        if 0 < len(text) <= MAX_VALUE
        else _unusual(text)
    )


def _unusual(text: str) -> str:
    return excerpt(visible(text), MAX_VALUE) or '""'
