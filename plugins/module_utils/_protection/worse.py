# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The protection that one state has and another lacks: the comparison for all resources."""

from __future__ import annotations

from typing import Iterator

from .._schema.account import ALLOWLIST, COMPONENTS, PREFIXES, STATUS, rules_of_component
from .._schema.resource import Resource
from .coverage import Coverage
from .coverage_losses import account_losses
from .modes import Loss

RESOURCES_OF_ACCOUNT = (STATUS, PREFIXES, ALLOWLIST, *map(rules_of_component, COMPONENTS))


def worse(was: Coverage, becomes: Coverage, *resources: Resource) -> Iterator[Loss]:
    """The protection that the state `was` has and the state `becomes` lacks, by these resources."""
    for resource in resources:
        if resource in RESOURCES_OF_ACCOUNT or resource.component:
            yield from account_losses(resource, was, becomes)
        else:
            from .losses import losses_beside_account  # loaded for rules, lists and overrides

            yield from losses_beside_account(resource, was.state, becomes.state)
