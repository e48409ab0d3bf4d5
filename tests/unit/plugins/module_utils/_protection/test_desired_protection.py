# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The switches that a baseline leaves out, of objects of an account."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import as_desired, make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.desired_protection import plan_as_described
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import FILTERS, PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource

FILTER, PREFIX = {"expression": "tcp.dstport eq 80"}, {"prefix": "192.0.2.0/24"}


@pytest.mark.parametrize(
    ("resource", "named", "existing", "changes"),
    [
        (FILTERS[0], FILTER, {"mode": "disabled"}, [{"mode": "monitoring"}]),
        (FILTERS[0], FILTER, {"mode": "monitoring"}, []),
        (FILTERS[0], FILTER, {"mode": "enabled"}, []),
        (PREFIXES, PREFIX, {"excluded": True}, [{"excluded": False}]),
        (PREFIXES, PREFIX, {"excluded": False}, []),
    ],
)
def test_a_switch_that_protects_less_is_set_back(
    resource: Resource, named: dict[str, Any], existing: dict[str, Any], changes: list[dict[str, Any]]
) -> None:
    before = {resource.plural: [{"id": "1", **named, **existing}]}
    desired = parse_desired(resource, numbered("entries", [named]))
    plan = plan_as_described(partial(make_plan, before), [desired], as_desired)
    assert [item.fields for item in plan.operations] == changes
