# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An account and a zone as variables: applying them changes nothing, and restoring them brings the state back."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.protection.plugins.filter.to_baseline import to_baseline, to_baseline_file
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import CODES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT as RESOURCES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import LISTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._specs.account import DEFAULT_SUBSETS, SUBSETS
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import parts_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import export_baseline
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.restore import parts_to_restore
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import readers, snapshot_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.yaml_file import variables_file
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import CUSTOM, DNS, FIREWALL, WHOLE
from tests.support.module_run import ACCOUNT, ZONE, Modules, run_main
from tests.support.service_state import collections_of

TEXTS = st.one_of(
    st.sampled_from(
        ["", "yes", "2026-01-01", "{{ 1 + 1 }}", "it's", '"quoted"', "a: b", "#", " ", "\u202e", "\x07", "null"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
NETWORKS = st.sampled_from(["192.0.2.0/24", "192.0.2.7/25", "2001:DB8::/32", "198.51.100.7", "2001:db8:1::/48"])
MODES = st.sampled_from(["enabled", "monitoring", "disabled"])
LEVELS = st.sampled_from(["low", "medium", "high"])
PREFIX = st.fixed_dictionaries({"prefix": NETWORKS, "comment": TEXTS, "excluded": st.booleans()})
ENTRY = st.fixed_dictionaries({"prefix": NETWORKS, "comment": TEXTS, "enabled": st.booleans()})
PLACES = st.sampled_from([("global", "global"), ("region", "WEUR"), ("region", "weur"), ("datacenter", "SJC")])
RULE = st.builds(
    lambda scope_, mode, rate, burst: {
        "scope": scope_[0], "name": scope_[1], "mode": mode, "rate_sensitivity": rate, "burst_sensitivity": burst
    },
    PLACES, MODES, LEVELS, LEVELS,
)  # fmt: skip
DNS_RULE = st.builds(
    lambda rule, profile: {**rule, "profile_sensitivity": profile}, RULE, LEVELS | st.just("very_high")
)
FILTER = st.fixed_dictionaries(
    {
        "expression": st.sampled_from(["tcp.dstport eq 80", "tcp.dstport  eq 80", "ip.dst in {192.0.2.0/24}"]),
        "mode": MODES,
    }
)
COMPONENT = st.fixed_dictionaries(
    {
        "rules": st.lists(RULE, max_size=3, unique_by=lambda rule: rule["name"].lower()),
        "filters": st.lists(FILTER, max_size=3, unique_by=lambda item: " ".join(item["expression"].split())),
    }
)
ACCOUNTS = st.fixed_dictionaries(
    {
        "enabled": st.booleans(),
        "prefixes": st.lists(PREFIX, max_size=5, unique_by=lambda entry: entry["prefix"]),
        "allowlist": st.lists(ENTRY, max_size=4, unique_by=lambda entry: entry["prefix"]),
        "dns_rules": st.lists(DNS_RULE, max_size=3, unique_by=lambda rule: rule["name"].lower()),
        "syn_flood": COMPONENT,
        "out_of_state_tcp": COMPONENT,
    }
)
RULES = st.lists(
    st.fixed_dictionaries(
        {
            "ref": st.sampled_from(["a", "b", "c", "{{ d }}"]),
            "action": st.sampled_from(["block", "log", "managed_challenge"]),
            "expression": st.sampled_from(["ip.src eq 192.0.2.1", 'http.host eq "{{ x }}"']),
            "description": TEXTS,
            "enabled": st.booleans(),
        }
    ),
    max_size=4,
    unique_by=lambda rule: rule["ref"],
)
OPTIONS = {"baseline_" + name: name for name in ("enabled", *LISTS, "purge")}


class Loader(yaml.SafeLoader):
    """Reads `!unsafe` texts as texts, as Ansible does."""


def unsafe_text(loader: Loader, node: yaml.ScalarNode) -> Any:
    return loader.construct_scalar(node)


Loader.add_constructor("!unsafe", unsafe_text)


def read_back(text: str) -> dict[str, Any]:
    """The variables in a file."""
    document: dict[str, Any] = yaml.load(text, Loader)
    return document


def account_options(variables: Mapping[str, Any]) -> dict[str, Any]:
    """The options of account_protection that the role makes of its variables."""
    return {option: variables[name] for name, option in OPTIONS.items() if name in variables}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(account=ACCOUNTS, rules=RULES)
def test_applying_an_export_changes_nothing(
    account: dict[str, Any], rules: list[dict[str, Any]], service: LocalService, modules: Modules
) -> None:
    service.reset()
    service.account(ACCOUNT).seed(**copy.deepcopy(account))
    service.zone(ZONE).seed(custom_rules=copy.deepcopy(rules))
    subsets = list(SUBSETS) if account["dns_rules"] else DEFAULT_SUBSETS
    export = export_baseline(
        modules.done("protection_info", gather_subset=subsets),
        custom_rules=modules.done("custom_rules_info")["rules"],
        purge=not account["enabled"],
    )
    variables = read_back(variables_file(export.variables, export.notes))
    assert variables == export.variables
    assert not export.notes
    done = modules.done("account_protection", **account_options(variables))
    assert done["changed"] is False, done["operations"]
    state = variables["baseline_custom_rules_state"]
    done = modules.done("custom_rules", rules=variables["baseline_custom_rules"], state=state)
    assert done["changed"] is False, done["operations"]
    assert not service.writes


def test_an_export_is_the_same_from_run_to_run(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**copy.deepcopy(WHOLE))
    first = to_baseline_file(modules.done("protection_info"))
    service.account(ACCOUNT).prefixes.reverse()
    service.account(ACCOUNT).rules["syn_flood"].reverse()
    assert to_baseline_file(modules.done("protection_info")) == first


def test_dns_rules_are_described_where_they_were_read(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**copy.deepcopy({**WHOLE, **DNS}))
    with_dns = to_baseline(modules.done("protection_info", gather_subset=list(SUBSETS)), purge=True)
    without = to_baseline(modules.done("protection_info"), purge=True)
    assert len(with_dns["baseline_dns_rules"]) == len(DNS["dns_rules"])
    assert with_dns.keys() - without.keys() == {"baseline_dns_rules"}
    assert set(with_dns["baseline_purge"]) - set(without["baseline_purge"]) == {"dns_rules"}


def test_firewall_rules_are_described_so_that_nothing_changes(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(**copy.deepcopy(FIREWALL))
    rules = modules.done("firewall_rules_info")["rules"]
    variables = to_baseline({}, firewall_rules=rules)
    assert len(variables["baseline_firewall_rules"]) == len(rules) > 0
    assert modules.done("firewall_rules", rules=variables["baseline_firewall_rules"])["changed"] is False


def test_custom_rules_with_parameters_are_described_so_that_nothing_changes(
    service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(**copy.deepcopy(CUSTOM))
    rules = modules.done("custom_rules_info")["rules"]
    variables = to_baseline({}, custom_rules=rules, purge=True)
    assert len(variables["baseline_custom_rules"]) == len(rules) > 0
    done = modules.done(
        "custom_rules", rules=variables["baseline_custom_rules"], state=variables["baseline_custom_rules_state"]
    )
    assert done["changed"] is False


@pytest.mark.parametrize(
    ("prefixes", "words"),
    [
        (["192.0.2.0/24", "192.0.2.9/24"], "exists more than once (id "),
        (["203.0.113/24"], "cannot be described: prefix: '203.0.113/24' is not a network"),
    ],
)
def test_what_cannot_be_described_is_noted(
    prefixes: list[str], words: str, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": prefix} for prefix in prefixes])
    export = export_baseline(modules.done("protection_info"))
    (note,) = export.notes
    assert words in note
    assert len(export.variables["baseline_prefixes"]) == len(prefixes) - 1
    assert "\n# The prefix " in to_baseline_file(modules.done("protection_info"))


def test_texts_survive_and_are_no_templates() -> None:
    texts = [
        "{{ 1 + 1 }}",
        "{% raw %}",
        "yes",
        "2026-01-01",
        "it's",
        'say "x"',
        "\u202e\x07",
        "two\nlines",
        " ",
        "\x85",
        "a\u2028b",
    ]
    text = variables_file({"baseline_prefixes": [{"comment": comment} for comment in texts]})
    assert [entry["comment"] for entry in read_back(text)["baseline_prefixes"]] == texts
    assert text.count("!unsafe") == 2


def test_comments_stay_comments() -> None:
    text = variables_file({"a": 1}, ["one\ntwo: [", "\u2028three\x1b[31m"])
    assert read_back(text) == {"a": 1}
    assert "\x1b" not in text


@pytest.mark.parametrize("account", [[], "text", {}, {"status": {}, "prefixes": "x"}, {"status": None}], ids=str)
def test_input_of_another_shape_is_refused(account: Any) -> None:
    with pytest.raises(AnsibleFilterError, match=r"edgeops\.protection\.to_baseline: "):
        to_baseline(account)


def normalised(resource: Resource, objects: list[dict[str, Any]]) -> list[Any]:
    """The objects by all of their normalised values; their order counts only in an ordered list."""
    values = [tuple(item.normalised(obj) for item in resource.fields) for obj in objects]
    return list(values) if resource.list_field else sorted(values)


def state_of(service: LocalService) -> Mapping[str, list[Any]]:
    """What the service holds."""
    collections = collections_of(service)
    return {item.plural: normalised(item, collections[item.plural]) for item in (*RESOURCES, CUSTOM_RULES)}


def hold(service: LocalService, account: dict[str, Any], rules: list[dict[str, Any]]) -> None:
    """Replace what the service holds."""
    service.reset()
    service.account(ACCOUNT).seed(**copy.deepcopy(account))
    service.zone(ZONE).seed(custom_rules=copy.deepcopy(rules))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(before=ACCOUNTS, rules=RULES, after=ACCOUNTS, other_rules=RULES)
def test_a_restore_brings_back_the_state_of_the_snapshot(
    before: dict[str, Any],
    rules: list[dict[str, Any]],
    after: dict[str, Any],
    other_rules: list[dict[str, Any]],
    service: LocalService,
) -> None:
    host = {
        "edge_account_id": ACCOUNT,
        "edge_zone_id": ZONE,
        "edge_api_token": service.token,
        "edge_base_url": service.base_url,
    }
    hold(service, before, rules)
    expected = state_of(service)
    parts = parts_of("lima", {**host, "baseline_custom_rules": []})
    text = snapshot_text(parts, [run_main(part.module, part.options) for part in readers(parts)])
    hold(service, after, other_rules)
    for part in parts_to_restore("lima", host, read_back(text), "file.yml", list(CODES)):
        result = run_main(part.module, part.options)
        assert not result.get("failed"), result
    assert state_of(service) == expected
