# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a baseline expects of single requests and packets: as data, as reasons, and as lines of a
page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._expectations.check import (
    in_words,
    with_rule,
)
from ansible_collections.edgeops.protection.plugins.module_utils._expectations.outcome import (
    UNDECIDED,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import excerpt

from .record import Expected

MAX_LINE = 600  # characters
ORDER = (False, None, True)  # what is unmet comes first


def expected_records(module: str, result: Mapping[str, Any]) -> list[Expected]:
    """The expectations of a result."""
    return [_record(module, item) for item in result.get("expectations") or ()]


def _record(module: str, item: Mapping[str, Any]) -> Expected:
    before = item["before"]
    return Expected(
        module=module,
        description=str(item["description"]),
        expected=in_words(item["expected"]),
        actual=_actual(before),
        met=before["met"],
        planned=item["met"],
        reasons=[str(reason) for reason in item["reasons"]],
    )


def _actual(before: Mapping[str, Any]) -> str:
    if before["met"] is False and before["actual"] == UNDECIDED:
        return "another outcome, undecided which one"
    return with_rule(before["actual"], before["rule"])


def is_unmet(result: Mapping[str, Any]) -> bool:
    """Whether a result is a failure of which an expectation is a cause: Cloudflare was read."""
    unmet = [item for item in result.get("expectations") or () if item["met"] is not True]
    return bool(result.get("failed") and unmet and "operations" in result)


def unmet_reasons(records: Sequence[Expected]) -> list[str]:
    """A sentence on each expectation that does not hold now."""
    return [
        f"An expectation is unmet: {item['description']}: expected {item['expected']}, but"
        f" {item['actual']}."
        for item in records
        if item["met"] is False
    ]


def refusing(records: Sequence[Expected]) -> list[str]:
    """What makes a run refuse the plan, in a word or none."""
    return ["expectations"] if any(item["planned"] is not True for item in records) else []


def expected_lines(records: Sequence[Expected]) -> Iterator[str]:
    """A line on each expectation, those first that do not hold."""
    for item in sorted(records, key=lambda item: ORDER.index(item["met"])):
        state = {True: "met", False: "unmet", None: "undecided"}[item["met"]]
        after = "" if item["planned"] is item["met"] else _after(item)
        reasons = "; ".join(item["reasons"]) if None in (item["met"], item["planned"]) else ""
        parts = [
            f"{state}: {item['description']}: expected {item['expected']}, now {item['actual']}"
        ]
        yield excerpt("; ".join([*parts, *filter(None, (after, reasons))]), MAX_LINE)


def _after(item: Expected) -> str:
    words = {True: "met", False: "unmet", None: "undecided"}
    return f"{words[item['planned']]} after a run"
