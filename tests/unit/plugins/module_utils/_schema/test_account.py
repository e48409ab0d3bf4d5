# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The resources of an account: what identifies them, and the names of rules."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import RULES


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"scope": "global"}, "global"),
        ({"scope": "global", "name": "GLOBAL"}, "global"),
        ({"scope": "region", "name": "weur"}, "weur"),
    ],
)
def test_a_global_rule_is_named_global(values: dict[str, Any], name: str) -> None:
    assert RULES[0].semantics.complete(values)["name"] == name


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"scope": "region"}, "needs the code of its region"),
        ({"scope": "datacenter"}, "needs the code of its datacenter"),
        ({"scope": "global", "name": "WEUR"}, "is called global, not 'WEUR'"),
    ],
)
def test_a_rule_without_its_place_is_refused(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        RULES[0].semantics.complete(values)
