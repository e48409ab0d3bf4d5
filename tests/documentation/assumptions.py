# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page of the assumptions, which follows from their declaration."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.record import Assumption, assumptions

PAGE = Path(__file__).parents[2] / "docs" / "assumptions.md"
TEXT = """# Assumptions about Cloudflare's API

The collection takes these statements for granted; each has its source, and what goes wrong if it does not hold. `make docs-update`
makes this page of `plugins/plugin_utils/_doctor/assumptions.yml`.

A source is the title of a page of Cloudflare's public documentation. If it is "none", no public page says so: the
assumption is our own, and the collection is built to do no harm if it is wrong.

## What the doctor looks at

The [doctor](doctor.md) says which of these hold for your account; it names them as the first column does.

{checked}
## What it does not look at

Only a write shows these, or a module notices it by itself. Every module reads before and after its writes, and reports the
state that it finds.

{others}"""


def assumptions_page() -> str:
    """The whole page."""
    return TEXT.format(
        checked=table(item for item in assumptions() if item.is_checked),
        others=table(item for item in assumptions() if not item.is_checked),
    )


def table(items: Iterable[Assumption]) -> str:
    """One row for each assumption."""
    head = "| name | assumption | source | if it does not hold |\n|---|---|---|---|\n"
    return head + "".join(
        f"| `{item.name}` | {item.statement} | {item.source or 'none'} | {item.otherwise} |\n" for item in items
    )
