# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic of a host on the report's page and in Markdown: a bar by component, and words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, Template
from markupsafe import Markup

from .record import HostTraffic, SeenTraffic
from .traffic import ACTIONS, networks_in_words, packets, period, sentences

SIGNS: Final = {"passed": "m", "would_drop": "n", "dropped": "x"}  # classes of the style sheet
NARROWEST = 0.6  # percent of the bar: a share that is not zero can be seen


@lru_cache(maxsize=1)
def _template() -> Template:
    path = Path(__file__).parent / "page" / "traffic.html.j2"
    return Environment(autoescape=True).from_string(path.read_text(encoding="utf-8"))


def traffic_part(traffic: HostTraffic | None) -> Markup:
    """The part of a host's details, empty where nobody asked for its traffic."""
    if traffic is None:
        return Markup("")
    components = [
        {
            "title": title,
            "bar": Markup(_bar(seen)),
            "words": words,
            "networks": list(networks_in_words(seen)),
            "advice": seen["advice"],
        }
        for title, words, seen in sentences(traffic)
    ]
    legend = [(SIGNS[name], words) for name, words in ACTIONS.items()]
    page = _template().render(period=period(traffic), components=components, legend=legend)
    return Markup(page)


def _bar(seen: SeenTraffic) -> str:
    """Passed, would have been dropped, dropped; it is made of numbers alone, and the words beside
    it say the same."""
    numbers = {name: packets(seen, name) or 0 for name in ACTIONS}
    whole = sum(numbers.values())
    if not whole:
        return ""
    shares = {
        name: max(NARROWEST, 100 * number / whole) for name, number in numbers.items() if number
    }
    scale, position, rectangles = 100 / sum(shares.values()), 0.0, []
    for name, share in shares.items():
        width = share * scale
        rectangles.append(
            f'<rect class="{SIGNS[name]}" x="{position:.4g}%" width="{width:.4g}%" height="100%"/>'
        )
        position += width
    return f'<svg class="bar" aria-hidden="true">{"".join(rectangles)}</svg>'


def traffic_lines(traffic: HostTraffic | None) -> Iterator[str]:
    """The same in lines of text."""
    if traffic is None:
        return
    for title, words, seen in sentences(traffic):
        yield f"{title} in {period(traffic)}: {words}"
        yield from networks_in_words(seen)
        yield from seen["advice"]
