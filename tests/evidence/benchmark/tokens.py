# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Accounts with their zones under the call budgets of one or several tokens, predicted by the playbook baseline."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import accounts, plays
from .measure import Case, Row, Taken, Way
from .peer import FORKS, MEMORY, rules, zones
from .processes import Failure, run
from .serving import Serving
from .ways import PLAYBOOK, Limit, constant

ACCOUNTS, ZONES = 40, 1_500
CALLS = ACCOUNTS * 7 + ZONES  # of accounts with their lists, and of zones
LIMIT = Limit(120, 6.0)  # of each token; as the service's own 1,200 calls in 300 s, in less time


def cases(serving: Serving, scratch: Path) -> Iterator[Case]:
    """All calls with one token, and a third of them with each of three."""
    for tokens in (1, 3):
        work = f"playbook baseline --check on {ACCOUNTS} accounts and {ZONES:,} zones, {tokens} of the tokens"
        least, nothing = f"the least time of the calls of {tokens} tokens", "nothing"
        ways = {
            work: Way(TokenFleet(serving, scratch, tokens).baseline),
            least: constant(LIMIT.least_time(-(-CALLS // tokens))),
            nothing: constant(0),
        }
        rows = [
            Row(work, least, 1.15, chief=True),
            Row(work, nothing, CALLS, unit="calls"),
            Row(work, nothing, MEMORY, unit="MiB"),
        ]
        yield Case(f"fleet_tokens_{tokens}", ways, rows, rounds=1)


class TokenFleet:
    """The accounts and their zones in order, the hosts of each token in turn."""

    def __init__(self, serving: Serving, scratch: Path, tokens: int) -> None:
        self._serving, self._scratch = serving, scratch / f"tokens{tokens}"
        self._tokens = [serving.token, *(f"token-{number}-of-the-local-service" for number in range(1, tokens))]
        self._zones = list(zones(ZONES).items())

    def baseline(self) -> Taken:
        """The playbook in check mode, from the first to the last call; raises Failure if a token makes more calls than its budget."""
        self._scratch.mkdir(exist_ok=True)
        inventory = self._scratch / "hosts.json"
        inventory.write_text(json.dumps({"all": self._hosts()}), encoding="utf-8")
        held = {
            zone: {
                "name": name,
                "plan": "business",
                "account_id": self._account(number),
                "custom_rules": rules("example.com"),
            }
            for number, (name, zone) in enumerate(self._zones)
        }
        whole = {accounts.identifier(number): accounts.in_order() for number in range(ACCOUNTS)}
        self._serving.hold(whole, 0.0, held, self._tokens)
        words: list[str | Path] = [
            "env",
            f"EDGEOPS_PROTECTION_CALL_PERIOD={LIMIT.seconds:g}",
            PLAYBOOK,
            "-i",
            inventory,
            "-f",
            str(FORKS),
        ]
        taken, text = run([*words, "edgeops.protection.baseline", "--check"], self._scratch)
        if f"{ACCOUNTS + ZONES} in order" not in text or self._serving.was_written_to():
            raise Failure(f"The hosts were not found in order:\n{text[-2000:]}")
        moments: dict[str, list[float]] = defaultdict(list)
        for call in self._serving.calls():
            moments[call["authorization_digest"]].append(call["moment"])
        for own in map(sorted, moments.values()):
            if any(later - first < LIMIT.seconds for first, later in zip(own, own[LIMIT.calls :], strict=False)):
                raise Failure(f"A token made more than {LIMIT.calls} calls in {LIMIT.seconds:g} s.")
        every = sorted(moment for own in moments.values() for moment in own)
        return replace(taken, seconds=every[-1] - every[0], calls=len(every))

    def _account(self, zone: int) -> str:
        return accounts.identifier(zone % ACCOUNTS)

    def _hosts(self) -> dict[str, Any]:
        described = {f"baseline_{name}": value for name, value in accounts.desired().items()}
        hosts = {
            f"account{number}": {"edge_account_id": accounts.identifier(number), **described}
            for number in range(ACCOUNTS)
        }
        hosts.update({f"zone{number}": {"edge_zone_id": zone} for number, (_name, zone) in enumerate(self._zones)})
        tokens = {name: self._tokens[number % len(self._tokens)] for number, name in enumerate(hosts)}
        groups: dict[str, dict[str, Any]] = {
            "accounts": {"hosts": {}},
            "zones": {"hosts": {}, "vars": {"baseline_custom_rules": rules("example.com")}},
        }
        for name, variables in hosts.items():
            groups[f"{name.rstrip('0123456789')}s"]["hosts"][name] = {**variables, "edge_api_token": tokens[name]}
        common = {
            **plays.inventory([], self._serving.base_url, "")["all"]["vars"],
            "edge_base_url": self._serving.base_url,
            "baseline_call_budget": LIMIT.calls,
        }
        return {"children": groups, "vars": common}
