# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who asks, where, about which account or zone, and how patiently: the options that every module shares."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping

from .base_url import DEFAULT_BASE_URL, read_base_url
from .client import Client
from .credentials import Credentials, credential_options, find_credentials
from .errors import OptionError
from .patience import Patience
from .session import Session
from .values import identifier

PLACES = {"account_id": "CLOUDFLARE_ACCOUNT_ID", "zone_id": "CLOUDFLARE_ZONE_ID"}
LIMITS: Mapping[str, tuple[str, float, float]] = {  # option: its type, its default, its least value
    "timeout": ("float", 30.0, 0.1),
    "retries": ("int", 4, 0),
    "max_wait": ("float", 60.0, 0),
}


def connection_options(place: str, env_fallback: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    """The part of an argument spec that every module shares; `place` names the account or the zone."""
    return {
        **credential_options(),
        "base_url": {"type": "str", "default": DEFAULT_BASE_URL, "fallback": (env_fallback, ["CLOUDFLARE_BASE_URL"])},
        **{name: {"type": kind, "default": default} for name, (kind, default, _least) in LIMITS.items()},
        "validate_certs": {"type": "bool", "default": True},
        "ca_path": {"type": "path"},
        **{other: {"type": "str"} for other in PLACES},  # so that the defaults of the action group can name both
        place: {"type": "str", "required": True, "fallback": (env_fallback, [PLACES[place]])},
    }


@dataclass(frozen=True)
class Connection:
    """Checked options; nothing is sent before a client is opened."""

    base_url: str
    credentials: Credentials
    place: Mapping[str, str]
    timeout: float
    retries: int
    max_wait: float
    verify: bool | str

    @contextmanager
    def client(self) -> Iterator[Client]:
        """A client whose calls share one session."""
        session = Session(
            self.base_url,
            self.credentials.headers,
            timeout=self.timeout,
            retries=self.retries,
            patience=Patience(self.max_wait),
            verify=self.verify,
        )
        with session:
            yield Client(session, self.place)


def read_connection(
    options: Mapping[str, Any], place: str, environment: Mapping[str, str], warn: Callable[[str], None]
) -> Connection:
    """Check everything that a connection is made of; raises OptionError."""
    try:
        where = {place: identifier(options[place])}
    except ValueError as exc:
        raise OptionError(place, str(exc)) from exc
    for name, (_type, _default, least) in LIMITS.items():
        if not least <= options[name] < float("inf"):
            raise OptionError(name, f"it must be a number of at least {least:g}")
    ca_path = options["ca_path"]
    if ca_path and not os.path.exists(ca_path):
        raise OptionError("ca_path", f"there is nothing at {ca_path}")
    base_url, warning = read_base_url(options["base_url"])
    if warning:
        warn(warning)
    return Connection(
        base_url=base_url,
        credentials=find_credentials(options, environment),
        place=where,
        verify=options["validate_certs"] and (ca_path or True),
        **{name: options[name] for name in LIMITS},
    )
