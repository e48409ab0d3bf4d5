# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documentation site: guides in Markdown, and the reference that antsibull-docs makes of the plugins and roles."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

SOURCE = Path(__file__).resolve().parent
GALAXY: dict[str, Any] = yaml.safe_load((SOURCE / "galaxy.yml").read_text(encoding="utf-8"))
GUIDE = re.compile(r"^\| \[(?P<title>[^]]+)\]\((?P<page>[\w.]+)\.md\)", re.MULTILINE)
LINK = re.compile(r"\]\((?P<path>[\w./-]+)\)")
CONTENTS = """.. contents::
   :local:
   :depth: 1
"""  # which the theme shows beside the page
CARD = """:::{{grid-item-card}} {caption}
{entries}
:::
"""
TOCTREE = """```{{toctree}}
:hidden:
:caption: {caption}

{entries}
```
"""

# Entries of the index: the search takes no numbers, and finds these.
ENTRIES = {"docs/rate_limit": ["429", "HTTP 429"]}

project = "edgeops.protection"
author = "The edgeops.protection authors"
copyright = f"2026, {author}"
release = version = os.environ.get("DOCS_VERSION") or f"{GALAXY['version']}, not released"

extensions = ["myst_parser", "sphinx_antsibull_ext", "sphinx_copybutton", "sphinx_design"]
html_theme = "furo"
html_title = f"edgeops.protection {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {
    "source_repository": GALAXY["repository"],
    "source_branch": "main",
    "source_directory": "",
}
html_copy_source = False
pygments_style = "ansible"
pygments_dark_style = "monokai"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
copybutton_prompt_text = "$ "
# The reference links to labels of Ansible's own documentation, which only a build with network could resolve.
suppress_warnings = ["ref.ref"]


def sections(index: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The sections of docs/README.md that list pages: caption, and the titles and names of the pages."""
    for section in index.split("\n## ")[1:]:
        caption, _newline, text = section.partition("\n")
        pages = [(row["title"], row["page"]) for row in GUIDE.finditer(text)]
        if pages:
            yield caption, pages


def start_page(text: str, index: str) -> str:
    """The start page with a card and a table of contents for each section of docs/README.md."""
    cards = contents = ""
    for caption, pages in sections(index):
        cards += CARD.format(
            caption=caption,
            entries="\n".join(f"- [{title}](docs/{page}.md)" for title, page in pages),
        )
        entries = "\n".join(f"{title} <docs/{page}>" for title, page in pages)
        contents += TOCTREE.format(caption=caption, entries=entries)
    return text.replace("<!-- cards -->", cards).replace("<!-- guides -->", contents)


def read_source(app: Any, page: str, text: list[str]) -> None:
    """List the pages on the start page; link files that are no pages of the site to the repository."""
    if page == "index":
        text[0] = start_page(text[0], (SOURCE / "docs/README.md").read_text(encoding="utf-8"))

    def target(link: re.Match[str]) -> str:
        path = (SOURCE / page).parent.joinpath(link["path"]).resolve()
        return (
            link[0]
            if path.is_file()
            else f"]({GALAXY['repository']}/blob/main/{path.relative_to(SOURCE)})"
        )

    text[0] = LINK.sub(target, text[0]).replace(CONTENTS, "")
    for entry in ENTRIES.get(page, ()):
        text[0] += f"\n```{{index}} single: {entry}\n```\n"


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("source-read", read_source)
