# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the service holds, and how it has been told to behave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from threading import RLock
from typing import Any

from .accounts import Account
from .calls import Call
from .clock import Clock
from .contract import Breach, Contract
from .credentials import EMAIL, KEY, TOKEN, Credentials, Permission, grant
from .misbehaviour import Fault
from .rate_limit import QUERY, RateLimit, depleted, is_by_account
from .zones import Zone


@dataclass(frozen=True)
class Switches:
    """Behaviour for which the real service is not known, or which differs from zone to zone, and the pace."""

    refuse_duplicates: bool = False
    firewall_put_updates_filter: bool = False
    firewall_retired: bool = False
    firewall_maintenance: bool = False
    analytics_errors_under_200: bool = False
    seconds_per_query: float = 0.0  # by which the clock advances, in place of who waits between queries
    latency: float = 0.0
    checked_against_contract: bool = True


class Service:
    """The state in memory, what a test says to it, and what it has seen."""

    token = TOKEN
    email = EMAIL
    key = KEY

    def __init__(self) -> None:
        self.contract = Contract.shared()
        self.lock = RLock()
        self.reset()

    def reset(self) -> None:
        """Forget everything: as if just made, except that the address stays."""
        with self.lock:
            self.clock = Clock()
            self.accounts: dict[str, Account] = {}
            self.zones: dict[str, Zone] = {}
            self.credentials = Credentials()
            self.switches = Switches()
            self.faults: list[Fault] = []
            self.limit: RateLimit | None = None
            self.analytics_limit: RateLimit | None = None
            self.account_limits: dict[str, RateLimit] = {}
            self.calls: list[Call] = []
            self.breaches: list[Breach] = []

    @property
    def writes(self) -> list[Call]:
        """The calls that were meant to change something."""
        return [
            call
            for call in self.calls
            if call.method not in ("GET", "HEAD") and call.path != QUERY and call.query.get("dry_run") != "true"
        ]

    @property
    def queries(self) -> list[Call]:
        """The calls that asked the analytics."""
        return [call for call in self.calls if call.path == QUERY]

    @property
    def standing_faults(self) -> list[Fault]:
        """What the switches make go wrong, until they are turned back."""
        switched = {"gone": self.switches.firewall_retired, "maintenance": self.switches.firewall_maintenance}
        return [Fault.of(kind, settings={}) for kind, on in switched.items() if on]

    def account(self, account_id: str) -> Account:
        """The account, made (empty, protection off) if there is none yet."""
        return self.accounts.setdefault(account_id, Account(self.clock))

    def zone(self, zone_id: str) -> Zone:
        """The zone, made (empty) if there is none yet."""
        return self.zones.setdefault(zone_id, Zone(self.clock))

    def add_token(self, token: str, *, only: Iterable[str] | None = None, **permissions: Permission) -> str:
        """Accept another token, with these permissions by area, limited to some account and zone ids if `only` is given."""
        self.credentials.tokens[token] = grant(only, **permissions)
        return token

    def misbehave(
        self,
        kind: str,
        *,
        method: str | None = None,
        path: str | None = None,
        skip: int = 0,
        times: int | None = None,
        **settings: Any,
    ) -> Fault:
        """Make matching calls go wrong: after the first `skip` of them the next `times`, or all when `times` is None.

        method and path are regular expressions, the method's for the whole of it, the path's (below base_url, without
        the query) for any part. The kinds and their settings are in misbehaviour.py.
        """
        fault = Fault.of(kind, method=method, path=path, skip=skip, times=times, settings=settings)
        with self.lock:
            self.faults.append(fault)
        return fault

    def switch(self, **switches: Any) -> None:
        """Change some of the switches."""
        self.switches = replace(self.switches, **switches)

    def rate_limit(self, calls: int, seconds: float, retry_after: float | None = None) -> None:
        """Allow so many calls in so many seconds; beyond that all are answered 429 until `retry_after` has passed.

        Without retry_after the answer names no time, and calls are refused until the window is over.
        """
        self.limit = RateLimit(self.clock, calls, seconds, retry_after)

    def limit_analytics(self, queries: int, seconds: float = 300) -> None:
        """Allow so many queries in so many seconds; beyond that they are refused, and no answer names a time.

        These are all queries, or those about each account of the calls that ask to be counted so.
        """
        self.analytics_limit = RateLimit(self.clock, queries, seconds, refuses=depleted)
        self.account_limits = {}

    def limit_of(self, call: Call) -> RateLimit | None:
        """The limit that counts a call, whatever it is about: queries have one of their own."""
        if call.path != QUERY:
            return self.limit
        return None if is_by_account(call.headers) else self.analytics_limit

    def limit_about(self, account_id: str) -> RateLimit | None:
        """The limit of the queries about an account."""
        limit = self.analytics_limit
        return limit and self.account_limits.setdefault(account_id, RateLimit(self.clock, limit.calls, limit.seconds))

    def load(self, document: Mapping[str, Any]) -> None:
        """Take over a state document. Accounts and zones are replaced, the rest only where the document has it."""
        unknown = document.keys() - self.document().keys()
        if unknown:
            raise ValueError(f"a state document has no {', '.join(sorted(unknown))}")
        accounts = {
            str(name): Account(self.clock).seed(**(contents or {}))
            for name, contents in document.get("accounts", {}).items()
        }
        zones = {
            str(name): Zone(self.clock).seed(**(contents or {})) for name, contents in document.get("zones", {}).items()
        }
        switches = replace(self.switches, **document.get("switches", {}))
        with self.lock:
            self.credentials.load(document.get("tokens"), document.get("keys"))
            self.accounts, self.zones, self.switches = accounts, zones, switches

    def amend(self, document: Mapping[str, Any]) -> None:
        """Take over accounts and zones of a state document as people change them in the dashboard: fields are set, objects come
        in addition, and what is null goes. Nothing else changes."""
        unknown = document.keys() - {"accounts", "zones"}
        if unknown:
            raise ValueError(f"accounts and zones are amended, not {', '.join(sorted(unknown))}")
        with self.lock:
            for name, contents in document.get("accounts", {}).items():
                if contents is None:
                    self.accounts.pop(str(name), None)
                else:
                    self.account(str(name)).seed(**contents)
            for name, contents in document.get("zones", {}).items():
                if contents is None:
                    self.zones.pop(str(name), None)
                else:
                    self.zone(str(name)).seed(**contents)

    def document(self) -> dict[str, Any]:
        """All data, as a state document that `load` takes."""
        return {
            "accounts": {name: account.document() for name, account in self.accounts.items()},
            "zones": {name: zone.document() for name, zone in self.zones.items()},
            **self.credentials.document(),
            "switches": asdict(self.switches),
        }
