# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random rules of account, zone and rulesets, and lists, before and after some changes: a sample of the pairs that
`make comparisons` shows to the vendor's engine and to a prover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from tests.evidence.engine import chains, generators
from tests.support.requests_evaluator import Request, matches

KEYS = {
    "path": "http.request.uri.path",
    "host": "http.host",
    "method": "http.request.method",
    "user_agent": "http.user_agent",
    "source": "ip.src",
    "ssl": "ssl",
}


def decisions(expression: str, requests: Sequence[Mapping[str, Any]]) -> list[bool]:
    asked = [Request(**{key: request[name] for key, name in KEYS.items()}) for request in requests]
    return [matches(expression, request) for request in asked]


@pytest.mark.parametrize("seed", range(0, 100, 10))
def test_the_difference_of_chains_is_that_of_their_requests(seed: int) -> None:
    for random in map(Random, range(seed, seed + 10)):
        states = chains.pair(random, generators.request_atom)
        asked = generators.requests(random, 20)
        requests = [{name: getattr(request, key) for key, name in KEYS.items()} for request in asked]
        _changes, wrongs = chains.wrongs_of_pair(states, requests, decisions)
        assert wrongs == []
