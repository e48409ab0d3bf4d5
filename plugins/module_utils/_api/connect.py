# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client of a task: its session, and the budgets that its calls count on."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Iterator, NamedTuple
from urllib.parse import urlsplit

from .._budget.budget import CALLS, QUERIES, CallBudget, NoBudget, SharedTurns, Turns, state_path
from .._concurrency import SharedByTasks
from .._schema.neighbours import ZONES, only_zone
from .._schema.resource import ZONE_OWNER
from .._text import Screen, Warn
from .client import Client
from .progress import Progress
from .session import Session
from .settings import Settings

CALL_PERIOD = 300.0  # seconds in which a budget counts calls
SHORTER_PERIOD = "EDGEOPS_PROTECTION_CALL_PERIOD"  # the variable of tests, which have less time
QUERY_BUDGET = (300, 300.0)  # queries about each account, and seconds


class Budgets(NamedTuple):
    """Opens the budgets that limit how many calls a task makes, and how many queries about an
    account. `screen` shows messages at once instead of at the end of the task.
    """

    settings: Settings
    warn: Warn
    screen: Screen | None

    def open(self, about: str) -> NoBudget:
        """The budget of these credentials or, if `about` names an account or zone, of the queries
        about it; NoBudget if calls are not counted."""
        settings = self.settings
        unit = QUERIES if about else CALLS
        owner = {"queries about": about} if about else settings.headers
        calls, period = QUERY_BUDGET if about else self._call_budget()
        if not settings.call_budget or not period:
            return NoBudget()

        def open_turns() -> Turns:
            host = urlsplit(settings.base_url).netloc
            return SharedTurns(state_path(os.environ, host, owner))

        def make() -> CallBudget:
            return CallBudget(calls, period, open_turns, self.warn, self.screen, unit)

        shared = SharedByTasks.current() or SharedByTasks()
        return shared.made_once((about, settings.credentials_hash, calls, period), make)

    def _call_budget(self) -> tuple[int, float]:
        period = float(os.environ.get(SHORTER_PERIOD, CALL_PERIOD))
        return self.settings.call_budget, period


@contextmanager
def connected(settings: Settings, warn: Warn, screen: Screen | None = None) -> Iterator[Client]:
    """A client whose calls share one session and one budget; nothing is sent yet.

    `screen` shows messages at once, before the task ends.
    """
    progress = Progress()
    budgets = Budgets(settings, warn, screen)
    with Session(settings, budgets.open, progress) as session, progress.watched(screen):
        client = Client(session, settings.owner, progress, settings.credentials_hash)
        client.wait = session.wait
        yield client


def client_of_owner(client: Client, settings: Settings) -> Client:
    """The client of the owner that the settings name; a name is looked up with one call.

    Raises ProtectionError unless exactly one owner has that name.
    """
    name = settings.owner_name
    if name is None:
        return client
    zones = client.read(ZONES, {"name": name})
    identity = only_zone(name, zones)
    owner_client = client.within({**client.owner, ZONE_OWNER.option: identity})
    owner_client.zones = [zone for zone in zones if zone.get("id") == identity]
    return owner_client
