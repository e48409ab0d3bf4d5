# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._events.source import (
    feeds_of,
    parse_source,
    run_source,
)

ACCOUNTS = ["a" * 32, "b" * 32]
TOKEN = "t" * 40


def feeds(**others: Any) -> Any:
    options = parse_source({"accounts": ACCOUNTS, "api_token": TOKEN, **others}, {}, print)
    with ExitStack() as stack:
        return feeds_of(options, stack, (TOKEN,))


def test_each_account_has_a_feed_for_each_query() -> None:
    watches = [(feed.watch.account_id, list(feed.watch.components)) for feed in feeds(components=["syn_flood", "dns"])]
    assert watches == [(account, [name]) for account in ACCOUNTS for name in ("syn_flood", "dns")]
    assert [list(feed.watch.components) for feed in feeds()] == [["syn_flood", "out_of_state_tcp"]] * 2


def test_feeds_hide_the_token() -> None:
    assert TOKEN not in str(feeds()[0].redact({"traffic": {"reasons": {TOKEN: 1}, "message": f"Bearer {TOKEN}"}}))


def test_wrong_options_end_the_source() -> None:
    with pytest.raises(ValueError, match="^accounts: it must be a list"):
        asyncio.run(run_source(asyncio.Queue(), {"api_token": TOKEN}))
