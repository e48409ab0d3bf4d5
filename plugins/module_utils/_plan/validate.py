# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What Cloudflare would refuse, or may refuse, of the values that a task asks for: said before any
request."""

from __future__ import annotations

from typing import Sequence

from .._errors import OptionError
from .._schema.resource import Field, Resource, Values
from .._text import Message, Option
from .desired import Desired


def examine(desired: Sequence[Desired]) -> list[str]:
    """What reading the options changed, and warnings of what Cloudflare may refuse, each with its
    option; raises OptionError for what it would refuse.

    What an absent object was like does not matter, so its values are not examined.
    """
    remarks = [remark for item in desired if not item.absent for remark in item.remarks]
    return remarks + [
        warning
        for item in desired
        if not item.absent
        for key, values in item.objects.items()
        for warning in _examine_object(item.resource, item.paths[key], values)
    ]


def _examine_object(resource: Resource, path: Option, values: Values) -> list[str]:
    try:
        return _examine_fields(resource.fields, path, values)
    except OptionError as exc:
        if exc.option in [path.at(name) for name in resource.key]:
            raise
        raise OptionError(
            exc.option,
            Message(exc.problem, f" ({resource.title} {resource.label_of(values)})"),
        ) from exc


def _examine_fields(fields: tuple[Field, ...], path: Option, values: Values) -> list[str]:
    warnings: list[str] = []
    for item in fields:
        if item.name not in values:
            continue
        if item.fields:
            warnings.extend(_examine_fields(item.fields, path.at(item.name), values[item.name]))
            continue
        try:
            warnings.extend(
                Message(path.at(item.name), f": {warning}.")
                for warning in item.value.examine(values[item.name])
            )
        except ValueError as exc:
            raise OptionError(path.at(item.name), str(exc)) from exc
    return warnings
