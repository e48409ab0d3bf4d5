# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every assumption says where it comes from and what goes wrong."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.assumptions import (
    ASSUMPTIONS,
    BY_NAME,
    Assumption,
)


@pytest.mark.parametrize("assumption", ASSUMPTIONS, ids=lambda item: item.name)
def test_an_assumption_is_a_sentence_with_a_consequence(assumption: Assumption) -> None:
    assert assumption.statement[0].isupper() and assumption.statement.endswith(".")
    assert assumption.otherwise[0].isupper() and assumption.otherwise.endswith(".")
    assert "|" not in assumption.statement + assumption.source + assumption.otherwise  # cells of a table


def test_names_are_unique() -> None:
    assert len(BY_NAME) == len(ASSUMPTIONS)
