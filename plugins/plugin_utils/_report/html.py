# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as one HTML page that makes no request; everything in it that comes from elsewhere is
text."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

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

from .coverage import component_title
from .document import MEANINGS
from .overview import (
    MAX_VALUE,
    Link,
    OperationTexts,
    anchor,
    as_others,
    group_names,
    operation_texts,
    overview,
    shared_operations,
    shown,
    signature,
)
from .record import (
    CLASSES,
    FAMILIES,
    LABELS,
    STATUSES,
    Acknowledged,
    AddressCounts,
    ClassCounts,
    Counted,
    CoverageRecord,
    Difference,
    Family,
    HostRecord,
    PrefixRecord,
    Report,
    Totals,
    Unmanaged,
    refused,
    shown_as,
    unaccepted,
)
from .results import expected_lines
from .traffic import traffic_part

TITLES = {"ipv4": "IPv4", "ipv6": "IPv6"}
SIGNS = {"covered": "c", "monitored": "m", "undecided": "u", "uncovered": "n", "excluded": "x"}
CLASS_LABELS = {
    "covered": "mitigated",
    "monitored": "mitigated in part, or only monitored",
    "undecided": "not understood",
    "uncovered": "not covered",
    "excluded": "excluded",
}
SUBNET = 1 << 64  # people count IPv6 addresses in networks of this size


class Bar(NamedTuple):
    """One bar: the family of the addresses, an inline SVG, and the same in words."""

    family: str
    svg: str
    words: str


def bars(addresses: AddressCounts) -> Iterator[Bar]:
    """A bar for each family that has addresses; `addresses` has numbers by family and class."""
    for family in FAMILIES:
        numbers = addresses[family]
        whole = sum(numbers.values())
        if whole:
            words = in_words(family, numbers)
            yield Bar(TITLES[family], _svg(numbers, whole, f"{TITLES[family]}: {words}"), words)


def in_words(family: Family, numbers: ClassCounts) -> str:
    """The classes that have addresses, such as `240 mitigated, 16 excluded`."""
    counted = [
        f"{amount(family, numbers[name])} {CLASS_LABELS[name]}" for name in CLASSES if numbers[name]
    ]
    return ", ".join(counted) or "no addresses"


def amount(family: str, number: int) -> str:
    """A number of addresses; IPv6 in /64 networks, where it is at least one."""
    if family == "ipv6" and number >= SUBNET:
        return f"{number // SUBNET:,} /64"
    return f"{number:,}"


def _svg(numbers: ClassCounts, whole: int, label: str) -> str:
    """The bar; all of it is made of numbers and words of this file."""
    rectangles, position = [], 0.0
    for name in CLASSES:
        width = 100 * numbers[name] / whole
        if numbers[name]:
            rectangles.append(
                f'<rect class="{SIGNS[name]}" x="{position:.4g}%" width="{width:.4g}%"'
                ' height="100%"/>'
            )
        position += width
    return f'<svg class="bar" role="img" aria-label="{label}">{"".join(rectangles)}</svg>'


PAGE = Path(__file__).parent / "page"
MAX_NETWORKS = 12  # are shown of a set; report.json has all
MAX_PREFIXES = 200  # that have the same modes are shown
ACCOUNT_ID = re.compile("[0-9a-f]{32}")
DASHBOARD = "https://dash.cloudflare.com/"
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
    totals, hosts = report["totals"], report["hosts"]
    shared = shared_operations(hosts)
    groups = group_names(hosts)
    around = _Around(as_others(shared), {name: place for place, (name, _n) in enumerate(groups)})
    return {
        "policy": policy,
        "style": style,
        "script": script,
        "title": f"Protection of {plural(totals['hosts'], 'host', 'hosts')}, {_day(report)}",
        "hosts_in_words": plural(totals["hosts"], "host", "hosts"),
        "lead": lead(totals),
        "generated": report["generated"],
        "moment": shown(report["generated"]),
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
        "numbers": list(_numbers(report)),
        "parts": overview(report, shared),
        "groups": groups,
        "hosts": (_host(record, around) for record in hosts),
    }


class _Around(NamedTuple):
    """What hosts refer to on the page: shared operations by what they do, and groups by name."""

    others: Mapping[str, Link]
    groups: Mapping[str, int]


def _day(report: Report) -> str:
    return shown(report["generated"]).partition(" ")[0]


def _numbers(report: Report) -> Iterator[tuple[int, str]]:
    """Numbers, and their nouns."""
    totals = report["totals"]
    accounts = sum(1 for record in report["hosts"] if record["mitigates"] is not None)
    verb = "mitigates" if totals["mitigating"] == 1 else "mitigate"
    yield totals["mitigating"], f"of {plural(accounts, 'account', 'accounts')} {verb} attacks"
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


def _host(record: HostRecord, around: _Around) -> dict[str, Any]:
    reasons, coverage = record["reasons"], record["coverage"]
    pending = [step["message"] for step in record["pending"]]
    number = refused(record["risks"])
    places = around.groups
    values: Mapping[str, Any] = record
    return {
        "anchor": anchor(record["host"]),
        "groups": " ".join(str(places[name]) for name in record["groups"] if name in places),
        "status": record["status"],
        "label": LABELS[record["status"]],
        "name": record["host"],
        "why": reasons[0] if reasons else MEANINGS["in_order"],
        "counts": " · ".join(_counts(record)),
        "refused": plural(number, "risk refused", "risks refused") if number else "",
        "bars": [item.svg for item in _bars(coverage["addresses"])] if coverage else [],
        "reasons": [reason for reason in reasons if reason not in pending],
        "risks": record["risks"],
        "operations": [_operation(item, around) for item in record["operations"]],
        "pending": pending,
        "unmanaged": [unmanaged_text(item) for item in _holes_first(record["unmanaged"])],
        "changes": [excerpt(item["text"], MAX_VALUE) for item in record["changes"] or ()],
        "acknowledged": [acknowledged_text(item) for item in record["acknowledged"]],
        "expectations": list(expected_lines(record["expectations"])),
        "traffic": traffic_part(record["traffic"]),
        "components": _components(record["prefixes"]),
        "prefixes": _prefixes(record["prefixes"]),
        "coverage": list(_coverage(coverage)) if coverage else [],
        "dashboard": _dashboard(record["account_id"]),
        "ids": [
            (name, values[key])
            for name, key in (("Account", "account_id"), ("Zone", "zone_id"), ("Plan", "plan_id"))
            if values[key]
        ],
    }


def _operation(operation: Difference, around: _Around) -> tuple[OperationTexts, Link | None]:
    """An operation, and where the page shows it with the other hosts that have it."""
    return operation_texts(operation), around.others.get(signature(operation))


def _dashboard(account_id: str | None) -> str:
    """The address of an account in Cloudflare's dashboard; nothing else gets into a link."""
    fits = account_id and ACCOUNT_ID.fullmatch(account_id)
    return f"{DASHBOARD}{account_id}" if fits else ""


def _components(prefixes: Sequence[PrefixRecord]) -> list[str]:
    kinds = prefixes[0]["components"] if prefixes else {}
    return [capitalised(component_title(kind)) for kind in kinds]


def _prefixes(prefixes: Sequence[PrefixRecord]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Prefixes with the same modes as one row: their names, and by component the modes now and
    after a run; those that change come first."""
    rows: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for item in prefixes:
        components = item["components"].values()
        modes = tuple((_modes(mode["now"]), _modes(mode["planned"])) for mode in components)
        rows.setdefault(modes, []).append(item["prefix"])
    ordered = sorted(rows.items(), key=lambda row: all(now == after for now, after in row[0]))
    return [(_first(names, MAX_PREFIXES), list(modes)) for modes, names in ordered]


def _modes(modes: Sequence[str]) -> str:
    return " or ".join(modes) or "not protected"


def _counts(record: HostRecord) -> Iterator[str]:
    nouns = dict(shown_as(Counted))
    if record["operations"]:
        yield nouns["operations"].in_words(len(record["operations"]))
    if record["pending"]:
        yield nouns["pending"].in_words(len(record["pending"]))
    if record["unmanaged"]:
        yield f"{len(record['unmanaged'])} unmanaged"
    if record["mitigates"] is not None:
        yield _mitigation(record) if record["mitigates"] else "mitigates nothing"


def _mitigation(record: HostRecord) -> str:
    """Of how many protected addresses a host that mitigates does so in full."""
    if not record["coverage"]:
        return "mitigates"
    for family in FAMILIES:
        numbers = record["coverage"]["addresses"][family]
        whole = sum(numbers.values()) - numbers["excluded"]
        if numbers["covered"] < whole:
            if not numbers["covered"]:
                return "mitigates in part"
            some = f"{amount(family, numbers['covered'])} of {amount(family, whole)}"
            return f"mitigates in full for {some} {TITLES[family]} addresses"
    return "mitigates attacks on all protected addresses"


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


def _first(networks: Sequence[str], most: int = MAX_NETWORKS) -> str:
    where = " in report.json" if len(networks) > most else ""
    return first_few(networks, most) + where
