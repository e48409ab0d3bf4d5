# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The nodes of the analytics, and the reasons of their rows."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.past_requests import PARTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import COMPONENTS
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import NODES, concerns

from tests.fake_service.analytics import schema


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.name)
def test_nodes_and_filters_are_the_vendors(node: object) -> None:
    account = schema().type_map["account"]
    assert node.field in account.fields  # type: ignore[attr-defined]
    assert node.filter_type in schema().type_map  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("reason", "components"),
    [
        ("CHALLENGE_NEEDED", {"syn_flood", "dns"}),
        ("NOT_FOUND", {"out_of_state_tcp", "dns"}),
        ("UNEXPECTED", {"out_of_state_tcp", "dns"}),
        ("OUT_OF_SEQUENCE", {"out_of_state_tcp", "dns"}),
        ("ALREADY_CLOSED", {"out_of_state_tcp", "dns"}),
        ("", {"syn_flood", "out_of_state_tcp", "dns"}),
        ("SOMETHING_NEW", {"syn_flood", "out_of_state_tcp", "dns"}),
    ],
)
def test_unknown_reasons_count_for_every_component(reason: str, components: set[str]) -> None:
    assert {component for component in COMPONENTS if concerns(component, reason)} == components


def test_parts_of_requests_are_the_vendors_dimensions() -> None:
    dimensions = schema().type_map["ZoneHttpRequestsAdaptiveGroupsDimensions"].fields  # type: ignore[attr-defined]
    assert [part.dimension for part in PARTS.values() if part.dimension and part.dimension not in dimensions] == []
