# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client for the account of a zone."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.neighbours import account_of
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ProtectionError


class Reading:
    """A client whose zone is in the account that `account` says."""

    def __init__(self, owner: dict[str, str], account: Any = None) -> None:
        self.owner, self._account = owner, account

    def within(self, owner: dict[str, str]) -> Reading:
        return Reading(owner)

    def read(self, resource: Any) -> list[dict[str, Any]]:
        assert resource.path == "zones/{zone_id}"
        return [{"account": self._account}]


def client_of(owner: dict[str, str], account: Any = None) -> Any:
    return Reading(owner, account)


@pytest.mark.parametrize("account", [None, {}, {"id": "../x"}, "a"])
def test_a_zone_without_a_usable_account_is_told(account: Any) -> None:
    with pytest.raises(ProtectionError, match="does not say its account: .* is not"):
        account_of(client_of({"zone_id": "b" * 32}, account))
