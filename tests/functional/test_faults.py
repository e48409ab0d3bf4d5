# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every fault at every kind of call ends in a state that the user can tell, and the page that says so is up to date."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api import retry

from tests.fake_service import LocalService
from tests.functional.fault_cases import CALLS, FAULTS
from tests.functional.idempotence_cases import EXCEPTIONS, FIREWALL, L4_OVERRIDES, L7_OVERRIDES, PACKETS
from tests.support.misbehaviour import Call, Misbehaviour, ending, misbehave, without_waiting
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.sampled_rows import sample
from tests.support.service_state import assert_no_duplicates_and_no_clearance


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
    service.zone(ZONE).seed(**FIREWALL, **L7_OVERRIDES, **EXCEPTIONS, custom_rulesets=[{"name": "Bots"}])


PAGE = """# Table of faults

What happens when a call goes wrong? `python -m tests.functional.test_faults` writes this page: it provokes every fault at
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
    rows = [row(call, ended) for call in CALLS]
    message = next(filter(None, (ended[call.words, None].message for call in (CALLS[1], CALLS[0]))))
    # for any account
    message = re.sub(r" \(ray [^)]*\)|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", "", message.replace(ACCOUNT, "ACCOUNT"))
    message = re.sub(r"(?<=http://127\.0\.0\.1:)[0-9]+", "PORT", message)
    return (
        f"## {fault.words}\n\n"
        "| Call | Once: the task is | the state is | Again and again: the task is | the state is |\n"
        "|---|---|---|---|---|\n" + "\n".join(rows) + f"\n\nThe message, if the fault goes on:\n\n> {message}\n"
    )


def row(call: Call, ended: Mapping[tuple[str, int | None], Outcome]) -> str:
    once, ever = ended[call.words, 1], ended[call.words, None]
    return f"| {call.words} | {once.seen} | {once.state} | {ever.seen} | {ever.state} |"


SHOWN = (Path(__file__).parent / "faults.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.words)
def test_the_user_sees_what_the_service_holds_and_the_page_says_so(
    fault: Misbehaviour, service: LocalService, waits: list[float]
) -> None:
    (shown,) = (part for part in SHOWN.split("\n## ") if part.startswith(f"{fault.words}\n"))
    ended = {}
    calls = sample(CALLS, 2, first=FAULTS.index(fault))
    for call, times in product(calls, (1, None)):
        ended[call.words, times] = outcome(service, fault, call, times)
        assert_is_true(ended[call.words, times])
        assert_no_duplicates_and_no_clearance(service)
    assert {row(call, ended) for call in calls} <= {*shown.splitlines()}
    assert calls != CALLS or section(fault, ended) in SHOWN


def assert_is_true(ended: Outcome) -> None:
    if ended.seen != "not known":
        assert ended.state == ("desired" if ended.seen == "done" else "unchanged")
    if "operations" in ended.result and ended.result.get("failed"):
        parts = [item for part in ("done", "unknown", "left") for item in ended.result[part]]
        assert parts == ended.result["operations"]
    assert (ended.message == "") == (ended.seen == "done")


def test_the_page_has_nothing_else() -> None:
    assert SHOWN.startswith(PAGE)
    assert re.findall("^## (.*)$", SHOWN, re.MULTILINE) == [fault.words for fault in FAULTS]


if __name__ == "__main__":
    with LocalService() as local_service, patch.object(retry, "time", without_waiting(local_service, [])):
        sys.stdout.write(page(local_service))
