# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values to which an expression limits the fields of requests; what is not limited is no bound, so that nobody
searches for it."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.solve import Diagrams

NETWORK = "ip.src in {192.0.2.0/24}"


@pytest.mark.parametrize(
    ("text", "bounds", "dependencies"),
    [
        ("true", 0, 0),
        (NETWORK, 1, 1),
        (f"not {NETWORK}", 1, 1),
        (f"{NETWORK} and ssl", 2, 2),
        (f"{NETWORK} or ssl", 0, 2),
        (f"({NETWORK} and ssl) or (not {NETWORK} and not ssl)", 0, 2),
        (f"({NETWORK} or ssl) and ip.src in {{192.0.2.0/23}}", 1, 2),
    ],
)
def test_a_value_that_nothing_excludes_is_no_bound(text: str, bounds: int, dependencies: int) -> None:
    diagrams = Diagrams()
    found = diagrams.bounds(diagrams.matching(Expression.of(text)))
    assert (len(found.values), len(found.levels)) == (bounds, dependencies)
