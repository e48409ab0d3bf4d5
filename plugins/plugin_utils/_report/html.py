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
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, Template
from markupsafe import Markup

from ...module_utils._text import INVISIBLE, capitalised, first_few, left_out, plural, visible
from . import coverage, overview, record, traffic

PAGE = Path(__file__).parent / "page"
SHOWN_NETWORKS = 12  # are shown of a set; report.json has all
MAX_PREFIXES = 200  # that have the same modes are shown
ACCOUNT_ID = re.compile("[0-9a-f]{32}")
PrefixModes = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]  # now and planned, by component
DASHBOARD = "https://dash.cloudflare.com/"

# Line feeds are the page's own; those of data are escaped before.
UNSEEN_IN_PAGES = re.compile(INVISIBLE.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))


def html_page(report: record.Report) -> str:
    """The page of a report."""
    template, style, script = _template()
    policy = (
        f"default-src 'none'; style-src 'sha256-{_hash(style)}'; script-src"
        f" 'sha256-{_hash(script)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    groups = overview.group_names(report["hosts"])
    page = template.render(
        report=report,
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        present={host["host"] for host in report["hosts"]},
        shared=overview.shared_operations(report["hosts"]),
        groups=groups,
        places={name: place for place, (name, _number) in enumerate(groups)},
    )
    return UNSEEN_IN_PAGES.sub(lambda match: visible(match.group()), page)


@lru_cache(maxsize=1)
def _template() -> tuple[Template, str, str]:
    """The template, the style sheet and the script."""
    environment = Environment(autoescape=True)
    environment.globals.update(coverage=coverage, overview=overview, record=record, traffic=traffic)
    environment.globals.update({function.__name__: function for function in CALLED})
    environment.filters["capitalised"] = capitalised
    environment.tests["idle"] = record.is_idle
    texts = [
        (PAGE / name).read_text(encoding="utf-8")
        for name in ("page.html.j2", "style.css", "script.js")
    ]
    return environment.from_string(texts[0]), texts[1], texts[2]


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def dashboard(host: record.HostRecord) -> str:
    """The address of an account in Cloudflare's dashboard; nothing else gets into a link."""
    account_id = host["account_id"]
    fits = account_id and ACCOUNT_ID.fullmatch(account_id)
    return f"{DASHBOARD}{account_id}" if fits else ""


def prefix_rows(prefixes: Sequence[coverage.PrefixRecord]) -> list[tuple[str, PrefixModes]]:
    """Prefixes with the same modes as one row: their names, and by component the modes now and
    after a run; those that change come first."""
    rows = record.values_by_key((_modes_of(item), item["prefix"]) for item in prefixes)
    ordered = sorted(rows.items(), key=lambda row: all(now == after for now, after in row[0]))
    return [(first_networks(names, MAX_PREFIXES), modes) for modes, names in ordered]


def _modes_of(prefix: coverage.PrefixRecord) -> PrefixModes:
    every = prefix["components"].values()
    return tuple((tuple(modes["now"]), tuple(modes["planned"])) for modes in every)


def first_networks(networks: Sequence[str], most: int = SHOWN_NETWORKS) -> str:
    """The first networks of a set, and where the others are."""
    where = " in report.json" if len(networks) > most else ""
    return first_few(networks, most) + where


# The template calls these by their names.
CALLED = (dashboard, first_networks, left_out, plural, prefix_rows)
