# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options that every module shares: credentials, where requests go, which account or zone, how
long to wait."""

from __future__ import annotations

import ipaddress
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping
from urllib.parse import urlsplit

from .._budget.budget import CALLS, QUERIES, CallBudget, Counted, NoBudget
from .._budget.state import MAX_CALLS, SharedState, State, state_path
from .._errors import OptionError, OptionProblems
from .._messages import Message, Option
from .._schema.directory import domain
from .._screen import Screen
from .._values.kinds import identifier
from .auth import Credentials, credential_options, find_credentials
from .client import Client
from .progress import Progress
from .session import Session

QUERY_BUDGET, QUERY_BUDGET_PERIOD = 300, 300.0  # of the analytics, which count by themselves
DEFAULT_BASE_URL = "https://api.cloudflare.com/client/v4"
BASE_URL, CALL_BUDGET = Option("base_url"), Option("call_budget")
VERSION_SEGMENTS = "/client/v4"
OWNERS = {
    "account_id": "CLOUDFLARE_ACCOUNT_ID",
    "zone_id": "CLOUDFLARE_ZONE_ID",
}  # option: environment variable
NAMES = {"zone_id": "zone_name"}  # owner: the option that may stand for it, for one call more
TOKEN_ONLY = ("account_id",)  # the owners whose products take API tokens only
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
        "option_names": {"type": "dict"},
        # all of them, so that the defaults of the action group can name both owners
        **{option: {"type": "str"} for option in (*OWNERS, *NAMES.values())},
        **({} if owner in NAMES else _required_owner(owner, env_fallback)),
    }


def _required_owner(owner: str, env_fallback: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    return {owner: {"type": "str", "required": True, "fallback": (env_fallback, [OWNERS[owner]])}}


@dataclass(frozen=True)
class Settings:
    """Checked options; nothing is sent before a client is opened.

    `owner` is empty where no account or zone is named, or where a zone is named by its `zone_name`
    alone.
    """

    base_url: str
    credentials: Credentials
    owner: Mapping[str, str]
    zone_name: str | None
    timeout: float
    retries: int
    max_wait: float
    call_budget: int
    call_budget_period: float
    verify: bool | str

    @contextmanager
    def client(self, warn: Callable[[str], None], screen: Screen | None = None) -> Iterator[Client]:
        """A client whose calls share one session and one budget; `screen` shows what cannot wait
        until the end."""
        progress = Progress()
        session = Session(
            self.base_url,
            self.credentials.headers,
            timeout=self.timeout,
            retries=self.retries,
            max_wait=self.max_wait,
            verify=self.verify,
            budget=self._budget(warn, screen),
            progress=progress,
            open_query_budget=lambda: self._query_budget(warn, screen),
        )
        with session, progress.watched(screen):
            yield Client(session, self.owner, progress)

    def _budget(self, warn: Callable[[str], None], screen: Screen | None) -> NoBudget:
        return self._shared_budget(CALLS, self.call_budget, self.call_budget_period, warn, screen)

    def _query_budget(self, warn: Callable[[str], None], screen: Screen | None) -> NoBudget:
        calls = QUERY_BUDGET if self.call_budget else 0
        return self._shared_budget(QUERIES, calls, QUERY_BUDGET_PERIOD, warn, screen)

    def _shared_budget(
        self,
        what: Counted,
        calls: int,
        period: float,
        warn: Callable[[str], None],
        screen: Screen | None,
    ) -> NoBudget:
        """The budget of this credential for calls of one kind; none where no calls are counted."""

        def open_state() -> State:
            host = urlsplit(self.base_url).netloc + what.suffix
            return SharedState(state_path(os.environ, host, self.credentials.headers))

        if not calls or not period:
            return NoBudget()
        return CallBudget(calls, period, open_state, warn, screen, what)


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
        owner_id, zone_name = _owner(owner, options, environment) if owner else ({}, None)
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
        credentials = find_credentials(options, environment, token_only=owner in TOKEN_ONLY)
    problems.raise_any()
    return Settings(
        base_url=base_url,
        credentials=credentials,
        owner=owner_id,
        zone_name=zone_name,
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


def _owner(
    owner: str, options: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[dict[str, str], str | None]:
    """The owner by its id, or the name that stands for it; the environment counts where a task
    gives neither."""
    if owner not in NAMES:
        return _owner_id(owner, options[owner], options), None
    identity, name = options[owner], options[NAMES[owner]]
    if identity is not None and name is not None:
        raise OptionError(
            Option(NAMES[owner]),
            Message("it stands for ", Option(owner), "; leave out one of them"),
        )
    if name is not None:
        try:
            return {}, domain(name)
        except ValueError as exc:
            raise OptionError(Option(NAMES[owner]), str(exc)) from exc
    identity = environment.get(OWNERS[owner]) if identity is None else identity
    if identity is None:
        ways = f", or set the environment variable {OWNERS[owner]}"
        named = Message("no zone is named; give ", Option(owner), " or ", Option(NAMES[owner]))
        raise OptionError(Option(owner), named + ways)
    return _owner_id(owner, identity, options), None


def _owner_id(owner: str, value: Any, options: Mapping[str, Any]) -> dict[str, str]:
    try:
        identity = identifier(value)
    except ValueError as exc:
        raise OptionError(Option(owner), str(exc)) from exc
    for other in OWNERS:
        if other != owner and str(options.get(other)).strip().lower() == identity:
            raise OptionError(
                Option(owner),
                Message(
                    "it is the same as ",
                    Option(other),
                    "; an account and its zones have ids of their own",
                ),
            )
    return {owner: identity}


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
    text = f": it does not end in {VERSION_SEGMENTS}, as the service's addresses do"
    return url, Message(BASE_URL, text)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
