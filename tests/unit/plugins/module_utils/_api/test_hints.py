# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What to do next about a refused call, by its status, its codes and its resource."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api import responses as hints
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import hint_for
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ZONES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import FIREWALL_RULES


@pytest.mark.parametrize(
    ("status", "codes", "hint"),
    [
        (400, [6103], hints.TOKEN_AS_KEY),
        (400, [None, 6111], hints.MALFORMED_TOKEN),
        (403, [9109], hints.REJECTED),
        (404, [7003, 7000], hints.WRONG_ID),
        (401, [], hints.REJECTED),
        (
            429,
            [],
            "Too many calls were made with these credentials, by others too; run again in some minutes, raise max_wait, or lower call_budget.",
        ),
        (500, [], "Cloudflare failed; run again later."),
        (522, [1], "Cloudflare failed; run again later."),
        (400, [], ""),
        (404, [1], ""),
        (200, [], ""),
    ],
)
def test_a_hint_says_what_to_do_next(status: int, codes: list[Any], hint: str) -> None:
    assert hint_for("GET", None, status, codes, None) == hint


@pytest.mark.parametrize(
    ("resource", "hint"),
    [
        (PREFIXES, "Check account_id and base_url; is account_id the id of a zone?"),
        (FIREWALL_RULES, "Check zone_id and base_url; is zone_id the id of an account?"),
        (ZONES, hints.WRONG_ID),
    ],
)
@pytest.mark.parametrize("code", [7000, 7003])
def test_an_unknown_id_may_be_that_of_something_else(resource: Any, hint: str, code: int) -> None:
    assert hint_for("GET", resource, 404, [code], None) == hint
