# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How a task names an account or a zone."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import (
    ACCOUNT_OWNER,
    OWNER_OPTIONS,
    OWNERS,
    ZONE_OWNER,
    Owner,
    others,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES


def test_owners_are_known_by_the_option_of_their_id() -> None:
    assert {resource.owner for resource in ACCOUNT} == {ACCOUNT_OWNER.option}
    assert {resource.owner for resource in (FIREWALL_RULES, CUSTOM_RULES)} == {ZONE_OWNER.option}
    assert OWNERS == {"account_id": ACCOUNT_OWNER, "zone_id": ZONE_OWNER}


def test_a_name_may_stand_for_the_id_of_a_zone_only() -> None:
    assert ACCOUNT_OWNER.options == ("account_id",)
    assert ZONE_OWNER.options == ("zone_id", "zone_name")
    assert OWNER_OPTIONS == ("account_id", "zone_id", "zone_name")


@pytest.mark.parametrize(("owner", "other"), [(ACCOUNT_OWNER, ZONE_OWNER), (ZONE_OWNER, ACCOUNT_OWNER)])
def test_the_id_of_an_owner_may_be_that_of_every_other(owner: Owner, other: Owner) -> None:
    assert others(owner) == (other,)
