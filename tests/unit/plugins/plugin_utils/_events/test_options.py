# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._events.source import feeds_of, parse_source

ACCOUNT, OTHER = "a" * 32, "b" * 32
TOKEN = {"accounts": [ACCOUNT], "api_token": "t" * 40}


def parse(**arguments: Any) -> Any:
    return parse_source({**TOKEN, **arguments}, {}, lambda _text: None)


def test_an_account_and_a_token_suffice() -> None:
    options = parse()
    assert (options.interval, options.delay, options.least) == (timedelta(minutes=1), timedelta(minutes=2), 100)
    assert options.components == ["syn_flood", "out_of_state_tcp"]
    (settings,) = options.settings
    assert settings.base_url == "https://api.cloudflare.com/client/v4"
    assert (settings.owner, settings.timeout, settings.verify) == ({"account_id": ACCOUNT}, 30.0, True)


def test_variables_of_a_rulebook_may_be_texts() -> None:
    options = parse(accounts=ACCOUNT, components="dns", interval="30", timeout="5", retries="2", validate_certs="false")
    assert (options.interval, options.components) == (timedelta(seconds=30), ["dns"])
    (settings,) = options.settings
    assert (settings.timeout, settings.retries, settings.verify) == (5.0, 2, False)


def test_each_account_counts_once() -> None:
    accounts = [item.owner["account_id"] for item in parse(accounts=[ACCOUNT, OTHER, ACCOUNT.upper()]).settings]
    assert accounts == [ACCOUNT, OTHER]


def test_the_environment_has_the_token_and_the_service() -> None:
    environment = {"CLOUDFLARE_API_TOKEN": "s" * 40, "CLOUDFLARE_BASE_URL": "http://127.0.0.1:8080/client/v4"}
    options = parse_source({"accounts": [ACCOUNT], "eda_feedback_queue": None}, environment, lambda _text: None)
    (settings,) = options.settings
    assert settings.base_url == "http://127.0.0.1:8080/client/v4"
    assert settings.headers == {"Authorization": "Bearer " + "s" * 40}
    assert "s" * 40 not in repr(settings)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"accounts": []}, "accounts: it must be a list of ids"),
        ({"accounts": None}, "accounts: it must be a list of ids"),
        ({"accounts": ["my_account_id"]}, "accounts: 'my_account_id' is not an id"),
        ({"accounts": ["frankfurt"]}, "accounts: 'frankfurt' is not an id"),
        ({"components": ["udp"]}, "components[0]: 'udp' is none of syn_flood, out_of_state_tcp, dns"),
        ({"components": []}, "components: it must be a list"),
        ({"interval": 5}, "interval: it must be a number of at least 10"),
        ({"interval": "soon"}, "interval: 'soon' is not a number"),
        ({"interval": float("nan")}, "interval: it must be a number of at least 10"),
        ({"interval": 3e8}, "interval: it must be a number of at least 10, and at most 21600"),
        ({"delay": 21601}, "delay: it must be a number of at least 0, and at most 21600"),
        ({"delay": -1}, "delay: it must be a number of at least 0"),
        ({"min_packets_per_second": True}, "min_packets_per_second: it must be a number of at least 0"),
        ({"timeout": "long"}, "timeout: 'long' is not a number"),
        ({"retries": -1}, "retries: it must be a number of at least 0"),
        ({"validate_certs": "perhaps"}, "validate_certs: 'perhaps' is neither true nor false"),
        ({"base_url": "http://example.com"}, "base_url: it must be https"),
        ({"api_token": None}, "api_token"),
        ({"acounts": []}, "acounts is not an option; the options are accounts, "),
    ],
)
def test_wrong_options_are_said(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match="^.") as caught:
        parse(**arguments)
    assert problem in str(caught.value) and "t" * 40 not in str(caught.value)


def test_all_problems_are_said_at_once() -> None:
    with pytest.raises(ValueError, match="^.") as caught:
        parse(accounts=[ACCOUNT, "x"], interval=1, components=["udp"])
    assert all(name in str(caught.value) for name in ("accounts: 'x'", "interval:", "components[0]:"))


@pytest.mark.parametrize(
    ("components", "watched"),
    [
        (["syn_flood", "dns"], [["syn_flood"], ["dns"]]),
        (["syn_flood", "out_of_state_tcp"], [["syn_flood", "out_of_state_tcp"]]),
    ],
)
def test_each_account_has_a_feed_for_each_query(components: list[str], watched: list[list[str]]) -> None:
    with ExitStack() as stack:
        feeds = feeds_of(parse(accounts=[ACCOUNT, OTHER], components=components), stack, ())
    assert [(feed.watch.account_id, [*feed.watch.components]) for feed in feeds] == [
        (account, names) for account in (ACCOUNT, OTHER) for names in watched
    ]
