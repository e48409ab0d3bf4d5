# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Long lists alone, without Ansible and without a service: `python -m tests.evidence.benchmark.items CASE SIZE`, with items,
items_new, items_half, items_all, items_bare_new, items_bare_all, items_read, items_loads or items_sorted for CASE.

ip_list runs in check mode, from its options to its result without secrets. The process has nothing else in its memory, which
counts as well. It prints the seconds of its processor.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

from ansible_collections.edgeops.protection.plugins.module_utils import _engine
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._arguments import read_options
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import LISTS, items_of
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import argument_spec
from ansible_collections.edgeops.protection.plugins.module_utils._specs.ip_lists import IP_LIST_SPECS

from .accounts import identifier

STAMP = "2026-01-01T00:00:00Z"
DIFFERS = 100
NO_VALUES: Mapping[str, Any] = {}
NAME = "feed"


def item(number: int, comment: str = "") -> dict[str, Any]:
    """An item of a list: of ten, one is a network, and the others are addresses."""
    first = f"{10 + number // 65536}.{number // 256 % 256}.{number % 256}.0"
    return {"ip": first if number % 10 else f"{first}/24", "comment": comment}


BESIDE = ("items_read", "items_loads", "items_sorted")


def desired_items(size: int, change: str = "") -> list[dict[str, Any]]:
    """The items of a task. They differ from the existing ones as prefixes do; or all are `new`, or the comment of `half` of
    them changes, or of `all`, to another one each."""
    if change == "half":
        return [item(number, "changed" * (number % 2)) for number in range(size)]
    if change:
        return [item(number, f"change {number}" if change == "all" else "") for number in range(size)]
    every = range(size + size // DIFFERS)
    return [
        item(number, "changed" if number % DIFFERS == 1 else "")
        for number in every
        if number % DIFFERS or number >= size
    ]


PAGE = items_of(NAME).page_size
CHANGED: Mapping[str, Callable[[int], int]] = {  # how many items change, by what is measured
    "items": lambda size: 3 * (size // DIFFERS),
    "items_new": lambda size: size,
    "items_half": lambda size: size // 2,
    "items_all": lambda size: size,
}


class Serving:
    """Answers the calls for one list of so many items in the place of a session; it keeps none of them."""

    calls = 0

    def __init__(self, existing: int) -> None:
        self.existing = existing

    def page(self, start: int) -> str:
        items = (
            f'{{"id": "{identifier(number)}", "ip": "{item(number)["ip"]}", "comment": "", "created_on": "{STAMP}"}}'
            for number in range(start, min(start + PAGE, self.existing))
        )
        return f"[{', '.join(items)}]"

    def send(self, request: Request) -> Response:
        """A page of the items; or the list, the only one of its account, to whose items no rule refers."""
        number, info = int(request.query.get("cursor", 0)), "{}"
        result = json.dumps([{"id": identifier(1), "name": NAME, "kind": "ip", "description": ""}])
        if not request.path.endswith(("/items", "/lists")):  # the rules of the account, or its type
            result = json.dumps({"id": identifier(2), "type": "enterprise", "rules": []})
        if request.path.endswith("/items"):
            after = number + PAGE if number + PAGE < self.existing else ""
            result, info = self.page(number), json.dumps({"cursors": {"after": str(after)}})
        text = f'{{"success": true, "errors": [], "messages": [], "result": {result}, "result_info": {info}}}'
        return Response(200, {}, text.encode())


def planned_items(existing: int, desired: Sequence[Any]) -> int:
    """The number of changes of ip_list in check mode."""
    spec = IP_LIST_SPECS["ip_list"]
    own = {"account_id": identifier(0), "api_token": "x" * 40}
    options = read_options(argument_spec(spec), {**own, "name": NAME, "items": desired, "purge": True})
    warnings: list[str] = []

    @contextmanager
    def connected(*_settings: Any) -> Iterator[Client]:
        yield Client(Serving(existing), own)

    with mock.patch.object(_engine, "connected", connected):
        result = _engine.run(spec, options, True, False, warnings.append)
    return 0 if warnings else len(result["operations"])


def read_items(existing: int) -> bool:
    """Read the list and its items as the module does; whether these are all."""
    client = Client(Serving(existing), {"account_id": identifier(0)})
    resource = items_of(NAME)
    return bool(client.read_state([LISTS])) and len(client.read_state([resource])[resource.plural]) == existing


def bare_results(existing: int, text: str) -> int:
    """Make the result of ip_list without it, each part once: what the least program in Python must have in its memory. The
    items are new, or if some exist, the comments of all of them change."""
    pages = Serving(existing)
    known = {one["ip"]: one for start in range(0, existing, PAGE) for one in json.loads(pages.page(start))}
    operations, before, after, items = [], {}, {}, []
    for one in json.loads(text):
        key, was = f"{NAME} {one['ip']}", known.get(one["ip"])
        fields, gone = ({"comment": one["comment"]}, {"comment": was["comment"]}) if was else (one, NO_VALUES)
        operation = {"action": "update" if was else "create", "resource": "ip_list_item", "key": key}
        operations.append({**operation, "fields": fields, "before": gone})
        after[key] = one
        if was:
            before[key] = {"ip": was["ip"], "comment": was["comment"]}
        items.append({**was, **one} if was else one)
    return len(operations) if items and (before or not existing) else 0


def work(what: str, size: int) -> Callable[[], bool]:
    """What one run does with a list of this size."""
    if what == "items_read":
        return lambda: read_items(size)
    existing = 0 if "new" in what else size
    desired = desired_items(size, what.replace("items_bare", "items").partition("_")[2] if what not in BESIDE else "")
    if what == "items_sorted":
        return lambda: bool(sorted(desired, key=lambda one: str(one["ip"])))
    if what not in CHANGED:
        text = json.dumps(desired)
        del desired
        return lambda: bool(json.loads(text)) if what == "items_loads" else bare_results(existing, text) == size
    return lambda: planned_items(existing, desired) == CHANGED[what](size)


def seconds(function: Callable[[], bool]) -> float:
    """The processor's time; raises SystemExit for a wrong result."""
    start = time.process_time()
    right = function()
    taken = time.process_time() - start
    if not right:
        raise SystemExit("The result is not what is expected.")
    return taken


if __name__ == "__main__":
    print(seconds(work(sys.argv[1], int(sys.argv[2]))))
