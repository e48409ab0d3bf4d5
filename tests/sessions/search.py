# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Searches the index of the built site as its script does: `python -m tests.sessions.search SITE`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.searches import SEARCHES

stem_of = import_module("snowballstemmer").stemmer("english").stemWord  # as Sphinx builds the index


def read_index(site: Path) -> Any:
    """The index: page names, and pages by stem, in texts and in titles."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(text[text.index("(") + 1 : text.rindex(")")])


def pages_of(index: Mapping[str, Any], query: str) -> set[str]:
    """The pages that have every word of a query, in their text or in a title."""
    hits = []
    for word in re.findall(r"\w+", query.lower()):
        numbers: set[int] = set()
        for part in ("terms", "titleterms"):
            found = index[part].get(stem_of(word), index[part].get(word, []))
            numbers.update(found if isinstance(found, Sequence) else [found])
        hits.append({index["docnames"][number] for number in numbers})
    return set.intersection(*hits)


def main(site: Path) -> int:
    """Print the searches that do not find their page; 0 if there are none."""
    index = read_index(site)
    lost = [query for query, page in SEARCHES.items() if f"docs/{page}" not in pages_of(index, query)]
    for query in lost:
        print(f"The search for {query!r} does not find docs/{SEARCHES[query]}.")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
