# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A file of variables: stable YAML in which no text is taken for a template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

TEMPLATE_MARKS = ("{{", "{%", "{#")
LINE_BREAKS = ("\x85", "\u2028", "\u2029")  # which YAML folds into others unless they are escaped


class _Dumper(yaml.SafeDumper):
    """Writes lists inside of mappings indented, and texts that look like templates as `!unsafe`."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    if any(mark in text for mark in TEMPLATE_MARKS):
        return dumper.represent_scalar("!unsafe", text, style='"')
    style = '"' if any(character in text for character in LINE_BREAKS) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def variables_file(variables: Mapping[str, Any], comments: Iterable[str] = ()) -> str:
    """The text of a file of variables, behind its comments; it reads back as the same data."""
    lines = ["# " + " ".join(comment.split()) for comment in comments]
    body = yaml.dump(
        dict(variables), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000
    )
    return "\n".join(["---", *map(_printable, lines), body])


def _printable(line: str) -> str:
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in line
    )
