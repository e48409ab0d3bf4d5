# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Searches the index of the built site as its script does: `python -m tests.sessions.search SITE`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.searches import SEARCHES

stem_of = import_module("snowballstemmer").stemmer("english").stemWord  # as Sphinx builds the index


def read_index(site: Path) -> Any:
    """The index: page names, and pages by stem, in texts and in titles."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(text[text.index("(") + 1 : text.rindex(")")])


def read_stopwords(site: Path) -> set[str]:
    """The words that the search leaves out of a query."""
    text = (site / "_static" / "language_data.js").read_text(encoding="utf-8")
    match = re.search(r"stopwords = new Set\((\[.*?\])\)", text, re.DOTALL)
    if match is None:
        raise ValueError(f"{site} has no list of stopwords")
    return set(json.loads(match[1]))


def pages_of(index: Mapping[str, Any], stopwords: Collection[str], query: str) -> set[str]:
    """The pages that a query finds: by all of its words in texts and titles, or by an entry of the index.

    The script drops words that are numbers, so that only an entry finds these.
    """
    names = index["docnames"]
    pages = {
        names[place[0]]
        for entry, places in index["indexentries"].items()
        if query in entry.lower() and len(query) * 2 >= len(entry)
        for place in places
    }
    words = [word for word in re.findall(r"\w+", query.lower()) if word not in stopwords and not word.isdigit()]
    hits = [
        {names[number] for part in ("terms", "titleterms") for number in _numbers(index[part], word)} for word in words
    ]
    return pages | (set.intersection(*hits) if hits else set())


def _numbers(terms: Mapping[str, Any], word: str) -> Sequence[int]:
    """The pages with a word, of which the index has one number or several."""
    numbers: int | list[int] = terms.get(stem_of(word), terms.get(word, []))
    return [numbers] if isinstance(numbers, int) else numbers


def main(site: Path) -> int:
    """Print the searches that do not find their page; 0 if there are none."""
    index, stopwords = read_index(site), read_stopwords(site)
    found = {query: pages_of(index, stopwords, query) for query in SEARCHES}
    lost = [query for query, page in SEARCHES.items() if f"docs/{page}" not in found[query]]
    for query in lost:
        print(f"The search for {query!r} does not find docs/{SEARCHES[query]}.")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
