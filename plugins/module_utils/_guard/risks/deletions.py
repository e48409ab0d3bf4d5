# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of deletions, which plans for any list can have, and of lists that rules refer to."""

from __future__ import annotations

from ..._schema.lists import LISTS, items_of
from ..._schema.resource import Resource
from .declaration import Limit, Risk, any_of

MAX_DELETIONS = Limit(
    "max_deletions_percent",
    30,
    100,
    ("The percentage of a list above which deletions in one plan are a risk.",),
)


def _loses_objects(resource: Resource) -> bool:
    """Return whether a plan can delete objects of a resource."""
    return bool(resource.delete) or resource.is_ordered


MASS_DELETION = Risk(
    "mass_deletion",
    "The plan would delete five objects or more, and more than O(limits.max_deletions_percent) of a"
    " list.",
    _loses_objects,
    (MAX_DELETIONS,),
)
EMPTIES_LIST = Risk(
    "empties_list",
    "The plan would leave a list empty by a purge or an expiry, and not because the task names"
    " each object that it deletes.",
    _loses_objects,
)
REMOVES_REFERENCED_LIST = Risk(
    "removes_referenced_list",
    "The plan would leave a list empty that rules refer to.",
    any_of(LISTS, items_of("")),
)

DELETION_RISKS = (MASS_DELETION, EMPTIES_LIST)
REFERENCED_LIST_RISKS = (REMOVES_REFERENCED_LIST,)
