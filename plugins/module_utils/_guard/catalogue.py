# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether all that objects name exists, such as the managed rules of an override: it is read before
anything is written."""

from __future__ import annotations

from typing import Callable, NamedTuple, Sequence

from .._errors import ServiceError
from .._plan.plan import Plan
from .._schema.resource import Object, Resource
from .._text import Message


class CatalogueCheck(NamedTuple):
    """What a plan names that does not exist, and why that is not known; both empty if all of it
    exists."""

    refused: str = ""
    unknown: str = ""


def check_catalogue(plan: Plan, read: Callable[[Resource], Sequence[Object]]) -> CatalogueCheck:
    """Whether all that a plan names exists; `read` is called only if it names something anew."""
    resources = {item.resource.plural: item.resource for item in plan.operations}
    refused: list[str] = []
    unknown: list[str] = []
    for resource in resources.values():
        check = _check(plan, resource, read)
        refused += filter(None, [check.refused])
        unknown += filter(None, [check.unknown])
    return CatalogueCheck(" ".join(refused), " ".join(unknown))


def _check(
    plan: Plan, resource: Resource, read: Callable[[Resource], Sequence[Object]]
) -> CatalogueCheck:
    catalogue = resource.catalogue
    if catalogue is None:
        return CatalogueCheck()
    naming = [
        item
        for item in plan.operations
        if item.resource.plural == resource.plural
        and any(item.fields.get(name) for name in catalogue.fields)
    ]
    if not naming:
        return CatalogueCheck()
    not_known = f"Whether all that the {resource.titles} name exists is not known: "
    try:
        (listed,) = read(resource.catalogue_object())
        clauses = [
            f"{resource.title} {item.label} {clause}"
            for item in naming
            for clause in catalogue.unknown(item.planned or {}, listed)
        ]
    except ServiceError as exc:
        return CatalogueCheck(unknown=Message(not_known, exc.message))
    except ValueError as exc:
        return CatalogueCheck(unknown=f"{not_known}{exc}.")
    return CatalogueCheck(f"The {'; '.join(clauses)}. Correct them." if clauses else "")
