# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which credentials a call uses: one scheme, explicit before ambient, never a mix."""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple

from .._errors import OptionError
from .._text import Message, Option, joined

TOKEN = ("api_token",)
KEY = ("api_email", "api_key")
SECRETS = ("api_token", "api_key")
ENVIRONMENT = {
    "api_token": "CLOUDFLARE_API_TOKEN",
    "api_email": "CLOUDFLARE_EMAIL",
    "api_key": "CLOUDFLARE_API_KEY",
}
GLOBAL_API_KEY = re.compile(r"[0-9a-f]{37}")  # a token is longer, and has letters of both cases
API_TOKEN, API_EMAIL, API_KEY = Option("api_token"), Option("api_email"), Option("api_key")
WAYS = Message(
    "give ",
    API_TOKEN,
    ", or ",
    API_EMAIL,
    " with ",
    API_KEY,
    ", as options, as module_defaults of group/edgeops.protection.all, or in the environment as"
    " CLOUDFLARE_API_TOKEN, or CLOUDFLARE_EMAIL with CLOUDFLARE_API_KEY",
)


class Credentials(NamedTuple):
    """The headers that carry the credentials."""

    headers: Mapping[str, str]

    def __repr__(self) -> str:
        return "Credentials({})".format(", ".join(sorted(self.headers)))


def find_credentials(
    options: Mapping[str, Any], environment: Mapping[str, str], token_only: bool = False
) -> Credentials:
    """The credentials from the options or, if these name none at all, from the environment; raises
    OptionError.

    With `token_only`, an e-mail address with a key is refused.
    """
    credentials = _find(options, environment)
    if token_only and "Authorization" not in credentials.headers:
        raise OptionError(
            API_KEY, Message("TCP protection takes API tokens only; give ", API_TOKEN, " instead")
        )
    return credentials


def _find(options: Mapping[str, Any], environment: Mapping[str, str]) -> Credentials:
    explicit = {name: options[name] for name in ENVIRONMENT if options.get(name) is not None}
    if explicit:
        others = [name for name in explicit if name not in TOKEN]
        if others and len(others) < len(explicit):
            surplus = joined(" and ", (Message(Option(name)) for name in others))
            raise OptionError(API_TOKEN, Message("it goes alone; leave out ", surplus))
        return _credentials(explicit)
    ambient = {
        name: environment[variable]
        for name, variable in ENVIRONMENT.items()
        if environment.get(variable)
    }
    if set(ambient) >= set(TOKEN):
        ambient = {name: ambient[name] for name in TOKEN}
    return _credentials(ambient)


def _credentials(credentials: Mapping[str, str]) -> Credentials:
    for name, value in credentials.items():
        _check(name, value)
    if set(credentials) == set(TOKEN):
        return Credentials({"Authorization": "Bearer " + credentials["api_token"]})
    if set(credentials) == set(KEY):
        return Credentials(
            {"X-Auth-Email": credentials["api_email"], "X-Auth-Key": credentials["api_key"]}
        )
    if credentials:
        (lacking,) = set(KEY) - set(credentials)
        (present,) = credentials
        raise OptionError(
            Option(lacking),
            Message("it is needed beside ", Option(present), "; or use ", API_TOKEN, " alone"),
        )
    raise OptionError(API_TOKEN, "there are no credentials; " + WAYS)


def _check(name: str, value: str) -> None:
    """A header must not be broken by its value; the value itself is not repeated in the message."""
    if not value.strip():
        raise OptionError(Option(name), "it is empty; " + WAYS)
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise OptionError(
            Option(name), "it holds a space, a control character or a character outside of ASCII"
        )
    if name in TOKEN and GLOBAL_API_KEY.fullmatch(value):
        raise OptionError(
            Option(name),
            Message(
                "it looks like a Global API Key; that belongs into ",
                API_KEY,
                ", with ",
                API_EMAIL,
                " beside it",
            ),
        )


def credential_options() -> dict[str, dict[str, Any]]:
    """Their part of an argument spec; the environment is read by find_credentials, which takes a
    scheme as a whole."""
    return {name: {"type": "str", "no_log": name in SECRETS} for name in ENVIRONMENT}


def known_secrets(options: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Every secret that the options and the environment name, used or not, longer ones first;
    nobody may read them."""
    values = [options.get(name) for name in SECRETS] + [
        environment.get(ENVIRONMENT[name]) for name in SECRETS
    ]
    return tuple(sorted({str(value) for value in values if value}, key=len, reverse=True))
