# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever the existing and the desired state, and whatever goes wrong: no duplicate, no surprise, an end in sight."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import CODES
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import FIREWALL, RULE_1, RULE_2, RULE_3
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.service_state import assert_no_duplicates_and_no_clearance, comparable

NETWORKS = st.sampled_from(["192.0.2.0/24", "192.0.2.0/28", "192.0.2.1", "2001:DB8::/32", "198.51.100.0/25"])
TEXTS = st.sampled_from(["", "a", "b"])
MODES = st.sampled_from(["enabled", "monitoring", "disabled"])
KINDS = st.sampled_from(["syn_flood", "out_of_state_tcp"])
PREFIX = st.fixed_dictionaries({"prefix": NETWORKS}, optional={"comment": TEXTS, "excluded": st.booleans()})
ENTRY = st.fixed_dictionaries({"prefix": NETWORKS}, optional={"comment": TEXTS, "enabled": st.booleans()})
RULE = st.fixed_dictionaries(
    {"scope": st.just("region"), "name": st.sampled_from(["WEUR", "ENAM"])}, optional={"mode": MODES}
)
FILTER = st.fixed_dictionaries(
    {"expression": st.sampled_from(["tcp.dstport eq 80", "tcp.dstport eq 443"]), "mode": MODES}
)


def of_kinds(item: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(KINDS, item).map(lambda pair: {"kind": pair[0], **pair[1]})


def listed(item: st.SearchStrategy[dict[str, Any]], *key: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(item, max_size=4, unique_by=lambda entry: tuple(entry[name] for name in key))


LISTS = {
    "prefixes": listed(PREFIX, "prefix"),
    "allowlist": listed(ENTRY, "prefix"),
    "rules": listed(of_kinds(RULE), "kind", "name"),
    "filters": listed(of_kinds(FILTER), "kind", "expression"),
}


@st.composite
def account_options(draw: st.DrawFn) -> dict[str, Any]:
    desired: dict[str, Any] = draw(st.fixed_dictionaries({}, optional={"enabled": st.booleans(), **LISTS}))
    named_lists = [name for name in LISTS if desired.get(name)]
    purge = draw(st.lists(st.sampled_from(named_lists), unique=True)) if named_lists else []
    return {**desired, "purge": purge, "accept_risks": list(CODES)}


RULES_AND_FILTERS = st.fixed_dictionaries({"rules": listed(RULE, "name"), "filters": listed(FILTER, "expression")})
EXISTING = st.fixed_dictionaries(
    {"enabled": st.booleans(), "prefixes": LISTS["prefixes"], "allowlist": LISTS["allowlist"]},
    optional={"syn_flood": RULES_AND_FILTERS, "out_of_state_tcp": RULES_AND_FILTERS},
)
FIREWALL_OPTIONS = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from([RULE_1, RULE_2, RULE_3])},
        optional={
            "paused": st.booleans(),
            "description": TEXTS,
            "priority": st.sampled_from(["", 3]),
            "filter": st.fixed_dictionaries({}, optional={"expression": st.sampled_from(["true", "false"]), "paused": st.booleans()}),
        },
    ),
    max_size=3,
    unique_by=lambda rule: rule["id"],
)  # fmt: skip
FAULTS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                ("lost_before", {}), ("lost_after", {}), ("truncated", {}), ("cut_body", {}), ("empty", {}), ("html", {}),
                ("success_false_200", {}), ("status_after", {}), ("null_result", {}),
                *(("status", {"status": status}) for status in (400, 403, 404, 409, 429, 500, 503)),
            ]
        ),
        st.sampled_from([".*", "POST", "PATCH|PUT", "DELETE", "GET"]),
        st.integers(0, 4),
    ),
    min_size=1,
    max_size=2,
)  # fmt: skip
HYPOTHESIS = settings(
    phases=[Phase.explicit, Phase.generate],  # each example is a conversation, too long to be shrunk
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def prepare(service: LocalService, module: str, existing: dict[str, Any]) -> None:
    service.reset()
    if module == "firewall_rules":
        service.zone(ZONE).seed(**FIREWALL)
    else:
        service.account(ACCOUNT).seed(**existing)


@HYPOTHESIS
@pytest.mark.parametrize("module", ["account_protection", "firewall_rules"])
@given(data=st.data(), existing=EXISTING, faults=FAULTS)
def test_with_faults_three_runs_are_enough(
    module: str,
    data: st.DataObject,
    existing: dict[str, Any],
    faults: list[Any],
    service: LocalService,
    modules: Modules,
    waits: list[float],
) -> None:
    options: dict[str, Any]
    if module == "firewall_rules":
        options = {"rules": data.draw(FIREWALL_OPTIONS), "accept_risks": list(CODES)}
    else:
        options = data.draw(account_options())
    prepare(service, module, existing)
    predicted = modules.done(module, check=True, **options)
    for (kind, details), method, skip in faults:
        service.misbehave(kind, method=method, skip=skip, times=1, **details)
    for dummy in range(3):
        result = modules.run(module, **options)
        assert_no_duplicates_and_no_clearance(service)
        if not result.get("failed"):
            break
        if "operations" in result:
            parts = [item for part in ("done", "unknown", "left") for item in result[part]]
            assert sorted(map(str, parts)) == sorted(map(str, result["operations"]))
    assert not result.get("failed"), result["msg"]
    service.faults.clear()
    assert modules.done(module, **options)["operations"] == []
    result_key = "rules" if module == "firewall_rules" else "protection"
    assert sorted_lists(comparable(modules.done(module, check=True, **options)[result_key])) == sorted_lists(
        comparable(predicted[result_key])
    )


def sorted_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: sorted_lists(item) for name, item in value.items()}
    return sorted(json.dumps(item, sort_keys=True) for item in value) if isinstance(value, list) else value
