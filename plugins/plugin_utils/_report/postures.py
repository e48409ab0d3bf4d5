# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Postures as the report has them: a record, and a line beside the status of a host."""

from __future__ import annotations

from typing import Annotated, TypedDict

from ...module_utils._text import excerpt
from ...module_utils._timestamps import to_the_minute

MAX_LINE = 200  # characters


class PostureRecord(TypedDict):
    """A posture of a host: values that hold until a time."""

    name: Annotated[str | None, "null if the host has the values themselves"]
    until: Annotated[str, "the moment from which the baseline alone counts"]
    reason: str | None
    since: Annotated[str | None, "null if nobody said it"]


def with_posture(text: str, posture: PostureRecord | None) -> str:
    """A text on a host, and its posture."""
    if not posture:
        return text
    since = f" since {to_the_minute(posture['since'])}" if posture["since"] else ""
    reason = f" ({posture['reason']})" if posture["reason"] else ""
    named = f"posture {posture['name']}" if posture["name"] else "a posture"
    line = f"{named}{since} until {to_the_minute(posture['until'])}{reason}"
    return ", ".join(filter(None, [text, excerpt(line, MAX_LINE)]))
