# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An account as results and variables describe it becomes collections."""

from __future__ import annotations

from typing import Any, Mapping

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.account_state import read_account
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import DNS_RULES

PREFIX = {"prefix": "192.0.2.0/24"}
READ_PREFIX = {"prefix": "192.0.2.0/24", "comment": "", "excluded": False}
RULE = {"kind": "syn_flood", "scope": "global", "name": "global", "mode": "enabled"}
FILTER = {"kind": "out_of_state_tcp", "expression": "tcp.dstport eq 80"}


@pytest.mark.parametrize(
    ("account", "state"),
    [
        ({"status": {"enabled": False}}, {"status": [{"enabled": False}]}),
        ({"enabled": True}, {"status": [{"enabled": True}]}),
        ({"prefixes": [PREFIX]}, {"prefixes": [READ_PREFIX]}),
        ({"protection": {"prefixes": [PREFIX]}, "enabled": True}, {"prefixes": [READ_PREFIX]}),
        ({"prefixes": [], "allowlist": None}, {"prefixes": []}),
        ({"prefixes": [{**PREFIX, "comment": None, "excluded": True}]}, {"prefixes": [{**READ_PREFIX, "excluded": True}]}),
        ({"allowlist": [PREFIX]}, {"allowlist": [{**PREFIX, "comment": "", "enabled": True}]}),
        ({"dns_rules": [{"scope": "global", "name": "global"}]}, {"dns_rules": [{**DNS_RULES.defaults(), "scope": "global", "name": "global"}]}),
        ({"filters": [FILTER]}, {"syn_flood_filters": [], "out_of_state_tcp_filters": [{**FILTER, "mode": "monitoring"}]}),
    ],
)  # fmt: skip
def test_only_what_an_account_contains_is_known(account: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    assert read_account(account) == state
