# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docs/performance.md with the chief lines, and docs/performance_details.md with all, from their templates."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .measure import Measured
from .peer import FEW, MANY
from .processes import REPOSITORY

DOCS = REPOSITORY / "docs"
PAGE, DETAILS = "performance.md", "performance_details.md"


def work(item: Measured) -> str:
    kind = ", peak memory" if item.row.unit == "MiB" else ""
    return item.row.work + (", processors' time" if item.row.of_processors else kind)


def against(item: Measured) -> str:
    return f"{item.row.times:.3g} x {item.row.against}" if item.row.times != 1 else item.row.against


def number(value: float, item: Measured) -> str:
    """A ratio with two digits that say something, MiB, or seconds."""
    if item.row.unit:
        return f"{value:+.{int(item.row.unit == 's')}f} {item.row.unit}"
    return f"{value:.2g}" if abs(value) < 10 else f"{value:.0f}"


def limit(item: Measured) -> str:
    return f"+{item.row.at_most:g} {item.row.unit}" if item.row.unit else f"{item.row.at_most:g}"


def machine() -> str:
    """What the measurements run on, in a sentence."""
    programs = ", ".join(f"{name} {version(name)}" for name in ("ansible-core", "requests"))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores ({platform.machine()}) with {memory:.0f} GiB, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, {programs}. The load before the first run was {os.getloadavg()[0]:.1f}."
    )


def page(name: str, measured: Sequence[Measured], runs: int, machine: str) -> str:
    """The whole page of this name."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    environment.filters.update(work=work, against=against, number=number, limit=limit)
    template = environment.get_template(f"{name}.j2")
    return template.render(
        measured=measured,
        chief=[item for item in measured if item.row.chief],
        runs=runs,
        machine=machine,
        few=FEW,
        many=MANY,
        met=sum(item.met for item in measured),
    )


def write(measured: Sequence[Measured], runs: int, machine: str) -> Sequence[Path]:
    """Write both pages; their paths."""
    paths = [DOCS / name for name in (PAGE, DETAILS)]
    for path in paths:
        path.write_text(page(path.name, measured, runs, machine), encoding="utf-8")
    return paths
