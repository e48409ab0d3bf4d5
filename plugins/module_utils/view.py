# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module is to the engine: its options, what it reads, what it wishes for and what it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Sequence

from .declaration import Field, Object, Resource, State, options_of
from .wishes import Wishes

Options = Mapping[str, Any]
Spec = Dict[str, Dict[str, Any]]


@dataclass(frozen=True)
class View:
    """One module.

    `place` is the option that names the account or zone. `reads`, `wishes` and `shows` take the module's options;
    a view without `wishes` only reads. `pending` shows what is left of the way to enabled.
    """

    place: str
    options: Spec
    reads: Callable[[Options], Sequence[Resource]]
    shows: Callable[[Options, State], Mapping[str, Any]]
    wishes: Callable[[Options], Sequence[Wishes]] | None = None
    pending: Callable[[Sequence[Object]], Any] = list


def given(fields: Sequence[Field], options: Options) -> dict[str, Any]:
    """The options that are fields of a resource."""
    return {item.name: options.get(item.name) for item in fields}


def list_option(fields: tuple[Field, ...], more: Spec | None = None, required: bool = False) -> dict[str, Any]:
    """An option that takes a list of objects."""
    spec: dict[str, Any] = {"type": "list", "elements": "dict", "options": dict(more or {}, **options_of(fields))}
    return dict(spec, required=True) if required else spec
