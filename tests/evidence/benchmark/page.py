# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of docs/performance.md, with the chief lines, and the page of the details beside this file, with all."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tests.support.documents import with_table

from .measure import Measured, Row
from .processes import REPOSITORY

PAGE = REPOSITORY / "docs" / "performance.md"
DETAILS = Path(__file__).with_name("performance_details.md")
HEAD = "| work | against | ratio | seconds |"


def work(item: Measured) -> str:
    kind = {"MiB": ", peak memory", "calls": ", calls"}.get(item.row.unit, "")
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


def line(item: Measured) -> tuple[str, ...]:
    """The cells of a line of the details."""
    low, high = (number(bound(item.values), item) for bound in (min, max))
    seconds = "{:.3g} and {:.3g}".format(*item.seconds)
    met = "yes" if item.met else "no"
    return work(item), against(item), number(item.median, item), f"{low} to {high}", limit(item), met, seconds


def with_chief_lines(text: str, measured: Sequence[Measured], rows: Sequence[Row] = ()) -> str:
    """The page for users with its table of the chief lines brought up to date."""
    lines = [(*cells[:3], cells[-1]) for cells in (line(item) for item in measured if item.row.chief)]
    return with_table(text, HEAD, lines_of(text, lines, [row for row in rows if row.chief]))


def lines_of(text: str, lines: Sequence[tuple[str, ...]], rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The lines of a table; of rows that were not measured now, those that a page has."""
    known = {cells[:2]: cells for cells in (tuple(one.strip("| ").split(" | ")) for one in text.splitlines())}
    known.update({cells[:2]: cells for cells in lines})
    names = [(work(item), against(item)) for item in (Measured(row, [0.0]) for row in rows)]
    return [known[name] for name in names if name in known] if rows else [*lines]


def details(measured: Sequence[Measured], runs: int, machine: str, rows: Sequence[Row] = ()) -> str:
    """The whole page of the details."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    lines = lines_of(DETAILS.read_text(encoding="utf-8"), [line(item) for item in measured], rows)
    template = environment.get_template(f"{DETAILS.name}.j2")
    return template.render(lines=lines, runs=runs, machine=machine, met=sum(cells[5] == "yes" for cells in lines))


def write(measured: Sequence[Measured], runs: int, machine: str, rows: Sequence[Row]) -> Sequence[Path]:
    """Write both pages with these rows, of which not all need be measured now; their paths."""
    PAGE.write_text(with_chief_lines(PAGE.read_text(encoding="utf-8"), measured, rows), encoding="utf-8")
    DETAILS.write_text(details(measured, runs, machine, rows), encoding="utf-8")
    return PAGE, DETAILS
