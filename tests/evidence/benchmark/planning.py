# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans large lists of prefixes, without a service: `python -m tests.evidence.benchmark.planning plan|loads SIZE`.

Each run is a process of its own, since no module plans twice with what it has remembered. It prints the seconds of its
processor for the desired and the plan, or for json.loads of the same bytes.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES

from .accounts import identifier, prefixes

STAMP = "2026-01-01T00:00:00Z"
DIFFERS = 100  # one in so many is new, one has another comment, one goes


def lists(size: int) -> dict[str, list[dict[str, Any]]]:
    """What is existing and what is desired, as the service and the options of a module have it."""
    everything = prefixes(size + size // DIFFERS)
    existing = [
        {"id": identifier(number), **entry, "created_on": STAMP, "modified_on": STAMP}
        for number, entry in enumerate(everything[:size])
    ]
    desired = [
        {**entry, "comment": "changed" if number % DIFFERS == 1 else ""}
        for number, entry in enumerate(everything)
        if number % DIFFERS or number >= size
    ]
    return {"existing": existing, "desired": desired}


def plan(document: dict[str, list[dict[str, Any]]]) -> int:
    """The number of changes that follow."""
    desired = parse_desired(PREFIXES, numbered("prefixes", document["desired"]), exclusive=True)
    return len(make_plan({PREFIXES.plural: document["existing"]}, [desired]).operations)


def seconds(what: str, size: int) -> float:
    """The processor's time for `plan` or for `loads`."""
    text = json.dumps(lists(size)).encode()
    document = json.loads(text)
    start = time.process_time()
    if what == "plan":
        count = plan(document)
    else:
        json.loads(text)
    taken = time.process_time() - start
    if what == "plan" and count != expected(size):
        raise SystemExit(f"{count} changes were planned instead of {expected(size)}")
    return taken


def expected(size: int) -> int:
    """New ones, changed ones and those that go."""
    return 3 * (size // DIFFERS)


if __name__ == "__main__":
    print(seconds(sys.argv[1], int(sys.argv[2])))
