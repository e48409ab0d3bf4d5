# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expressions that strangers wrote in public, and that the parser of the vendor's engine takes."""

from __future__ import annotations

from pathlib import Path

import yaml


def expressions_of_strangers() -> list[str]:
    """The expressions, each once."""
    document = yaml.safe_load(Path(__file__).with_name("strangers.yml").read_text(encoding="utf-8"))
    return [expression for expressions in document.values() for expression in expressions]
