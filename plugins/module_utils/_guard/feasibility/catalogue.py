# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether all that objects name exists, such as the managed rules of an override: it is read before
anything is written."""

from __future__ import annotations

from ..._errors import ServiceError
from ..._plan.plan import Plan
from ..._schema.resource import ReadCollection, Resource
from ..._text import Message, joined
from ..checked import Feasibility


def check_catalogue(plan: Plan, read: ReadCollection) -> Feasibility:
    """Whether all that a plan names exists; `read` is called only if it names something anew."""
    resources = {item.resource.plural: item.resource for item in plan.operations}
    checks = [_check(plan, resource, read) for resource in resources.values()]
    return Feasibility(
        " ".join(filter(None, (item.refused for item in checks))),
        joined(" ", filter(None, (item.unknown for item in checks))),
    )


def _check(plan: Plan, resource: Resource, read: ReadCollection) -> Feasibility:
    catalogue = resource.catalogue
    if catalogue is None:
        return Feasibility()
    naming = [
        item
        for item in plan.operations
        if item.resource.plural == resource.plural
        and any(item.fields.get(name) for name in catalogue.fields)
    ]
    if not naming:
        return Feasibility()
    not_known = f"Whether all that the {resource.titles} name exists is not known: "
    try:
        (listed,) = read(resource.catalogue_object())
        clauses = [
            f"{resource.title} {item.label} {clause}"
            for item in naming
            for clause in catalogue.unknown(item.planned or {}, listed)
        ]
    except ServiceError as exc:
        return Feasibility(unknown=Message(not_known, exc.message))
    except ValueError as exc:
        return Feasibility(unknown=f"{not_known}{exc}.")
    return Feasibility(f"The {'; '.join(clauses)}. Correct them." if clauses else "")
