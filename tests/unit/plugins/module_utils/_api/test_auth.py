# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import credential_headers, known_secrets
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

TOKEN = {"Authorization": "Bearer explicit-token"}
KEY = {"X-Auth-Email": "explicit@example.net", "X-Auth-Key": "explicit-key"}
AMBIENT_TOKEN = {"CLOUDFLARE_API_TOKEN": "ambient-token"}
AMBIENT_KEY = {"CLOUDFLARE_EMAIL": "ambient@example.net", "CLOUDFLARE_API_KEY": "ambient-key"}
EXPLICIT_TOKEN = {"api_token": "explicit-token"}
EXPLICIT_KEY = {"api_email": "explicit@example.net", "api_key": "explicit-key"}


@pytest.mark.parametrize(
    ("options", "environment", "headers"),
    [
        (EXPLICIT_TOKEN, {}, TOKEN),
        (EXPLICIT_KEY, {}, KEY),
        (EXPLICIT_TOKEN, {**AMBIENT_TOKEN, **AMBIENT_KEY}, TOKEN),
        (EXPLICIT_KEY, {**AMBIENT_TOKEN, **AMBIENT_KEY}, KEY),
        ({}, AMBIENT_TOKEN, {"Authorization": "Bearer ambient-token"}),
        ({}, AMBIENT_KEY, {"X-Auth-Email": "ambient@example.net", "X-Auth-Key": "ambient-key"}),
        ({}, {**AMBIENT_TOKEN, **AMBIENT_KEY}, {"Authorization": "Bearer ambient-token"}),
        ({}, {**AMBIENT_TOKEN, "CLOUDFLARE_API_KEY": ""}, {"Authorization": "Bearer ambient-token"}),
    ],
)
def test_one_scheme_and_explicit_before_ambient(
    options: dict[str, str], environment: dict[str, str], headers: dict[str, str]
) -> None:
    assert credential_headers(options, environment) == headers


@pytest.mark.parametrize(
    ("options", "environment", "option", "problem"),
    [
        ({}, {}, "api_token", "CLOUDFLARE_API_TOKEN, or CLOUDFLARE_EMAIL with CLOUDFLARE_API_KEY"),
        ({**EXPLICIT_TOKEN, **EXPLICIT_KEY}, {}, "api_token", "it goes alone; leave out api_email and api_key"),
        ({**EXPLICIT_TOKEN, "api_key": "k"}, {}, "api_token", "it goes alone; leave out api_key"),
        ({"api_email": "a@example.net"}, AMBIENT_KEY, "api_key", "it is needed beside api_email"),
        ({"api_key": "a-global-key"}, AMBIENT_TOKEN, "api_email", "it is needed beside api_key"),
        ({"api_token": ""}, AMBIENT_TOKEN, "api_token", "it is empty"),
        ({"api_token": "two\nlines"}, {}, "api_token", "control character"),
        ({"api_token": "0123456789abcdef" * 2 + "01234"}, {}, "api_token", "it looks like a Global API Key"),
        ({"api_token": "sch\u00f6n"}, {}, "api_token", "outside of ASCII; copy the whole value again"),
        ({"api_token": "Bearer x"}, {}, "api_token", "it begins with Bearer, a word of the header; leave that out"),
        (
            {"api_token": "1234567"},
            {},
            "api_token",
            "it has fewer than 8 characters, and no token or key is that short",
        ),
        (
            {},
            {"CLOUDFLARE_EMAIL": "a@example.net", "CLOUDFLARE_API_KEY": "k"},
            "api_key",
            "it has fewer than 8 characters",
        ),
        ({"api_token": "x\n"}, {}, "api_token", "a line break at its end; leave that out"),
        ({}, {"CLOUDFLARE_API_TOKEN": "two words"}, "api_token", "it holds a space"),
    ],
)
def test_credentials_that_are_no_scheme_are_refused(
    options: dict[str, str], environment: dict[str, str], option: str, problem: str
) -> None:
    with pytest.raises(OptionError) as caught:
        credential_headers(options, environment)
    assert caught.value.option == Option(option)
    assert problem in caught.value.problem
    secrets = [value for value in [*options.values(), *environment.values()] if len(value) > 3]
    assert not any(value in caught.value.message for value in secrets)


def test_secrets_are_those_of_options_and_environment_longer_ones_first() -> None:
    environment = {
        "CLOUDFLARE_API_TOKEN": "longer-token",
        "CLOUDFLARE_API_KEY": "",
        "CLOUDFLARE_EMAIL": "a@example.net",
    }
    assert known_secrets({"api_token": "token-10", "api_key": None}, environment) == ("longer-token", "token-10")


def test_a_value_that_is_too_short_for_a_secret_hides_nothing() -> None:
    assert known_secrets({"api_token": "x", "api_key": "1234567"}, {"CLOUDFLARE_API_TOKEN": "y"}) == ()
