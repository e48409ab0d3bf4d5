# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Truth with three values: true, false, and not known with the reasons for it.

A part that is not known does not matter where the others decide: `false and x` is false whatever x
is.
"""

from __future__ import annotations

from typing import Iterable, NamedTuple, Union


class NotKnown(NamedTuple):
    """Neither true nor false; `reasons` are texts without a capital and without a full stop."""

    reasons: tuple[str, ...]


Truth = Union[bool, NotKnown]


def negation(one: Truth) -> Truth:
    """not"""
    return one if isinstance(one, NotKnown) else not one


def all_of(parts: Iterable[Truth]) -> Truth:
    """and; it asks for no part behind one that decides."""
    return _decided_by(False, parts)


def any_of(parts: Iterable[Truth]) -> Truth:
    """or; it asks for no part behind one that decides."""
    return _decided_by(True, parts)


def odd_of(parts: Iterable[Truth]) -> Truth:
    """xor: whether an odd number of the parts is true."""
    odd = False
    reasons: list[str] = []
    for part in parts:
        if isinstance(part, NotKnown):
            reasons.extend(part.reasons)
        else:
            odd ^= part
    return not_known(reasons) if reasons else odd


def not_known(reasons: Iterable[str]) -> NotKnown:
    """Not known, each reason once."""
    return NotKnown(tuple(dict.fromkeys(reasons)))


def _decided_by(decisive: bool, parts: Iterable[Truth]) -> Truth:
    reasons: list[str] = []
    for part in parts:
        if part is decisive:
            return decisive
        if isinstance(part, NotKnown):
            reasons.extend(part.reasons)
    return not_known(reasons) if reasons else not decisive
