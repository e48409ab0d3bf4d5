# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results of every module against the local service, the same each time: the samples of RETURN are parts of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._api.neighbours import ACCOUNT_READINGS
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import CODES
from ansible_collections.edgeops.protection.plugins.module_utils._specs.account import SUBSETS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.traffic import TrafficInfo

from tests.fake_service import LocalService
from tests.fake_service.clock import Clock
from tests.fake_service.credentials import WRITABLE, Permission
from tests.fake_service.identity import ids_by_name
from tests.support.module_run import ACCOUNT, RULESETS, ZONE, run_main
from tests.support.resource_samples import changed_by_module

MOMENT = datetime(2026, 3, 1, 9, 15, 2, 310412, UTC)
ORDERED = ("custom_ruleset", *RULESETS)  # modules that write whole lists
READER = "readers-token"  # a token that may not write
NOBODY = "nobodys-token"  # a token without any permission
_DATA: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("samples.yml").read_text("utf-8"))
ACCOUNT_STATE, BESIDE_STATE, ZONE_STATE = (_DATA[name] for name in ("account", "beside", "zone"))
RULESETS_STATE: Mapping[str, Any] = _DATA["rulesets"]  # by module
ALL = {"accept_risks": list(CODES), "gather_subset": [*SUBSETS, *ACCOUNT_READINGS]}
REQUESTS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    **{module: [request] for module, request in changed_by_module().items()},
    **{
        module: [
            {name: ALL[name] if value == "all" else value for name, value in request.items()} for request in requests
        ]
        for module, requests in _DATA["requests"].items()
    },
}
OF_A_LIST = [  # rules that refer to a list
    {**rule, "expression": "ip.src in $offices"} if rule["ref"] == "monitoring" else rule
    for rule in RULESETS_STATE["network_firewall_rules"]
]
TOKENS: dict[str, Permission] = {READER: "read", NOBODY: "none"}


def sampled_results(module: str, service: LocalService) -> list[dict[str, Any]]:
    """The results of a module's requests, and of the last one once more: refused, and with an answer that is lost."""
    owner = {"zone_id": ZONE} if MODULE_SPECS[module].owner == "zone_id" else {"account_id": ACCOUNT}
    shared = {**owner, "base_url": service.base_url, "api_token": service.token}
    last = {**shared, **REQUESTS[module][-1]}
    with _the_same_each_time():
        prepare(service, module)
        results = [_run(module, {**shared, **request}) for request in REQUESTS[module]]
        prepare(service, module)
        if isinstance(MODULE_SPECS[module], TrafficInfo):  # what it does not learn is no failure
            return results
        token = READER if MODULE_SPECS[module].writes else NOBODY
        results.append(_run(module, {**last, "api_token": token}, fails=True))
        if MODULE_SPECS[module].writes:
            _lose_the_last_answer(service, module, last)
            results.append(_run(module, {**last, "retries": 0}, fails=True))
        if module in ORDERED:
            prepare(service, module)
            _let_another_writer_add_a_rule(service, module)
            results.append(_run(module, {**shared, **REQUESTS[module][0]}))
    return results


def _let_another_writer_add_a_rule(service: LocalService, module: str) -> None:
    """Before the next write, somebody else makes a rule like the first one."""
    name = "custom_rules" if module == "custom_ruleset" else module
    owner = service.zone(ZONE) if MODULE_SPECS[module].owner == "zone_id" else service.account(ACCOUNT)
    first = {key: value for key, value in owner.rules_of(name)[0].items() if key != "id"}
    action = partial(owner.seed, **{name: [{**first, "ref": "theirs"}]})
    service.misbehave("meanwhile", method="PUT", times=1, action=action)


def _lose_the_last_answer(service: LocalService, module: str, options: Mapping[str, Any]) -> None:
    """From now on the answer to the last change is lost, and the state cannot be read again."""
    prepare(service, module)
    _run(module, options)
    writes = len(service.writes)
    reads = len(service.calls[: service.calls.index(service.writes[-1])]) - (writes - 1)
    prepare(service, module)
    service.misbehave("lost_after", method="POST|PUT|PATCH|DELETE", skip=writes - 1)
    service.misbehave("status", method="GET", status=503, skip=reads)


def prepare(service: LocalService, module: str) -> None:
    """One account and one zone, and two tokens that are not allowed everything."""
    service.reset()
    for token, permission in TOKENS.items():
        service.add_token(token, **dict.fromkeys(WRITABLE, permission))
    service.account(ACCOUNT).seed(**ACCOUNT_STATE, **BESIDE_STATE)
    service.zone(ZONE).seed(**ZONE_STATE, account_id=ACCOUNT)
    if module == "ip_list":
        service.account(ACCOUNT).seed(network_firewall_rules=OF_A_LIST)
    whole = ACCOUNT_READINGS if module == "protection_info" else (module,)
    for name in (name for name in RULESETS_STATE if name in whole):
        of_zone = MODULE_SPECS[name].owner == "zone_id"
        owner = service.zone(ZONE) if of_zone else service.account(ACCOUNT)
        owner.seed(**{name: RULESETS_STATE[name]})


def _run(module: str, options: Mapping[str, Any], fails: bool = False) -> dict[str, Any]:
    result = run_main(module, options, verbose=True)
    if result.get("failed", False) is not fails:
        message = result.get("msg", "it did not fail")
        raise ValueError(f"{module}: its samples (samples.yml, or tests/support/resource_samples.yml): {message}")
    return result


@contextmanager
def _the_same_each_time() -> Iterator[None]:
    """Cloudflare's clock stands still, and the ids that it gives follow from kinds and names."""
    with patch.object(Clock, "now", lambda clock: MOMENT), ids_by_name():
        yield
