# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever the service answers, whichever call it answers: a true result or one line, soon, and the page that says so."""

from __future__ import annotations

import json
import re
import resource
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api import retry

from tests.fake_service import LocalService
from tests.functional.hostile_cases import ANSWERS, BOTH_WAYS, CALLS, GROUPS
from tests.functional.idempotence_cases import CUSTOM, FIREWALL, L4_OVERRIDES, PACKETS, RATES
from tests.support.misbehaviour import Call, Misbehaviour, ending, misbehave, without_waiting
from tests.support.module_run import ACCOUNT, AREA_B, ZONE, Modules
from tests.support.sampled_rows import sample
from tests.support.work import calls_of

SENT_BACK = (*AREA_B, "network_firewall_rules", "ddos_l4_overrides")  # whole objects


@dataclass(frozen=True)
class Outcome:
    """How a run ends: `done`, `not done` or `not known`, after how many calls of functions; the service's state before and after."""

    seen: str
    result: Mapping[str, Any]
    work: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]


def prepare(service: LocalService, call: Call) -> None:
    service.reset()
    service.switch(checked_against_contract=call.module in SENT_BACK)
    service.account(ACCOUNT).seed(
        prefixes=[{"prefix": prefix} for prefix in ("192.0.2.0/24", "198.51.100.0/24", "2001:db8::/48")],
        allowlist=[{"prefix": "198.51.100.7"}, {"prefix": "198.51.100.9"}],
        syn_flood={"filters": [{"expression": "tcp.dstport eq 80", "mode": "disabled"}]},
    )
    service.account(ACCOUNT).seed(
        lists=[{"name": "offices", "items": [{"ip": "192.0.2.1"}, {"ip": "198.51.100.0/24"}]}]
    )
    service.account(ACCOUNT).seed(**PACKETS, **L4_OVERRIDES)
    service.zone(ZONE).seed(**FIREWALL, **CUSTOM, **RATES)


def outcome(service: LocalService, answer: Misbehaviour, call: Call) -> Outcome:
    """Run the call's task, which gets the answer again and again."""
    prepare(service, call)
    before = deepcopy(service.document())
    misbehave(service, answer, call)
    results: list[dict[str, Any]] = []
    work = calls_of(lambda: results.append(Modules(service).run(call.module, retries=0, **call.options)))
    (result,) = results
    service.faults.clear()
    return Outcome(ending(result), result, work, before, deepcopy(service.document()))


PAGE = f"""# What happens when the service answers nonsense?

This page is made by `python -m tests.functional.test_hostile`: each of {len(ANSWERS)} answers is given to each of
{len(CALLS)} kinds of call, again and again, and the tables say how the task ends. A test compares them with what happens now.

*Done*: the answer has what the task needs, odd as it may be. *Not done*: the message says why, and nothing was changed.
*Not known*: the answer to a change cannot be read, and reading again shows that the change is not there; the operations stand
in `unknown`. There is no fourth way: a task ends within seconds, with a message of one line, and never with a traceback.
"""


def page(endings: Callable[[Misbehaviour], Iterable[str]]) -> str:
    """The whole page; `endings` says how each call ends that gets an answer."""
    heading = f"| Answer | {' | '.join(call.words for call in CALLS)} |\n{'|---' * (len(CALLS) + 1)}|\n"
    return PAGE + "".join(
        f"\n## {title}\n\n{heading}" + "".join(row(answer, endings(answer)) for answer in answers)
        for title, answers in GROUPS.items()
    )


def row(answer: Misbehaviour, endings: Iterable[str]) -> str:
    return f"| {answer.words} | {' | '.join(endings)} |\n"


SHOWN = (Path(__file__).parent / "hostile.md").read_text(encoding="utf-8")
MOST_WORK = 3_000_000  # calls of functions, for one task
MEBIBYTES = 400  # for all of them, the service in the same process included
LONGEST_MESSAGE = 8000
PATHS = re.compile(
    rf"/accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs/(tcp_protection_status|(prefixes|allowlist)(/[\w-]+)?)"
    rf"|/accounts/{ACCOUNT}/rules/lists(/\w+(/items)?)?"
    rf"|/accounts/{ACCOUNT}/rulesets/phases/(magic_transit|ddos_l4)/entrypoint"
    rf"|/(accounts/{ACCOUNT}|zones/{ZONE})/rulesets/[0-9a-f]{{32}}/rules(/\w+)?"
    rf"|/zones/{ZONE}/(firewall/rules|filters|rulesets/phases/http_(request_firewall_custom|ratelimit)/entrypoint)(/\w+)?"
)


@pytest.fixture(scope="module", autouse=True)
def little_memory() -> Iterator[None]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEBIBYTES * 1024


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.words)
def test_an_answer_ends_in_a_true_result_or_in_one_line_and_the_page_says_so(
    answer: Misbehaviour, service: LocalService, waits: list[float]
) -> None:
    endings = endings_on_the_page(answer)
    for call in sample(CALLS, 12, first=ANSWERS.index(answer)):
        ended = outcome(service, answer, call)
        assert all(PATHS.fullmatch(write.path) for write in service.writes), service.writes
        assert ended.work < MOST_WORK, (ended.work, call)
        assert_is_readable(ended, service.token)
        assert_is_true(ended)
        assert (call.words, ended.seen) == (call.words, endings[call.words])
    service.reset()  # a task that sends an odd object back makes the service break its contract, too


def endings_on_the_page(answer: Misbehaviour) -> dict[str, str]:
    """How each kind of call ends that gets the answer."""
    (line,) = (line for line in SHOWN.splitlines() if line.startswith(f"| {answer.words} | "))
    return dict(zip((call.words for call in CALLS), line.strip("| ").split(" | ")[-len(CALLS) :], strict=True))


def assert_is_readable(ended: Outcome, token: str) -> None:
    text = json.dumps(ended.result, ensure_ascii=False, allow_nan=False)
    assert text.encode()
    assert token not in text
    warnings = [warning["event"]["msg"] for warning in ended.result.get("warnings", [])]
    for message in [ended.result.get("msg", ""), *warnings]:
        assert message.isprintable()
        assert "Traceback" not in message
        assert len(message) < LONGEST_MESSAGE
    assert bool(ended.result.get("msg")) == (ended.seen != "done")


def assert_is_true(ended: Outcome) -> None:
    if ended.seen == "not done" or ended.result["changed"] is False:
        assert ended.before == ended.after
    if ended.seen != "done" and "operations" in ended.result:
        parts = [item for part in ("done", "unknown", "left") for item in ended.result.get(part, [])]
        assert parts in ([], ended.result["operations"])


def test_the_page_has_nothing_else() -> None:
    def without_endings(text: str) -> str:
        return re.sub(r"^(\| .*?)( \| (done|not done|not known))+ \|$", r"\1", text, flags=re.MULTILINE)

    assert without_endings(SHOWN) == without_endings(page(lambda answer: ["done"] * len(CALLS)))


def test_the_answers_are_as_many_as_the_page_promises() -> None:
    assert len({answer.words for answer in ANSWERS}) == len(ANSWERS) >= 120
    assert len(BOTH_WAYS) == 16


if __name__ == "__main__":
    with LocalService() as local_service, patch.object(retry, "time", without_waiting(local_service, [])):
        sys.stdout.write(page(lambda answer: [outcome(local_service, answer, call).seen for call in CALLS]))
