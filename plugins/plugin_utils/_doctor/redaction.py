# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts without what is private: addresses, ids, names of domains, e-mail addresses, and long
words."""

from __future__ import annotations

import re

from ansible_collections.edgeops.protection.plugins.module_utils._text import excerpt, visible

MAX_TEXT = 300  # characters
PRIVATE = (
    (re.compile(r"[^\s@'\"<>]+@[^\s@'\"<>]+"), "(e-mail)"),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "(id)"),
    (re.compile(r"\b[0-9a-fA-F]{16,}\b"), "(id)"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?"), "(address)"),
    (re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?:/\d{1,3})?"), "(address)"),
    (re.compile(r"\b(?:[\w-]+\.)+[A-Za-z][A-Za-z-]+\b(?!\()"), "(name)"),
    (re.compile(r"[A-Za-z0-9_-]{30,}"), "(text)"),
)


def redacted(text: str) -> str:
    """The text in one line, with a word in brackets for each private part."""
    for pattern, word in PRIVATE:
        text = pattern.sub(word, text)
    return visible(excerpt(" ".join(text.split()), MAX_TEXT))
