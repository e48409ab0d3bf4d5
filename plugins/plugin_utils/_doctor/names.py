# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names and words of an answer that a person may read and pass on: none that could be a secret, an
address or an id."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ansible_collections.edgeops.protection.plugins.module_utils._text import plural

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
HEXADECIMAL = re.compile(r"[0-9a-fA-F-]{12,}")
DIGITS = re.compile(r"[0-9]{4,}")


def shown_name(value: object) -> str:
    """A short word as it is, and of anything else only its length or type."""
    if not isinstance(value, str):
        return f"({type(value).__name__})"
    is_word = WORD.fullmatch(value) and not HEXADECIMAL.search(value) and not DIGITS.search(value)
    if is_word:
        return value
    return f"(a text of {plural(len(value), 'character', 'characters')})"


def shown_names(values: Iterable[object]) -> list[str]:
    """Each of these once, in order."""
    return sorted({shown_name(value) for value in values})
