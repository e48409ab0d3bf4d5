# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options that every module shares: credentials, where requests go, which account or zone, how
long to wait."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from typing import Any, Callable, Mapping, NamedTuple
from urllib.parse import urlsplit

from .._budget.state import MAX_CALLS
from .._errors import OptionError, OptionProblems
from .._schema.neighbours import domain
from .._schema.resource import OWNER_OPTIONS, OWNERS, Owner, others
from .._text import Message, Option, joined
from .._values.kinds import identifier

TOKEN_SCHEME = ("api_token",)
KEY_SCHEME = ("api_email", "api_key")
SECRETS = ("api_token", "api_key")
ENVIRONMENT = {
    "api_token": "CLOUDFLARE_API_TOKEN",
    "api_email": "CLOUDFLARE_EMAIL",
    "api_key": "CLOUDFLARE_API_KEY",
}
GLOBAL_API_KEY = re.compile(r"[0-9a-f]{37}")  # a token is longer, and has letters of both cases
API_TOKEN, API_EMAIL, API_KEY = Option("api_token"), Option("api_email"), Option("api_key")
ALL_WAYS = Message(
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
    credentials = _find_scheme(options, environment)
    if token_only and "Authorization" not in credentials.headers:
        raise OptionError(
            API_KEY, Message("TCP protection takes API tokens only; give ", API_TOKEN, " instead")
        )
    return credentials


def _find_scheme(options: Mapping[str, Any], environment: Mapping[str, str]) -> Credentials:
    explicit = {name: options[name] for name in ENVIRONMENT if options.get(name) is not None}
    if explicit:
        others = [name for name in explicit if name not in TOKEN_SCHEME]
        if others and len(others) < len(explicit):
            surplus = joined(" and ", (Message(Option(name)) for name in others))
            raise OptionError(API_TOKEN, Message("it goes alone; leave out ", surplus))
        return _credentials(explicit)
    ambient = {
        name: environment[variable]
        for name, variable in ENVIRONMENT.items()
        if environment.get(variable)
    }
    if set(ambient) >= set(TOKEN_SCHEME):
        ambient = {name: ambient[name] for name in TOKEN_SCHEME}
    return _credentials(ambient)


def _credentials(credentials: Mapping[str, str]) -> Credentials:
    for name, value in credentials.items():
        _check_header_value(name, value)
    if set(credentials) == set(TOKEN_SCHEME):
        return Credentials({"Authorization": "Bearer " + credentials["api_token"]})
    if set(credentials) == set(KEY_SCHEME):
        return Credentials(
            {"X-Auth-Email": credentials["api_email"], "X-Auth-Key": credentials["api_key"]}
        )
    if credentials:
        (lacking,) = set(KEY_SCHEME) - set(credentials)
        (present,) = credentials
        raise OptionError(
            Option(lacking),
            Message("it is needed beside ", Option(present), "; or use ", API_TOKEN, " alone"),
        )
    raise OptionError(API_TOKEN, "there are no credentials; " + ALL_WAYS)


def _check_header_value(name: str, value: str) -> None:
    """A header must not be broken by its value; the value itself is not repeated in the message."""
    if not value.strip():
        raise OptionError(Option(name), "it is empty; " + ALL_WAYS)
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise OptionError(
            Option(name), "it holds a space, a control character or a character outside of ASCII"
        )
    if name in TOKEN_SCHEME and GLOBAL_API_KEY.fullmatch(value):
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


DEFAULT_BASE_URL = "https://api.cloudflare.com/client/v4"
BASE_URL, CALL_BUDGET = Option("base_url"), Option("call_budget")
VERSION_SEGMENTS = "/client/v4"
BOUNDS: Mapping[str, tuple[str, float, float]] = {  # option: its type, its default, its least value
    "timeout": ("float", 30.0, 0.1),
    "retries": ("int", 4, 0),
    "max_wait": ("float", 60.0, 0),
    "call_budget": ("int", 1200, 0),
    "call_budget_period": ("float", 300.0, 0),
}


def shared_options(owner: str, env_fallback: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    """The part of an argument spec that every module shares; `owner` is the option that names the
    account or zone."""
    return {
        **credential_options(),
        "base_url": {
            "type": "str",
            "default": DEFAULT_BASE_URL,
            "fallback": (env_fallback, ["CLOUDFLARE_BASE_URL"]),
        },
        **{
            name: {"type": kind, "default": default}
            for name, (kind, default, _least) in BOUNDS.items()
        },
        "validate_certs": {"type": "bool", "default": True},
        "ca_path": {"type": "path"},
        # all of them, so that the defaults of the action group can name both owners
        **{option: {"type": "str"} for option in OWNER_OPTIONS},
        **_required_owner(OWNERS[owner], env_fallback),
    }


def _required_owner(owner: Owner, env_fallback: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    if owner.name_option:
        return {}  # one of its two options is enough
    fallback = (env_fallback, [owner.variable])
    return {owner.option: {"type": "str", "required": True, "fallback": fallback}}


@dataclass(frozen=True)
class Settings:
    """Checked options.

    `owner` is empty where no account or zone is named, or where it goes by its `owner_name` alone.
    """

    base_url: str
    credentials: Credentials
    owner: Mapping[str, str]
    owner_name: str | None
    timeout: float
    retries: int
    max_wait: float
    call_budget: int
    call_budget_period: float
    verify: bool | str


def parse_settings(
    options: Mapping[str, Any],
    owner: str | None,
    environment: Mapping[str, str],
    warn: Callable[[str], None],
) -> Settings:
    """Check the shared options; raises OptionError. `owner` is None where no account or zone is
    named."""
    problems = OptionProblems()
    with problems.collected():
        owner_id, owner_name = (
            _owner_named(OWNERS[owner], options, environment) if owner else ({}, None)
        )
    for name, (_type, _default, least) in BOUNDS.items():
        with problems.collected():
            if not least <= options[name] < float("inf"):
                raise OptionError(Option(name), f"it must be a number of at least {least:g}")
    with problems.collected():
        _check_call_budget(options, warn)
    ca_path = options["ca_path"]
    with problems.collected():
        if ca_path and not os.path.exists(ca_path):
            raise OptionError(Option("ca_path"), f"there is nothing at {ca_path}")
    with problems.collected():
        base_url, warning = parse_base_url(options["base_url"])
        if warning:
            warn(warning)
    with problems.collected():
        credentials = find_credentials(
            options, environment, token_only=bool(owner) and OWNERS[str(owner)].token_only
        )
    problems.raise_any()
    return Settings(
        base_url=base_url,
        credentials=credentials,
        owner=owner_id,
        owner_name=owner_name,
        verify=options["validate_certs"] and (ca_path or True),
        **{name: options[name] for name in BOUNDS},
    )


def _check_call_budget(options: Mapping[str, Any], warn: Callable[[str], None]) -> None:
    if options["call_budget"] > MAX_CALLS:
        raise OptionError(
            CALL_BUDGET, f"it must be a number of at most {MAX_CALLS}; 0 stands for no budget"
        )
    if options["call_budget"] and not options["call_budget_period"]:
        text = ": in 0 s there is nothing to count, so that there is no call budget"
        warn(Message(Option("call_budget_period"), text))


def _owner_named(
    owner: Owner, options: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[dict[str, str], str | None]:
    """The owner by its id, or the name that stands for it; the environment counts where a task
    gives neither."""
    identity, name_option = options[owner.option], owner.name_option
    if name_option and options[name_option] is not None:
        if identity is not None:
            problem = Message("it stands for ", Option(owner.option), "; leave out one of them")
            raise OptionError(Option(name_option), problem)
        try:
            return {}, domain(options[name_option])
        except ValueError as exc:
            raise OptionError(Option(name_option), str(exc)) from exc
    if name_option and identity is None:
        identity = environment.get(owner.variable)
    if identity is None:
        ways = joined(" or ", [Message(Option(option)) for option in owner.options])
        variable = f", or set the environment variable {owner.variable}"
        problem = Message(f"no {owner.title} is named; give ", ways, variable)
        raise OptionError(Option(owner.option), problem)
    return _owner_id(owner, identity, options), None


def _owner_id(owner: Owner, value: Any, options: Mapping[str, Any]) -> dict[str, str]:
    option = Option(owner.option)
    try:
        identity = identifier(value)
    except ValueError as exc:
        raise OptionError(option, str(exc)) from exc
    for other in others(owner):
        if str(options.get(other.option)).strip().lower() == identity:
            ids = "; an account and its zones have ids of their own"
            raise OptionError(option, Message("it is the same as ", Option(other.option), ids))
    return {owner.option: identity}


def parse_base_url(text: str) -> tuple[str, str | None]:
    """The URL without a slash at its end, and a warning where it looks wrong; raises
    OptionError."""
    url = text.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        host, _dummy = parts.hostname, parts.port
    except ValueError as exc:
        raise OptionError(BASE_URL, f"it is not a URL: {exc}") from exc
    if not host or parts.scheme not in ("https", "http") or not url.isprintable() or " " in url:
        raise OptionError(BASE_URL, f"it is not a URL such as {DEFAULT_BASE_URL}")
    if parts.username is not None or parts.query or parts.fragment:
        raise OptionError(BASE_URL, "it holds credentials, a query or a fragment; leave them out")
    if parts.scheme == "http" and not _is_loopback(host):
        raise OptionError(
            BASE_URL, "it must be https; http is for this machine's own addresses only"
        )
    if parts.path.endswith(VERSION_SEGMENTS):
        return url, None
    text = f": it does not end in {VERSION_SEGMENTS}, as Cloudflare's addresses do"
    return url, Message(BASE_URL, text)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
