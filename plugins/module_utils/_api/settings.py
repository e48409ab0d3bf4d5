# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options that every module shares: credentials, where requests go, which account or zone, how
long to wait."""

from __future__ import annotations

import ipaddress
import json
import os
import re
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any, Callable, Iterable, Mapping, Sequence
from urllib.parse import SplitResult, urlsplit

from .._arguments import unless_wrong
from .._budget.budget import MAX_CALLS
from .._errors import OptionError, OptionProblems, parsed
from .._schema.neighbours import domain
from .._schema.resource import OWNER_OPTIONS, OWNERS, Owner, other_owners
from .._text import Message, Option, joined, worded
from .._values.kinds import identifier

KEY_SCHEME = ("api_email", "api_key")
SECRETS = ("api_token", "api_key")
SHORTEST_SECRET = 8  # characters; Cloudflare's tokens and keys have 37 or more
ENVIRONMENT = {
    "api_token": "CLOUDFLARE_API_TOKEN",
    "api_email": "CLOUDFLARE_EMAIL",
    "api_key": "CLOUDFLARE_API_KEY",
}
GLOBAL_API_KEY = re.compile(r"[0-9a-f]{37}")  # a token is longer, and has letters of both cases
ALL_WAYS = worded(
    "give {api_token}, or {api_email} with {api_key}, as options, as module_defaults of"
    " group/edgeops.protection.all, or in the environment as CLOUDFLARE_API_TOKEN, or"
    " CLOUDFLARE_EMAIL with CLOUDFLARE_API_KEY"
)


def credential_headers(
    options: Mapping[str, Any], environment: Mapping[str, str], token_only: bool = False
) -> dict[str, str]:
    """The headers with the credentials of the options or, if no option names any, of the
    environment; raises OptionError.

    With `token_only`, an e-mail address with a key is refused.
    """
    credentials = {name: options[name] for name in ENVIRONMENT if options.get(name) is not None}
    if "api_token" in credentials and len(credentials) > 1:
        surplus = [Message(Option(name)) for name in credentials if name in KEY_SCHEME]
        alone = "it goes alone; leave out " + joined(" and ", surplus)
        raise OptionError(Option("api_token"), alone)
    if not credentials:
        credentials = _credentials_in(environment)
    if not credentials:
        raise OptionError(Option("api_token"), "there are no credentials; " + ALL_WAYS)
    for name, value in credentials.items():
        check_credential(Option(name), name, value)
    if "api_token" in credentials:
        return {"Authorization": "Bearer " + credentials["api_token"]}
    for name in KEY_SCHEME:
        if name not in credentials:
            (present,) = credentials
            problem = worded(
                "it is needed beside {present}; or use {api_token} alone", present=Option(present)
            )
            raise OptionError(Option(name), problem)
    if token_only:
        problem = worded("TCP protection takes API tokens only; give {api_token} instead")
        raise OptionError(Option("api_key"), problem)
    return {"X-Auth-Email": credentials["api_email"], "X-Auth-Key": credentials["api_key"]}


def _credentials_in(environment: Mapping[str, str]) -> dict[str, str]:
    """The credentials of the environment: a token, or an e-mail address with a key."""
    values = {name: environment.get(variable, "") for name, variable in ENVIRONMENT.items()}
    if values["api_token"]:
        return {"api_token": values["api_token"]}
    return {name: values[name] for name in KEY_SCHEME if values[name]}


def check_credential(option: Option, name: str, value: str) -> None:
    """Raise OptionError for a value that cannot be the credential of this name; the message does
    not have the value."""
    problem = _credential_problem(name, value)
    if problem:
        raise OptionError(option, problem)


def _credential_problem(name: str, value: str) -> str:
    """The reason, without the value, why a value cannot be this credential, or would break its
    header; empty if it is fine."""
    if not value.strip():
        return "it is empty; " + ALL_WAYS
    if value.startswith("Bearer "):
        return "it begins with Bearer, a word of the header; leave that out"
    if not _fits_header(value):
        if _fits_header(value.strip()):
            return "there is white space around it, such as a line break at its end; leave that out"
        return (
            "it holds a space, a control character or a character outside of ASCII; copy the whole"
            " value again"
        )
    if name in SECRETS and len(value) < SHORTEST_SECRET:
        return (
            f"it has fewer than {SHORTEST_SECRET} characters, and no token or key is that short;"
            " copy the whole value again"
        )
    if name == "api_token" and GLOBAL_API_KEY.fullmatch(value):
        return worded(
            "it looks like a Global API Key; that belongs in {api_key}, with {api_email} beside it"
        )
    return ""


def _fits_header(value: str) -> bool:
    return value.isascii() and value.isprintable() and " " not in value


def credential_options() -> dict[str, dict[str, Any]]:
    """The part of an argument spec for credentials. No option falls back to an environment variable
    by itself: credential_headers() reads the environment, which may have a token, or an e-mail
    address with a key.
    """
    return {name: {"type": "str", "no_log": name in SECRETS} for name in ENVIRONMENT}


def known_secrets(options: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, ...]:
    """All secrets in the options and the environment, used or not, longer ones first; no text may
    show them. Values shorter than any secret are left out: as credentials they are refused, and to
    mask them would mask parts of words.
    """
    values = [options.get(name) for name in SECRETS]
    values += [environment.get(ENVIRONMENT[name]) for name in SECRETS]
    return secrets_among(values)


def secrets_among(values: Iterable[Any]) -> tuple[str, ...]:
    """The values that are long enough for a secret, longer ones first."""
    texts = {str(value) for value in values if value}
    secrets = [text for text in texts if len(text) >= SHORTEST_SECRET]
    return tuple(sorted(secrets, key=len, reverse=True))


BASE_URL_VARIABLE = "CLOUDFLARE_BASE_URL"  # of the environment
DEFAULT_BASE_URL = "https://api.cloudflare.com/client/v4"
VERSION_SEGMENTS = "/client/v4"
USUAL_PORTS = {"https": 443, "http": 80}
# By the option: its type, its default, its least value.
CONNECTION_NUMBERS: Mapping[str, tuple[str, float, float]] = {
    "timeout": ("float", 30.0, 0.1),
    "retries": ("int", 4, 0),
    "max_wait": ("float", 60.0, 0),
    "call_budget": ("int", 1200, 0),
}


def shared_options(owner: str, env_fallback: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    """The part of an argument spec that all modules share. `owner` is the option that names the
    account or zone; it is empty if the task may have both.
    """
    options: dict[str, dict[str, Any]] = credential_options()
    options["base_url"] = {
        "type": "str",
        "default": DEFAULT_BASE_URL,
        "fallback": (env_fallback, [BASE_URL_VARIABLE]),
    }
    for name, (kind, default, _least) in CONNECTION_NUMBERS.items():
        options[name] = {"type": kind, "default": default}
    options["validate_certs"] = {"type": "bool", "default": True}
    options["ca_path"] = {"type": "path"}
    needed = OWNERS.get(owner)
    for name in needed.options if needed else OWNER_OPTIONS:
        options[name] = {"type": "str"}
    if needed and not needed.name_option:
        # of an owner that goes by its name as well, one of the two options is enough
        fallback = (env_fallback, [needed.variable])
        options[needed.option] = {"type": "str", "required": True, "fallback": fallback}
    return options


@dataclass(frozen=True)
class Settings:
    """Options that have been checked. `owner` has the ids of the account and the zone by their
    options; a zone that is named without its id is in `owner_name`.
    """

    base_url: str
    headers: Mapping[str, str] = field(repr=False)  # with the credentials
    owner: Mapping[str, str]
    owner_name: str | None
    timeout: float
    retries: int
    max_wait: float
    call_budget: int
    verify: bool | str

    @property
    def address(self) -> str:
        """The normalised base URL: equal for settings that reach the same service."""
        return address_of(self.base_url)

    @property
    def credentials_hash(self) -> str:
        """A hash of the base URL and the credentials. Tasks with the same hash get the same
        answers, and may share what they read.
        """
        headers = sorted(self.headers.items())
        text = json.dumps([self.address, headers])
        return sha256(text.encode()).hexdigest()


def parse_settings(
    options: Mapping[str, Any],
    owners: Sequence[str],
    environment: Mapping[str, str],
    warn: Callable[[str], None],
) -> Settings:
    """The settings in the shared options; raises OptionError. `owners` are the options that name an
    account or a zone."""
    problems = OptionProblems()
    owner_ids: dict[str, str] = {}
    owner_name = None
    for owner in owners:
        with problems.collected():
            owner_id, name = _owner_in(OWNERS[owner], options, environment)
            owner_ids.update(owner_id)
            owner_name = name or owner_name
    for name in CONNECTION_NUMBERS:
        with problems.collected():
            _check_bounds(name, options[name])
    ca_path = unless_wrong(options, "ca_path")  # of a wrong one its own error tells
    with problems.collected():
        if ca_path and not os.path.exists(ca_path):
            raise OptionError(Option("ca_path"), f"there is nothing at {ca_path}")
    with problems.collected():
        base_url, warning = parse_base_url(options["base_url"])
        if warning:
            warn(warning)
    with problems.collected():
        token_only = any(OWNERS[owner].token_only for owner in owners)
        headers = credential_headers(options, environment, token_only)
    problems.raise_any()
    verify = options["validate_certs"] and (ca_path or True)
    numbers = {name: options[name] for name in CONNECTION_NUMBERS}
    return Settings(base_url, headers, owner_ids, owner_name, verify=verify, **numbers)


def _check_bounds(name: str, number: float) -> None:
    """Raises OptionError for a number out of the bounds of its option."""
    _type, _default, least = CONNECTION_NUMBERS[name]
    if not least <= number < float("inf"):
        raise OptionError(Option(name), f"{number:g} is no number of at least {least:g}")
    if name == "call_budget" and number > MAX_CALLS:
        problem = f"{number} is more than {MAX_CALLS}; 0 stands for no budget"
        raise OptionError(Option(name), problem)


def _owner_in(
    owner: Owner, options: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[dict[str, str], str | None]:
    """The id of an owner by its option, and the name of a zone that has no id. The environment
    counts if the task names neither.
    """
    identity = options[owner.option]
    name_option = owner.name_option
    if name_option and options[name_option] is not None:
        if identity is not None:
            problem = Message("it stands for ", Option(owner.option), "; leave out one of them")
            raise OptionError(Option(name_option), problem)
        return {}, parsed(Option(name_option), domain, options[name_option])
    identity = environment.get(owner.variable) if identity is None else identity
    if identity is None:
        ways = joined(" or ", [Message(Option(option)) for option in owner.options])
        variable = f", or set the environment variable {owner.variable}"
        problem = Message(f"no {owner.title} is named; give ", ways, variable)
        raise OptionError(Option(owner.option), problem)
    return _owner_id(owner, identity, options), None


def _owner_id(owner: Owner, value: Any, options: Mapping[str, Any]) -> dict[str, str]:
    option = Option(owner.option)
    identity = parsed(option, identifier, value)
    for different_owner in other_owners(owner):
        name = different_owner.option
        if str(options.get(name)).strip().lower() == identity:
            advice = "; an account and its zones have ids of their own"
            raise OptionError(option, Message("it is the same as ", Option(name), advice))
    return {owner.option: identity}


def parse_base_url(text: str) -> tuple[str, str | None]:
    """The URL without a slash at its end, and a warning if it looks wrong; raises OptionError."""
    option = Option("base_url")
    url = text.strip().rstrip("/")
    try:
        split = urlsplit(url)
        _port = split.port
    except ValueError as exc:
        raise OptionError(option, f"it is not a URL: {exc}") from exc
    problem = _url_problem(url, split)
    if problem:
        raise OptionError(option, problem)
    if split.path.endswith(VERSION_SEGMENTS):
        return url, None
    warning = f": it does not end in {VERSION_SEGMENTS}, as Cloudflare's addresses do"
    return url, Message(option, warning)


def _url_problem(url: str, split: SplitResult) -> str:
    host = split.hostname
    is_one_word = url.isprintable() and " " not in url
    if not host or not is_one_word or split.scheme not in ("https", "http"):
        return f"it is not a URL such as {DEFAULT_BASE_URL}"
    if split.username is not None or split.query or split.fragment:
        return "it holds credentials, a query or a fragment; leave them out"
    if split.scheme == "http" and not _is_loopback(host):
        return "it must be https; http is for this machine's own addresses only"
    return ""


@lru_cache(maxsize=64)  # many hosts have one service
def address_of(url: str) -> str:
    """A base URL, normalised: the scheme and the host in lower case, and no default port; raises
    OptionError."""
    base_url, _warning = parse_base_url(url)
    split = urlsplit(base_url)
    host = split.netloc.lower()
    if split.port == USUAL_PORTS[split.scheme]:
        host, _colon, _port = host.rpartition(":")
    return f"{split.scheme}://{host}{split.path}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


# The options that the environment gives to a task which has none.
OPTIONS_FROM_ENVIRONMENT = frozenset([*OWNER_OPTIONS, *credential_options(), "base_url"])
