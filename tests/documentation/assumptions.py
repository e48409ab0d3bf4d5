# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page of the assumptions, which follows from their declaration."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.findings import Assumption, assumptions

PAGE = Path(__file__).parents[2] / "docs" / "assumptions.md"
TEXT = """# Assumptions about Cloudflare's API

The collection takes these statements for granted; each has its source, and what goes wrong if it does not hold. `make docs-update`
makes this page of `plugins/plugin_utils/_doctor/assumptions.yml`. The [doctor](doctor.md) says which of these assumptions hold
for your account; it names them as the first column does.

A source is the title of a page of Cloudflare's public documentation. If it is "none", no public page says so: the
assumption is our own, and the collection is built to do no harm if it is wrong.

## Seen in reads

{reads}
## Seen in writes only

The doctor does not write, so it says nothing about these. Every module reads before and after its writes, and reports the
state that it finds.

{writes}"""


def assumptions_page() -> str:
    """The whole page."""
    return TEXT.format(
        reads=table(item for item in assumptions() if not item.shown_by_writes),
        writes=table(item for item in assumptions() if item.shown_by_writes),
    )


def table(items: Iterable[Assumption]) -> str:
    """One row for each assumption."""
    head = "| name | assumption | source | if it does not hold |\n|---|---|---|---|\n"
    return head + "".join(
        f"| `{item.name}` | {item.statement} | {item.source or 'none'} | {item.otherwise} |\n" for item in items
    )
