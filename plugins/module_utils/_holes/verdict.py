# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether one object takes protection away from others."""

from __future__ import annotations

from typing import AbstractSet, Mapping, NamedTuple

from .._schema.resource import Key

Named = Mapping[str, AbstractSet[Key]]  # by plural: the keys of the objects that a task names


class Verdict(NamedTuple):
    """Whether an object takes protection away (None: it may), and how: a sentence without its
    subject."""

    weakens: bool | None
    reason: str


HARMLESS = Verdict(False, "")
