# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens clients from checked settings."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Callable, Iterator
from urllib.parse import urlsplit

from .._budget.budget import CALLS, QUERIES, CallBudget, NoBudget, Unit
from .._budget.state import SharedTurns, Turns, state_path
from .._schema.neighbours import ZONES, only_zone
from .._schema.resource import ZONE_OWNER
from .._text import Screen
from .client import Client
from .progress import Progress
from .session import Session
from .settings import Settings

QUERY_BUDGET, QUERY_BUDGET_PERIOD = 300, 300.0  # of the analytics, which count by themselves

Warn = Callable[[str], None]


@contextmanager
def connected(settings: Settings, warn: Warn, screen: Screen | None = None) -> Iterator[Client]:
    """A client whose calls share one session and one budget; nothing is sent yet.

    `screen` shows what cannot wait until the end.
    """
    progress = Progress()
    session = Session(
        settings.base_url,
        settings.credentials.headers,
        timeout=settings.timeout,
        retries=settings.retries,
        max_wait=settings.max_wait,
        verify=settings.verify,
        budget=_budget(settings, warn, screen),
        progress=progress,
        open_query_budget=lambda: _query_budget(settings, warn, screen),
    )
    with session, progress.watched(screen):
        yield Client(session, settings.owner, progress)


def client_of_owner(client: Client, settings: Settings) -> Client:
    """The client of the owner that the settings name; a name is looked up, for one call.

    Raises ProtectionError unless exactly one owner has that name.
    """
    name = settings.owner_name
    if name is None:
        return client
    zones = client.read(ZONES, {"name": name})
    return client.within({ZONE_OWNER.option: only_zone(name, zones)})


def _budget(settings: Settings, warn: Warn, screen: Screen | None) -> NoBudget:
    period = settings.call_budget_period
    return _shared_budget(settings, CALLS, settings.call_budget, period, warn, screen)


def _query_budget(settings: Settings, warn: Warn, screen: Screen | None) -> NoBudget:
    calls = QUERY_BUDGET if settings.call_budget else 0
    return _shared_budget(settings, QUERIES, calls, QUERY_BUDGET_PERIOD, warn, screen)


def _shared_budget(
    settings: Settings,
    counted: Unit,
    calls: int,
    period: float,
    warn: Warn,
    screen: Screen | None,
) -> NoBudget:
    """The budget of this credential for calls of one kind; none where no calls are counted."""

    def open_state() -> Turns:
        host = urlsplit(settings.base_url).netloc + counted.suffix
        return SharedTurns(state_path(os.environ, host, settings.credentials.headers))

    if not calls or not period:
        return NoBudget()
    return CallBudget(calls, period, open_state, warn, screen, counted)
