# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names with letters beyond ASCII: Cloudflare lists a zone as people write it, and requests have
Punycode.

The labels are those of IDNA 2008, in which ß stays a letter; the codec of Python's standard library
has IDNA 2003.
"""

from __future__ import annotations

import unicodedata

PUNYCODE_PREFIX = "xn--"


def in_punycode(name: str) -> str:
    """The hostname as requests contain it: `xn--mnchen-3ya.example` for `münchen.example`."""
    return ".".join(map(_encoded, name.split(".")))


def in_letters(name: str) -> str:
    """The hostname as people write it: `münchen.example` for `xn--mnchen-3ya.example`. A label that
    is not valid Punycode is left as it is."""
    return ".".join(map(_decoded, name.split(".")))


def _encoded(label: str) -> str:
    composed = unicodedata.normalize("NFC", label)
    if composed.isascii():
        return composed
    return PUNYCODE_PREFIX + composed.encode("punycode").decode("ascii")


def _decoded(label: str) -> str:
    if not label.startswith(PUNYCODE_PREFIX):
        return label
    try:
        letters = label[len(PUNYCODE_PREFIX) :].encode("ascii").decode("punycode")
    except UnicodeError:
        return label
    if letters.isprintable() and _encoded(letters) == label:
        return letters
    return label
