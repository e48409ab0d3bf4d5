# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts that carry a mark, as releases of ansible-core before 2.19 have them."""

from __future__ import annotations


def itself(text: str) -> str:
    return text


class Marked(str):
    """Its own text is marked, too."""

    __str__ = itself
