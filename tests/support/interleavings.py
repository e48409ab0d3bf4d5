# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Several runs at once over one account and one zone, each on a control node of its own: one call of one of them is a step,
and a seed chooses the next. What must hold at the end stands in `problems`."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from copy import deepcopy
from typing import Any
from unittest.mock import patch

from ansible_collections.edgeops.protection.plugins.module_utils import _concurrency, _engine
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._apply import executor
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.plugin_utils._module_options import read_arguments
from werkzeug.test import Client as Caller

from tests.fake_service.application import application
from tests.fake_service.contract import API
from tests.fake_service.current import SERVICE
from tests.fake_service.service import Service
from tests.support.module_run import ACCOUNT, ZONE

ROLE = Context(is_role=True)
RISKS = ["unprotects_addresses", "empties_list", "disables_protection", "mass_deletion", "weakens_zone", "broad_allowlist",
         "stops_mitigation", "removes_referenced_list", "lowers_sensitivity"]  # fmt: skip
TOKEN = "token-of-the-interleavings"
LONGEST = 60  # seconds of a run that hangs
Options = dict[str, Any]


class Runs:
    """Runs that wait before each of their calls until it is their turn."""

    def __init__(self, service: Service, tasks: Sequence[Options]) -> None:
        self._service = service
        self.results: list[dict[str, Any]] = [{} for _task in tasks]
        self.steps: list[int] = []
        self.of_rules: Counter[str] = Counter()  # calls that change rulesets, by their method
        self._tasks = tasks
        self._turn = threading.Condition()
        self._waiting: set[int] = set()
        self._ended: set[int] = set()
        self._next: int | None = None
        self._local = threading.local()

    def run(self, chooser: random.Random) -> None:
        """Let all runs come to their end, in an order that `chooser` chooses."""
        threads = [threading.Thread(target=self._perform, args=(number,)) for number in range(len(self._tasks))]
        with self._patched():
            for thread in threads:
                thread.start()
            while self._step(chooser):
                pass
            for thread in threads:
                thread.join(LONGEST)

    def _step(self, chooser: random.Random) -> bool:
        """Let one run make one call."""
        with self._turn:
            everybody = len(self._tasks)
            assert self._turn.wait_for(
                lambda: self._next is None and len(self._waiting) + len(self._ended) == everybody, LONGEST
            )
            if not self._waiting:
                return False
            self._next = chooser.choice(sorted(self._waiting))
            self.steps.append(self._next)
            self._turn.notify_all()
            return True

    def _perform(self, number: int) -> None:
        self._local.number = number
        warnings: list[str] = []
        try:
            spec, options = read_arguments("host", self._tasks[number])
            result = _engine.run(spec, options, False, False, warnings.append, context=ROLE)
            self.results[number] = {**result, "warned": warnings}
        except BaseException as exc:
            self.results[number] = {"failed": True, "msg": repr(exc), "warned": warnings}
        finally:
            with self._turn:
                self._ended.add(number)
                self._turn.notify_all()

    @property
    def calls(self) -> int:
        return 0

    def send(self, request: Request) -> Response:
        """A call, once it is this run's turn."""
        number = self._local.number
        with self._turn:
            self._waiting.add(number)
            self._turn.notify_all()
            assert self._turn.wait_for(lambda: self._next == number, LONGEST)
            answer = self._answer(request)
            self._waiting.discard(number)
            self._next = None
            self._turn.notify_all()
        return answer

    def _answer(self, request: Request) -> Response:
        caller = Caller(application())
        answer = caller.open(
            f"{API}/{request.path}",
            method=request.method,
            query_string=dict(request.query),
            json=request.body,
            headers={"Authorization": f"Bearer {TOKEN}"},
            environ_overrides={SERVICE: self._service},
        )
        if "/rulesets/" in request.path and request.method != "GET":
            self.of_rules[f"{request.method} of rules"] += 1
        headers = {**answer.headers, "Date": self._service.clock.http_date()}
        return Response(answer.status_code, headers, answer.data)

    @contextmanager
    def _patched(self) -> Iterator[None]:
        def connected(settings: Any, warn: Any, screen: Any = None) -> Any:
            return nullcontext(Client(self, settings.owner, None, settings.credentials_hash))

        def at_once(_name: str, work: Any, _number: int = 1) -> list[threading.Thread]:
            work()  # one call of a run after the other
            return []

        with ExitStack() as patches:
            patches.enter_context(patch.object(_engine, "connected", connected))
            patches.enter_context(patch.object(_engine, "locked_owners", lambda *_any: nullcontext()))
            patches.enter_context(patch.object(_concurrency, "start_threads", at_once))
            patches.enter_context(patch.object(executor, "MAX_AGE", 1e9))
            yield


def task(**options: Any) -> Options:
    return {
        "account_id": ACCOUNT,
        "zone_id": ZONE,
        "api_token": TOKEN,
        "base_url": "http://127.0.0.1:9/client/v4",
        "accept_risks": RISKS,
        "call_budget": 0,
        **options,
    }


NETWORKS = [f"10.{number}.0.0/24" for number in range(4)]
ADDRESSES = [f"192.0.2.{number}" for number in range(1, 5)]
REFS = ["r0", "r1", "r2", "r3", "r4", "r5"]
PAST = "2020-01-31"
DEPLOY = {"expression": 'cf.zone.plan eq "ENT"'}
Key = tuple[str, str]


def rule(ref: str, **values: Any) -> Options:
    return {"ref": ref, "action": "log", "expression": f'http.request.uri.path eq "/{ref}"', **values}


class Scenario:
    """A state, and what two or three runs make of it.

    All that is equal in all of them has one end, in whatever order. With `conflicts`, two runs may also want two values
    for one object; then one of them is the end.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.conflicts = self.random.random() < 0.2
        self.values = {key: self.random.choice(["", "x", "y"]) for key in (*NETWORKS, *ADDRESSES, *REFS)}
        self.enabled = {ref: self.random.random() < 0.5 for ref in REFS}
        self.gone = {key for key in (*ADDRESSES, *REFS) if self.random.random() < 0.15}
        number = self.random.choice([2, 2, 3])
        self.least = 0.7 if number == 2 else 1.0  # of three runs, each names all fields
        self.tasks = [self._task() for _number in range(number)]
        self.account, self.zone = self._existing()

    def _some(self, items: Sequence[Any], most: int = 3) -> list[Any]:
        return self.random.sample(list(items), self.random.randint(0, min(most, len(items))))

    def _value(self, key: str) -> str:
        return (
            self.random.choice(["x", "y", "z"]) if self.conflicts and self.random.random() < 0.3 else self.values[key]
        )

    def _ended(self, key: str) -> Options:
        return {"expires": PAST} if key in self.gone else {}

    def _rules(self, refs: Sequence[str]) -> list[Options]:
        return [rule(ref, **self._fields(ref), **self._ended(ref)) for ref in refs]

    def _fields(self, ref: str) -> Options:
        """Some fields of a rule: of two runs that name others of the same rule, each keeps its own."""
        fields: Options = {"description": self._value(ref), "enabled": self.enabled[ref]}
        return {name: fields[name] for name in fields if self.random.random() < self.least}

    def _task(self) -> Options:
        parts: Options = {
            "prefixes": [{"prefix": one, "comment": self._value(one)} for one in self._some(NETWORKS)],
            "allowlist": [
                {"prefix": one, "comment": self._value(one), **self._ended(one)} for one in self._some(ADDRESSES)
            ],
            "rules": [{"kind": "syn_flood", "scope": "region", "name": name} for name in self._some(["WEUR", "ENAM"])],
            "filters": [
                {"kind": "out_of_state_tcp", "expression": f"tcp.dstport eq {port}"} for port in self._some([80, 443])
            ],
            "dns_rules": [{"scope": "region", "name": name} for name in self._some(["WEUR", "ENAM"])],
            "custom_rules": self._rules(self._some(REFS, 6)),
            "custom_rulesets": [
                {"name": "Own", "rules": [rule(ref) for ref in self._some(["s0", "s1", "s2"])]},
                *self._some(
                    [{"name": "New", "rules": [rule(ref) for ref in self._some(["n0", "n1", "n2"])], "deploy": DEPLOY}],
                    1,
                ),
            ],
            "ip_lists": [
                {"name": name, "items": [{"ip": one} for one in self._some(ADDRESSES)]} for name in ("office", "new")
            ],
        }
        weights = {"prefixes": 3, "custom_rules": 4, "custom_rulesets": 2}
        names = self.random.choices(list(parts), [weights.get(name, 1) for name in parts], k=3)
        return task(**{name: parts[name] for name in dict.fromkeys(names)})

    def _existing(self) -> tuple[Options, Options]:
        prefixes = [{"prefix": one, "comment": self.random.choice(["", "x"])} for one in self._some(NETWORKS, 2)]
        new = [{"name": "New", "rules": [rule(ref)]} for ref in ("n0", "n9")]  # another writer made it twice
        account = {
            "prefixes": [*prefixes, *prefixes[: self.random.random() < 0.2], {"prefix": "198.51.100.0/24"}],
            "allowlist": [{"prefix": one, "comment": "old"} for one in self._some(ADDRESSES, 2)],
            "lists": [{"name": "office", "items": [{"ip": "203.0.113.9"}]}],
            "custom_rulesets": [{"name": "Own", "rules": [rule("kept")]}, *new[: self.random.choice([0] * 8 + [1, 2])]],
            "syn_flood": {"rules": [{"scope": "global"}]},  # which the role makes
            "out_of_state_tcp": {"rules": [{"scope": "global"}]},
        }
        custom = [rule(ref, description="old") for ref in [*self._some(REFS, 3), "base"]]
        rules: list[Options] | None = None if self.random.random() < 0.1 else custom
        return account, {"custom_rules": rules}

    def service(self) -> Service:
        """A service in the first state."""
        return self.prepared(Service())

    def prepared(self, service: Service) -> Service:
        """The service, with the first state."""
        service.switch(checked_against_contract=False)
        service.add_token(TOKEN, protection="write", waf="write", lists="write", account_waf="write")
        service.account(ACCOUNT).seed(**deepcopy(self.account))
        service.zone(ZONE).seed(**deepcopy(self.zone))
        return service


def state_of(service: Service) -> dict[Key, list[str]]:
    """What the service holds, by collection and key: the values of each object that has this key."""
    account, zone = service.account(ACCOUNT), service.zone(ZONE)
    found: dict[Key, list[str]] = {}

    def enter(collection: str, objects: Sequence[Mapping[str, Any]], *key: str) -> None:
        for obj in objects:
            label = " ".join(str(obj.get(name)) for name in key)
            value = str(obj.get("comment") or obj.get("description") or obj.get("mode") or "")
            value += "" if obj.get("enabled", True) else " (disabled)"
            found.setdefault((collection, label), []).append(value)

    enter("prefixes", account.prefixes, "prefix")
    enter("allowlist", account.allowlist, "prefix")
    for kind in ("syn_flood", "out_of_state_tcp"):
        enter(f"{kind} rules", account.rules[kind], "scope", "name")
        enter(f"{kind} filters", account.filters[kind], "expression")
    enter("dns_rules", account.dns_rules, "scope", "name")
    enter("custom_rules", zone.custom_rules, "ref")
    enter("rulesets", account.custom_rulesets, "name")
    for ruleset in account.custom_rulesets:
        enter(f"rules of {ruleset['name']}", ruleset["rules"], "ref")
    names = {one["id"]: one["name"] for one in account.custom_rulesets}
    deploying = [one for one in account.rules_of("custom_rules") if one["action"] == "execute"]
    enter("deployed", [{"name": names.get(one["action_parameters"]["id"]), **one} for one in deploying], "ref", "name")
    for one in account.ip_lists.lists:
        enter(f"items of {one['name']}", one["items"], "ip")
    return found


def order_of(service: Service, scenario: Scenario) -> list[str]:
    """The order of the rules that were there, and that no run removes."""
    before = [one["ref"] for one in scenario.zone["custom_rules"] or ()]
    return [one["ref"] for one in service.zone(ZONE).custom_rules if one["ref"] in before]


def run_all(service: Service, tasks: Sequence[Options], seed: int) -> Runs:
    runs = Runs(service, tasks)
    runs.run(random.Random(seed))
    return runs


def differences(scenario: Scenario, service: Service, serial: Service) -> list[str]:
    """What is otherwise after runs at once than after the same runs one by one."""
    end, expected = state_of(service), state_of(serial)
    wrong = [f"twice: {key}" for key, values in end.items() if len(values) > 1 and len(expected.get(key, ())) < 2]
    wrong += [f"lost: {key}" for key in expected if key not in end]
    wrong += [f"too much: {key}" for key in end if key not in expected]
    if not scenario.conflicts:
        wrong += [
            f"{key}: {end[key]}, and not {expected[key]}"
            for key in expected
            if end.get(key, expected[key]) != expected[key]
        ]
    if order_of(service, scenario) != order_of(serial, scenario):
        wrong.append(f"order: {order_of(service, scenario)}, and not {order_of(serial, scenario)}")
    return wrong


def problems(seed: int) -> tuple[list[str], Counter[str]]:
    """What is wrong at the end of the runs of a seed, and what happened in them."""
    scenario = Scenario(seed)
    service, serial = scenario.service(), scenario.service()
    runs = run_all(service, scenario.tasks, seed)
    wrong = [f"run {number} failed: {one['msg']}" for number, one in enumerate(runs.results) if one.get("failed")]
    for one in scenario.tasks:
        wrong += [
            f"a serial run failed: {each['msg']}" for each in run_all(serial, [one], 0).results if each.get("failed")
        ]
    wrong += differences(scenario, service, serial)
    for number, one in enumerate(scenario.tasks):
        again = run_all(service, [one], 0).results[0]
        if again.get("changed") and not scenario.conflicts:
            wrong.append(f"run {number} changes again: {[(o['action'], o['key']) for o in again['operations']]}")
    happened: Counter[str] = Counter(runs=len(runs.results), calls=len(runs.steps), conflicts=scenario.conflicts)
    happened.update(runs.of_rules)
    for result in runs.results:
        happened["put_back"] += bool(result.get("put_back"))
        happened["created at the same time"] += any("at the same time" in text for text in result["warned"])
        happened["deletes its own ruleset"] += any("uses that one" in text for text in result["warned"])
        happened["changed as well"] += any("changed the" in text for text in result["warned"])
        happened["read and planned again"] += any("again" in text for text in result["warned"])
    return wrong, happened
