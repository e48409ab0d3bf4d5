# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each fault at each kind of call: what the user sees, and the state of the service afterwards. Writes docs/faults.md.

`python -m tests.functional.fault_cases` runs every pair against the local service and prints the page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from ansible_collections.edgeops.protection.plugins.module_utils._api import retry

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import FIREWALL, L4_OVERRIDES, L7_OVERRIDES, PACKETS, RULE_1, RULE_2
from tests.support.misbehaviour import Call, Misbehaviour, ending, misbehave, without_waiting
from tests.support.module_run import ACCOUNT, ZONE, Modules

FAULTS = (
    Misbehaviour("The connection breaks before the service applies the request", "lost_before"),
    Misbehaviour("The service applies the request, and the connection breaks before the response", "lost_after"),
    Misbehaviour("The response breaks off in the middle of its body", "cut_body"),
    Misbehaviour("The response is JSON cut in half", "truncated"),
    Misbehaviour("The response has no body", "empty"),
    Misbehaviour("An edge page in HTML, HTTP 522", "html"),
    Misbehaviour("The service fails, HTTP 500", "status", {"status": 500}),
    Misbehaviour("The service applies the request, and responds with HTTP 502", "status_after"),
    Misbehaviour("Too many calls, HTTP 429 with Retry-After of 10 seconds", "status", {"status": 429, "headers": {"Retry-After": "10"}}),
    Misbehaviour("Too many calls, HTTP 429 with Retry-After of 300 seconds", "status", {"status": 429, "headers": {"Retry-After": "300"}}),
    Misbehaviour("No permission, HTTP 403", "status", {"status": 403, "errors": [{"code": 10000, "message": "Authentication error"}]}),
    Misbehaviour("A conflict, HTTP 409", "status", {"status": 409, "errors": [{"code": 10409, "message": "It exists already"}]}),
    Misbehaviour("HTTP 200 with success false", "success_false_200"),
    Misbehaviour("A redirect to another host", "redirect", {"location": "https://elsewhere.example.net/"}),
)  # fmt: skip
TWO = [{"prefix": "192.0.2.0/24"}, {"prefix": "2001:db8::/32"}]
CALLS = (
    Call("read a listing", "GET", "allowlist_entry", {"prefix": "10.0.0.1"}),
    Call("create one object", "POST", "allowlist_entry", {"prefix": "10.0.0.1"}),
    Call("add in bulk", "POST", "protected_prefixes", {"prefixes": TWO}),
    Call("change one object", "PATCH", "allowlist_entry", {"prefix": "198.51.100.7", "comment": "new"}),
    Call("delete one object", "DELETE", "allowlist_entry", {"prefix": "198.51.100.7", "state": "absent"}),
    Call("update a batch of firewall rules", "PUT", "firewall_rules",
         {"rules": [{"id": RULE_1, "action": "block"}, {"id": RULE_2, "paused": True}]}),
    Call("add items to a list", "POST", "ip_list", {"name": "offices", "items": [{"ip": "192.0.2.2"}, {"ip": "192.0.2.3"}]}),
    Call("remove items from a list", "DELETE", "ip_list", {"name": "offices", "items": [{"ip": "192.0.2.1"}], "state": "absent"}),
    Call("replace Network Firewall rules", "PUT", "network_firewall_rules",
         {"rules": [{"ref": "new", "action": "block", "expression": "ip.len lt 40"}]}),
    Call("replace DDoS overrides of an account", "PUT", "ddos_l4_overrides", {"overrides": [{"ref": "calm", "sensitivity": "default"}]}),
    Call("replace DDoS overrides of a zone", "PUT", "ddos_l7_overrides", {"overrides": [{"ref": "upload"}], "state": "absent"}),
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """How a run ends for the user (`done`, `not done`, `not known`), its message, and the state of the service afterwards."""

    seen: str
    message: str
    state: str
    result: Mapping[str, Any]


def outcome(service: LocalService, fault: Misbehaviour, call: Call, times: int | None) -> Outcome:
    """Run the call's task with the fault at work once, or (None) again and again."""
    prepare(service)
    modules = Modules(service)
    misbehave(service, fault, call, times)
    result = modules.run(call.module, **call.options)
    service.faults.clear()
    left = modules.done(call.module, check=True, **call.options)["operations"]
    return Outcome(ending(result), result.get("msg", ""), "unchanged" if left else "desired", result)


def prepare(service: LocalService) -> None:
    service.reset()
    service.account(ACCOUNT).seed(allowlist=[{"prefix": "198.51.100.7"}, {"prefix": "198.51.100.9"}])
    service.account(ACCOUNT).seed(
        lists=[{"name": "offices", "items": [{"ip": "192.0.2.1"}, {"ip": "198.51.100.0/24"}]}]
    )
    service.account(ACCOUNT).seed(**PACKETS, **L4_OVERRIDES)
    service.zone(ZONE).seed(**FIREWALL, **L7_OVERRIDES)


PAGE = """# Table of faults

What happens when a call goes wrong? `python -m tests.functional.fault_cases` writes this page: it provokes every fault at
every kind of call, and the tables show the result. A test compares them with the present behaviour.

A task ends in one of three ways. *Done*: the service has the desired state, whatever happened on the way. *Not done*: the
message says why, and `left` lists the operations. *Not known*: the response was lost, and reading again was not possible
or did not give an answer; `unknown` lists the operations. Run the task again to find out, since it reads first.

The module retries a read, and a write that sets absolute values, up to `retries` times. It retries a create only if the
request certainly was not applied; otherwise it reads the collection and plans again, once. So no task creates a duplicate.
"""


def page(service: LocalService) -> str:
    """The whole page."""
    parts = [PAGE]
    for fault in FAULTS:
        ended = {(call.words, times): outcome(service, fault, call, times) for call in CALLS for times in (1, None)}
        parts.append(section(fault, ended))
    return "\n".join(parts)


def section(fault: Misbehaviour, ended: Mapping[tuple[str, int | None], Outcome]) -> str:
    """What the page says of a fault; the message is that of a create, or else of a listing."""
    rows = [
        f"| {call.words} | {once.seen} | {once.state} | {ever.seen} | {ever.state} |"
        for call, once, ever in ((call, ended[call.words, 1], ended[call.words, None]) for call in CALLS)
    ]
    message = next(filter(None, (ended[call.words, None].message for call in (CALLS[1], CALLS[0]))))
    # for any account
    message = re.sub(r" \(ray [^)]*\)|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", "", message.replace(ACCOUNT, "ACCOUNT"))
    return (
        f"## {fault.words}\n\n"
        "| Call | Once: the task is | the state is | Again and again: the task is | the state is |\n"
        "|---|---|---|---|---|\n" + "\n".join(rows) + f"\n\nThe message, if the fault goes on:\n\n> {message}\n"
    )


if __name__ == "__main__":
    with LocalService() as local_service, patch.object(retry, "time", without_waiting(local_service)):
        sys.stdout.write(page(local_service))
